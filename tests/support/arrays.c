#include "arrays.h"

#include <math.h>
#include <stdlib.h>

double *numbers(int count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

double largest(const double *x, int n)
{
    double most = 0.0;
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}
