// Sweeps for one state, in double; the steps themselves are in kernel_closure.h.
#include "closure.h"

#include "kernel_closure.h"

const double *lwi_closure_position(const lw_model *m, lw_data *d, const double *q)
{
    if (m->nstep == 0) {
        return q;
    }
    for (int i = 0; i < m->nq; ++i) {
        d->tree_q[m->q_tree[i]] = q[i];
    }
    close_positions(m->nstep, m->step, m->coefficient, d->tree_q, d->slope, d->curve);
    return d->tree_q;
}

const double *lwi_closure_velocity(const lw_model *m, lw_data *d, const double *v)
{
    if (m->nstep == 0) {
        return v;
    }
    for (int i = 0; i < m->nv; ++i) {
        d->tree_v[m->v_tree[i]] = v[i];
    }
    close_velocities(m->nstep, m->step, d->slope, d->tree_v);
    return d->tree_v;
}

const double *lwi_closure_acceleration(const lw_model *m, lw_data *d, const double *a)
{
    if (m->nstep == 0 && a) {
        return a;
    }
    for (int i = 0; i < m->nv; ++i) {
        d->tree_a[m->v_tree[i]] = a ? a[i] : 0.0;
    }
    close_accelerations(m->nstep, m->step, d->slope, d->curve, d->tree_v, d->tree_a);
    return d->tree_a;
}

void lwi_closure_transpose(const lw_model *m, const lw_data *d, double *tree, int stride,
                           double *out)
{
    close_forces(m->nstep, m->step, d->slope, (size_t)stride, tree);
    for (int i = 0; i < m->nv; ++i) {
        out[(size_t)i * (size_t)stride] = tree[(size_t)m->v_tree[i] * (size_t)stride];
    }
}

void lwi_closure_congruence(const lw_model *m, const lw_data *d, double *tree, double *out)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    close_matrix(m->nstep, m->step, d->slope, n, tree);
    for (size_t i = 0; i < k; ++i) {
        for (size_t j = 0; j < k; ++j) {
            out[i * k + j] = tree[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[j]];
        }
    }
}
