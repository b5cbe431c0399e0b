// Accelerations by articulated bodies, over the scalar of real.h.
//
// Featherstone (1983; 2008, table 7.1), with accelerations in the classical form, as in
// kernel_rnea.h: what a joint hands on is the acceleration of the origin, so that no linear
// velocity is needed. A joint of several degrees of freedom is taken degree of freedom by degree of
// freedom, as if massless bodies were in between: the same elimination, without a matrix to invert.
#ifndef LWI_KERNEL_ABA_H
#define LWI_KERNEL_ABA_H

#include "kernel_inertia.h"
#include "kernel_rnea.h"

#include <float.h>

/// Inertia of an articulated body: moment I wd + H a and force H' wd + M a. And the force that it
/// needs where neither accelerates.
typedef struct articulated {
    sym3 I, M;
    mat3 H;
    pair3 bias;
    real size; ///< what rounding in I is measured by: its trace before degrees of freedom were
               ///< taken out
} articulated;

/// A degree of freedom after its elimination.
typedef struct eliminated {
    pair3 U;      ///< inertia times axis
    real inverse; ///< of the inertia that the degree of freedom itself moves
    real drive;   ///< less the bias
} eliminated;

/// One body between the passes.
typedef struct aba_body {
    vec3 w;  ///< angular velocity
    pair3 c; ///< acceleration that velocities cause, against that of the parent
    pair3 a; ///< acceleration: angular, and of the origin
} aba_body;

/// The work space of one evaluation.
typedef struct aba_work {
    aba_body *body;    ///< [nbody]
    pair3 *bias;       ///< [nbody] forces that bodies need where none accelerates
    articulated *fork; ///< [nbody] what forks carry by branches
    eliminated *dof;   ///< [nv]
} aba_work;

#if defined(LWI_REAL_FLOAT)
#define SMALLEST_SHARE (64 * FLT_EPSILON)
#else
/// A degree of freedom that moves less than this share of what it carries has no acceleration
/// worth the name.
#define SMALLEST_SHARE (64 * DBL_EPSILON)
#endif

static inline articulated rigid(const segment *b)
{
    const sym3 Z = sym3_of(b->second);
    const vec3 h = vec3_of(b->h);
    const real zero = {0};
    const real m = real_of(b->mass);
    return (articulated){
        .I = {Z.yy + Z.zz, Z.xx + Z.zz, Z.xx + Z.yy, -Z.xy, -Z.xz, -Z.yz},
        .M = {m, m, m, zero, zero, zero},
        .H = {{{zero, -h.z, h.y}, {h.z, zero, -h.x}, {-h.y, h.x, zero}}},
    };
}

static inline mat3 add33(mat3 a, mat3 b)
{
    return (mat3){{add3(a.row[0], b.row[0]), add3(a.row[1], b.row[1]), add3(a.row[2], b.row[2])}};
}

static inline articulated add_articulated(articulated a, articulated b)
{
    return (articulated){add_sym3(a.I, b.I), add_sym3(a.M, b.M), add33(a.H, b.H),
                         add6(a.bias, b.bias), a.size + b.size};
}

static inline pair3 articulated_times(const articulated *A, pair3 x)
{
    return (pair3){add3(sym_mul3(&A->I, x.ang), mul3(&A->H, x.lin)),
                   add3(transpose_mul3(&A->H, x.ang), sym_mul3(&A->M, x.lin))};
}

/// S - s x x'
static inline sym3 sub_square(sym3 S, real s, vec3 x)
{
    const vec3 y = scale3(s, x);
    return (sym3){S.xx - y.x * x.x, S.yy - y.y * x.y, S.zz - y.z * x.z,
                  S.xy - y.x * x.y, S.xz - y.x * x.z, S.yz - y.y * x.z};
}

/// Rz H Rz'
static inline mat3 rotate_both_z(real c, real s, mat3 H)
{
    const mat3 r = {{sub3(scale3(c, H.row[0]), scale3(s, H.row[1])),
                     add3(scale3(s, H.row[0]), scale3(c, H.row[1])), H.row[2]}};
    return (mat3){{rotate_z(c, s, r.row[0]), rotate_z(c, s, r.row[1]), rotate_z(c, s, r.row[2])}};
}

