// Reading run files: the frame of the file, the start, the method and the controller.

#include "run_file.h"

#include "../base/name_table.h"
#include "../io/file.h"
#include "../math/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void *lwi_run_take(lwi_run_reader *r, size_t count, size_t size)
{
    void *piece = lwi_arena_take(&r->run->arena, count + 1, size);
    if (!piece) {
        lwi_report_error(r->report, (lw_location){0}, LW_ERR_MEMORY, "%s",
                         lw_status_text(LW_ERR_MEMORY));
    }
    return piece;
}

lw_status lwi_run_find_joint(lwi_run_reader *r, lwi_xml_node *node, const char *attr, int *dof)
{
    const char *name = NULL;
    lw_location at = node->at;
    const lw_status status = lwi_xml_read_name(node, attr, &name, r->report);
    if (status != LW_OK) {
        return status;
    }
    lwi_xml_value(node, attr, &at);
    *dof = lw_find_velocity(r->m, name);
    if (*dof < 0) {
        char room[LWI_CLIP_SIZE];
        lw_nearest nearest;
        lw_nearest_init(&nearest, name);
        const bool is_wanted = r->suggestions++ < LWI_SUGGESTIONS;
        for (int k = 0; k < r->m->nv && is_wanted; ++k) {
            lw_nearest_offer(&nearest, r->m->velocity_name[k]);
        }
        lwi_xml_skip(node); // what it says of that joint is not read
        return lwi_report_error(r->report, at, LW_ERR_NAME,
                                "the mechanism has no independent joint \"%s\"%s%s%s",
                                lwi_clip(name, room), nearest.best ? "; did you mean \"" : "",
                                nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    }
    return LW_OK;
}

lw_status lwi_run_find_frame(lwi_run_reader *r, lwi_xml_node *node, const char *attr, int *frame)
{
    const char *name = NULL;
    const lw_status status = lwi_xml_read_name(node, attr, &name, r->report);
    if (status == LW_OK) {
        lw_location at = node->at;
        lwi_xml_value(node, attr, &at);
        *frame = lw_find_frame(r->m, name);
        if (*frame < 0) {
            char room[LWI_CLIP_SIZE];
            return lwi_report_error(r->report, at, LW_ERR_NAME,
                                    "the mechanism has no frame \"%s\", or several",
                                    lwi_clip(name, room));
        }
    }
    return status;
}

lw_status lwi_run_read_word(lwi_run_reader *r, lwi_xml_node *node, const char *attr,
                            const char *const *word, int *out)
{
    lw_location at;
    const char *value = lwi_xml_value(node, attr, &at);
    if (!value) {
        return LW_OK;
    }
    char all[160] = "";
    for (int i = 0; word[i]; ++i) {
        if (strcmp(word[i], value) == 0) {
            *out = i;
            return LW_OK;
        }
        if (strlen(all) + strlen(word[i]) + 3 < sizeof all) {
            strcat(all, i > 0 ? ", " : "");
            strcat(all, word[i]);
        }
    }
    char room[LWI_CLIP_SIZE];
    return lwi_report_error(r->report, at, LW_ERR_SYNTAX, "%s=\"%s\" is none of %s", attr,
                            lwi_clip(value, room), all);
}

lw_status lwi_run_read_within(lwi_run_reader *r, lwi_xml_node *node, const char *attr, double least,
                              double most, double *out)
{
    double value = *out;
    const lw_status status = lwi_xml_read_number(node, attr, false, &value, r->report);
    lw_location at = node->at;
    if (status != LW_OK || !lwi_xml_value(node, attr, &at)) {
        return status;
    }
    if (!(value >= least && value <= most)) {
        return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                isinf(most) ? "%s is %g, must not be below %g"
                                            : "%s is %g, must be within %g and %g",
                                attr, value, least, most);
    }
    *out = value;
    return LW_OK;
}

