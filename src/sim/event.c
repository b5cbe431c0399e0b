// Events and stops: found on the dense output of a step, and acted upon where they happen.
//
// Stops are events too: value number nevent + 2 k is the way that freedom k has to its lower limit,
// the next one that to its upper limit.

#include "sim.h"

#include <linkwork/derivatives.h>
#include <linkwork/motion.h>

#include <math.h>
#include <string.h>

enum {
    PARTS = 4,         ///< of a step, in each of which a change of sign is looked for
    MOST_HALVINGS = 40 ///< of one of them, where a value goes beyond zero and back
};

static const double REST_SPEED = 1e-4; // rad/s or m/s; slower bounces are none

static int value_count(const lw_sim *sim)
{
    return sim->def.nevent + (sim->def.has_stops ? 2 * sim->model->nv : 0);
}

static const lw_freedom *freedom_of(const lw_sim *sim, int k)
{
    return &sim->model->freedom[sim->model->v_tree[k]];
}

void lwi_sim_event_values(lw_sim *sim, double t, const double *y, double *value)
{
    const lw_model *m = sim->model;
    const double *q = y, *v = y + m->nq;
    for (int i = 0; i < sim->def.nevent; ++i) {
        const lw_event *event = &sim->def.event[i];
        value[i] = event->value(event->context, m, sim->data, t, q, v);
    }
    double *stop = value + sim->def.nevent;
    for (int k = 0; k < m->nv && sim->def.has_stops; ++k) {
        const int i = lw_position_of_freedom(m, k);
        stop[2 * k] = i >= 0 ? q[i] - freedom_of(sim, k)->lower : 1.0;
        stop[2 * k + 1] = i >= 0 ? freedom_of(sim, k)->upper - q[i] : 1.0;
    }
}

static double value_at(lw_sim *sim, int i, double t, const double *y)
{
    const lw_model *m = sim->model;
    if (i < sim->def.nevent) {
        const lw_event *event = &sim->def.event[i];
        return event->value(event->context, m, sim->data, t, y, y + m->nq);
    }
    const int k = (i - sim->def.nevent) / 2, at = lw_position_of_freedom(m, k);
    if (at < 0) {
        return 1.0;
    }
    const double x = y[at];
    return (i - sim->def.nevent) % 2 == 0 ? x - freedom_of(sim, k)->lower
                                          : freedom_of(sim, k)->upper - x;
}

static double one_value(lw_sim *sim, int i, double t)
{
    lwi_sim_dense_at(sim, t, sim->q_try);
    return value_at(sim, i, t, sim->q_try);
}

// A stop that holds its joint does not meet it.
static bool can_pass(const lw_sim *sim, int i)
{
    return i < sim->def.nevent || sim->contact[(i - sim->def.nevent) / 2] == 0;
}

