#include "shown.h"

#include "support/message.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- Files ------------------------------------------------------------------------------------

static void look_at(watched_file *f)
{
    struct stat now;
    if (stat(f->path, &now) != 0) {
        memset(&now, 0, sizeof now);
    }
    f->time = now.st_mtim;
    f->size = (long long)now.st_size;
    f->inode = (unsigned long long)now.st_ino;
}

static double real_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// From now on. A file that may have changed since the model began to be read counts as changed.
static void watch(shown *s, const char *path)
{
    static const double step = 0.005; // of the clock that files have their times from
    for (int i = 0; i < s->nwatched; ++i) {
        if (strcmp(s->watched[i].path, path) == 0) {
            return;
        }
    }
    watched_file *more = realloc(s->watched, (size_t)(s->nwatched + 1) * sizeof *more);
    char *copy = strdup(path);
    if (!more || !copy) {
        exit(no_memory());
    }
    s->watched = more;
    watched_file *f = &s->watched[s->nwatched++];
    *f = (watched_file){.path = copy};
    look_at(f);
    if ((double)f->time.tv_sec + 1e-9 * (double)f->time.tv_nsec > s->began - step) {
        f->size = -1;
    }
}

static const char *file_of_part(const lw_mech *mech, lw_part part)
{
    lw_link_def link;
    lw_joint_def joint;
    if (lw_get_link_def(mech, part, &link) == LW_OK) {
        return link.location.file;
    }
    return lw_get_joint_def(mech, part, &joint) == LW_OK ? joint.location.file : NULL;
}

static void watch_all(shown *s)
{
    const lw_mech *mech = s->robot.mech;
    watch(s, s->args->operand[0]);
    if (args_value(s->args, OPT_SRDF)) {
        watch(s, args_value(s->args, OPT_SRDF));
    }
    for (int i = 0; mech && i < lw_get_part_count(mech); ++i) {
        const char *file = file_of_part(mech, (lw_part){i});
        if (file && file[0] != '\0') {
            watch(s, file);
        }
    }
    for (int i = 0; s->m && i < s->m->nshape; ++i) {
        if (s->m->shape[i].mesh_file[0] != '\0') {
            watch(s, s->m->shape[i].mesh_file);
        }
    }
}

bool shown_has_changed(shown *s)
{
    bool is_changed = false;
    for (int i = 0; i < s->nwatched; ++i) {
        const watched_file before = s->watched[i];
        watched_file *now = &s->watched[i];
        look_at(now);
        is_changed = is_changed || before.time.tv_sec != now->time.tv_sec ||
                     before.time.tv_nsec != now->time.tv_nsec || before.size != now->size ||
                     before.inode != now->inode;
    }
    return is_changed;
}

