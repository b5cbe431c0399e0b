// Joint limits and stiction, as forces within bounds.
//
// The degree of freedom i of the tree has the rate G_i x + b_i, where G are the rates of the
// closure sweep and x velocities or accelerations; an impulse (or force) p_i there changes x by
// M^-1 G_i' p_i. Each brings its rate to what it strives for where p_i stays within its bounds, and
// gives the bound where that is not enough. The energy that all of them leave is convex, and one
// after the other lowers it (projected Gauss-Seidel); those that end within their bounds are then
// found at once, by a linear system, so that joints which couple strongly hold as well.

#include "sim.h"

#include "../dyn/loop_forces.h"
#include "../kin/closure.h"

#include <linkwork/derivatives.h>

#include <math.h>
#include <string.h>

enum { ROUNDS = 20, TRIES = 20 }; ///< one round is enough for one joint

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static int clamp_count(const lw_sim *sim)
{
    return sim->nlimit + sim->nstiction;
}

static double *row_of(const lw_sim *sim, int i)
{
    return sim->clamp_row + (size_t)i * (size_t)sim->model->nv;
}

static double *response_of(const lw_sim *sim, int i)
{
    return sim->clamp_response + (size_t)i * (size_t)sim->model->nv;
}

double lwi_bounded_impulse_rate(const lw_sim *sim, int i, const double *x)
{
    return dot(row_of(sim, i), x, sim->model->nv);
}

// Leaves the rates of the closure sweep.
static lw_status invert_masses(lw_sim *sim, const double *q, bool is_swept)
{
    const lw_model *m = sim->model;
    lw_data *d = sim->data;
    lw_status status =
        is_swept ? lwi_mass_matrix(m, d, q, sim->inverse) : lw_mass_matrix(m, d, q, sim->inverse);
    if (status == LW_OK) {
        status = lw_mass_factor(m, sim->data, sim->inverse);
    }
    if (status == LW_OK) {
        status = lw_mass_inverse(m, sim->data, sim->inverse, sim->inverse);
    }
    return status;
}

static void find_rows(lw_sim *sim)
{
    const lw_model *m = sim->model;
    for (int k = 0; k < m->nv; ++k) {
        lwi_closure_column(m, sim->data, k, sim->tree);
        for (int i = 0; i < clamp_count(sim); ++i) {
            row_of(sim, i)[k] = sim->tree[sim->clamp[i].dof];
        }
    }
}

static lw_status prepare(lw_sim *sim, const double *q, bool is_swept)
{
    const int nv = sim->model->nv;
    const lw_status status = invert_masses(sim, q, is_swept);
    if (status == LW_OK) {
        find_rows(sim);
    }
    for (int i = 0; i < clamp_count(sim) && status == LW_OK; ++i) {
        lwi_bounded_impulse *clamp = &sim->clamp[i];
        clamp->force = 0.0;
        for (int k = 0; k < nv && clamp->acts; ++k) {
            response_of(sim, i)[k] = dot(sim->inverse + (size_t)k * (size_t)nv, row_of(sim, i), nv);
        }
        const double ease = clamp->acts ? dot(row_of(sim, i), response_of(sim, i), nv) : 0.0;
        clamp->mass = ease > 0.0 ? 1.0 / ease : 0.0;
    }
    return status;
}

lw_status lwi_bounded_impulses_prepare(lw_sim *sim, const double *q)
{
    return prepare(sim, q, false);
}

static void add_force(lw_sim *sim, int i, double more, double *x)
{
    sim->clamp[i].force += more;
    for (int k = 0; k < sim->model->nv; ++k) {
        x[k] += more * response_of(sim, i)[k];
    }
}

static double shortfall(const lw_sim *sim, int i, const double *x)
{
    return sim->clamp[i].aim - sim->clamp[i].bias - lwi_bounded_impulse_rate(sim, i, x);
}

// True where nothing changes any more.
static bool gauss_seidel(lw_sim *sim, double *x)
{
    double change = 0.0, size = 0.0;
    for (int i = 0; i < clamp_count(sim); ++i) {
        const lwi_bounded_impulse *clamp = &sim->clamp[i];
        if (clamp->acts) {
            const double wanted = clamp->force + clamp->mass * shortfall(sim, i, x);
            const double more = fmin(fmax(wanted, clamp->low), clamp->high) - clamp->force;
            add_force(sim, i, more, x);
            change = fmax(change, fabs(more));
            size = fmax(size, fabs(clamp->force));
        }
    }
    return change <= 1e-15 * size; // a few roundings
}

