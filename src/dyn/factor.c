// Solving with the mass matrix, along the tree.
//
// Featherstone, Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic
// Trees (2005): factored from the tips to the root, M = L' D L fills no entry between branches, and
// D holds the articulated inertias of the degrees of freedom. The loops follow parents instead of
// counting down; that is all there is to the sparsity.
//
// The inverse uses it too. With T = L^-1, which has the entries of L, M^-1 = T D^-1 T', so the
// entry of two degrees of freedom is a sum over the degrees of freedom before both.
//
// Closure steps couple degrees of freedom of different branches. The compile has then found a tree
// in which all that are coupled are on one path (compile/factor_tree.c), and the same loops follow
// that.

#include "factor.h"

#include "../model/data.h"

#include <linkwork/derivatives.h>

#include <float.h>
#include <string.h>

// Rounding leaves a few epsilon of the diagonal where the exact pivot is zero; a degree of freedom
// that moves less than this share of what it carries has no acceleration worth the name.
static const double SMALLEST_PIVOT = 64 * DBL_EPSILON;

int lwi_factor(int n, const int *parent, double *M, double *diagonal)
{
    for (int k = 0; k < n; ++k) {
        diagonal[k] = M[(size_t)k * (size_t)n + (size_t)k];
    }
    for (int k = n - 1; k >= 0; --k) {
        double *row = M + (size_t)k * (size_t)n;
        if (!(row[k] > SMALLEST_PIVOT * diagonal[k])) {
            return k;
        }
        const double inverse = 1.0 / row[k];
        for (int i = parent[k]; i >= 0; i = parent[i]) {
            const double factor = row[i] * inverse;
            double *target = M + (size_t)i * (size_t)n;
            for (int j = i; j >= 0; j = parent[j]) {
                target[j] -= factor * row[j];
            }
            row[i] = factor;
        }
    }
    return -1;
}

// y -= factor * x
static inline void subtract(int n, double factor, const double *x, double *y)
{
    for (int c = 0; c < n; ++c) {
        y[c] -= factor * x[c];
    }
}

// L' Y = B, in place: from the tips inward.
static void solve_transposed(int n, const int *parent, const double *L, int ncolumn, double *Y)
{
    for (int i = n - 1; i >= 0; --i) {
        const double *row = L + (size_t)i * (size_t)n;
        const double *source = Y + (size_t)i * (size_t)ncolumn;
        for (int j = parent[i]; j >= 0; j = parent[j]) {
            subtract(ncolumn, row[j], source, Y + (size_t)j * (size_t)ncolumn);
        }
    }
}

void lwi_factor_solve(int n, const int *parent, const double *L, int ncolumn, double *X)
{
    solve_transposed(n, parent, L, ncolumn, X);
    for (int i = 0; i < n; ++i) {
        const double *row = L + (size_t)i * (size_t)n;
        double *target = X + (size_t)i * (size_t)ncolumn;
        const double inverse = 1.0 / row[i];
        for (int c = 0; c < ncolumn; ++c) {
            target[c] *= inverse;
        }
        for (int j = parent[i]; j >= 0; j = parent[j]) {
            subtract(ncolumn, row[j], X + (size_t)j * (size_t)ncolumn, target);
        }
    }
}

// T = L^-1 in the place of L. Row i of T L = 1 gives its entries from the nearest outward, and
// needs the rows of L before it untouched: hence downward.
static void invert_triangle(int n, const int *parent, double *L)
{
    for (int i = n - 1; i >= 0; --i) {
        double *row = L + (size_t)i * (size_t)n;
        for (int k = parent[i]; k >= 0; k = parent[k]) {
            const double *before = L + (size_t)k * (size_t)n;
            row[k] = -row[k];
            for (int j = parent[k]; j >= 0; j = parent[j]) {
                row[j] += row[k] * before[j];
            }
        }
    }
}

// The last degree of freedom before both, either of them included; -1 for none.
static int meet(const int *parent, int i, int j)
{
    while (i != j) {
        if (i > j) {
            i = parent[i];
        } else {
            j = parent[j];
        }
    }
    return i;
}

