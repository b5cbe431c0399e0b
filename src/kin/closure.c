// Each step is y = f(x) with f a polynomial: dy = f' dx, and ddy = f' ddx + f'' dx^2. Transposed,
// a force on y is f' times that force on x. A step's source is independent or the target of an
// earlier step, so forward in list order and backward in reverse order meet every value complete.
#include "closure.h"

const double *lwi_closure_position(const lw_model *m, lw_data *d, const double *q)
{
    if (m->nstep == 0) {
        return q;
    }
    for (int i = 0; i < m->nq; ++i) {
        d->tree_q[m->q_tree[i]] = q[i];
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        const double *c = &m->coefficient[step->coefficient];
        const double x = d->tree_q[step->source_q];
        // Horner for the value and its first two derivatives.
        double y = 0.0, slope = 0.0, curve = 0.0;
        for (int k = step->ncoefficient - 1; k >= 0; --k) {
            curve = curve * x + slope;
            slope = slope * x + y;
            y = y * x + c[k];
        }
        d->tree_q[step->target_q] = y;
        d->slope[s] = slope;
        d->curve[s] = 2.0 * curve;
    }
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
    for (int s = 0; s < m->nstep; ++s) {
        d->tree_v[m->step[s].target] = d->slope[s] * d->tree_v[m->step[s].source];
    }
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
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        const double dx = d->tree_v[step->source];
        d->tree_a[step->target] = d->slope[s] * d->tree_a[step->source] + d->curve[s] * dx * dx;
    }
    return d->tree_a;
}

void lwi_closure_transpose(const lw_model *m, const lw_data *d, double *tree, int stride,
                           double *out)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lw_step_info *step = &m->step[s];
        tree[(size_t)step->source * (size_t)stride] +=
            d->slope[s] * tree[(size_t)step->target * (size_t)stride];
    }
    for (int i = 0; i < m->nv; ++i) {
        out[(size_t)i * (size_t)stride] = tree[(size_t)m->v_tree[i] * (size_t)stride];
    }
}

void lwi_closure_congruence(const lw_model *m, const lw_data *d, double *tree, double *out)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    for (int s = m->nstep - 1; s >= 0; --s) {
        const size_t x = (size_t)m->step[s].source, y = (size_t)m->step[s].target;
        for (size_t i = 0; i < n; ++i) {
            tree[x * n + i] += d->slope[s] * tree[y * n + i];
        }
        for (size_t i = 0; i < n; ++i) {
            tree[i * n + x] += d->slope[s] * tree[i * n + y];
        }
    }
    for (size_t i = 0; i < k; ++i) {
        for (size_t j = 0; j < k; ++j) {
            out[i * k + j] = tree[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[j]];
        }
    }
}
