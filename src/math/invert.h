// Inverses of small matrices.
#ifndef LWI_INVERT_H
#define LWI_INVERT_H

#include <math.h>
#include <stdbool.h>

/// The inverse [n*n] of A [n*n], which is lost, by elimination with the largest pivot of a column;
/// false where that is not above `least`.
static inline bool lwi_invert(int n, double *A, double *inverse, double least)
{
    for (int i = 0; i < n * n; ++i) {
        inverse[i] = i / n == i % n;
    }
    for (int c = 0; c < n; ++c) {
        int best = c;
        for (int r = c; r < n; ++r) {
            best = fabs(A[r * n + c]) > fabs(A[best * n + c]) ? r : best;
        }
        if (!(fabs(A[best * n + c]) > least)) {
            return false;
        }
        const double scale = 1.0 / A[best * n + c];
        for (int k = 0; k < n; ++k) {
            const double a = A[c * n + k], b = inverse[c * n + k];
            A[c * n + k] = A[best * n + k], A[best * n + k] = a;
            inverse[c * n + k] = inverse[best * n + k], inverse[best * n + k] = b;
            A[c * n + k] *= scale;
            inverse[c * n + k] *= scale;
        }
        for (int r = 0; r < n; ++r) {
            const double share = r == c ? 0.0 : A[r * n + c];
            for (int k = 0; k < n; ++k) {
                A[r * n + k] -= share * A[c * n + k];
                inverse[r * n + k] -= share * inverse[c * n + k];
            }
        }
    }
    return true;
}

#endif
