#include "trajectory.h"

#include "../base/report.h"
#include "../kin/finite.h"
#include "../model/kernel.h"
#include "profile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

lw_axis_limits lw_default_axis_limits(void)
{
    const double infinity = (double)INFINITY;
    const lw_axis_limits none = {-infinity, infinity, infinity, infinity, infinity};
    return none;
}

lw_axis_limits lw_freedom_limits(const lw_model *m, int k)
{
    lw_axis_limits limits = lw_default_axis_limits();
    if (m && k >= 0 && k < m->nv) {
        const lw_freedom *freedom = &m->freedom[m->v_tree[k]];
        limits.lower = freedom->lower;
        limits.upper = freedom->upper;
        limits.velocity = freedom->max_velocity;
        limits.acceleration = freedom->max_acceleration;
    }
    return limits;
}

lw_move lw_default_move(void)
{
    const lw_move move = {.type = LW_MOVE_TO, .profile = LW_PROFILE_QUINTIC, .axis = {0, 1}};
    return move;
}

// --- Moves ------------------------------------------------------------------------------------

lw_status lwi_move_error(const lwi_builder *b, int axis, lw_status status, const char *what)
{
    const lw_place place = b->move < b->def->nmove ? b->def->move[b->move].place : (lw_place){0};
    if (axis < 0) {
        return lwi_report_error(b->report, place, status, "move %d: %s", b->move + 1, what);
    }
    if (b->def->name) {
        return lwi_report_error(b->report, place, status, "move %d, \"%s\": %s", b->move + 1,
                                b->def->name[axis], what);
    }
    return lwi_report_error(b->report, place, status, "move %d, coordinate %d: %s", b->move + 1,
                            axis + 1, what);
}

void lwi_track_add(lwi_track *track, const lwi_piece *piece)
{
    track->piece[track->npiece++] = *piece;
}

// Rest at the current place, from now on.
static void hold(lw_trajectory *t, int axis)
{
    const lwi_piece piece = {.start = t->duration, .c = {t->last[axis]}};
    lwi_track_add(&t->track[axis], &piece);
}

static bool is_within(const lw_axis_limits *limits, double x)
{
    return x >= limits->lower && x <= limits->upper;
}

// offset + scale * profile, from now on.
static lw_status add_profile(lwi_builder *b, int track, double offset, double scale,
                             const lwi_profile *profile)
{
    lw_trajectory *t = b->trajectory;
    for (int i = 0; i < profile->npiece; ++i) {
        lwi_piece piece = profile->piece[i];
        piece.start += t->duration;
        for (int k = 0; k <= LWI_DEGREE; ++k) {
            piece.c[k] *= scale;
        }
        piece.c[0] += offset;
        if (!lwi_all_finite(piece.c, LWI_DEGREE + 1) || !isfinite(piece.start)) {
            return lwi_move_error(b, track < t->n ? track : -1, LW_ERR_NUMBER,
                                  "its distance and limits differ by too many powers of ten");
        }
        lwi_track_add(&t->track[track], &piece);
    }
    return LW_OK;
}

// A duration that is asked for: not shorter than the limits allow, but for a rounding.
static lw_status check_duration(lwi_builder *b, double asked, double *shortest)
{
    if (asked > 0.0) {
        if (asked < *shortest * (1.0 - 1e-12)) {
            return lwi_move_error(b, -1, LW_ERR_MOTION,
                                  "its duration is too short for the limits of the coordinates");
        }
        *shortest = asked;
    }
    return LW_OK;
}

static lw_status check_profile(lwi_builder *b, int axis, lw_profile kind)
{
    if (lwi_profile_check(kind, &b->def->limits[axis]) == LW_OK) {
        return LW_OK;
    }
    return lwi_move_error(
        b, axis, LW_ERR_MOTION,
        kind == LW_PROFILE_TRAPEZOID ? "a trapezoid needs a limit of the acceleration"
        : kind == LW_PROFILE_S_CURVE ? "an S-curve needs a limit of the jerk, and of velocity or "
                                       "acceleration"
                                     : "a move needs a limit of velocity, acceleration or jerk");
}

