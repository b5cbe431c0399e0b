// The mass matrix of a tree for one state: composite rigid bodies as in kernel_crba.h, with the
// forces of all degrees of freedom in six rows, so that a body carries several of them to its
// parent side by side. A row of the matrix is then a part of a row of forces.
#ifndef LWI_KERNEL_CRBA_ROWS_H
#define LWI_KERNEL_CRBA_ROWS_H

#include "kernel_inertia.h"

#if defined(__AVX2__)
enum { ROW_LANES = 4 };
#else
enum { ROW_LANES = 2 };
#endif
typedef double some __attribute__((vector_size(8 * ROW_LANES)));
typedef int64_t some_bits __attribute__((vector_size(8 * ROW_LANES)));

typedef struct some3 {
    some x, y, z;
} some3;

LWI_INLINE some load_some(const double *x)
{
    some r;
    memcpy(&r, x, sizeof r);
    return r;
}

LWI_INLINE some3 load_some3(const double *x, size_t stride)
{
    return (some3){load_some(x), load_some(x + stride), load_some(x + 2 * stride)};
}

/// The first lanes of x, and the others as they are.
LWI_INLINE void store_lanes_of(some x, some_bits first, double *to)
{
    const some old = load_some(to);
    const some r = (some)(((some_bits)x & first) | ((some_bits)old & ~first));
    memcpy(to, &r, sizeof r);
}

LWI_INLINE void put_some3(some3 x, double *to, size_t stride, some_bits first, bool is_whole)
{
    if (is_whole) {
        memcpy(to, &x.x, sizeof x.x);
        memcpy(to + stride, &x.y, sizeof x.y);
        memcpy(to + 2 * stride, &x.z, sizeof x.z);
    } else {
        store_lanes_of(x.x, first, to);
        store_lanes_of(x.y, first, to + stride);
        store_lanes_of(x.z, first, to + 2 * stride);
    }
}

