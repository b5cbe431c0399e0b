// Polynomials and tables with their derivatives, over the scalar of real.h.
#ifndef LWI_KERNEL_LAW_H
#define LWI_KERNEL_LAW_H

#include "../math/real.h"

#include <linkwork/model.h>

static inline void polynomial_at(const number *c, int n, number x, number f[4])
{
    f[0] = f[1] = f[2] = f[3] = 0;
    for (int k = n - 1; k >= 0; --k) {
        for (int order = 3; order > 0; --order) {
            f[order] = f[order] * x + (number)order * f[order - 1];
        }
        f[0] = f[0] * x + c[k];
    }
}

// Beyond its ends a table goes on along its last tangents.
static inline void table_at(const number *table, int n, number at, number f[4])
{
    const number *x = table, *y = table + n, *s = table + 2 * n;
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const number h = x[high] - x[low];
    const number inside = at < x[low] ? x[low] : at > x[high] ? x[high] : at;
    const number a = (x[high] - inside) / h, b = (inside - x[low]) / h;
    f[0] = a * y[low] + b * y[high] +
           ((a * a * a - a) * s[low] + (b * b * b - b) * s[high]) * h * h / 6;
    f[1] = (y[high] - y[low]) / h + ((3 * b * b - 1) * s[high] - (3 * a * a - 1) * s[low]) * h / 6;
    f[2] = a * s[low] + b * s[high];
    f[3] = (s[high] - s[low]) / h;
    if (inside != at) {
        f[0] += f[1] * (at - inside);
        f[2] = f[3] = 0;
    }
}

/// As lwi_curve_at().
static inline void curve_at(lw_law law, const number *coefficient, int n, number x, number f[4])
{
    if (law == LW_LAW_TABLE) {
        table_at(coefficient, n / 3, x, f);
    } else {
        polynomial_at(coefficient, n, x, f);
    }
}

#endif
