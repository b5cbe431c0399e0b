// Closed forms of six joints, several branches side by side. Every branch takes the same
// operations: roots that do not exist become the nearest configuration, and angles that the target
// leaves open become those of the seed.
#ifndef LWI_SIX_LANES_H
#define LWI_SIX_LANES_H

#include "refine_lanes.h"
#include "six.h"

// The branches of two roots with two signs each.
static const double shoulder_sign[4] = {1.0, 1.0, -1.0, -1.0};
static const double elbow_sign[4] = {1.0, -1.0, 1.0, -1.0};

// What the branches of one batch share.
typedef struct branch {
    const lwi_six *six;
    const lwi_six_target *target;
    angle q[6];
    bits undetermined[6];
    double tiny1, tiny2; // squares of lengths, and of products of lengths, that are rounding
    double least_root2;
} branch;

// The angle of joint i from its sine and cosine times any positive number; the seed's where that
// number is below `tiny`.
static inline void set_angle(branch *b, int i, real s, real c, double tiny)
{
    const lwi_angle seed = b->target->seed[i];
    const real r2 = s * s + c * c;
    const bits is_open = ~is_less(real_of(tiny), r2);
    const real r = 1.0 / root_of(select_real(is_open, real_of(1.0), r2));
    b->q[i].s = select_real(is_open, real_of(seed.s), r * s);
    b->q[i].c = select_real(is_open, real_of(seed.c), r * c);
    b->undetermined[i] = is_open;
}

// The angle of joint i from s sin + c cos = e, by the root of this sign; nearest where there is
// none.
static inline void set_root(branch *b, int i, real s, real c, real e, real sign, double tiny)
{
    const real r2 = s * s + c * c, root2 = r2 - e * e, least = b->least_root2 * r2,
               root = sign * root_of(select_real(is_less(root2, least), least, root2));
    // The length of the result is r2, or r e where there is no root.
    const bits is_open = ~is_less(real_of(tiny), r2);
    set_angle(b, i, s * e + c * root, c * e - s * root, 0.0);
    b->q[i].s = select_real(is_open, real_of(b->target->seed[i].s), b->q[i].s);
    b->q[i].c = select_real(is_open, real_of(b->target->seed[i].c), b->q[i].c);
    b->undetermined[i] = b->undetermined[i] | is_open;
}

// R(h, q_i) u = w for joint i with axis h.
static inline void set_between(branch *b, int i, vec3 h, vec3 u, vec3 w)
{
    const vec3 x = cross3(h, u);
    set_angle(b, i, dot3(x, w), dot3(cross3(x, h), w), b->tiny2);
}

static inline vec3 forth(const branch *b, int i, vec3 p)
{
    return rotate_about(b->six->arm.h[i], b->q[i], p);
}

static inline vec3 back(const branch *b, int i, vec3 p)
{
    return rotate_about(b->six->arm.h[i], opposite(b->q[i]), p);
}

static inline vec3 on_orbit(const lwi_orbit *orbit, angle a)
{
    return (vec3){orbit->fixed.x + a.c * orbit->along.x + a.s * orbit->across.x,
                  orbit->fixed.y + a.c * orbit->along.y + a.s * orbit->across.y,
                  orbit->fixed.z + a.c * orbit->along.z + a.s * orbit->across.z};
}

// From axis 2 to the wrist, or to axis 4, at the elbow's angle.
static inline vec3 beyond_second(const branch *b)
{
    return add3(vec3_of(b->six->p[1]), on_orbit(&b->six->elbow, b->q[2]));
}

// |p23 + R3 p34|^2 = length2
static inline void set_elbow(branch *b, real length2, real sign)
{
    const lwi_six *six = b->six;
    set_root(b, 2, real_of(six->elbow_s), real_of(six->elbow_c), six->elbow_e - 0.5 * length2, sign,
             b->tiny2);
}

// k . R(h1, -q1) p16 = e by q1, with k fixed.
static inline void set_shoulder(branch *b, lw_vec3 k, real e, real sign)
{
    const lw_vec3 h = b->six->arm.h[0], p = b->target->p16, x = lw_cross3(p, h);
    const double s = lw_dot3(k, x), c = lw_dot3(k, lw_cross3(h, x)),
                 fixed = lw_dot3(k, h) * lw_dot3(h, p);
    set_root(b, 0, real_of(s), real_of(c), e - fixed, sign, lw_dot3(k, k) * b->tiny1);
}

// The angle of joint i by subproblem 6.
static inline void set_front(branch *b, int i, int which, int first)
{
    const lwi_six_target *t = b->target;
    b->q[i].s = load_real(t->front_s[which] + first);
    b->q[i].c = load_real(t->front_c[which] + first);
    b->undetermined[i] = bits_of(real_of(0.0));
}

