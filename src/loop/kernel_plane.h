// The text of planar_loop.c, of the closure sweeps and of batches: planar loops at run time, over
// the scalar of real.h. Compiled for any processor and for those with fused products.
//
// Sines and cosines of the joints before are in the work space, and those of the targets are left
// there: a direction is a product of them, and no angle is taken apart that was put together
// before.
#ifndef LWI_PLANE_TEXT_H
#define LWI_PLANE_TEXT_H

#include "../math/angle.h"
#include "../math/pi.h"
#include "../math/real.h"
#include "../model/kernel.h"
#include "../model/scalar_program.h"
#include "loop.h"

#if defined(LWI_REAL_LANES) || defined(LWI_REAL_FLOAT)
typedef struct vec2 {
    real x, y;
} vec2;

typedef struct plane_record {
    vec2 p, dir;
} plane_record;

// As lwi_loop_work has it for one state. Lanes whose loops are open or singular are marked, and go
// on with any numbers.
typedef struct plane_work {
    real *sine, *cosine; ///< [tree_nq]
    plane_record *plane; ///< [lwi_program.nplane_record]
    real *plane_solve;   ///< [4 * lwi_program.nplane_solve]
    real *matrix;        ///< [lwi_program.matrix]
    bits failed;
} plane_work;

static inline bool fails(plane_work *work, bits failed)
{
    work->failed |= failed;
    return LANES == 1 && is_any(failed);
}
#else
typedef lwi_vec2 vec2;
typedef lwi_plane_record plane_record;
typedef const lwi_loop_work plane_work;

static inline bool fails(plane_work *work, bits failed)
{
    (void)work;
    return is_any(failed);
}
#endif

#if defined(LWI_REAL_FLOAT)
// As loop.h has it, from the rounding of float: its root is 2e-4.
static const number singular_sine2 = 1e-6f, a_hair = 2e-6f, parallel2 = 1e-12f;
#else
static const number singular_sine2 = LWI_SINGULAR_SINE * LWI_SINGULAR_SINE;
static const number a_hair = 2e-14, parallel2 = 1e-24;
#endif

// x where it is above zero, else 0.
static inline real positive(real x)
{
#if defined(LWI_REAL_LANES)
    return select_real(is_less(real_of(0), x), x, real_of(0));
#else
    return x > 0 ? x : 0;
#endif
}

// A pose within the plane.
typedef struct pose2 {
    real c, s;
    vec2 p;
} pose2;

static inline pose2 unmoved(void)
{
    return (pose2){real_of(1), real_of(0), {real_of(0), real_of(0)}};
}

// A vector of the model.
static inline vec2 vec2_of(constant2 a)
{
    return (vec2){real_of(a.x), real_of(a.y)};
}

static inline vec2 rotate2(const pose2 *X, vec2 a)
{
    return (vec2){X->c * a.x - X->s * a.y, X->s * a.x + X->c * a.y};
}

static inline vec2 apply(const pose2 *X, vec2 a)
{
    const vec2 b = rotate2(X, a);
    return (vec2){X->p.x + b.x, X->p.y + b.y};
}

static inline vec2 rotate_back(const pose2 *X, vec2 a)
{
    return (vec2){X->c * a.x + X->s * a.y, X->c * a.y - X->s * a.x};
}

// X rotated further.
static inline pose2 rotated(const pose2 *X, real c, real s)
{
    return (pose2){X->c * c - X->s * s, X->s * c + X->c * s, X->p};
}

static inline pose2 times(const pose2 *X, const pose2 *Y)
{
    pose2 Z = rotated(X, Y->c, Y->s);
    Z.p = apply(X, Y->p);
    return Z;
}

// Where the origin is, seen from X.
static inline vec2 origin_from(const pose2 *X)
{
    const vec2 p = rotate_back(X, X->p);
    return (vec2){-p.x, -p.y};
}

