// From a sequence of moves of a tool to a trajectory of the joints. Moves are taken in groups: up
// to the next move to a pose by the joints, at which a branch is chosen, or move of joints. All
// solutions of inverse kinematics at the begin of a group are followed in turn, the nearest first,
// until one is feasible to its end. Whole revolutions of a joint change nothing, so a branch is
// followed once, and revolutions are chosen by the range that the joint then needs.

#include "planner.h"

#include <linkwork/kinematics.h>

#include "../base/array.h"
#include "../base/report.h"
#include "follow.h"
#include "move.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lw_tool_motion_def lw_default_tool_motion_def(int tool)
{
    const lw_tool_motion_def def = {.base = -1,
                                    .tool = tool,
                                    .hold = -1,
                                    .speed = 0.25,
                                    .acceleration = 1.0,
                                    .jerk = (double)INFINITY,
                                    .angular_speed = 1.0,
                                    .angular_acceleration = 4.0,
                                    .profile = LW_PROFILE_QUINTIC,
                                    .spacing = 1e-3,
                                    .tolerance = 1e-9,
                                    .slowest = 100.0};
    return def;
}

static lw_location location_of(const lwi_planner *p, int move)
{
    return move >= 0 && move < p->def->nmove ? p->def->move[move].location : (lw_location){0};
}

lw_status lwi_plan_error(const lwi_planner *p, lw_status status, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return lwi_report_error(p->report, location_of(p, p->move), status, "move %d: %s", p->move + 1,
                            text);
}

// --- The tool ---------------------------------------------------------------------------------

// Adds the joint with this position, unless it is held or there already.
static void add_active(lwi_planner *p, int position, int held)
{
    const lw_model *m = p->m;
    int v = 0;
    while (v < m->nv && lw_position_of_dof(m, v) != position) {
        ++v;
    }
    for (int k = 0; k < p->n && k < LWI_ACTIVE; ++k) {
        v = p->active[k].q == position ? m->nv : v;
    }
    if (position >= 0 && position != held && v < m->nv) {
        if (p->n < LWI_ACTIVE) {
            p->active[p->n] = (lwi_active){.q = position, .v = v, .limits = p->limits[v]};
        }
        ++p->n;
    }
}

// The solver for the tool, and the joints that move it.
static lw_status take_tool(lwi_planner *p)
{
    const lw_tool_motion_def *def = p->def;
    if (p->ik && p->ik_frame == p->frame) {
        return LW_OK;
    }
    lw_ik_destroy(p->ik);
    p->ik = NULL;
    p->ik_frame = p->frame;
    lw_ik_def chain = lw_default_ik_def(-1, p->frame);
    chain.task = def->task;
    chain.ignores_limits = true;
    chain.redundancy = def->hold >= 0 ? LW_IK_HOLD : LW_IK_FREE;
    chain.hold = def->hold >= 0 ? def->hold : 0;
    // A task with more rows than degrees of freedom is nothing to warn of: paths are judged by
    // whether they are followed exactly.
    lw_status status = lw_ik_create(p->m, &chain, &p->ik, NULL);
    if (status != LW_OK) {
        status = lw_ik_create(p->m, &chain, &p->ik, p->report);
    }
    if (status != LW_OK) {
        return status;
    }
    const lw_ik_info *info = lw_ik_describe(p->ik);
    const int held = info->redundancy == LW_IK_HOLD ? info->position[info->held] : -1;
    p->n = 0;
    for (int i = 0; i < info->njoint; ++i) {
        add_active(p, info->position[i], held);
    }
    for (int i = 0; i < info->ndriven; ++i) {
        add_active(p, info->driven[i], held);
    }
    const int rows = def->task == LW_IK_POSITION ? 3 : 6;
    if (p->n > rows || p->n == 0) {
        return lwi_plan_error(p, LW_ERR_UNSUPPORTED,
                              "\"%s\" is moved by %d joints, but the task has %d rows: hold a "
                              "joint",
                              p->m->frame[p->frame].name, p->n, rows);
    }
    return LW_OK;
}

// --- Parts of the trajectory ------------------------------------------------------------------

static lw_status add_part(lwi_planner *p, lw_trajectory *part)
{
    lw_trajectory **at =
        part ? lwi_array_reserve(p->part, p->npart, &p->part_space, sizeof(lw_trajectory *)) : NULL;
    if (!at) {
        lw_trajectory_destroy(part);
        return lwi_plan_no_memory(p);
    }
    p->part = at;
    p->part[p->npart++] = part;
    return LW_OK;
}

