// Events: found on the dense output of a step, and acted upon where they happen.
//
// Joint limits and stiction are events too. Behind the values of the events stand two of each
// limit, the distances that its joint has to the lower and to the upper limit, and then one of each
// joint whose friction holds: all of these happen where they fall below zero.

#include "sim.h"

#include "../kin/closure.h"
#include "../kin/finite.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

enum {
    PARTS = 4,         ///< of a step, in each of which a change of sign is searched
    MOST_HALVINGS = 40 ///< of one of them, where a value goes beyond zero and back
};

static const double LEAST = 5e-324; // a value that is not zero, but has not left it

static const double SLOPE_STEP = 1e-3; // of a span: over which slopes are measured

// After an event they show which way a value goes: a time, s, or a way, rad or m.
static const double LOOK_AHEAD = 1e-9, LOOK_AWAY = 1e-6;

// Events in a row that follow each other within ROUNDINGS of the time: of one kind, and of all.
// Many bodies can meet at one time, but what meets the same thing again and again does not go on.
enum { MOST_SAME = 5, MOST_CROWDED = 1000, ROUNDINGS = 1024 };

// --- Values -----------------------------------------------------------------------------------

// The closure sweep that the values of joint limits and friction at y need.
static bool sweep(lw_sim *sim, const double *y)
{
    const lw_model *m = sim->model;
    return sim->nstiction > 0 ? lwi_closure_state(m, sim->data, y, y + m->nq) != NULL
                              : lwi_closure_position(m, sim->data, y) != NULL;
}

// Value i at (t, y). Those behind the user's events need sweep(), and those of stiction the forces
// of the last lwi_sim_rate().
static double value_at(lw_sim *sim, int i, double t, const double *y)
{
    const lw_model *m = sim->model;
    const lw_data *d = sim->data;
    if (i < sim->def.nevent) {
        const lw_event *event = &sim->def.event[i];
        return event->value(event->context, m, sim->data, t, y, y + m->nq);
    }
    const int n = i - sim->def.nevent;
    if (n >= 2 * sim->nlimit) {
        return lwi_stiction_value(sim, n - 2 * sim->nlimit, m->nstep > 0 ? d->tree_v : y + m->nq);
    }
    return lwi_limit_distance(sim, n / 2, n % 2 == 0 ? -1 : 1, m->nstep > 0 ? d->tree_q : y);
}

// Forces of stiction, where there is any.
static bool find_forces(lw_sim *sim, double t, const double *y)
{
    return !lwi_stiction_by_events(sim) || lwi_sim_rate(sim, t, y, sim->dy_try) == LW_OK;
}

// Values of all events at (t, y) into value [nvalue]; NaN where a loop cannot be closed there.
static void event_values(lw_sim *sim, double t, const double *y, double *value)
{
    bool is_good = find_forces(sim, t, y);
    for (int i = 0; i < sim->nvalue; ++i) {
        if (i == sim->def.nevent) { // behind the functions of the user, which use the data too
            is_good = is_good && sweep(sim, y);
        }
        value[i] = is_good ? value_at(sim, i, t, y) : (double)NAN;
    }
}

static double one_value(lw_sim *sim, int i, double t)
{
    lwi_sim_dense_at(sim, t, sim->q_try);
    if (i >= sim->def.nevent + 2 * sim->nlimit && !find_forces(sim, t, sim->q_try)) {
        return (double)NAN;
    }
    return i < sim->def.nevent || sweep(sim, sim->q_try) ? value_at(sim, i, t, sim->q_try)
                                                         : (double)NAN;
}

// A limit that holds its joint does not meet it.
static bool can_pass(const lw_sim *sim, int i)
{
    const int limit = (i - sim->def.nevent) / 2;
    return i < sim->def.nevent || limit >= sim->nlimit || sim->clamp[limit].side == 0;
}

static bool passes(const lw_sim *sim, int i, double from, double to)
{
    if (i >= sim->def.nevent) {
        return can_pass(sim, i) && from > 0.0 && to <= 0.0;
    }
    const int direction = sim->def.event[i].direction;
    const bool is_up = from < 0.0 && to >= 0.0, is_down = from > 0.0 && to <= 0.0;
    return (is_up && direction >= 0) || (is_down && direction <= 0);
}

