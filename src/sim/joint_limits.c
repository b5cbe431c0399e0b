// Stops: joints, also those that loops and gears make dependent, end at their limits of position.

#include "sim.h"

#include "../kin/closure.h"
#include "../math/pi.h"

#include <math.h>

static const double REST_SPEED = 1e-4; // rad/s or m/s; slower bounces are none

// How far a joint that is not a coordinate itself may be beyond its limit, or away from it, and
// still rest there: rad or m. It is brought to rest at the limit, but cannot be put there.
static const double NEAR = 1e-9;

static const lw_dof *dof_of(const lw_sim *sim, int i)
{
    return &sim->model->dof[sim->clamp[i].dof];
}

// Angles of dependent joints come with any number of turns: the one that is nearest to the middle
// between the limits.
static double position_of(const lw_sim *sim, int i, const double *tree_q)
{
    const lwi_bounded_impulse *clamp = &sim->clamp[i];
    const double x = tree_q[clamp->position];
    const lw_dof *dof = dof_of(sim, i);
    const double range = dof->upper - dof->lower;
    if (clamp->own >= 0 || !clamp->is_angle || !(range < LWI_TWO_PI)) {
        return x;
    }
    const double middle = dof->lower + 0.5 * range;
    return middle + remainder(x - middle, LWI_TWO_PI);
}

double lwi_limit_distance(const lw_sim *sim, int i, int side, const double *tree_q)
{
    const double x = position_of(sim, i, tree_q);
    return side > 0 ? dof_of(sim, i)->upper - x : x - dof_of(sim, i)->lower;
}

bool lwi_limits_are_kept(const lw_sim *sim, const double *tree_q)
{
    for (int i = 0; i < sim->nlimit; ++i) {
        const double far = sim->clamp[i].own >= 0 ? 0.0 : NEAR;
        if (lwi_limit_distance(sim, i, 1, tree_q) < -far ||
            lwi_limit_distance(sim, i, -1, tree_q) < -far) {
            return false;
        }
    }
    return true;
}

// Bounds of what a limit can do: push, never pull.
static void push_only(lwi_bounded_impulse *clamp, int side)
{
    clamp->acts = true;
    clamp->low = side > 0 ? -(double)INFINITY : 0.0;
    clamp->high = side > 0 ? 0.0 : (double)INFINITY;
}

bool lwi_limits_hold(lw_sim *sim, const double *tree_v, const double *a)
{
    bool any = false;
    for (int i = 0; i < sim->nlimit; ++i) {
        lwi_bounded_impulse *clamp = &sim->clamp[i];
        const double leaves = clamp->own >= 0 ? 0.0 : -1e-6 * REST_SPEED; // or a rounding
        clamp->acts = false;
        // On the way of a step towards the moment at which friction breaks, the joint already has a
        // little speed; it has not left as long as friction is taken to hold it.
        if (clamp->side != 0 &&
            (clamp->side * tree_v[clamp->dof] >= leaves || lwi_stiction_holds(sim, clamp->dof))) {
            push_only(clamp, clamp->side);
            any = any || clamp->own < 0 || clamp->side * a[clamp->own] > 0.0;
        }
    }
    return any;
}

// The impulse of the limit i that its joint meets with `speed`: it bounces by the restitution or
// comes to rest, as *stays reports; joints that rest at other limits are held against the impulse,
// and the rest moves as the masses have it.
static lw_status bounce(lw_sim *sim, int i, int side, const double *q, double *v, bool *stays)
{
    double energy[2] = {0.0, 0.0}, least = REST_SPEED;
    // A bounce that forces take back within a step of Euler's method would come again with each
    // step: it is none.
    const double *a =
        !sim->tableau && sim->def.restitution > 0.0 ? sim->dy_try + sim->model->nq : NULL;
    lw_status status = a ? lwi_sim_rate(sim, sim->t, sim->y, sim->dy_try) : LW_OK;
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < sim->nlimit + sim->nstiction; ++k) {
        lwi_bounded_impulse *clamp = &sim->clamp[k];
        clamp->acts = false;
        clamp->aim = clamp->bias = 0.0;
        if (k == i || (k < sim->nlimit && clamp->side != 0)) {
            push_only(clamp, k == i ? side : clamp->side);
        }
    }
    status = lwi_bounded_impulses_prepare(sim, q);
    if (status == LW_OK && sim->def.counts_work) {
        status = lw_kinetic_energy(sim->model, sim->data, q, v, &energy[0]);
    }
    if (status != LW_OK) {
        return status;
    }
    const double speed = lwi_bounded_impulse_rate(sim, i, v);
    if (speed * side <= 0.0) {
        return LW_OK; // on its way back
    }
    if (a) {
        least = fmax(least, sim->h * side * lwi_bounded_impulse_rate(sim, i, a));
    }
    *stays = sim->def.restitution * fabs(speed) < least;
    sim->clamp[i].aim = *stays ? 0.0 : -sim->def.restitution * speed;
    lwi_bounded_impulses_solve(sim, v);
    if (sim->def.counts_work) {
        status = lw_kinetic_energy(sim->model, sim->data, q, v, &energy[1]);
        sim->y[sim->ny - 2] += energy[1] - energy[0];
        sim->y[sim->ny - 1] += energy[0] - energy[1];
    }
    return status;
}

lw_status lwi_limit_meet(lw_sim *sim, int i, int side)
{
    const lw_model *m = sim->model;
    lwi_bounded_impulse *clamp = &sim->clamp[i];
    bool stays = true;
    const lw_status status = bounce(sim, i, side, sim->y, sim->y + m->nq, &stays);
    if (status != LW_OK) {
        return status;
    }
    if (clamp->own >= 0) {
        // At the limit, or a rounding on the good side of it where it leaves again.
        const double limit = side > 0 ? dof_of(sim, i)->upper : dof_of(sim, i)->lower;
        sim->y[clamp->own_position] = stays ? limit : nextafter(limit, limit - side);
    }
    clamp->side = stays ? side : 0;
    return LW_OK;
}

// A joint that has left its limit is free again; one that went and came back within a step meets it
// anew.
lw_status lwi_stops_release(lw_sim *sim)
{
    const lw_model *m = sim->model;
    lw_status status = LW_OK;
    for (int i = 0; i < sim->nlimit && status == LW_OK; ++i) {
        const int side = sim->clamp[i].side;
        if (side == 0) {
            continue;
        }
        const double *tree_q = lwi_closure_position(m, sim->data, sim->y);
        if (!tree_q) {
            return lwi_closure_status(sim->data);
        }
        const double way = lwi_limit_distance(sim, i, side, tree_q);
        const double near = sim->clamp[i].own >= 0 ? 0.0 : NEAR;
        if (way > near) {
            sim->clamp[i].side = 0;
        } else if (way < -near) {
            status = lwi_limit_meet(sim, i, side);
            sim->has_rate = sim->has_end_rate = sim->has_assembly_change = false;
            sim->has_jumped = true;
        }
    }
    return status;
}
