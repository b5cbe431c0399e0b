// How large the numbers of a list are.
#ifndef LWI_LARGEST_H
#define LWI_LARGEST_H

#include <math.h>

/// The largest magnitude; zero where there is none.
static inline double lwi_largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

#endif
