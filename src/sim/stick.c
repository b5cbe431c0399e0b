// Friction that can hold, by impulses over a step (Moreau 1988).
//
// A step without friction ends with velocities v. The freedom i of the tree moves with G_i v, where
// G are the rates of the closure sweep; an impulse p_i of friction there changes v by
// M^-1 G_i' p_i. Friction brings the freedom to rest where |p_i| stays within its bound, force
// times step, and brakes with the whole bound where that is not enough. Impulses are found one
// after the other until none changes (projected Gauss-Seidel): the energy that the impulses leave
// is convex, and each of these steps lowers it.
#include "sim.h"

#include "../kin/closure.h"
#include "../kin/tangent.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 200 }; ///< one is enough for one joint, a few for those that hardly couple

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Rows G_i of the freedoms that have friction.
static lw_status find_rows(lw_sim *sim, const double *q)
{
    const lw_model *m = sim->model;
    const size_t nv = (size_t)m->nv;
    if (!lwi_closure_position(m, sim->data, q) || !lwi_closure_rates(m, sim->data)) {
        return lwi_closure_status(sim->data);
    }
    for (int i = 0, n = 0; i < m->tree_nv; ++i) {
        if (m->freedom[i].friction > 0.0) {
            sim->stick[n++] = (lwi_stick){.freedom = i};
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        lwi_closure_column(m, sim->data, k, sim->tree);
        for (int n = 0; n < sim->nstick; ++n) {
            sim->stick_row[(size_t)n * nv + (size_t)k] = sim->tree[sim->stick[n].freedom];
        }
    }
    return LW_OK;
}

// What a unit impulse does to the velocities, and the bounds.
static void find_answers(lw_sim *sim, double h, const double *v_old)
{
    const int nv = sim->model->nv;
    for (int n = 0; n < sim->nstick; ++n) {
        lwi_stick *stick = &sim->stick[n];
        const double *row = sim->stick_row + (size_t)n * (size_t)nv;
        double *answer = sim->stick_answer + (size_t)n * (size_t)nv;
        for (int i = 0; i < nv; ++i) {
            answer[i] = dot(sim->inverse + (size_t)i * (size_t)nv, row, nv);
        }
        const double ease = dot(row, answer, nv);
        stick->mass = ease > 0.0 ? 1.0 / ease : 0.0;
        stick->bound = h * lwi_sim_friction(sim, stick->freedom, dot(row, v_old, nv));
    }
}

static void balance(lw_sim *sim, double *v)
{
    const int nv = sim->model->nv;
    bool is_settled = false;
    for (int round = 0; round < ROUNDS && !is_settled; ++round) {
        is_settled = true;
        for (int n = 0; n < sim->nstick; ++n) {
            lwi_stick *stick = &sim->stick[n];
            const double *row = sim->stick_row + (size_t)n * (size_t)nv;
            const double *answer = sim->stick_answer + (size_t)n * (size_t)nv;
            const double wanted = stick->impulse - stick->mass * dot(row, v, nv);
            const double impulse = fmin(fmax(wanted, -stick->bound), stick->bound);
            const double more = impulse - stick->impulse;
            stick->impulse = impulse;
            is_settled = is_settled && fabs(more) <= 1e-15 * stick->bound;
            for (int i = 0; i < nv; ++i) {
                v[i] += more * answer[i];
            }
        }
    }
}

lw_status lwi_sim_stick(lw_sim *sim, double h, const double *q, const double *v_old, double *v,
                        double *work)
{
    const lw_model *m = sim->model;
    if (sim->nstick == 0 || lw_get_dynamics_options(sim->data).is_ideal) {
        return LW_OK;
    }
    lw_status status = lwi_sim_invert_masses(sim, q);
    if (status == LW_OK) {
        status = find_rows(sim, q);
    }
    if (status != LW_OK) {
        return status;
    }
    find_answers(sim, h, v_old);
    balance(sim, v);
    // What is held rests to the last bit, where it is a coordinate.
    for (int n = 0; n < sim->nstick; ++n) {
        const lwi_stick *stick = &sim->stick[n];
        const double *row = sim->stick_row + (size_t)n * (size_t)m->nv;
        for (int k = 0; k < m->nv && fabs(stick->impulse) < stick->bound; ++k) {
            v[k] = m->v_tree[k] == stick->freedom ? 0.0 : v[k];
        }
        *work += stick->impulse * (dot(row, v, m->nv) + dot(row, v_old, m->nv)) / 2.0;
    }
    return LW_OK;
}