static bool is_within(const lwi_bounded_impulse *clamp)
{
    return clamp->acts && clamp->force > clamp->low && clamp->force < clamp->high;
}

// What those within their bounds still miss, at once: Cholesky's factors of their matrix. One that
// others determine already keeps its force.
static void solve_together(lw_sim *sim, double *x)
{
    const int count = clamp_count(sim);
    double *L = sim->clamp_matrix, *r = sim->right;
    for (int i = 0; i < count; ++i) {
        double *row = L + (size_t)i * (size_t)count;
        const bool is_free = is_within(&sim->clamp[i]);
        r[i] = is_free ? shortfall(sim, i, x) : 0.0;
        memset(row, 0, (size_t)count * sizeof *row);
        row[i] = 1.0;
        if (!is_free) {
            continue;
        }
        double rest = lwi_bounded_impulse_rate(sim, i, response_of(sim, i));
        const double whole = rest;
        for (int j = 0; j < i; ++j) {
            const double *other = L + (size_t)j * (size_t)count;
            if (is_within(&sim->clamp[j]) && other[j] != (double)INFINITY) {
                row[j] =
                    (lwi_bounded_impulse_rate(sim, i, response_of(sim, j)) - dot(row, other, j)) /
                    other[j];
                rest -= row[j] * row[j];
            }
        }
        // An infinite pivot leaves its unknown at zero: what is left of one that others determine
        // is rounding.
        row[i] = rest > 1e-12 * whole ? sqrt(rest) : (double)INFINITY;
        if (isinf(row[i])) {
            memset(row, 0, (size_t)i * sizeof *row);
            r[i] = 0.0;
        }
    }
    for (int i = 0; i < count; ++i) {
        const double *row = L + (size_t)i * (size_t)count;
        r[i] = (r[i] - dot(row, r, i)) / row[i];
    }
    for (int i = count - 1; i >= 0; --i) {
        r[i] /= L[(size_t)i * (size_t)count + (size_t)i];
        for (int j = 0; j < i; ++j) {
            r[j] -= L[(size_t)i * (size_t)count + (size_t)j] * r[i];
        }
    }
    for (int i = 0; i < count; ++i) {
        if (is_within(&sim->clamp[i])) {
            add_force(sim, i, r[i], x);
        }
    }
}

void lwi_bounded_impulses_solve(lw_sim *sim, double *x)
{
    bool is_settled = false;
    for (int attempt = 0; attempt < TRIES && !is_settled; ++attempt) {
        for (int round = 0; round < ROUNDS && !is_settled; ++round) {
            is_settled = gauss_seidel(sim, x);
        }
        if (!is_settled) {
            solve_together(sim, x);
        }
    }
    for (int i = 0; i < clamp_count(sim); ++i) {
        sim->clamp[i].missed = sim->clamp[i].acts ? shortfall(sim, i, x) : 0.0;
    }
    // What has reached its aim has it to the last bit, where it is a coordinate.
    for (int i = 0; i < clamp_count(sim); ++i) {
        const lwi_bounded_impulse *clamp = &sim->clamp[i];
        if (is_within(clamp) && clamp->own >= 0) {
            x[clamp->own] = clamp->aim;
        }
    }
}

bool lwi_sim_may_hold(const lw_sim *sim)
{
    bool may = lwi_stiction_by_events(sim);
    for (int i = 0; i < sim->nlimit && !may; ++i) {
        may = sim->clamp[i].side != 0;
    }
    return may;
}

lw_status lwi_sim_hold(lw_sim *sim, const double *q, const double *v, double *a)
{
    const lw_model *m = sim->model;
    const double *tree_v = m->nstep > 0 ? sim->data->tree_v : v, *bias = NULL;
    const bool is_limited = lwi_limits_hold(sim, tree_v, a), is_stuck = lwi_stiction_hold(sim);
    if (!is_limited && !is_stuck) {
        return LW_OK;
    }
    if (m->nstep > 0) {
        bias = lwi_closure_acceleration(m, sim->data, NULL);
    }
    for (int i = 0; i < clamp_count(sim); ++i) {
        sim->clamp[i].aim = 0.0;
        sim->clamp[i].bias = bias && sim->clamp[i].own < 0 ? bias[sim->clamp[i].dof] : 0.0;
    }
    const lw_status status = prepare(sim, q, true);
    if (status == LW_OK) {
        lwi_bounded_impulses_solve(sim, a);
    }
    return status;
}