// Positions of the degrees of freedom where the motion is: of p->q, in p->v.
static const double *here(lwi_planner *p)
{
    for (int k = 0; k < p->m->nv; ++k) {
        const int i = lw_position_of_dof(p->m, k);
        p->v[k] = i >= 0 ? p->q[i] : 0.0;
    }
    return p->v;
}

// A move of the joints, from where the motion is; p->q is then its end.
static lw_status add_joint_move(lwi_planner *p, const lw_move *move)
{
    const lw_model *m = p->m;
    const double f = fmin(p->factor, 1.0);
    lw_axis_limits *limits = calloc((size_t)m->nv, sizeof *limits);
    if (!limits) {
        return lwi_plan_no_memory(p);
    }
    for (int k = 0; k < m->nv; ++k) {
        limits[k] = p->limits[k];
        limits[k].velocity *= f;
        limits[k].acceleration *= f * f;
        limits[k].jerk *= f * f * f;
    }
    lw_move own = *move;
    own.location = location_of(p, p->move);
    const lw_trajectory_def def = {.n = m->nv,
                                   .start = here(p),
                                   .limits = limits,
                                   .name = m->velocity_name,
                                   .nmove = 1,
                                   .move = &own};
    lw_trajectory *part = NULL;
    lw_status status = lw_trajectory_create(&def, &part, p->report);
    free(limits);
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < m->nv; ++k) {
        const int i = lw_position_of_dof(m, k);
        if (i >= 0) {
            p->q[i] = part->last[k];
        }
    }
    return add_part(p, part);
}

static lw_status add_rest(lwi_planner *p, double duration)
{
    lw_move wait = lw_default_move();
    wait.type = LW_MOVE_WAIT;
    wait.duration = duration;
    return add_joint_move(p, &wait);
}

// The pieces of a section. Only those at the begin of a span may jump in a derivative.
static lw_status add_section(lwi_planner *p, const lwi_section *section)
{
    const lw_model *m = p->m;
    lw_trajectory *t = lwi_trajectory_allocate(m->nv, (size_t)section->nknot, 0, here(p));
    if (!t) {
        return lwi_plan_no_memory(p);
    }
    for (int k = 0; k < m->nv; ++k) {
        lwi_track_hold(t, k);
    }
    for (int j = 0; j < p->n; ++j) {
        t->track[p->active[j].v].npiece = 0;
    }
    const double *knot = section->knot;
    for (int i = 0; i < section->nspan; ++i) {
        const lwi_span *span = &section->span[i];
        for (int k = 0; k < span->count; ++k, knot += 3 * p->n) {
            const lwi_interval at = lwi_interval_of(span, k);
            for (int j = 0; j < p->n; ++j) {
                lwi_piece piece = lwi_interval_piece(p, knot, &at, j);
                lwi_piece_stretch(&piece, section->slowed);
                piece.c[0] += p->active[j].turn;
                piece.start = (span->u.start + at.h * k) * section->slowed;
                piece.is_smooth = k > 0;
                lwi_track_add(&t->track[p->active[j].v], &piece);
            }
        }
    }
    for (int j = 0; j < p->n; ++j) {
        const lwi_active *a = &p->active[j];
        p->q[a->q] = t->last[a->v] = knot[j] + a->turn;
    }
    t->duration = section->duration * section->slowed;
    return add_part(p, t);
}

// --- Groups -----------------------------------------------------------------------------------

static void clear_sections(lwi_planner *p)
{
    for (int i = 0; i < p->nsection; ++i) {
        free(p->section[i].span);
        free(p->section[i].knot);
    }
    p->nsection = p->nsegment = 0;
}

static void note_slowed(const lwi_planner *p, const lwi_section *section)
{
    static const char *const what[] = {"force", "velocity", "acceleration", "jerk"};
    if (section->slowed > 1.0) {
        const int v =
            section->slowed_order == 0 ? section->slowed_by : p->active[section->slowed_by].v;
        lwi_report_note(p->report, location_of(p, section->move), LW_DIAG_MOTION_SLOWED,
                        "move %d takes %.4g times as long, by the %s limit of \"%s\"",
                        section->move + 1, section->slowed, what[section->slowed_order],
                        p->m->velocity_name[v]);
    }
}

static lw_status plan_sections(lwi_planner *p, const lw_pose *X)
{
    lw_status status = lwi_plan_path(p, *X);
    const int next = p->move;
    p->info.length = 0.0;
    for (int i = 0; i < p->nsection && status == LW_OK; ++i) {
        lwi_section *section = &p->section[i];
        p->move = section->move;
        section->begin = p->info.length;
        status = lwi_plan_speed(p, section);
        for (int k = 0; k < section->nsegment; ++k) {
            const lwi_segment *s = &p->segment[section->first + k];
            p->info.length += (s->end - s->begin) * s->scale;
        }
    }
    p->move = status == LW_OK ? next : p->move;
    return status;
}

