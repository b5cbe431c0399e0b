// Tree velocities are G(q) v, accelerations G a + c(q, v), and tau = G' t for the forces t of the
// tree, whose derivatives by position, velocity and acceleration are Q, V and M. So
//
//   dtau/dq = G' (Q G + V W + M Z) + (dG'/dq) t,   W = d(G v)/dq,   Z = d(G a + c)/dq
//   dtau/dv = G' (V G + M Y),                      Y = dc/dv
//
// W, Y and Z have the zeros of G, and columns of coordinates that only constant rates depend on are
// zero; the others come from kin/tangent.h, along one coordinate after the other.

#include "fold_derivatives.h"

#include "../kin/closure.h"
#include "../kin/tangent.h"

#include <string.h>

// Whether row k of the tree is a row of the result as it is.
static int plain_row(const lw_model *m, int k)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    return p->row[k] < m->nv && p->at[p->row[k]] < 0 ? p->row[k] : -1;
}

// Rates along coordinate k go to the entries of its column.
static void take_column(const lw_model *m, int k, const lwi_complex *tree, double *entry)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    for (int v = 0; v < m->tree_nv; ++v) {
        for (int e = p->row[v]; e < p->row[v] + p->nrow[v] && p->row[v] >= m->nv; ++e) {
            if (p->column[e] == k) {
                entry[e] = lwi_tangent_rate(tree[v]);
            }
        }
    }
}

// Column k of (dG'/dq) t.
static void add_change_of_levers(const lw_model *m, const lw_data *d, int k, double *by_q)
{
    const lwi_tangent *t = &d->tangent;
    for (int i = 0; i < m->tree_nv; ++i) {
        t->tau[i] = lwi_complex_of(d->tree_tau[i], 0.0);
    }
    lwi_tangent_transpose(m, d, t->tau);
    for (int i = 0; i < m->nv; ++i) {
        if (plain_row(m, m->v_tree[i]) < 0) {
            by_q[i * m->nv + k] += lwi_tangent_rate(t->tau[m->v_tree[i]]);
        }
    }
}

bool lwi_begin_fold(const lw_model *m, lw_data *d, const double *v, const double *a,
                    const lwi_matrices *out)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    const size_t size = (size_t)p->nentry * sizeof(double), nv = (size_t)m->nv;
    lwi_tangent *t = &d->tangent;
    double *const to[] = {out->by_q, out->by_v, out->M};
    for (int k = 0; k < 3 * m->nv; ++k) {
        const int row = k / 3;
        if (to[k % 3] && plain_row(m, m->v_tree[row]) < 0) {
            memset(to[k % 3] + (size_t)row * nv, 0, nv * sizeof(double));
        }
    }
    lwi_closure_compose(m, d);
    memset(f->v_by_q, 0, size);
    memset(f->a_by_q, 0, size);
    memset(f->a_by_v, 0, size);
    for (int k = 0; k < m->nv; ++k) {
        if (!p->bends[k]) {
            continue;
        }
        lwi_closure_column(m, d, k, t->along);
        if (out->by_q) {
            if (!lwi_tangent_along_position(m, d, k, t->along, v, a)) {
                return false;
            }
            take_column(m, k, t->v, f->v_by_q);
            take_column(m, k, t->a, f->a_by_q);
            add_change_of_levers(m, d, k, out->by_q);
        }
        if (out->by_v) {
            if (!lwi_tangent_along_velocity(m, d, k, t->along, a)) {
                return false;
            }
            take_column(m, k, t->a, f->a_by_v);
        }
    }
    return true;
}

// sum += x E, where E has the pattern of G, and entries in dependent rows alone.
static void add_times(const lw_model *m, const double *x, const double *entry, double *sum)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        for (int t = 0; t < step->ntarget; ++t) {
            const int v = step->target[t];
            for (int e = p->row[v]; e < p->row[v] + p->nrow[v] && x[v] != 0.0; ++e) {
                sum[p->column[e]] += x[v] * entry[e];
            }
        }
    }
}

// sum [nv] = x G, for a row x of the tree.
static void times_levers(const lw_model *m, const lw_data *d, const double *x, double *sum)
{
    for (int k = 0; k < m->nv; ++k) {
        sum[k] = x[m->v_tree[k]];
    }
    add_times(m, x, d->fronts.g, sum);
}

// out += G_k' sum, for the row of the result that the sum was made in, or others.
static void add_row(const lw_model *m, const lw_data *d, int k, const double *sum, double *out)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    for (int e = p->row[k]; e < p->row[k] + p->nrow[k]; ++e) {
        double *to = out + (size_t)p->column[e] * (size_t)m->nv;
        for (int j = 0; j < m->nv && to != sum; ++j) {
            to[j] += d->fronts.g[e] * sum[j];
        }
    }
}

// Where the sum of a row is made: in the result itself where the row is plain and met first.
static double *place_of(const lw_model *m, const lw_data *d, int k, bool is_first, double *out)
{
    const int plain = is_first ? plain_row(m, k) : -1;
    return plain >= 0 ? out + (size_t)plain * (size_t)m->nv : d->fronts.sum;
}

void lwi_fold_derivatives(const lw_model *m, lw_data *d, int k, const lwi_matrices *row,
                          bool is_first, const lwi_matrices *out)
{
    const lwi_front_data *f = &d->fronts;
    const bool is_bent = m->kernel->program->fronts->is_bent;
    if (out->by_q) {
        double *sum = place_of(m, d, k, is_first, out->by_q);
        times_levers(m, d, row->by_q, sum);
        if (is_bent) {
            add_times(m, row->by_v, f->v_by_q, sum);
            add_times(m, row->M, f->a_by_q, sum);
        }
        add_row(m, d, k, sum, out->by_q);
    }
    if (out->by_v) {
        double *sum = place_of(m, d, k, is_first, out->by_v);
        times_levers(m, d, row->by_v, sum);
        if (is_bent) {
            add_times(m, row->M, f->a_by_v, sum);
        }
        add_row(m, d, k, sum, out->by_v);
    }
    if (out->M) {
        double *sum = place_of(m, d, k, is_first, out->M);
        times_levers(m, d, row->M, sum);
        add_row(m, d, k, sum, out->M);
    }
}
