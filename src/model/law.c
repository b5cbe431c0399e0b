// Polynomials, tables and functions of the user's, with their derivatives.
#include "law.h"

static void polynomial_at(const double *c, int n, double x, double f[4])
{
    f[0] = f[1] = f[2] = f[3] = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        for (int order = 3; order > 0; --order) {
            f[order] = f[order] * x + (double)order * f[order - 1];
        }
        f[0] = f[0] * x + c[k];
    }
}

// The second derivatives s of the inner points solve a tridiagonal system,
//
//   (x_k - x_{k-1}) s_{k-1} + 2 (x_{k+1} - x_{k-1}) s_k + (x_{k+1} - x_k) s_{k+1} = 6 kink_k,
//
// with kink_k the slope after point k less that before it. A table has room for s alone, so each
// value is found by condensing the system from its far end, s_k = p_k s_{k-1} + r_k: as many steps
// as points for every point, which a compile can afford.
void lwi_spline(double *table, int n)
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

// Beyond its ends a table goes on along its last tangents.
static void table_at(const double *table, int n, double at, double f[4])
{
    const double *x = table, *y = table + n, *s = table + 2 * n;
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double h = x[high] - x[low];
    const double inside = at < x[low] ? x[low] : at > x[high] ? x[high] : at;
    const double a = (x[high] - inside) / h, b = (inside - x[low]) / h;
    f[0] = a * y[low] + b * y[high] +
           ((a * a * a - a) * s[low] + (b * b * b - b) * s[high]) * h * h / 6.0;
    f[1] = (y[high] - y[low]) / h +
           ((3.0 * b * b - 1.0) * s[high] - (3.0 * a * a - 1.0) * s[low]) * h / 6.0;
    f[2] = a * s[low] + b * s[high];
    f[3] = (s[high] - s[low]) / h;
    if (inside != at) {
        f[0] += f[1] * (at - inside);
        f[2] = f[3] = 0.0;
    }
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

void lwi_law_at(const lwi_step *step, double x, double f[4])
{
    switch (step->law) {
    case LW_LAW_POLYNOMIAL:
        polynomial_at(step->coefficient, step->ncoefficient, x, f);
        break;
    case LW_LAW_TABLE:
        table_at(step->coefficient, step->ncoefficient / 3, x, f);
        break;
    case LW_LAW_FUNCTION:
        user_at(&step->function, x, f);
        break;
    }
}