static inline real dot(vec2 a, vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline real cross(vec2 a, vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline vec2 minus(vec2 a, vec2 b)
{
    return (vec2){a.x - b.x, a.y - b.y};
}

// The plane of a step's closed form; NULL where that is another one.
static inline const planar_loop *plane_of(const closure_loop *loop, const closure_step *step)
{
    const bool is_closed_form = step->kind == LW_STEP_ROD_REVOLUTE ||
                                step->kind == LW_STEP_ROD_PRISMATIC || step->kind == LW_STEP_PLANAR;
    return is_closed_form ? loop[step->loop[0]].plane : NULL;
}

// Walks along a branch from the pose X.
static inline void walk(const planar_side *side, int from, int to, plane_work *work, const real *q,
                        pose2 *X, plane_record *record)
{
    for (int k = from; k < to; ++k) {
        const planar_joint *joint = &side->joint[k];
        X->p = apply(X, vec2_of(joint->offset));
        record[k].p = X->p;
        if (joint->is_slide) {
            record[k].dir = rotate2(X, vec2_of(joint->slide));
            X->p.x += q[joint->q] * record[k].dir.x;
            X->p.y += q[joint->q] * record[k].dir.y;
        } else {
            *X = rotated(X, work->cosine[joint->q], joint->sign * work->sine[joint->q]);
        }
    }
}

// Walks from the common body. Nothing is turned before the first joint.
static inline pose2 walk_from_common(const planar_side *side, int to, plane_work *work,
                                     const real *q, plane_record *record)
{
    pose2 X = unmoved();
    if (to > 0) {
        const planar_joint *joint = &side->joint[0];
        X.p = vec2_of(joint->offset);
        record[0].p = X.p;
        if (joint->is_slide) {
            record[0].dir = vec2_of(joint->slide);
            X.p.x += q[joint->q] * joint->slide.x;
            X.p.y += q[joint->q] * joint->slide.y;
        } else {
            X.c = work->cosine[joint->q];
            X.s = joint->sign * work->sine[joint->q];
        }
        walk(side, 1, to, work, q, &X, record);
    }
    return X;
}

static inline void set_end(const planar_side *side, const pose2 *X, plane_record *end)
{
    end->p = apply(X, vec2_of(side->end));
    end->dir = rotate2(X, vec2_of(side->along));
}

static inline plane_record *records(const planar_loop *plane, plane_work *work, int side)
{
    return work->plane + plane->first + (side ? plane->side[0].n : 0);
}

static inline plane_record *ends(const planar_loop *plane, plane_work *work)
{
    return work->plane + plane->first + plane->side[0].n + plane->side[1].n;
}

// a cos + b sin = c with branch 1 or -1; where there is no solution is marked.
static inline bits solve_angle(real a, real b, real c, number branch, real *cosine, real *sine)
{
    const real size2 = a * a + b * b, rest = size2 - c * c;
    const real w = branch * root_of(positive(rest)), inverse_size2 = 1 / size2;
    *cosine = (a * c - b * w) * inverse_size2;
    *sine = (b * c + a * w) * inverse_size2;
    // A hair beyond the end of the reach is rounding: the two branches meet there.
    return ~is_less(-a_hair * size2, rest);
}

// The root of (q + b)^2 = L^2 - h^2 on the branch, where h is how far a rod of length L stands from
// the line of a slide; where there is none is marked.
static inline bits solve_slide_of_rod(real b, real L2, real h2, number branch, real *root)
{
    const real rest = L2 - h2;
    *root = branch * root_of(positive(rest)) - b;
    return ~is_less(-a_hair * L2, rest);
}

#if !defined(LWI_REAL_FLOAT) // whose model is another, see dyn/float_closure.c
// The angle plus whole turns that is nearest to a reference.
static inline double near_reference(double angle, double reference)
{
    // Adding this rounds to whole numbers, without a question and without a call.
    const double rounder = 0x1.8p52; // what is added to it is rounded to a whole number
    const double turns = ((angle - reference) * (1.0 / LWI_TWO_PI) + rounder) - rounder;
    return angle - LWI_TWO_PI * turns;
}

// The angles of the targets of a step, from their sines and cosines. Nothing within a plane waits
// for them.
static inline void plane_angles(const lw_model *m, const closure_step *step, plane_work *work,
                                real *q)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const int at = step->target_q[t];
        if (m->kernel->segment[step->target_body[t]].carrier == LW_TREE_REVOLUTE) {
            for (int lane = 0; lane < LANES; ++lane) {
                const double angle = lwi_angle_of(real_lane(work->sine[at], lane),
                                                  real_lane(work->cosine[at], lane));
                q[at] = real_set_lane(q[at], lane, near_reference(angle, m->tree_q_reference[at]));
            }
        }
    }
}
#endif

