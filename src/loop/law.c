// Polynomials, tables and functions of the user's, with their derivatives.
#include "law.h"

#include "kernel_law.h"

#include <math.h>

// The second derivatives s of the inner points solve a tridiagonal system,
//
//   (x_k - x_{k-1}) s_{k-1} + 2 (x_{k+1} - x_{k-1}) s_k + (x_{k+1} - x_k) s_{k+1} = 6 kink_k,
//
// with kink_k the slope after point k less that before it. A table has space for s alone, so each
// value is found by condensing the system from its far end, s_k = p_k s_{k-1} + r_k: as many steps
// as points for every point, which a compile can afford.
static void add_bends(double *table, int n)
{
    const double *x = table, *y = table + n;
    double *s = table + 2 * n;
    for (int k = 0; k < n; ++k) {
        s[k] = 0.0;
    }
    for (int k = 1; k + 1 < n; ++k) {
        double p = 0.0, r = 0.0; // s_{n-1} = 0
        for (int j = n - 2; j >= k; --j) {
            const double before = x[j] - x[j - 1], after = x[j + 1] - x[j];
            const double kink = 6.0 * ((y[j + 1] - y[j]) / after - (y[j] - y[j - 1]) / before);
            const double pivot = 2.0 * (before + after) + after * p;
            r = (kink - after * r) / pivot;
            p = -before / pivot;
        }
        s[k] = p * s[k - 1] + r;
    }
}

void lwi_fill_table(const double *pairs, int n, double *table)
{
    for (int k = 0; k < n; ++k) {
        table[k] = pairs[2 * k];
        table[n + k] = pairs[2 * k + 1];
    }
    add_bends(table, n);
}

// The third derivative of a user's law is the difference of its second ones.
static void user_at(const lw_coupling_function *law, double x, double f[4])
{
    const double step = 1e-4 * (1.0 + fabs(x));
    double side[3], low, high;
    law->at(law->context, x - step, side);
    low = side[2];
    law->at(law->context, x + step, side);
    high = side[2];
    law->at(law->context, x, f);
    f[3] = (high - low) / (2.0 * step);
}

void lwi_curve_at(lw_law law, const double *coefficient, int n, double x, double f[4])
{
    curve_at(law, coefficient, n, x, f);
}

void lwi_law_at(const lwi_step *step, double x, double f[4])
{
    if (step->law == LW_LAW_FUNCTION) {
        user_at(&step->function, x, f);
    } else {
        lwi_curve_at(step->law, step->coefficient, step->ncoefficient, x, f);
    }
}

// From the first point of a table to `at`. Over the share b of an interval, with a = 1 - b, the
// cubic above has the integral
//
//   h (y_0 (b - b^2/2) + y_1 b^2/2 + h^2/6 (s_0 (a^2/2 - a^4/4 - 1/4) + s_1 (b^4/4 - b^2/2))).
static double table_integral(const double *table, int n, double at)
{
    const double *x = table, *y = table + n, *s = table + 2 * n;
    double sum = 0.0, f[4];
    for (int k = 0; k + 1 < n && x[k] < at; ++k) {
        const double h = x[k + 1] - x[k];
        const double b = at < x[k + 1] ? (at - x[k]) / h : 1.0, a = 1.0 - b;
        const double a2 = a * a, b2 = b * b;
        const double bend =
            s[k] * (a2 / 2.0 - a2 * a2 / 4.0 - 0.25) + s[k + 1] * (b2 * b2 / 4.0 - b2 / 2.0);
        sum += h * (y[k] * (b - b2 / 2.0) + y[k + 1] * b2 / 2.0 + h * h / 6.0 * bend);
    }
    const double end = at < x[0] ? x[0] : x[n - 1];
    if (at < end || at > end) {
        const bool is_beyond = at < x[0] || at > x[n - 1];
        table_at(table, n, end, f);
        sum += is_beyond ? (at - end) * (f[0] + f[1] * (at - end) / 2.0) : 0.0;
    }
    return sum;
}

double lwi_curve_integral(lw_law law, const double *coefficient, int n, double x)
{
    if (law == LW_LAW_TABLE) {
        return table_integral(coefficient, n / 3, x) - table_integral(coefficient, n / 3, 0.0);
    }
    double sum = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        sum = sum * x + coefficient[k] / (double)(k + 1);
    }
    return sum * x;
}
