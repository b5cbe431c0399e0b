// The matrix of all constraints on the rates of the tree, in the reference configuration and around
// it, and its elimination column by column.
#include "constraint_matrix.h"

#include "../base/report.h"
#include "../loop/loop.h"
#include "close.h"

#include <string.h>

static void touch(lwi_constraint_matrix *s, int v)
{
    if (s->column[v] < 0) {
        s->column[v] = s->ncolumn;
        s->dof[s->ncolumn++] = v;
    }
}

// The rows of loops come from the very code that runs later, with columns of this matrix.
static void fill_loops(const lwi_build *b, const lwi_constraint_matrix *s, const double *q,
                       double *at)
{
    for (int k = 0, row = 0; k < b->nloop; ++k) {
        const lwi_built_loop *built = &b->loop[k];
        lwi_loop own = built->loop;
        own.column = s->loop_column[k];
        lwi_loop_matrix_scaled(&b->draft, &own, &s->work, q,
                               at + (size_t)row * (size_t)(s->ncolumn + 1), s->ncolumn + 1);
        row += built->loop.nrow;
    }
}

static void fill_gears(const lwi_build *b, const lwi_constraint_matrix *s, double *at)
{
    for (int g = 0; g < b->ngear; ++g) {
        const lwi_built_gear *gear = &b->gear[g];
        double *row = at + (size_t)(s->first_gear + g) * (size_t)(s->ncolumn + 1);
        for (int k = 0; k < gear->ndof; ++k) {
            row[s->column[gear->dof[k]]] += gear->share[k];
        }
    }
}

// Any slope will do for the rank but one that vanishes by chance; a table's is that of its ends.
static double slope_of(const lw_coupling_def *def, double x)
{
    double f[3] = {0.0, 0.0, 0.0};
    const double *c = def->coefficient;
    const int n = def->ncoefficient;
    if (def->law == LW_LAW_FUNCTION) {
        def->function.at(def->function.context, x, f);
        return f[1];
    }
    if (def->law == LW_LAW_TABLE) {
        return (c[n - 1] - c[1]) / (c[n - 2] - c[0]);
    }
    for (int k = n - 1; k >= 0; --k) {
        f[1] = f[1] * x + f[0];
        f[0] = f[0] * x + c[k];
    }
    return f[1];
}

// y = f(x) is the row dy - f' dx.
static void fill_couplings(const lwi_build *b, const lwi_constraint_matrix *s, const double *q,
                           double *at)
{
    for (int k = 0; k < b->ncoupling; ++k) {
        const lwi_built_coupling *coupling = &b->coupling[k];
        const double slope = slope_of(coupling->def, q[lwi_q_of_v(b, coupling->source)]);
        double *row = at + (size_t)(s->first_gear + b->ngear + k) * (size_t)(s->ncolumn + 1);
        row[s->column[coupling->target]] += 1.0;
        row[s->column[coupling->source]] -= slope;
    }
}

// A row that is this small from the start sets no condition in any direction.
static const double no_row = 1e-12;

// Slides count by the size of their loops. What gears alone tie counts by its own largest share:
// the ratio of a gearbox is no matter of conditioning.
static void scale_columns(const lwi_build *b, const lwi_constraint_matrix *s, double *at)
{
    const int n = s->ncolumn + 1;
    for (int c = 0; c < s->ncolumn; ++c) {
        double of_loops = 0.0, of_others = 0.0;
        for (int r = 0; r < s->nrow; ++r) {
            double *largest = r < s->first_gear ? &of_loops : &of_others;
            *largest = fmax(*largest, fabs(at[r * n + c]));
        }
        const double unit = of_loops > 0.0    ? b->unit[s->dof[c]]
                            : of_others > 0.0 ? 1.0 / of_others
                                              : 1.0;
        for (int r = 0; r < s->nrow && unit != 1.0; ++r) {
            at[r * n + c] *= unit;
        }
    }
}

static void scale_rows(const lwi_constraint_matrix *s, double *at)
{
    const int n = s->ncolumn + 1;
    for (int r = 0; r < s->nrow; ++r) {
        double largest = 0.0;
        for (int c = 0; c < s->ncolumn; ++c) {
            largest = fmax(largest, fabs(at[r * n + c]));
        }
        for (int c = 0; c < n && largest > no_row; ++c) {
            at[r * n + c] /= largest;
        }
        for (int c = 0; c < n && largest <= no_row; ++c) {
            at[r * n + c] = 0.0; // holds by itself, but for rounding
        }
    }
}

void lwi_constraint_fill(const lwi_build *b, lwi_constraint_matrix *s)
{
    s->used = 0;
    for (int i = 0; i < s->nview; ++i) {
        const double *q = i > 0 ? b->near_q[i - 1] : b->rank_q;
        double *at = s->view[i].at;
        memset(at, 0, (size_t)s->nrow * (size_t)(s->ncolumn + 1) * sizeof *at);
        s->view[i].is_lost = false;
        fill_loops(b, s, q, at);
        fill_gears(b, s, at);
        fill_couplings(b, s, q, at);
        scale_columns(b, s, at);
        scale_rows(s, at);
    }
}

