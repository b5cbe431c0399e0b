// Base parameters, by elimination of the regressor at random states: a column that the columns
// before it span adds nothing that could be distinguished, and goes into their combinations.
// Columns stand in the order of the bodies from the world on, and within a body so that what is
// usually moved to the parent (Iyy, mz, m; Khalil and Kleinfinger) comes last.
#include "base_parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 10 };

// Of lw_body_parameter: zz xx xy xz yz mx my yy mz m.
static const int order[KINDS] = {6, 4, 7, 8, 9, 1, 2, 5, 3, 0};

typedef struct base_work {
    double *A;         ///< [rows * ncolumn]
    double *q, *v, *a; ///< a state
    int rows, ncolumn;
} base_work;

// Deterministic numbers in [-1, 1) that repeat on every computer.
static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static lw_status fill_rows(lw_derivation *d, const double *value, base_work *w)
{
    const lw_model *m = d->model;
    uint64_t seed = 20260102;
    int row = 0, tries = 0;
    double *Y = malloc((size_t)m->nv * (size_t)w->ncolumn * sizeof *Y + 1);
    lw_status status = Y ? LW_OK : LW_ERR_MEMORY;
    while (row + m->nv <= w->rows && status == LW_OK && tries++ < 20 * w->rows) {
        for (int i = 0; i < m->nq; ++i) {
            // Closed mechanisms reach less far.
            w->q[i] = m->q_reference[i] + (m->nloop > 0 ? 0.1 : 1.5) * next(&seed);
        }
        for (int i = 0; i < m->nv; ++i) {
            w->v[i] = 2.0 * next(&seed);
            w->a[i] = 2.0 * next(&seed);
        }
        const lw_status own =
            lw_derivation_run(d, LW_FUNCTION_REGRESSOR, w->q, w->v, w->a, 0.0, value, Y);
        if (own == LW_OK) {
            memcpy(w->A + (size_t)row * (size_t)w->ncolumn, Y,
                   (size_t)m->nv * (size_t)w->ncolumn * sizeof *Y);
            row += m->nv;
        } else if (own != LW_ERR_NUMBER) {
            status = own;
        }
    }
    w->rows = row;
    free(Y);
    return status;
}

static int column_at(int location)
{
    return KINDS * (location / KINDS) + order[location % KINDS];
}

// Gauss and Jordan, column by column; returns the rank.
static int eliminate(base_work *w, int *column)
{
    const size_t n = (size_t)w->ncolumn;
    int rank = 0;
    double size = 0.0;
    for (size_t i = 0; i < (size_t)w->rows * n; ++i) {
        size = fmax(size, fabs(w->A[i]));
    }
    for (int location = 0; location < w->ncolumn && rank < w->rows; ++location) {
        const size_t c = (size_t)column_at(location);
        int best = rank;
        for (int r = rank; r < w->rows; ++r) {
            best = fabs(w->A[(size_t)r * n + c]) > fabs(w->A[(size_t)best * n + c]) ? r : best;
        }
        double *top = w->A + (size_t)rank * n, *pivot = w->A + (size_t)best * n;
        if (!(fabs(pivot[c]) > 1e-9 * size)) {
            continue;
        }
        const double inverse = 1.0 / pivot[c];
        for (size_t i = 0; i < n; ++i) {
            const double x = pivot[i] * inverse;
            pivot[i] = top[i];
            top[i] = x;
        }
        for (int r = 0; r < w->rows; ++r) {
            double *row = w->A + (size_t)r * n;
            const double share = row[c];
            for (size_t i = 0; i < n && r != rank && share != 0.0; ++i) {
                row[i] -= share * top[i];
            }
        }
        column[rank++] = (int)c;
    }
    return rank;
}

lw_status lwi_base_rows(lw_derivation *d, const double *value, int *rank, int *column, double *K)
{
    const lw_model *m = d->model;
    base_work w = {.ncolumn = KINDS * m->nbody, .rows = KINDS * m->nbody + 4 * m->nv};
    lwi_arena arena = {0};
    w.A = lwi_arena_take(&arena, (size_t)w.rows * (size_t)w.ncolumn + 1, sizeof *w.A);
    w.q = lwi_arena_take(&arena, (size_t)(m->nq + 2 * m->nv) + 1, sizeof *w.q);
    w.v = w.q ? w.q + m->nq : NULL;
    w.a = w.q ? w.v + m->nv : NULL;
    lw_status status = w.A && w.q ? fill_rows(d, value, &w) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        *rank = eliminate(&w, column);
        for (size_t i = 0; i < (size_t)*rank * (size_t)w.ncolumn; ++i) {
            // What rounding leaves.
            K[i] = fabs(w.A[i]) < 1e-9 ? 0.0 : w.A[i];
        }
    }
    lwi_arena_free(&arena);
    return status;
}

lw_status lwi_derive_regressor(const lw_model *m, bool is_symbolic, lw_report *report,
                               lw_derivation **d)
{
    lw_derive_options options = lw_default_derive_options();
    options.functions = 1u << LW_FUNCTION_REGRESSOR;
    options.effort = 0;
    options.is_ideal = true;
    options.is_symbolic = is_symbolic;
    return lw_derive(m, &options, d, report);
}

lw_status lw_base_parameters(const lw_model *m, int *rank, int *column, double *K,
                             lw_report *report)
{
    if (!m || !rank || !column || !K) {
        return LW_ERR_ARGUMENT;
    }
    lw_derivation *d = NULL;
    lw_status status = lwi_derive_regressor(m, false, report, &d);
    if (status == LW_OK) {
        status = lwi_base_rows(d, NULL, rank, column, K);
    }
    lw_derivation_destroy(d);
    return status;
}
