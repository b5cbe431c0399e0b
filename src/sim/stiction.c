// Stiction.
//
// With the steps of Euler's method it acts by impulses over a step (Moreau 1988): friction brings a
// joint to rest where the impulse for that stays within its bound, force times step, and brakes
// with the whole bound where that is not enough.
//
// With the other methods each joint with friction either slides one way, with a force against it
// that has no jump, or is held by a force that keeps it at rest. A joint that slides and comes to
// rest, and a force that reaches its bound, are events: the methods never step over a change.
#include "sim.h"

#include "../kin/closure.h"
#include "../model/data.h"

#include <math.h>

bool lwi_stiction_by_events(const lw_sim *sim)
{
    return sim->nstiction > 0 && sim->tableau && lwi_sim_has_friction(sim);
}

static lwi_bounded_impulse *stiction_of(const lw_sim *sim, int i)
{
    return &sim->clamp[sim->nlimit + i];
}

// Sets up the friction i for a solution that brings its joint to rest.
static void bring_to_rest(lwi_bounded_impulse *clamp, double bound)
{
    clamp->acts = true;
    clamp->aim = clamp->bias = 0.0;
    clamp->low = -bound;
    clamp->high = bound;
}

// --- Impulses over a step ---------------------------------------------------------------------

lw_status lwi_stiction_impulses(lw_sim *sim, double h, const double *q, const double *v_old,
                                double *v, double *work)
{
    if (sim->nstiction == 0 || !lwi_sim_has_friction(sim)) {
        return LW_OK;
    }
    for (int i = 0; i < sim->nlimit; ++i) {
        sim->clamp[i].acts = false;
    }
    for (int i = 0; i < sim->nstiction; ++i) {
        bring_to_rest(stiction_of(sim, i), 0.0);
    }
    const lw_status status = lwi_bounded_impulses_prepare(sim, q);
    if (status != LW_OK) {
        return status;
    }
    for (int i = 0; i < sim->nstiction; ++i) {
        lwi_bounded_impulse *clamp = stiction_of(sim, i);
        const double speed = lwi_bounded_impulse_rate(sim, sim->nlimit + i, v_old);
        bring_to_rest(clamp, h * lwi_sim_friction(sim, clamp->dof, speed));
    }
    lwi_bounded_impulses_solve(sim, v);
    for (int i = 0; i < sim->nstiction; ++i) {
        const int n = sim->nlimit + i;
        *work += sim->clamp[n].force *
                 (lwi_bounded_impulse_rate(sim, n, v) + lwi_bounded_impulse_rate(sim, n, v_old)) /
                 2;
    }
    return LW_OK;
}

// --- Events -----------------------------------------------------------------------------------

static double bound_of(const lw_sim *sim, const lwi_bounded_impulse *clamp)
{
    return lwi_sim_friction(sim, clamp->dof, 0.0);
}

bool lwi_stiction_holds(const lw_sim *sim, int dof)
{
    bool holds = false;
    for (int i = 0; i < sim->nstiction && lwi_stiction_by_events(sim) && !holds; ++i) {
        holds = stiction_of(sim, i)->dof == dof && stiction_of(sim, i)->slides == 0;
    }
    return holds;
}

bool lwi_stiction_hold(lw_sim *sim)
{
    bool any = false;
    for (int i = 0; i < sim->nstiction; ++i) {
        lwi_bounded_impulse *clamp = stiction_of(sim, i);
        clamp->acts = false;
        if (lwi_stiction_by_events(sim) && clamp->slides == 0) {
            bring_to_rest(clamp, bound_of(sim, clamp));
            any = true;
        }
    }
    return any;
}

// Whether a joint that friction shall hold breaks loose, by more than a share of its bound. Its own
// friction may be used up while that of another joint, which depends on it, still holds both.
static bool breaks_loose(const lw_sim *sim, const lwi_bounded_impulse *clamp, double share)
{
    const double bound = bound_of(sim, clamp);
    return fabs(clamp->force) >= bound && fabs(clamp->missed) * clamp->mass > share * bound;
}

// What an event finds must be there still when it is evaluated again.
static const double EVENT_SHARE = 1e-9, SETTLE_SHARE = 0.5e-9;

double lwi_stiction_value(const lw_sim *sim, int i, const double *tree_v)
{
    const lwi_bounded_impulse *clamp = stiction_of(sim, i);
    if (!lwi_stiction_by_events(sim)) {
        return 1.0;
    }
    if (clamp->slides != 0) {
        return clamp->slides * tree_v[clamp->dof];
    }
    const double rest = bound_of(sim, clamp) - fabs(clamp->force);
    return breaks_loose(sim, clamp, EVENT_SHARE) ? -1.0 : fmax(rest, 5e-324);
}

// Takes a rate away that is only what an event's time has as an error, so that it rests.
static lw_status stop_at_limit(lw_sim *sim)
{
    const lw_model *m = sim->model;
    bool any = false;
    for (int i = 0; i < sim->nlimit + sim->nstiction; ++i) {
        lwi_bounded_impulse *clamp = &sim->clamp[i];
        clamp->acts = i >= sim->nlimit && clamp->slides == 0;
        if (clamp->acts) {
            bring_to_rest(clamp, (double)INFINITY);
            any = true;
        }
    }
    const lw_status status = any ? lwi_bounded_impulses_prepare(sim, sim->y) : LW_OK;
    if (any && status == LW_OK) {
        lwi_bounded_impulses_solve(sim, sim->y + m->nq);
    }
    return status;
}

// A joint rests where its speed is below this, rad/s or m/s.
static const double REST_SPEED = 1e-9;

lw_status lwi_stiction_settle(lw_sim *sim)
{
    const lw_model *m = sim->model;
    if (sim->is_settled || !lwi_stiction_by_events(sim)) {
        return LW_OK;
    }
    const double *tree_v = lwi_closure_state(m, sim->data, sim->y, sim->y + m->nq);
    if (!tree_v) {
        return lwi_closure_status(sim->data);
    }
    for (int i = 0; i < sim->nstiction; ++i) {
        lwi_bounded_impulse *clamp = stiction_of(sim, i);
        const double v = tree_v[clamp->dof];
        clamp->slides = fabs(v) <= REST_SPEED ? 0 : v > 0.0 ? 1 : -1;
    }
    lw_status status = stop_at_limit(sim);
    // What friction cannot hold goes the other way; the next may then hold or not.
    bool is_changed = true;
    for (int round = 0; round < sim->nstiction + 1 && is_changed && status == LW_OK; ++round) {
        is_changed = false;
        status = lwi_sim_rate(sim, sim->t, sim->y, sim->y_stage);
        for (int i = 0; i < sim->nstiction && status == LW_OK; ++i) {
            lwi_bounded_impulse *clamp = stiction_of(sim, i);
            if (clamp->slides == 0 && breaks_loose(sim, clamp, SETTLE_SHARE)) {
                clamp->slides = clamp->force > 0.0 ? -1 : 1;
                is_changed = true;
            }
        }
    }
    sim->is_settled = status == LW_OK;
    sim->has_rate = sim->has_end_rate = sim->has_assembly_change = false;
    return status;
}