static inline mat3 turn_both_x(number c, number s, mat3 H)
{
    const real cr = real_of(c), sr = real_of(s);
    const mat3 r = {{H.row[0], sub3(scale3(cr, H.row[1]), scale3(sr, H.row[2])),
                     add3(scale3(sr, H.row[1]), scale3(cr, H.row[2]))}};
    return (mat3){{rotate_x(c, s, r.row[0]), rotate_x(c, s, r.row[1]), rotate_x(c, s, r.row[2])}};
}

LWI_INLINE mat3 turn_both_beta(const segment *b, mat3 H, lwi_rotation_class how)
{
    if (how == LWI_ROTATION_SQUARE) {
        const vec3 x = rotate_beta(b, H.row[0], how), y = rotate_beta(b, H.row[1], how);
        const vec3 z = rotate_beta(b, H.row[2], how);
        return (mat3){{x, {-z.x, -z.y, -z.z}, y}};
    }
    return how == LWI_ROTATION_PARALLEL ? H : turn_both_x(b->cos_beta, b->sin_beta, H);
}

LWI_INLINE mat3 rotate_both_out(const segment *b, const placed_joint *j, mat3 H,
                                lwi_rotation_class how)
{
    if (how == LWI_ROTATION_ANY && j->general) {
        const mat3 *R = &j->general->R;
        const mat3 left = mul33(R, &H);
        return (mat3){{mul3(R, left.row[0]), mul3(R, left.row[1]), mul3(R, left.row[2])}};
    }
    H = turn_both_beta(b, rotate_both_z(j->c, j->s, H), how);
    return how == LWI_ROTATION_ANY && b->is_askew
               ? rotate_both_z(real_of(b->cos_alpha), real_of(b->sin_alpha), H)
               : H;
}

/// [p]x S for a symmetric S
static inline mat3 cross_sym3(vec3 p, sym3 S)
{
    const vec3 x = {S.xx, S.xy, S.xz}, y = {S.xy, S.yy, S.yz}, z = {S.xz, S.yz, S.zz};
    return (mat3){{sub3(scale3(p.y, z), scale3(p.z, y)), sub3(scale3(p.z, x), scale3(p.x, z)),
                   sub3(scale3(p.x, y), scale3(p.y, x))}};
}

/// Along the axes of the parent and about its origin: H becomes K = H + [p]x M, and I becomes
/// I + [p]x K' + ([p]x H')'.
LWI_INLINE articulated articulated_to_parent(const segment *b, const placed_joint *j,
                                             const articulated *A, lwi_rotation_class how)
{
    const vec3 p = offset_of(b, j, how);
    const mat3 H = rotate_both_out(b, j, A->H, how);
    articulated T;
    T.M = rotate_sym3_out(b, j, A->M, how);
    T.I = rotate_sym3_out(b, j, A->I, how);
    T.H = add33(H, cross_sym3(p, T.M));
    const vec3 *h = H.row, *k = T.H.row;
    T.I.xx += p.y * (k[0].z + h[0].z) - p.z * (k[0].y + h[0].y);
    T.I.yy += p.z * (k[1].x + h[1].x) - p.x * (k[1].z + h[1].z);
    T.I.zz += p.x * (k[2].y + h[2].y) - p.y * (k[2].x + h[2].x);
    T.I.xy += p.y * k[1].z - p.z * k[1].y + p.z * h[0].x - p.x * h[0].z;
    T.I.xz += p.y * k[2].z - p.z * k[2].y + p.x * h[0].y - p.y * h[0].x;
    T.I.yz += p.z * k[2].x - p.x * k[2].z + p.x * h[1].y - p.y * h[1].x;
    T.bias = force_to_parent(b, j, A->bias, how);
    T.size = A->size;
    return T;
}