// Where the motion goes on, after a branch has been followed to its end.
static lw_status take_branch(lwi_planner *p, const double *start, int to, bool begins)
{
    lw_status status = LW_OK;
    if (start) {
        lwi_choose_turns(p, start);
        double *point = calloc((size_t)p->m->nv, sizeof *point);
        if (!point) {
            return lwi_plan_no_memory(p);
        }
        memcpy(point, here(p), (size_t)p->m->nv * sizeof *point);
        for (int k = 0; k < p->n; ++k) {
            const lwi_active *a = &p->active[k];
            point[a->v] = start[a->q] + a->turn;
            p->q[a->q] = begins ? point[a->v] : p->q[a->q];
        }
        if (!begins) {
            const int next = p->move;
            lw_move move = lw_default_move();
            move.npoint = 1;
            move.point = point;
            p->move = to;
            status = add_joint_move(p, &move);
            p->move = next;
        }
        free(point);
    }
    for (int i = 0; i < p->nsection && status == LW_OK; ++i) {
        const lwi_section *section = &p->section[i];
        note_slowed(p, section);
        status = section->nsegment > 0 ? add_section(p, section) : add_rest(p, section->duration);
    }
    return status;
}

// A group that begins where the motion is, on the branch that it is on.
static lw_status plan_on(lwi_planner *p)
{
    lw_pose X;
    lw_status status = take_tool(p);
    if (status == LW_OK) {
        status = lw_pose_of_frame(p->m, p->d, p->q, p->frame, &X);
    }
    if (status != LW_OK) {
        return status;
    }
    if (p->def->task == LW_IK_POSITION) {
        X.R = lw_mat3_identity();
    }
    status = plan_sections(p, &X);
    if (status == LW_OK) {
        p->best = (lw_tool_motion_info){.position = -1.0, .dof = -1};
        p->info.nbranch = 1;
        status = lwi_try_branch(p, p->q, (lw_ik_branch){.index = -1}, false);
        status = status == LW_ERR_MOTION ? lwi_refuse_path(p) : status;
    }
    return status == LW_OK ? take_branch(p, NULL, 0, false) : status;
}

// A group that begins with a move to a pose by the joints, on any branch.
static lw_status plan_from_pose(lwi_planner *p, bool begins)
{
    const lw_tool_move *to = &p->def->move[p->move];
    const int first = p->move;
    lwi_branch *list = NULL;
    int count = 0;
    lw_status status = lwi_plan_check(p, to);
    if (status == LW_OK) {
        status = take_tool(p);
    }
    if (status != LW_OK) {
        return status;
    }
    const lw_pose X = lwi_plan_pose(p, &to->pose[0]);
    status = lwi_find_branches(p, &X, &list, &count);
    p->best = (lw_tool_motion_info){
        .position = -1.0, .dof = -1, .move = first, .end = LW_TOOL_OUT_OF_REACH};
    ++p->move;
    status = status == LW_OK ? plan_sections(p, &X) : status;
    p->best.length = p->info.length;
    p->info.nbranch = count;
    if (status == LW_OK && count == 0) {
        p->best.position = 0.0;
        status = lwi_refuse_path(p);
    } else if (status == LW_OK) {
        int i = 0;
        while ((status = lwi_try_branch(p, list[i].q, list[i].branch, true)) == LW_ERR_MOTION &&
               i + 1 < count) {
            ++i;
        }
        status = status == LW_ERR_MOTION ? lwi_refuse_path(p) : status;
        status = status == LW_OK ? take_branch(p, list[i].q, first, begins) : status;
    }
    free(list);
    return status;
}

static lw_status plan_all(lwi_planner *p)
{
    const lw_tool_motion_def *def = p->def;
    lw_status status = LW_OK;
    if (def->begins_anywhere && (def->nmove < 1 || def->move[0].type != LW_TOOL_TO)) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT,
                              "a motion that begins anywhere begins with a "
                              "move to a pose");
    }
    while (p->move < def->nmove && status == LW_OK) {
        const lw_tool_move *move = &def->move[p->move];
        clear_sections(p);
        if (move->type == LW_TOOL_TO) {
            status = plan_from_pose(p, p->move == 0 && def->begins_anywhere);
        } else if (move->type == LW_TOOL_JOINTS) {
            status = move->joints ? add_joint_move(p, move->joints)
                                  : lwi_plan_error(p, LW_ERR_ARGUMENT, "it has no move of joints");
            ++p->move;
        } else {
            status = plan_on(p);
        }
    }
    return status;
}

