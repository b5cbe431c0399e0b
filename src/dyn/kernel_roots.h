// The mass matrix of several states side by side: composite rigid bodies, and momenta along the
// axes of a root.
//
// A root is a body that the world carries. Composite bodies go to their parents along the axes of
// the bodies, where a rotation is one about z and a constant one about x. The momentum that a
// degree of freedom causes is needed by all bodies before it: along the axes of the root and about
// its origin it is the same for all of these, and an entry of the matrix is a product of an axis
// and a momentum. The rows of the root's own joint have the momenta as they are.
#ifndef LWI_KERNEL_ROOTS_H
#define LWI_KERNEL_ROOTS_H

#include "kernel_crba.h"

/// Axes and origin of a body, along the axes of its root and from the root's origin.
typedef struct frame_in_root {
    vec3 x, y, z, o;
} frame_in_root;

LWI_INLINE vec3 along_axes(const frame_in_root *f, vec3 v)
{
    return add3(add3(scale3(v.x, f->x), scale3(v.y, f->y)), scale3(v.z, f->z));
}

/// Both axes turned within their plane, a towards b.
LWI_INLINE void turn_pair(real c, real s, vec3 *a, vec3 *b)
{
    const vec3 turned = add3(scale3(c, *a), scale3(s, *b));
    *b = sub3(scale3(c, *b), scale3(s, *a));
    *a = turned;
}

LWI_INLINE frame_in_root frame_behind(const segment *b, const placed_joint *j,
                                      const frame_in_root *P, lwi_rotation_class how)
{
    frame_in_root B = {P->x, P->y, P->z, add3(P->o, along_axes(P, offset_of(b, j, how)))};
    if (how == LWI_ROTATION_ANY && j->general) {
        const vec3 *R = j->general->R.row;
        B.x = along_axes(P, (vec3){R[0].x, R[1].x, R[2].x});
        B.y = along_axes(P, (vec3){R[0].y, R[1].y, R[2].y});
        B.z = along_axes(P, (vec3){R[0].z, R[1].z, R[2].z});
        return B;
    }
    if (how == LWI_ROTATION_ANY && b->is_askew) {
        turn_pair(real_of(b->cos_alpha), real_of(b->sin_alpha), &B.x, &B.y);
    }
    if (how == LWI_ROTATION_SQUARE) {
        B.z = (vec3){-P->y.x, -P->y.y, -P->y.z};
        B.y = P->z;
    } else if (how != LWI_ROTATION_PARALLEL) {
        turn_pair(real_of(b->cos_beta), real_of(b->sin_beta), &B.y, &B.z);
    }
    turn_pair(j->c, j->s, &B.x, &B.y);
    return B;
}

