// A damped step of least squares (Levenberg 1944, Marquardt 1963).
#ifndef LWI_DAMPED_H
#define LWI_DAMPED_H

#include <math.h>
#include <stdbool.h>

/// The change x [n] that makes |J x + residual|^2 + damping |x|^2 least, by the normal equations
/// and Cholesky; N [n*n] is scratch. Entry (r, k) of J is J[r * stride + k], and residuals stand
/// `apart` doubles apart. False where the equations have no definite solution.
static inline bool lwi_damped_step(int nrow, int n, int stride, const double *J,
                                   const double *residual, int apart, double damping, double *N,
                                   double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
        for (int k = 0; k < nrow; ++k) {
            x[i] -= J[k * stride + i] * residual[k * apart];
        }
        for (int j = 0; j <= i; ++j) {
            double sum = i == j ? damping : 0.0;
            for (int k = 0; k < nrow; ++k) {
                sum += J[k * stride + i] * J[k * stride + j];
            }
            for (int k = 0; k < j; ++k) {
                sum -= N[i * n + k] * N[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            N[i * n + j] = i == j ? sqrt(sum) : sum / N[j * n + j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= N[i * n + k] * x[k];
        }
        x[i] /= N[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= N[k * n + i] * x[k];
        }
        x[i] /= N[i * n + i];
    }
    return true;
}

#endif
