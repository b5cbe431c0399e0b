// From moves to segments. A blend joins two segments by quintics in position and rotation vector
// with the derivatives of both at its ends, over twice its distance: for two lines that is the
// curve whose direction goes smoothly from the one to the other, within the triangle of the corner.

#include "planner.h"

#include "../base/array.h"
#include "../kin/finite.h"
#include "move.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- What moves must be -----------------------------------------------------------------------

static lw_status check_pose(const lwi_planner *p, const lw_pose *X)
{
    double worst = 0.0;
    if (!lwi_is_point(&X->p) || !lwi_is_point(&X->R.row[0]) || !lwi_is_point(&X->R.row[1]) ||
        !lwi_is_point(&X->R.row[2])) {
        return lwi_plan_error(p, LW_ERR_NUMBER, "a pose is not finite");
    }
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 c = lw_cross3(X->R.row[i], X->R.row[(i + 1) % 3]);
        worst = fmax(worst, lw_norm3(lw_sub3(c, X->R.row[(i + 2) % 3])));
    }
    return worst < 1e-6 ? LW_OK : lwi_plan_error(p, LW_ERR_ARGUMENT, "a pose is no rotation");
}

lw_pose lwi_plan_pose(const lwi_planner *p, const lw_pose *X)
{
    lw_pose X_W = lw_pose_mul(&p->X_WB, X);
    X_W.R =
        p->def->task == LW_IK_POSITION ? lw_mat3_identity() : lw_rotation_quat(lw_quat_of(&X_W.R));
    return X_W;
}

static lw_status check_turn(const lwi_planner *p, const lwi_segment *s)
{
    if (s->angle > 3.14159) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT,
                              "it rotates the tool by half a revolution, which has no shortest "
                              "way: give a pose between");
    }
    return LW_OK;
}

lw_status lwi_plan_check(const lwi_planner *p, const lw_tool_move *move)
{
    if (!(move->speed >= 0.0) || !isfinite(move->speed) || !(move->blend >= 0.0) ||
        !isfinite(move->blend)) {
        return lwi_plan_error(p, LW_ERR_NUMBER, "its speed or blend is negative or not finite");
    }
    const int least = move->type == LW_TOOL_CIRCLE ? 2 : 1;
    if (!move->pose || move->npose < least ||
        (move->npose > least && move->type != LW_TOOL_SPLINE)) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT, "it has %d poses, and needs %d", move->npose,
                              least);
    }
    lw_status status = LW_OK;
    for (int i = 0; i < move->npose && status == LW_OK; ++i) {
        status = check_pose(p, &move->pose[i]);
    }
    return status;
}

// --- Segments ---------------------------------------------------------------------------------

// Adds a segment of the current move, with its largest speed and acceleration.
static lw_status add_segment(lwi_planner *p, lwi_segment s, double speed)
{
    enum { SAMPLES = 16 };
    const lw_tool_motion_def *def = p->def;
    lwi_segment *at =
        lwi_array_reserve(p->segment, p->nsegment, &p->segment_space, sizeof *p->segment);
    if (!at) {
        return lwi_plan_no_memory(p);
    }
    p->segment = at;
    s.move = p->move;
    s.speed = s.acceleration = s.jerk = (double)INFINITY;
    for (int i = 0; i <= SAMPLES; ++i) {
        lwi_path_point x;
        lwi_segment_at(&s, s.begin + (s.end - s.begin) * i / SAMPLES, &x);
        const double way = lw_norm3(x.d1.lin), turn = lw_norm3(x.d1.ang);
        const double bend = lw_norm3(x.d2.lin), twist = lw_norm3(x.d2.ang);
        s.scale = fmax(s.scale, way);
        s.speed = fmin(s.speed, fmin(speed / way, p->factor * def->angular_speed / turn));
        s.speed =
            fmin(s.speed, sqrt(fmin(def->acceleration / bend, def->angular_acceleration / twist)));
        s.acceleration =
            fmin(s.acceleration, fmin(def->acceleration / way, def->angular_acceleration / turn));
        s.jerk = fmin(s.jerk, def->jerk / way);
    }
    at[p->nsegment++] = s;
    return isfinite(s.speed) && s.speed > 0.0 && s.acceleration > 0.0 && isfinite(s.end)
               ? LW_OK
               : lwi_plan_error(p, LW_ERR_NUMBER,
                                "its lengths and speeds differ by too many powers of ten");
}

static double speed_of(const lwi_planner *p, const lw_tool_move *move)
{
    return p->factor * (move->speed > 0.0 ? move->speed : p->def->speed);
}

