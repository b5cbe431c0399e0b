// Inertias that go from a body to its parent, over the scalar of real.h.
//
// A rotation of a symmetric matrix about one axis is a plane rotation of both sides; with the
// frames of segment.h two such rotations bring any matrix from a body to its parent.
#ifndef LWI_KERNEL_INERTIA_H
#define LWI_KERNEL_INERTIA_H

#include "kernel_tree.h"

/// Mass of several bodies that move as one: its second moments instead of its tensor.
typedef struct composite {
    real mass;
    vec3 h;
    sym3 Z;
} composite;

static inline sym3 sym3_of(const number x[6])
{
    return (sym3){real_of(x[0]), real_of(x[1]), real_of(x[2]),
                  real_of(x[3]), real_of(x[4]), real_of(x[5])};
}

static inline composite composite_of(const segment *b)
{
    return (composite){real_of(b->mass), vec3_of(b->h), sym3_of(b->second)};
}

static inline sym3 add_sym3(sym3 a, sym3 b)
{
    return (sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

static inline composite add_composite(composite a, composite b)
{
    return (composite){a.mass + b.mass, add3(a.h, b.h), add_sym3(a.Z, b.Z)};
}

/// Rz S Rz', the cosine and sine given. The trace gives the last entry.
static inline sym3 rotate_sym3_z(real c, real s, sym3 S)
{
    const real x = c * S.xx - s * S.xy, y = c * S.xy - s * S.yy;
    const real xx = c * x - s * y;
    return (sym3){
        xx, S.xx + S.yy - xx, S.zz, s * x + c * y, c * S.xz - s * S.yz, s * S.xz + c * S.yz};
}

static inline sym3 turn_sym3_x(number c, number s, sym3 S)
{
    const real y = c * S.yy - s * S.yz, z = c * S.yz - s * S.zz;
    const real yy = c * y - s * z;
    return (sym3){S.xx,         yy, S.yy + S.zz - yy, c * S.xy - s * S.xz, s * S.xy + c * S.xz,
                  s * y + c * z};
}

/// R S R'
static inline sym3 rotate_sym3(const mat3 *R, sym3 S)
{
    const vec3 x = sym_mul3(&S, R->row[0]), y = sym_mul3(&S, R->row[1]);
    const vec3 z = sym_mul3(&S, R->row[2]);
    return (sym3){dot3(R->row[0], x), dot3(R->row[1], y), dot3(R->row[2], z),
                  dot3(R->row[0], y), dot3(R->row[0], z), dot3(R->row[1], z)};
}

LWI_INLINE sym3 rotate_sym3_beta(const segment *b, sym3 S, lwi_rotation_class how)
{
    return how == LWI_ROTATION_PARALLEL ? S
           : how == LWI_ROTATION_SQUARE ? (sym3){S.xx, S.zz, S.yy, -S.xz, S.xy, -S.yz}
                                        : turn_sym3_x(b->cos_beta, b->sin_beta, S);
}

/// A symmetric matrix of the body, along the axes of the parent.
LWI_INLINE sym3 rotate_sym3_out(const segment *b, const placed_joint *j, sym3 S,
                                lwi_rotation_class how)
{
    if (how == LWI_ROTATION_ANY && j->general) {
        return rotate_sym3(&j->general->R, S);
    }
    S = rotate_sym3_beta(b, rotate_sym3_z(j->c, j->s, S), how);
    return how == LWI_ROTATION_ANY && b->is_askew
               ? rotate_sym3_z(real_of(b->cos_alpha), real_of(b->sin_alpha), S)
               : S;
}

/// The composite, along the axes of the parent and about its origin: points r become r + p, so that
/// h becomes H = h + m p, and Z becomes Z + p H' + h p'.
LWI_INLINE composite composite_to_parent(const segment *b, const placed_joint *j, composite I,
                                         lwi_rotation_class how)
{
    const vec3 p = offset_of(b, j, how);
    const vec3 h = rotate_out(b, j, I.h, how);
    const vec3 H = add3(h, scale3(I.mass, p));
    sym3 Z = rotate_sym3_out(b, j, I.Z, how);
    Z.xx += p.x * H.x + p.x * h.x;
    Z.yy += p.y * H.y + p.y * h.y;
    Z.zz += p.z * H.z + p.z * h.z;
    Z.xy += p.x * H.y + p.y * h.x;
    Z.xz += p.x * H.z + p.z * h.x;
    Z.yz += p.y * H.z + p.z * h.y;
    return (composite){I.mass, H, Z};
}

/// Momentum for velocity S, or force for acceleration S.
static inline pair3 composite_times(const composite *I, pair3 S)
{
    const real trace = I->Z.xx + I->Z.yy + I->Z.zz;
    const vec3 rotation = sub3(scale3(trace, S.ang), sym_mul3(&I->Z, S.ang));
    return (pair3){add3(rotation, cross3(I->h, S.lin)),
                   add3(scale3(I->mass, S.lin), cross3(S.ang, I->h))};
}

/// Motion of the body for unit rate of degree of freedom k of its joint.
static inline pair3 joint_axis(const segment *b, const placed_joint *j, int k)
{
    const real zero = {0};
    const real one = zero + 1;
    pair3 S = {0};
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        S.ang.z = one;
        break;
    case LW_TREE_PRISMATIC:
        S.lin.z = one;
        break;
    case LW_TREE_SCREW:
        S.ang.z = one;
        S.lin.z = real_of(b->lead);
        break;
    case LW_TREE_USER:
        S = j->general->S[k];
        break;
    default: { // free or spherical
        vec3 *part = k < 3 ? &S.ang : &S.lin;
        const int axis = k % 3;
        part->x = axis == 0 ? one : zero;
        part->y = axis == 1 ? one : zero;
        part->z = axis == 2 ? one : zero;
        break;
    }
    }
    return S;
}

#endif
