// The shortest solution of few linear conditions.
#ifndef LWI_LEAST_NORM_H
#define LWI_LEAST_NORM_H

#include <math.h>
#include <stdbool.h>

/// Makes column k of A orthogonal to the columns before it, which are orthonormal already, and
/// shortens it to length 1; returns the length it had then. Entry (r, k) is A[r * stride + k].
/// Each product that is taken away is added, times z[j], to *carried (both may be NULL). Done
/// twice, which is enough for all digits.
static inline double lwi_orthogonal_column(int nrow, int stride, double *A, int k, const double *z,
                                           double *carried)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < k; ++j) {
            double share = 0.0;
            for (int r = 0; r < nrow; ++r) {
                share += A[r * stride + j] * A[r * stride + k];
            }
            for (int r = 0; r < nrow; ++r) {
                A[r * stride + k] -= share * A[r * stride + j];
            }
            if (carried) {
                *carried += share * z[j];
            }
        }
    }
    double square = 0.0;
    for (int r = 0; r < nrow; ++r) {
        square += A[r * stride + k] * A[r * stride + k];
    }
    const double length = sqrt(square);
    for (int r = 0; r < nrow && length > 0.0; ++r) {
        A[r * stride + k] /= length;
    }
    return length;
}

/// The shortest x [nrow], entries `apart` doubles apart, for which column k of A times x is c[k],
/// k = 0 .. n - 1. The columns must be independent; they are changed. c is changed too.
static inline void lwi_least_norm(int nrow, int n, int stride, double *A, double *c, double *x,
                                  int apart)
{
    for (int r = 0; r < nrow; ++r) {
        x[r * apart] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
        double carried = 0.0;
        const double length = lwi_orthogonal_column(nrow, stride, A, k, c, &carried);
        c[k] = length > 0.0 ? (c[k] - carried) / length : 0.0; // now the share of direction k
        for (int r = 0; r < nrow; ++r) {
            x[r * apart] += c[k] * A[r * stride + k];
        }
    }
}

#endif
