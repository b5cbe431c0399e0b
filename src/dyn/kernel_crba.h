// The mass matrix by composite rigid bodies, over the scalar of real.h.
//
// Walker and Orin (1982), Featherstone (2008) table 6.2, with one difference in the order: instead
// of carrying the force of one degree of freedom to the world before the next is begun, each body
// carries the forces of all degrees of freedom behind it to its parent at once. They lie side by
// side, because bodies are numbered depth first, and share the rotation, so that the inner loop is
// one of equal, independent passes.
//
// Where closure steps make joints dependent, the rows of the tree's matrix are folded by G from
// both sides as they come, so that this matrix itself is never there.
#ifndef LWI_KERNEL_CRBA_H
#define LWI_KERNEL_CRBA_H

#include "../model/fronts.h"
#include "kernel_inertia.h"

/// M = G' (matrix of the tree) G.
typedef struct folding {
    const lwi_fronts *plan; ///< rows of G
    const real *g;          ///< their entries
    int nv;
    real *M; ///< [nv*nv]
} folding;

/// Adds row r of the tree's matrix, of which x [n] has the entries from r on: to one triangle.
static inline void fold_row(const folding *f, int r, int end, real *x)
{
    const lwi_fronts *p = f->plan;
    x[r] *= (number)0.5; // it is met twice
    for (int e = p->row[r]; e < p->row[r] + p->nrow[r]; ++e) {
        real *row = &f->M[(size_t)p->column[e] * (size_t)f->nv];
        for (int k = r; k < end; ++k) {
            const real share = f->g[e] * x[k];
            const int first = p->row[k];
            if (first < f->nv) { // an independent degree of freedom
                row[first] += share;
                continue;
            }
            for (int o = first; o < first + p->nrow[k]; ++o) {
                row[p->column[o]] += share * f->g[o];
            }
        }
    }
}

/// What was met in both orders of two degrees of freedom: M + M'.
static inline void fold_triangles(const folding *f)
{
    const size_t n = (size_t)f->nv;
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k <= i; ++k) {
            const real sum = f->M[i * n + k] + f->M[k * n + i];
            f->M[i * n + k] = sum;
            f->M[k * n + i] = sum;
        }
    }
}

/// What S' f is for a degree of freedom about or along z.
static inline real share_of_z(const segment *b, pair3 f)
{
    return b->carrier == LW_TREE_REVOLUTE    ? f.ang.z
           : b->carrier == LW_TREE_PRISMATIC ? f.lin.z
                                             : f.ang.z + b->lead * f.lin.z;
}

/// Row and column of body i in M, and forces of its own degrees of freedom. With `is_folded` M has
/// the rows of the body alone.
LWI_INLINE void crba_rows(const tree *t, int i, int n, int end, const composite *I, pair3 *force,
                          bool is_folded, real *M, lwi_rotation_class how)
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
            M[(is_folded ? 0 : r) * n + k] = x;
            if (!is_folded) {
                M[k * n + r] = x;
            }
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
            M[(is_folded ? f : b->v + f) * n + k] = share[f];
            if (!is_folded) {
                M[k * n + b->v + f] = share[f];
            }
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
/// @param joint [n] with their rotors, or NULL
/// @param fold  where the matrix goes instead; NULL without closure steps
/// @param M     [n*n], or [LW_MAX_DOF*n] workspace for `fold`
LWI_INLINE void crba(const tree *t, int n, composite *fork, pair3 *force, const passive *joint,
                     const folding *fold, real *M)
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
            crba_rows(t, i, n, end, &I, force, fold != NULL, M, LWI_ROTATION_OBLIQUE);
        } else {
            crba_rows(t, i, n, end, &I, force, fold != NULL, M, LWI_ROTATION_ANY);
        }
        for (int r = b->v; r < b->v + b->nv; ++r) {
            real *row = &M[(fold ? r - b->v : r) * n];
            row[r] += joint ? joint[r].rotor : 0;
            if (fold) {
                fold_row(fold, r, end, row);
                continue;
            }
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
    if (fold) {
        fold_triangles(fold);
    }
}

#endif
