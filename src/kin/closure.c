// A step's sources are independent or targets of earlier steps, so forward in list order and
// backward in reverse order meet every value complete.
#include "closure.h"

#include "../model/kernel.h"

static lw_status remember(lw_data *d, lw_status status, const lwi_closure_fault *fault)
{
    d->closure_status = status;
    d->fault = *fault;
    if (status != LW_OK) {
        d->culprit = -1; // that is for freedoms without inertia
    }
    return status;
}

const double *lwi_closure_position(const lw_model *m, lw_data *d, const double *q)
{
    if (m->nstep == 0) {
        return q ? q : d->tree_q; // null for a machine without freedoms
    }
    const lwi_program *program = m->kernel->program;
    for (int i = 0; i < m->nq; ++i) {
        d->tree_q[m->q_tree[i]] = q[i];
    }
    for (int s = 0; s < m->nstep; ++s) {
        lwi_closure_fault fault = {-1, -1, 0.0};
        const lw_status status =
            lwi_step_position(m, program, &program->step[s], &d->loop_work, d->tree_q, &fault);
        if (remember(d, status, &fault) != LW_OK) {
            return NULL;
        }
    }
    return d->tree_q;
}

static bool find_rates(const lw_model *m, lw_data *d, bool with_velocity)
{
    const lwi_program *program = m->kernel->program;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        double *K = &d->rate[step->rate], *bias = &d->rate_bias[step->bias];
        lwi_closure_fault fault = {-1, -1, 0.0};
        lw_status status = lwi_step_rates(m, program, step, &d->loop_work, d->tree_q, K, &fault);
        for (int t = 0; t < step->ntarget && with_velocity && status == LW_OK; ++t) {
            double sum = 0.0;
            for (int k = 0; k < step->nsource; ++k) {
                sum += K[t * step->nsource + k] * d->tree_v[step->source[k]];
            }
            d->tree_v[step->target[t]] = sum;
        }
        if (with_velocity && status == LW_OK) {
            status =
                lwi_step_bias(m, program, step, &d->loop_work, d->tree_q, d->tree_v, bias, &fault);
        }
        if (remember(d, status, &fault) != LW_OK) {
            return false;
        }
    }
    return true;
}

bool lwi_closure_rates(const lw_model *m, lw_data *d)
{
    return find_rates(m, d, false);
}

const double *lwi_closure_velocity(const lw_model *m, lw_data *d, const double *v)
{
    if (m->nstep == 0) {
        return v ? v : d->tree_v;
    }
    for (int i = 0; i < m->nv; ++i) {
        d->tree_v[m->v_tree[i]] = v[i];
    }
    return find_rates(m, d, true) ? d->tree_v : NULL;
}

// From the independent entries of `tree` to the others; a bias null means none.
static void spread(const lw_model *m, const lw_data *d, const double *bias, double *tree)
{
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        const double *K = &d->rate[step->rate];
        for (int t = 0; t < step->ntarget; ++t) {
            double sum = bias ? bias[step->bias + t] : 0.0;
            for (int k = 0; k < step->nsource; ++k) {
                sum += K[t * step->nsource + k] * tree[step->source[k]];
            }
            tree[step->target[t]] = sum;
        }
    }
}

const double *lwi_closure_acceleration(const lw_model *m, lw_data *d, const double *a)
{
    if (m->nstep == 0 && a) {
        return a;
    }
    for (int i = 0; i < m->nv; ++i) {
        d->tree_a[m->v_tree[i]] = a ? a[i] : 0.0;
    }
    spread(m, d, d->rate_bias, d->tree_a);
    return d->tree_a;
}

void lwi_closure_spread(const lw_model *m, const lw_data *d, double *tree)
{
    spread(m, d, NULL, tree);
}

void lwi_closure_transpose(const lw_model *m, const lw_data *d, double *tree, int stride,
                           double *out)
{
    const size_t apart = (size_t)stride;
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        const double *K = &d->rate[step->rate];
        for (int t = 0; t < step->ntarget; ++t) {
            const double force = tree[(size_t)step->target[t] * apart];
            for (int k = 0; k < step->nsource; ++k) {
                tree[(size_t)step->source[k] * apart] += K[t * step->nsource + k] * force;
            }
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        out[(size_t)i * apart] = tree[(size_t)m->v_tree[i] * apart];
    }
}

// Rows first, then columns: both are the transposed sweep, over the matrix as a stack of vectors.
static void congruence_step(const lwi_step *step, const double *K, double *tree, size_t n)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const size_t y = (size_t)step->target[t];
        for (int k = 0; k < step->nsource; ++k) {
            const size_t x = (size_t)step->source[k];
            const double share = K[t * step->nsource + k];
            for (size_t i = 0; i < n; ++i) {
                tree[x * n + i] += share * tree[y * n + i];
            }
        }
    }
    for (int t = 0; t < step->ntarget; ++t) {
        const size_t y = (size_t)step->target[t];
        for (int k = 0; k < step->nsource; ++k) {
            const size_t x = (size_t)step->source[k];
            const double share = K[t * step->nsource + k];
            for (size_t i = 0; i < n; ++i) {
                tree[i * n + x] += share * tree[i * n + y];
            }
        }
    }
}

void lwi_closure_congruence(const lw_model *m, const lw_data *d, double *tree, double *out)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        congruence_step(step, &d->rate[step->rate], tree, n);
    }
    for (size_t i = 0; i < k; ++i) {
        for (size_t j = 0; j < k; ++j) {
            out[i * k + j] = tree[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[j]];
        }
    }
}
