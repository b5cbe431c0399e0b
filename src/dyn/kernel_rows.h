// Rows of numbers of several states, which become lanes, and lanes, which become rows.
#ifndef LWI_KERNEL_ROWS_H
#define LWI_KERNEL_ROWS_H

#include "../math/real.h"

#include <stddef.h>

#if LWI_REAL_LANES >= 4
/// The next four entries of the rows of four states.
LWI_INLINE square4 load_four(const double *const row[4], int k)
{
    return transposed((square4){load_lanes(&row[0][k]), load_lanes(&row[1][k]),
                                load_lanes(&row[2][k]), load_lanes(&row[3][k])});
}

LWI_INLINE void put_four(real a, real b, real c, real d, real *x)
{
    x[0] = a;
    x[1] = b;
    x[2] = c;
    x[3] = d;
}

/// LANES entries from k on, of as many states.
LWI_INLINE void load_columns(const double *const row[LANES], int k, real *x)
{
    const square4 y = load_four(row, k);
#if LWI_REAL_LANES == 4
    put_four(y.a, y.b, y.c, y.d, x);
#else
    const square4 z = load_four(row + 4, k);
    put_four(LWI_HALVES(y.a, z.a, 0), LWI_HALVES(y.b, z.b, 0), LWI_HALVES(y.c, z.c, 0),
             LWI_HALVES(y.d, z.d, 0), x);
    put_four(LWI_HALVES(y.a, z.a, 4), LWI_HALVES(y.b, z.b, 4), LWI_HALVES(y.c, z.c, 4),
             LWI_HALVES(y.d, z.d, 4), x + 4);
#endif
}

LWI_INLINE void store_four(real a, real b, real c, real d, ptrdiff_t stride, double *rows)
{
    store_lanes(rows, a);
    store_lanes(&rows[stride], b);
    store_lanes(&rows[2 * stride], c);
    store_lanes(&rows[3 * stride], d);
}
#endif

/// Rows of `count` states become lanes; lanes without a state repeat the last one. `location` says
/// where number k of a row goes, NULL: to k.
static inline void load_rows(const double *rows, int length, int count, const int *location,
                             real *x)
{
    const double *row[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        row[lane] = rows + (ptrdiff_t)(lane < count ? lane : count - 1) * length;
    }
    int k = 0;
#if LWI_REAL_LANES >= 4
    for (; k + LANES <= length && !location; k += LANES) {
        load_columns(row, k, &x[k]);
    }
#endif
    for (; k < length; ++k) {
        real y = {0};
        for (int lane = 0; lane < LANES; ++lane) {
            y = real_set_lane(y, lane, row[lane][k]);
        }
        x[location ? location[k] : k] = y;
    }
}

/// LANES entries of the rows of as many states, which are `length` apart.
static inline void store_columns(const real *x, ptrdiff_t length, double *rows)
{
#if LWI_REAL_LANES >= 4
    const square4 y = transposed((square4){x[0], x[1], x[2], x[3]});
#endif
#if LWI_REAL_LANES == 4
    store_four(y.a, y.b, y.c, y.d, length, rows);
#elif LWI_REAL_LANES == 8
    const square4 z = transposed((square4){x[4], x[5], x[6], x[7]});
    store_four(LWI_HALVES(y.a, z.a, 0), LWI_HALVES(y.b, z.b, 0), LWI_HALVES(y.c, z.c, 0),
               LWI_HALVES(y.d, z.d, 0), length, rows);
    store_four(LWI_HALVES(y.a, z.a, 4), LWI_HALVES(y.b, z.b, 4), LWI_HALVES(y.c, z.c, 4),
               LWI_HALVES(y.d, z.d, 4), length, &rows[4 * length]);
#else
    for (int lane = 0; lane < LANES; ++lane) {
        for (int k = 0; k < LANES; ++k) {
            rows[lane * length + k] = real_lane(x[k], lane);
        }
    }
#endif
}

/// Lanes become rows of `count` states.
static inline void store_rows(const real *x, int length, int count, const int *location,
                              double *rows)
{
    int k = 0;
    for (; k + LANES <= length && count == LANES && !location; k += LANES) {
        store_columns(&x[k], length, &rows[k]);
    }
    for (; k < length; ++k) {
        const real y = x[location ? location[k] : k];
        for (int lane = 0; lane < count; ++lane) {
            rows[(ptrdiff_t)lane * length + k] = real_lane(y, lane);
        }
    }
}

#endif