static inline lw_status open_rod(const planar_loop *plane, real dd, real yy, closure_fault *fault)
{
    const number one = number_root(real_lane(dd, 0)), other = number_root(real_lane(yy, 0));
    const number near_by = number_size(one - other), far = one + other;
    const number length = number_root(plane->length2);
    fault->gap = length < near_by ? near_by - length : length - far;
    return LW_ERR_LOOP_OPEN;
}

// The rod ties the end of the branch beyond the joint, at y in its moving frame, to a point at D
// from the joint, in its frame at rest: |Rot y - D|^2 = L^2, which is
// D.Rot y = (|D|^2 + |y|^2 - L^2) / 2 for a joint that rotates, and a quadratic for one that
// slides.
static inline lw_status plane_rod(const planar_loop *plane, const closure_step *step,
                                  plane_work *work, real *q, closure_fault *fault)
{
    const int own = step->side, at = step->at;
    const planar_side *side = &plane->side[own], *other = &plane->side[1 - own];
    const planar_joint *joint = &side->joint[at];
    plane_record *record = records(plane, work, own), *end = ends(plane, work);
    const pose2 Y = walk_from_common(other, other->n, work, q, records(plane, work, 1 - own));
    end[1 - own].p = other->n > 0 ? apply(&Y, vec2_of(other->end)) : vec2_of(other->end);
    pose2 X = walk_from_common(side, at, work, q, record), Z = unmoved();
    X.p = at > 0 ? apply(&X, vec2_of(joint->offset)) : vec2_of(joint->offset);
    record[at].p = X.p;
    vec2 y = vec2_of(side->end);
    if (at + 1 < side->n) {
        walk(side, at + 1, side->n, work, q, &Z, record);
        y = apply(&Z, y);
    }
    const vec2 D = rotate_back(&X, minus(end[1 - own].p, X.p));
    if (joint->is_slide) {
        const vec2 w = vec2_of(joint->slide), d = minus(y, D);
        const real h = cross(w, d);
        real root;
        if (fails(work, solve_slide_of_rod(dot(w, d), real_of(plane->length2), h * h,
                                           (number)step->branch, &root))) {
            fault->gap = number_size(real_lane(h, 0)) - number_root(plane->length2);
            return LW_ERR_LOOP_OPEN;
        }
        q[joint->q] = root;
        record[at].dir = rotate2(&X, w);
        X.p.x += root * record[at].dir.x;
        X.p.y += root * record[at].dir.y;
    } else {
        const real dd = dot(D, D), yy = dot(y, y), c = (number)0.5 * (dd + yy - plane->length2);
        pose2 J;
        // The branch is that of the joint's own angle in A cos q + B sin q + C = 0, A = -2 D.y.
        if (fails(work, solve_angle(dot(D, y), cross(y, D), c, -joint->sign * (number)step->branch,
                                    &J.c, &J.s))) {
            return open_rod(plane, dd, yy, fault);
        }
        X = rotated(&X, J.c, J.s);
        work->cosine[joint->q] = J.c;
        work->sine[joint->q] = joint->sign * J.s;
    }
    for (int k = at + 1; k < side->n; ++k) {
        record[k].p = apply(&X, record[k].p);
        record[k].dir = rotate2(&X, record[k].dir);
    }
    end[own].p = apply(&X, y);
    return LW_OK;
}

enum { THREE = 3 };