// q1, q2 and q3 of an arm with a spherical wrist: R1' p16 - p12 = R2 (p23 + R3 p34).
static inline void set_first_three(branch *b, int first)
{
    const lwi_six *six = b->six;
    const lwi_six_target *t = b->target;
    const lw_vec3 *h = six->arm.h, *p = six->p;
    const real sign1 = load_real(shoulder_sign + first), sign2 = load_real(elbow_sign + first);
    if (six->kind == LWI_SIX_SPHERICAL_PARALLEL) { // h2 . (p23 + R3 p34) does not depend on q3
        set_shoulder(b, h[1], real_of(six->along_second), sign1);
        const vec3 w = sub3(back(b, 0, vec3_of(t->p16)), vec3_of(p[0]));
        set_elbow(b, dot3(w, w), sign2);
        set_between(b, 1, vec3_of(h[1]), beyond_second(b), w);
        return;
    }
    if (six->kind == LWI_SIX_SPHERICAL) {
        set_front(b, 0, 0, first);
        set_front(b, 2, 1, first);
    } else if (six->kind == LWI_SIX_SPHERICAL_MEETING) { // p12 = 0
        set_elbow(b, real_of(lw_dot3(t->p16, t->p16)), sign2);
        set_shoulder(b, h[1], dot3(vec3_of(h[1]), beyond_second(b)), sign1);
    } else { // h1 = h2: h2 . R3 p34 is known
        const lwi_orbit *o = &six->elbow;
        const double e = lw_dot3(h[1], lw_sub3(t->p16, lw_add3(lw_add3(p[0], p[1]), o->fixed)));
        set_root(b, 2, real_of(lw_dot3(h[1], o->across)), real_of(lw_dot3(h[1], o->along)),
                 real_of(e), sign2, b->tiny1);
        const vec3 u = beyond_second(b);
        const double lengths = lw_dot3(t->p16, t->p16) + lw_dot3(p[0], p[0]);
        set_shoulder(b, p[0], 0.5 * (lengths - dot3(u, u)), sign1);
    }
    const vec3 w = sub3(back(b, 0, vec3_of(t->p16)), vec3_of(p[0]));
    set_between(b, 1, vec3_of(h[1]), beyond_second(b), w);
}

// q5 and q6 from R5 h6 = v and R6 x6 = R5' x, where v and x are h6 and x6 as the joints before
// leave them. Where axes 5 and 6 of an arm with three parallel ones are parallel too, v does not
// depend on q5: it is that of the first roots.
static inline void set_last_two(branch *b, vec3 v, vec3 x)
{
    const lwi_six *six = b->six;
    if (six->kind != LWI_SIX_PARALLEL || fabs(six->cosine56) < 0.9998) {
        set_angle(b, 4, dot3(vec3_of(six->sixth.across), v), dot3(vec3_of(six->sixth.along), v),
                  1e-24);
    }
    const vec3 y = back(b, 4, x);
    set_angle(b, 5, dot3(vec3_of(six->y6), y), dot3(vec3_of(six->x6), y), 1e-24);
}

static inline void keep_branches(const branch *b, int first, int count, int elbow, int wrist,
                                 lwi_candidates *out)
{
    const int reversed = b->six->is_reversed;
    lwi_candidate *c = out->at + out->count;
    for (int i = 0; i < 6; ++i) {
        store_angle(b->q[i], &c[0].q[reversed ? 5 - i : i]);
    }
    const bool has_roots = b->six->kind != LWI_SIX_SPHERICAL && b->six->kind != LWI_SIX_PARALLEL;
    for (int k = 0; k < LANES && first + k < count; ++k) {
        const signed char one = has_roots ? (signed char)shoulder_sign[first + k] : 0,
                          two = has_roots ? (signed char)elbow_sign[first + k] : 0;
        c[k].elbow = (signed char)(elbow != 0 ? elbow : two);
        c[k].shoulder = reversed ? (signed char)(wrist != 0 ? wrist : two) : one;
        c[k].wrist = reversed ? one : (signed char)(wrist != 0 ? wrist : two);
        c[k].undetermined = 0;
        ++out->count;
    }
    bits any = b->undetermined[0];
    for (int i = 1; i < 6; ++i) {
        any = any | b->undetermined[i];
    }
    if (is_any(any)) {
        for (int i = 0; i < 6; ++i) {
            for (int k = 0; k < LANES && first + k < count; ++k) {
                c[k].undetermined |=
                    bits_lane(b->undetermined[i], k) ? 1u << (reversed ? 5 - i : i) : 0;
            }
        }
    }
}

// q4, q5 and q6 of a spherical wrist from the rotation that the first three joints leave to it:
// h5 . R4' v = h5 . h6 with v = R03' R06 h6.
static inline void solve_wrist(branch *b, int first, int count, lwi_candidates *out)
{
    const lwi_six *six = b->six;
    const lw_vec3 *h = six->arm.h;
    vec3 v = vec3_of(b->target->v), x = vec3_of(b->target->x);
    for (int i = 0; i < 3; ++i) {
        v = back(b, i, v);
        x = back(b, i, x);
    }
    const vec3 across = cross3(v, vec3_of(h[3]));
    const real s = dot3(vec3_of(h[4]), across), c = dot3(vec3_of(six->normal), across),
               e = six->cosine56 - six->cosine45 * dot3(vec3_of(h[3]), v);
    for (int wrist = 1; wrist >= -1; wrist -= 2) {
        set_root(b, 3, s, c, e, real_of(wrist), 1e-24);
        set_last_two(b, back(b, 3, v), back(b, 3, x));
        keep_branches(b, first, count, 0, wrist, out);
    }
}

