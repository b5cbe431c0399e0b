// Reading <motion tool="..."> of a run file: moves of a tool, and of joints between them.

#include "run_file.h"

#include <linkwork/kinematics.h>
#include <linkwork/tool_motion.h>

#include <math.h>
#include <string.h>

/// The motion while its moves are read.
typedef struct tool_reader {
    lwi_run_reader *run;
    lw_data *d;
    int frame;
    lw_mat3 R;       ///< the last orientation, which stays where a move gives none
    double *here;    ///< [nv]
    bool is_at_tool; ///< the tool has moved: `here` is not known
} tool_reader;

static lw_status read_quat(tool_reader *t, lwi_xml_node *node, lw_mat3 *R)
{
    double w[4] = {1.0, 0.0, 0.0, 0.0};
    const lw_status status = lwi_xml_read_numbers(node, "quat", true, 4, w, t->run->report);
    const double norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    if (status == LW_OK && !(fabs(norm - 1.0) < 1e-3)) {
        return lwi_report_error(t->run->report, lwi_xml_location_in(node, "quat", 0), LW_ERR_NUMBER,
                                "quat has length %g, must be 1; its order is w x y z", norm);
    }
    *R = lw_rotation_quat((lw_quat){w[0], w[1], w[2], w[3]});
    return status;
}

static lw_status read_pose(tool_reader *t, lwi_xml_node *node, lw_pose *X)
{
    double p[3] = {0.0}, r[3] = {0.0};
    lw_report *report = t->run->report;
    lw_status status = lwi_xml_read_numbers(node, "xyz", true, 3, p, report);
    if (lwi_xml_value(node, "quat", NULL)) {
        status = lwi_first_error(status, read_quat(t, node, &t->R));
    } else if (lwi_xml_value(node, "rpy", NULL)) {
        status = lwi_first_error(status, lwi_xml_read_numbers(node, "rpy", true, 3, r, report));
        t->R = lw_rotation_rpy(r[0], r[1], r[2]);
    }
    *X = (lw_pose){t->R, lw_vec3_of(p[0], p[1], p[2])};
    t->is_at_tool = true;
    return status;
}

static lw_status read_circle(tool_reader *t, lwi_xml_node *node, lw_pose *X)
{
    double p[3] = {0.0};
    lw_status status = lwi_xml_read_numbers(node, "through", true, 3, p, t->run->report);
    status = lwi_first_error(status, read_pose(t, node, &X[1]));
    X[0] = (lw_pose){X[1].R, lw_vec3_of(p[0], p[1], p[2])};
    return status;
}

static lw_status read_spline(tool_reader *t, lwi_xml_node *node, lw_tool_move *move)
{
    lwi_run_reader *r = t->run;
    size_t count = 0, timed = 0;
    for (lwi_xml_node *p = lwi_xml_child(node, "pose"); p; p = lwi_xml_next(p, "pose")) {
        ++count;
        timed += lwi_xml_value(p, "time", NULL) != NULL;
    }
    if (count == 0 || (timed > 0 && timed < count)) {
        return lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                count == 0 ? "<spline> needs at least one <pose>"
                                           : "either all poses have a time, or none");
    }
    lw_pose *X = lwi_run_take(r, count, sizeof *X);
    double *time = lwi_run_take(r, count, sizeof *time);
    if (!X || !time) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    int i = 0;
    for (lwi_xml_node *p = lwi_xml_child(node, "pose"); p; p = lwi_xml_next(p, "pose"), ++i) {
        status = lwi_first_error(status, read_pose(t, p, &X[i]));
        status =
            lwi_first_error(status, lwi_xml_read_number(p, "time", timed > 0, &time[i], r->report));
    }
    move->npose = i;
    move->pose = X;
    move->time = timed > 0 ? time : NULL;
    return status;
}

// A line, circle, spline, or a move of the joints to a pose.
static lw_status read_path(tool_reader *t, lwi_xml_node *node, lw_tool_move *move)
{
    lwi_run_reader *r = t->run;
    lw_pose *X = lwi_run_take(r, 2, sizeof *X);
    if (!X) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    if (move->type != LW_TOOL_TO) {
        status = lwi_run_read_within(r, node, "blend", 0.0, 1e6, &move->blend);
        status =
            lwi_first_error(status, lwi_run_read_within(r, node, "speed", 1e-9, 1e6, &move->speed));
    }
    move->pose = X;
    move->npose = move->type == LW_TOOL_CIRCLE ? 2 : 1;
    return lwi_first_error(status, move->type == LW_TOOL_SPLINE   ? read_spline(t, node, move)
                                   : move->type == LW_TOOL_CIRCLE ? read_circle(t, node, X)
                                                                  : read_pose(t, node, X));
}

// A move of the joints; behind moves of the tool it must not depend on where these are.
static lw_status read_joints(tool_reader *t, lwi_xml_node *node, lw_tool_move *move)
{
    lwi_run_reader *r = t->run;
    lw_move *own = lwi_run_take(r, 1, sizeof *own);
    double *q = lwi_run_take(r, (size_t)r->m->nq, sizeof *q);
    if (!own || !q) {
        return LW_ERR_MEMORY;
    }
    *own = lw_default_move();
    lw_status status = lwi_run_read_move(r, node, t->here, own);
    if (status == LW_OK && t->is_at_tool &&
        (own->type != LW_MOVE_TO || !lwi_xml_value(node, "q", NULL))) {
        return lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                "behind moves of the tool, joints move by <to q=\"...\"/> with "
                                "all positions");
    }
    t->is_at_tool = false;
    move->type = LW_TOOL_JOINTS;
    move->joints = own;
    memcpy(q, r->run->q, (size_t)r->m->nq * sizeof *q);
    for (int k = 0; k < r->m->nv; ++k) {
        const int i = lw_position_of_dof(r->m, k);
        if (i >= 0) {
            q[i] = t->here[k];
        }
    }
    lw_pose X;
    if (status == LW_OK && lw_pose_of_frame(r->m, t->d, q, t->frame, &X) == LW_OK) {
        t->R = X.R;
    }
    return status;
}