// The shortest time of a trapezoid over the distance 1; v may be infinite.
static double trapezoid_time(double v, double a)
{
    return v * v < a ? 1.0 / v + v / a : 2.0 / sqrt(a);
}

// Where a duration is given, the limits that a profile over the distance 1 misses are chosen so
// that it takes no longer than that, where it can be done within the limits that there are, but not
// much less. What these leave of the duration is shared between ramps of velocity and of
// acceleration.
static lw_axis_limits limits_for_duration(const lw_axis_limits *limits, double duration)
{
    lw_axis_limits chosen = *limits;
    if (isinf(chosen.acceleration)) {
        const double rest = duration - 1.0 / chosen.velocity;
        chosen.acceleration = 8.0 / (duration * duration);
        if (isfinite(chosen.velocity) && rest > 0.0) {
            chosen.acceleration = fmax(chosen.acceleration, 2.0 * chosen.velocity / rest);
        }
    }
    if (isinf(chosen.jerk)) {
        const double rest = duration - trapezoid_time(chosen.velocity, chosen.acceleration);
        chosen.jerk = 100.0 / (duration * duration * duration);
        if (rest > 0.0) {
            chosen.jerk = fmax(chosen.jerk, 2.0 * chosen.acceleration / rest);
        }
    }
    return chosen;
}

// All coordinates in proportion to one profile over the distance 1.
static lw_status add_straight(lwi_builder *b, const lw_move *move, const double *point)
{
    lw_trajectory *t = b->trajectory;
    lw_axis_limits limits = lw_default_axis_limits();
    bool is_moving = false;
    for (int i = 0; i < t->n; ++i) {
        const double distance = fabs(point[i] - t->last[i]);
        if (distance > 0.0) {
            const lw_axis_limits *own = &b->def->limits[i];
            const lw_status status =
                move->duration > 0.0 ? LW_OK : check_profile(b, i, move->profile);
            if (status != LW_OK) {
                return status;
            }
            is_moving = true;
            limits.velocity = fmin(limits.velocity, own->velocity / distance);
            limits.acceleration = fmin(limits.acceleration, own->acceleration / distance);
            limits.jerk = fmin(limits.jerk, own->jerk / distance);
        }
    }
    if (lwi_profile_check(move->profile, &limits) != LW_OK) {
        limits = limits_for_duration(&limits, move->duration);
    }
    lwi_profile profile = lwi_profile_make(move->profile, is_moving ? 1.0 : 0.0, &limits);
    double duration = profile.duration;
    lw_status status = check_duration(b, move->duration, &duration);
    if (status == LW_OK && is_moving) {
        lwi_profile_stretch(&profile, duration);
    }
    for (int i = 0; i < t->n && status == LW_OK; ++i) {
        if (is_moving && point[i] != t->last[i]) {
            status = add_profile(b, i, t->last[i], point[i] - t->last[i], &profile);
        } else {
            hold(t, i);
        }
        t->last[i] = point[i];
    }
    t->duration += duration;
    return status;
}

// The profile of one coordinate alone. Limits that it misses follow from the duration, as above.
static lwi_profile own_profile(const lw_move *move, double distance, const lw_axis_limits *own)
{
    lw_axis_limits limits = *own;
    if (distance > 0.0 && lwi_profile_check(move->profile, own) != LW_OK) {
        limits.velocity /= distance;
        limits.acceleration /= distance;
        limits.jerk /= distance;
        limits = limits_for_duration(&limits, move->duration);
        limits.velocity *= distance;
        limits.acceleration *= distance;
        limits.jerk *= distance;
    }
    return lwi_profile_make(move->profile, distance, &limits);
}

static lw_status add_together_in_time(lwi_builder *b, const lw_move *move, const double *point)
{
    lw_trajectory *t = b->trajectory;
    double longest = 0.0;
    for (int i = 0; i < t->n; ++i) {
        const double distance = fabs(point[i] - t->last[i]);
        if (distance > 0.0) {
            const lw_status status =
                move->duration > 0.0 ? LW_OK : check_profile(b, i, move->profile);
            if (status != LW_OK) {
                return status;
            }
            longest = fmax(longest, own_profile(move, distance, &b->def->limits[i]).duration);
        }
    }
    lw_status status = check_duration(b, move->duration, &longest);
    for (int i = 0; i < t->n && status == LW_OK; ++i) {
        const double way = point[i] - t->last[i];
        lwi_profile own = own_profile(move, fabs(way), &b->def->limits[i]);
        if (own.npiece > 0) {
            lwi_profile_stretch(&own, longest);
            status = add_profile(b, i, t->last[i], way < 0.0 ? -1.0 : 1.0, &own);
        } else {
            hold(t, i);
        }
        t->last[i] = point[i];
    }
    t->duration += longest;
    return status;
}

