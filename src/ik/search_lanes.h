// One iteration of the numeric solver: the Jacobian and the error of one configuration, and the
// step. The three components of vectors are side by side, not several configurations.
#ifndef LWI_SEARCH_LANES_H
#define LWI_SEARCH_LANES_H

#include "frames.h"
#include "ik_lanes.h"
#include "numeric.h"

/// Three components and one of padding. (Two registers have names, because arrays would live in
/// memory, and go there by halves.)
typedef struct quad {
    real low;
#if LWI_REAL_LANES == 2
    real high;
#endif
} quad;

static inline quad quad_load(const double *x)
{
#if LWI_REAL_LANES == 2
    return (quad){load_real(x), load_real(x + 2)};
#else
    return (quad){load_real(x)};
#endif
}

static inline void quad_store(quad q, double *x)
{
    store_real(q.low, x);
#if LWI_REAL_LANES == 2
    store_real(q.high, x + 2);
#endif
}

static inline quad quad_scaled(double s, quad a)
{
    a.low = s * a.low;
#if LWI_REAL_LANES == 2
    a.high = s * a.high;
#endif
    return a;
}

/// sum + s a
static inline quad quad_plus(quad sum, double s, quad a)
{
    sum.low += s * a.low;
#if LWI_REAL_LANES == 2
    sum.high += s * a.high;
#endif
    return sum;
}

static inline quad quad_of(double x, double y, double z)
{
    return quad_load((const double[4]){x, y, z, 0.0});
}

