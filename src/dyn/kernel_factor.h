// The factors of a mass matrix (factor.c), solving with them, and the inverse, for the table of
// kernels (model/kernels.h).
//
// All of it is one thing: a row less multiples of other rows, of those before a degree of freedom
// or of those behind it. So a block of columns stays in registers while these go by.
#ifndef LWI_KERNEL_FACTOR_H
#define LWI_KERNEL_FACTOR_H

#include "../model/dof_tree.h"
#include "kernel_elimination.h"

enum { MOST_VECTORS = 9 }; ///< of a block: what registers hold, and some to compute with

/// Columns that are done at once: `width` vectors, of which the last begins at `last`.
typedef struct column_block {
    int width;
    size_t last;
} column_block;

/// Does something with a block whose width is constant when compiling in each of the copies.
#define LWI_BY_WIDTH(block, width, thing)                                                          \
    switch ((block).width) {                                                                       \
    case 1:                                                                                        \
        LWI_WITH_WIDTH(1, width, thing)                                                            \
    case 2:                                                                                        \
        LWI_WITH_WIDTH(2, width, thing)                                                            \
    case 3:                                                                                        \
        LWI_WITH_WIDTH(3, width, thing)                                                            \
    case 4:                                                                                        \
        LWI_WITH_WIDTH(4, width, thing)                                                            \
    case 5:                                                                                        \
        LWI_WITH_WIDTH(5, width, thing)                                                            \
    case 6:                                                                                        \
        LWI_WITH_WIDTH(6, width, thing)                                                            \
    case 7:                                                                                        \
        LWI_WITH_WIDTH(7, width, thing)                                                            \
    case 8:                                                                                        \
        LWI_WITH_WIDTH(8, width, thing)                                                            \
    default:                                                                                       \
        LWI_WITH_WIDTH(MOST_VECTORS, width, thing)                                                 \
    }
#define LWI_WITH_WIDTH(number_of, width, thing)                                                    \
    {                                                                                              \
        enum { width = number_of };                                                                \
        thing;                                                                                     \
        break;                                                                                     \
    }

/// The same with a number of degrees of freedom, LWI_LEAST_SMALL to LWI_MOST_SMALL.
#define LWI_BY_SIZE(number_of, size, thing)                                                        \
    switch (number_of) {                                                                           \
    case 4:                                                                                        \
        LWI_WITH_WIDTH(4, size, thing)                                                             \
    case 5:                                                                                        \
        LWI_WITH_WIDTH(5, size, thing)                                                             \
    case 6:                                                                                        \
        LWI_WITH_WIDTH(6, size, thing)                                                             \
    case 7:                                                                                        \
        LWI_WITH_WIDTH(7, size, thing)                                                             \
    default:                                                                                       \
        LWI_WITH_WIDTH(LWI_MOST_SMALL, size, thing)                                                \
    }

/// The next block of `count` columns, at least one vector of them: as many as fit into `vectors`,
/// if not fewer than one are left behind. Its vectors may overlap, but blocks do not.
static inline column_block next_block(int count, int vectors, int *taken)
{
    const int most = vectors * LANES;
    *taken = count <= most ? count : count < most + LANES ? most - LANES : most;
    const column_block b = {(*taken + LANES - 1) / LANES, (size_t)(*taken - LANES)};
    return b;
}

LWI_INLINE size_t vector_at(int w, int width, size_t last)
{
    return w < width - 1 ? (size_t)(w * LANES) : last;
}

LWI_INLINE void load_row(const double *x, int width, size_t last, real *y)
{
    for (int w = 0; w < width; ++w) {
        y[w] = load(x + vector_at(w, width, last));
    }
}

LWI_INLINE void store_row(const real *y, int width, size_t last, double *to)
{
    for (int w = 0; w < width; ++w) {
        store(y[w], to + vector_at(w, width, last));
    }
}

/// y -= factor * x
LWI_INLINE void subtract_row(double factor, const double *x, int width, size_t last, real *y)
{
    const real f = real_of(factor);
    for (int w = 0; w < width; ++w) {
        y[w] -= f * load(x + vector_at(w, width, last));
    }
}

/// x less the rows of X before i, times their entries of `row`.
LWI_INLINE void subtract_before(const lwi_dof_tree *t, int i, const double *row, const double *X,
                                size_t ld, int width, size_t last, real *x)
{
    const double *source = X + (size_t)i * ld;
    for (int j = i, p = t->parent[i]; p >= 0; j = p, p = t->parent[p]) {
        source -= (size_t)(j - p) * ld;
        subtract_row(row[p], source, width, last, x);
    }
}

/// L' Y = B, in place: from the tips inward.
LWI_INLINE void solve_inward(const lwi_dof_tree *t, const double *L, size_t ld, double *Y,
                             int width, size_t last)
{
    const size_t n = (size_t)t->n;
    for (int j = t->n - 1; j >= 0; --j) {
        real y[MOST_VECTORS];
        double *target = Y + (size_t)j * ld;
        const double *x = target, *factor = L + (size_t)j * n + (size_t)j;
        load_row(target, width, last, y);
        for (int i = j + 1; i < t->end[j]; ++i) {
            x += ld;
            factor += n;
            subtract_row(*factor, x, width, last, y);
        }
        store_row(y, width, last, target);
    }
}