static lw_status add_points(lwi_builder *b, const lw_move *move)
{
    const int n = b->trajectory->n;
    lw_status status = LW_OK;
    for (int k = 0; k < move->npoint && status == LW_OK; ++k) {
        const double *point = move->point + (size_t)k * (size_t)n;
        status = move->together == LW_TOGETHER_TIME ? add_together_in_time(b, move, point)
                                                    : add_straight(b, move, point);
    }
    return status;
}

// Limits of the angle of an arc. With the angle f and the radius r a coordinate has
//
//   |v| <= r f',   |a| <= r (f'^2 + f''),   |jerk| <= r (f'^3 + 3 f' f'' + f''');
//
// each term gets an equal share of what is allowed.
static lw_axis_limits arc_limits(const lw_axis_limits own[2], double r)
{
    const double v = fmin(own[0].velocity, own[1].velocity) / r;
    const double a = fmin(own[0].acceleration, own[1].acceleration) / r;
    const double j = fmin(own[0].jerk, own[1].jerk) / r;
    lw_axis_limits limits = lw_default_axis_limits();
    limits.velocity = fmin(v, fmin(sqrt(0.5 * a), cbrt(j / 3.0)));
    limits.acceleration = fmin(0.5 * a, j / (9.0 * limits.velocity));
    if (isinf(j)) {
        limits.acceleration = 0.5 * a;
    }
    limits.jerk = j / 3.0;
    return limits;
}

// The extreme values of a circle between two angles, along one coordinate.
static bool arc_is_within(const lw_axis_limits *limits, double center, double radius, double from,
                          double to, double shift)
{
    const double quarter = 1.5707963267948966;
    const double low = fmin(from, to), high = fmax(from, to);
    bool is_good = is_within(limits, center + radius * cos(to - shift));
    for (double k = ceil((low - shift) / (2.0 * quarter)); k * 2.0 * quarter + shift <= high; ++k) {
        is_good = is_good && is_within(limits, center + (fmod(k, 2.0) == 0.0 ? radius : -radius));
    }
    return is_good;
}

static lw_status check_arc(lwi_builder *b, const lw_move *move, double radius, double from)
{
    for (int k = 0; k < 2; ++k) {
        const int i = move->axis[k];
        const double shift = k == 0 ? 0.0 : 1.5707963267948966;
        if (!arc_is_within(&b->def->limits[i], move->center[k], radius, from, from + move->angle,
                           shift)) {
            return lwi_move_error(b, i, LW_ERR_MOTION, "the arc leaves the limits of position");
        }
    }
    return LW_OK;
}