// The attribute q, for all degrees of freedom or for all but those behind elastic shafts.
static lw_status read_positions(lwi_run_reader *r, lwi_xml_node *node, double *point)
{
    const int nv = r->m->nv;
    int count = 0;
    if (r->shafts.nfollower == 0 || !lwi_xml_value(node, "q", NULL)) {
        return lwi_xml_read_numbers(node, "q", false, nv, point, r->report);
    }
    double *all = lwi_run_take(r, (size_t)nv, sizeof *all);
    lw_status status =
        all ? lwi_xml_read_list(node, "q", true, nv, all, &count, r->report) : LW_ERR_MEMORY;
    if (status == LW_OK && count != nv && count != nv - r->shafts.nfollower) {
        lw_location at = node->at;
        lwi_xml_value(node, "q", &at);
        status =
            lwi_report_error(r->report, at, LW_ERR_SYNTAX,
                             "q has %d numbers, and must have %d, or %d without degrees of freedom "
                             "behind elastic shafts",
                             count, nv, nv - r->shafts.nfollower);
    }
    for (int k = 0, n = 0; k < nv && status == LW_OK; ++k) {
        if (count == nv || !lw_shafts_follows(&r->shafts, k)) {
            point[k] = all[n++];
        }
    }
    return status;
}

lw_status lwi_run_read_point(lwi_run_reader *r, lwi_xml_node *node, double *point)
{
    lw_status status = read_positions(r, node, point);
    for (lwi_xml_node *joint = lwi_xml_child(node, "joint"); joint;
         joint = lwi_xml_next(joint, "joint")) {
        int k = -1;
        double value = 0.0;
        lw_status one = lwi_run_find_joint(r, joint, "name", &k);
        one = lwi_first_error(one, lwi_xml_read_number(joint, "q", true, &value, r->report));
        if (one == LW_OK) {
            point[k] = value;
        }
        status = lwi_first_error(status, one);
    }
    // Spherical and free joints do not move on a course; who requests that shall know.
    for (int k = 0; k < r->m->nv && status == LW_OK; ++k) {
        if (point[k] != r->start[k] && lw_position_of_dof(r->m, k) < 0) {
            char room[LWI_CLIP_SIZE];
            status = lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                      "\"%s\" has no position of its own, and cannot be moved",
                                      lwi_clip(r->m->velocity_name[k], room));
        }
    }
    return status;
}

// --- The start --------------------------------------------------------------------------------

enum { TOLD_Q = 1, TOLD_V = 2 };

// What the file does not tell behind elastic shafts follows, as options of the program let it.
static lw_status follow_unstated(lwi_run_reader *r, const char *is_given)
{
    const lw_model *m = r->m;
    double *q = lwi_run_take(r, (size_t)m->nq, sizeof *q);
    double *v = lwi_run_take(r, (size_t)m->nv, sizeof *v);
    if (!q || !v) {
        return LW_ERR_MEMORY;
    }
    memcpy(q, r->run->q, (size_t)m->nq * sizeof *q);
    memcpy(v, r->run->v, (size_t)m->nv * sizeof *v);
    lw_shafts_follow_position(&r->shafts, q);
    lw_shafts_follow(&r->shafts, v);
    for (int i = 0; i < r->shafts.nfollower; ++i) {
        const int k = r->shafts.follower[i], at = lw_position_of_dof(m, k);
        if (at >= 0 && !(is_given[k] & TOLD_Q)) {
            r->run->q[at] = q[at];
        }
        r->run->v[k] = is_given[k] & TOLD_V ? r->run->v[k] : v[k];
    }
    return LW_OK;
}

// Where a mechanism begins at rest, its joints rest on elastic shafts, unless the file tells of
// more than the joints before these.
static lw_status rest_on_shafts(lwi_run_reader *r, lwi_xml_node *start, const char *is_given)
{
    const lw_model *m = r->m;
    bool rests = r->shafts.nfollower > 0;
    for (int k = 0; k < m->nv; ++k) {
        const bool is_follower = lw_shafts_follows(&r->shafts, k);
        rests = rests && r->run->v[k] == 0.0 && !(is_follower && is_given[k]);
    }
    lw_data *d = NULL;
    if (!rests || lw_data_create(m, &d) != LW_OK) {
        return rests ? LW_ERR_MEMORY : LW_OK;
    }
    const lw_status status = lw_shaft_equilibrium(m, d, r->run->q);
    lw_data_destroy(d);
    if (status == LW_ERR_NO_CONVERGENCE || status == LW_ERR_SINGULAR) {
        const lw_location at = start ? start->at : (lw_location){0};
        lwi_report_note(r->report, at, LW_DIAG_SHAFTS_RELAXED,
                        "no rest on elastic shafts is found; they begin relaxed");
        return LW_OK;
    }
    return status; // what else fails is told when the simulation begins
}

