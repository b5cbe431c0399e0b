// The mass matrix by composite rigid bodies, over the scalar of real.h.
//
// Walker and Orin (1982), Featherstone (2008) table 6.2, with one difference in the order: instead
// of carrying the force of one degree of freedom to the world before the next is begun, each body
// carries the forces of all degrees of freedom behind it to its parent at once. They lie side by
// side, because bodies are numbered depth first, and share the rotation, so that the inner loop is
// one of equal, independent passes.
#ifndef LWI_KERNEL_CRBA_H
#define LWI_KERNEL_CRBA_H

#include "kernel_inertia.h"

/// What S' f is for a degree of freedom about or along z.
static inline real share_of_z(const segment *b, pair3 f)
{
    return b->carrier == LW_TREE_REVOLUTE    ? f.ang.z
           : b->carrier == LW_TREE_PRISMATIC ? f.lin.z
                                             : f.ang.z + b->lead * f.lin.z;
}

/// Row and column of body i in M, and forces of its own degrees of freedom.
LWI_INLINE void crba_rows(const tree *t, int i, int n, int end, const composite *I, pair3 *force,
                          real *M, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    if (how != LWI_ROTATION_ANY || b->general < 0) {
        const int r = b->v;
        pair3 f = {{-I->Z.xz, -I->Z.yz, I->Z.xx + I->Z.yy}, {-I->h.y, I->h.x, (real){0}}};
        if (how == LWI_ROTATION_ANY && b->carrier != LW_TREE_REVOLUTE) {
            f = composite_times(I, joint_axis(b, j, 0));
        }
        force[r] = f;
        for (int k = r; k < end; ++k) {
            const real x = how != LWI_ROTATION_ANY ? force[k].ang.z : share_of_z(b, force[k]);
            M[r * n + k] = x;
            M[k * n + r] = x;
        }
        return;
    }
    for (int f = 0; f < b->nv; ++f) {
        force[b->v + f] = composite_times(I, joint_axis(b, j, f));
    }
    for (int k = b->v; k < end; ++k) {
        real share[LW_MAX_DOF];
        joint_force(b, j, force[k], share);
        for (int f = 0; f < b->nv; ++f) {
            M[(b->v + f) * n + k] = share[f];
            M[k * n + b->v + f] = share[f];
        }
    }
}

/// Forces of all degrees of freedom behind a joint, and the inertia there, go to the parent.
LWI_INLINE composite crba_to_parent(const segment *b, const placed_joint *j, composite I,
                                    pair3 *force, lwi_rotation_class how)
{
    for (int k = b->v; k < b->v_end; ++k) {
        force[k] = force_to_parent(b, j, force[k], how);
    }
    return composite_to_parent(b, j, I, how);
}

/// The mass matrix. The joints are placed already.
/// @param n     rows of M: degrees of freedom of the tree
/// @param fork  [nbody] workspace for what forks carry
/// @param force [n] workspace
/// @param M     [n*n]
static inline void crba(const tree *t, int n, composite *fork, pair3 *force, real *M)
{
    for (int i = 0; i < t->nbody; ++i) {
        if (t->segment[i].is_fork) {
            fork[i] = (composite){0};
        }
    }
    composite carried = {0}; // to body i by body i + 1
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        composite I = add_composite(composite_of(b), carried);
        if (b->is_fork) {
            I = add_composite(I, fork[i]);
        }
        const int end = b->v_end;
        if (b->rotation != LWI_ROTATION_ANY) {
            crba_rows(t, i, n, end, &I, force, M, LWI_ROTATION_OBLIQUE);
        } else {
            crba_rows(t, i, n, end, &I, force, M, LWI_ROTATION_ANY);
        }
        for (int r = b->v; r < b->v + b->nv; ++r) {
            for (int k = end; k < n; ++k) { // other branches
                M[r * n + k] = (real){0};
                M[k * n + r] = (real){0};
            }
        }
        carried = (composite){0};
        if (b->parent < 0) {
            continue;
        }
        composite moved;
        LWI_BY_ROTATION(b, how, moved = crba_to_parent(b, j, I, force, how))
        if (b->parent == i - 1) {
            carried = moved;
        } else {
            fork[b->parent] = add_composite(fork[b->parent], moved);
        }
    }
}

#endif