/// Takes one degree of freedom out of A. `inertia` is what the degree of freedom moves, `U` what
/// that needs, and `size` what `inertia` is measured by. Returns the mask of the lanes in which it
/// moves none.
LWI_INLINE bits eliminate(articulated *A, pair3 U, real inertia, real size, real drive,
                          eliminated *out)
{
    const real inverse = 1 / inertia;
    A->I = sub_square(A->I, inverse, U.ang);
    A->M = sub_square(A->M, inverse, U.lin);
    A->H.row[0] = sub3(A->H.row[0], scale3(U.ang.x * inverse, U.lin));
    A->H.row[1] = sub3(A->H.row[1], scale3(U.ang.y * inverse, U.lin));
    A->H.row[2] = sub3(A->H.row[2], scale3(U.ang.z * inverse, U.lin));
    A->bias = axpy6(drive * inverse, U, A->bias);
    *out = (eliminated){U, inverse, drive};
    return ~is_less(size * SMALLEST_SHARE, inertia);
}

/// All degrees of freedom of a joint other than revolute, the last one first.
static inline bits eliminate_joint(const segment *b, const placed_joint *j, articulated *A,
                                   real size, const real *rotor, const real *tau, eliminated *dof)
{
    bits is_singular = {0};
    for (int k = b->nv - 1; k >= 0; --k) {
        const pair3 S = joint_axis(b, j, k);
        const pair3 U = articulated_times(A, S);
        const real scale = dot3(S.ang, S.ang) * size + dot3(S.lin, S.lin) * b->mass_behind;
        is_singular |= eliminate(A, U, dot6(S, U) + rotor[k], scale + rotor[k],
                                 tau[k] - dot6(S, A->bias), &dof[k]);
    }
    return is_singular;
}

/// Force that the rotation of the body needs by itself, where W = [w]x [w]x.
LWI_INLINE pair3 gyroscopic(const segment *b, sym3 W)
{
    const number *Z = b->second;
    const vec3 twist = {
        W.xz * Z[3] + W.yz * Z[1] + W.zz * Z[5] - (W.xy * Z[4] + W.yy * Z[5] + W.yz * Z[2]),
        W.xx * Z[4] + W.xy * Z[5] + W.xz * Z[2] - (W.xz * Z[0] + W.yz * Z[3] + W.zz * Z[4]),
        W.xy * Z[0] + W.yy * Z[3] + W.yz * Z[4] - (W.xx * Z[3] + W.xy * Z[1] + W.xz * Z[5])};
    return (pair3){twist, sym_mul3(&W, vec3_of(b->h))};
}

static inline sym3 cross_twice(vec3 w)
{
    const real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    return (sym3){-(yy + zz), -(xx + zz), -(xx + yy), w.x * w.y, w.x * w.z, w.y * w.z};
}

/// Joint of body i and what velocities cause there. Takes the parent's angular velocity along its
/// own axes, and returns that of the body.
LWI_INLINE vec3 aba_step_out(const tree *t, int i, const real *q, const real *v, vec3 w_P,
                             const aba_work *work, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    pair3 *c = &work->body[i].c;
    place_joint(t, i, q, how);
    const sym3 W_P = cross_twice(w_P);
    c->lin = rotate_in(b, j, sym_mul3(&W_P, offset_of(b, j, how)), how);
    vec3 w = rotate_in(b, j, w_P, how);
    if (how != LWI_ROTATION_ANY || b->carrier == LW_TREE_REVOLUTE) {
        const real rate = v[b->v];
        c->ang = (vec3){w.y * rate, -w.x * rate, (real){0}};
        w.z += rate;
    } else {
        moving B = {.w = w, .a = c->lin};
        add_joint_velocity(t, i, q, v, &B);
        *c = (pair3){B.wd, B.a};
        w = B.w;
    }
    return w;
}

/// Outward: joints, and what velocities cause.
static inline void aba_outward(const tree *t, const real *q, const real *v, const moving *world,
                               const aba_work *work)
{
    vec3 w = world->w;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            w = b->parent < 0 ? world->w : work->body[b->parent].w;
        }
        LWI_BY_ROTATION(b, how, w = aba_step_out(t, i, q, v, w, work, how))
        if (b->is_fork) {
            work->body[i].w = w;
            work->fork[i] = (articulated){0};
        }
        work->bias[i] = gyroscopic(b, cross_twice(w));
    }
}

