// Moves along an arc: two coordinates are those of a point on a circle, whose angle follows a
// profile.

#include "move.h"

#include "../math/pi.h"

#include <math.h>

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
    const double low = fmin(from, to), high = fmax(from, to);
    bool is_good = lwi_is_within(limits, center + radius * cos(to - shift));
    for (double k = ceil((low - shift) / (LWI_PI)); k * LWI_PI + shift <= high; ++k) {
        is_good =
            is_good && lwi_is_within(limits, center + (fmod(k, 2.0) == 0.0 ? radius : -radius));
    }
    return is_good;
}

static lw_status check_arc(lwi_builder *b, const lw_move *move, double radius, double from)
{
    for (int k = 0; k < 2; ++k) {
        const int i = move->axis[k];
        const double shift = k == 0 ? 0.0 : 0.5 * LWI_PI;
        if (!arc_is_within(&b->def->limits[i], move->center[k], radius, from, from + move->angle,
                           shift)) {
            return lwi_move_error(b, i, LW_ERR_MOTION, "the arc leaves the limits of position");
        }
    }
    return LW_OK;
}

lw_status lwi_arc_add(lwi_builder *b, const lw_move *move)
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
        status = lwi_check_duration(b, move->duration, &duration);
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
        status = lwi_track_profile(b, arc->track, from, move->angle < 0.0 ? -1.0 : 1.0, &profile);
        t->last[i] = move->center[0] + radius * cos(from + move->angle);
        t->last[j] = move->center[1] + radius * sin(from + move->angle);
    }
    for (int k = 0; k < t->n; ++k) {
        lwi_track_hold(t, k); // what the arc covers is looked up there first
    }
    t->duration += duration;
    return status;
}
