#include "arrays.h"

#include "check.h"

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

lw_vec3 random3(double size)
{
    const double x = check_random(-size, size), y = check_random(-size, size);
    return lw_vec3_of(x, y, check_random(-size, size));
}

double distance3(lw_vec3 a, lw_vec3 b)
{
    return lw_norm3(lw_sub3(a, b));
}
