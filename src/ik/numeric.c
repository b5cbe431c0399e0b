// Levenberg-Marquardt with the damping of Chan and Lawrence (1988), lambda = E / 10, an active set
// for the limits, and starts at the points of Halton's sequence: the same on every machine and in
// every run. Close to a solution the damping vanishes with the error, so convergence is quadratic.
#include "numeric.h"

#include <math.h>
#include <string.h>

// Positions of the joint axes at q, and of the tip, in the base frame.
typedef struct posture {
    lw_vec3 h[LWI_ARM_JOINTS], c[LWI_ARM_JOINTS];
    lw_pose X;
} posture;

static void place_arm(const lwi_arm *arm, const double *q, posture *at)
{
    lw_mat3 R = lw_mat3_identity(); // of what has been rotated so far
    lw_vec3 p = {0.0, 0.0, 0.0};    // image of the origin
    for (int i = 0; i < arm->n; ++i) {
        at->h[i] = lw_rotate(&R, arm->h[i]);
        at->c[i] = lw_add3(p, lw_rotate(&R, arm->c[i]));
        if (arm->slides[i]) {
            p = lw_add3(p, lw_scale3(q[i], at->h[i]));
            continue;
        }
        // Rotates everything beyond about the axis where it is now: columns of R, and p about c.
        const lwi_angle a = {sin(q[i]), cos(q[i])};
        lw_mat3 T = lw_transpose3(&R);
        for (int k = 0; k < 3; ++k) {
            T.row[k] = lwi_rotate_about(at->h[i], a, T.row[k]);
        }
        R = lw_transpose3(&T);
        p = lw_add3(at->c[i], lwi_rotate_about(at->h[i], a, lw_sub3(p, at->c[i])));
    }
    at->X.R = lw_mul3(&R, &arm->X_BT.R);
    at->X.p = lw_add3(p, lw_rotate(&R, arm->X_BT.p));
}

void lwi_pose_error(const lw_pose *now, const lw_pose *X, lwi_ik_rows rows, double e[6])
{
    const lw_vec3 d = lw_sub3(X->p, now->p);
    lw_vec3 w = {0.0, 0.0, 0.0};
    if (rows == LWI_ROWS_POSE) {
        const lw_mat3 back = lw_transpose3(&now->R), R = lw_mul3(&X->R, &back);
        w = lw_log3(&R);
    } else if (rows == LWI_ROWS_DIRECTION) {
        // The rotation vector that turns one direction into the other on the shortest way.
        const lw_vec3 a = {now->R.row[0].z, now->R.row[1].z, now->R.row[2].z},
                      b = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z}, x = lw_cross3(a, b);
        const double s = lw_norm3(x), angle = atan2(s, lw_dot3(a, b));
        if (s > 1e-12) {
            w = lw_scale3(angle / s, x);
        } else if (lw_dot3(a, b) < 0.0) { // opposite: about any axis across it
            const lw_vec3 any = fabs(a.x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0);
            w = lw_scale3(angle, lw_unit3(lw_cross3(a, any)));
        }
    }
    e[0] = w.x, e[1] = w.y, e[2] = w.z;
    e[3] = d.x, e[4] = d.y, e[5] = d.z;
}

static void jacobian_of(const lwi_arm *arm, const posture *at, lwi_ik_rows rows,
                        double J[LWI_ARM_JOINTS][6])
{
    const lw_vec3 z = {at->X.R.row[0].z, at->X.R.row[1].z, at->X.R.row[2].z};
    for (int i = 0; i < arm->n; ++i) {
        const lw_vec3 v =
            arm->slides[i] ? at->h[i] : lw_cross3(at->h[i], lw_sub3(at->X.p, at->c[i]));
        lw_vec3 w = {0.0, 0.0, 0.0};
        if (!arm->slides[i] && rows != LWI_ROWS_POSITION) {
            w = at->h[i];
            if (rows == LWI_ROWS_DIRECTION) { // rotation about the direction itself does not count
                w = lw_sub3(w, lw_scale3(lw_dot3(w, z), z));
            }
        }
        const double column[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
        memcpy(J[i], column, sizeof column);
    }
}

static double half_square(const double e[6])
{
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        sum += e[k] * e[k];
    }
    return 0.5 * sum;
}

