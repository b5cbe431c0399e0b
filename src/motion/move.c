// Moves, as pieces behind those of the moves before: to points in straight lines or together in
// time, and waiting. Arcs and splines are in files of their own.

#include "move.h"

#include "../base/report.h"
#include "../kin/finite.h"

#include <math.h>

lw_move lw_default_move(void)
{
    const lw_move move = {.type = LW_MOVE_TO, .profile = LW_PROFILE_QUINTIC, .axis = {0, 1}};
    return move;
}

lw_status lwi_move_error(const lwi_builder *b, int axis, lw_status status, const char *what)
{
    const lw_location location =
        b->move < b->def->nmove ? b->def->move[b->move].location : (lw_location){0};
    if (axis < 0) {
        return lwi_report_error(b->report, location, status, "move %d: %s", b->move + 1, what);
    }
    if (b->def->name) {
        return lwi_report_error(b->report, location, status, "move %d, \"%s\": %s", b->move + 1,
                                b->def->name[axis], what);
    }
    return lwi_report_error(b->report, location, status, "move %d, coordinate %d: %s", b->move + 1,
                            axis + 1, what);
}

void lwi_track_add(lwi_track *track, const lwi_piece *piece)
{
    track->piece[track->npiece++] = *piece;
}

void lwi_track_hold(lw_trajectory *t, int axis)
{
    const lwi_piece piece = {.start = t->duration, .c = {t->last[axis]}};
    lwi_track_add(&t->track[axis], &piece);
}

bool lwi_is_within(const lw_axis_limits *limits, double x)
{
    return x >= limits->lower && x <= limits->upper;
}

lw_status lwi_track_profile(lwi_builder *b, int track, double offset, double scale,
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

lw_status lwi_check_duration(lwi_builder *b, double wanted, double *shortest)
{
    if (wanted > 0.0) {
        if (wanted < *shortest * (1.0 - 1e-12)) {
            return lwi_move_error(b, -1, LW_ERR_MOTION,
                                  "its duration is too short for the limits of the coordinates");
        }
        *shortest = wanted;
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
    lw_status status = lwi_check_duration(b, move->duration, &duration);
    if (status == LW_OK && is_moving) {
        lwi_profile_stretch(&profile, duration);
    }
    for (int i = 0; i < t->n && status == LW_OK; ++i) {
        if (is_moving && point[i] != t->last[i]) {
            status = lwi_track_profile(b, i, t->last[i], point[i] - t->last[i], &profile);
        } else {
            lwi_track_hold(t, i);
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
    lw_status status = lwi_check_duration(b, move->duration, &longest);
    for (int i = 0; i < t->n && status == LW_OK; ++i) {
        const double way = point[i] - t->last[i];
        lwi_profile own = own_profile(move, fabs(way), &b->def->limits[i]);
        if (own.npiece > 0) {
            lwi_profile_stretch(&own, longest);
            status = lwi_track_profile(b, i, t->last[i], way < 0.0 ? -1.0 : 1.0, &own);
        } else {
            lwi_track_hold(t, i);
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
        status = move->together == LW_SYNCHRONIZE_TIME ? add_together_in_time(b, move, point)
                                                       : add_straight(b, move, point);
    }
    return status;
}
static lw_status add_wait(lwi_builder *b, const lw_move *move)
{
    for (int i = 0; i < b->trajectory->n; ++i) {
        lwi_track_hold(b->trajectory, i);
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
            if (!lwi_is_within(&b->def->limits[i], x)) {
                return lwi_move_error(b, i, LW_ERR_MOTION,
                                      "a point is outside of the limits of position");
            }
        }
    }
    return LW_OK;
}

lw_status lwi_move_add(lwi_builder *b, const lw_move *move)
{
    if (!(move->duration >= 0.0) || !isfinite(move->duration)) {
        return lwi_move_error(b, -1, LW_ERR_NUMBER, "its duration is negative or not finite");
    }
    const bool has_points = move->type == LW_MOVE_TO || move->type == LW_MOVE_THROUGH;
    if ((unsigned)move->profile > LW_PROFILE_QUINTIC ||
        (unsigned)move->together > LW_SYNCHRONIZE_TIME) {
        return lwi_move_error(b, -1, LW_ERR_ARGUMENT, "it has no known profile or synchronization");
    }
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
        return lwi_arc_add(b, move);
    case LW_MOVE_WAIT:
        return add_wait(b, move);
    }
    return lwi_move_error(b, -1, LW_ERR_ARGUMENT, "it is of no known type");
}