LWI_INLINE some3 some_about_z(double c, double s, some3 v)
{
    return (some3){c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

/// As rotate_out().
LWI_INLINE some3 some_out(const segment *b, const placed_joint *j, some3 v, lwi_rotation_class how)
{
    if (how == LWI_ROTATION_ANY && j->general) {
        const vec3 *R = j->general->R.row;
        return (some3){R[0].x * v.x + R[0].y * v.y + R[0].z * v.z,
                       R[1].x * v.x + R[1].y * v.y + R[1].z * v.z,
                       R[2].x * v.x + R[2].y * v.y + R[2].z * v.z};
    }
    v = some_about_z(j->c, j->s, v);
    if (how == LWI_ROTATION_SQUARE) {
        v = (some3){v.x, -v.z, v.y};
    } else if (how != LWI_ROTATION_PARALLEL) {
        const double c = b->cos_beta, s = b->sin_beta;
        v = (some3){v.x, c * v.y - s * v.z, s * v.y + c * v.z};
    }
    return how == LWI_ROTATION_ANY && b->is_askew ? some_about_z(b->cos_alpha, b->sin_alpha, v) : v;
}

/// The forces from b->v to b->v_end, as force_to_parent(). Those behind them belong to other
/// branches, if there are any.
LWI_INLINE void forces_to_parent(const segment *b, const placed_joint *j, int n, double *F,
                                 size_t stride, lwi_rotation_class how)
{
    const vec3 p = offset_of(b, j, how);
    some_bits lane;
    for (int l = 0; l < ROW_LANES; ++l) {
        lane[l] = l;
    }
    for (int k = b->v; k < b->v_end; k += ROW_LANES) {
        const bool is_whole = k + ROW_LANES <= b->v_end || b->v_end == n;
        const some_bits first = lane < (int64_t)(b->v_end - k);
        double *at = F + k;
        const some3 lin = some_out(b, j, load_some3(at + 3 * stride, stride), how);
        some3 ang = some_out(b, j, load_some3(at, stride), how);
        ang.x += p.y * lin.z - p.z * lin.y;
        ang.y += p.z * lin.x - p.x * lin.z;
        ang.z += p.x * lin.y - p.y * lin.x;
        put_some3(ang, at, stride, first, is_whole);
        put_some3(lin, at + 3 * stride, stride, first, is_whole);
    }
}

/// Forces of the degrees of freedom of a body itself.
static inline void put_own_forces(const segment *b, const placed_joint *j, const composite *I,
                                  double *F, size_t stride)
{
    for (int k = 0; k < b->nv; ++k) {
        pair3 f = {{-I->Z.xz, -I->Z.yz, I->Z.xx + I->Z.yy}, {-I->h.y, I->h.x, 0.0}};
        if (b->carrier != LW_TREE_REVOLUTE) {
            f = composite_times(I, joint_axis(b, j, k));
        }
        double *to = F + b->v + k;
        to[0] = f.ang.x;
        to[stride] = f.ang.y;
        to[2 * stride] = f.ang.z;
        to[3 * stride] = f.lin.x;
        to[4 * stride] = f.lin.y;
        to[5 * stride] = f.lin.z;
    }
}

/// Row and column r of M, whose entries are the sum of a_s times rows of forces.
static inline void put_row_and_column(const double *F, size_t stride, const double *a, int r,
                                      int end, size_t n, double *M)
{
    double *row = M + (size_t)r * n, *column = row + r;
    for (int k = r; k < end; ++k, column += n) {
        double x = 0.0;
        for (size_t s = 0; s < 6; ++s) {
            x += a[s] * F[s * stride + (size_t)k];
        }
        row[k] = x;
        *column = x;
    }
}

/// The same where it is one of the rows of forces.
static inline void copy_row_and_column(const double *F, int r, int end, size_t n, double *M)
{
    double *row = M + (size_t)r * n, *column = row + r;
    int k = r;
    for (; k + ROW_LANES <= end; k += ROW_LANES) {
        memcpy(row + k, F + k, ROW_LANES * sizeof *F);
        for (int l = 0; l < ROW_LANES; ++l, column += n) {
            *column = F[k + l];
        }
    }
    for (; k < end; ++k, column += n) {
        row[k] = F[k];
        *column = F[k];
    }
}

static inline void put_rows(const segment *b, const placed_joint *j, const double *F, size_t stride,
                            size_t n, double *M)
{
    if (b->carrier == LW_TREE_REVOLUTE) {
        copy_row_and_column(F + 2 * stride, b->v, b->v_end, n, M);
        return;
    }
    for (int k = 0; k < b->nv; ++k) {
        const pair3 S = joint_axis(b, j, k);
        const double a[6] = {S.ang.x, S.ang.y, S.ang.z, S.lin.x, S.lin.y, S.lin.z};
        if (b->carrier == LW_TREE_FREE || b->carrier == LW_TREE_SPHERICAL) {
            copy_row_and_column(F + (size_t)k * stride, b->v + k, b->v_end, n, M);
        } else {
            put_row_and_column(F, stride, a, b->v + k, b->v_end, n, M);
        }
    }
}

/// Entries between branches are zero.
static inline void clear_between(const tree *t, size_t n, double *M)
{
    bool is_chain = true;
    for (int i = 0; i < t->nbody; ++i) {
        is_chain = is_chain && t->segment[i].parent == i - 1;
    }
    if (is_chain) {
        return;
    }
    const some zero = {0};
    size_t k = 0;
    for (; k + 4 * ROW_LANES <= n * n; k += 4 * ROW_LANES) {
        for (size_t l = 0; l < 4; ++l) {
            memcpy(M + k + l * ROW_LANES, &zero, sizeof zero);
        }
    }
    for (; k < n * n; ++k) {
        M[k] = 0.0;
    }
}

/// The mass matrix. The joints are placed already.
/// @param fork  [nbody] workspace for what forks carry
/// @param joint [n] with their rotors, or NULL
/// @param F     [6*stride] workspace; behind the n entries of a row there is space for a vector
static void crba_rows_of_forces(const tree *t, int n, composite *fork, const passive *joint,
                                double *F, size_t stride, double *M)
{
    clear_between(t, (size_t)n, M);
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
        put_own_forces(b, j, &I, F, stride);
        put_rows(b, j, F, stride, (size_t)n, M);
        for (int r = b->v; joint && r < b->v + b->nv; ++r) {
            M[(size_t)r * (size_t)n + (size_t)r] += joint[r].rotor;
        }
        if (b->parent < 0) {
            carried = (composite){0};
            continue;
        }
        LWI_BY_ROTATION(b, how, forces_to_parent(b, j, n, F, stride, how);
                        carried = composite_to_parent(b, j, I, how))
        if (b->parent != i - 1) {
            fork[b->parent] = add_composite(fork[b->parent], carried);
            carried = (composite){0};
        }
    }
}

#endif
