// Inertias of articulated bodies, and how a degree of freedom is taken out of one, over the scalar
// of real.h.
#ifndef LWI_KERNEL_ARTICULATED_H
#define LWI_KERNEL_ARTICULATED_H

#include "kernel_inertia.h"

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

#endif
