// The dual of the problem has six unknowns y, whatever the number of contacts: x = P(A' y), the
// projection onto the cones, and y maximises a' y - A' y . x + 1/2 |x|^2, whose gradient is a - A
// x. The projection is smooth but for its seams, so Newton's method on the gradient converges
// quadratically (L. Qi, J. Sun, A nonsmooth version of Newton's method, 1993), and forces are
// within their cones exactly all the time.
//
// It is made definite by proximal steps (R. T. Rockafellar, Augmented Lagrangians and applications
// of the proximal point algorithm in convex programming, 1976): what a step leaves, weight times
// the change of y, goes to zero where there are forces, and else to the least wrench that is
// missing.
#include "cone_forces.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PROXIMAL = 30, NEWTON = 60, HALVINGS = 30 };

typedef struct dual {
    int n;
    const lwi_cone *cone;
    const double *A, *a;
    int stride;
    double square;    ///< of A
    double weight;    ///< of the proximal term
    double center[6]; ///< of it
    double *x;
    double F[6];    ///< gradient
    double H[6][6]; ///< less the second derivative; its lower triangle
    int nactive;
} dual;

// The projection of z onto a cone, and its derivative D; true on the boundary.
static bool project(const lwi_cone *cone, const double z[3], double p[3], double D[3][3])
{
    const double mu = cone->friction, across = hypot(z[0], z[1]), normal = z[2];
    memset(D, 0, 9 * sizeof D[0][0]);
    const bool is_inside = across <= mu * normal;
    const double length = is_inside ? normal : (mu * across + normal) / (1.0 + mu * mu);
    p[0] = p[1] = p[2] = 0.0;
    if (length <= 0.0) {                         // the apex
        D[0][0] = D[1][1] = D[2][2] = is_inside; // where z is zero, the unit matrix will do
        return !is_inside;
    }
    const bool is_capped = length > cone->most;
    p[2] = is_capped ? cone->most : length;
    const bool is_within = across <= mu * p[2] && (is_inside || is_capped);
    const double share = is_within ? 1.0 : mu * p[2] / across; // of what is across
    const double t[2] = {across > 0.0 ? z[0] / across : 0.0, across > 0.0 ? z[1] / across : 0.0};
    for (int i = 0; i < 2; ++i) {
        p[i] = share * z[i];
        for (int k = 0; k < 2; ++k) {
            D[i][k] = share * ((i == k) - (is_within ? 0.0 : t[i] * t[k]));
        }
    }
    if (!is_capped) {
        const double s = is_inside ? 0.0 : 1.0 / (1.0 + mu * mu); // along the line of the cone
        D[2][2] = is_inside ? 1.0 : s;
        for (int i = 0; i < 2 && !is_inside; ++i) {
            D[i][2] = D[2][i] = s * mu * t[i];
            for (int k = 0; k < 2; ++k) {
                D[i][k] += s * mu * mu * t[i] * t[k];
            }
        }
    }
    return is_capped || !is_inside;
}

// z = A' y of contact i.
static void pull(const dual *d, int i, const double y[6], double z[3])
{
    const double *A = d->A + 3 * i;
    z[0] = z[1] = z[2] = 0.0;
    for (int k = 0; k < 6; ++k, A += d->stride) {
        for (int j = 0; j < 3; ++j) {
            z[j] += A[j] * y[k];
        }
    }
}

// Whether what is missing proves that there are no forces (J. Farkas, 1902): taken as a motion, it
// has more power with the wrench than with any x of the cones.
static bool is_proof(const dual *d, const double missing[6])
{
    double power = 0.0, square = 0.0;
    for (int k = 0; k < 6; ++k) {
        power += missing[k] * d->a[k];
        square += missing[k] * missing[k];
    }
    for (int i = 0; i < d->n; ++i) {
        double z[3];
        pull(d, i, missing, z);
        const double most = z[2] + d->cone[i].friction * hypot(z[0], z[1]);
        if (most > (d->cone[i].most < HUGE_VAL ? 0.0 : 1e-7 * sqrt(square * d->square))) {
            power -= most * d->cone[i].most;
        }
    }
    return power > 0.5 * square; // where it is the least, the power is the square
}

// x = P(A' y), gradient and second derivative.
static void evaluate(dual *d, const double y[6])
{
    d->nactive = 0;
    for (int k = 0; k < 6; ++k) {
        d->F[k] = d->a[k] - d->weight * (y[k] - d->center[k]);
        for (int j = 0; j <= k; ++j) {
            d->H[k][j] = k == j ? d->weight : 0.0;
        }
    }
    for (int i = 0; i < d->n; ++i) {
        const double *A = d->A + 3 * i;
        double z[3], D[3][3], *x = d->x + 3 * i;
        pull(d, i, y, z);
        d->nactive += project(&d->cone[i], z, x, D);
        for (int k = 0; k < 6; ++k) {
            const double *row = A + k * d->stride;
            d->F[k] -= row[0] * x[0] + row[1] * x[1] + row[2] * x[2];
            for (int j = 0; j <= k; ++j) {
                const double *other = A + j * d->stride;
                for (int r = 0; r < 3; ++r) {
                    d->H[k][j] +=
                        row[r] * (D[r][0] * other[0] + D[r][1] * other[1] + D[r][2] * other[2]);
                }
            }
        }
    }
}