static lw_status add_line(lwi_planner *p, const lw_tool_move *move, lw_pose *X)
{
    const lw_pose to = lwi_plan_pose(p, &move->pose[0]);
    const lwi_segment s = lwi_segment_line(X, &to);
    if (!(s.way > 1e-12 || s.angle > 1e-12)) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT, "it has no length: the tool is there already");
    }
    const lw_status status = check_turn(p, &s);
    *X = to;
    return status == LW_OK ? add_segment(p, s, speed_of(p, move)) : status;
}

static lw_status add_circle(lwi_planner *p, const lw_tool_move *move, lw_pose *X)
{
    const lw_vec3 through = lw_pose_apply(&p->X_WB, move->pose[0].p);
    const lw_pose to = lwi_plan_pose(p, &move->pose[1]);
    lwi_segment s;
    if (!lwi_segment_arc(X, through, &to, &s)) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT,
                              "its three points are on a line, or two of them are one");
    }
    const lw_status status = check_turn(p, &s);
    *X = to;
    return status == LW_OK ? add_segment(p, s, speed_of(p, move)) : status;
}

// --- Splines ----------------------------------------------------------------------------------

/// Work of one spline: the points with their derivatives, and what they are made of.
typedef struct spline_work {
    lwi_path_point *point; ///< [npose+1]
    double *way;           ///< [6*npose] position and rotation of each leg
    double *h;             ///< [npose]
    double *rate;          ///< [npose+1] of one coordinate
    double *diagonal;      ///< [npose+1]
} spline_work;

// Lengths of the parameter: how far it is, where 0.1 m count as a radian; or the times.
static lw_status measure_legs(lwi_planner *p, const lw_tool_move *move, spline_work *w)
{
    for (int k = 0; k < move->npose; ++k) {
        const lwi_path_point *a = &w->point[k], *b = &w->point[k + 1];
        const lw_vec3 d = lw_sub3(b->X.p, a->X.p), r = lwi_rotation_between(&a->X.R, &b->X.R);
        const lw_vec3 turn = lw_rotate(&a->X.R, r);
        const double all[6] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
        for (int i = 0; i < 6; ++i) {
            w->way[6 * k + i] = all[i];
        }
        w->h[k] = hypot(lw_norm3(d), 0.1 * lw_norm3(r));
        if (!(w->h[k] > 1e-12) && !move->time) {
            return lwi_plan_error(p, LW_ERR_ARGUMENT, "pose %d is the same as the one before",
                                  k + 1);
        }
        if (lw_norm3(r) > 3.14159) {
            return lwi_plan_error(p, LW_ERR_ARGUMENT,
                                  "up to pose %d the tool rotates by half a revolution, which has "
                                  "no shortest way",
                                  k + 1);
        }
        if (move->time) {
            const double before = k > 0 ? move->time[k - 1] : 0.0;
            if (!isfinite(move->time[k]) || !(move->time[k] > before)) {
                return lwi_plan_error(p, LW_ERR_NUMBER,
                                      "its times must be finite, positive and increasing: that "
                                      "of pose %d is not",
                                      k + 1);
            }
            w->h[k] = move->time[k] - before;
        }
    }
    return LW_OK;
}

static void set_component(lw_vec3 *a, int i, double x)
{
    *(i == 0 ? &a->x : i == 1 ? &a->y : &a->z) = x;
}

// First and second derivatives at the points: those of cubic splines in each coordinate.
static void find_rates(const lw_tool_move *move, spline_work *w)
{
    for (int i = 0; i < 6; ++i) {
        const double *way = w->way + i;
        lwi_spline_velocities(move->npose, w->h, way, 6, move->time != NULL, w->rate, w->diagonal);
        for (int k = 0; k <= move->npose; ++k) {
            lw_vec3 *d1 = i < 3 ? &w->point[k].d1.lin : &w->point[k].d1.ang;
            lw_vec3 *d2 = i < 3 ? &w->point[k].d2.lin : &w->point[k].d2.ang;
            set_component(d1, i % 3, w->rate[k]);
            set_component(d2, i % 3,
                          lwi_spline_acceleration(move->npose, w->h, way, 6, w->rate, k));
        }
    }
}

// The slowest of the last segments gives the pace of all: a speed that changed by next to nothing
// from span to span would need ramps of next to no time, in which roundings are accelerations.
static void share_pace(lwi_planner *p, int count)
{
    if (p->nsegment == 0) {
        return; // of a path that is refused
    }
    lwi_segment *s = p->segment + p->nsegment;
    for (int i = 2; i <= count && i <= p->nsegment; ++i) {
        s[-1].speed = fmin(s[-1].speed, s[-i].speed);
        s[-1].acceleration = fmin(s[-1].acceleration, s[-i].acceleration);
        s[-1].jerk = fmin(s[-1].jerk, s[-i].jerk);
    }
    for (int i = 2; i <= count && i <= p->nsegment; ++i) {
        s[-i].speed = s[-1].speed;
        s[-i].acceleration = s[-1].acceleration;
        s[-i].jerk = s[-1].jerk;
    }
}