// One of the three joints to solve for. Around the loop they follow each other as
// e0 F1 e1 F2 e2 F0 = 1.
typedef struct element {
    pose2 F; ///< from the joint before to this one at zero
    bool is_slide;
    number sign; ///< -1 where the loop runs through the joint backwards or its axis is rotated
    vec2 slide;
    int q;       ///< tree position, or -1 for the closing joint
    real c, s;   ///< what the joint does, where it rotates
    real amount; ///< and where it slides
} element;

static inline void set_element(const planar_joint *joint, const pose2 *F, number way, element *e)
{
    e->F = *F;
    e->is_slide = joint->is_slide;
    e->sign = joint->is_slide ? way : way * joint->sign;
    e->slide = vec2_of(joint->slide);
    e->q = joint->q;
}

// X beyond a joint that is known, gone through forwards or (way -1) backwards.
static inline void pass_joint(const planar_joint *joint, plane_work *work, const real *q,
                              number way, pose2 *X)
{
    if (joint->is_slide) {
        const real amount = way * q[joint->q];
        X->p = apply(X, (vec2){amount * joint->slide.x, amount * joint->slide.y});
    } else {
        *X = rotated(X, work->cosine[joint->q], way * joint->sign * work->sine[joint->q]);
    }
}

static inline bool is_target(const closure_step *step, int v)
{
    return v == step->target[0] || v == step->target[1];
}

// Down the first branch, through the closing joint, up the second. One element is spare, so that a
// walk that finds too many stays within.
static inline void find_elements(const planar_loop *plane, const closure_step *step,
                                 plane_work *work, const real *q, element e[THREE + 1])
{
    const planar_side *one = &plane->side[0], *two = &plane->side[1];
    pose2 X = unmoved();
    int n = 0;
    for (int k = 0; k < one->n; ++k) {
        const planar_joint *joint = &one->joint[k];
        X.p = apply(&X, vec2_of(joint->offset));
        if (is_target(step, joint->v)) {
            set_element(joint, &X, 1, &e[n++]);
            X = unmoved();
        } else {
            pass_joint(joint, work, q, 1, &X);
        }
    }
    X.p = apply(&X, vec2_of(one->end));
    e[n].F = X;
    e[n].is_slide = plane->slides;
    e[n].sign = 1;
    e[n].slide = vec2_of(one->along);
    e[n++].q = -1;
    X = unmoved();
    if (plane->slides) { // the two directions agree
        X.c = dot(vec2_of(one->along), vec2_of(two->along));
        X.s = cross(vec2_of(two->along), vec2_of(one->along));
    }
    X.p = apply(&X, (vec2){real_of(-two->end.x), real_of(-two->end.y)});
    for (int k = two->n - 1; k >= 0; --k) {
        const planar_joint *joint = &two->joint[k];
        if (is_target(step, joint->v)) {
            set_element(joint, &X, -1, &e[n++]);
            X = unmoved();
        } else {
            pass_joint(joint, work, q, -1, &X);
        }
        X.p = apply(&X, (vec2){real_of(-joint->offset.x), real_of(-joint->offset.y)});
    }
    e[0].F = times(&X, &e[0].F);
}

// e0 and e2 rotate, and G = F1 e1 F2 is known: e0 G e2 = F0^-1 = H. One vector gives e0, the rest
// e2.
static inline void solve_outer(const pose2 *G, element *e0, element *e2)
{
    const pose2 H = {e0->F.c, -e0->F.s, origin_from(&e0->F)};
    const real c = dot(G->p, H.p), s = cross(G->p, H.p), size2 = c * c + s * s;
    const bits is_sized = is_less(real_of(0), size2);
    const real scale = select_real(is_sized, 1 / root_of(size2), real_of(0));
    e0->c = select_real(is_sized, c * scale, real_of(1));
    e0->s = s * scale;
    const pose2 rest = rotated(G, e0->c, e0->s);
    e2->c = rest.c * H.c + rest.s * H.s;
    e2->s = rest.c * H.s - rest.s * H.c;
}

