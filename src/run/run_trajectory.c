// Reading <limits> and <motion> of a run file.

#include "run_file.h"

#include <math.h>
#include <string.h>

static lw_status read_limit(lwi_run_reader *r, lwi_xml_node *node, lw_axis_limits *limits)
{
    lw_status status = lwi_xml_read_number(node, "lower", false, &limits->lower, r->report);
    status = lwi_first_error(status,
                             lwi_xml_read_number(node, "upper", false, &limits->upper, r->report));
    struct {
        const char *name;
        double *value;
    } rate[] = {{"velocity", &limits->velocity},
                {"acceleration", &limits->acceleration},
                {"jerk", &limits->jerk}};
    for (int i = 0; i < 3; ++i) {
        lw_location at;
        double value = *rate[i].value;
        lw_status one = lwi_xml_read_number(node, rate[i].name, false, &value, r->report);
        if (one == LW_OK && lwi_xml_value(node, rate[i].name, &at) && !(value > 0.0)) {
            one = lwi_report_error(r->report, at, LW_ERR_MOTION, "%s is %g, must be positive",
                                   rate[i].name, value);
        } else if (one == LW_OK) {
            *rate[i].value = value;
        }
        status = lwi_first_error(status, one);
    }
    return status;
}

// Positions that joint k can have, and the one in which it begins where there is a motion.
static lw_status check_positions(lwi_run_reader *r, int k, const lw_axis_limits *limits,
                                 lw_location at, const lwi_xml_node *motion)
{
    char room[LWI_CLIP_SIZE];
    const char *name = lwi_clip(r->m->velocity_name[k], room);
    if (!(limits->lower <= limits->upper)) {
        return lwi_report_error(r->report, at, LW_ERR_MOTION,
                                "\"%s\": the lower limit %g is above the upper one %g", name,
                                limits->lower, limits->upper);
    }
    if (motion && !(r->start[k] >= limits->lower && r->start[k] <= limits->upper)) {
        return lwi_report_error(r->report, motion->at, LW_ERR_MOTION,
                                "\"%s\": its start %g is outside of its limits %g and %g", name,
                                r->start[k], limits->lower, limits->upper);
    }
    return LW_OK;
}

// Limits of the model, those of <limits> for all joints, and of <limits joint="..."> for one.
static lw_status read_limits(lwi_run_reader *r, lwi_xml_node *root, const lwi_xml_node *motion,
                             lw_axis_limits *limits)
{
    lw_status status = LW_OK;
    lw_location *at = lwi_run_take(r, (size_t)r->m->nv, sizeof *at); // of the last that counted
    if (!at) {
        return LW_ERR_MEMORY;
    }
    for (int k = 0; k < r->m->nv; ++k) {
        limits[k] = lw_dof_limits(r->m, k);
        at[k] = root->at;
    }
    for (lwi_xml_node *node = lwi_xml_child(root, "limits"); node;
         node = lwi_xml_next(node, "limits")) {
        if (lwi_xml_value(node, "joint", NULL)) {
            int k = -1;
            lw_status one = lwi_run_find_joint(r, node, "joint", &k);
            if (one == LW_OK) {
                one = read_limit(r, node, &limits[k]);
                at[k] = node->at;
            }
            status = lwi_first_error(status, one);
        } else {
            for (int k = 0; k < r->m->nv; ++k) {
                status = lwi_first_error(status, read_limit(r, node, &limits[k]));
                at[k] = node->at;
                if (status != LW_OK) {
                    break; // once is enough
                }
            }
        }
    }
    for (int k = 0; k < r->m->nv && status == LW_OK; ++k) {
        status = check_positions(r, k, &limits[k], at[k], motion);
    }
    return status;
}

// --- Moves ------------------------------------------------------------------------------------

static const char *const profiles[] = {"trapezoid", "s-curve", "quintic", NULL};
static const char *const togethers[] = {"straight", "time", NULL};

static lw_status read_to(lwi_run_reader *r, lwi_xml_node *node, double *here, lw_move *move)
{
    const size_t size = (size_t)r->m->nv * sizeof(double);
    double *point = lwi_run_take(r, (size_t)r->m->nv, sizeof *point);
    if (!point) {
        return LW_ERR_MEMORY;
    }
    memcpy(point, here, size);
    const lw_status status = lwi_run_read_point(r, node, point);
    memcpy(here, point, size);
    move->npoint = 1;
    move->point = point;
    return status;
}

static lw_status read_through(lwi_run_reader *r, lwi_xml_node *node, double *here, lw_move *move)
{
    const size_t nv = (size_t)r->m->nv;
    size_t count = 0, timed = 0;
    for (lwi_xml_node *p = lwi_xml_child(node, "point"); p; p = lwi_xml_next(p, "point")) {
        ++count;
        timed += lwi_xml_value(p, "time", NULL) != NULL;
    }
    if (count == 0 || (timed > 0 && timed < count)) {
        return lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                count == 0 ? "<through> needs at least one <point>"
                                           : "either all points have a time, or none");
    }
    double *point = lwi_run_take(r, count * nv, sizeof *point);
    double *time = lwi_run_take(r, count, sizeof *time);
    if (!point || !time) {
        return LW_ERR_MEMORY;
    }
    lw_status status = LW_OK;
    size_t i = 0;
    for (lwi_xml_node *p = lwi_xml_child(node, "point"); p; p = lwi_xml_next(p, "point"), ++i) {
        status = lwi_first_error(status, lwi_run_read_point(r, p, here));
        status =
            lwi_first_error(status, lwi_xml_read_number(p, "time", timed > 0, &time[i], r->report));
        memcpy(point + i * nv, here, nv * sizeof *point);
    }
    move->type = LW_MOVE_THROUGH;
    move->npoint = (int)count;
    move->point = point;
    move->time = timed > 0 ? time : NULL;
    return status;
}