static bool is_within(const double e[6], double tolerance)
{
    for (int k = 0; k < 6; ++k) {
        if (!(fabs(e[k]) <= tolerance)) {
            return false;
        }
    }
    return true;
}

// (J'J + lambda) d = J'e over the free joints, by Cholesky.
static void damped_step(int n, double (*J)[6], const double e[6], double lambda,
                        const bool *is_free, double *d)
{
    double A[LWI_ARM_JOINTS][LWI_ARM_JOINTS];
    int list[LWI_ARM_JOINTS], m = 0;
    for (int i = 0; i < n; ++i) {
        d[i] = 0.0;
        if (is_free[i]) {
            list[m++] = i;
        }
    }
    for (int a = 0; a < m; ++a) {
        const double *x = J[list[a]];
        for (int b = 0; b <= a; ++b) {
            const double *y = J[list[b]];
            double sum = a == b ? lambda : 0.0;
            for (int k = 0; k < 6; ++k) {
                sum += x[k] * y[k];
            }
            for (int k = 0; k < b; ++k) {
                sum -= A[a][k] * A[b][k];
            }
            A[a][b] = a == b ? sqrt(fmax(sum, 1e-300)) : sum / A[b][b];
        }
        double sum = 0.0;
        for (int k = 0; k < 6; ++k) {
            sum += x[k] * e[k];
        }
        for (int k = 0; k < a; ++k) {
            sum -= A[a][k] * d[list[k]];
        }
        d[list[a]] = sum / A[a][a];
    }
    for (int a = m - 1; a >= 0; --a) {
        double sum = d[list[a]];
        for (int k = a + 1; k < m; ++k) {
            sum -= A[k][a] * d[list[k]];
        }
        d[list[a]] = sum / A[a][a];
    }
}

// One iteration: joints that a limit holds against the gradient, and those that the step would
// take beyond one, leave the set of the free ones; they go to their limit, and the others make up
// for it.
static void iterate(const lwi_arm *arm, const lwi_numeric_def *def, double (*J)[6], double e[6],
                    double lambda, double *q)
{
    const int n = arm->n;
    bool is_free[LWI_ARM_JOINTS];
    double d[LWI_ARM_JOINTS];
    for (int i = 0; i < n; ++i) {
        double slope = 0.0;
        for (int k = 0; k < 6; ++k) {
            slope += J[i][k] * e[k];
        }
        is_free[i] =
            !((q[i] <= def->lower[i] && slope < 0.0) || (q[i] >= def->upper[i] && slope > 0.0));
    }
    for (int round = 0; round < 3; ++round) {
        bool is_changed = false;
        damped_step(n, J, e, lambda, is_free, d);
        for (int i = 0; i < n && round < 2; ++i) {
            const double wanted = q[i] + d[i],
                         limit = wanted < def->lower[i] ? def->lower[i] : def->upper[i];
            if (is_free[i] && (wanted < def->lower[i] || wanted > def->upper[i])) {
                for (int k = 0; k < 6; ++k) {
                    e[k] -= J[i][k] * (limit - q[i]);
                }
                q[i] = limit;
                is_free[i] = false;
                is_changed = true;
            }
        }
        if (!is_changed) {
            break;
        }
    }
    for (int i = 0; i < n; ++i) {
        // No step of more than half a turn: beyond, the linearization says nothing.
        const double step = arm->slides[i] ? d[i] : fmax(-3.0, fmin(3.0, d[i]));
        q[i] = fmax(def->lower[i], fmin(def->upper[i], q[i] + step));
    }
}

static const int prime[LWI_ARM_JOINTS] = {2, 3, 5, 7, 11, 13, 17, 19};