static lw_status add_spline(lwi_planner *p, const lw_tool_move *move, lw_pose *X)
{
    const size_t count = (size_t)move->npose + 1;
    spline_work w = {.point = calloc(count, sizeof *w.point)};
    double *block = calloc(count, 9 * sizeof *block);
    lw_status status = LW_OK;
    if (!w.point || !block) {
        status = lwi_plan_no_memory(p);
        goto done;
    }
    w.way = block;
    w.h = w.way + 6 * count;
    w.rate = w.h + count;
    w.diagonal = w.rate + count;
    w.point[0].X = *X;
    for (int k = 0; k < move->npose; ++k) {
        w.point[k + 1].X = lwi_plan_pose(p, &move->pose[k]);
    }
    status = measure_legs(p, move, &w);
    if (status == LW_OK) {
        find_rates(move, &w);
    }
    for (int k = 0; k < move->npose && status == LW_OK; ++k) {
        lwi_segment s = lwi_segment_between(&w.point[k].X.R, &w.point[k], &w.point[k + 1], w.h[k]);
        status = add_segment(p, s, speed_of(p, move));
    }
    share_pace(p, move->npose);
    *X = w.point[move->npose].X;

done:
    free(w.point);
    free(block);
    return status;
}

// --- Blends -----------------------------------------------------------------------------------

// What is left of a segment for one more blend.
static lw_status cut(const lwi_planner *p, lwi_segment *s, double blend, bool at_end)
{
    const double left = s->end - s->begin;
    if (!(s->way > 0.0)) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT,
                              "a blend needs a way before and behind it, not a rotation alone");
    }
    if (blend > left * (1.0 + 1e-12)) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT,
                              "its blend of %g m is larger than the %g m that the segment %s has "
                              "for it",
                              blend, left, at_end ? "before it" : "behind it");
    }
    if (at_end) {
        s->end -= fmin(blend, left);
    } else {
        s->begin += fmin(blend, left);
    }
    return LW_OK;
}