// The time in [low, high] at which value i passes zero: regula falsi that halves the weight of an
// end that stays (Illinois), with a bisection where that is slow. The answer lies behind the zero,
// by less than a rounding of the time.
static double find_zero(lw_sim *sim, int i, double low, double high, double at_low, double at_high)
{
    const double tolerance = 4.0 * 2.220446049250313e-16 * fmax(fabs(low), fabs(high));
    double f_low = at_low, f_high = at_high;
    for (int round = 0; round < 100 && high - low > tolerance; ++round) {
        double t = low + (high - low) * f_low / (f_low - f_high);
        if (round % 3 == 2 || !(t > low && t < high)) {
            t = 0.5 * (low + high);
        }
        const double f = one_value(sim, i, t);
        if ((f > 0.0) == (at_low > 0.0) && f != 0.0) {
            low = t;
            f_low = f;
            f_high *= 0.5;
        } else {
            high = t;
            f_high = f;
            f_low *= 0.5;
        }
    }
    return high;
}

// A span of time in the last step, and value i at its ends: what it is and how it changes.
typedef struct span {
    double begin, end;
    double at_begin, at_end;
    double slope_begin, slope_end;
} span;

// Where the tangents of both ends meet, the bow between them is at its lowest: *low is how far
// that still is from zero, negative beyond it.
static double tangents_meet(const span *s, double *low)
{
    const double t = (s->at_end - s->at_begin + s->slope_begin * s->begin - s->slope_end * s->end) /
                     (s->slope_begin - s->slope_end);
    const double value = s->at_begin + s->slope_begin * (t - s->begin);
    *low = s->at_begin > 0.0 ? value : -value;
    return t;
}

// Value i has the same sign at both ends. Where it approaches zero at the start and leaves it at
// the end, it may have been beyond in between: goes down to the extremum until a value with the
// other sign is met, or the tangents show that there is none. *value is the one that was met.
static bool dips(lw_sim *sim, int i, span s, double *when, double *value)
{
    const double sign = s.at_begin > 0.0 ? 1.0 : -1.0;
    for (int round = 0; round < MOST_HALVINGS; ++round) {
        double low = 0.0;
        if (!(sign * s.slope_begin < 0.0 && sign * s.slope_end > 0.0)) {
            return false;
        }
        double t = tangents_meet(&s, &low);
        if (!(low <= 0.0)) {
            return false;
        }
        if (round % 3 == 2 || !(t > s.begin && t < s.end)) {
            t = 0.5 * (s.begin + s.end);
        }
        *when = t;
        *value = one_value(sim, i, t);
        if (sign * *value < 0.0) {
            return true;
        }
        const double step = SLOPE_STEP * (s.end - s.begin);
        const double slope = (one_value(sim, i, t + step) - *value) / step;
        if (sign * slope < 0.0) {
            s.begin = t;
            s.at_begin = *value;
            s.slope_begin = slope;
        } else {
            s.end = t;
            s.at_end = *value;
            s.slope_end = slope;
        }
    }
    return false;
}

// Whether value i passes zero in a span, as its direction has it; *when is then the time, and
// *beyond has the sign that it has behind it.
static bool passes_within(lw_sim *sim, int i, const span *s, double *when, double *beyond)
{
    *beyond = s->at_end;
    if (passes(sim, i, s->at_begin, s->at_end)) {
        *when = find_zero(sim, i, s->begin, s->end, s->at_begin, s->at_end);
        return true;
    }
    double middle, value;
    const bool is_same =
        (s->at_begin > 0.0 && s->at_end > 0.0) || (s->at_begin < 0.0 && s->at_end < 0.0);
    if (!is_same || !can_pass(sim, i) || !dips(sim, i, *s, &middle, &value)) {
        return false;
    }
    if (passes(sim, i, s->at_begin, value)) {
        *beyond = value;
        *when = find_zero(sim, i, s->begin, middle, s->at_begin, value);
    } else {
        *when = find_zero(sim, i, middle, s->end, value, s->at_end);
    }
    return true;
}