static bool passes(const lw_sim *sim, int i, double from, double to)
{
    if (i >= sim->def.nevent) { // a stop
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

static double slope_of(lw_sim *sim, int i, double t, double step)
{
    return (one_value(sim, i, t + step) - one_value(sim, i, t)) / step;
}

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

// Value i has the same sign at both ends. Where it approaches zero at the begin and leaves it at
// the end, it may have been beyond in between: goes down to the extremum until a value with the
// other sign is met, or the tangents tell that there is none. *value is the one that was met.
static bool dips(lw_sim *sim, int i, span s, double *when, double *value)
{
    const double sign = s.at_begin > 0.0 ? 1.0 : -1.0, step = 1e-3 * (s.end - s.begin);
    s.slope_begin = slope_of(sim, i, s.begin, step);
    s.slope_end = slope_of(sim, i, s.end, -step);
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
        const double slope = slope_of(sim, i, t, fmin(step, 1e-3 * (s.end - s.begin)));
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

// Whether value i passes zero between two times, as its direction has it; *when is then the time,
// and after[i] has the sign that it has there.
static bool passes_between(lw_sim *sim, int i, double t, double t_next, const double *before,
                           double *after, double *when)
{
    if (passes(sim, i, before[i], after[i])) {
        *when = find_zero(sim, i, t, t_next, before[i], after[i]);
        return true;
    }
    const span whole = {t, t_next, before[i], after[i], 0.0, 0.0};
    double middle, value;
    if (!(before[i] * copysign(1.0, after[i]) > 0.0) || after[i] == 0.0 || !can_pass(sim, i) ||
        !dips(sim, i, whole, &middle, &value)) {
        return false;
    }
    if (passes(sim, i, before[i], value)) {
        after[i] = value;
        *when = find_zero(sim, i, t, middle, before[i], value);
        return true;
    }
    *when = find_zero(sim, i, middle, t_next, value, after[i]);
    return true;
}

// The first event in the last step; its index, or -1.
static int find_first(lw_sim *sim, double *when)
{
    const int n = value_count(sim);
    double *before = sim->value, *after = sim->value + n;
    double t = sim->t_begin;
    for (int part = 1; part <= PARTS; ++part) {
        const double t_next =
            part == PARTS ? sim->t : sim->t_begin + part * (sim->t - sim->t_begin) / PARTS;
        const double *y = sim->y;
        if (part < PARTS) {
            lwi_sim_dense_at(sim, t_next, sim->q_try);
            y = sim->q_try;
        }
        lwi_sim_event_values(sim, t_next, y, after);
        int first = -1;
        for (int i = 0; i < n; ++i) {
            double zero;
            if (passes_between(sim, i, t, t_next, before, after, &zero) &&
                (first < 0 || zero < *when)) {
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

lw_status lwi_sim_invert_masses(lw_sim *sim, const double *q)
{
    const lw_model *m = sim->model;
    lw_status status = lw_mass_matrix(m, sim->data, q, sim->inverse);
    if (status == LW_OK) {
        status = lw_mass_factor(m, sim->data, sim->inverse);
    }
    if (status == LW_OK) {
        status = lw_mass_inverse(m, sim->data, sim->inverse, sim->inverse);
    }
    return status;
}

// Pushes (forces or blows) of the stops, one after the other until none changes: each brings its
// entry of x (accelerations or velocities) to zero, that of freedom `hit` to `aim`, or is zero
// where the joint leaves by itself. Entries that are held are zero to the last bit.
static void push_back(lw_sim *sim, const double *v, int hit, double aim, double *x)
{
    const int nv = sim->model->nv;
    memset(sim->push, 0, (size_t)nv * sizeof *sim->push);
    for (int round = 0; round < 100; ++round) {
        double change = 0.0;
        for (int k = 0; k < nv; ++k) {
            if (sim->contact[k] == 0 || (v && sim->contact[k] * v[k] < 0.0)) {
                continue;
            }
            const double *row = sim->inverse + (size_t)k * (size_t)nv;
            double push = sim->push[k] + ((k == hit ? aim : 0.0) - x[k]) / row[k];
            push = sim->contact[k] > 0 ? fmin(push, 0.0) : fmax(push, 0.0);
            const double more = push - sim->push[k];
            sim->push[k] = push;
            change = fmax(change, fabs(more));
            for (int i = 0; i < nv; ++i) {
                x[i] += more * row[i];
            }
        }
        if (change == 0.0) {
            break;
        }
    }
    for (int k = 0; k < nv; ++k) {
        if (sim->push[k] != 0.0) {
            x[k] = k == hit ? aim : 0.0;
        }
    }
}

// The blow of a stop that freedom k meets: it bounces by the restitution or comes to rest, as
// *stays tells; joints that rest at other stops are held against the blow, and the rest moves as
// the masses have it.
static lw_status bounce(lw_sim *sim, int k, int side, const double *q, double *v, bool *stays)
{
    double energy[2] = {0.0, 0.0};
    lw_status status = lwi_sim_invert_masses(sim, q);
    if (status == LW_OK && sim->def.counts_work) {
        status = lw_kinetic_energy(sim->model, sim->data, q, v, &energy[0]);
    }
    if (status != LW_OK) {
        return status;
    }
    *stays = sim->def.restitution * fabs(v[k]) < REST_SPEED;
    sim->contact[k] = (lwi_contact)side;
    push_back(sim, NULL, k, *stays ? 0.0 : -sim->def.restitution * v[k], v);
    if (sim->def.counts_work) {
        status = lw_kinetic_energy(sim->model, sim->data, q, v, &energy[1]);
        sim->y[sim->ny - 2] += energy[1] - energy[0];
        sim->y[sim->ny - 1] += energy[0] - energy[1];
    }
    return status;
}

// Freedom k is at its upper (side 1) or lower (side -1) limit.
static lw_status act_stop(lw_sim *sim, int k, int side)
{
    const lw_model *m = sim->model;
    double *q = sim->y, *v = sim->y + m->nq;
    bool stays = true;
    const lw_status status = v[k] * side > 0.0 ? bounce(sim, k, side, q, v, &stays) : LW_OK;
    if (status == LW_OK) {
        // At the limit, or a rounding on the good side of it where it leaves again.
        const double limit = side > 0 ? freedom_of(sim, k)->upper : freedom_of(sim, k)->lower;
        q[lw_position_of_freedom(m, k)] = stays ? limit : nextafter(limit, limit - side);
        sim->contact[k] = (lwi_contact)(stays ? side : 0);
    }
    return status;
}

// A joint that has left its stop is free again; one that went and came back within a step meets it
// anew.
static lw_status release(lw_sim *sim)
{
    const lw_model *m = sim->model;
    lw_status status = LW_OK;
    for (int k = 0; k < m->nv && sim->def.has_stops && status == LW_OK; ++k) {
        const int side = sim->contact[k];
        if (side != 0) {
            const double x = sim->y[lw_position_of_freedom(m, k)];
            const double way =
                side > 0 ? freedom_of(sim, k)->upper - x : x - freedom_of(sim, k)->lower;
            if (way > 0.0) {
                sim->contact[k] = 0;
            } else if (way < 0.0) {
                status = act_stop(sim, k, side);
                sim->has_rate = sim->has_end_rate = false;
            }
        }
    }
    return status;
}

// Lets an event act where it happened.
static lw_status act(lw_sim *sim, int i)
{
    ++sim->info.events;
    if (i >= sim->def.nevent) {
        const int stop = i - sim->def.nevent;
        return act_stop(sim, stop / 2, stop % 2 == 0 ? -1 : 1);
    }
    const lw_event *event = &sim->def.event[i];
    if (event->is_terminal && sim->info.event < 0) {
        sim->info.event = i;
    }
    return event->act ? event->act(event->context, sim->model, sim->data, sim->t, sim->y,
                                   sim->y + sim->model->nq)
                      : LW_OK;
}

// Ends the step at the event `first`, with which others may have happened: those that have passed
// there too.
static lw_status act_together(lw_sim *sim, int first, double when)
{
    const int n = value_count(sim);
    double *before = sim->value, *now = sim->value + n, *beyond = sim->value + 2 * n;
    lw_status status = LW_OK;
    memcpy(beyond, now, (size_t)n * sizeof *now);
    if (when < sim->t && when > sim->t_begin) {
        status = lwi_sim_shorten(sim, when);
    }
    sim->has_rate = sim->has_end_rate = false;
    sim->last_error = 0.0;
    if (status == LW_OK) {
        lwi_sim_event_values(sim, sim->t, sim->y, now);
    }
    for (int i = 0; i < n && status == LW_OK; ++i) {
        const bool is_there = i == first || passes(sim, i, before[i], now[i]);
        beyond[i] = is_there ? beyond[i] : 0.0; // 0: it has not happened
        status = is_there ? act(sim, i) : LW_OK;
    }
    return status;
}

lw_status lwi_sim_find_events(lw_sim *sim)
{
    const int n = value_count(sim);
    if (n == 0) {
        return LW_OK;
    }
    lw_status status = lwi_sim_make_dense(sim);
    if (status != LW_OK) {
        return status;
    }
    double when = 0.0;
    const int first = find_first(sim, &when);
    status = first >= 0 ? act_together(sim, first, when) : LW_OK;
    if (status == LW_OK) {
        status = release(sim);
    }
    double *now = sim->value + n, *beyond = now + n;
    lwi_sim_event_values(sim, sim->t, sim->y, sim->value);
    for (int i = 0; i < sim->def.nevent && first >= 0 && status == LW_OK; ++i) {
        // What has happened, and left its own value alone: the rounding that is left of that must
        // not make it happen again.
        if (beyond[i] != 0.0 && sim->value[i] == now[i]) {
            sim->value[i] = copysign(5e-324, beyond[i]);
        }
    }
    return status;
}

lw_status lwi_sim_hold(lw_sim *sim, const double *q, const double *v, double *a)
{
    const lw_model *m = sim->model;
    bool is_pushed = false;
    for (int k = 0; k < m->nv; ++k) {
        is_pushed = is_pushed || (sim->contact[k] != 0 && sim->contact[k] * v[k] >= 0.0 &&
                                  sim->contact[k] * a[k] > 0.0);
    }
    const lw_status status = is_pushed ? lwi_sim_invert_masses(sim, q) : LW_OK;
    if (is_pushed && status == LW_OK) {
        push_back(sim, v, -1, 0.0, a);
    }
    return status;
}
