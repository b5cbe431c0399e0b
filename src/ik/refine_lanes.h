// Forward kinematics of candidates, and Newton's method on them, several side by side.
#ifndef LWI_REFINE_LANES_H
#define LWI_REFINE_LANES_H

#include "candidate.h"
#include "frames.h"
#include "ik_lanes.h"
#include "numeric.h"

/// A function of its own, whose arrays are on the stack only while it runs.
#define LWI_APART static __attribute__((noinline))

// The angles of joint i of as many candidates as there are lanes; they are that many `stride`s of
// doubles apart.
enum { CANDIDATE_STRIDE = sizeof(lwi_candidate) / sizeof(double) };

static inline angle load_angle(const lwi_angle *q)
{
    const double *x = &q->s;
#if LWI_REAL_LANES == 4
    angle a;
    typedef double pair __attribute__((vector_size(16)));
    pair p[4];
    for (int k = 0; k < 4; ++k) {
        memcpy(&p[k], x + k * CANDIDATE_STRIDE, sizeof p[k]);
    }
    const real one = __builtin_shufflevector(p[0], p[2], 0, 1, 2, 3),
               two = __builtin_shufflevector(p[1], p[3], 0, 1, 2, 3);
    a.s = __builtin_shufflevector(one, two, 0, 4, 2, 6);
    a.c = __builtin_shufflevector(one, two, 1, 5, 3, 7);
    return a;
#else
    angle a = {real_of(0.0), real_of(0.0)};
    for (int k = 0; k < LANES; ++k) {
        a.s[k] = x[k * CANDIDATE_STRIDE];
        a.c[k] = x[k * CANDIDATE_STRIDE + 1];
    }
    return a;
#endif
}

static inline void store_angle(angle a, lwi_angle *q)
{
    double *x = &q->s;
#if LWI_REAL_LANES == 4
    const real even = __builtin_shufflevector(a.s, a.c, 0, 4, 2, 6),
               odd = __builtin_shufflevector(a.s, a.c, 1, 5, 3, 7);
    memcpy(x, &even, 16);
    memcpy(x + CANDIDATE_STRIDE, &odd, 16);
    memcpy(x + 2 * CANDIDATE_STRIDE, (const char *)&even + 16, 16);
    memcpy(x + 3 * CANDIDATE_STRIDE, (const char *)&odd + 16, 16);
#else
    for (int k = 0; k < LANES; ++k) {
        x[k * CANDIDATE_STRIDE] = a.s[k];
        x[k * CANDIDATE_STRIDE + 1] = a.c[k];
    }
#endif
}

static void positions(const lwi_frames *frames, const lwi_candidates *list,
                      double value[LWI_ARM_JOINTS][LWI_CANDIDATES])
{
    for (int i = 0; i < frames->n; ++i) {
        for (int k = 0; k < list->count; k += LANES) {
            const angle a = load_angle(&list->at[k].q[i]);
            store_real(frames->slides[i] ? a.s : angle_of(a), &value[i][k]);
        }
    }
}

// The tip: position and the three columns of its rotation.
typedef struct tip {
    vec3 p, x, y, z;
} tip;

// The square of the residual.
static inline real residual2(const tip *now, const lw_pose *X, lwi_ik_rows rows)
{
    const vec3 d = sub3(now->p, vec3_of(X->p));
    real sum = dot3(d, d);
    const lw_mat3 *R = &X->R;
    if (rows != LWI_ROWS_POSITION) {
        const vec3 z =
            sub3(now->z, (vec3){real_of(R->row[0].z), real_of(R->row[1].z), real_of(R->row[2].z)});
        const real zz = dot3(z, z);
        if (rows == LWI_ROWS_DIRECTION) {
            return sum + zz;
        }
        const vec3 x = sub3(now->x, (vec3){real_of(R->row[0].x), real_of(R->row[1].x),
                                           real_of(R->row[2].x)}),
                   y = sub3(now->y, (vec3){real_of(R->row[0].y), real_of(R->row[1].y),
                                           real_of(R->row[2].y)});
        // The squares of all differences of two rotations by t are 8 sin^2(t / 2).
        sum += 0.5 * (zz + dot3(x, x) + dot3(y, y));
    }
    return sum;
}