// Three that rotate: the axes of e0 and e2, at a and at Rot b from that of e1, are as far from each
// other as F0 gives.
static inline bits solve_triangle(element *e0, element *e1, element *e2, number branch, number *gap)
{
    const vec2 a = origin_from(&e1->F), b = e2->F.p;
    const real aa = dot(a, a), bb = dot(b, b), third2 = dot(e0->F.p, e0->F.p);
    const bits open = solve_angle(dot(a, b), cross(b, a), (number)0.5 * (aa + bb - third2), branch,
                                  &e1->c, &e1->s);
    if (LANES == 1 && is_any(open)) {
        const number la = number_root(real_lane(aa, 0)), lb = number_root(real_lane(bb, 0));
        const number third = number_root(real_lane(third2, 0));
        *gap = third > la + lb ? third - la - lb : number_size(la - lb) - third;
        return open;
    }
    const pose2 F1 = rotated(&e1->F, e1->c, e1->s), G = times(&F1, &e2->F);
    solve_outer(&G, e0, e2);
    return open;
}

// e1 slides between two that rotate, which keep their distance.
static inline bits solve_slide(element *e0, element *e1, element *e2, number branch, number *gap)
{
    const vec2 d = minus(e2->F.p, origin_from(&e1->F));
    const real third2 = dot(e0->F.p, e0->F.p), h = cross(e1->slide, d);
    const bits open = solve_slide_of_rod(dot(e1->slide, d), third2, h * h, branch, &e1->amount);
    if (LANES == 1 && is_any(open)) {
        *gap = number_size(real_lane(h, 0)) - number_root(real_lane(third2, 0));
        return open;
    }
    pose2 F1 = e1->F;
    F1.p = apply(&F1, (vec2){e1->amount * e1->slide.x, e1->amount * e1->slide.y});
    const pose2 G = times(&F1, &e2->F);
    solve_outer(&G, e0, e2);
    return open;
}

// e0 rotates by what the rest leaves over, and the slides e1 and e2 are linear.
static inline bits solve_two_slides(element *e0, element *e1, element *e2, number *gap)
{
    const pose2 F12 = times(&e1->F, &e2->F), F = times(&F12, &e0->F);
    e0->c = F.c;
    e0->s = -F.s;
    const vec2 d1 = rotate2(&e1->F, e1->slide), d2 = rotate2(&F12, e2->slide);
    const real det = cross(d1, d2);
    *gap = 0;
    e1->amount = cross(d2, F.p) / det;
    e2->amount = -cross(d1, F.p) / det;
    return ~is_less(real_of(parallel2), det * det);
}

// The one that slides is put in the middle, or the one that rotates first where it is alone.
static inline bits solve_elements(element e[THREE], number branch, number *gap)
{
    const int slides = e[0].is_slide + e[1].is_slide + e[2].is_slide;
    if (slides == 0) {
        return solve_triangle(&e[0], &e[1], &e[2], branch, gap);
    }
    int odd = 0;
    for (int k = 0; k < THREE; ++k) {
        odd = e[k].is_slide == (slides == 1) ? k : odd;
    }
    element *before = &e[(odd + 2) % THREE], *at = &e[odd], *after = &e[(odd + 1) % THREE];
    return slides == 1 ? solve_slide(before, at, after, branch, gap)
                       : solve_two_slides(at, after, before, gap);
}

static inline lw_status plane_three(const planar_loop *plane, const closure_step *step,
                                    plane_work *work, real *q, closure_fault *fault)
{
    element e[THREE + 1];
    find_elements(plane, step, work, q, e);
    if (fails(work, solve_elements(e, (number)step->branch, &fault->gap))) {
        return LW_ERR_LOOP_OPEN;
    }
    for (int k = 0; k < THREE; ++k) {
        if (e[k].q >= 0 && e[k].is_slide) {
            q[e[k].q] = e[k].sign * e[k].amount;
        } else if (e[k].q >= 0) {
            work->cosine[e[k].q] = e[k].c;
            work->sine[e[k].q] = e[k].sign * e[k].s;
        }
    }
    for (int side = 0; side < 2; ++side) {
        const pose2 X = walk_from_common(&plane->side[side], plane->side[side].n, work, q,
                                         records(plane, work, side));
        set_end(&plane->side[side], &X, &ends(plane, work)[side]);
    }
    return LW_OK;
}

