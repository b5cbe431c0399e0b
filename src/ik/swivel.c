// Given the target, the wrist centre is known, and the elbow is on a circle about the line from
// shoulder to wrist. The elbow joint follows from the distance (subproblem 3), the swivel angle
// chooses the point of the circle, and with it the rotation of the shoulder.
#include "swivel.h"

#include "orientation.h"
#include "subproblem.h"

#include <math.h>
#include <string.h>

// The common point of three axes, and how far they are from it.
static bool meeting_point(const lwi_arm *arm, int k, double angle, double reach, lw_vec3 *point,
                          double *margin)
{
    lw_vec3 a, b;
    if (lwi_axis_angle(arm, k, k + 1) < angle || lwi_axis_angle(arm, k + 1, k + 2) < angle) {
        return false;
    }
    double apart = lwi_axis_distance(arm, k, k + 1, &a, &b);
    *point = lw_scale3(0.5, lw_add3(a, b));
    const lw_vec3 off = lw_cross3(arm->h[k + 2], lw_sub3(*point, arm->c[k + 2]));
    apart = fmax(apart, lw_norm3(off));
    *margin = fmax(*margin, apart);
    return apart < reach;
}

lwi_swivel lwi_swivel_of(const lwi_arm *arm, bool is_conventional, lw_vec3 axis, lw_vec3 reference,
                         double angle, double distance)
{
    const lwi_swivel none = {.is_one = false};
    lwi_swivel s = {.is_one = true, .is_conventional = is_conventional, .arm = *arm};
    if (arm->n != 7) {
        return none;
    }
    for (int i = 0; i < 7; ++i) {
        if (arm->slides[i]) {
            return none;
        }
    }
    const double reach = distance * lwi_arm_length(arm);
    if (!meeting_point(arm, 0, angle, reach, &s.shoulder, &s.margin) ||
        !meeting_point(arm, 4, angle, reach, &s.wrist, &s.margin)) {
        return none;
    }
    const double along = lw_dot3(arm->h[3], lw_sub3(s.shoulder, arm->c[3]));
    s.elbow = lw_add3(arm->c[3], lw_scale3(along, arm->h[3]));
    const double upper = lw_norm3(lw_sub3(s.elbow, s.shoulder)),
                 lower = lw_norm3(lw_sub3(s.wrist, s.elbow)),
                 arc = lw_norm3(lw_cross3(arm->h[3], lw_sub3(s.wrist, arm->c[3])));
    s.scale = upper + lower;
    if (!(upper > reach) || !(arc > reach)) {
        return none; // the elbow joint does not change the distance of the wrist
    }
    s.axis = lw_unit3(axis);
    const lw_vec3 r = lw_sub3(reference, lw_scale3(lw_dot3(reference, s.axis), s.axis));
    s.reference = lw_unit3(is_conventional ? reference : r);
    return s;
}

// The direction of swivel angle zero, a unit vector across w; any where it is not defined.
static lw_vec3 zero_direction(const lwi_swivel *s, lw_vec3 w)
{
    const lw_vec3 d = s->is_conventional ? w : lw_sub3(w, s->axis);
    lw_vec3 x = lw_cross3(lw_cross3(d, s->reference), w);
    if (!(lw_norm3(x) > 1e-12)) {
        x = lw_cross3(fabs(w.x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0), w);
    }
    return lw_unit3(x);
}

static lw_vec3 across(lw_vec3 w, lw_vec3 v)
{
    return lw_sub3(v, lw_scale3(lw_dot3(w, v), w));
}

static lw_mat3 columns(lw_vec3 a, lw_vec3 b)
{
    const lw_mat3 rows = {{a, b, lw_cross3(a, b)}};
    return lw_transpose3(&rows);
}

// What follows from the pose: the line from shoulder to wrist, and both elbows.
typedef struct stance {
    lw_mat3 R07;
    lw_vec3 w; // unit, from shoulder to wrist
    lwi_angle q4[2];
    int count; // of them; 1 where the joint keeps the seed's angle
    bool is_free;
    lw_mat3 before[2]; // columns at zero swivel of the first joints: w, elbow, normal
} stance;