static lw_status read_start(lwi_run_reader *r, lwi_xml_node *root)
{
    const lw_model *m = r->m;
    lwi_xml_node *start = lwi_xml_only(root, "start", r->report);
    char *is_given = lwi_run_take(r, (size_t)m->nv, 1);
    if (!is_given) {
        return LW_ERR_MEMORY;
    }
    memcpy(r->run->q, m->q_reference, (size_t)m->nq * sizeof(double));
    lw_status status = LW_OK;
    if (start) {
        memset(is_given,
               (lwi_xml_value(start, "q", NULL) ? TOLD_Q : 0) |
                   (lwi_xml_value(start, "v", NULL) ? TOLD_V : 0),
               (size_t)m->nv);
        status = lwi_xml_read_numbers(start, "q", false, m->nq, r->run->q, r->report);
        status = lwi_first_error(
            status, lwi_xml_read_numbers(start, "v", false, m->nv, r->run->v, r->report));
        for (lwi_xml_node *joint = lwi_xml_child(start, "joint"); joint;
             joint = lwi_xml_next(joint, "joint")) {
            int k = -1;
            double q = (double)NAN;
            lw_status one = lwi_run_find_joint(r, joint, "name", &k);
            const int i = one == LW_OK ? lw_position_of_dof(m, k) : -1;
            one = lwi_first_error(one, lwi_xml_read_number(joint, "q", false, &q, r->report));
            if (one == LW_OK && !isnan(q) && i < 0) {
                one = lwi_report_error(r->report, joint->at, LW_ERR_MODEL,
                                       "this degree of freedom has no position of its own");
            } else if (one == LW_OK && !isnan(q)) {
                r->run->q[i] = q;
            }
            if (one == LW_OK) {
                is_given[k] |= (char)((isnan(q) ? 0 : TOLD_Q) |
                                      (lwi_xml_value(joint, "v", NULL) ? TOLD_V : 0));
                one = lwi_xml_read_number(joint, "v", false, &r->run->v[k], r->report);
            }
            status = lwi_first_error(status, one);
        }
    }
    for (int k = 0; k < m->nv; ++k) { // motions begin where the file says, shafts apart
        const int i = lw_position_of_dof(m, k);
        r->start[k] = i >= 0 ? r->run->q[i] : 0.0;
    }
    if (status == LW_OK && (follow_unstated(r, is_given) == LW_ERR_MEMORY ||
                            rest_on_shafts(r, start, is_given) == LW_ERR_MEMORY)) {
        status = LW_ERR_MEMORY;
    }
    return status;
}

// --- The controller ---------------------------------------------------------------------------

static lw_status read_gains(lwi_run_reader *r, lwi_xml_node *node, double *kp, double *kd,
                            double *limit)
{
    lw_status status = LW_OK;
    for (lwi_xml_node *gain = lwi_xml_child(node, "gain"); gain;
         gain = lwi_xml_next(gain, "gain")) {
        int k = -1;
        lw_status one = lwi_run_find_joint(r, gain, "joint", &k);
        if (one == LW_OK) {
            one = lwi_run_read_within(r, gain, "kp", 0.0, (double)INFINITY, &kp[k]);
            one = lwi_first_error(
                one, lwi_run_read_within(r, gain, "kd", 0.0, (double)INFINITY, &kd[k]));
            one = lwi_first_error(
                one, lwi_run_read_within(r, gain, "limit", 0.0, (double)INFINITY, &limit[k]));
        }
        status = lwi_first_error(status, one);
    }
    return status;
}

