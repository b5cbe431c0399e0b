#include "refine.h"

#include <math.h>
#include <string.h>

// The twist from the tip to the target, in the base frame: rotation vector, then displacement.
static void pose_error(const lw_pose *now, const lw_pose *X, double e[6])
{
    const lw_mat3 back = lw_transpose3(&now->R), R = lw_mul3(&X->R, &back);
    const lw_vec3 w = lw_log3(&R), d = lw_sub3(X->p, now->p);
    e[0] = w.x, e[1] = w.y, e[2] = w.z;
    e[3] = d.x, e[4] = d.y, e[5] = d.z;
}

static double size_of(const double e[6], double length)
{
    const double w = e[0] * e[0] + e[1] * e[1] + e[2] * e[2],
                 d = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    return sqrt(w * length * length + d);
}

double lwi_arm_residual(const lwi_arm *arm, const lw_pose *X, const lwi_angle *q, double length)
{
    double e[6];
    const lw_pose now = lwi_arm_pose(arm, q);
    pose_error(&now, X, e);
    return size_of(e, length);
}

// Geometric Jacobian at q, by columns: axis, and velocity of the tip.
static void jacobian(const lwi_arm *arm, const lwi_angle *q, lw_vec3 tip, double J[6][7])
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
static bool solve6(double A[6][7])
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

double lwi_arm_refine(const lwi_arm *arm, const lw_pose *X, double length, int steps, lwi_angle *q)
{
    double e[6], size, A[6][7];
    lw_pose now = lwi_arm_pose(arm, q);
    pose_error(&now, X, e);
    size = size_of(e, length);
    for (int step = 0; step < steps && arm->n == 6; ++step) {
        lwi_angle next[6];
        jacobian(arm, q, now.p, A);
        for (int i = 0; i < 6; ++i) {
            A[i][6] = e[i];
        }
        if (!solve6(A)) {
            break;
        }
        for (int i = 0; i < 6; ++i) {
            const double d = fmax(-0.5, fmin(0.5, A[i][6]));
            if (arm->slides[i]) {
                next[i] = (lwi_angle){q[i].s + A[i][6], 1.0};
                continue;
            }
            const double s = sin(d), c = cos(d);
            next[i] = (lwi_angle){q[i].s * c + q[i].c * s, q[i].c * c - q[i].s * s};
            const double r = 1.0 / sqrt(next[i].s * next[i].s + next[i].c * next[i].c);
            next[i].s *= r;
            next[i].c *= r;
        }
        double f[6];
        const lw_pose then = lwi_arm_pose(arm, next);
        pose_error(&then, X, f);
        const double after = size_of(f, length);
        if (!(after < size)) {
            break;
        }
        const bool is_last = after > 0.5 * size;
        memcpy(q, next, sizeof next);
        memcpy(e, f, sizeof e);
        now = then;
        size = after;
        if (is_last) {
            break;
        }
    }
    return size;
}
