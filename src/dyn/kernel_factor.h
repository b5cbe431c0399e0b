// Solving with the factors of a mass matrix (factor.h), whole rows side by side, for the table of
// kernels (model/kernels.h).
#ifndef LWI_KERNEL_FACTOR_H
#define LWI_KERNEL_FACTOR_H

#include "kernel_lanes.h"

/// Two numbers, for what is left of a row.
typedef double two_doubles __attribute__((vector_size(16)));

/// y -= factor * x
LWI_INLINE void subtract_row(int n, double factor, const double *x, double *y)
{
    int c = 0;
    for (; c + LANES <= n; c += LANES) {
        store(load(y + c) - factor * load(x + c), y + c);
    }
    for (; c + 2 <= n; c += 2) {
        two_doubles a, b;
        memcpy(&a, x + c, sizeof a);
        memcpy(&b, y + c, sizeof b);
        b -= factor * a;
        memcpy(y + c, &b, sizeof b);
    }
    if (c < n) {
        y[c] -= factor * x[c];
    }
}

/// L' Y = B, in place: from the tips inward.
LWI_INLINE void solve_inward(int n, const int *parent, const double *L, int ncolumn, double *Y)
{
    for (int i = n - 1; i >= 0; --i) {
        const double *row = L + (size_t)i * (size_t)n;
        const double *source = Y + (size_t)i * (size_t)ncolumn;
        for (int j = parent[i]; j >= 0; j = parent[j]) {
            subtract_row(ncolumn, row[j], source, Y + (size_t)j * (size_t)ncolumn);
        }
    }
}

/// D L X = Y, in place.
LWI_INLINE void solve_outward(int n, const int *parent, const double *L, int ncolumn, double *X)
{
    for (int i = 0; i < n; ++i) {
        const double *row = L + (size_t)i * (size_t)n;
        double *target = X + (size_t)i * (size_t)ncolumn;
        const double inverse = 1.0 / row[i];
        for (int c = 0; c < ncolumn; ++c) {
            target[c] *= inverse;
        }
        for (int j = parent[i]; j >= 0; j = parent[j]) {
            subtract_row(ncolumn, row[j], X + (size_t)j * (size_t)ncolumn, target);
        }
    }
}

static void factor_half_solve(int n, const int *parent, const double *L, int ncolumn, double *Y)
{
    solve_inward(n, parent, L, ncolumn, Y);
}

static void factor_solve(int n, const int *parent, const double *L, int ncolumn, double *X)
{
    if (ncolumn == 1) { // without questions about rows
        solve_inward(n, parent, L, 1, X);
        solve_outward(n, parent, L, 1, X);
        return;
    }
    solve_inward(n, parent, L, ncolumn, X);
    solve_outward(n, parent, L, ncolumn, X);
}

/// With B = M^-1, L B = D^-1 L'^-1 has nothing left of its diagonal. So row i of B follows there
/// from the rows of the degrees of freedom before i, which are complete up to i, because B is
/// symmetric.
static void factor_invert(int n, const int *parent, double *L, double *sum)
{
    for (int i = 0; i < n; ++i) {
        double *row = L + (size_t)i * (size_t)n;
        for (int c = 0; c < i; ++c) {
            sum[c] = 0.0;
        }
        for (int j = parent[i]; j >= 0; j = parent[j]) {
            subtract_row(i, row[j], L + (size_t)j * (size_t)n, sum);
        }
        double own = 1.0 / row[i];
        for (int j = parent[i]; j >= 0; j = parent[j]) {
            own -= row[j] * sum[j];
        }
        for (int c = 0; c < i; ++c) {
            row[c] = sum[c];
            L[(size_t)c * (size_t)n + (size_t)i] = sum[c];
        }
        row[i] = own;
    }
}

#endif