/// Places all joints, whose sines are there already, and the bodies.
static inline void roots_outward(const tree *t, const real *q, frame_in_root *frame)
{
    const real zero = {0}, one = zero + 1;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        if (b->rotation != LWI_ROTATION_ANY) {
            place_joint(t, i, q, LWI_ROTATION_OBLIQUE);
        } else {
            place_joint(t, i, q, LWI_ROTATION_ANY);
        }
        if (b->parent < 0) {
            frame[i] = (frame_in_root){
                {one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
            continue;
        }
        const frame_in_root *P = &frame[b->parent];
        LWI_BY_ROTATION(b, how, frame[i] = frame_behind(b, j, P, how))
    }
}

// The matrix is one triangle, body after body: the rows of the degrees of freedom of a body, each
// from the first of these to the last one that the body carries. Entries of branches that do not
// meet have no place there.

/// Entries `r` to `end` of a row, for the motion S of the root's origin.
LWI_INLINE void roots_row(pair3 S, const pair3 *momentum, int r, int end, real *row)
{
    for (int k = r; k < end; ++k) {
        const vec3 ang = momentum[k].ang, lin = momentum[k].lin;
        row[k] = S.ang.x * ang.x + S.ang.y * ang.y + S.ang.z * ang.z + S.lin.x * lin.x +
                 S.lin.y * lin.y + S.lin.z * lin.z;
    }
}

/// The rows of a joint whose axes are those of the root: the first `dof` numbers of the momenta.
LWI_INLINE void free_rows(const segment *b, int dof, const pair3 *momentum, int length, real *row)
{
    for (int k = b->v; k < b->v_end; ++k) {
        const real *x = &momentum[k].ang.x;
        for (int r = 0; r < dof; ++r) {
            row[r * length + k] = x[r];
        }
    }
}

/// The rows of a root. `row` is where that of its first degree of freedom had entry 0.
static inline void root_rows(const tree *t, int i, int length, const composite *I, pair3 *momentum,
                             real *row)
{
    const segment *b = &t->segment[i];
    if (b->carrier != LW_TREE_FREE && b->carrier != LW_TREE_SPHERICAL) {
        crba_rows(t, i, length, b->v_end, I, momentum, true, row, LWI_ROTATION_ANY);
        return;
    }
    for (int k = 0; k < b->nv; ++k) {
        momentum[b->v + k] = composite_times(I, joint_axis(b, &t->joint[i], k));
    }
    if (b->carrier == LW_TREE_FREE) {
        free_rows(b, 6, momentum, length, row);
    } else {
        free_rows(b, 3, momentum, length, row);
    }
}

/// The rows of a body that is no root. The mass of I is not read.
LWI_INLINE void roots_rows(const tree *t, int i, int length, const composite *I,
                           const frame_in_root *f, pair3 *momentum, real *row)
{
    const segment *b = &t->segment[i];
    if (b->carrier == LW_TREE_REVOLUTE) {
        const vec3 lin = sub3(scale3(I->h.x, f->y), scale3(I->h.y, f->x));
        const vec3 ang = sub3(sub3(scale3(I->Z.xx + I->Z.yy, f->z), scale3(I->Z.xz, f->x)),
                              scale3(I->Z.yz, f->y));
        momentum[b->v] = (pair3){add3(ang, cross3(f->o, lin)), lin};
        roots_row((pair3){f->z, cross3(f->o, f->z)}, momentum, b->v, b->v_end, row);
        return;
    }
    for (int k = b->nv - 1; k >= 0; --k) {
        const pair3 S = joint_axis(b, &t->joint[i], k), p = composite_times(I, S);
        const vec3 lin = along_axes(f, p.lin), ang = along_axes(f, S.ang);
        momentum[b->v + k] = (pair3){add3(along_axes(f, p.ang), cross3(f->o, lin)), lin};
        roots_row((pair3){ang, add3(along_axes(f, S.lin), cross3(f->o, ang))}, momentum, b->v + k,
                  b->v_end, row + k * length);
    }
}

/// Puts the place of every entry of the matrix [n*n] among these rows, in bytes; `zero` for those
/// that have none. Returns how many numbers the rows have.
static inline int place_rows(const tree *t, int n, int zero, int *place)
{
    int next = 0;
    for (int k = 0; k < n * n; ++k) {
        place[k] = zero;
    }
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        for (int r = b->v; r < b->v + b->nv; ++r) {
            for (int k = r; k < b->v_end; ++k) {
                const int at = (next + k - b->v) * (int)sizeof(real);
                place[r * n + k] = at;
                place[k * n + r] = at;
            }
            next += b->v_end - b->v;
        }
    }
    return next;
}

/// The rows of the mass matrix.
/// @param fork     [nbody] workspace for what forks carry
/// @param momentum [n] workspace
/// @param joint    [n] with their rotors, or NULL
/// @param rows     where they end
static inline void roots_mass_matrix(const tree *t, const frame_in_root *frame, composite *fork,
                                     pair3 *momentum, const passive *joint, real *rows)
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
        I.mass = real_of(b->mass_behind);
        carried = (composite){0};
        const int length = b->v_end - b->v;
        rows -= b->nv * length;
        if (b->parent < 0) {
            root_rows(t, i, length, &I, momentum, rows - b->v);
        } else {
            roots_rows(t, i, length, &I, &frame[i], momentum, rows - b->v);
        }
        for (int k = 0; k < b->nv && joint; ++k) {
            rows[k * length + k] += joint[b->v + k].rotor;
        }
        if (b->parent < 0) {
            continue;
        }
        composite moved;
        LWI_BY_ROTATION(b, how, moved = composite_to_parent(b, j, I, how))
        if (b->parent == i - 1) {
            carried = moved;
        } else {
            fork[b->parent] = add_composite(fork[b->parent], moved);
        }
    }
}

#endif