static inline void cross_quad(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/// The pose of the tip at q, its columns and its position, and axes and points on them.
typedef struct placed {
    double x[4], y[4], z[4], p[4];
    double h[LWI_ARM_JOINTS][4], c[LWI_ARM_JOINTS][4];
} placed;

static inline void place_tip(const lwi_frames *frames, const double *q, placed *at)
{
    double sine[LWI_ARM_JOINTS], cosine[LWI_ARM_JOINTS], all[LWI_ARM_JOINTS] = {0.0};
    const lw_pose *W = frames->W;
    const lw_vec3 *r = W->R.row;
    quad x = quad_of(r[0].x, r[1].x, r[2].x), y = quad_of(r[0].y, r[1].y, r[2].y),
         z = quad_of(r[0].z, r[1].z, r[2].z), p = quad_of(W->p.x, W->p.y, W->p.z);
    memcpy(all, q, sizeof *q * (size_t)frames->n);
    for (int i = 0; i < frames->n; i += LANES) {
        real s, c;
        sincos_real(load_real(&all[i]), &s, &c);
        store_real(s, &sine[i]);
        store_real(c, &cosine[i]);
    }
    for (int i = 0; i < frames->n; ++i) {
        quad_store(z, at->h[i]);
        quad_store(p, at->c[i]);
        if (frames->slides[i]) {
            p = quad_plus(p, q[i], z);
        } else {
            const quad old = x;
            x = quad_plus(quad_scaled(cosine[i], x), sine[i], y);
            y = quad_plus(quad_scaled(cosine[i], y), -sine[i], old);
        }
        const quad a = x, b = y, c = z;
        r = (++W)->R.row;
        p = quad_plus(quad_plus(quad_plus(p, W->p.z, c), W->p.x, a), W->p.y, b);
        x = quad_plus(quad_plus(quad_scaled(r[2].x, c), r[0].x, a), r[1].x, b);
        y = quad_plus(quad_plus(quad_scaled(r[2].y, c), r[0].y, a), r[1].y, b);
        z = quad_plus(quad_plus(quad_scaled(r[2].z, c), r[0].z, a), r[1].z, b);
    }
    quad_store(x, at->x);
    quad_store(y, at->y);
    quad_store(z, at->z);
    quad_store(p, at->p);
}

/// The rotation vector from where the tip is to X: half the sum of the cross products of the
/// columns is the axis times the sine of the angle.
static inline bool rotation_error(const placed *at, const lw_mat3 *R, double *e)
{
    const lw_vec3 *r = R->row;
    const double X[3][3] = {
        {r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}};
    double a[3], b[3], c[3], ss = 0.0, trace = 0.0;
    cross_quad(at->x, X[0], a);
    cross_quad(at->y, X[1], b);
    cross_quad(at->z, X[2], c);
    for (int k = 0; k < 3; ++k) {
        e[k] = 0.5 * (a[k] + b[k] + c[k]);
        ss += e[k] * e[k];
        trace += at->x[k] * X[0][k] + at->y[k] * X[1][k] + at->z[k] * X[2][k];
    }
    const double cosine = 0.5 * (trace - 1.0);
    if (cosine < -0.9) { // the axis loses its digits toward half a turn
        return false;
    }
    double ratio;
    if (cosine > 0.9 && ss < 0.04) { // the series of asin(s) / s, to 1e-10
        ratio = 1.0 + ss * (1.0 / 6.0 +
                            ss * (3.0 / 40.0 +
                                  ss * (15.0 / 336.0 +
                                        ss * (105.0 / 3456.0 + ss * (945.0 / 42240.0 +
                                                                     ss * (10395.0 / 599040.0))))));
    } else {
        const double sine = __builtin_sqrt(ss);
        ratio = real_lane(angle_of((angle){real_of(sine), real_of(cosine)}), 0) / sine;
    }
    for (int k = 0; k < 3; ++k) {
        e[k] *= ratio;
    }
    return true;
}

static void posture_at(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X, double weight,
                       const double *q, lwi_posture *out)
{
    placed at;
    place_tip(frames, q, &at);
    double *e = out->e;
    e[3] = e[7] = 0.0;
    e[4] = weight * (X->p.x - at.p[0]);
    e[5] = weight * (X->p.y - at.p[1]);
    e[6] = weight * (X->p.z - at.p[2]);
    if (rows != LWI_ROWS_POSE || !rotation_error(&at, &X->R, e)) {
        const lw_pose now = {{{{at.x[0], at.y[0], at.z[0]},
                               {at.x[1], at.y[1], at.z[1]},
                               {at.x[2], at.y[2], at.z[2]}}},
                             {at.p[0], at.p[1], at.p[2]}};
        double six[6];
        lwi_pose_error(&now, X, rows, six);
        memcpy(e, six, 3 * sizeof *e);
    }
    for (int i = 0; i < frames->n; ++i) {
        double *J = out->J[i];
        const double *h = at.h[i],
                     arm[3] = {weight * (at.p[0] - at.c[i][0]), weight * (at.p[1] - at.c[i][1]),
                               weight * (at.p[2] - at.c[i][2])};
        memset(J, 0, sizeof out->J[i]);
        if (frames->slides[i]) {
            J[4] = weight * h[0], J[5] = weight * h[1], J[6] = weight * h[2];
            continue;
        }
        cross_quad(h, arm, J + 4);
        // Rotation about the direction itself does not count.
        const double along =
            rows == LWI_ROWS_DIRECTION ? h[0] * at.z[0] + h[1] * at.z[1] + h[2] * at.z[2] : 0.0;
        for (int k = 0; k < 3 && rows != LWI_ROWS_POSITION; ++k) {
            J[k] = h[k] - along * at.z[k];
        }
    }
}

/// Row k of six in a column of eight.
LWI_INLINE int row_at(int k)
{
    return k < 3 ? k : k + 1;
}

/// L D L' of J J' + lambda, six rows; pivots below rounding are replaced. `inverse` is of D.
typedef struct factor {
    double L[6][6], inverse[6];
} factor;

static inline void factor_of(int n, const lwi_posture *at, double lambda, factor *f)
{
    quad low[6], high[3]; // rows of J J' left of its diagonal: against rotation, and against motion
    memset(low, 0, sizeof low);
    memset(high, 0, sizeof high);
    for (int i = 0; i < n; ++i) {
        const double *J = at->J[i];
        const quad w = quad_load(J), v = quad_load(J + 4);
        for (int k = 0; k < 6; ++k) {
            low[k] = quad_plus(low[k], J[row_at(k)], w);
        }
        for (int k = 0; k < 3; ++k) {
            high[k] = quad_plus(high[k], J[4 + k], v);
        }
    }
    double A[6][8];
    for (int k = 0; k < 6; ++k) {
        quad_store(low[k], A[k]);
        if (k >= 3) {
            quad_store(high[k - 3], A[k] + 4);
        }
    }
    for (int j = 0; j < 6; ++j) {
        double row[6]; // of L, times D
        const double least = 1e-15 * A[j][row_at(j)] + 1e-300;
        double pivot = A[j][row_at(j)] + lambda;
        for (int k = 0; k < j; ++k) {
            double sum = A[j][row_at(k)];
            for (int i = 0; i < k; ++i) {
                sum -= row[i] * f->L[k][i];
            }
            row[k] = sum;
            f->L[j][k] = sum * f->inverse[k];
            pivot -= sum * f->L[j][k];
        }
        f->inverse[j] = 1.0 / (pivot > least ? pivot : least);
    }
}

/// d = J' (J J' + lambda)^-1 e
static inline void step_of(int n, const lwi_posture *at, const factor *f, const double *e,
                           double *d)
{
    double y[6];
    for (int j = 0; j < 6; ++j) {
        y[j] = e[row_at(j)];
        for (int k = 0; k < j; ++k) {
            y[j] -= f->L[j][k] * y[k];
        }
    }
    for (int j = 5; j >= 0; --j) {
        y[j] *= f->inverse[j];
        for (int k = j + 1; k < 6; ++k) {
            y[j] -= f->L[k][j] * y[k];
        }
    }
    for (int i = 0; i < n; ++i) {
        const double *J = at->J[i];
        d[i] = J[0] * y[0] + J[1] * y[1] + J[2] * y[2] + J[4] * y[3] + J[5] * y[4] + J[6] * y[5];
    }
}

static void search_step(int n, const lwi_posture *at, double lambda, double *d)
{
    factor f;
    factor_of(n, at, lambda, &f);
    step_of(n, at, &f, at->e, d);
}

#endif