static void verify(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X,
                   const lwi_candidates *list, double *residual)
{
    const int n = frames->n;
    const lw_pose first = lw_pose_inverse(&frames->W[0]), target = lw_pose_mul(&first, X);
    const lw_mat3 R = lw_transpose3(&frames->W[n].R);
    for (int k = 0; k < list->count; k += LANES) {
        const lwi_candidate *c = &list->at[k];
        tip t = {vec3_of(frames->W[n].p), vec3_of(R.row[0]), vec3_of(R.row[1]), {{0}, {0}, {0}}};
        for (int i = n - 1; i >= 0; --i) {
            const angle q = load_angle(&c->q[i]);
            const lw_pose *W = &frames->W[i];
            if (frames->slides[i]) {
                t.p.z += q.s;
            } else {
                t.p = rotate_z(q.c, q.s, t.p);
                t.x = rotate_z(q.c, q.s, t.x);
                t.y = rotate_z(q.c, q.s, t.y);
            }
            if (i > 0) {
                t.p = add3(rotate_lanes(&W->R, t.p), vec3_of(W->p));
                t.x = rotate_lanes(&W->R, t.x);
                t.y = rotate_lanes(&W->R, t.y);
            }
        }
        t.z = cross3(t.x, t.y);
        store_real(root_of(residual2(&t, &target, rows)), residual + k);
    }
}

// The Jacobian's columns are axes and velocities of the tip.
typedef struct column {
    vec3 w, v;
} column;

// Poses of the axes at q from the base outward: columns of the Jacobian, and the tip.
LWI_APART void place_axes(const lwi_frames *frames, const angle *q, lwi_ik_rows rows, column *J,
                          tip *t)
{
    const int n = frames->n;
    const lw_mat3 R = lw_transpose3(&frames->W[0].R);
    *t = (tip){vec3_of(frames->W[0].p), vec3_of(R.row[0]), vec3_of(R.row[1]), vec3_of(R.row[2])};
    for (int i = 0; i < n; ++i) {
        J[i] = (column){t->z, t->p};
        if (frames->slides[i]) {
            t->p = add3(t->p, scale3(q[i].s, t->z));
        } else {
            const vec3 x = add3(scale3(q[i].c, t->x), scale3(q[i].s, t->y));
            t->y = sub3(scale3(q[i].c, t->y), scale3(q[i].s, t->x));
            t->x = x;
        }
        const lw_pose *W = &frames->W[i + 1];
        const tip b = *t;
        const lw_vec3 *r = W->R.row;
        t->p = add3(b.p, add3(add3(scale3(real_of(W->p.x), b.x), scale3(real_of(W->p.y), b.y)),
                              scale3(real_of(W->p.z), b.z)));
        t->x = add3(add3(scale3(real_of(r[0].x), b.x), scale3(real_of(r[1].x), b.y)),
                    scale3(real_of(r[2].x), b.z));
        t->y = add3(add3(scale3(real_of(r[0].y), b.x), scale3(real_of(r[1].y), b.y)),
                    scale3(real_of(r[2].y), b.z));
        t->z = add3(add3(scale3(real_of(r[0].z), b.x), scale3(real_of(r[1].z), b.y)),
                    scale3(real_of(r[2].z), b.z));
    }
    const vec3 none = {{0}, {0}, {0}};
    for (int i = 0; i < n; ++i) {
        const vec3 h = J[i].w;
        J[i].v = frames->slides[i] ? h : cross3(h, sub3(t->p, J[i].v));
        J[i].w = frames->slides[i] || rows == LWI_ROWS_POSITION ? none : h;
        if (rows == LWI_ROWS_DIRECTION) { // rotation about the direction itself does not count
            J[i].w = sub3(J[i].w, scale3(dot3(J[i].w, t->z), t->z));
        }
    }
}

// The twist toward the target, to first order.
static inline column twist_to(const tip *t, const lw_pose *X, lwi_ik_rows rows)
{
    const lw_mat3 R = lw_transpose3(&X->R);
    column e = {{{0}, {0}, {0}}, sub3(vec3_of(X->p), t->p)};
    if (rows != LWI_ROWS_POSITION) {
        e.w = cross3(t->z, vec3_of(R.row[2]));
    }
    if (rows == LWI_ROWS_POSE) {
        e.w = add3(e.w, add3(cross3(t->x, vec3_of(R.row[0])), cross3(t->y, vec3_of(R.row[1]))));
        e.w = scale3(real_of(0.5), e.w);
    }
    return e;
}