static stance stance_of(const lwi_swivel *s, const lw_pose *X, lwi_angle seed4)
{
    const lw_vec3 h4 = s->arm.h[3], c4 = s->arm.c[3];
    const lw_pose back = lw_pose_inverse(&s->arm.X_BT), Y = lw_pose_mul(X, &back);
    const lw_vec3 p = lw_sub3(lw_pose_apply(&Y, s->wrist), s->shoulder);
    const double length = lw_norm3(p);
    stance t = {.R07 = Y.R};
    t.w = length > 1e-12 * s->scale ? lw_scale3(1.0 / length, p) : s->reference;
    t.count = lwi_subproblem3(h4, lw_sub3(s->wrist, c4), lw_sub3(s->shoulder, c4), length, s->scale,
                              t.q4);
    if (t.count == 0) {
        t.q4[0] = seed4;
        t.count = 1;
        t.is_free = true;
    }
    for (int i = 0; i < t.count; ++i) {
        const lw_vec3 wrist = lw_add3(c4, lwi_rotate_about(h4, t.q4[i], lw_sub3(s->wrist, c4)));
        const lw_vec3 a = lw_unit3(lw_sub3(wrist, s->shoulder));
        lw_vec3 d = across(a, lw_sub3(s->elbow, s->shoulder));
        if (!(lw_norm3(d) > 1e-9 * s->scale)) {
            d = lw_cross3(h4, a); // stretched: the elbow bends across its axis
        }
        // A short d is not across a to all digits; its product with a is.
        t.before[i] = columns(a, lw_unit3(lw_cross3(lw_cross3(a, lw_unit3(d)), a)));
    }
    return t;
}

// Rotation of the first three joints.
static lw_mat3 shoulder_rotation(const stance *t, int i, lw_vec3 direction)
{
    const lw_mat3 to = columns(t->w, direction), from = lw_transpose3(&t->before[i]);
    return lw_mul3(&to, &from);
}

void lwi_swivel_solve(const lwi_swivel *s, const lw_pose *X, double angle, const lwi_angle *seed,
                      lwi_candidates *out)
{
    const lw_vec3 *h = s->arm.h;
    const stance t = stance_of(s, X, seed[3]);
    const lwi_angle psi = {sin(angle), cos(angle)};
    const lw_vec3 direction = lwi_rotate_about(t.w, psi, zero_direction(s, t.w));
    out->count = 0;
    for (int i = 0; i < t.count; ++i) {
        lwi_angle a[2][3], b[2][3];
        unsigned free[2];
        const lw_mat3 R03 = shoulder_rotation(&t, i, direction);
        lw_mat3 R = lw_transpose3(&R03); // R4' R03' R07, by its columns
        R = lw_mul3(&R, &t.R07);
        R = lw_transpose3(&R);
        const lwi_angle back = {-t.q4[i].s, t.q4[i].c};
        for (int k = 0; k < 3; ++k) {
            R.row[k] = lwi_rotate_about(h[3], back, R.row[k]);
        }
        R = lw_transpose3(&R);
        const int na = lwi_orientation_solve(h, 3, &R03, seed, a, &free[0]),
                  nb = lwi_orientation_solve(h + 4, 3, &R, seed + 4, b, &free[1]);
        for (int k = 0; k < na * nb; ++k) {
            lwi_candidate *c = lwi_next_candidate(out);
            memcpy(c->q, a[k / nb], sizeof a[0]);
            c->q[3] = t.q4[i];
            memcpy(c->q + 4, b[k % nb], sizeof b[0]);
            c->shoulder = (signed char)(na < 2 ? 0 : k / nb == 0 ? 1 : -1);
            c->elbow = (signed char)(t.count < 2 ? 0 : i == 0 ? 1 : -1);
            c->wrist = (signed char)(nb < 2 ? 0 : k % nb == 0 ? 1 : -1);
            c->undetermined = free[0] | free[1] << 4 | (t.is_free ? 8u : 0u);
        }
    }
}

double lwi_swivel_angle(const lwi_swivel *s, const lwi_angle *q)
{
    const lw_vec3 *h = s->arm.h;
    lw_vec3 e = lw_sub3(s->elbow, s->shoulder),
            w = lw_add3(s->arm.c[3], lwi_rotate_about(h[3], q[3], lw_sub3(s->wrist, s->arm.c[3])));
    w = lw_unit3(lw_sub3(w, s->shoulder));
    if (!(lw_norm3(across(w, e)) > 1e-9 * s->scale)) {
        e = lw_cross3(h[3], w);
    }
    for (int i = 2; i >= 0; --i) {
        e = lwi_rotate_about(h[i], q[i], e);
        w = lwi_rotate_about(h[i], q[i], w);
    }
    const lw_vec3 x = zero_direction(s, w);
    return atan2(lw_dot3(e, lw_cross3(w, x)), lw_dot3(e, x));
}

