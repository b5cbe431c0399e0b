// The space that rows span, by Gram and Schmidt's method with pivots.
#ifndef LWI_ROW_SPACE_H
#define LWI_ROW_SPACE_H

#include "damped.h"

/// Rows of V [m*n] become an orthonormal basis of their space, the first `rank` of them, which is
/// returned: as many as are longer than `tolerance` times the longest of all, once what the others
/// span is taken out. The least x with V x = c has components z along them: *z [m] is c on entry.
/// What is left of c behind the rank contradicts rows before it.
static inline int lwi_row_space(int m, int n, double tolerance, double *V, double *z)
{
    double longest = 0.0;
    for (int rank = 0; rank < m; ++rank) {
        int best = rank;
        double most = -1.0;
        for (int i = rank; i < m; ++i) {
            const double square = lwi_dot(n, V + i * n, V + i * n);
            if (square > most) {
                most = square;
                best = i;
            }
        }
        const double length = sqrt(most);
        longest = rank == 0 ? length : longest;
        if (!(length > tolerance * longest)) {
            return rank;
        }
        double *v = V + rank * n, *w = V + best * n;
        for (int k = 0; k < n; ++k) {
            const double a = w[k] / length;
            w[k] = v[k];
            v[k] = a;
        }
        const double c = z[best] / length;
        z[best] = z[rank];
        z[rank] = c;
        for (int i = rank + 1; i < m; ++i) {
            for (int pass = 0; pass < 2; ++pass) { // twice is enough for all digits
                const double share = lwi_dot(n, v, V + i * n);
                for (int k = 0; k < n; ++k) {
                    V[i * n + k] -= share * v[k];
                }
                z[i] -= share * c;
            }
        }
    }
    return m;
}

#endif
