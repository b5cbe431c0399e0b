// Solving with the mass matrix of a deep tree by its articulated bodies, many columns side by side.
//
// The rows U and D of kernel_elimination.h take each column inward as a force and outward as an
// acceleration, six numbers at a body. That is some 24 products for each degree of freedom; with
// the factors (kernel_factor.h) it is two for each that is before it, so that they serve shallow
// trees.
#ifndef LWI_KERNEL_DEEP_SOLVE_H
#define LWI_KERNEL_DEEP_SOLVE_H

#include "kernel_factor.h"

enum { DEEP_VECTORS = 2, DEEP_BODY = 6 * DEEP_VECTORS * LANES, DEEP_DOF = 12 };

_Static_assert((int)DEEP_BODY + 6 * (DEEP_DOF - (int)LWI_WORK_DOF) <= (int)LWI_WORK_BODY,
               "work space of a body with six degrees of freedom");

/// In d->work: six rows of columns for each body that is a fork, and S and U of each degree of
/// freedom side by side.
typedef struct deep_work {
    double *fork;    ///< [nbody * DEEP_BODY]
    double *columns; ///< [tree_nv * DEEP_DOF]
} deep_work;

static inline deep_work lay_out_deep(const lw_model *m, lw_data *d)
{
    deep_work w = {d->work, (double *)d->work + (size_t)m->nbody * DEEP_BODY};
    for (size_t k = 0; k < (size_t)m->tree_nv; ++k) {
        for (size_t r = 0; r < 6; ++r) {
            w.columns[k * DEEP_DOF + r] = d->dof_row[(LWI_ROW_S + r) * d->dof_stride + k];
            w.columns[k * DEEP_DOF + 6 + r] = d->dof_row[(LWI_ROW_U + r) * d->dof_stride + k];
        }
    }
    return w;
}

/// Six rows of columns: forces or accelerations of a body.
typedef struct deep_six {
    real of[6][DEEP_VECTORS];
} deep_six;

LWI_INLINE void add_six(const double *more, int width, deep_six *P)
{
    for (int r = 0; r < 6; ++r) {
        for (int w = 0; w < width; ++w) {
            P->of[r][w] += load(more + (r * DEEP_VECTORS + w) * LANES);
        }
    }
}

LWI_INLINE void store_six(const deep_six *P, int width, double *to)
{
    for (int r = 0; r < 6; ++r) {
        for (int w = 0; w < width; ++w) {
            store(P->of[r][w], to + (r * DEEP_VECTORS + w) * LANES);
        }
    }
}

LWI_INLINE void clear_six(int width, deep_six *P)
{
    for (int r = 0; r < 6; ++r) {
        for (int w = 0; w < width; ++w) {
            P->of[r][w] = (real){0};
        }
    }
}

/// y -= column . P, then P += other * y
LWI_INLINE void pass_dof(const double *column, const double *other, int width, real *y, deep_six *P)
{
    for (int r = 0; r < 6; ++r) {
        const real factor = real_of(column[r]);
        for (int w = 0; w < width; ++w) {
            y[w] -= factor * P->of[r][w];
        }
    }
    for (int r = 0; r < 6; ++r) {
        const real factor = real_of(other[r]);
        for (int w = 0; w < width; ++w) {
            P->of[r][w] += factor * y[w];
        }
    }
}

LWI_INLINE void deep_inward(const lw_model *m, const lw_data *d, const deep_work *work, double sign,
                            size_t ld, double *X, int width, size_t last)
{
    const double *D = d->dof_row + LWI_ROW_D * d->dof_stride;
    deep_six P; // of body i, from body i + 1
    clear_six(width, &P);
    for (int i = 0; i < m->nbody; ++i) {
        if (m->kernel->segment[i].is_fork) {
            store_six(&P, width, work->fork + (size_t)i * DEEP_BODY);
        }
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const lwi_segment *b = &m->kernel->segment[i];
        if (b->is_fork) {
            add_six(work->fork + (size_t)i * DEEP_BODY, width, &P);
        }
        for (int k = b->v + b->nv - 1; k >= b->v; --k) {
            const double *S = work->columns + (size_t)k * DEEP_DOF;
            double *target = X + (size_t)k * ld;
            const real part = real_of(sign / D[k]);
            real x[DEEP_VECTORS];
            load_row(target, width, last, x);
            pass_dof(S, S + 6, width, x, &P);
            for (int w = 0; w < width; ++w) {
                x[w] *= part;
            }
            store_row(x, width, last, target);
        }
        if (b->parent != i - 1) {
            double *to = work->fork + (size_t)b->parent * DEEP_BODY;
            if (b->parent >= 0) {
                add_six(to, width, &P);
                store_six(&P, width, to);
            }
            clear_six(width, &P);
        }
    }
}

LWI_INLINE void deep_outward(const lw_model *m, const deep_work *work, size_t ld, double *X,
                             int width, size_t last)
{
    deep_six A; // of body i - 1
    clear_six(width, &A);
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *b = &m->kernel->segment[i];
        if (b->parent != i - 1) {
            clear_six(width, &A);
            if (b->parent >= 0) {
                add_six(work->fork + (size_t)b->parent * DEEP_BODY, width, &A);
            }
        }
        for (int k = b->v; k < b->v + b->nv; ++k) {
            const double *S = work->columns + (size_t)k * DEEP_DOF;
            double *target = X + (size_t)k * ld;
            real x[DEEP_VECTORS];
            load_row(target, width, last, x);
            pass_dof(S + 6, S, width, x, &A);
            store_row(x, width, last, target);
        }
        if (b->is_fork) {
            store_six(&A, width, work->fork + (size_t)i * DEEP_BODY);
        }
    }
}

/// X = sign * M^-1 X for [n*ncolumn], n and ncolumn at least the lanes, after forward_columns().
static void deep_solve(const lw_model *m, lw_data *d, double sign, int ncolumn, double *X)
{
    const size_t ld = (size_t)ncolumn;
    const deep_work work = lay_out_deep(m, d);
    for (int c = 0, taken; c < ncolumn; c += taken) {
        const column_block b = next_block(ncolumn - c, DEEP_VECTORS, &taken);
        if (b.width == 1) {
            deep_inward(m, d, &work, sign, ld, X + c, 1, b.last);
            deep_outward(m, &work, ld, X + c, 1, b.last);
        } else {
            deep_inward(m, d, &work, sign, ld, X + c, DEEP_VECTORS, b.last);
            deep_outward(m, &work, ld, X + c, DEEP_VECTORS, b.last);
        }
    }
}

#endif
