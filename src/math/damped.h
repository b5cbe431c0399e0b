// A damped step of least squares (Levenberg 1944, Marquardt 1963).
#ifndef LWI_DAMPED_H
#define LWI_DAMPED_H

#include <math.h>
#include <stdbool.h>

static inline double lwi_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// Cholesky's lower factor N [n*n] of J'J + damping I; entry (r, k) of J is J[r * stride + k].
/// False where that matrix is not positive definite.
static inline bool lwi_damped_factor(int nrow, int n, int stride, const double *J, double damping,
                                     double *N)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            N[i * n + j] = i == j ? damping : 0.0;
        }
    }
    for (int k = 0; k < nrow; ++k) { // row by row, as they stand in memory
        const double *row = J + k * stride;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                N[i * n + j] += row[i] * row[j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double sum = N[i * n + j] - lwi_dot(j, N + i * n, N + j * n);
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            N[i * n + j] = i == j ? sqrt(sum) : sum / N[j * n + j];
        }
    }
    return true;
}

/// x [n] becomes the solution for the right-hand side x, by that factor.
static inline void lwi_damped_solve(int n, const double *N, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = (x[i] - lwi_dot(i, N + i * n, x)) / N[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= N[k * n + i] * x[k];
        }
        x[i] /= N[i * n + i];
    }
}

/// The change x [n] that makes |J x + residual|^2 + damping |x|^2 least, by the normal equations;
/// N [n*n] is scratch, and residuals stand `apart` doubles apart. False where the equations have no
/// definite solution.
static inline bool lwi_damped_step(int nrow, int n, int stride, const double *J,
                                   const double *residual, int apart, double damping, double *N,
                                   double *x)
{
    if (!lwi_damped_factor(nrow, n, stride, J, damping, N)) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
        for (int k = 0; k < nrow; ++k) {
            x[i] -= J[k * stride + i] * residual[k * apart];
        }
    }
    lwi_damped_solve(n, N, x);
    return true;
}

#endif
