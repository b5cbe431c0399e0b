// Leaps of dependent joints: a step that goes over a dead centre would go on in another assembly of
// a loop, and no state within it would tell. So where a dependent joint is at the end of a step is
// compared with where its rates lead it: both ends of a resolved step agree to a fraction of what
// the rates give.

#include "sim.h"

#include "../kin/closure.h"
#include "../math/pi.h"
#include "../model/kernel.h"
#include "../model/program.h"

#include <math.h>
#include <string.h>

static const double SMALL_ANGLE = 1e-2, SMALL_WAY = 1e-3; // rad, m: no leap to another assembly

// A joint of one freedom that a loop gives, not a gear or a coupling.
static bool can_leap(const lw_model *m, int body)
{
    const int i = m->v_start[body];
    if (m->v_start[body + 1] - i != 1 || m->q_start[body + 1] - m->q_start[body] != 1 ||
        m->nstep == 0) {
        return false;
    }
    const int step = m->kernel->program->step_of[i];
    return step >= 0 && m->step[step].kind != LW_STEP_FUNCTION &&
           m->step[step].kind != LW_STEP_LINEAR;
}

int lwi_leap_count(const lw_model *m)
{
    int count = 0;
    for (int body = 0; body < m->nbody; ++body) {
        count += can_leap(m, body);
    }
    return count;
}

// Positions and rates [2*nleap] of these joints at y.
static lw_status find_state(lw_sim *sim, const double *y, double *state)
{
    const lw_model *m = sim->model;
    const double *q = lwi_closure_position(m, sim->data, y);
    const double *v = q ? lwi_closure_velocity(m, sim->data, y + m->nq) : NULL;
    if (!v) {
        return lwi_closure_status(sim->data);
    }
    for (int body = 0, n = 0; body < m->nbody; ++body) {
        if (can_leap(m, body)) {
            state[2 * n] = q[m->q_start[body]];
            state[2 * n + 1] = v[m->v_start[body]];
            ++n;
        }
    }
    return LW_OK;
}

static bool leaps(const double *from, const double *to, double h, bool is_angle)
{
    const double way = h * 0.5 * (from[1] + to[1]);
    const double off = to[0] - from[0] - way;
    const double room = 2.0 * h * (fabs(from[1]) + fabs(to[1]));
    return is_angle ? fabs(remainder(off, LWI_TWO_PI)) > room + SMALL_ANGLE
                    : fabs(off) > room + SMALL_WAY;
}

lw_status lwi_leap_check(lw_sim *sim, const double *y, double h)
{
    const lw_model *m = sim->model;
    double *from = sim->leap, *to = from + 2 * sim->nleap;
    if (sim->nleap == 0) {
        return LW_OK;
    }
    lw_status status = sim->has_leap ? LW_OK : find_state(sim, sim->y, from);
    sim->has_leap = status == LW_OK;
    if (status == LW_OK) {
        status = find_state(sim, y, to);
    }
    for (int body = 0, n = 0; body < m->nbody && status == LW_OK; ++body) {
        if (!can_leap(m, body)) {
            continue;
        }
        const bool is_angle = m->carrier[body] != LW_TREE_PRISMATIC;
        if (leaps(from + 2 * n, to + 2 * n, h, is_angle)) {
            const int freedom = m->v_start[body], step = m->kernel->program->step_of[freedom];
            status = LW_ERR_SINGULAR;
            sim->data->closure_status = status;
            sim->data->fault = (lwi_closure_fault){m->step[step].loop[0], freedom, 0.0};
        }
        ++n;
    }
    return status;
}

void lwi_leap_accept(lw_sim *sim)
{
    memcpy(sim->leap, sim->leap + 2 * sim->nleap, 2 * (size_t)sim->nleap * sizeof *sim->leap);
}