// Sorted, each once.
static void add_bound(double x, double *bound, int *count)
{
    int i = *count;
    if (i == LWI_SWIVEL_BOUNDS || !isfinite(x)) {
        return;
    }
    for (; i > 0 && bound[i - 1] > x; --i) {
        bound[i] = bound[i - 1];
    }
    bound[i] = x;
    ++*count;
}

// Zeros of f(psi) = u . R03(psi) v - d, where R03 = R(w, psi) R03(0) is linear in sine and cosine.
static void add_zeros(const lw_mat3 *R03, lw_vec3 w, lw_vec3 u, lw_vec3 v, double d, double *bound,
                      int *count)
{
    lwi_angle root[2];
    const int n = lwi_subproblem4(w, lw_rotate(R03, v), u, d, 1.0, root);
    for (int i = 0; i < n; ++i) {
        add_bound(atan2(root[i].s, root[i].c), bound, count);
    }
}

// Where a joint of R(h1, q1) R(h2, q2) R(h3, q3) = A R03(psi) B, or of its inverse, is at an angle.
// M is that product at psi = 0 and k the axis about which it rotates from the left.
static void add_limit(const lw_vec3 *h, const lw_mat3 *M, lw_vec3 k, int joint, double at,
                      double *bound, int *count)
{
    const lwi_angle a = {sin(at), cos(at)};
    switch (joint) {
    case 0: // h2 . R1' M h3 = h2 . h3
        add_zeros(M, k, lwi_rotate_about(h[0], a, h[1]), h[2], lw_dot3(h[1], h[2]), bound, count);
        break;
    case 1: // h1 . M h3 = h1 . R2 h3
        add_zeros(M, k, h[0], h[2], lw_dot3(h[0], lwi_rotate_about(h[1], a, h[2])), bound, count);
        break;
    default: { // h1 . M R3' h2 = h1 . h2
        const lwi_angle back = {-a.s, a.c};
        add_zeros(M, k, h[0], lwi_rotate_about(h[2], back, h[1]), lw_dot3(h[0], h[1]), bound,
                  count);
        break;
    }
    }
}

// Where the two roots of a triple of axes become one: its middle joint is then at an extreme.
static void add_extremes(const lw_vec3 *h, const lw_mat3 *M, lw_vec3 k, double *bound, int *count)
{
    const lw_vec3 x = lw_cross3(h[1], h[2]), y = lw_cross3(h[1], h[0]);
    const double mean = lw_dot3(h[0], h[1]) * lw_dot3(h[1], h[2]), r = lw_norm3(x) * lw_norm3(y);
    for (int sign = -1; sign <= 1; sign += 2) {
        // Where this is the largest that there can be it is met at a point: no bound.
        const double d = mean + sign * r;
        if (fabs(d) < 1.0 - 1e-9) {
            add_zeros(M, k, h[0], h[2], d, bound, count);
        }
    }
}

int lwi_swivel_bounds(const lwi_swivel *s, const lw_pose *X, const double *lower,
                      const double *upper, double bound[LWI_SWIVEL_BOUNDS])
{
    const lw_vec3 *h = s->arm.h;
    const lwi_angle zero = {0.0, 1.0};
    const stance t = stance_of(s, X, zero);
    const lw_vec3 direction = zero_direction(s, t.w);
    int count = 0;
    for (int i = 0; i < t.count; ++i) {
        const lw_mat3 R03 = shoulder_rotation(&t, i, direction), from = lw_transpose3(&R03);
        // The wrist rotates by M(psi) = R4' R03(0)' R(w, -psi) R07 = R(k, -psi) M(0).
        lw_mat3 M = lw_mul3(&from, &t.R07);
        M = lw_transpose3(&M);
        const lwi_angle back = {-t.q4[i].s, t.q4[i].c};
        for (int k = 0; k < 3; ++k) {
            M.row[k] = lwi_rotate_about(h[3], back, M.row[k]);
        }
        M = lw_transpose3(&M);
        const lw_vec3 k = lwi_rotate_about(h[3], back, lw_rotate(&from, t.w));
        for (int j = 0; j < 3; ++j) {
            const double limits[4] = {lower[j], upper[j], lower[j + 4], upper[j + 4]};
            for (int n = 0; n < 4; ++n) {
                if (isfinite(limits[n])) {
                    add_limit(n < 2 ? h : h + 4, n < 2 ? &R03 : &M,
                              n < 2 ? t.w : lw_scale3(-1.0, k), j, limits[n], bound, &count);
                }
            }
        }
        add_extremes(h, &R03, t.w, bound, &count);
        add_extremes(h + 4, &M, lw_scale3(-1.0, k), bound, &count);
    }
    return count;
}