static lw_status index_columns(lwi_build *b, lwi_constraint_matrix *s)
{
    const size_t nv = (size_t)b->tree_nv;
    s->column = lwi_arena_take(b->arena, nv, sizeof *s->column);
    s->dof = lwi_arena_take(b->arena, nv, sizeof *s->dof);
    s->loop_column = lwi_arena_take(b->arena, (size_t)b->nloop, sizeof *s->loop_column);
    if (!s->column || !s->dof || !s->loop_column) {
        return lwi_build_no_memory(b);
    }
    memset(s->column, -1, nv * sizeof *s->column);
    for (int k = 0; k < b->nloop; ++k) {
        const int n = b->loop[k].ndof;
        int *column = lwi_arena_take(b->arena, (size_t)n, sizeof *column);
        if (!column) {
            return lwi_build_no_memory(b);
        }
        s->first_gear += b->loop[k].loop.nrow;
        for (int i = 0; i < n; ++i) {
            touch(s, b->loop[k].dof[i]);
            column[i] = s->column[b->loop[k].dof[i]];
        }
        s->loop_column[k] = column;
    }
    for (int g = 0; g < b->ngear; ++g) {
        for (int i = 0; i < b->gear[g].ndof; ++i) {
            touch(s, b->gear[g].dof[i]);
        }
    }
    for (int k = 0; k < b->ncoupling; ++k) {
        touch(s, b->coupling[k].target);
        touch(s, b->coupling[k].source);
    }
    s->nrow = s->first_gear + b->ngear + b->ncoupling;
    return LW_OK;
}

lw_status lwi_constraint_create(lwi_build *b, lwi_constraint_matrix *s)
{
    *s = (lwi_constraint_matrix){0};
    lw_status status = index_columns(b, s);
    if (status != LW_OK) {
        return status;
    }
    const size_t size = (size_t)s->nrow * (size_t)(s->ncolumn + 1);
    enum { MOST = 20 * 1000 * 1000, MOST_NEAR = MOST / 20 }; // numbers; three thousand conditions
    if (size > MOST) {
        return lwi_report_error(
            b->report, (lw_location){0}, LW_ERR_LIMIT,
            "\"%s\" has %d loop conditions on %d degrees of freedom, which is more than "
            "this compiler takes",
            b->mech->name, s->nrow, s->ncolumn);
    }
    s->nview = size > MOST_NEAR ? 1 : 1 + b->nnear;
    for (int i = 0; i < s->nview; ++i) {
        s->view[i].at = lwi_arena_take(b->arena, size, sizeof *s->view[i].at);
        if (!s->view[i].at) {
            return lwi_build_no_memory(b);
        }
    }
    return lwi_make_loop_work(b, 1, 0, &s->work);
}

// The row below those used that has the largest entry in a column.
static int largest_row(const lwi_constraint_matrix *s, const double *at, int c)
{
    const int n = s->ncolumn + 1;
    int best = s->used;
    for (int r = s->used + 1; r < s->nrow; ++r) {
        best = fabs(at[r * n + c]) > fabs(at[best * n + c]) ? r : best;
    }
    return best;
}

double lwi_constraint_pivot(const lwi_constraint_matrix *s, int c)
{
    double smallest = 0.0;
    for (int i = 0; i < s->nview && s->used < s->nrow; ++i) {
        const double *at = s->view[i].at;
        const double pivot = fabs(at[largest_row(s, at, c) * (s->ncolumn + 1) + c]);
        if (i == 0 && !(pivot > LWI_LEAST_PIVOT)) {
            return 0.0;
        }
        smallest = i == 0 ? pivot : s->view[i].is_lost ? smallest : fmin(smallest, pivot);
    }
    return fmax(smallest, s->used < s->nrow ? LWI_LEAST_PIVOT : 0.0);
}

static void eliminate(const lwi_constraint_matrix *s, double *at, int c, int best)
{
    const int n = s->ncolumn + 1;
    double *top = &at[s->used * n], *pivot = &at[best * n];
    for (int k = 0; k < n && best != s->used; ++k) {
        const double swap = top[k];
        top[k] = pivot[k];
        pivot[k] = swap;
    }
    for (int r = s->used + 1; r < s->nrow; ++r) {
        const double factor = at[r * n + c] / top[c];
        for (int k = 0; k < n && factor != 0.0; ++k) {
            at[r * n + k] -= factor * top[k];
        }
        at[r * n + c] = 0.0;
    }
}

bool lwi_constraint_eliminate(lwi_constraint_matrix *s, int c, double least)
{
    if (s->used >= s->nrow || !(lwi_constraint_pivot(s, c) >= least)) {
        return false;
    }
    for (int i = 0; i < s->nview; ++i) {
        double *at = s->view[i].at;
        const int best = largest_row(s, at, c);
        // What follows says nothing in a configuration that cannot go along.
        s->view[i].is_lost |= !(fabs(at[best * (s->ncolumn + 1) + c]) > LWI_LEAST_PIVOT);
        if (!s->view[i].is_lost) {
            eliminate(s, at, c, best);
        }
    }
    ++s->used;
    return true;
}