void lwi_factor_invert(int n, const int *parent, double *L)
{
    invert_triangle(n, parent, L);
    for (int k = 0; k < n; ++k) {
        double *pivot = L + (size_t)k * (size_t)n + (size_t)k;
        *pivot = 1.0 / *pivot;
    }
    // The results go above the diagonal, where they disturb no entry of T; a pivot gives way when
    // all rows that need it are done.
    for (int i = n - 1; i >= 0; --i) {
        double *row = L + (size_t)i * (size_t)n;
        for (int j = 0; j < i; ++j) {
            double *other = L + (size_t)j * (size_t)n;
            double sum = 0.0;
            for (int k = meet(parent, i, j); k >= 0; k = parent[k]) {
                const double pivot = L[(size_t)k * (size_t)n + (size_t)k];
                sum += row[k] * pivot * (k == j ? 1.0 : other[k]);
            }
            other[i] = sum;
        }
        double sum = row[i];
        for (int k = parent[i]; k >= 0; k = parent[k]) {
            sum += row[k] * row[k] * L[(size_t)k * (size_t)n + (size_t)k];
        }
        row[i] = sum;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            L[(size_t)i * (size_t)n + (size_t)j] = L[(size_t)j * (size_t)n + (size_t)i];
        }
    }
}

lw_status lw_mass_factor(const lw_model *m, lw_data *d, double *M)
{
    if (!m || !d || d->model != m || !M) {
        return LW_ERR_ARGUMENT;
    }
    d->singular_dof = lwi_factor(m->nv, d->v_parent, M, d->tree_tau);
    return d->singular_dof < 0 ? LW_OK : LW_ERR_SINGULAR;
}

lw_status lw_mass_solve(const lw_model *m, lw_data *d, const double *L, int ncolumn, double *X)
{
    if (!m || !d || d->model != m || !L || !X || ncolumn < 0) {
        return LW_ERR_ARGUMENT;
    }
    lwi_factor_solve(m->nv, d->v_parent, L, ncolumn, X);
    return LW_OK;
}

lw_status lw_mass_inverse(const lw_model *m, lw_data *d, const double *L, double *inverse)
{
    if (!m || !d || d->model != m || !L || !inverse) {
        return LW_ERR_ARGUMENT;
    }
    if (inverse != L) {
        memcpy(inverse, L, (size_t)m->nv * (size_t)m->nv * sizeof *L);
    }
    lwi_factor_invert(m->nv, d->v_parent, inverse);
    return LW_OK;
}

enum { MAX_ROW = 6 };

// J M^-1 J' = Y' D^-1 Y with Y = L'^-1 J'.
static void mobility_of(const lw_model *m, lw_data *d, const double *L, int nrow, const double *J,
                        double *mobility)
{
    const int n = m->nv;
    double *Y = d->tree_J;
    for (int k = 0; k < n; ++k) {
        for (int r = 0; r < nrow; ++r) {
            Y[k * nrow + r] = J[(size_t)r * (size_t)n + (size_t)k];
        }
    }
    solve_transposed(n, d->v_parent, L, nrow, Y);
    memset(mobility, 0, (size_t)(nrow * nrow) * sizeof *mobility);
    for (int k = 0; k < n; ++k) {
        const double inverse = 1.0 / L[(size_t)k * (size_t)n + (size_t)k];
        for (int r = 0; r < nrow; ++r) {
            for (int c = 0; c < nrow; ++c) {
                mobility[r * nrow + c] += inverse * Y[k * nrow + r] * Y[k * nrow + c];
            }
        }
    }
}

// The rows of a Jacobian have units of their own, so a pivot is compared with its own entry. The
// mobility carries the rounding of the factors: 1e-12 is above what they leave of an exact zero.
static bool invert_mobility(int n, double *A)
{
    static const double SMALLEST = 1e-12;
    int chain[MAX_ROW];
    for (int k = 0; k < n; ++k) {
        chain[k] = k - 1;
    }
    double diagonal[MAX_ROW];
    if (lwi_factor(n, chain, A, diagonal) >= 0) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        if (!(A[k * n + k] > SMALLEST * diagonal[k])) {
            return false;
        }
    }
    lwi_factor_invert(n, chain, A);
    return true;
}

lw_status lw_operational_inertia(const lw_model *m, lw_data *d, const double *L, int nrow,
                                 const double *J, double *mobility, double *inertia)
{
    if (!m || !d || d->model != m || !L || !J || nrow < 1 || nrow > MAX_ROW) {
        return LW_ERR_ARGUMENT;
    }
    double A[MAX_ROW * MAX_ROW];
    const size_t size = (size_t)(nrow * nrow) * sizeof *A;
    mobility_of(m, d, L, nrow, J, A);
    if (mobility) {
        memcpy(mobility, A, size);
    }
    d->singular_dof = -1;
    if (!inertia) {
        return LW_OK;
    }
    if (!invert_mobility(nrow, A)) {
        return LW_ERR_SINGULAR;
    }
    memcpy(inertia, A, size);
    return LW_OK;
}
