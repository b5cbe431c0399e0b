// Solving with the mass matrix: M = L' D L from the last degree of freedom to the first, so that
// zeros between branches of the tree stay zeros.
#include "tree_dynamics.h"

#include "../base/report.h"
#include "../math/wide.h"
#include "../model/locations.h"

#include <float.h>
#include <math.h>
#include <string.h>

static lw_status no_inertia(lwi_symbolic *k, int dof)
{
    const lw_location location = lwi_dof_location(k->m, k->m->v_tree[dof]);
    return lwi_report_error(
        k->report, location, LW_ERR_SINGULAR,
        "the mass matrix is singular in every configuration: degree of freedom \"%s\" "
        "moves no inertia of its own",
        k->m->velocity_name[dof]);
}

// Whether a pivot vanishes wherever one looks; pivot and diagonal [n], in the order of elimination
// from the last degree of freedom.
static lw_status check_pivots(lwi_symbolic *k, const lwi_expr *pivot, const lwi_expr *diagonal)
{
    enum { STATES = 3 };
    const int n = k->m->nv;
    double *q = lwi_symbolic_alloc(k, k->m->nq, sizeof *q);
    double *value = lwi_symbolic_alloc(k, 2 * n, sizeof *value);
    int *bad = lwi_symbolic_alloc(k, n, sizeof *bad);
    lwi_expr *both = lwi_symbolic_take(k, 2 * n);
    lw_status status = k->status;
    if (status != LW_OK) {
        return status;
    }
    memcpy(both, pivot, (size_t)n * sizeof *both);
    memcpy(both + n, diagonal, (size_t)n * sizeof *both);
    for (int s = 0; s < STATES && status == LW_OK; ++s) {
        for (int i = 0; i < k->m->nq; ++i) {
            double sine, cosine;
            lwi_rounded_sincos(1.0 + 2.7 * i + s, &sine, &cosine);
            q[i] = k->m->q_reference[i] + 0.1 * (s + 1) * sine;
        }
        status = lwi_symbolic_evaluate(k, 2 * n, both, q, value);
        // What follows a vanishing pivot is not finite, and means nothing.
        status = status == LW_ERR_NUMBER ? LW_OK : status;
        for (int i = n - 1; i >= 0; --i) {
            if (!(fabs(value[i]) > 64 * DBL_EPSILON * fabs(value[n + i]))) {
                ++bad[i];
                break;
            }
        }
    }
    for (int i = n - 1; i >= 0 && status == LW_OK; --i) {
        status = bad[i] == STATES ? no_inertia(k, i) : LW_OK;
    }
    return status;
}

lw_status lwi_factor_mass(lwi_symbolic *k, lwi_expr *M, lwi_expr *inverse)
{
    const int n = k->m->nv;
    lwi_graph *g = k->g;
    lwi_expr *diagonal = lwi_symbolic_take(k, n), *pivot = lwi_symbolic_take(k, n);
    if (!diagonal || !pivot) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        diagonal[i] = M[i * n + i];
    }
    for (int j = n - 1; j >= 0; --j) {
        pivot[j] = M[j * n + j];
        if (pivot[j] == LWI_ZERO) {
            // Where something went wrong before, zeros are meaningless.
            const lw_status before = k->status == LW_OK ? lwi_graph_status(g) : k->status;
            return before == LW_OK ? no_inertia(k, j) : before;
        }
        inverse[j] = lwi_div(g, LWI_ONE, pivot[j]);
        for (int i = j - 1; i >= 0; --i) {
            if (M[j * n + i] == LWI_ZERO) {
                continue;
            }
            const lwi_expr share = lwi_mul(g, M[j * n + i], inverse[j]);
            for (int l = 0; l <= i; ++l) {
                const lwi_expr part = lwi_mul(g, share, M[j * n + l]);
                M[i * n + l] = lwi_sub(g, M[i * n + l], part);
            }
            M[j * n + i] = share;
        }
    }
    const lw_status status = lwi_graph_status(g);
    return status == LW_OK ? check_pivots(k, pivot, diagonal) : status;
}

void lwi_solve_mass(lwi_graph *g, int n, const lwi_expr *L, const lwi_expr *inverse, lwi_expr *x)
{
    for (int j = n - 1; j >= 0; --j) {
        for (int i = 0; i < j; ++i) {
            x[i] = lwi_sub(g, x[i], lwi_mul(g, L[j * n + i], x[j]));
        }
    }
    for (int j = 0; j < n; ++j) {
        x[j] = lwi_mul(g, x[j], inverse[j]);
        for (int i = 0; i < j; ++i) {
            x[j] = lwi_sub(g, x[j], lwi_mul(g, L[j * n + i], x[i]));
        }
    }
}