static lw_status add_arc(lwi_builder *b, const lw_move *move)
{
    lw_trajectory *t = b->trajectory;
    const int i = move->axis[0], j = move->axis[1];
    if (i < 0 || j < 0 || i >= t->n || j >= t->n || i == j) {
        return lwi_move_error(b, -1, LW_ERR_ARGUMENT, "an arc needs two different coordinates");
    }
    const double x = t->last[i] - move->center[0], y = t->last[j] - move->center[1];
    const double radius = hypot(x, y), from = atan2(y, x);
    if (!isfinite(radius) || !isfinite(move->angle) || fabs(move->angle) > 1e6) {
        return lwi_move_error(b, -1, LW_ERR_NUMBER, "the arc is not finite");
    }
    if (!(radius > 0.0)) {
        return lwi_move_error(b, -1, LW_ERR_ARGUMENT, "the arc begins in its own centre");
    }
    const lw_axis_limits own[2] = {b->def->limits[i], b->def->limits[j]};
    const lw_axis_limits limits = arc_limits(own, radius);
    lw_status status = check_arc(b, move, radius, from);
    if (status == LW_OK && lwi_profile_check(move->profile, &limits) != LW_OK) {
        status = lwi_move_error(b, -1, LW_ERR_MOTION, "its coordinates have too few limits");
    }
    lwi_profile profile = {0};
    double duration = 0.0;
    if (status == LW_OK) {
        profile = lwi_profile_make(move->profile, fabs(move->angle), &limits);
        duration = profile.duration;
        status = check_duration(b, move->duration, &duration);
    }
    if (status != LW_OK) {
        return status;
    }
    if (profile.npiece > 0) {
        lwi_profile_stretch(&profile, duration);
        lwi_arc *arc = &t->arc[t->narc];
        *arc = (lwi_arc){t->duration, t->duration + duration,
                         {i, j},      {move->center[0], move->center[1]},
                         radius,      t->n + t->narc};
        ++t->narc;
        status = add_profile(b, arc->track, from, move->angle < 0.0 ? -1.0 : 1.0, &profile);
        t->last[i] = move->center[0] + radius * cos(from + move->angle);
        t->last[j] = move->center[1] + radius * sin(from + move->angle);
    }
    for (int k = 0; k < t->n; ++k) {
        hold(t, k); // what the arc covers is looked up there first
    }
    t->duration += duration;
    return status;
}

static lw_status add_wait(lwi_builder *b, const lw_move *move)
{
    for (int i = 0; i < b->trajectory->n; ++i) {
        hold(b->trajectory, i);
    }
    b->trajectory->duration += move->duration;
    return LW_OK;
}

static lw_status check_points(lwi_builder *b, const lw_move *move)
{
    const int n = b->trajectory->n;
    if (move->npoint < 0 || (move->npoint > 0 && !move->point)) {
        return lwi_move_error(b, -1, LW_ERR_ARGUMENT, "it has no points");
    }
    for (int k = 0; k < move->npoint; ++k) {
        for (int i = 0; i < n; ++i) {
            const double x = move->point[(size_t)k * (size_t)n + (size_t)i];
            if (!isfinite(x)) {
                return lwi_move_error(b, i, LW_ERR_NUMBER, "a point is not finite");
            }
            if (!is_within(&b->def->limits[i], x)) {
                return lwi_move_error(b, i, LW_ERR_MOTION,
                                      "a point is outside of the limits of position");
            }
        }
    }
    return LW_OK;
}

static lw_status add_move(lwi_builder *b, const lw_move *move)
{
    if (!(move->duration >= 0.0) || !isfinite(move->duration)) {
        return lwi_move_error(b, -1, LW_ERR_NUMBER, "its duration is negative or not finite");
    }
    const bool has_points = move->type == LW_MOVE_TO || move->type == LW_MOVE_THROUGH;
    const lw_status status = has_points ? check_points(b, move) : LW_OK;
    if (status != LW_OK) {
        return status;
    }
    switch (move->type) {
    case LW_MOVE_TO:
        return add_points(b, move);
    case LW_MOVE_THROUGH:
        return lwi_spline_add(b, move);
    case LW_MOVE_ARC:
        return add_arc(b, move);
    case LW_MOVE_WAIT:
        return add_wait(b, move);
    }
    return lwi_move_error(b, -1, LW_ERR_ARGUMENT, "it is of no known type");
}

// --- Making -----------------------------------------------------------------------------------

static lw_status check_definition(const lwi_builder *b)
{
    const lw_trajectory_def *def = b->def;
    for (int i = 0; i < def->n; ++i) {
        const lw_axis_limits *l = &def->limits[i];
        if (!(l->velocity > 0.0 && l->acceleration > 0.0 && l->jerk > 0.0) ||
            !(l->lower <= l->upper)) {
            return lwi_report_error(b->report, (lw_place){0}, LW_ERR_MOTION,
                                    "coordinate %d: limits must be positive, and the lower end "
                                    "below the upper one",
                                    i + 1);
        }
        if (!isfinite(def->start[i])) {
            return lwi_report_error(b->report, (lw_place){0}, LW_ERR_NUMBER,
                                    "coordinate %d: its start is not finite", i + 1);
        }
        if (!is_within(l, def->start[i])) {
            return lwi_report_error(b->report, (lw_place){0}, LW_ERR_MOTION,
                                    "coordinate %d: its start is outside of its limits", i + 1);
        }
    }
    return LW_OK;
}