static lw_status read_arc(lwi_run_reader *r, lwi_xml_node *node, double *here, lw_move *move)
{
    move->type = LW_MOVE_ARC;
    lw_status status = lwi_run_find_joint(r, node, "joint", &move->axis[0]);
    status = lwi_first_error(status, lwi_run_find_joint(r, node, "joint2", &move->axis[1]));
    status = lwi_first_error(
        status, lwi_xml_read_numbers(node, "center", true, 2, move->center, r->report));
    status =
        lwi_first_error(status, lwi_xml_read_number(node, "angle", true, &move->angle, r->report));
    if (status == LW_OK) { // where it ends, for moves that name some joints only
        const double x = here[move->axis[0]] - move->center[0];
        const double y = here[move->axis[1]] - move->center[1];
        const double c = cos(move->angle), s = sin(move->angle);
        here[move->axis[0]] = move->center[0] + c * x - s * y;
        here[move->axis[1]] = move->center[1] + s * x + c * y;
    }
    return status;
}

lw_status lwi_run_read_move(lwi_run_reader *r, lwi_xml_node *node, double *here, lw_move *move)
{
    int profile = (int)move->profile, together = (int)move->together;
    node->is_used = true;
    move->location = node->at;
    lw_status status = lwi_run_read_word(r, node, "profile", profiles, &profile);
    status = lwi_first_error(status, lwi_run_read_word(r, node, "together", togethers, &together));
    status = lwi_first_error(status,
                             lwi_run_read_within(r, node, "duration", 0.0, 1e9, &move->duration));
    move->profile = (lw_profile)profile;
    move->together = (lw_synchronization)together;
    if (strcmp(node->tag, "to") == 0) {
        return lwi_first_error(status, read_to(r, node, here, move));
    }
    if (strcmp(node->tag, "through") == 0) {
        return lwi_first_error(status, read_through(r, node, here, move));
    }
    if (strcmp(node->tag, "arc") == 0) {
        return lwi_first_error(status, read_arc(r, node, here, move));
    }
    if (strcmp(node->tag, "wait") == 0) {
        move->type = LW_MOVE_WAIT;
        return status;
    }
    return lwi_report_error(r->report, node->at, LW_ERR_SYNTAX,
                            "<%s> is no move: there are <to>, <through>, <arc> and <wait>, and "
                            "more with <motion tool=\"...\">",
                            node->tag);
}

static lw_status read_moves(lwi_run_reader *r, lwi_xml_node *motion, lw_move **out, int *count)
{
    int n = 0;
    for (lwi_xml_node *node = motion->first_child; node; node = node->next) {
        ++n;
    }
    lw_move *move = lwi_run_take(r, (size_t)n, sizeof *move);
    double *here = lwi_run_take(r, (size_t)r->m->nv, sizeof *here);
    if (!move || !here) {
        return LW_ERR_MEMORY;
    }
    int profile = LW_PROFILE_QUINTIC, together = LW_SYNCHRONIZE_STRAIGHT;
    lw_status status = lwi_run_read_word(r, motion, "profile", profiles, &profile);
    status =
        lwi_first_error(status, lwi_run_read_word(r, motion, "together", togethers, &together));
    memcpy(here, r->start, (size_t)r->m->nv * sizeof *here);
    n = 0;
    for (lwi_xml_node *node = motion->first_child; node; node = node->next, ++n) {
        move[n] = lw_default_move();
        move[n].profile = (lw_profile)profile;
        move[n].together = (lw_synchronization)together;
        status = lwi_first_error(status, lwi_run_read_move(r, node, here, &move[n]));
    }
    *out = move;
    *count = n;
    return status;
}

lw_status lwi_run_read_motion(lwi_run_reader *r, lwi_xml_node *root, lwi_xml_node *motion)
{
    lw_axis_limits *limits = lwi_run_take(r, (size_t)r->m->nv, sizeof *limits);
    lw_move *move = NULL;
    int nmove = 0;
    if (!limits) {
        return LW_ERR_MEMORY;
    }
    lw_status status = read_limits(r, root, motion, limits);
    const bool has_tool = motion && lwi_xml_value(motion, "tool", NULL);
    if (motion && !has_tool) {
        status = lwi_first_error(status, read_moves(r, motion, &move, &nmove));
    } else if (!motion) {
        for (int k = 0; k < r->m->nv; ++k) {
            limits[k] = lw_default_axis_limits(); // it only rests
        }
    }
    if (status != LW_OK || r->m->nv == 0) {
        return status;
    }
    const lw_trajectory_def def = {.n = r->m->nv,
                                   .start = r->start,
                                   .limits = limits,
                                   .name = r->m->velocity_name,
                                   .nmove = nmove,
                                   .move = move};
    status = has_tool ? lwi_run_read_tool_motion(r, motion, limits)
                      : lw_trajectory_create(&def, &r->run->trajectory, r->report);
    const double duration = lw_trajectory_duration(r->run->trajectory);
    if (status == LW_OK && duration > LWI_RUN_LONGEST) {
        status =
            lwi_report_error(r->report, motion->at, LW_ERR_MOTION,
                             "within its limits the motion takes %g s; at most %g are simulated",
                             duration, LWI_RUN_LONGEST);
    }
    return status;
}