// (J'J + damping) d = J'e by Cholesky, damping as a share of the trace; pivots below rounding are
// replaced. Joints that are held have a column of zero. Lanes without `better` keep their step.
LWI_APART void newton_step(int n, const column *J, column e, double damping, bits better,
                           real *step)
{
    real L[LWI_ARM_JOINTS][LWI_ARM_JOINTS], inverse[LWI_ARM_JOINTS], d[LWI_ARM_JOINTS];
    real trace = real_of(0.0);
    for (int i = 0; i < n; ++i) {
        trace += dot3(J[i].w, J[i].w) + dot3(J[i].v, J[i].v);
    }
    const real lambda = damping * trace, least = 1e-15 * trace + 1e-300;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            real sum = dot3(J[i].w, J[j].w) + dot3(J[i].v, J[j].v);
            for (int k = 0; k < j; ++k) {
                sum -= L[i][k] * L[j][k];
            }
            if (j < i) {
                L[i][j] = sum * inverse[j];
            } else {
                sum += lambda;
                inverse[i] = 1.0 / root_of(select_real(is_less(least, sum), sum, least));
            }
        }
        real sum = dot3(J[i].w, e.w) + dot3(J[i].v, e.v);
        for (int k = 0; k < i; ++k) {
            sum -= L[i][k] * d[k];
        }
        d[i] = sum * inverse[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        real sum = d[i];
        for (int k = i + 1; k < n; ++k) {
            sum -= L[k][i] * d[k];
        }
        d[i] = sum * inverse[i];
        step[i] = select_real(better, d[i], step[i]);
    }
}

// Half a radian at most; rotates by atan(d), which is d but for the third power.
static inline angle moved(angle q, real d, bool slides)
{
    if (slides) {
        return (angle){q.s + d, q.c};
    }
    const real most = real_of(0.5);
    d = select_real(is_less(most, d), most, select_real(is_less(d, -most), -most, d));
    const real s = q.s + d * q.c, c = q.c - d * q.s, r = 1.0 / root_of(s * s + c * c);
    return (angle){r * s, r * c};
}

static inline bool is_redundant(int n, unsigned held, lwi_ik_rows rows)
{
    int joints = 0;
    for (int i = 0; i < n; ++i) {
        joints += (held >> i & 1u) == 0;
    }
    return joints > (rows == LWI_ROWS_POSE ? 6 : rows == LWI_ROWS_DIRECTION ? 5 : 3);
}

// Columns of zero for joints that are held, in all lanes or as one that its candidate leaves at the
// seed's value: such a joint is stored with that value, whatever a step would make of it.
static inline void hold_columns(int n, unsigned held, const lwi_candidate *c, column *J)
{
    for (int i = 0; i < n; ++i) {
        real share = real_of(1.0);
        for (int k = 0; k < LANES; ++k) {
            share[k] = (held | c[k].undetermined) >> i & 1u ? 0.0 : 1.0;
        }
        J[i] = (column){scale3(share, J[i].w), scale3(share, J[i].v)};
    }
}

static void refine_batch(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X,
                         const lwi_refine_def *def, lwi_candidate *c, double *residual)
{
    const int n = frames->n;
    // More joints than rows: the shortest step of many, which takes a damping above rounding.
    const double damping = is_redundant(n, def->held, rows) ? 1e-10 : 0.0;
    angle q[LWI_ARM_JOINTS], best[LWI_ARM_JOINTS];
    column J[LWI_ARM_JOINTS];
    real d[LWI_ARM_JOINTS] = {{0}}, least = load_real(residual);
    tip t;
    for (int i = 0; i < n; ++i) {
        q[i] = best[i] = load_angle(&c->q[i]);
    }
    bits active = is_less(real_of(def->good), least) & is_less(least, real_of(def->most));
    real share = real_of(1.0);
    for (int step = 0; step <= def->steps; ++step) {
        place_axes(frames, q, rows, J, &t);
        const real now = root_of(residual2(&t, X, rows));
        // A step that gains nothing is taken again at half its length.
        const bits better = step == 0 ? ~bits_of(real_of(0.0)) : active & is_less(now, least);
        share = select_real(better, real_of(1.0), 0.5 * share);
        least = select_real(better, now, least);
        for (int i = 0; i < n; ++i) {
            best[i].s = select_real(better, q[i].s, best[i].s);
            best[i].c = select_real(better, q[i].c, best[i].c);
        }
        active = active & is_less(real_of(def->good), least) & is_less(real_of(0.01), share);
        if (!is_any(active)) {
            break;
        }
        hold_columns(n, def->held, c, J);
        newton_step(n, J, twist_to(&t, X, rows), damping, better, d);
        for (int i = 0; i < n; ++i) {
            q[i] = moved(best[i], share * d[i], frames->slides[i]);
        }
    }
    for (int i = 0; i < n; ++i) {
        store_angle(best[i], &c->q[i]);
    }
    store_real(least, residual);
}

static void refine(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X,
                   const lwi_refine_def *def, lwi_candidates *list, double *residual)
{
    for (int k = 0; k < list->count; k += LANES) {
        refine_batch(frames, rows, X, def, &list->at[k], residual + k);
    }
}

#endif
