// Whether input is made of numbers.
#ifndef LWI_FINITE_H
#define LWI_FINITE_H

#include <linkwork/model.h>

/// True when all are finite. One multiplication and one addition each: zero times a number that is
/// not finite is not zero.
static inline bool lwi_all_finite(const double *x, int n)
{
    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
    pair sum = {0.0, 0.0}, other = sum;
    double rest = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) { // fewer are faster one by one
        sum += 0.0 * *(const pair *)(x + i);
        other += 0.0 * *(const pair *)(x + i + 2);
        sum += 0.0 * *(const pair *)(x + i + 4);
        other += 0.0 * *(const pair *)(x + i + 6);
    }
    if (i > 0 && i + 4 <= n) {
        sum += 0.0 * *(const pair *)(x + i);
        other += 0.0 * *(const pair *)(x + i + 2);
        i += 4;
    }
    sum += other;
    for (; i < n; ++i) {
        rest += 0.0 * x[i];
    }
    return sum[0] + sum[1] + rest == 0.0;
}

/// Likewise for a point; null is good.
static inline bool lwi_is_point(const lw_vec3 *point)
{
    return !point || 0.0 * point->x + 0.0 * point->y + 0.0 * point->z == 0.0;
}

/// Whether every quaternion in q [nq], which is finite, has a length.
bool lwi_quaternions_are_good(const lw_model *m, const double *q);

/// LW_OK where q [nq] is finite and every quaternion in it has a length, else LW_ERR_NUMBER.
lw_status lwi_check_position(const lw_model *m, const double *q);

#endif
