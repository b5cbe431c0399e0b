// The tree as the recursions see it, over the scalar of real.h: joints, and vectors that go from a
// parent to its child and back.
//
// Every recursion begins with place_joints() and keeps what it finds about body i in its own array;
// the entry before the first one stands for the world, so that parents need no question.
#ifndef LWI_KERNEL_TREE_H
#define LWI_KERNEL_TREE_H

#include "../math/sincos.h"
#include "../model/kernel.h"

#if defined(LWI_REAL_FLOAT)
typedef lwi_segment32 segment;
typedef lwi_passive32 passive;
typedef lwi_load32 constant_load;
#else
typedef lwi_segment segment;
typedef lwi_passive passive;
typedef lwi_load constant_load;
#endif

/// An angular and a linear part: motions, forces.
typedef struct pair3 {
    vec3 ang, lin;
} pair3;

/// A joint that is not about or along z.
typedef struct general_joint {
    mat3 R;              ///< body to parent
    int nv;              ///< degrees of freedom of a user joint; 0: those of the body itself
    pair3 S[LW_MAX_DOF]; ///< [nv] of a user joint
} general_joint;

/// Where a body is in its parent.
typedef struct placed_joint {
    real c, s;              ///< of the rotation about z
    vec3 p;                 ///< origin of the body in the parent
    general_joint *general; ///< null where the joint is about or along z
} placed_joint;

/// What the recursions read of a model, and where they keep the joints.
typedef struct tree {
    int nbody;
    bool all_revolute;
    const segment *segment;
    const lw_user_joint *user;
    placed_joint *joint;    ///< [nbody]
    general_joint *general; ///< one for each joint that is not about or along z
    real *sine, *cosine;    ///< [nbody] of the joints' angles
    real *angle;            ///< [nbody] workspace for those
} tree;

static inline vec3 vec3_of(const number x[3])
{
    return (vec3){real_of(x[0]), real_of(x[1]), real_of(x[2])};
}

/// Does something in the way that fits the rotation of a segment: `how` is constant when compiling
/// in each of the copies, so that what it leaves out is not there. (A macro, because a function
/// would need one more for each thing to do.)
#define LWI_BY_ROTATION(segment, how, thing)                                                       \
    switch ((segment)->rotation) {                                                                 \
    case LWI_ROTATION_PARALLEL: {                                                                  \
        const lwi_rotation_class how = LWI_ROTATION_PARALLEL;                                      \
        thing;                                                                                     \
        break;                                                                                     \
    }                                                                                              \
    case LWI_ROTATION_SQUARE: {                                                                    \
        const lwi_rotation_class how = LWI_ROTATION_SQUARE;                                        \
        thing;                                                                                     \
        break;                                                                                     \
    }                                                                                              \
    case LWI_ROTATION_OBLIQUE: {                                                                   \
        const lwi_rotation_class how = LWI_ROTATION_OBLIQUE;                                       \
        thing;                                                                                     \
        break;                                                                                     \
    }                                                                                              \
    default: {                                                                                     \
        const lwi_rotation_class how = LWI_ROTATION_ANY;                                           \
        thing;                                                                                     \
        break;                                                                                     \
    }                                                                                              \
    }

/// Turned by beta about x, forward or backward.
LWI_INLINE vec3 rotate_beta(const segment *b, vec3 v, lwi_rotation_class how)
{
    return how == LWI_ROTATION_PARALLEL ? v
           : how == LWI_ROTATION_SQUARE ? (vec3){v.x, -v.z, v.y}
                                        : rotate_x(b->cos_beta, b->sin_beta, v);
}

LWI_INLINE vec3 rotate_back_beta(const segment *b, vec3 v, lwi_rotation_class how)
{
    return how == LWI_ROTATION_PARALLEL ? v
           : how == LWI_ROTATION_SQUARE ? (vec3){v.x, v.z, -v.y}
                                        : rotate_back_x(b->cos_beta, b->sin_beta, v);
}

/// A vector of the parent, along the axes of the body.
LWI_INLINE vec3 rotate_in(const segment *b, const placed_joint *j, vec3 v, lwi_rotation_class how)
{
    if (how == LWI_ROTATION_ANY && j->general) {
        return transpose_mul3(&j->general->R, v);
    }
    if (how == LWI_ROTATION_ANY && b->is_askew) {
        v = rotate_back_z(real_of(b->cos_alpha), real_of(b->sin_alpha), v);
    }
    return rotate_back_z(j->c, j->s, rotate_back_beta(b, v, how));
}

