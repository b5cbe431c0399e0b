// Momentum of a tree and its derivative by velocity, over the scalar of real.h.
//
// Velocities go outward and momenta inward, as in recursive Newton-Euler; with them go first
// moments, which give the centre of mass. The columns of the matrix are those of composite rigid
// bodies (kernel_crba.h), each carried to the world at once by the pose of its body.
#ifndef LWI_KERNEL_MOMENTUM_H
#define LWI_KERNEL_MOMENTUM_H

#include "kernel_inertia.h"
#include "kernel_rnea.h"

/// Angular velocity and velocity of the origin of body i, from its parent's.
LWI_INLINE pair3 velocity_after(const tree *t, int i, const real *q, const real *v, pair3 P,
                                lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    place_joint(t, i, q, how);
    pair3 B;
    B.lin = rotate_in(b, j, add3(P.lin, cross3(P.ang, offset_of(b, j, how))), how);
    B.ang = rotate_in(b, j, P.ang, how);
    if (how != LWI_ROTATION_ANY || b->carrier == LW_TREE_REVOLUTE) {
        B.ang.z += v[b->v];
        return B;
    }
    return add6(B, across_joint(b, j, &v[b->v]));
}

/// The momentum of each body by itself, about its origin.
/// @param kept [nbody] velocities of forks, as w and a
static inline void momentum_outward(const tree *t, const real *q, const real *v, pair3 world,
                                    moving *kept, pair3 *momentum)
{
    pair3 B = world;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            B = b->parent < 0 ? world : (pair3){kept[b->parent].w, kept[b->parent].a};
        }
        LWI_BY_ROTATION(b, how, B = velocity_after(t, i, q, v, B, how))
        const composite I = composite_of(b);
        momentum[i] = composite_times(&I, B);
        if (b->is_kept) {
            kept[i].w = B.ang;
            kept[i].a = B.lin;
        }
    }
}

/// Momentum and first moment of all that moves, about the world's origin.
typedef struct total {
    pair3 momentum;
    vec3 h;
    number mass;
} total;

LWI_INLINE vec3 moment_to_parent(const segment *b, const placed_joint *j, vec3 h,
                                 lwi_rotation_class how)
{
    return add3(rotate_out(b, j, h, how), scale3(real_of(b->mass_behind), offset_of(b, j, how)));
}

static inline total momentum_inward(const tree *t, moving *kept, pair3 *momentum)
{
    total sum = {0}, carried = {0};
    for (int i = 0; i < t->nbody; ++i) {
        if (t->segment[i].is_fork) {
            kept[i].wd = (vec3){0};
        }
    }
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        const pair3 p = add6(momentum[i], carried.momentum);
        vec3 h = add3(vec3_of(b->h), carried.h);
        if (b->is_fork) {
            h = add3(h, kept[i].wd);
        }
        LWI_BY_ROTATION(b, how, carried.momentum = force_to_parent(b, j, p, how);
                        carried.h = moment_to_parent(b, j, h, how))
        if (b->parent == i - 1 && i > 0) {
            continue;
        }
        if (b->parent >= 0) {
            momentum[b->parent] = add6(momentum[b->parent], carried.momentum);
            kept[b->parent].wd = add3(kept[b->parent].wd, carried.h);
        } else {
            sum.momentum = add6(sum.momentum, carried.momentum);
            sum.h = add3(sum.h, carried.h);
            sum.mass += b->mass_behind;
        }
        carried = (total){0};
    }
    return sum;
}

/// Forces of all degrees of freedom upon their composite bodies, at the origins of these; and the
/// first moment of all that moves. The joints are placed already.
/// @param fork [nbody] workspace
static inline vec3 momentum_columns(const tree *t, composite *fork, pair3 *force)
{
    vec3 sum = {0};
    for (int i = 0; i < t->nbody; ++i) {
        if (t->segment[i].is_fork) {
            fork[i] = (composite){0};
        }
    }
    composite carried = {0};
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        composite I = add_composite(composite_of(b), carried);
        if (b->is_fork) {
            I = add_composite(I, fork[i]);
        }
        if (b->carrier == LW_TREE_REVOLUTE) {
            force[b->v] = (pair3){{-I.Z.xz, -I.Z.yz, I.Z.xx + I.Z.yy}, {-I.h.y, I.h.x, (real){0}}};
        } else {
            for (int k = 0; k < b->nv; ++k) {
                force[b->v + k] = composite_times(&I, joint_axis(b, j, k));
            }
        }
        LWI_BY_ROTATION(b, how, carried = composite_to_parent(b, j, I, how))
        if (b->parent == i - 1 && i > 0) {
            continue;
        }
        if (b->parent >= 0) {
            fork[b->parent] = add_composite(fork[b->parent], carried);
        } else {
            sum = add3(sum, carried.h);
        }
        carried = (composite){0};
    }
    return sum;
}

#endif