/// Takes the degrees of freedom of body i out of the inertia that it carries.
LWI_INLINE bits aba_take_out(const segment *b, const placed_joint *j, articulated *A,
                             const real *rotor, const real *tau, eliminated *dof,
                             lwi_rotation_class how)
{
    const real trace = A->I.xx + A->I.yy + A->I.zz;
    const real size = trace + A->size;
    A->size = trace;
    if (how != LWI_ROTATION_ANY || b->carrier == LW_TREE_REVOLUTE) {
        const pair3 U = {{A->I.xz, A->I.yz, A->I.zz}, A->H.row[2]};
        return eliminate(A, U, A->I.zz + *rotor, size + *rotor, *tau - A->bias.ang.z, dof);
    }
    return eliminate_joint(b, j, A, size, rotor, tau, dof);
}

/// Inward: inertias of articulated bodies. Returns a degree of freedom that moves no inertia, or
/// -1; `singular` gets the mask of the lanes.
static inline int aba_inward(const tree *t, const real *rotor, const real *tau,
                             const aba_work *work, bits *singular)
{
    int singular_dof = -1;
    articulated carried = {0}; // to body i by body i + 1
    *singular = (bits){0};
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        const int v = b->v;
        articulated A = add_articulated(rigid(b), carried);
        A.bias = add6(A.bias, work->bias[i]);
        if (b->is_fork) {
            A = add_articulated(A, work->fork[i]);
        }
        bits is_singular;
        if (b->rotation != LWI_ROTATION_ANY) {
            is_singular =
                aba_take_out(b, j, &A, &rotor[v], &tau[v], &work->dof[v], LWI_ROTATION_OBLIQUE);
        } else {
            is_singular =
                aba_take_out(b, j, &A, &rotor[v], &tau[v], &work->dof[v], LWI_ROTATION_ANY);
        }
        if (__builtin_expect(is_any(is_singular), 0)) {
            singular_dof = singular_dof < 0 ? v : singular_dof; // the others only suffer from it
            *singular |= is_singular;
        }
        carried = (articulated){0};
        if (b->parent < 0) {
            continue;
        }
        A.bias = add6(A.bias, articulated_times(&A, work->body[i].c));
        articulated moved;
        LWI_BY_ROTATION(b, how, moved = articulated_to_parent(b, j, &A, how))
        if (b->parent == i - 1) {
            carried = moved;
        } else {
            work->fork[b->parent] = add_articulated(work->fork[b->parent], moved);
        }
    }
    return singular_dof;
}

/// Accelerations of body i and of its degrees of freedom, from that of its parent.
LWI_INLINE pair3 aba_step_again(const segment *b, const placed_joint *j, pair3 x, pair3 c,
                                const eliminated *dof, real *a, lwi_rotation_class how)
{
    const vec3 lin = add3(x.lin, cross3(x.ang, offset_of(b, j, how)));
    x.ang = add3(rotate_in(b, j, x.ang, how), c.ang);
    x.lin = add3(rotate_in(b, j, lin, how), c.lin);
    for (int k = 0; k < (how != LWI_ROTATION_ANY ? 1 : b->nv); ++k) {
        const eliminated *e = &dof[k];
        a[k] = (e->drive - dot6(e->U, x)) * e->inverse;
        if (how != LWI_ROTATION_ANY) {
            x.ang.z += a[k];
        } else {
            x = axpy6(a[k], joint_axis(b, j, k), x);
        }
    }
    return x;
}

/// Outward again: accelerations.
static inline void aba_accelerate(const tree *t, const moving *world, const aba_work *work, real *a)
{
    pair3 x = {world->wd, world->a};
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        aba_body *B = &work->body[i];
        const eliminated *dof = &work->dof[b->v];
        if (b->parent != i - 1) {
            x = b->parent < 0 ? (pair3){world->wd, world->a} : work->body[b->parent].a;
        }
        LWI_BY_ROTATION(b, how, x = aba_step_again(b, j, x, B->c, dof, &a[b->v], how))
        if (b->is_fork) {
            B->a = x;
        }
    }
}

#endif
