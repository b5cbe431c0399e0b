// The reduction of Lyapunov and Schmidt, by bordered matrices (Govaerts 2000): with u and n near
// the null vectors of J' and J, the errors e(q) = u m and n . (q - q0) = t determine a curve q(t)
// and a function m(t) next to a singular configuration, where Newton's method for e(q) = 0 fails.
#include "fold.h"

#include "numeric.h"

#include <math.h>
#include <string.h>

enum { N = 7 };

/// Below this the error changes too little along the curve to tell its least value from there.
#define LEAST_CURVATURE 0.1

/// A point of the curve.
typedef struct point {
    lwi_angle q[6];
    double x[6]; ///< q - q0
    double t;
    double m, slope; ///< m(t) and its derivative
} point;

typedef struct curve {
    const lwi_arm *arm;
    const lw_pose *X;
    double unit; ///< of lengths, 1/m
    double u[6], n[6];
} curve;

// Errors and the Jacobian at q, rotation first; lengths are in lengths of the arm.
static void linearize(const curve *c, const lwi_angle *q, double e[6], double J[6][6])
{
    const lwi_arm *arm = c->arm;
    lw_vec3 h[6], at[6], p = {0.0, 0.0, 0.0};
    lw_mat3 R = lw_mat3_identity(); // rows are the columns of the rotation so far
    for (int i = 0; i < 6; ++i) {
        h[i] = lw_rotate_back(&R, arm->h[i]);
        at[i] = lw_add3(p, lw_rotate_back(&R, arm->c[i]));
        for (int k = 0; k < 3; ++k) {
            R.row[k] = lwi_rotate_about(h[i], q[i], R.row[k]);
        }
        p = lw_sub3(at[i], lw_rotate_back(&R, arm->c[i]));
    }
    const lw_mat3 columns = lw_transpose3(&R);
    const lw_pose T = {lw_mul3(&columns, &arm->X_BT.R),
                       lw_add3(p, lw_rotate_back(&R, arm->X_BT.p))};
    lwi_pose_error(&T, c->X, LWI_ROWS_POSE, e);
    for (int i = 0; i < 6; ++i) {
        const lw_vec3 v = lw_scale3(c->unit, lw_cross3(h[i], lw_sub3(T.p, at[i])));
        const double column[6] = {h[i].x, h[i].y, h[i].z, v.x, v.y, v.z};
        for (int r = 0; r < 6; ++r) {
            J[r][i] = column[r];
        }
    }
    for (int r = 3; r < 6; ++r) {
        e[r] *= c->unit;
    }
}

// Gaussian elimination with two right sides; false where a pivot is next to nothing.
static bool solve(double A[N][N], double b[N][2])
{
    for (int k = 0; k < N; ++k) {
        int best = k;
        for (int i = k + 1; i < N; ++i) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        if (!(fabs(A[best][k]) > 1e-4)) {
            return false;
        }
        for (int j = 0; j < N && best != k; ++j) {
            const double a = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = a;
        }
        for (int j = 0; j < 2 && best != k; ++j) {
            const double a = b[k][j];
            b[k][j] = b[best][j];
            b[best][j] = a;
        }
        for (int i = k + 1; i < N; ++i) {
            const double f = A[i][k] / A[k][k];
            for (int j = k + 1; j < N; ++j) {
                A[i][j] -= f * A[k][j];
            }
            b[i][0] -= f * b[k][0];
            b[i][1] -= f * b[k][1];
        }
    }
    for (int k = N - 1; k >= 0; --k) {
        for (int r = 0; r < 2; ++r) {
            for (int j = k + 1; j < N; ++j) {
                b[k][r] -= A[k][j] * b[j][r];
            }
            b[k][r] /= A[k][k];
        }
    }
    return true;
}

static void border(const curve *c, double J[6][6], bool is_transposed, double A[N][N])
{
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A[i][j] = is_transposed ? J[j][i] : J[i][j];
        }
        A[i][6] = is_transposed ? c->n[i] : c->u[i];
        A[6][i] = is_transposed ? c->u[i] : c->n[i];
    }
    A[6][6] = 0.0;
}