static void values_within(lw_sim *sim, double t, double *value)
{
    lwi_sim_dense_at(sim, t, sim->q_try);
    event_values(sim, t, sim->q_try, value);
}

// The first event in the last step; its index, or -1.
static int find_first(lw_sim *sim, double *when)
{
    const int n = sim->nvalue;
    double *before = sim->value, *after = before + n, *soon = after + n, *late = soon + n;
    double t = sim->t_begin;
    const double length = sim->t - sim->t_begin, step = SLOPE_STEP * length / PARTS;
    for (int part = 1; part <= PARTS; ++part) {
        const double t_next = part == PARTS ? sim->t : sim->t_begin + part * length / PARTS;
        if (part < PARTS) {
            values_within(sim, t_next, after);
        } else {
            event_values(sim, t_next, sim->y, after);
        }
        values_within(sim, t + step, soon);
        values_within(sim, t_next - step, late);
        int first = -1;
        for (int i = 0; i < n; ++i) {
            const span s = {t,
                            t_next,
                            before[i],
                            after[i],
                            (soon[i] - before[i]) / step,
                            (after[i] - late[i]) / step};
            double zero;
            if (passes_within(sim, i, &s, &zero, &after[i]) && (first < 0 || zero < *when)) {
                first = i;
                *when = zero;
            }
        }
        if (first >= 0) {
            return first;
        }
        memcpy(before, after, (size_t)n * sizeof *before);
        t = t_next;
    }
    return -1;
}

// Lets an event change the state. One that fails, or answers with what is no state, changes
// nothing.
static lw_status act_on_state(lw_sim *sim, const lw_event *event)
{
    const lw_model *m = sim->model;
    const size_t size = (size_t)sim->ny * sizeof(double);
    memcpy(sim->q_try, sim->y, size);
    lw_status status = event->act(event->context, m, sim->data, sim->t, sim->y, sim->y + m->nq);
    if (status == LW_OK &&
        (!lwi_all_finite(sim->y, sim->ny) || lwi_check_position(m, sim->y) != LW_OK)) {
        status = LW_ERR_NUMBER;
    }
    if (status != LW_OK) {
        memcpy(sim->y, sim->q_try, size);
    }
    lwi_sim_normalise(m, sim->y);
    return status;
}

// Lets an event act where it happened.
static lw_status act(lw_sim *sim, int i)
{
    ++sim->info.events;
    if (i >= sim->def.nevent) { // friction settles where all have acted
        const int n = i - sim->def.nevent;
        return n < 2 * sim->nlimit ? lwi_limit_meet(sim, n / 2, n % 2 == 0 ? -1 : 1) : LW_OK;
    }
    const lw_event *event = &sim->def.event[i];
    if (event->is_terminal && sim->info.event < 0) {
        sim->info.event = i;
    }
    return event->act ? act_on_state(sim, event) : LW_OK;
}

// Ends the step at the event `first`, with which others may have happened: those that have passed
// there too.
static lw_status act_together(lw_sim *sim, int first, double when)
{
    const int n = sim->nvalue;
    double *before = sim->value, *now = sim->value + n, *beyond = sim->value + 2 * n;
    lw_status status = LW_OK;
    memcpy(beyond, now, (size_t)n * sizeof *now);
    if (when < sim->t && when > sim->t_begin) {
        status = lwi_sim_shorten(sim, when);
    }
    sim->has_rate = sim->has_end_rate = sim->is_settled = sim->has_assembly_change = false;
    sim->last_error = 0.0;
    if (status == LW_OK) {
        event_values(sim, sim->t, sim->y, now);
    }
    for (int i = 0; i < n && status == LW_OK; ++i) {
        const bool is_there = i == first || passes(sim, i, before[i], now[i]);
        beyond[i] = is_there ? beyond[i] : 0.0; // 0: it has not happened
        status = is_there ? act(sim, i) : LW_OK;
    }
    return status;
}

