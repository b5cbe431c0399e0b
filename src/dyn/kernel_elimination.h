// The degrees of freedom of a tree eliminated one by one, from the tips inward, over the rows of
// the derivatives (model/derivative_rows.h).
//
// These are articulated bodies (Featherstone 1983) along the axes of the world, about one point: as
// nothing has to be moved between frames, a body adds its matrix to its parent's as it is. With
// U = I S and D = S.U + rotor, the factors of the mass matrix (factor.c) are L_kj = U_k.S_j / D_k,
// so that the matrix itself is not needed.
#ifndef LWI_KERNEL_ELIMINATION_H
#define LWI_KERNEL_ELIMINATION_H

#include "derivative_sweep.h"
#include "kernel_lanes.h"

#include <float.h>

/// Rounding leaves a few epsilon of the diagonal where the exact pivot is zero; a degree of freedom
/// that moves less than this share of what it carries has no acceleration worth the name.
#define SMALLEST_PIVOT (64 * DBL_EPSILON)

/// Numbers of a row of six, in whole vectors; and vectors of it.
enum { SIX = 8, PARTS = SIX / LANES };

/// An articulated body in d->work: six rows, and as a seventh the force that it needs.
enum { ARTICULATED = 7 * SIX };

_Static_assert((int)ARTICULATED <= (int)LWI_WORK_BODY, "work space of a body");

/// A body by itself: the force is [T, [h]x; -[h]x, m] times motion.
static inline void put_articulated(const double *row, size_t stride, double *A)
{
    const double *T = row + LWI_ROW_TENSOR * stride, *f = row + LWI_ROW_FORCE * stride;
    const double mass = row[LWI_ROW_MASS * stride], *h = row + LWI_ROW_MOMENT * stride;
    const double x = h[0], y = h[stride], z = h[2 * stride];
    const double xy = T[3 * stride], xz = T[4 * stride], yz = T[5 * stride];
    const double rows[7][6] = {
        {T[0], xy, xz, 0, -z, y},
        {xy, T[stride], yz, z, 0, -x},
        {xz, yz, T[2 * stride], -y, x, 0},
        {0, z, -y, mass, 0, 0},
        {-z, 0, x, 0, mass, 0},
        {y, -x, 0, 0, 0, mass},
        {f[0], f[stride], f[2 * stride], f[3 * stride], f[4 * stride], f[5 * stride]},
    };
    for (int r = 0; r < 7; ++r) {
        for (int c = 0; c < SIX; ++c) {
            A[r * SIX + c] = c < 6 ? rows[r][c] : 0.0;
        }
    }
}

/// Takes degree of freedom k out of an articulated body A. What is left stays there, or after the
/// last one is added to the parent's, if there is one.
LWI_INLINE void eliminate_one(lw_data *d, int k, double rotor, double *drive, double *A,
                              double *parent, bool is_last)
{
    const size_t stride = d->dof_stride;
    double *row = d->dof_row + k;
    real U[PARTS] = {{0}};
    double u[SIX], D = rotor, rest = *drive;
    for (size_t r = 0; r < 6; ++r) {
        const double S = row[(LWI_ROW_S + r) * stride];
        for (size_t p = 0; p < PARTS; ++p) {
            U[p] += S * load(A + r * SIX + p * LANES);
        }
        rest -= S * A[6 * SIX + r];
    }
    for (size_t p = 0; p < PARTS; ++p) {
        store(U[p], u + p * LANES);
    }
    for (size_t r = 0; r < 6; ++r) {
        D += row[(LWI_ROW_S + r) * stride] * u[r];
    }
    const double inverse = 1.0 / D, part = rest * inverse;
    double *to = is_last ? parent : A;
    for (size_t r = 0; to && r < 7; ++r) {
        const double factor = r < 6 ? -inverse * u[r] : part;
        for (size_t p = 0; p < PARTS; ++p) {
            const size_t at = r * SIX + p * LANES;
            const real left = load(A + at) + factor * U[p];
            store(is_last ? load(to + at) + left : left, to + at);
        }
    }
    for (size_t r = 0; r < 6; ++r) {
        row[(LWI_ROW_U + r) * stride] = inverse * u[r];
    }
    row[LWI_ROW_D * stride] = D;
    *drive = part;
}

/// The rows U (divided by D) and D of all degrees of freedom.
/// @param rotor [tree_nv] or NULL
/// @param drive [tree_nv] in: what drives the joints; out: the accelerations were nothing before
///              them to move
static inline void eliminate_bodies(const lw_model *m, lw_data *d, const double *rotor,
                                    double *drive)
{
    double *work = d->work;
    for (int i = 0; i < m->nbody; ++i) {
        put_articulated(d->body_row + i, d->body_stride, work + (size_t)i * ARTICULATED);
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const lwi_segment *b = &m->kernel->segment[i];
        double *A = work + (size_t)i * ARTICULATED;
        double *parent = b->parent >= 0 ? work + (size_t)b->parent * ARTICULATED : NULL;
        for (int k = b->v + b->nv - 1; k > b->v; --k) {
            eliminate_one(d, k, rotor ? rotor[k] : 0.0, &drive[k], A, NULL, false);
        }
        eliminate_one(d, b->v, rotor ? rotor[b->v] : 0.0, &drive[b->v], A, parent, true);
    }
}

/// Accelerations a, and to d->acc what they add to the motion of bodies.
static inline void accelerate_bodies(const lw_model *m, lw_data *d, const double *drive, double *a)
{
    const lw_motion none = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *b = &m->kernel->segment[i];
        lw_motion change = b->parent < 0 ? none : d->acc[b->parent];
        for (int k = b->v; k < b->v + b->nv; ++k) {
            const lw_motion U = lwi_row_motion(d, LWI_ROW_U, k);
            a[k] = drive[k] - lw_dot3(U.ang, change.ang) - lw_dot3(U.lin, change.lin);
            change = lwi_motion_axpy(a[k], lwi_row_motion(d, LWI_ROW_S, k), change);
        }
        d->acc[i] = change;
    }
}

/// The degree of freedom that moves no inertia, after take_dofs(); or -1.
static inline int find_singular(const lw_data *d, int n, const double *rotor)
{
    const size_t stride = d->dof_stride;
    for (int k = n - 1; k >= 0; --k) {
        const double *row = d->dof_row + k;
        double whole = rotor ? rotor[k] : 0.0;
        for (size_t r = 0; r < 6; ++r) {
            whole += row[(LWI_ROW_S + r) * stride] * row[(LWI_ROW_IS + r) * stride];
        }
        if (!(row[LWI_ROW_D * stride] > SMALLEST_PIVOT * whole)) {
            return k;
        }
    }
    return -1;
}

#endif
