// Tree velocities are G(q) v, accelerations G a + c(q, v), and tau = G' t for the forces t of the
// tree, whose derivatives by position, velocity and acceleration are Q, V and M. So
//
//   dtau/dq = G' (Q G + V W + M Z) + (dG'/dq) t,   W = d(G v)/dq,   Z = d(G a + c)/dq
//   dtau/dv = G' (V G + M Y),                      Y = dc/dv
//
// W, Y and Z have the zeros of G, and rows of targets whose rates are constant are zero
// (closure_derivatives.c).

#include "fold_derivatives.h"

#include "../kin/closure.h"
#include "closure_derivatives.h"

#include <string.h>

// Whether row k of the tree is a row of the result as it is.
static int plain_row(const lw_model *m, int k)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    return p->row[k] < m->nv && p->at[p->row[k]] < 0 ? p->row[k] : -1;
}

// Whether rates of a step's targets change: its own, or those of a step before it.
static void mark_bent(const lw_model *m, const lw_data *d)
{
    const lwi_program *program = m->kernel->program;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        bool is_bent =
            step->kind != LW_STEP_LINEAR && (step->nloop > 0 || step->kind == LW_STEP_FUNCTION);
        for (int k = 0; k < step->nsource && !is_bent; ++k) {
            const int before = program->step_of[step->source[k]];
            is_bent = before >= 0 && d->rate_work.is_bent[before];
        }
        d->rate_work.is_bent[s] = is_bent;
    }
}

bool lwi_begin_fold(const lw_model *m, lw_data *d, const lwi_state *at, const lwi_matrices *out)
{
    const size_t nv = (size_t)m->nv;
    double *const to[] = {out->by_q, out->by_v, out->M};
    for (int k = 0; k < 3 * m->nv; ++k) {
        const int row = k / 3;
        if (to[k % 3] && plain_row(m, m->v_tree[row]) < 0) {
            memset(to[k % 3] + (size_t)row * nv, 0, nv * sizeof(double));
        }
    }
    lwi_closure_compose(m, d);
    const bool is_bent = m->kernel->program->fronts->is_bent;
    if (is_bent) {
        mark_bent(m, d);
    }
    return !is_bent || lwi_closure_derivatives(m, d, at, out->by_q);
}

// Three rows of numbers: by q, by v, and of the mass matrix.
typedef struct rows {
    double *q, *v, *M;
} rows;

// sum += x G, for the rows x of the tree at its dependent degrees of freedom.
static void add_dependent(const lw_model *m, const lw_data *d, const lwi_matrices *x,
                          const rows *sum)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        const bool is_bent = p->is_bent && d->rate_work.is_bent[s];
        for (int t = 0; t < step->ntarget; ++t) {
            const int i = step->target[t], end = p->row[i] + p->nrow[i];
            const double q = x->by_q[i], v = x->by_v[i], M = x->M[i];
            if (q == 0.0 && v == 0.0 && M == 0.0) {
                continue;
            }
            for (int e = p->row[i]; e < end; ++e) {
                const int c = p->column[e];
                const double g = f->g[e];
                sum->q[c] += q * g;
                sum->v[c] += v * g;
                sum->M[c] += M * g;
            }
            for (int e = p->row[i]; e < end && is_bent; ++e) {
                const int c = p->column[e];
                sum->q[c] += v * f->v_by_q[e] + M * f->a_by_q[e];
                sum->v[c] += M * f->a_by_v[e];
            }
        }
    }
}

static void add_scaled(int n, double g, const double *x, double *to)
{
    for (int j = 0; j < n && to; ++j) {
        to[j] += g * x[j];
    }
}

static double *row_at(double *matrix, size_t nv, int row)
{
    return matrix ? matrix + (size_t)row * nv : NULL;
}

void lwi_fold_row(const lw_model *m, lw_data *d, int k, const lwi_matrices *row,
                  const lwi_matrices *out)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const size_t nv = (size_t)m->nv;
    const int plain = plain_row(m, k);
    double *own = d->fronts.sum;
    // The sums of a plain row are made where they belong.
    const rows sum = {plain >= 0 && out->by_q ? out->by_q + (size_t)plain * nv : own,
                      plain >= 0 && out->by_v ? out->by_v + (size_t)plain * nv : own + nv,
                      plain >= 0 && out->M ? out->M + (size_t)plain * nv : own + 2 * nv};
    for (int i = 0; i < m->nv; ++i) {
        const int v = m->v_tree[i];
        sum.q[i] = row->by_q[v];
        sum.v[i] = row->by_v[v];
        sum.M[i] = row->M[v];
    }
    add_dependent(m, d, row, &sum);
    for (int e = p->row[k]; e < p->row[k] + p->nrow[k] && plain < 0; ++e) {
        const int c = p->column[e];
        add_scaled(m->nv, d->fronts.g[e], sum.q, row_at(out->by_q, nv, c));
        add_scaled(m->nv, d->fronts.g[e], sum.v, row_at(out->by_v, nv, c));
        add_scaled(m->nv, d->fronts.g[e], sum.M, row_at(out->M, nv, c));
    }
}

static void add_at(double *matrix, size_t at, double x)
{
    if (matrix) {
        matrix[at] += x;
    }
}

void lwi_fold_entry(const lw_model *m, const lw_data *d, int i, int k, double by_q, double by_v,
                    double M, const lwi_matrices *out)
{
    const size_t nv = (size_t)m->nv;
    if (m->nstep == 0) {
        const size_t at = (size_t)i * nv + (size_t)k;
        add_at(out->by_q, at, by_q);
        add_at(out->by_v, at, by_v);
        add_at(out->M, at, M);
        return;
    }
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    const int step = m->kernel->program->step_of[k];
    const bool is_bent = p->is_bent && step >= 0 && d->rate_work.is_bent[step];
    for (int o = p->row[k]; o < p->row[k] + p->nrow[k]; ++o) {
        double q = by_q * f->g[o], v = by_v * f->g[o];
        if (is_bent) {
            q += by_v * f->v_by_q[o] + M * f->a_by_q[o];
            v += M * f->a_by_v[o];
        }
        for (int e = p->row[i]; e < p->row[i] + p->nrow[i]; ++e) {
            const size_t at = (size_t)p->column[e] * nv + (size_t)p->column[o];
            add_at(out->by_q, at, f->g[e] * q);
            add_at(out->by_v, at, f->g[e] * v);
            add_at(out->M, at, f->g[e] * M * f->g[o]);
        }
    }
}
