#include "arm_newton.h"

#include "math/damped.h"

#include <math.h>
#include <string.h>

static lw_vec3 column_z(const lw_mat3 *R)
{
    return lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z);
}

// The twist from the tip to the target, in the base frame: rotation vector, then displacement.
// Rows that the task leaves free are zero.
static void pose_error(const lw_pose *now, const lw_pose *X, lwi_ik_rows rows, double e[6])
{
    const lw_vec3 d = lw_sub3(X->p, now->p);
    lw_vec3 w = {0.0, 0.0, 0.0};
    if (rows == LWI_ROWS_POSE) {
        const lw_mat3 back = lw_transpose3(&now->R), R = lw_mul3(&X->R, &back);
        w = lw_log3(&R);
    } else if (rows == LWI_ROWS_DIRECTION) {
        const lw_vec3 a = column_z(&now->R), b = column_z(&X->R), x = lw_cross3(a, b);
        const double s = lw_norm3(x), angle = atan2(s, lw_dot3(a, b));
        w = s > 0.0 ? lw_scale3(angle / s, x) : lw_vec3_of(angle, 0.0, 0.0);
    }
    e[0] = w.x, e[1] = w.y, e[2] = w.z;
    e[3] = d.x, e[4] = d.y, e[5] = d.z;
}

static double size_of(const double e[6], double length)
{
    const double w = e[0] * e[0] + e[1] * e[1] + e[2] * e[2],
                 d = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    return sqrt(w * length * length + d);
}

double arm_residual(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, const lwi_angle *q,
                    double length)
{
    double e[6];
    const lw_pose now = lwi_arm_pose(arm, q);
    pose_error(&now, X, rows, e);
    return size_of(e, length);
}

// Geometric Jacobian at q, by columns: axis, and velocity of the tip.
static void jacobian(const lwi_arm *arm, const lwi_angle *q, lw_vec3 tip,
                     double J[6][LWI_ARM_JOINTS])
{
    for (int j = 0; j < arm->n; ++j) {
        lw_vec3 h = arm->h[j], c = arm->c[j];
        for (int i = j - 1; i >= 0; --i) {
            if (arm->slides[i]) {
                c = lw_add3(c, lw_scale3(q[i].s, arm->h[i]));
                continue;
            }
            h = lwi_rotate_about(arm->h[i], q[i], h);
            c = lw_add3(arm->c[i], lwi_rotate_about(arm->h[i], q[i], lw_sub3(c, arm->c[i])));
        }
        const lw_vec3 v = arm->slides[j] ? h : lw_cross3(h, lw_sub3(tip, c));
        const lw_vec3 w = arm->slides[j] ? lw_vec3_of(0.0, 0.0, 0.0) : h;
        J[0][j] = w.x, J[1][j] = w.y, J[2][j] = w.z;
        J[3][j] = v.x, J[4][j] = v.y, J[5][j] = v.z;
    }
}

// Gaussian elimination with row pivoting of [A | b], 6 x 7; false where it is singular.
static bool solve6(double A[6][LWI_ARM_JOINTS])
{
    for (int k = 0; k < 6; ++k) {
        int best = k;
        for (int i = k + 1; i < 6; ++i) {
            if (fabs(A[i][k]) > fabs(A[best][k])) {
                best = i;
            }
        }
        if (!(fabs(A[best][k]) > 1e-14)) {
            return false;
        }
        for (int j = k; j < 7 && best != k; ++j) {
            const double t = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = t;
        }
        const double inverse = 1.0 / A[k][k];
        for (int i = 0; i < 6; ++i) {
            if (i == k) {
                continue;
            }
            const double f = A[i][k] * inverse;
            for (int j = k; j < 7; ++j) {
                A[i][j] -= f * A[k][j];
            }
        }
        for (int j = k; j < 7; ++j) {
            A[k][j] *= inverse;
        }
    }
    return true;
}