// --- The whole --------------------------------------------------------------------------------

static lw_status check_definition(lwi_planner *p)
{
    const lw_tool_motion_def *def = p->def;
    const double positive[] = {
        def->speed,   def->acceleration, def->jerk,   def->angular_speed, def->angular_acceleration,
        def->spacing, def->tolerance,    def->slowest};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; ++i) {
        if (!(positive[i] > 0.0) || (i != 2 && isinf(positive[i]))) {
            return lwi_report_error(p->report, (lw_location){0}, LW_ERR_NUMBER,
                                    "speeds, accelerations, spacing and tolerance of a tool "
                                    "motion must be positive and finite");
        }
    }
    if (def->profile == LW_PROFILE_S_CURVE && isinf(def->jerk)) {
        return lwi_report_error(p->report, (lw_location){0}, LW_ERR_MOTION,
                                "an S-curve needs a limit of the tool's jerk");
    }
    if (def->task != LW_IK_POSE && def->task != LW_IK_POSITION) {
        return lwi_report_error(p->report, (lw_location){0}, LW_ERR_UNSUPPORTED,
                                "tool motions are of poses or of positions");
    }
    if (def->base >= 0) {
        if (p->m->frame[def->base].body >= 0) {
            return lwi_report_error(p->report, (lw_location){0}, LW_ERR_UNSUPPORTED,
                                    "the base \"%s\" moves", p->m->frame[def->base].name);
        }
        p->X_WB = p->m->frame[def->base].X_BF;
    }
    return LW_OK;
}

static lw_status allocate(lwi_planner *p)
{
    const lw_model *m = p->m;
    const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    p->block = calloc(2 * nq + 10 * nv + (size_t)m->tree_nq + 1, sizeof *p->block);
    p->limits = calloc(nv, sizeof *p->limits);
    if (!p->block || !p->limits || lw_data_create(m, &p->d) != LW_OK) {
        return lwi_plan_no_memory(p);
    }
    p->q = p->block;
    p->at = p->q + nq;
    p->v = p->at + nq;
    p->a = p->v + nv;
    p->tau = p->a + nv;
    p->force = p->tau + nv;
    p->J = p->force + nv;
    p->tree_q = p->J + 6 * nv;
    memcpy(p->q, p->def->start ? p->def->start : m->q_reference, nq * sizeof *p->q);
    for (int k = 0; k < m->nv; ++k) {
        p->limits[k] = p->def->limits ? p->def->limits[k] : lw_dof_limits(m, k);
        // URDF has 0 where the limit is not known.
        const double most = m->dof[m->v_tree[k]].max_force;
        p->force[k] = p->def->force ? p->def->force[k] : most > 0.0 ? most : HUGE_VAL;
    }
    return LW_OK;
}

static void release(lwi_planner *p)
{
    clear_sections(p);
    free(p->section);
    free(p->segment);
    for (int i = 0; i < p->npart; ++i) {
        lw_trajectory_destroy(p->part[i]);
    }
    free(p->part);
    free(p->block);
    free(p->limits);
    lw_ik_destroy(p->ik);
    lw_data_destroy(p->d);
}

lw_status lw_tool_motion_create(const lw_model *m, const lw_tool_motion_def *def,
                                lw_trajectory **trajectory, lw_tool_motion_info *info,
                                lw_report *report)
{
    if (trajectory) {
        *trajectory = NULL;
    }
    if (!m || !def || !trajectory || def->nmove < 0 || (def->nmove > 0 && !def->move) ||
        def->tool < 0 || def->tool >= m->nframe_all || def->base >= m->nframe_all ||
        def->hold >= m->nq || m->nv < 1) {
        return LW_ERR_ARGUMENT;
    }
    lwi_planner p = {.m = m,
                     .def = def,
                     .report = report,
                     .X_WB = lw_pose_identity(),
                     .frame = def->tool,
                     .factor = 1.0,
                     .info = {.move = -1, .dof = -1, .slowed = 1.0, .branch = {.index = -1}}};
    lw_status status = check_definition(&p);
    status = status == LW_OK ? allocate(&p) : status;
    status = status == LW_OK ? plan_all(&p) : status;
    if (status == LW_OK) {
        *trajectory = p.npart == 1 ? p.part[--p.npart]
                                   : lwi_trajectory_join(m->nv, here(&p), p.part, p.npart);
        status = *trajectory ? LW_OK : lwi_plan_no_memory(&p);
    }
    if (info) {
        *info = p.info;
    }
    release(&p);
    return status;
}