/// D L X = sign * Y, in place.
LWI_INLINE void solve_outward(const lwi_dof_tree *t, const double *L, double sign, size_t ld,
                              double *X, int width, size_t last)
{
    for (int i = 0; i < t->n; ++i) {
        real x[MOST_VECTORS];
        const double *row = L + (size_t)i * (size_t)t->n;
        double *target = X + (size_t)i * ld;
        const real inverse = real_of(sign / row[i]);
        load_row(target, width, last, x);
        for (int w = 0; w < width; ++w) {
            x[w] *= inverse;
        }
        subtract_before(t, i, row, X, ld, width, last, x);
        store_row(x, width, last, target);
    }
}

/// Fewer columns than a vector has.
static inline void solve_few(const lwi_dof_tree *t, const double *L, bool is_half, double sign,
                             int ncolumn, double *X)
{
    for (int i = t->n - 1; i >= 0; --i) {
        const double *row = L + (size_t)i * (size_t)t->n;
        for (int j = t->parent[i]; j >= 0; j = t->parent[j]) {
            for (int c = 0; c < ncolumn; ++c) {
                X[j * ncolumn + c] -= row[j] * X[i * ncolumn + c];
            }
        }
    }
    for (int i = 0; i < t->n && !is_half; ++i) {
        const double *row = L + (size_t)i * (size_t)t->n;
        for (int c = 0; c < ncolumn; ++c) {
            double x = sign / row[i] * X[i * ncolumn + c];
            for (int j = t->parent[i]; j >= 0; j = t->parent[j]) {
                x -= row[j] * X[j * ncolumn + c];
            }
            X[i * ncolumn + c] = x;
        }
    }
}

static void factor_half_solve(const lwi_dof_tree *t, const double *L, int ncolumn, double *Y)
{
    const size_t ld = (size_t)ncolumn;
    if (ncolumn < LANES) {
        solve_few(t, L, true, 1.0, ncolumn, Y);
        return;
    }
    for (int c = 0, taken; c < ncolumn; c += taken) {
        const column_block b = next_block(ncolumn - c, MOST_VECTORS, &taken);
        LWI_BY_WIDTH(b, width, solve_inward(t, L, ld, Y + c, width, b.last))
    }
}

static void solve_blocks(const lwi_dof_tree *t, const double *L, double sign, int ncolumn,
                         double *X)
{
    const size_t ld = (size_t)ncolumn;
    for (int c = 0, taken; c < ncolumn; c += taken) {
        const column_block b = next_block(ncolumn - c, MOST_VECTORS, &taken);
        LWI_BY_WIDTH(b, width, {
            solve_inward(t, L, ld, X + c, width, b.last);
            solve_outward(t, L, sign, ld, X + c, width, b.last);
        })
    }
}

static void factor_solve(const lwi_dof_tree *t, const double *L, double sign, int ncolumn,
                         double *X)
{
    if (ncolumn >= LANES) {
        solve_blocks(t, L, sign, ncolumn, X);
    } else if (ncolumn == 1 || t->n > LANES) {
        solve_few(t, L, false, sign, ncolumn, X);
    } else { // small squares, as rows that are long enough
        double padded[LANES * LANES] = {0};
        for (int i = 0; i < t->n; ++i) {
            memcpy(padded + i * LANES, X + i * ncolumn, (size_t)ncolumn * sizeof *X);
        }
        solve_blocks(t, L, sign, LANES, padded);
        for (int i = 0; i < t->n; ++i) {
            memcpy(X + i * ncolumn, padded + i * LANES, (size_t)ncolumn * sizeof *X);
        }
    }
}

/// Row i of M, columns from `first` on, less what the degrees of freedom behind it take off.
LWI_INLINE void eliminate_row(const lwi_dof_tree *t, double *M, int i, int first, int width,
                              size_t last)
{
    const size_t n = (size_t)t->n;
    real y[MOST_VECTORS];
    double *target = M + (size_t)i * n + (size_t)first;
    const double *row = M + (size_t)i * n;
    load_row(target, width, last, y);
    for (int k = i + 1; k < t->end[i]; ++k) {
        row += n;
        subtract_row(row[i] * row[k], row + first, width, last, y);
    }
    store_row(y, width, last, target);
}

static inline void eliminate_dof(const lwi_dof_tree *t, double *M, int i)
{
    const size_t n = (size_t)t->n;
    if (i + 1 >= LANES) {
        for (int c = 0, taken; c <= i; c += taken) {
            const column_block b = next_block(i + 1 - c, MOST_VECTORS, &taken);
            LWI_BY_WIDTH(b, width, eliminate_row(t, M, i, c, width, b.last))
        }
        return;
    }
    for (int k = i + 1; k < t->end[i]; ++k) {
        const double *row = M + (size_t)k * n;
        for (int c = 0; c <= i; ++c) {
            M[(size_t)i * n + (size_t)c] -= row[i] * row[k] * row[c];
        }
    }
}

