// The law of time of a section: from rest to rest, as fast as the speed of each segment allows.
//
// Speeds change by ramps whose distance is the mean of both speeds times their duration. At the
// ends of segments the largest speeds are found for which every ramp fits into its segment: once
// from the begin, once from the end. Within a segment the speed rises, stays and falls.

#include "planner.h"

#include "profile.h"

#include <math.h>
#include <stdlib.h>

/// How a segment may be passed.
typedef struct pace {
    lw_profile profile;
    double speed, acceleration, jerk;
} pace;

// A ramp of the speed by `change`, as a profile whose "position" is the speed.
static lwi_profile ramp_of(const pace *p, double change)
{
    lw_axis_limits limits = lw_default_axis_limits();
    limits.velocity = p->acceleration;
    limits.acceleration = p->jerk;
    lwi_profile ramp = {0};
    if (!(change > 1e-12 * p->speed)) { // speeds that differ by roundings are the same
        return ramp;
    }
    if (p->profile == LW_PROFILE_S_CURVE) {
        return lwi_profile_make(LW_PROFILE_TRAPEZOID, change, &limits);
    }
    ramp.npiece = 1;
    if (p->profile == LW_PROFILE_TRAPEZOID) {
        ramp.duration = change / p->acceleration;
        ramp.piece[0].c[1] = p->acceleration;
        return ramp;
    }
    // 3 x^2 - 2 x^3: its largest derivatives are 3/2 and 6.
    const double T = fmax(1.5 * change / p->acceleration, sqrt(6.0 * change / p->jerk));
    ramp.duration = T;
    ramp.piece[0].c[2] = 3.0 * change / (T * T);
    ramp.piece[0].c[3] = -2.0 * change / (T * T * T);
    return ramp;
}

static double ramp_distance(const pace *p, double from, double to)
{
    return 0.5 * (from + to) * ramp_of(p, fabs(to - from)).duration;
}

// The largest speed up to `most` that a ramp from `from` (and then one to `end`, unless that is
// negative) leaves within the distance.
static double reached_speed(const pace *p, double from, double end, double distance, double most)
{
    double low = fmax(from, end), high = most;
    for (int i = 0; i < 80 && high > low; ++i) {
        const double middle = i == 0 ? high : 0.5 * (low + high);
        const double need =
            ramp_distance(p, from, middle) + (end >= 0.0 ? ramp_distance(p, middle, end) : 0.0);
        if (need <= distance) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static pace pace_of(const lwi_planner *p, const lwi_section *section, int k)
{
    const lwi_segment *s = &p->segment[section->first + k];
    return (pace){p->def->profile, s->speed, s->acceleration, s->jerk};
}

static double length_of(const lwi_planner *p, const lwi_section *section, int k)
{
    const lwi_segment *s = &p->segment[section->first + k];
    return s->end - s->begin;
}

// --- Spans ------------------------------------------------------------------------------------

// As many intervals as the spacing asks for; at least four, because few would not show a ramp.
static int interval_count(const lwi_planner *p, const lwi_segment *s, double length)
{
    const double all = s->end - s->begin, share = all > 0.0 ? length / all : 0.0;
    const double count = ceil(fmax(length * s->scale, s->angle * share) / p->def->spacing);
    return count < 4.0 ? 4 : count < 1e6 ? (int)count : 1000000;
}

static void add_span(const lwi_planner *p, lwi_section *section, int k, lwi_piece u,
                     double duration)
{
    if (!(duration > 0.0)) {
        return;
    }
    const int segment = section->first + k;
    double x[4];
    lwi_piece_at(&u, duration, x);
    u.start = section->duration;
    section->span[section->nspan++] =
        (lwi_span){u, duration, segment, interval_count(p, &p->segment[segment], x[0] - u.c[0])};
    section->duration += duration;
}

// A ramp as spans: the integral of its pieces, downward seen from its end.
static double add_ramp(const lwi_planner *p, lwi_section *section, int k, double u, double from,
                       double to)
{
    const pace own = pace_of(p, section, k);
    const lwi_profile ramp = ramp_of(&own, fabs(to - from));
    for (int i = 0; i < ramp.npiece; ++i) {
        const double end = i + 1 < ramp.npiece ? ramp.piece[i + 1].start : ramp.duration;
        const double h = end - ramp.piece[i].start;
        lwi_piece piece = {.c = {u}};
        for (int j = 0; j < LWI_DEGREE; ++j) {
            piece.c[j + 1] = (to < from ? -1.0 : 1.0) * ramp.piece[i].c[j] / (j + 1);
        }
        piece.c[1] += from;
        add_span(p, section, k, piece, h);
        double x[4];
        lwi_piece_at(&piece, h, x);
        u = x[0];
    }
    return u;
}

static void pass_segment(const lwi_planner *p, lwi_section *section, int k, double from, double to)
{
    const lwi_segment *s = &p->segment[section->first + k];
    const pace own = pace_of(p, section, k);
    const double length = s->end - s->begin;
    const double speed = reached_speed(&own, from, to, length, own.speed);
    const double rest = length - ramp_distance(&own, from, speed) - ramp_distance(&own, speed, to);
    double u = add_ramp(p, section, k, s->begin, from, speed);
    if (rest > 1e-14 * length && speed > 0.0) {
        add_span(p, section, k, (lwi_piece){.c = {u, speed}}, rest / speed);
        u += rest;
    }
    add_ramp(p, section, k, u, speed, to);
}

static lw_status pass_timed(const lwi_planner *p, lwi_section *section)
{
    for (int k = 0; k < section->nsegment; ++k) {
        const double length = length_of(p, section, k);
        add_span(p, section, k, (lwi_piece){.c = {0.0, 1.0}}, length);
        // In seconds its length says nothing of the way.
        const lwi_segment *s = &p->segment[section->first + k];
        const double count = ceil(fmax(s->scale * length, s->angle) / p->def->spacing);
        section->span[section->nspan - 1].count = count < 4.0   ? 4
                                                  : count < 1e6 ? (int)count
                                                                : 1000000;
    }
    return LW_OK;
}

lw_status lwi_plan_speed(lwi_planner *p, lwi_section *section)
{
    enum { MOST_SPANS = 7 }; // of a segment: two ramps of three, and what lies between
    const int n = section->nsegment;
    if (n == 0) {
        return LW_OK;
    }
    double *speed = calloc((size_t)n + 1, sizeof *speed);
    section->span = calloc((size_t)n * MOST_SPANS, sizeof *section->span);
    lw_status status = LW_OK;
    if (!speed || !section->span) {
        status = lwi_plan_no_memory(p);
        goto done;
    }
    for (int k = 0; k < n; ++k) {
        section->length += length_of(p, section, k);
    }
    if (section->is_timed) {
        status = pass_timed(p, section);
        goto done;
    }
    for (int k = 1; k < n; ++k) { // from the begin
        const pace own = pace_of(p, section, k - 1);
        const double most = fmin(own.speed, p->segment[section->first + k].speed);
        speed[k] =
            fmin(most, reached_speed(&own, speed[k - 1], -1.0, length_of(p, section, k - 1), most));
    }
    for (int k = n - 1; k > 0; --k) { // from the end
        const pace own = pace_of(p, section, k);
        speed[k] = fmin(
            speed[k], reached_speed(&own, speed[k + 1], -1.0, length_of(p, section, k), speed[k]));
    }
    for (int k = 0; k < n; ++k) {
        pass_segment(p, section, k, speed[k], speed[k + 1]);
    }

done:
    free(speed);
    return status;
}