/// A vector of the body, along the axes of the parent.
LWI_INLINE vec3 rotate_out(const segment *b, const placed_joint *j, vec3 v, lwi_rotation_class how)
{
    if (how == LWI_ROTATION_ANY && j->general) {
        return mul3(&j->general->R, v);
    }
    v = rotate_beta(b, rotate_z(j->c, j->s, v), how);
    return how == LWI_ROTATION_ANY && b->is_askew
               ? rotate_z(real_of(b->cos_alpha), real_of(b->sin_alpha), v)
               : v;
}

/// Origin of the body in its parent.
LWI_INLINE vec3 offset_of(const segment *b, const placed_joint *j, lwi_rotation_class how)
{
    return how == LWI_ROTATION_ANY ? j->p : vec3_of(b->p);
}

/// The force at the body's origin, along the axes of the parent and about a point from which that
/// origin is at `arm`.
LWI_INLINE pair3 force_across(const segment *b, const placed_joint *j, pair3 f, vec3 arm,
                              lwi_rotation_class how)
{
    const vec3 lin = rotate_out(b, j, f.lin, how);
    const vec3 moment = cross3(arm, lin);
    return (pair3){add3(rotate_out(b, j, f.ang, how), moment), lin};
}

/// As it acts at the parent's origin.
LWI_INLINE pair3 force_to_parent(const segment *b, const placed_joint *j, pair3 f,
                                 lwi_rotation_class how)
{
    return force_across(b, j, f, offset_of(b, j, how), how);
}

static inline pair3 add6(pair3 a, pair3 b)
{
    return (pair3){add3(a.ang, b.ang), add3(a.lin, b.lin)};
}

static inline pair3 sub6(pair3 a, pair3 b)
{
    return (pair3){sub3(a.ang, b.ang), sub3(a.lin, b.lin)};
}

static inline real dot6(pair3 a, pair3 b)
{
    return dot3(a.ang, b.ang) + dot3(a.lin, b.lin);
}

/// s a + b
static inline pair3 axpy6(real s, pair3 a, pair3 b)
{
    return (pair3){add3(scale3(s, a.ang), b.ang), add3(scale3(s, a.lin), b.lin)};
}

#if !defined(LWI_REAL_FLOAT)
// The callbacks of a user joint take double only; lanes call them one by one.

static inline vec3 set_vec3_lane(vec3 v, int lane, lw_vec3 x)
{
    return (vec3){real_set_lane(v.x, lane, x.x), real_set_lane(v.y, lane, x.y),
                  real_set_lane(v.z, lane, x.z)};
}

static inline void place_user_joint(const lw_user_joint *user, const real *q, general_joint *g,
                                    vec3 *p)
{
    g->nv = user->nv;
    for (int lane = 0; lane < LANES; ++lane) {
        double position[LW_MAX_DOF];
        lw_pose X;
        lw_motion S[LW_MAX_DOF];
        for (int k = 0; k < user->nv; ++k) {
            position[k] = real_lane(q[k], lane);
        }
        user->pose(user->context, position, &X);
        user->motion(user->context, position, S);
        *p = set_vec3_lane(*p, lane, X.p);
        for (int r = 0; r < 3; ++r) {
            g->R.row[r] = set_vec3_lane(g->R.row[r], lane, X.R.row[r]);
        }
        for (int k = 0; k < user->nv; ++k) {
            g->S[k].ang = set_vec3_lane(g->S[k].ang, lane, S[k].ang);
            g->S[k].lin = set_vec3_lane(g->S[k].lin, lane, S[k].lin);
        }
    }
}

/// dS/dt * v
static inline pair3 user_bias(const lw_user_joint *user, const real *q, const real *v)
{
    pair3 bias = {0};
    for (int lane = 0; lane < LANES && user->bias; ++lane) {
        double position[LW_MAX_DOF], velocity[LW_MAX_DOF];
        lw_motion rate;
        for (int k = 0; k < user->nv; ++k) {
            position[k] = real_lane(q[k], lane);
            velocity[k] = real_lane(v[k], lane);
        }
        user->bias(user->context, position, velocity, &rate);
        bias.ang = set_vec3_lane(bias.ang, lane, rate.ang);
        bias.lin = set_vec3_lane(bias.lin, lane, rate.lin);
    }
    return bias;
}
#endif