// Room for the pieces that one track can need, and how many arcs there are.
static size_t count_pieces(const lw_trajectory_def *def, size_t *narc)
{
    size_t count = 1;
    *narc = 0;
    for (int i = 0; i < def->nmove; ++i) {
        const lw_move *move = &def->move[i];
        const size_t npoint = move->npoint > 0 ? (size_t)move->npoint : 0;
        count += move->type == LW_MOVE_TO ? LWI_PROFILE_PIECES * npoint : npoint + 1;
        *narc += move->type == LW_MOVE_ARC;
    }
    return count;
}

static lw_trajectory *allocate(const lw_trajectory_def *def)
{
    size_t narc;
    const size_t n = (size_t)def->n, npiece = count_pieces(def, &narc);
    lw_trajectory *t = calloc(1, sizeof *t);
    if (!t || npiece > SIZE_MAX / sizeof(lwi_piece) / (n + 1)) {
        free(t);
        return NULL;
    }
    t->n = def->n;
    t->track = calloc(n + narc + 1, sizeof *t->track);
    t->arc = calloc(narc + 1, sizeof *t->arc);
    t->last = calloc(n + 1, sizeof *t->last);
    lwi_piece *piece = calloc(n * npiece + narc * LWI_PROFILE_PIECES + 1, sizeof *piece);
    if (!t->track || !t->arc || !t->last || !piece) {
        free(piece);
        free(t->track);
        free(t->arc);
        free(t->last);
        free(t);
        return NULL;
    }
    t->track[0].piece = piece; // the block of all
    for (size_t i = 1; i < n + narc; ++i) {
        t->track[i].piece = t->track[i - 1].piece + (i <= n ? npiece : LWI_PROFILE_PIECES);
    }
    memcpy(t->last, def->start, n * sizeof *t->last);
    return t;
}