static lw_status make_controller(lwi_run_reader *r, lwi_xml_node *node,
                                 const lw_controller_def *def)
{
    lwi_run *run = r->run;
    const lw_status status = lw_controller_create(r->m, def, &run->controller);
    if (status != LW_OK) {
        const char *why = r->m->nv == 0 ? "the mechanism has no degrees of freedom"
                          : def->delay > 0.0 && def->period == 0.0 ? "a delay needs a period"
                          : def->delay > 1000.0 * def->period
                              ? "its delay is more than 1000 periods"
                              : lw_status_text(status);
        return lwi_report_error(r->report, node->at, status, "the controller makes no sense: %s",
                                why);
    }
    run->run.controller = run->controller;
    if (def->period > 0.0) {
        run->sampler = lw_controller_sampler(run->controller);
        run->run.sim.sampler = &run->sampler;
    } else {
        run->source[run->run.sim.nsource++] = lw_controller_source(run->controller);
    }
    return LW_OK;
}

// Gains that a frequency gives, at the start.
static lw_status find_gains(lwi_run_reader *r, lwi_xml_node *node, lw_control_law law,
                            double frequency, double damping, double *kp, double *kd)
{
    lw_data *d = NULL;
    lw_status status = lw_data_create(r->m, &d);
    if (status == LW_OK) {
        const double omega = LWI_TWO_PI * frequency;
        status = lw_controller_gains(r->m, d, r->run->q, law, omega, damping, kp, kd);
    }
    lw_data_destroy(d);
    if (status != LW_OK) {
        lwi_report_error(r->report, node->at, status, "gains cannot be found at the start: %s",
                         lw_status_text(status));
    }
    return status;
}

static lw_status read_controller(lwi_run_reader *r, lwi_xml_node *root, lwi_xml_node *motion)
{
    static const char *const laws[] = {"pd",        "pd+gravity", "computed-torque",
                                       "impedance", "hybrid",     NULL};
    lw_contact_task task;
    lwi_xml_node *node = lwi_xml_only(root, "controller", r->report);
    if (!node) {
        return motion ? lwi_report_error(r->report, motion->at, LW_ERR_MODEL,
                                         "a <motion> needs a <controller> that follows it")
                      : LW_OK;
    }
    const size_t nv = (size_t)r->m->nv;
    double *kp = lwi_run_take(r, nv, sizeof *kp), *kd = lwi_run_take(r, nv, sizeof *kd);
    double *limit = lwi_run_take(r, nv, sizeof *limit);
    if (!kp || !kd || !limit) {
        return LW_ERR_MEMORY;
    }
    int law = LW_CONTROL_COMPUTED_TORQUE;
    double frequency = 5.0, damping = 1.0;
    lw_controller_def def = {
        .trajectory = r->run->trajectory, .kp = kp, .kd = kd, .limit = limit, .hold = r->run->q};
    lw_status status = lwi_run_read_word(r, node, "law", laws, &law);
    status =
        lwi_first_error(status, lwi_run_read_within(r, node, "frequency", 0.0, 1e6, &frequency));
    status = lwi_first_error(status, lwi_run_read_within(r, node, "damping", 0.0, 1e6, &damping));
    status = lwi_first_error(status, lwi_run_read_within(r, node, "period", 0.0, 1e6, &def.period));
    status = lwi_first_error(status, lwi_run_read_within(r, node, "delay", 0.0, 1e6, &def.delay));
    def.law = (lw_control_law)law;
    for (int k = 0; k < r->m->nv; ++k) {
        limit[k] = r->m->dof[r->m->v_tree[k]].max_force;
    }
    if (status == LW_OK && def.law >= LW_CONTROL_IMPEDANCE) {
        status = lwi_run_read_task(r, node, def.law, &task);
        def.task = &task;
    } else if (status == LW_OK) {
        status = find_gains(r, node, def.law, frequency, damping, kp, kd);
    }
    status = lwi_first_error(status, read_gains(r, node, kp, kd, limit));
    return status == LW_OK ? make_controller(r, node, &def) : status;
}

// --- The whole --------------------------------------------------------------------------------