static inline void place_general_joint(const tree *t, int i, const real *q, placed_joint *j)
{
    const segment *b = &t->segment[i];
    general_joint *g = &t->general[b->general];
    vec3 p = {0};
    g->nv = 0;
    if (b->carrier == LW_TREE_SPHERICAL) {
        g->R = rotation_of_quaternion(&q[b->q]);
    } else if (b->carrier == LW_TREE_FREE) {
        g->R = rotation_of_quaternion(&q[b->q + 3]);
        p = (vec3){q[b->q], q[b->q + 1], q[b->q + 2]};
    } else {
#if !defined(LWI_REAL_FLOAT)
        place_user_joint(&t->user[i], &q[b->q], g, &p);
#endif
    }
    // Through the placement, which has a constant rotation of its own.
    j->c = real_of(b->cos_gamma);
    j->s = real_of(b->sin_gamma);
    j->general = NULL;
    j->p = add3(vec3_of(b->p), rotate_out(b, j, p, LWI_ROTATION_ANY));
    vec3 column[3];
    for (int k = 0; k < 3; ++k) {
        const vec3 *R = g->R.row;
        const vec3 x = {R[0].x, R[1].x, R[2].x}, y = {R[0].y, R[1].y, R[2].y};
        const vec3 z = {R[0].z, R[1].z, R[2].z};
        column[k] = rotate_out(b, j, k == 0 ? x : k == 1 ? y : z, LWI_ROTATION_ANY);
    }
    g->R = (mat3){{{column[0].x, column[1].x, column[2].x},
                   {column[0].y, column[1].y, column[2].y},
                   {column[0].z, column[1].z, column[2].z}}};
    j->general = g;
}

/// The joint of body i; sine and cosine of its angle are there already.
LWI_INLINE void place_joint(const tree *t, int i, const real *q, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    placed_joint *j = &t->joint[i];
    if (how == LWI_ROTATION_ANY && b->general >= 0) {
        place_general_joint(t, i, q, j);
        return;
    }
    // The joint's own rotation adds to the constant gamma.
    j->c = t->cosine[i] * b->cos_gamma - t->sine[i] * b->sin_gamma;
    j->s = t->sine[i] * b->cos_gamma + t->cosine[i] * b->sin_gamma;
    if (how != LWI_ROTATION_ANY) {
        return;
    }
    j->general = NULL;
    j->p = vec3_of(b->p);
    if (b->carrier != LW_TREE_REVOLUTE) {
        const real zero = {0};
        const number lead = b->carrier == LW_TREE_PRISMATIC ? 1 : b->lead;
        const vec3 along = {zero, zero, lead * q[b->q]};
        j->p = add3(j->p, rotate_out(b, j, along, LWI_ROTATION_ANY));
    }
}

/// Velocity of the body against its parent, or acceleration for x = a, along the body's axes.
static inline pair3 across_joint(const segment *b, const placed_joint *j, const real *x)
{
    pair3 r = {0};
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        r.ang.z = x[0];
        break;
    case LW_TREE_PRISMATIC:
        r.lin.z = x[0];
        break;
    case LW_TREE_SCREW:
        r.ang.z = x[0];
        r.lin.z = b->lead * x[0];
        break;
    case LW_TREE_FREE:
        r.lin = (vec3){x[3], x[4], x[5]};
        r.ang = (vec3){x[0], x[1], x[2]};
        break;
    case LW_TREE_SPHERICAL:
        r.ang = (vec3){x[0], x[1], x[2]};
        break;
    default:
        for (int k = 0; k < j->general->nv; ++k) {
            r = axpy6(x[k], j->general->S[k], r);
        }
        break;
    }
    return r;
}

/// The share of a force on the body that the degrees of freedom of its joint take: S' f.
static inline void joint_force(const segment *b, const placed_joint *j, pair3 f, real *tau)
{
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        tau[0] = f.ang.z;
        break;
    case LW_TREE_PRISMATIC:
        tau[0] = f.lin.z;
        break;
    case LW_TREE_SCREW:
        tau[0] = f.ang.z + b->lead * f.lin.z;
        break;
    case LW_TREE_FREE:
        tau[3] = f.lin.x;
        tau[4] = f.lin.y;
        tau[5] = f.lin.z;
        // fall through
    case LW_TREE_SPHERICAL:
        tau[0] = f.ang.x;
        tau[1] = f.ang.y;
        tau[2] = f.ang.z;
        break;
    default:
        for (int k = 0; k < j->general->nv; ++k) {
            tau[k] = dot6(j->general->S[k], f);
        }
        break;
    }
}

#endif