// Where there are not six of both: least squares, with a damping that only decides between joints
// that have the same influence.
static bool least_squares(int n, lwi_ik_rows rows, lw_vec3 z, double J[6][LWI_ARM_JOINTS],
                          const double e[6], double *step)
{
    double N[LWI_ARM_JOINTS * LWI_ARM_JOINTS], minus[6], trace = 0.0;
    for (int j = 0; j < n; ++j) {
        lw_vec3 w = {J[0][j], J[1][j], J[2][j]};
        if (rows == LWI_ROWS_POSITION) {
            w = lw_vec3_of(0.0, 0.0, 0.0);
        } else if (rows == LWI_ROWS_DIRECTION) { // rotation about the direction does not count
            w = lw_sub3(w, lw_scale3(lw_dot3(w, z), z));
        }
        J[0][j] = w.x, J[1][j] = w.y, J[2][j] = w.z;
        for (int i = 0; i < 6; ++i) {
            trace += J[i][j] * J[i][j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        minus[i] = -e[i];
    }
    return lwi_damped_step(6, n, LWI_ARM_JOINTS, &J[0][0], minus, 1, 1e-14 * trace, N, step);
}

static bool newton_step(const lwi_arm *arm, lwi_ik_rows rows, const lwi_angle *q,
                        const lw_pose *now, const double e[6], unsigned fixed, double *step)
{
    double A[6][LWI_ARM_JOINTS], x[LWI_ARM_JOINTS];
    int list[LWI_ARM_JOINTS], n = 0;
    jacobian(arm, q, now->p, A);
    for (int j = 0; j < arm->n; ++j) {
        step[j] = 0.0;
        if (fixed >> j & 1u) {
            continue;
        }
        for (int i = 0; i < 6 && n < j; ++i) {
            A[i][n] = A[i][j];
        }
        list[n++] = j;
    }
    if (n != 6 || rows != LWI_ROWS_POSE) {
        if (!least_squares(n, rows, column_z(&now->R), A, e, x)) {
            return false;
        }
    } else {
        for (int i = 0; i < 6; ++i) {
            A[i][6] = e[i];
        }
        if (!solve6(A)) {
            return false;
        }
        for (int i = 0; i < 6; ++i) {
            x[i] = A[i][6];
        }
    }
    for (int k = 0; k < n; ++k) {
        step[list[k]] = x[k];
    }
    return true;
}

double arm_refine(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, double length,
                  unsigned fixed, int steps, lwi_angle *q)
{
    double e[6], step[LWI_ARM_JOINTS];
    lw_pose now = lwi_arm_pose(arm, q);
    pose_error(&now, X, rows, e);
    double size = size_of(e, length);
    for (int k = 0; k < steps; ++k) {
        lwi_angle next[LWI_ARM_JOINTS];
        if (!newton_step(arm, rows, q, &now, e, fixed, step)) {
            break;
        }
        for (int i = 0; i < arm->n; ++i) {
            if (arm->slides[i]) {
                next[i] = (lwi_angle){q[i].s + step[i], 1.0};
                continue;
            }
            const double d = fmax(-0.5, fmin(0.5, step[i])), s = sin(d), c = cos(d);
            next[i] = (lwi_angle){q[i].s * c + q[i].c * s, q[i].c * c - q[i].s * s};
            const double r = 1.0 / sqrt(next[i].s * next[i].s + next[i].c * next[i].c);
            next[i].s *= r;
            next[i].c *= r;
        }
        double f[6];
        const lw_pose then = lwi_arm_pose(arm, next);
        pose_error(&then, X, rows, f);
        const double after = size_of(f, length);
        if (!(after < size)) {
            break;
        }
        const bool is_last = after > 0.5 * size;
        memcpy(q, next, (size_t)arm->n * sizeof *q);
        memcpy(e, f, sizeof e);
        now = then;
        size = after;
        if (is_last) {
            break;
        }
    }
    return size;
}
