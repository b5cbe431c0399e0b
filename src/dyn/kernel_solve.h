// Solving with a dense symmetric positive definite matrix, over the scalar of real.h: for trees
// whose branches are coupled by closure steps.
#ifndef LWI_KERNEL_SOLVE_H
#define LWI_KERNEL_SOLVE_H

#include "kernel_aba.h"

/// M = L D L' in the lower triangle of M [n*n], and M x = x in place. Returns the mask of the lanes
/// where a pivot is not above SMALLEST_SHARE of its entry on the diagonal, and sets *singular
/// degree of freedom to such a row.
static inline bits solve_dense(int n, real *M, real *x, int *singular_dof)
{
    bits is_singular = {0};
    for (int k = 0; k < n; ++k) {
        real *row = &M[(size_t)k * (size_t)n];
        real pivot = row[k];
        for (int i = 0; i < k; ++i) {
            const real *other = &M[(size_t)i * (size_t)n];
            real sum = row[i]; // L_ki D_i, as long as this loop runs
            for (int j = 0; j < i; ++j) {
                sum -= row[j] * other[j];
            }
            row[i] = sum;
        }
        for (int i = 0; i < k; ++i) {
            const real factor = row[i] / M[(size_t)i * (size_t)(n + 1)];
            pivot -= row[i] * factor;
            x[k] -= factor * x[i];
            row[i] = factor;
        }
        const bits is_small = ~is_less(row[k] * SMALLEST_SHARE, pivot);
        if (__builtin_expect(is_any(is_small & ~is_singular), 0)) {
            *singular_dof = k;
        }
        is_singular |= is_small;
        row[k] = pivot;
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= M[(size_t)k * (size_t)(n + 1)];
        for (int i = k + 1; i < n; ++i) {
            x[k] -= M[(size_t)i * (size_t)n + (size_t)k] * x[i];
        }
    }
    return is_singular;
}

#endif