static lw_status read_friction(lwi_run_reader *r, lwi_xml_node *root)
{
    lw_sim_def *sim = &r->run->run.sim;
    lw_status status = lwi_xml_read_bool(root, "sticks", &sim->sticks, r->report);
    status = lwi_first_error(
        status, lwi_run_read_within(r, root, "static_friction", 1.0, 1e6, &sim->static_friction));
    status = lwi_first_error(
        status, lwi_run_read_within(r, root, "stribeck_speed", 1e-12, 1e6, &sim->stribeck_speed));
    return lwi_first_error(
        status, lwi_run_read_within(r, root, "friction_speed", 1e-12, 1e6, &sim->friction_speed));
}

static lw_status read_settings(lwi_run_reader *r, lwi_xml_node *root)
{
    static const char *const methods[] = {"euler", "rk4", "dopri5", "dopri853",
                                          "cvode", "ida", NULL};
    enum { FIRST_STIFF = 4 };
    lw_run *run = &r->run->run;
    int method = (int)run->sim.method;
    double version = 0.0, accuracy = run->sim.relative;
    lw_status status = lwi_xml_read_number(root, "version", true, &version, r->report);
    if (status == LW_OK && version != 1.0) {
        status = lwi_report_error(r->report, root->at, LW_ERR_SYNTAX,
                                  "version %g is not known; there is 1", version);
    }
    const char *name = lwi_xml_value(root, "name", NULL);
    run->name = name ? lwi_arena_text(&r->run->arena, name, strlen(name)) : "";
    status = lwi_first_error(
        status, lwi_run_read_within(r, root, "duration", 0.0, LWI_RUN_LONGEST, &run->duration));
    status = lwi_first_error(status, lwi_run_read_within(r, root, "every", 0.0, 1e9, &run->every));
    status = lwi_first_error(status, lwi_run_read_word(r, root, "method", methods, &method));
    status =
        lwi_first_error(status, lwi_run_read_within(r, root, "step", 0.0, 1e6, &run->sim.step));
    status =
        lwi_first_error(status, lwi_run_read_within(r, root, "accuracy", 1e-15, 1.0, &accuracy));
    status =
        lwi_first_error(status, lwi_xml_read_bool(root, "stops", &run->sim.has_stops, r->report));
    static const char *const collisions[] = {"ignore", "warn", "stop", NULL};
    int collision = 0;
    status =
        lwi_first_error(status, lwi_run_read_word(r, root, "collision", collisions, &collision));
    status =
        lwi_first_error(status, lwi_run_read_within(r, root, "clearance", -1e6, 1e6, &run->margin));
    run->collision = (lw_run_collision)collision;
    status = lwi_first_error(
        status, lwi_run_read_within(r, root, "restitution", 0.0, 1.0, &run->sim.restitution));
    if (method < FIRST_STIFF) {
        run->sim.method = (lw_method)method;
    } else {
        run->solver = method == FIRST_STIFF ? LW_RUN_CVODE : LW_RUN_IDA;
    }
    // The default is for free motion, whose errors add up over all its steps. A controller takes
    // them back, and the implicit methods are of order 5.
    if (!lwi_xml_value(root, "accuracy", NULL) &&
        (method >= FIRST_STIFF || lwi_xml_child(root, "controller"))) {
        accuracy = 1e-9;
    }
    status = lwi_first_error(status, read_friction(r, root));
    if (accuracy != run->sim.relative) {
        run->sim.relative = run->sim.absolute = accuracy;
    }
    return run->name ? status : LW_ERR_MEMORY;
}