// Puts a blend between segment k and the next.
static lw_status add_blend(lwi_planner *p, int k, double blend)
{
    lwi_path_point corner, from, to;
    lwi_segment_at(&p->segment[k], p->segment[k].end, &corner);
    lw_status status = cut(p, &p->segment[k], blend, true);
    if (status == LW_OK) {
        status = cut(p, &p->segment[k + 1], blend, false);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_segment_at(&p->segment[k], p->segment[k].end, &from);
    lwi_segment_at(&p->segment[k + 1], p->segment[k + 1].begin, &to);
    const lwi_segment s = lwi_segment_between(&corner.X.R, &from, &to, 2.0 * blend);
    const double speed = fmin(p->segment[k].speed * p->segment[k].scale,
                              p->segment[k + 1].speed * p->segment[k + 1].scale);
    status = add_segment(p, s, speed);
    if (status == LW_OK) { // between the two
        const lwi_segment last = p->segment[p->nsegment - 1];
        memmove(&p->segment[k + 2], &p->segment[k + 1],
                (size_t)(p->nsegment - k - 2) * sizeof last);
        p->segment[k + 1] = last;
    }
    return status;
}

// --- Sections ---------------------------------------------------------------------------------

static lwi_section *add_section(lwi_planner *p)
{
    lwi_section *at =
        lwi_array_reserve(p->section, p->nsection, &p->section_space, sizeof *p->section);
    if (!at) {
        lwi_plan_no_memory(p);
        return NULL;
    }
    p->section = at;
    lwi_section *section = &at[p->nsection++];
    *section =
        (lwi_section){.move = p->move, .frame = p->frame, .first = p->nsegment, .slowed = 1.0};
    return section;
}

static lw_status add_wait(lwi_planner *p, const lw_tool_move *move)
{
    if (!(move->duration >= 0.0) || !isfinite(move->duration)) {
        return lwi_plan_error(p, LW_ERR_NUMBER, "its duration is negative or not finite");
    }
    lwi_section *section = add_section(p);
    if (section) {
        section->duration = move->duration;
    }
    return section ? LW_OK : LW_ERR_MEMORY;
}

static bool is_path(const lw_tool_move *move)
{
    return move->type == LW_TOOL_LINE || move->type == LW_TOOL_CIRCLE ||
           move->type == LW_TOOL_SPLINE;
}

static lw_status add_override(lwi_planner *p, const lw_tool_move *move)
{
    if (!(move->factor > 0.0) || !isfinite(move->factor)) {
        return lwi_plan_error(p, LW_ERR_NUMBER, "its factor is %g, must be positive and finite",
                              move->factor);
    }
    p->factor = move->factor;
    return LW_OK;
}

static lw_status add_path_move(lwi_planner *p, const lw_tool_move *move, lw_pose *X)
{
    const lw_status status = lwi_plan_check(p, move);
    return status != LW_OK                ? status
           : move->type == LW_TOOL_LINE   ? add_line(p, move, X)
           : move->type == LW_TOOL_CIRCLE ? add_circle(p, move, X)
                                          : add_spline(p, move, X);
}

// Moves from one rest to the next: p->move is then the last of them.
static lw_status add_blended(lwi_planner *p, lw_pose *X)
{
    const lw_tool_move *move = p->def->move;
    lwi_section *section = add_section(p);
    if (!section) {
        return LW_ERR_MEMORY;
    }
    double blend = 0.0;
    lw_status status = LW_OK;
    section->is_timed = move[p->move].type == LW_TOOL_SPLINE && move[p->move].time;
    for (bool goes_on = true; goes_on && status == LW_OK;) {
        const int last = p->nsegment - 1;
        const bool is_timed = move[p->move].type == LW_TOOL_SPLINE && move[p->move].time;
        status = add_path_move(p, &move[p->move], X);
        if (status == LW_OK && is_timed && (blend > 0.0 || move[p->move].blend > 0.0)) {
            status = lwi_plan_error(p, LW_ERR_ARGUMENT,
                                    "a spline with times begins and ends at rest; it has no blend");
        }
        if (status == LW_OK && blend > 0.0) {
            const int here = p->move;
            p->move = p->segment[last].move; // the blend is its own
            status = add_blend(p, last, blend);
            p->move = here;
        }
        blend = move[p->move].blend;
        goes_on = blend > 0.0 && status == LW_OK;
        while (goes_on && p->move + 1 < p->def->nmove &&
               move[p->move + 1].type == LW_TOOL_OVERRIDE && status == LW_OK) {
            ++p->move;
            status = add_override(p, &move[p->move]);
        }
        if (goes_on && (p->move + 1 >= p->def->nmove || !is_path(&move[p->move + 1]))) {
            return lwi_plan_error(p, LW_ERR_ARGUMENT,
                                  "its blend needs a line, circle or spline behind it");
        }
        p->move += goes_on;
    }
    section = &p->section[p->nsection - 1];
    section->nsegment = p->nsegment - section->first;
    return status;
}

// The new tool must be fixed to the body of the old one: its pose is then known on every branch.
static lw_status change_tool(lwi_planner *p, const lw_tool_move *move, lw_pose *X)
{
    const lw_model *m = p->m;
    if (move->frame < 0 || move->frame >= m->nframe_all) {
        return lwi_plan_error(p, LW_ERR_ARGUMENT, "there is no frame %d", move->frame);
    }
    const lw_frame_info *from = &m->frame[p->frame], *to = &m->frame[move->frame];
    if (from->body != to->body) {
        return lwi_plan_error(p, LW_ERR_UNSUPPORTED,
                              "\"%s\" is not fixed to the link of \"%s\": go there by a move of "
                              "the joints first",
                              to->name, from->name);
    }
    const lw_pose back = lw_pose_inverse(&from->X_BF), X_FG = lw_pose_mul(&back, &to->X_BF);
    *X = lw_pose_mul(X, &X_FG);
    p->frame = move->frame;
    return LW_OK;
}

lw_status lwi_plan_path(lwi_planner *p, lw_pose X)
{
    const lw_tool_move *move = p->def->move;
    lw_status status = LW_OK;
    for (; p->move < p->def->nmove && status == LW_OK; ++p->move) {
        switch (move[p->move].type) {
        case LW_TOOL_JOINTS:
        case LW_TOOL_TO:
            return LW_OK;
        case LW_TOOL_LINE:
        case LW_TOOL_CIRCLE:
        case LW_TOOL_SPLINE:
            status = add_blended(p, &X);
            break;
        case LW_TOOL_WAIT:
            status = add_wait(p, &move[p->move]);
            break;
        case LW_TOOL_CHANGE:
            status = change_tool(p, &move[p->move], &X);
            break;
        case LW_TOOL_OVERRIDE:
            status = add_override(p, &move[p->move]);
            break;
        default:
            return lwi_plan_error(p, LW_ERR_ARGUMENT, "it is of no known type");
        }
    }
    return status;
}