const char *shown_name(const shown *s, const char *path)
{
    const size_t length = strlen(s->folder);
    if (length > 0 && strncmp(path, s->folder, length) == 0) {
        return path + length;
    }
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// --- Opening ----------------------------------------------------------------------------------

static bool is_of_model(option_id id)
{
    static const option_id of_model[] = {OPTIONS_MODEL, OPT_SCENE, OPT_ATTACH};
    for (size_t i = 0; i < sizeof of_model / sizeof *of_model; ++i) {
        if (of_model[i] == id) {
            return true;
        }
    }
    return false;
}

// Options of the program that the model is compiled with, then the edited ones.
static command_line line_of(const shown *s, memory *pool, const given_option *edit, int nedit)
{
    command_line line = *s->args;
    line.pool = pool;
    line.given = memory_get(pool, (size_t)(s->args->ngiven + nedit + 1), sizeof *line.given);
    line.ngiven = 0;
    for (int i = 0; i < s->args->ngiven; ++i) {
        const option_id id = s->args->given[i].id;
        const bool is_edited = id == OPT_LEVEL || id == OPT_BRANCH || id == OPT_IDEAL;
        if (is_of_model(id) && (!edit || !is_edited)) {
            line.given[line.ngiven++] = s->args->given[i];
        }
    }
    for (int i = 0; i < nedit; ++i) {
        line.given[line.ngiven] = edit[i];
        if (edit[i].value) {
            line.given[line.ngiven].value = memory_text(pool, "%s", edit[i].value);
        }
        ++line.ngiven;
    }
    return line;
}

// Named configurations. Where the file has errors, those from before stay.
static int read_srdf(shown *s, bool is_silent)
{
    const char *path = args_value(s->args, OPT_SRDF);
    lw_report *report = NULL;
    lw_srdf *fresh = NULL;
    int code = path ? report_open(s->args, &report) : EXIT_GOOD;
    if (path && code == EXIT_GOOD) {
        code = exit_code_of(lw_srdf_load(path, &fresh, report));
    }
    if (fresh) {
        lw_srdf_destroy(s->srdf);
        s->srdf = fresh;
    } else if (code != EXIT_GOOD && !is_silent) {
        print_diagnostics(report, 0);
    }
    lw_report_destroy(report);
    return code;
}

static void *numbers(int count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (!block) {
        exit(no_memory());
    }
    return block;
}

static void free_state(shown *s)
{
    free(s->q);
    free(s->tree_q);
    free(s->X_WB);
    free(s->frame_of_body);
    lw_constraints_destroy(s->drag);
    s->drag = NULL;
    s->drag_frame = -1;
}

// Work space for the model; the configuration keeps the values of coordinates of the same name.
static void make_state(shown *s, const lw_model *old, const double *old_q)
{
    const lw_model *m = s->m;
    s->q = numbers(m->nq, sizeof *s->q);
    s->tree_q = numbers(m->tree_nq, sizeof *s->tree_q);
    s->X_WB = numbers(m->nbody, sizeof *s->X_WB);
    s->frame_of_body = numbers(m->nbody, sizeof *s->frame_of_body);
    double *q = numbers(m->nq, sizeof *q);
    for (int b = 0; b < m->nbody; ++b) {
        s->frame_of_body[b] = -1;
        s->X_WB[b] = lw_pose_identity();
    }
    for (int i = m->nframe_all - 1; i >= 0; --i) {
        if (m->frame[i].body >= 0) {
            s->frame_of_body[m->frame[i].body] = i;
        }
    }
    memcpy(s->q, m->q_reference, (size_t)m->nq * sizeof *s->q);
    for (int k = 0; k < m->nq; ++k) {
        const int before = old ? lw_find_position(old, m->position_name[k]) : -1;
        q[k] = before >= 0 ? old_q[before] : m->q_reference[k];
    }
    shown_move(s, m->q_reference);
    shown_move(s, q);
    free(q);
}

bool shown_reload(shown *s, const given_option *options, int noption)
{
    memory pool = {0};
    command_line line = options ? line_of(s, &pool, options, noption)
                                : line_of(s, &pool, s->line.given, s->line.ngiven);
    if (!options) { // all of them are in the line already
        line.given += line.ngiven - s->line.ngiven;
        line.ngiven = s->line.ngiven;
    }
    robot fresh;
    s->began = real_seconds();
    const int code = robot_open_silently(&fresh, &line);
    s->is_stale = code != EXIT_GOOD;
    if (code != EXIT_GOOD) {
        if (s->last != s->robot.report) {
            lw_report_destroy(s->last);
        }
        s->last = fresh.report;
        fresh.report = NULL;
        robot_close(&fresh);
        memory_free(&pool, NULL);
        return false;
    }
    robot old = s->robot;
    memory old_pool = s->pool;
    double *old_q = s->q;
    s->q = NULL;
    free_state(s);
    if (s->last != old.report) {
        lw_report_destroy(s->last);
    }
    s->robot = fresh;
    s->m = fresh.model;
    s->last = fresh.report;
    s->pool = pool;
    s->line = line;
    s->line.pool = &s->pool;
    ++s->version;
    make_state(s, old.model, old_q);
    read_srdf(s, true);
    watch_all(s);
    free(old_q);
    robot_close(&old);
    memory_free(&old_pool, NULL);
    return true;
}

int shown_open(shown *s, const command_line *args)
{
    *s = (shown){.args = args, .drag_frame = -1, .began = real_seconds()};
    const char *slash = strrchr(args->operand[0], '/');
    s->folder = memory_text(args->pool, "%.*s", slash ? (int)(slash - args->operand[0] + 1) : 0,
                            args->operand[0]);
    s->line = line_of(s, &s->pool, NULL, 0);
    int code = robot_open(&s->robot, &s->line);
    code = code == EXIT_GOOD ? read_srdf(s, false) : code;
    s->m = s->robot.model;
    s->last = s->robot.report;
    if (code == EXIT_GOOD) {
        s->line.pool = &s->pool;
        s->version = 1;
        make_state(s, NULL, NULL);
        watch_all(s);
    }
    return code;
}

void shown_close(shown *s)
{
    free_state(s);
    if (s->last != s->robot.report) {
        lw_report_destroy(s->last);
    }
    lw_srdf_destroy(s->srdf);
    robot_close(&s->robot);
    for (int i = 0; i < s->nwatched; ++i) {
        free(s->watched[i].path);
    }
    free(s->watched);
    memory_free(&s->pool, NULL);
    *s = (shown){0};
}

// --- Moving -----------------------------------------------------------------------------------

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static bool fail(shown *s, lw_status status)
{
    s->failure = lw_data_failure(s->robot.data, status);
    lw_failure_text(s->m, &s->failure, s->message, sizeof s->message);
    return false;
}

bool shown_move(shown *s, const double *q)
{
    const double began = now_us();
    const lw_model *m = s->m;
    lw_data *d = s->robot.data;
    lw_status status = lw_forward_position(m, d, q);
    for (int b = 0; status == LW_OK && b < m->nbody; ++b) {
        const int frame = s->frame_of_body[b];
        if (frame >= 0) {
            lw_pose X_WF;
            const lw_pose X_FB = lw_pose_inverse(&m->frame[frame].X_BF);
            status = lw_frame_pose(m, d, frame, &X_WF);
            s->X_WB[b] = lw_pose_mul(&X_WF, &X_FB);
        }
    }
    if (status == LW_OK) {
        status = lw_tree_state(m, d, q, NULL, NULL, s->tree_q, NULL, NULL);
    }
    s->microseconds = now_us() - began;
    if (status != LW_OK) {
        return fail(s, status);
    }
    memmove(s->q, q, (size_t)m->nq * sizeof *q);
    s->message[0] = '\0';
    s->failure = (lw_failure){.loop = -1};
    return true;
}

static lw_status make_drag(shown *s, lw_constraint_def *def)
{
    if (s->drag && s->drag_frame == def->frame) {
        return lw_constraints_update(s->drag, 0, def);
    }
    lw_constraints_destroy(s->drag);
    s->drag = NULL;
    s->drag_frame = def->frame;
    // One start: a frame that is dragged continues from where it is.
    const lw_constraint_options options = {.tolerance = 1e-7, .starts = 1, .iterations = 40};
    return lw_constraints_create(s->m, 1, def, &options, &s->drag, NULL);
}

bool shown_drag(shown *s, int frame, const lw_pose *X_WF, double *residual)
{
    const double began = now_us();
    lw_constraint_def def = lw_default_constraint_def("drag", LW_CONSTRAINT_POSE);
    def.frame = frame;
    def.target = *X_WF;
    lw_constraint_result found;
    lw_status status = make_drag(s, &def);
    if (status == LW_OK) {
        status = lw_constraints_solve(s->drag, s->q, &found);
    }
    if (status != LW_OK) {
        snprintf(s->message, sizeof s->message, "the frame cannot be moved there: %s",
                 lw_status_text(status));
        return false;
    }
    *residual = found.constraint[0].residual;
    const bool is_good = shown_move(s, found.q);
    s->microseconds = now_us() - began;
    return is_good;
}

json_t *shown_other_branch(const shown *s, const char *loop, int branch)
{
    shown other = {.args = s->args, .folder = s->folder, .drag_frame = -1};
    command_line line = s->line;
    line.pool = &other.pool;
    line.given = memory_get(&other.pool, (size_t)line.ngiven + 1, sizeof *line.given);
    memcpy(line.given, s->line.given, (size_t)line.ngiven * sizeof *line.given);
    line.given[line.ngiven++] =
        (given_option){OPT_BRANCH, memory_text(&other.pool, "%s=%c", loop, branch > 0 ? '+' : '-')};
    json_t *poses = NULL;
    if (robot_open_silently(&other.robot, &line) == EXIT_GOOD) {
        other.m = other.robot.model;
        other.last = other.robot.report;
        make_state(&other, s->m, s->q);
        const bool is_there =
            other.m->nq == s->m->nq && other.m->nbody == s->m->nbody && other.message[0] == '\0';
        poses = is_there ? shown_poses(&other) : NULL;
    }
    shown_close(&other);
    return poses ? poses : json_null();
}

json_t *shown_gains(shown *s)
{
    const lw_model *m = s->m;
    double *v = numbers(m->nv + m->tree_nv + m->nstep, sizeof *v);
    double *tree_v = v + m->nv, *gain = tree_v + m->tree_nv;
    lw_status status = LW_OK;
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        v[k] = 1.0;
        status = lw_tree_state(m, s->robot.data, s->q, v, NULL, NULL, tree_v, NULL);
        v[k] = 0.0;
        for (int i = 0; i < m->nstep; ++i) {
            for (int t = 0; t < m->step[i].ntarget; ++t) {
                gain[i] = fmax(gain[i], fabs(tree_v[m->step[i].target[t]]));
            }
        }
    }
    json_t *all = json_array();
    for (int i = 0; i < m->nstep; ++i) {
        json_array_append_new(all, status == LW_OK ? json_real(gain[i]) : json_null());
    }
    free(v);
    return all;
}