// The sum of q2, q3 and q4 is at q[1] until they are told apart. Where axis 6 is parallel to axes 2
// to 4, q6 keeps the seed's value, and the sum follows from the rotation.
static inline void set_sum(branch *b, vec3 v)
{
    const lwi_six *six = b->six;
    const lw_vec3 *h = six->arm.h;
    const vec3 u = on_orbit(&six->sixth, b->q[4]), h2 = vec3_of(h[1]), across = cross3(h2, u);
    set_angle(b, 1, dot3(across, v), dot3(cross3(across, h2), v), 1e-24);
    const bits is_open = b->undetermined[1];
    if (!is_any(is_open)) {
        return;
    }
    const angle sum = b->q[1];
    const lwi_angle seed = b->target->seed[5];
    b->q[5] = (angle){real_of(seed.s), real_of(seed.c)};
    // R1' R06 = R(h2, sum) R5 R6: both sides are applied to (R5 R6)' x2.
    vec3 y = back(b, 5, back(b, 4, vec3_of(six->x2)));
    y = back(b, 0, rotate_lanes(&b->target->R06, y));
    set_between(b, 1, h2, vec3_of(six->x2), y);
    b->q[1].s = select_real(is_open, b->q[1].s, sum.s);
    b->q[1].c = select_real(is_open, b->q[1].c, sum.c);
    b->undetermined[1] = is_open;
}

// q2, q3, q4, q6 of an arm with three parallel axes, where q1 and q5 are known.
static inline void solve_parallel(branch *b, int first, int count, lwi_candidates *out)
{
    const lwi_six *six = b->six;
    const lwi_six_target *t = b->target;
    const vec3 v = back(b, 0, vec3_of(t->v)), x = back(b, 0, vec3_of(t->x));
    set_sum(b, v);
    const bits is_open = b->undetermined[1];
    set_last_two(b, back(b, 1, v), back(b, 1, x));
    const angle sum = b->q[1];
    const vec3 tail = add3(vec3_of(six->p[3]), on_orbit(&six->tail, b->q[4]));
    const vec3 delta =
        sub3(sub3(back(b, 0, vec3_of(t->p16)), vec3_of(six->p[0])), forth(b, 1, tail));
    const real length2 = dot3(delta, delta);
    b->undetermined[5] = is_open;
    b->undetermined[3] = bits_of(real_of(0.0));
    for (int elbow = 1; elbow >= -1; elbow -= 2) {
        set_elbow(b, length2, real_of(elbow));
        set_between(b, 1, vec3_of(six->arm.h[1]), beyond_second(b), delta);
        const angle third = {six->sense3 * b->q[2].s, b->q[2].c},
                    rest = plus(sum, opposite(plus(b->q[1], third)));
        b->q[3] = (angle){six->sense4 * rest.s, rest.c};
        keep_branches(b, first, count, elbow, 0, out);
    }
}

// q1 and q5 of an arm with three parallel axes.
static inline void set_one_and_five(branch *b, int first)
{
    const lwi_six *six = b->six;
    const lwi_six_target *t = b->target;
    const lw_vec3 *h = six->arm.h;
    if (six->kind == LWI_SIX_PARALLEL) {
        set_front(b, 0, 0, first);
        set_front(b, 4, 1, first);
        return;
    }
    set_shoulder(b, h[1], real_of(six->along_second), load_real(shoulder_sign + first));
    const real along = dot3(vec3_of(h[1]), back(b, 0, vec3_of(t->v)));
    set_root(b, 4, real_of(lw_dot3(h[1], six->sixth.across)),
             real_of(lw_dot3(h[1], six->sixth.along)), along - lw_dot3(h[1], six->sixth.fixed),
             load_real(elbow_sign + first), 1e-24);
}

static void solve_six(const lwi_six *six, const lwi_six_target *target, lwi_candidates *out)
{
    const double scale2 = six->scale * six->scale;
    const bool is_parallel = six->kind == LWI_SIX_PARALLEL || six->kind == LWI_SIX_PARALLEL_MEETING;
    branch b = {.six = six,
                .target = target,
                .least_root2 = six->least_root * six->least_root,
                .tiny1 = 1e-24 * scale2,
                .tiny2 = 1e-28 * scale2 * scale2};
    for (int first = 0; first < target->nfront; first += LANES) {
        if (is_parallel) {
            set_one_and_five(&b, first);
            solve_parallel(&b, first, target->nfront, out);
        } else {
            set_first_three(&b, first);
            solve_wrist(&b, first, target->nfront, out);
        }
    }
}

#endif
