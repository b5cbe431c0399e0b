// Cholesky's factor of a symmetric positive definite matrix, U'U, with loops over rows in memory:
// these vectorise as they stand, without a sum that runs through them.
#ifndef LWI_CHOLESKY_H
#define LWI_CHOLESKY_H

#include <math.h>
#include <stdbool.h>

/// The upper triangle of U [n*n] becomes the factor. False where the matrix is not positive
/// definite.
static inline bool lwi_cholesky(int n, double *U)
{
    for (int j = 0; j < n; ++j) {
        double *row = U + j * n;
        if (!(row[j] > 0.0)) {
            return false;
        }
        const double over = 1.0 / sqrt(row[j]);
        for (int k = j; k < n; ++k) {
            row[k] *= over;
        }
        for (int i = j + 1; i < n; ++i) {
            const double a = row[i];
            double *below = U + i * n;
            for (int k = i; k < n; ++k) {
                below[k] -= a * row[k];
            }
        }
    }
    return true;
}

/// x [n] becomes the solution for the right-hand side x, by that factor.
static inline void lwi_cholesky_solve(int n, const double *U, double *x)
{
    for (int i = 0; i < n; ++i) {
        const double *row = U + i * n, a = x[i] / row[i];
        x[i] = a;
        for (int k = i + 1; k < n; ++k) {
            x[k] -= a * row[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        const double *row = U + i * n;
        double sum = x[i];
        for (int k = i + 1; k < n; ++k) {
            sum -= row[k] * x[k];
        }
        x[i] = sum / row[i];
    }
}

/// The upper triangle of U [n*n] = A'A + damping, of m rows of A [m*n].
static inline void lwi_normal_matrix(int m, int n, const double *A, double damping, double *U)
{
    for (int i = 0; i < n; ++i) {
        for (int k = i; k < n; ++k) {
            U[i * n + k] = i == k ? damping : 0.0;
        }
    }
    for (int r = 0; r < m; ++r) {
        const double *row = A + r * n;
        for (int i = 0; i < n; ++i) {
            const double a = row[i];
            if (a != 0.0) { // rows of trees are sparse
                for (int k = i; k < n; ++k) {
                    U[i * n + k] += a * row[k];
                }
            }
        }
    }
}

#endif