json_t *shown_conditions(shown *s)
{
    const lw_model *m = s->m;
    double *condition = numbers(m->nstep, sizeof *condition), gap = 0;
    json_t *all = json_array();
    const bool is_good = lw_step_conditions(m, s->robot.data, s->q, condition) == LW_OK;
    for (int i = 0; i < m->nstep; ++i) {
        json_array_append_new(all, is_good && isfinite(condition[i]) ? json_real(condition[i])
                                                                     : json_null());
    }
    free(condition);
    const bool is_closed = lw_loop_gap(m, s->robot.data, s->q, &gap) == LW_OK;
    return json_pack("{s:o, s:o}", "conditions", all, "gap",
                     is_closed ? json_real(gap) : json_null());
}

void shown_pose(const shown *s, int body, double value[7])
{
    const lw_pose *X = &s->X_WB[body];
    const lw_quat r = lw_quat_of(&X->R);
    const double all[] = {X->p.x, X->p.y, X->p.z, r.w, r.x, r.y, r.z};
    memcpy(value, all, sizeof all);
}

json_t *shown_poses(const shown *s)
{
    json_t *poses = json_array();
    for (int b = 0; b < s->m->nbody; ++b) {
        double value[7];
        shown_pose(s, b, value);
        for (int k = 0; k < 7; ++k) {
            json_array_append_new(poses, json_real(value[k]));
        }
    }
    return poses;
}
