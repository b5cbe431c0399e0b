// A step's sources are independent or targets of earlier steps, so forward in list order and
// backward in reverse order meet every value complete.
#include "closure.h"

#include "../math/real.h"
#include "held_state.h"

#include <string.h>

const double *lwi_closure_position(const lw_model *m, lw_data *d, const double *q)
{
    if (m->nstep == 0) {
        return q ? q : d->tree_q; // NULL for a mechanism without degrees of freedom
    }
    if (lwi_holds(d, q)) {
        lwi_closure_angles(m, d);
        return d->tree_q;
    }
    return d->kernels->closure_position(m, d, q, NULL) == LW_OK ? d->tree_q : NULL;
}

const double *lwi_closure_rotations(const lw_model *m, lw_data *d, const double *q)
{
    if (m->nstep == 0) {
        return q ? q : d->tree_q;
    }
    if (lwi_holds(d, q)) {
        return d->tree_q;
    }
    return d->kernels->closure_rotations(m, d, q, NULL) == LW_OK ? d->tree_q : NULL;
}

void lwi_closure_angles(const lw_model *m, lw_data *d)
{
    if (d->angles_are_due) {
        d->kernels->closure_angles(m, d);
    }
}

bool lwi_closure_rates(const lw_model *m, lw_data *d)
{
    return m->nstep == 0 || d->held.stage >= LW_STAGE_POSITION ||
           d->kernels->closure_rates(m, d, NULL) == LW_OK;
}

// Marks the steps that give the degrees of freedom between a body and the world, then backward
// those that give their sources, which come earlier in the list.
static const bool *needed_steps(const lw_model *m, lw_data *d, int body)
{
    const int *step_of = m->kernel->program->step_of;
    bool *needed = d->needed_step;
    memset(needed, 0, (size_t)m->nstep * sizeof *needed);
    for (int i = body; i >= 0; i = m->kernel->segment[i].parent) {
        for (int v = m->v_start[i]; v < m->v_start[i + 1]; ++v) {
            if (step_of[v] >= 0) {
                needed[step_of[v]] = true;
            }
        }
    }
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        for (int k = 0; k < step->nsource && needed[s]; ++k) {
            if (step_of[step->source[k]] >= 0) {
                needed[step_of[step->source[k]]] = true;
            }
        }
    }
    return needed;
}

const double *lwi_closure_position_of_body(const lw_model *m, lw_data *d, const double *q, int body)
{
    if (m->nstep == 0) {
        return q ? q : d->tree_q;
    }
    if (lwi_holds(d, q)) {
        return d->tree_q;
    }
    const bool *needed = needed_steps(m, d, body);
    return d->kernels->closure_rotations(m, d, q, needed) == LW_OK ? d->tree_q : NULL;
}

const double *lwi_closure_position_of_steps(const lw_model *m, lw_data *d, const double *q,
                                            const bool *needed)
{
    return d->kernels->closure_rotations(m, d, q, needed) == LW_OK ? d->tree_q : NULL;
}

bool lwi_closure_rates_of_body(const lw_model *m, lw_data *d, int body)
{
    return m->nstep == 0 || d->held.stage >= LW_STAGE_POSITION ||
           d->kernels->closure_rates(m, d, needed_steps(m, d, body)) == LW_OK;
}

const double *lwi_closure_velocity(const lw_model *m, lw_data *d, const double *v)
{
    if (m->nstep == 0) {
        return v ? v : d->tree_v;
    }
    if (lwi_holds_velocity(d, v)) {
        return d->tree_v;
    }
    return d->kernels->closure_velocity(m, d, v) == LW_OK ? d->tree_v : NULL;
}

const double *lwi_closure_state(const lw_model *m, lw_data *d, const double *q, const double *v)
{
    return lwi_closure_position(m, d, q) ? lwi_closure_velocity(m, d, v) : NULL;
}

lw_status lwi_closure_motion(const lw_model *m, lw_data *d, const double *q, const double *v,
                             const double *a)
{
    if (m->nstep == 0) {
        return LW_OK;
    }
    if (!v || !lwi_holds(d, q)) {
        return d->kernels->closure_motion(m, d, q, v, a);
    }
    if (!lwi_closure_velocity(m, d, v)) {
        return lwi_closure_status(d);
    }
    d->kernels->closure_acceleration(m, d, a);
    return LW_OK;
}

// From the independent entries of `tree` to the others; a bias of NULL means none.
static void spread(const lw_model *m, const lw_data *d, const double *bias, double *tree)
{
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        step_across(step, &d->rate[step->rate], bias ? &bias[step->bias] : NULL, tree);
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

void lwi_closure_column(const lw_model *m, const lw_data *d, int k, double *column)
{
    memset(column, 0, (size_t)m->tree_nv * sizeof *column);
    column[m->v_tree[k]] = 1.0;
    lwi_closure_spread(m, d, column);
}

void lwi_closure_compose(const lw_model *m, lw_data *d)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    double *g = d->fronts.g;
    for (int k = 0; k < m->nv; ++k) {
        g[k] = 1.0;
    }
    memset(g + m->nv, 0, (size_t)(p->nentry - m->nv) * sizeof *g);
    for (int k = 0; k < p->nproduct; ++k) {
        g[p->product[k].to] += d->rate[p->product[k].rate] * g[p->product[k].from];
    }
}

void lwi_closure_transpose(const lw_model *m, const lw_data *d, double *tree, int stride,
                           double *out)
{
    if (stride == 1) {
        d->kernels->closure_forces(m, d, tree, out);
        return;
    }
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

// The transposed step over a stack of n vectors, which are `vector` doubles apart, their entries
// `entry`: constants, so that the innermost loop is as short as it can be.
LWI_INLINE void transpose_stack(const lwi_step *step, const double *K, double *tree, size_t n,
                                size_t vector, size_t entry)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const double *from = tree + (size_t)step->target[t] * vector;
        for (int k = 0; k < step->nsource; ++k) {
            double *to = tree + (size_t)step->source[k] * vector;
            const double share = K[t * step->nsource + k];
            for (size_t i = 0; i < n; ++i) {
                to[i * entry] += share * from[i * entry];
            }
        }
    }
}

void lwi_closure_transpose_rows(const lw_model *m, const lw_data *d, int n, double *tree)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        transpose_stack(step, &d->rate[step->rate], tree, (size_t)n, 1, (size_t)m->tree_nv);
    }
    for (int r = 0; r < n && m->nstep > 0; ++r, tree += m->tree_nv) {
        for (int i = 0; i < m->nv; ++i) {
            tree[i] = tree[m->v_tree[i]];
        }
    }
}