static lw_status read_move(tool_reader *t, lwi_xml_node *node, lw_tool_move *move)
{
    static const char *const tags[] = {"line", "circle", "spline"};
    lwi_run_reader *r = t->run;
    node->is_used = true;
    move->location = node->at;
    for (int i = 0; i < 3; ++i) {
        if (strcmp(node->tag, tags[i]) == 0) {
            move->type = (lw_tool_move_type)(LW_TOOL_LINE + i);
            return read_path(t, node, move);
        }
    }
    if (strcmp(node->tag, "to") == 0 && lwi_xml_value(node, "xyz", NULL)) {
        move->type = LW_TOOL_TO;
        return read_path(t, node, move);
    }
    if (strcmp(node->tag, "wait") == 0) {
        move->type = LW_TOOL_WAIT;
        return lwi_run_read_within(r, node, "duration", 0.0, 1e9, &move->duration);
    }
    if (strcmp(node->tag, "tool") == 0) {
        move->type = LW_TOOL_CHANGE;
        const lw_status status = lwi_run_find_frame(r, node, "frame", &move->frame);
        t->frame = status == LW_OK ? move->frame : t->frame;
        return status;
    }
    if (strcmp(node->tag, "override") == 0) {
        move->type = LW_TOOL_OVERRIDE;
        move->factor = 1.0;
        return lwi_run_read_within(r, node, "speed", 1e-6, 1e6, &move->factor);
    }
    if (strcmp(node->tag, "to") == 0 || strcmp(node->tag, "through") == 0 ||
        strcmp(node->tag, "arc") == 0) {
        return read_joints(t, node, move);
    }
    return lwi_report_error(r->report, node->at, LW_ERR_SYNTAX,
                            "<%s> is no move: there are <line>, <circle>, <spline>, <to>, "
                            "<through>, <arc>, <wait>, <tool> and <override>",
                            node->tag);
}

static lw_status read_settings(tool_reader *t, lwi_xml_node *motion, lw_tool_motion_def *def)
{
    static const char *const tasks[] = {"pose", "position", NULL};
    static const char *const profiles[] = {"trapezoid", "s-curve", "quintic", NULL};
    lwi_run_reader *r = t->run;
    struct {
        const char *name;
        double *value;
    } number[] = {{"speed", &def->speed},
                  {"acceleration", &def->acceleration},
                  {"jerk", &def->jerk},
                  {"angular_speed", &def->angular_speed},
                  {"angular_acceleration", &def->angular_acceleration}};
    int task = 0, profile = (int)def->profile, held = -1;
    lw_status status = lwi_run_find_frame(r, motion, "tool", &def->tool);
    status = lwi_first_error(status, lwi_run_read_word(r, motion, "task", tasks, &task));
    status = lwi_first_error(status, lwi_run_read_word(r, motion, "profile", profiles, &profile));
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i) {
        status = lwi_first_error(
            status, lwi_run_read_within(r, motion, number[i].name, 1e-9, 1e9, number[i].value));
    }
    if (lwi_xml_value(motion, "hold", NULL)) {
        status = lwi_first_error(status, lwi_run_find_joint(r, motion, "hold", &held));
        def->hold = held >= 0 ? lw_position_of_dof(r->m, held) : -1;
    }
    def->task = task == 1 ? LW_IK_POSITION : LW_IK_POSE;
    def->profile = (lw_profile)profile;
    t->frame = def->tool;
    return status;
}

static lw_status read_moves(tool_reader *t, lwi_xml_node *motion, lw_tool_motion_def *def)
{
    lwi_run_reader *r = t->run;
    size_t n = 0;
    for (lwi_xml_node *node = motion->first_child; node; node = node->next) {
        ++n;
    }
    lw_tool_move *move = lwi_run_take(r, n, sizeof *move);
    t->here = lwi_run_take(r, (size_t)r->m->nv, sizeof *t->here);
    if (!move || !t->here) {
        return LW_ERR_MEMORY;
    }
    memcpy(t->here, r->start, (size_t)r->m->nv * sizeof *t->here);
    lw_pose X = lw_pose_identity();
    lw_status status = lw_pose_of_frame(r->m, t->d, r->run->q, t->frame, &X);
    if (status != LW_OK) {
        return lwi_report_error(r->report, motion->at, status,
                                "the tool has no pose at the start: %s", lw_status_text(status));
    }
    t->R = X.R;
    for (lwi_xml_node *node = motion->first_child; node; node = node->next) {
        status = lwi_first_error(status, read_move(t, node, &move[def->nmove++]));
    }
    def->move = move;
    return status;
}

lw_status lwi_run_read_tool_motion(lwi_run_reader *r, lwi_xml_node *motion,
                                   const lw_axis_limits *limits)
{
    tool_reader t = {.run = r};
    lw_tool_motion_def def = lw_default_tool_motion_def(-1);
    def.limits = limits;
    def.start = r->run->q;
    lw_status status = read_settings(&t, motion, &def);
    if (status == LW_OK) {
        status = lw_data_create(r->m, &t.d);
    }
    if (status == LW_OK) {
        status = read_moves(&t, motion, &def);
    }
    if (status == LW_OK) {
        status = lw_tool_motion_create(r->m, &def, &r->run->trajectory, NULL, r->report);
    }
    lw_data_destroy(t.d);
    return status;
}