// step = H^-1 F by the factors of Cholesky.
static void solve(const dual *d, double step[6])
{
    double L[6][6];
    for (int k = 0; k < 6; ++k) {
        step[k] = d->F[k];
        for (int j = 0; j <= k; ++j) {
            double sum = d->H[k][j];
            for (int i = 0; i < j; ++i) {
                sum -= L[k][i] * L[j][i];
            }
            L[k][j] = j < k ? sum / L[j][j] : sqrt(fmax(sum, 0.5 * d->weight));
        }
        for (int i = 0; i < k; ++i) {
            step[k] -= L[k][i] * step[i];
        }
        step[k] /= L[k][k];
    }
    for (int k = 5; k >= 0; --k) {
        for (int i = k + 1; i < 6; ++i) {
            step[k] -= L[i][k] * step[i];
        }
        step[k] /= L[k][k];
    }
}

static double largest(const double v[6])
{
    double most = 0.0;
    for (int k = 0; k < 6; ++k) {
        most = fmax(most, fabs(v[k]));
    }
    return most;
}

// Of the gradient: of A A' y, of which x is a part.
static double rounding(const dual *d, const double y[6])
{
    return 4.0 * DBL_EPSILON * d->square * largest(y);
}

// Goes along a step until the slope is a tenth of what it was at most, up or down: the seams of the
// projection are near each other beside a small weight, and steps that are less exact go round in
// circles between them. False where rounding is all there is.
static bool search_line(dual *d, const double step[6], double y[6])
{
    double slope = 0.0, low = 0.0, high = HUGE_VAL, t = 1.0, start[6];
    const double before = largest(d->F);
    memcpy(start, y, sizeof start);
    for (int k = 0; k < 6; ++k) {
        slope += step[k] * d->F[k];
    }
    for (int i = 0; i < HALVINGS; ++i) {
        double ahead = 0.0;
        for (int k = 0; k < 6; ++k) {
            y[k] = start[k] + t * step[k];
        }
        evaluate(d, y);
        for (int k = 0; k < 6; ++k) {
            ahead += step[k] * d->F[k];
        }
        if (fabs(ahead) <= 0.1 * slope || largest(d->F) <= 0.1 * before) {
            return true;
        }
        if (ahead < 0.0) {
            high = t;
        } else {
            low = t;
        }
        t = high < HUGE_VAL ? 0.5 * (low + high) : 2.0 * t;
    }
    return low > 0.0;
}

// Maximises with the proximal term. Returns the number of Newton steps.
static int maximise(dual *d, double tolerance, double y[6])
{
    evaluate(d, y);
    for (int count = 0; count < NEWTON; ++count) {
        double step[6];
        if (largest(d->F) <= fmax(tolerance, rounding(d, y))) {
            return count;
        }
        solve(d, step);
        if (!search_line(d, step, y)) {
            return count;
        }
    }
    return NEWTON;
}

// A proximal step from y; what is left of a, without the proximal term, in `missing`.
static double proximal_step(dual *d, double weight, double tolerance, double y[6],
                            lwi_cone_result *result)
{
    memcpy(d->center, y, sizeof d->center);
    d->weight = weight;
    result->iterations += maximise(d, tolerance, y);
    for (int k = 0; k < 6; ++k) {
        result->missing[k] = d->F[k] + weight * (y[k] - d->center[k]);
    }
    return largest(result->missing);
}

lwi_cone_result lwi_cone_forces(int n, const lwi_cone *cone, const double *A, int stride,
                                const double a[6], double tolerance, double *x)
{
    dual d = {.n = n, .cone = cone, .A = A, .a = a, .stride = stride, .x = x};
    lwi_cone_result result = {.end = LWI_CONE_STOPPED};
    double y[6] = {0.0}, rest = 0.0;
    for (int k = 0; k < 6; ++k) {
        for (int j = 0; j < 3 * n; ++j) {
            d.square += A[k * stride + j] * A[k * stride + j];
        }
    }
    double weight = 1e-3 * d.square;
    for (int i = 0; i < PROXIMAL && result.end == LWI_CONE_STOPPED; ++i) {
        rest = proximal_step(&d, weight, 0.1 * tolerance, y, &result);
        if (rest <= fmax(tolerance, 2.0 * rounding(&d, y))) {
            result.end = LWI_CONE_DONE;
        } else if (i >= 2 && rest > 1e3 * tolerance && is_proof(&d, result.missing)) {
            result.end = LWI_CONE_INFEASIBLE;
        }
        weight = fmax(0.05 * weight, 1e-9 * d.square);
    }
    result.kkt = result.end == LWI_CONE_INFEASIBLE ? largest(d.F) : rest;
    result.nactive = d.nactive;
    return result;
}
