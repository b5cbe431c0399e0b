// From derivatives in tree coordinates to those in independent ones, step by step of a simple
// closure program, from the last to the first.
//
// A step gives its target y as a polynomial of its source x. With f1, f2 and f3 the derivatives of
// the polynomial, dy/dt = f1 v and d2y/dt2 = f1 a + f2 v^2, both of which depend on x. With the
// target taken out, the force at the source is tau_x + f1 tau_y; both forces depend on x also
// through y and its rates, and the lever f1 changes. So
//
//   column x of dtau/dq  gains  f1 Q + f2 v V + (f2 a + f3 v^2) M
//   column x of dtau/dv  gains  f1 V + 2 f2 v M
//   column x of M        gains  f1 M
//   row x of each        gains  f1 (row y)
//   dtau_x/dq_x          gains  f2 tau_y
//
// where Q, V and M are the columns y of the three.

#include "reduce_derivatives.h"

#include "../loop/law.h"

// A column of B to a column of A.
static void add_column(double *A, size_t n, int to, double share, const double *B, int from)
{
    for (size_t i = 0; i < n; ++i) {
        A[i * n + (size_t)to] += share * B[i * n + (size_t)from];
    }
}

static void add_row(double *A, size_t n, int to, double share, int from)
{
    for (size_t i = 0; i < n; ++i) {
        A[(size_t)to * n + i] += share * A[(size_t)from * n + i];
    }
}

static void reduce_step(const lw_model *m, lw_data *d, const lwi_step *step,
                        const lwi_matrices *tree)
{
    const size_t n = (size_t)m->tree_nv;
    const int x = step->source[0], y = step->target[0];
    const double v = d->tree_v[x], a = d->tree_a[x];
    double f[4];
    lwi_law_at(step, d->tree_q[step->source_q[0]], f);
    add_column(tree->by_q, n, x, f[1], tree->by_q, y);
    add_column(tree->by_q, n, x, f[2] * v, tree->by_v, y);
    add_column(tree->by_q, n, x, f[2] * a + f[3] * v * v, tree->M, y);
    add_column(tree->by_v, n, x, f[1], tree->by_v, y);
    add_column(tree->by_v, n, x, 2.0 * f[2] * v, tree->M, y);
    add_column(tree->M, n, x, f[1], tree->M, y);
    add_row(tree->by_q, n, x, f[1], y);
    add_row(tree->by_v, n, x, f[1], y);
    add_row(tree->M, n, x, f[1], y);
    tree->by_q[(size_t)x * n + (size_t)x] += f[2] * d->tree_tau[y];
    d->tree_tau[x] += f[1] * d->tree_tau[y];
}

void lwi_reduce_derivatives(const lw_model *m, lw_data *d, const lwi_matrices *tree)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        reduce_step(m, d, &m->kernel->program->step[s], tree);
    }
}

void lwi_reduce_copy(const lw_model *m, const double *tree, double *out)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    for (size_t i = 0; out && i < k; ++i) {
        for (size_t j = 0; j < k; ++j) {
            out[i * k + j] = tree[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[j]];
        }
    }
}