lw_status lw_trajectory_create(const lw_trajectory_def *def, lw_trajectory **trajectory,
                               lw_report *report)
{
    if (trajectory) {
        *trajectory = NULL;
    }
    if (!def || !trajectory || def->n < 1 || !def->start || !def->limits || def->nmove < 0 ||
        (def->nmove > 0 && !def->move)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_builder b = {.def = def, .report = report};
    lw_status status = check_definition(&b);
    if (status != LW_OK) {
        return status;
    }
    b.trajectory = allocate(def);
    if (!b.trajectory) {
        return lwi_report_error(report, (lw_place){0}, LW_ERR_MEMORY, "%s",
                                lw_status_text(LW_ERR_MEMORY));
    }
    for (b.move = 0; b.move < def->nmove && status == LW_OK; ++b.move) {
        status = add_move(&b, &def->move[b.move]);
    }
    if (status != LW_OK) {
        lw_trajectory_destroy(b.trajectory);
        return status;
    }
    *trajectory = b.trajectory;
    return LW_OK;
}

void lw_trajectory_destroy(lw_trajectory *trajectory)
{
    if (trajectory) {
        free(trajectory->track[0].piece);
        free(trajectory->track);
        free(trajectory->arc);
        free(trajectory->last);
        free(trajectory);
    }
}

int lw_trajectory_axes(const lw_trajectory *trajectory)
{
    return trajectory ? trajectory->n : 0;
}

double lw_trajectory_duration(const lw_trajectory *trajectory)
{
    return trajectory ? trajectory->duration : 0.0;
}

int lw_trajectory_breaks(const lw_trajectory *trajectory, double *time, int room)
{
    int count = 0;
    double last = 0.0;
    while (trajectory && last < trajectory->duration) {
        double next = trajectory->duration; // the first begin of a piece behind the last
        for (int i = 0; i < trajectory->n + trajectory->narc; ++i) {
            const lwi_track *track = &trajectory->track[i];
            int low = 0, high = track->npiece;
            while (low < high) {
                const int middle = low + (high - low) / 2;
                if (track->piece[middle].start > last) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            next = low < track->npiece ? fmin(next, track->piece[low].start) : next;
        }
        if (time && count < room) {
            time[count] = next;
        }
        ++count;
        last = next;
    }
    return count;
}

// --- Evaluation -------------------------------------------------------------------------------

static void track_at(const lwi_track *track, double t, double x[4])
{
    int low = 0, high = track->npiece; // the last piece that has begun
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (track->piece[middle].start <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    lwi_piece_at(&track->piece[low], t - track->piece[low].start, x);
}

static void put(double *const out[4], int i, const double x[4])
{
    for (int k = 0; k < 4; ++k) {
        if (out[k]) {
            out[k][i] = x[k];
        }
    }
}

static void arc_at(const lw_trajectory *trajectory, const lwi_arc *arc, double t,
                   double *const out[4])
{
    double f[4];
    track_at(&trajectory->track[arc->track], t, f);
    const double c = cos(f[0]), s = sin(f[0]);
    for (int k = 0; k < 2; ++k) {
        const double along = arc->radius * (k == 0 ? c : s); // f(angle)
        const double across = arc->radius * (k == 0 ? -s : c);
        const double x[4] = {
            arc->center[k] + along,
            across * f[1],
            across * f[2] - along * f[1] * f[1],
            across * (f[3] - f[1] * f[1] * f[1]) - 3.0 * along * f[1] * f[2],
        };
        put(out, arc->axis[k], x);
    }
}

lw_status lw_trajectory_at(const lw_trajectory *trajectory, double t, double *q, double *v,
                           double *a, double *jerk)
{
    if (!trajectory) {
        return LW_ERR_ARGUMENT;
    }
    if (isnan(t)) {
        return LW_ERR_NUMBER;
    }
    double *const out[4] = {q, v, a, jerk};
    const bool is_before = t < 0.0;
    t = is_before ? 0.0 : t;
    const bool is_over = t >= trajectory->duration;
    for (int i = 0; i < trajectory->n; ++i) {
        double x[4] = {trajectory->last[i], 0.0, 0.0, 0.0};
        if (!is_over) {
            track_at(&trajectory->track[i], t, x);
        }
        put(out, i, x);
    }
    for (int k = 0; k < trajectory->narc; ++k) {
        const lwi_arc *arc = &trajectory->arc[k];
        if (t >= arc->begin && t < arc->end) {
            arc_at(trajectory, arc, t, out);
        }
    }
    for (int k = 1; k < 4 && is_before; ++k) { // at rest
        if (out[k]) {
            memset(out[k], 0, (size_t)trajectory->n * sizeof(double));
        }
    }
    return LW_OK;
}

int lw_position_of_freedom(const lw_model *m, int k)
{
    if (!m || k < 0 || k >= m->nv) {
        return -1;
    }
    int shift = 0; // quaternions have one number more in q than in v
    for (int i = 0; i < m->kernel->nquat; ++i) {
        const lwi_quat_at *at = &m->kernel->quat[i];
        const bool is_free = m->carrier[at->body] == LW_TREE_FREE;
        if (k >= at->v && k < at->v + (is_free ? 6 : 3)) {
            return -1;
        }
        shift += k > at->v;
    }
    return k + shift;
}

lw_status lw_trajectory_state(const lw_trajectory *trajectory, const lw_model *m, double t,
                              double *q, double *v, double *a)
{
    if (!trajectory || !m || !q || trajectory->n != m->nv) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lw_trajectory_at(trajectory, t, q, v, a, NULL); // nq >= nv
    if (status != LW_OK || m->nq == m->nv) {
        return status;
    }
    for (int k = m->nv - 1; k >= 0; --k) { // downward: the place in q is never before that in v
        const int i = lw_position_of_freedom(m, k);
        if (i >= 0) {
            q[i] = q[k];
        } else {
            if (v) {
                v[k] = 0.0;
            }
            if (a) {
                a[k] = 0.0;
            }
        }
    }
    for (int i = 0; i < m->kernel->nquat; ++i) {
        const lwi_quat_at *at = &m->kernel->quat[i];
        const int first = at->q - (m->carrier[at->body] == LW_TREE_FREE ? 3 : 0);
        for (int k = first; k < at->q + 4; ++k) {
            q[k] = m->q_reference[k];
        }
    }
    return LW_OK;
}