// --- Rates ------------------------------------------------------------------------------------

static inline vec2 across(vec2 a)
{
    return (vec2){-a.y, a.x};
}

// Velocity of the end of a branch for unit rate of one of its joints.
static inline vec2 unit_velocity(const planar_joint *joint, const plane_record *record, vec2 end)
{
    if (joint->is_slide) {
        return record->dir;
    }
    const vec2 arm = minus(end, record->p);
    return (vec2){-joint->sign * arm.y, joint->sign * arm.x};
}

static inline lw_status singular_loop(const closure_step *step, closure_fault *fault)
{
    fault->loop = step->loop[0];
    fault->dof = step->target[0];
    return LW_ERR_SINGULAR;
}

// What the degrees of freedom of one branch do to the length: dot(along, velocity of its end) for
// unit rates.
LWI_INLINE void rod_entries(const planar_side *side, const plane_record *record, vec2 end,
                            vec2 along, real *row)
{
    const planar_joint *joint = side->joint;
    for (int k = 0; k < side->n; ++k) {
        const real rotation = cross(minus(end, record[k].p), along);
        row[joint[k].column] =
            joint[k].is_slide ? dot(along, record[k].dir) : joint[k].sign * rotation;
    }
}

// One condition: the length of the rod, d.(v1 - v0) = 0 for the vector d between its ends. It would
// answer best to its target where the rod and the target's arm stood across each other.
static inline lw_status rod_rates(const planar_loop *plane, const closure_step *step,
                                  plane_work *work, real *K, closure_fault *fault)
{
    const plane_record *one = work->plane + plane->first, *two = one + plane->side[0].n;
    const plane_record *end = two + plane->side[1].n;
    const vec2 d = minus(end[1].p, end[0].p), back = {-d.x, -d.y};
    real *row = work->matrix;
    rod_entries(&plane->side[0], one, end[0].p, back, row);
    rod_entries(&plane->side[1], two, end[1].p, d, row);
    const vec2 v = unit_velocity(&plane->side[step->side].joint[step->at],
                                 (step->side ? two : one) + step->at, end[step->side].p);
    const real least2 = singular_sine2 * dot(v, v) * dot(d, d);
    if (fails(work, ~is_less(least2, row[0] * row[0]))) {
        return singular_loop(step, fault);
    }
    const real inverse = -1 / row[0];
    work->plane_solve[4 * step->plane_solve] = inverse;
    for (int k = 0; k < step->nsource; ++k) {
        K[k] = inverse * row[1 + k];
    }
    return LW_OK;
}

// Two conditions: the ends meet, or the directions stay parallel and the second end on the line of
// the first. The determinant of the targets is measured against what it would be where they stand
// best: the arms of both, or, for a joint that slides, the longer of them.
static inline lw_status closing_rates(const planar_loop *plane, const closure_step *step,
                                      plane_work *work, real *K, closure_fault *fault)
{
    const int ns = step->nsource, ncolumn = 2 + ns + 1;
    const plane_record *end = ends(plane, work);
    const vec2 d = minus(end[1].p, end[0].p), t = across(end[0].dir);
    real *r0 = work->matrix, *r1 = work->matrix + ncolumn;
    real arm2[2] = {real_of(0), real_of(0)};
    for (int side = 0; side < 2; ++side) {
        const plane_record *record = records(plane, work, side);
        const number way = side ? 1 : -1;
        for (int k = 0; k < plane->side[side].n; ++k) {
            const planar_joint *joint = &plane->side[side].joint[k];
            const vec2 v = unit_velocity(joint, &record[k], end[side].p);
            vec2 entry = {way * v.x, way * v.y};
            if (plane->slides) {
                const number w = joint->is_slide ? 0 : joint->sign;
                const real rotation = (side ? 0 : w) * dot(across(t), d);
                entry = (vec2){real_of(way * w), way * dot(t, v) + rotation};
            }
            r0[joint->column] = entry.x;
            r1[joint->column] = entry.y;
            if (joint->column < 2) {
                arm2[joint->column] = dot(v, v);
            }
        }
    }
    const real det = r0[0] * r1[1] - r0[1] * r1[0];
    const real longer2 = select_real(is_less(arm2[1], arm2[0]), arm2[0], arm2[1]);
    const real best2 = plane->slides ? longer2 : arm2[0] * arm2[1];
    if (fails(work, ~is_less(singular_sine2 * best2, det * det))) {
        return singular_loop(step, fault);
    }
    const real inverse = -1 / det;
    real *solve = work->plane_solve + 4 * step->plane_solve;
    solve[0] = r1[1] * inverse;
    solve[1] = -r0[1] * inverse;
    solve[2] = -r1[0] * inverse;
    solve[3] = r0[0] * inverse;
    for (int k = 0; k < ns; ++k) {
        K[k] = solve[0] * r0[2 + k] + solve[1] * r1[2 + k];
        K[ns + k] = solve[2] * r0[2 + k] + solve[3] * r1[2 + k];
    }
    return LW_OK;
}