static int factor(const lwi_dof_tree *t, double *M)
{
    for (int i = t->n - 1; i >= 0; --i) {
        double *row = M + (size_t)i * (size_t)t->n;
        const double whole = row[i];
        eliminate_dof(t, M, i);
        if (!(row[i] > SMALLEST_PIVOT * whole)) {
            return i;
        }
        const double inverse = 1.0 / row[i];
        for (int c = 0; c < i; ++c) {
            row[c] *= inverse;
        }
    }
    return -1;
}

/// What the rows before i take off nothing: columns of one block.
LWI_INLINE void take_rows_before(const lwi_dof_tree *t, const double *B, int i, double *sum,
                                 int first, int width, size_t last)
{
    const size_t n = (size_t)t->n;
    const double *row = B + (size_t)i * n;
    real y[MOST_VECTORS];
    for (int w = 0; w < width; ++w) {
        y[w] = (real){0};
    }
    subtract_before(t, i, row, B + first, n, width, last, y);
    store_row(y, width, last, sum + first);
}

static inline void find_sums(const lwi_dof_tree *t, const double *B, int i, double *sum)
{
    if (t->n >= LANES) {
        // Whole vectors: what they find of columns from i on is not used.
        const int columns = (i + LANES - 1) / LANES * LANES;
        const int end = columns < t->n ? columns : t->n;
        for (int c = 0, taken; c < end; c += taken) {
            const column_block b = next_block(end - c, MOST_VECTORS, &taken);
            LWI_BY_WIDTH(b, width, take_rows_before(t, B, i, sum, c, width, b.last))
        }
        return;
    }
    const double *row = B + (size_t)i * (size_t)t->n;
    memset(sum, 0, (size_t)i * sizeof *sum);
    for (int j = t->parent[i]; j >= 0; j = t->parent[j]) {
        for (int c = 0; c < i; ++c) {
            sum[c] -= row[j] * B[j * t->n + c];
        }
    }
}

/// With B = M^-1, L B = D^-1 L'^-1 has nothing left of its diagonal. So row i of B follows there
/// from the rows of the degrees of freedom before i, which are complete up to i, because B is
/// symmetric.
LWI_INLINE void put_inverse_row(const lwi_dof_tree *t, int i, size_t n, const double *sum,
                                double *B)
{
    double *row = B + (size_t)i * n, *column = B + i;
    double own = 1.0 / row[i];
    for (int j = t ? t->parent[i] : i - 1; j >= 0; j = t ? t->parent[j] : j - 1) {
        own -= row[j] * sum[j];
    }
    for (int c = 0; c < i; ++c, column += n) {
        row[c] = sum[c];
        *column = sum[c];
    }
    row[i] = own;
}

/// The same for a chain of n degrees of freedom, n constant when compiling.
LWI_INLINE void invert_chain(int n, double *L)
{
    const int width = (n + LANES - 1) / LANES;
    const size_t last = (size_t)(n - LANES);
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) {
        double sum[LWI_MOST_SMALL];
        real y[LWI_MOST_SMALL / LANES] = {{0}};
        for (int j = i - 1; j >= 0; --j) {
            subtract_row(L[i * n + j], L + j * n, width, last, y);
        }
        store_row(y, width, last, sum);
        put_inverse_row(NULL, i, (size_t)n, sum, L);
    }
}

static inline bool is_small_chain(const lwi_dof_tree *t)
{
    bool is_chain = t->n >= LWI_LEAST_SMALL && t->n <= LWI_MOST_SMALL;
    for (int i = 0; i < t->n && is_chain; ++i) {
        is_chain = t->end[i] == t->n;
    }
    return is_chain;
}

static void factor_invert(const lwi_dof_tree *t, double *L, double *sum)
{
    if (is_small_chain(t)) {
        LWI_BY_SIZE(t->n, size, invert_chain(size, L))
        return;
    }
    for (int i = 0; i < t->n; ++i) {
        find_sums(t, L, i, sum);
        put_inverse_row(t, i, (size_t)t->n, sum, L);
    }
}

/// X = -B X of n rows and columns, n constant when compiling.
LWI_INLINE void product_of(int n, const double *B, double *X)
{
    double copy[LWI_MOST_SMALL * LWI_MOST_SMALL];
    const int width = (n + LANES - 1) / LANES;
    const size_t last = (size_t)(n - LANES);
    memcpy(copy, X, (size_t)(n * n) * sizeof *X);
    for (int i = 0; i < n; ++i) {
        real y[LWI_MOST_SMALL / LANES] = {{0}};
        for (int k = 0; k < n; ++k) {
            subtract_row(B[i * n + k], copy + k * n, width, last, y);
        }
        store_row(y, width, last, X + i * n);
    }
}

/// X = -B X with the inverse B [n*n] of few degrees of freedom, LWI_LEAST_SMALL to LWI_MOST_SMALL:
/// solving with factors asks more than it computes there.
static void small_product(int n, const double *B, double *X)
{
    LWI_BY_SIZE(n, size, product_of(size, B, X))
}

#endif