double lwi_halton(int index, int base)
{
    double f = 1.0, r = 0.0;
    while (index > 0) {
        f /= base;
        r += f * (index % base);
        index /= base;
    }
    return r;
}

// The start number `start` within the limits; a joint without limits has one turn, or one metre.
static void start_at(const lwi_arm *arm, const lwi_numeric_def *def, int start, double *q)
{
    for (int i = 0; i < arm->n; ++i) {
        const double wide = arm->slides[i] ? 0.5 : 3.141592653589793;
        const double lower = isfinite(def->lower[i])   ? def->lower[i]
                             : isfinite(def->upper[i]) ? def->upper[i] - 2.0 * wide
                                                       : -wide,
                     upper = isfinite(def->upper[i]) ? def->upper[i] : lower + 2.0 * wide;
        const double u = start == 1 ? 0.5 : lwi_halton(start + 9, prime[i]);
        q[i] = lower + u * (upper - lower);
    }
}

lwi_numeric_result lwi_numeric_solve(const lwi_arm *arm, const lw_pose *X,
                                     const lwi_numeric_def *def, double *q)
{
    lwi_numeric_result result = {.residual = (double)INFINITY};
    double now[LWI_ARM_JOINTS], J[LWI_ARM_JOINTS][6], e[6];
    posture at;
    for (int i = 0; i < arm->n; ++i) {
        now[i] = fmax(def->lower[i], fmin(def->upper[i], q[i]));
    }
    for (int start = 0; start < def->starts; ++start) {
        if (start > 0) {
            start_at(arm, def, start, now);
        }
        result.starts = start + 1;
        double before = (double)INFINITY;
        int slow = 0;
        for (int k = 0; k <= def->iterations; ++k) {
            place_arm(arm, now, &at);
            lwi_pose_error(&at.X, X, def->rows, e);
            const double E = half_square(e);
            if (sqrt(2.0 * E) < result.residual) {
                result.residual = sqrt(2.0 * E);
                memcpy(q, now, (size_t)arm->n * sizeof *q);
            }
            if (is_within(e, def->tolerance)) {
                result.is_solved = true;
                return result;
            }
            slow = E > 0.999 * before ? slow + 1 : 0;
            before = fmin(E, before);
            if (slow >= 5 || k == def->iterations) {
                break;
            }
            jacobian_of(arm, &at, def->rows, J);
            iterate(arm, def, J, e, fmax(0.1 * E, 1e-18), now);
            ++result.iterations;
        }
    }
    for (int i = 0; i < arm->n; ++i) {
        if (q[i] <= def->lower[i] || q[i] >= def->upper[i]) {
            result.at_limit |= 1u << i;
        }
    }
    return result;
}

double lwi_numeric_descend(const lwi_arm *arm, const lw_pose *X, const lwi_numeric_def *def,
                           double *q)
{
    double J[LWI_ARM_JOINTS][6], e[6], next[LWI_ARM_JOINTS], f[6], lambda = 1e-3;
    posture at;
    place_arm(arm, q, &at);
    lwi_pose_error(&at.X, X, def->rows, e);
    double E = half_square(e);
    jacobian_of(arm, &at, def->rows, J);
    for (int k = 0; k < def->iterations && lambda < 1e6; ++k) {
        memcpy(next, q, (size_t)arm->n * sizeof *q);
        memcpy(f, e, sizeof f);
        iterate(arm, def, J, f, lambda, next);
        place_arm(arm, next, &at);
        lwi_pose_error(&at.X, X, def->rows, f);
        const double after = half_square(f);
        if (!(after < E)) {
            lambda *= 5.0;
            continue;
        }
        const bool is_last = after > (1.0 - 1e-9) * E;
        memcpy(q, next, (size_t)arm->n * sizeof *q);
        memcpy(e, f, sizeof e);
        E = after;
        lambda = fmax(0.2 * lambda, 1e-12);
        if (is_last) {
            break;
        }
        jacobian_of(arm, &at, def->rows, J);
    }
    return sqrt(2.0 * E);
}