// How value i changes when the mechanism goes on as it does for a time h.
static double change_ahead(lw_sim *sim, int i, double t, double h)
{
    const lw_model *m = sim->model;
    memcpy(sim->q_try, sim->y, (size_t)sim->ny * sizeof(double));
    if (lw_integrate(m, sim->y, sim->y + m->nq, h, sim->q_try) != LW_OK) {
        return 0.0;
    }
    return value_at(sim, i, t, sim->q_try) - sim->value[i];
}

// Whether value i, which has passed zero, goes back at once because of what the event did: a ball
// that is thrown back has not passed the floor.
static bool comes_back(lw_sim *sim, int i, double beyond)
{
    const lw_model *m = sim->model;
    if (!sim->def.event[i].act) {
        return false;
    }
    double change = change_ahead(sim, i, sim->t + LOOK_AHEAD, LOOK_AHEAD);
    if (change == 0.0) { // too slow to be seen
        double fastest = 0.0;
        for (int k = 0; k < m->nv; ++k) {
            fastest = fmax(fastest, fabs(sim->y[m->nq + k]));
        }
        change = fastest > 0.0 ? change_ahead(sim, i, sim->t, LOOK_AWAY / fastest) : 0.0;
    }
    return beyond > 0.0 ? change < 0.0 : change > 0.0;
}

// Values from which the next step goes on. What has happened, and left its own value alone, must
// not happen again because of the rounding that is left of that.
static lw_status begin_values(lw_sim *sim, bool has_acted)
{
    const int n = sim->nvalue;
    const double *now = sim->value + n, *beyond = now + n;
    lw_status status = LW_OK;
    event_values(sim, sim->t, sim->y, sim->value);
    for (int i = 0; i < n; ++i) {
        if (i >= sim->def.nevent) {
            sim->value[i] = fmax(sim->value[i], LEAST); // all that passed has acted
        } else if (isnan(sim->value[i])) {
            status = LW_ERR_NUMBER;
        } else if (has_acted && beyond[i] != 0.0 && sim->value[i] == now[i]) {
            sim->value[i] = copysign(LEAST, comes_back(sim, i, beyond[i]) ? -beyond[i] : beyond[i]);
        }
    }
    return status;
}

lw_status lwi_sim_begin_events(lw_sim *sim)
{
    sim->ncrowded = sim->nsame = 0;
    sim->last_event = -1;
    sim->t_event = -(double)INFINITY;
    return begin_values(sim, false);
}

// Events that follow each other ever more quickly would keep the simulation from going on.
static lw_status check_crowd(lw_sim *sim, int event)
{
    const double rounding = 2.220446049250313e-16 * fabs(sim->t);
    const bool is_crowded = sim->t - sim->t_event <= ROUNDINGS * rounding;
    const bool is_same = event == sim->last_event && event < sim->def.nevent;
    sim->ncrowded = is_crowded ? sim->ncrowded + 1 : 0;
    sim->nsame = is_crowded && is_same ? sim->nsame + 1 : 0;
    sim->t_event = sim->t;
    sim->last_event = event;
    return sim->ncrowded > MOST_CROWDED || sim->nsame > MOST_SAME ? LW_ERR_NO_CONVERGENCE : LW_OK;
}

lw_status lwi_sim_find_events(lw_sim *sim)
{
    const int n = sim->nvalue;
    sim->has_jumped = false;
    if (n == 0) {
        return LW_OK;
    }
    lw_status status = lwi_sim_make_dense(sim);
    if (status != LW_OK) {
        return status;
    }
    double when = 0.0;
    const int first = find_first(sim, &when);
    sim->has_jumped = first >= 0;
    status = first >= 0 ? act_together(sim, first, when) : LW_OK;
    if (status == LW_OK) {
        status = lwi_stops_release(sim);
    }
    if (status == LW_OK) {
        status = lwi_stiction_settle(sim);
    }
    const lw_status values = begin_values(sim, first >= 0 && status == LW_OK);
    if (status == LW_OK) {
        status = values;
    }
    return status == LW_OK && first >= 0 ? check_crowd(sim, first) : status;
}
