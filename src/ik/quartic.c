// Ferrari's solution of the quartic by its resolvent cubic, and Newton's method on the original
// coefficients afterwards, which removes what the substitutions lost.
#include "quartic.h"

#include <float.h>
#include <math.h>

// A pair of complex roots x +- iy is taken for a double root where y is below this share of the
// size of the roots: a double root of coefficients that are rounded at 1e-16 splits by the root of
// that, and by more where the quartic is far from normalized.
#define DOUBLE_ROOT 1e-5

// x^2 + b x + c: real roots, or the real part of a pair that is nearly real.
static int quadratic(double b, double c, double size, double *root)
{
    const double mid = -0.5 * b, square = mid * mid - c;
    if (square < 0.0) {
        root[0] = mid;
        return sqrt(-square) <= DOUBLE_ROOT * size;
    }
    const double far = mid + copysign(sqrt(square), mid);
    root[0] = far;
    root[1] = far != 0.0 ? c / far : 0.0;
    return 2;
}

// The largest real root of x^3 + a x^2 + b x + c.
static double largest_of_cubic(double a, double b, double c)
{
    const double shift = a / 3.0, p = b - a * shift, q = c + shift * (2.0 * shift * shift - b),
                 third = p / 3.0, half = 0.5 * q,
                 discriminant = half * half + third * third * third;
    double x;
    if (discriminant > 0.0) {
        const double u = cbrt(-half - copysign(sqrt(discriminant), half));
        x = u - (u != 0.0 ? third / u : 0.0);
    } else {
        const double r = sqrt(fmax(0.0, -third));
        const double cosine = r > 0.0 ? -half / (r * r * r) : 0.0;
        x = 2.0 * r * cos(acos(fmax(-1.0, fmin(1.0, cosine))) / 3.0);
    }
    return x - shift;
}

static double polished(const double c[5], double x)
{
    for (int i = 0; i < 3; ++i) {
        const double f = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
        const double slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
        const double step = f / slope;
        if (!(fabs(step) <= 1e-3 * (1.0 + fabs(x)))) {
            break; // a double root has no slope: Newton's method would leave it
        }
        x -= step;
    }
    return x;
}

int lwi_quartic_roots(const double c[5], double root[4])
{
    double size = 0.0;
    int degree = 4, count;
    for (int i = 0; i < 5; ++i) {
        size = fmax(size, fabs(c[i]));
    }
    while (degree > 0 && fabs(c[degree]) <= 1e-14 * size) {
        --degree;
    }
    if (degree == 0 || !isfinite(size)) {
        return 0;
    }
    if (degree == 1) {
        root[0] = -c[0] / c[1];
        return 1;
    }
    // The largest root is no larger than this (Fujiwara).
    double bound = 0.0;
    for (int i = 0; i < degree; ++i) {
        bound = fmax(bound, 2.0 * pow(fabs(c[i] / c[degree]), 1.0 / (degree - i)));
    }
    if (degree == 2) {
        count = quadratic(c[1] / c[2], c[0] / c[2], bound, root);
    } else if (degree == 3) {
        const double a = c[2] / c[3], b = c[1] / c[3], d = c[0] / c[3];
        const double x = largest_of_cubic(a, b, d);
        root[0] = x;
        count = 1 + quadratic(a + x, b + x * (a + x), bound, root + 1);
    } else {
        const double a = c[3] / c[4], b = c[2] / c[4], d = c[1] / c[4], e = c[0] / c[4];
        // x = y - a/4 removes the cubic term: y^4 + p y^2 + q y + r.
        const double s = 0.25 * a, p = b - 6.0 * s * s, q = d - 2.0 * b * s + 8.0 * s * s * s,
                     r = e - d * s + b * s * s - 3.0 * s * s * s * s;
        // y^4 + p y^2 + q y + r = (y^2 + m/2 + p/2)^2 - m (y - q / (2m))^2 for a root m of the
        // resolvent m^3 + 2 p m^2 + (p^2 - 4 r) m - q^2, whose largest root is not negative.
        const double m = fmax(0.0, largest_of_cubic(2.0 * p, p * p - 4.0 * r, -q * q));
        const double w = sqrt(m);
        const double k = w > DBL_MIN && m > 1e-14 * bound * bound
                             ? q / (2.0 * w)
                             : copysign(sqrt(fmax(0.0, 0.25 * p * p - r)), 1.0);
        const double base = 0.5 * (m + p);
        count = quadratic(w, base - k, bound, root);
        count += quadratic(-w, base + k, bound, root + count);
        for (int i = 0; i < count; ++i) {
            root[i] -= s;
        }
    }
    for (int i = 0; i < count; ++i) {
        root[i] = polished(c, root[i]);
    }
    return count;
}