static inline lw_status plane_rates(const planar_loop *plane, const closure_step *step,
                                    plane_work *work, real *K, closure_fault *fault)
{
    return step->ntarget == 1 ? rod_rates(plane, step, work, K, fault)
                              : closing_rates(plane, step, work, K, fault);
}

// How the end of a branch moves: rotation rate, velocity, and acceleration at zero accelerations of
// the joints. Each stretch between two joints rotates with the sum of the rates before it, and so
// pulls its outer end inward; a slide adds what rotation does to its velocity.
typedef struct end_motion {
    real w;
    vec2 v, a;
} end_motion;

LWI_INLINE end_motion move_end(const planar_side *side, const plane_record *record, vec2 end,
                               const real *v)
{
    end_motion e = {real_of(0), {real_of(0), real_of(0)}, {real_of(0), real_of(0)}};
    const planar_joint *joint = side->joint;
    const int last = side->n - 1;
    for (int k = 0; k <= last; ++k) {
        const real rate = v[joint[k].v];
        const vec2 *next = k < last ? &record[k + 1].p : &end;
        const vec2 step = minus(*next, record[k].p);
        if (joint[k].is_slide) {
            const vec2 dir = record[k].dir;
            e.v = (vec2){e.v.x + rate * dir.x, e.v.y + rate * dir.y};
            e.a = (vec2){e.a.x - 2 * e.w * rate * dir.y, e.a.y + 2 * e.w * rate * dir.x};
        } else {
            e.w += joint[k].sign * rate;
        }
        const real ww = e.w * e.w;
        e.v = (vec2){e.v.x - e.w * step.y, e.v.y + e.w * step.x};
        e.a = (vec2){e.a.x - ww * step.x, e.a.y - ww * step.y};
    }
    return e;
}

static inline void plane_bias(const planar_loop *plane, const closure_step *step, plane_work *work,
                              const real *v, real *bias)
{
    const plane_record *one = work->plane + plane->first, *two = one + plane->side[0].n;
    const plane_record *end = two + plane->side[1].n;
    const end_motion e0 = move_end(&plane->side[0], one, end[0].p, v);
    const end_motion e1 = move_end(&plane->side[1], two, end[1].p, v);
    const vec2 d = minus(end[1].p, end[0].p), dv = minus(e1.v, e0.v), da = minus(e1.a, e0.a);
    const real *solve = work->plane_solve + 4 * step->plane_solve;
    if (step->ntarget == 1) {
        bias[0] = solve[0] * (dot(d, da) + dot(dv, dv));
        return;
    }
    vec2 row = da;
    if (plane->slides) {
        const vec2 t = across(end[0].dir);
        const real w = e0.w;
        row = (vec2){real_of(0), dot(t, da) + 2 * w * dot(across(t), dv) - w * w * dot(t, d)};
    }
    bias[0] = solve[0] * row.x + solve[1] * row.y;
    bias[1] = solve[2] * row.x + solve[3] * row.y;
}

#endif