static lw_status read_root(lwi_run_reader *r, lwi_xml_node *root)
{
    if (strcmp(root->tag, "run") != 0) {
        return lwi_report_error(r->report, root->at, LW_ERR_SYNTAX,
                                "a run file begins with <run>, not <%s>", root->tag);
    }
    root->is_used = true;
    lw_run *run = &r->run->run;
    run->duration = (double)NAN;
    lw_status status = read_settings(r, root);
    status = lwi_first_error(status, read_start(r, root));
    lwi_xml_node *motion = lwi_xml_only(root, "motion", r->report);
    lw_status moved = lwi_run_read_motion(r, root, motion);
    status = lwi_first_error(status, moved);
    if (moved == LW_OK) {
        status = lwi_first_error(status, read_controller(r, root, motion));
    } else {
        lwi_xml_node *controller = lwi_xml_child(root, "controller");
        if (controller) { // not read, but not unknown either
            lwi_xml_skip(controller);
        }
    }
    status = lwi_first_error(status, lwi_run_read_forces(r, root));
    if (isnan(run->duration)) {
        run->duration = lw_trajectory_duration(r->run->trajectory);
        if (!motion && !lwi_xml_value(root, "duration", NULL)) {
            status = lwi_first_error(status, lwi_report_error(r->report, root->at, LW_ERR_MODEL,
                                                              "it needs a duration or a <motion>"));
        }
    }
    return status == LW_OK ? lwi_run_find_breaks(r) : status;
}

static lwi_run *create(const lw_model *m, lwi_run_reader *r, lw_report *report)
{
    lwi_run *run = calloc(1, sizeof *run);
    if (!run) {
        return NULL;
    }
    *r = (lwi_run_reader){.m = m, .run = run, .report = report};
    run->run.sim = lw_default_sim_def();
    run->run.every = -1.0;
    run->q = lwi_run_take(r, (size_t)m->nq, sizeof(double));
    run->v = lwi_run_take(r, (size_t)m->nv, sizeof(double));
    r->start = lwi_run_take(r, (size_t)m->nv, sizeof(double));
    // Where a loop does not close in the reference configuration nothing follows, and the start
    // tells.
    if (!run->q || !run->v || !r->start || lw_shafts_create(m, &r->shafts) == LW_ERR_MEMORY) {
        lw_run_destroy(&run->run);
        return NULL;
    }
    run->run.q = run->q;
    run->run.v = run->v;
    run->run.sim.source = run->source;
    return run;
}

lw_status lw_run_load_text(const char *name, const char *text, size_t size, const lw_model *m,
                           lw_run **out, lw_report *report)
{
    static const char *const known[] = {
        "motion", "controller", "start",    "limits",    "load", "force", "to",     "through",
        "arc",    "wait",       "point",    "joint",     "gain", "line",  "circle", "spline",
        "pose",   "tool",       "override", "unbalance", "task", NULL};
    if (out) {
        *out = NULL;
    }
    if (!name || !text || !m || !out) {
        return LW_ERR_ARGUMENT;
    }
    lwi_xml_doc *doc = NULL;
    lwi_run_reader r;
    lwi_run *run = create(m, &r, report);
    lw_status status = run ? lwi_xml_parse(name, text, size, &doc, report) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        const lwi_xml_node *controller = lwi_xml_child(lwi_xml_root(doc), "controller");
        status = read_root(&r, lwi_xml_root(doc));
        if (status == LW_OK && controller) {
            lw_shafts_report(m, controller->at, report);
        }
        lwi_xml_report_unused(doc, known, report);
    }
    lwi_xml_destroy(doc);
    if (run) {
        lw_shafts_free(&r.shafts);
    }
    if (status != LW_OK) {
        lw_run_destroy(run ? &run->run : NULL);
        return status;
    }
    run->run.trajectory = run->trajectory;
    *out = &run->run;
    return LW_OK;
}

lw_status lw_run_load(const char *path, const lw_model *m, lw_run **run, lw_report *report)
{
    if (run) {
        *run = NULL;
    }
    if (!path || !m || !run) {
        return LW_ERR_ARGUMENT;
    }
    char *text = NULL;
    size_t size = 0;
    const lw_location at = {.file = path};
    lw_status status = lwi_read_file(path, LWI_RUN_FILE_LIMIT, at, &text, &size, report);
    if (status == LW_OK) {
        status = lw_run_load_text(path, text, size, m, run, report);
    }
    free(text);
    return status;
}

void lw_run_destroy(lw_run *run)
{
    if (run) {
        lwi_run *own = (lwi_run *)(void *)run;
        lw_controller_destroy(own->controller);
        lw_trajectory_destroy(own->trajectory);
        lwi_arena arena = own->arena;
        free(own);
        lwi_arena_free(&arena);
    }
}