// The vectors that the bordered matrix has for null vectors of J and J': two rounds from any ones.
static bool find_directions(curve *c, double J[6][6])
{
    for (int i = 0; i < 6; ++i) {
        c->u[i] = c->n[i] = 0.4 + 0.05 * i * (i % 2 ? -1.0 : 1.0);
    }
    for (int round = 0; round < 2; ++round) {
        for (int side = 0; side < 2; ++side) {
            double A[N][N], b[N][2] = {{0}}, *out = side ? c->u : c->n, norm = 0.0;
            border(c, J, side == 1, A);
            b[6][0] = 1.0;
            if (!solve(A, b)) {
                return false;
            }
            for (int i = 0; i < 6; ++i) {
                norm += b[i][0] * b[i][0];
            }
            for (int i = 0; i < 6; ++i) {
                out[i] = b[i][0] / sqrt(norm);
            }
        }
    }
    return true;
}

// Newton's method to the point of the curve at t, from another one.
static bool move_to(const curve *c, double t, point *p)
{
    double change = 1.0;
    p->t = t;
    for (int k = 0; k < 6 && change > 1e-3; ++k) {
        double e[6], J[6][6], A[N][N], b[N][2] = {{0}}, along = 0.0;
        linearize(c, p->q, e, J);
        border(c, J, false, A);
        for (int i = 0; i < 6; ++i) {
            b[i][0] = e[i];
            along += c->n[i] * p->x[i];
        }
        b[6][0] = t - along;
        b[6][1] = 1.0;
        if (!solve(A, b)) {
            return false;
        }
        change = 0.0;
        for (int i = 0; i < 6; ++i) {
            const double d = b[i][0];
            if (!(fabs(d) < 1.0)) {
                return false;
            }
            const lwi_angle q = p->q[i];
            const double s = q.s + d * q.c, cosine = q.c - d * q.s, r = 1.0 / hypot(s, cosine);
            p->q[i] = (lwi_angle){r * s, r * cosine};
            p->x[i] += atan(d);
            change = fmax(change, fabs(d));
        }
        p->m = b[6][0];
        p->slope = b[6][1];
    }
    return change < 1e-2;
}

static void keep(const point *p, lwi_fold *out)
{
    if (out->count < LWI_FOLD_SOLUTIONS) {
        memcpy(out->q[out->count++], p->q, sizeof p->q);
    }
}

// The least error on the curve, by the secant method on its derivative, from t = 0. False where
// the curve is not a parabola at about this place.
static bool find_vertex(const curve *c, point *p, double *curvature)
{
    enum { ROUNDS = 6 };
    point before = *p;
    if (!move_to(c, 0.05, p)) {
        return false;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        *curvature = (p->slope - before.slope) / (p->t - before.t);
        const double step = -p->slope / *curvature;
        if (!(fabs(p->t + step) < 1.0)) {
            return false;
        }
        // What remains there by the parabola; far from zero there is no need to see it.
        const double rest = p->m + 0.5 * p->slope * step;
        if (fabs(step) < 1e-3 || (fabs(*curvature) > LEAST_CURVATURE && rest * *curvature > 0.0 &&
                                  fabs(step) < 0.3 && fabs(rest) > 0.3 * fabs(p->slope * step))) {
            p->m = rest;
            return true;
        }
        before = *p;
        if (!move_to(c, p->t + step, p)) {
            return false;
        }
    }
    return true;
}

// The zeros of a parabola, that on the side of t = 0 first.
static bool solve_parabola(const curve *c, const point *at, lwi_fold *out)
{
    point vertex = *at;
    double curvature;
    if (!find_vertex(c, &vertex, &curvature)) {
        return false;
    }
    const double half2 = -2.0 * vertex.m / curvature, side = vertex.t > 0.0 ? -1.0 : 1.0;
    if (!(half2 > 0.0)) {
        return true;
    }
    const double half = sqrt(half2);
    point one = vertex, two = vertex;
    if (!(half < 1.0) || !move_to(c, vertex.t + side * half, &one) ||
        !move_to(c, vertex.t - side * half, &two)) {
        return false;
    }
    keep(&one, out);
    keep(&two, out);
    return true;
}

bool lwi_fold_solve(const lwi_arm *arm, double length, const lw_pose *X, const lwi_angle *q,
                    lwi_fold *out)
{
    curve c = {.arm = arm, .X = X, .unit = 1.0 / length};
    double e[6], J[6][6];
    point p = {.t = 0.0};
    out->count = 0;
    memcpy(p.q, q, sizeof p.q);
    linearize(&c, p.q, e, J);
    if (!find_directions(&c, J) || !move_to(&c, 0.0, &p)) {
        return false;
    }
    return solve_parabola(&c, &p, out);
}
