// Motions from rest to rest. The S-curve is the double S of Biagiotti and Melchiorri (2008),
// section 3.4, for velocities that are zero at both ends: seven phases of constant jerk, of which
// some may have no length.

#include "profile.h"

#include <math.h>

lw_status lwi_profile_check(lw_profile kind, const lw_axis_limits *limits)
{
    const bool has_v = isfinite(limits->velocity), has_a = isfinite(limits->acceleration);
    const bool has_j = isfinite(limits->jerk);
    switch (kind) {
    case LW_PROFILE_TRAPEZOID:
        return has_a ? LW_OK : LW_ERR_MOTION;
    case LW_PROFILE_S_CURVE:
        return has_j && (has_a || has_v) ? LW_OK : LW_ERR_MOTION;
    default:
        return has_v || has_a || has_j ? LW_OK : LW_ERR_MOTION;
    }
}

// Adds a phase in which derivative number 2 (acceleration) or 3 (jerk) is constant.
static void add_phase(lwi_profile *p, double state[3], double length, int order, double value)
{
    if (!(length > 0.0)) {
        return;
    }
    lwi_piece *piece = &p->piece[p->npiece++];
    *piece = (lwi_piece){.start = p->duration, .c = {state[0], state[1]}};
    if (order == 2) {
        piece->c[2] = 0.5 * value;
    } else {
        piece->c[2] = 0.5 * state[2];
        piece->c[3] = value / 6.0;
    }
    double x[4];
    lwi_piece_at(piece, length, x);
    for (int i = 0; i < 3; ++i) {
        state[i] = x[i];
    }
    p->duration += length;
}

static lwi_profile trapezoid(double distance, double v, double a)
{
    lwi_profile p = {0};
    double state[3] = {0.0};
    double rise = v / a, cruise = distance / v - rise;
    if (!(cruise > 0.0)) { // too short to reach v, or v is infinite
        rise = sqrt(distance / a);
        cruise = 0.0;
        v = a * rise;
    }
    add_phase(&p, state, rise, 2, a);
    state[1] = v;
    add_phase(&p, state, cruise, 2, 0.0);
    add_phase(&p, state, rise, 2, -a);
    return p;
}

static lwi_profile s_curve(double distance, double v, double a, double j)
{
    // Ramp: the time in which the jerk acts; rise: that until the largest velocity.
    double ramp = a / j, rise = ramp + v / a;
    if (!(v * j >= a * a)) { // v is reached before a
        ramp = sqrt(v / j);
        rise = 2.0 * ramp;
    }
    double cruise = distance / v - rise;
    if (!(cruise > 0.0)) { // v is not reached
        cruise = 0.0;
        ramp = a / j;
        rise = 0.5 * ramp + sqrt(0.25 * ramp * ramp + distance / a);
        if (!(distance >= 2.0 * a * ramp * ramp)) { // nor is a
            ramp = cbrt(0.5 * distance / j);
            rise = 2.0 * ramp;
        }
    }
    // From the times, and not from the limits, so that the distance is covered to the last digits.
    const double peak = distance / (rise + cruise) / (rise - ramp), jerk = peak / ramp;
    lwi_profile p = {0};
    double state[3] = {0.0};
    add_phase(&p, state, ramp, 3, jerk);
    add_phase(&p, state, rise - 2.0 * ramp, 3, 0.0);
    add_phase(&p, state, ramp, 3, -jerk);
    state[2] = 0.0;
    add_phase(&p, state, cruise, 3, 0.0);
    add_phase(&p, state, ramp, 3, -jerk);
    add_phase(&p, state, rise - 2.0 * ramp, 3, 0.0);
    add_phase(&p, state, ramp, 3, jerk);
    return p;
}

static lwi_profile quintic(double distance, const lw_axis_limits *limits)
{
    // The largest derivatives of 10 u^3 - 15 u^4 + 6 u^5: 15/8, 10/sqrt(3), 60.
    const double T1 = 1.875 * distance / limits->velocity;
    const double T2 = sqrt(10.0 / sqrt(3.0) * distance / limits->acceleration);
    const double T3 = cbrt(60.0 * distance / limits->jerk);
    const double h = fmax(T1, fmax(T2, T3));
    lwi_profile p = {.npiece = 1, .duration = h};
    p.piece[0].c[3] = 10.0 * distance / (h * h * h);
    p.piece[0].c[4] = -15.0 * distance / (h * h * h * h);
    p.piece[0].c[5] = 6.0 * distance / (h * h * h * h * h);
    return p;
}

lwi_profile lwi_profile_make(lw_profile kind, double distance, const lw_axis_limits *limits)
{
    if (!(distance > 0.0)) {
        return (lwi_profile){0};
    }
    if (kind == LW_PROFILE_TRAPEZOID) {
        return trapezoid(distance, limits->velocity, limits->acceleration);
    }
    if (kind == LW_PROFILE_S_CURVE) {
        return s_curve(distance, limits->velocity, limits->acceleration, limits->jerk);
    }
    return quintic(distance, limits);
}

void lwi_profile_stretch(lwi_profile *profile, double duration)
{
    const double factor = duration / profile->duration;
    for (int i = 0; i < profile->npiece; ++i) {
        profile->piece[i].start *= factor;
        lwi_piece_stretch(&profile->piece[i], factor);
    }
    profile->duration = duration;
}
