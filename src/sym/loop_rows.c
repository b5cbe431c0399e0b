// Elimination over expressions. Which rows and columns lead is decided by their numbers in the
// reference configuration, because straight-line code cannot look.
#include "loops.h"

#include "../base/report.h"
#include "../model/kernel.h"
#include "symbolic_model.h"

#include <math.h>

int lwi_body_of_dof(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return i;
}

lwi_expr *lwi_step_rows(lwi_symbolic *k, const lwi_step *step)
{
    const lwi_program *program = k->m->kernel->program;
    const int ncolumn = step->ntarget + step->nsource;
    lwi_expr *matrix = lwi_symbolic_take(k, step->nrow * ncolumn);
    int row = 0;
    for (int i = 0; i < step->nloop && matrix; ++i) {
        const lwi_loop *loop = &program->loop[step->loop[i]];
        lwi_loop_gradient(k, loop, ncolumn, matrix + row * ncolumn);
        row += loop->nrow;
    }
    for (int i = 0; i < step->ngear && matrix; ++i, ++row) {
        for (int c = 0; c < ncolumn; ++c) {
            matrix[row * ncolumn + c] = lwi_number(k->g, step->gear_row[i * (ncolumn + 1) + c]);
        }
    }
    return matrix;
}

lwi_expr lwi_column_dot(lwi_graph *g, int n, const lwi_expr *x, int dx, const lwi_expr *y, int dy)
{
    lwi_expr sum = LWI_ZERO;
    for (int i = 0; i < n; ++i) {
        sum = lwi_add(g, sum, lwi_mul(g, x[i * dx], y[i * dy]));
    }
    return sum;
}

// --- Elimination ------------------------------------------------------------------------------

// The order of elimination: the largest number that is left leads, row and column.
lw_status lwi_choose_pivots(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *matrix)
{
    const int n = step->ntarget, nrow = step->nrow, ncolumn = n + step->nsource;
    lwi_sym_step *out = &k->step[s];
    double *A = lwi_arena_take(&k->arena, (size_t)(nrow * ncolumn) + 1, sizeof *A);
    out->row = lwi_arena_take(&k->arena, (size_t)n + 1, sizeof *out->row);
    out->column = lwi_arena_take(&k->arena, (size_t)n + 1, sizeof *out->column);
    if (!A || !out->row || !out->column) {
        return LW_ERR_MEMORY;
    }
    const lw_status status = lwi_symbolic_evaluate(k, nrow * ncolumn, matrix, k->m->q_reference, A);
    for (int p = 0; p < n && status == LW_OK; ++p) {
        int best = -1, at = -1;
        double most = 1e-9;
        for (int r = 0; r < nrow; ++r) {
            for (int c = 0; c < n; ++c) {
                bool is_used = false;
                for (int e = 0; e < p; ++e) {
                    is_used = is_used || out->row[e] == r || out->column[e] == c;
                }
                if (!is_used && fabs(A[r * ncolumn + c]) > most) {
                    most = fabs(A[r * ncolumn + c]);
                    best = r;
                    at = c;
                }
            }
        }
        if (best < 0) {
            return lwi_report_error(
                k->report, lwi_step_location(k->m, s), LW_ERR_SINGULAR,
                "loop \"%s\" is at a singular configuration in the reference configuration",
                k->m->step[s].name);
        }
        out->row[p] = best;
        out->column[p] = at;
        for (int r = 0; r < nrow; ++r) {
            const double factor = A[r * ncolumn + at] / A[best * ncolumn + at];
            for (int c = 0; c < n && r != best; ++c) {
                A[r * ncolumn + c] -= factor * A[best * ncolumn + c];
            }
        }
    }
    return status;
}

// Factors the chosen rows: below the diagonal the multipliers, on it the inverse pivots.
lwi_expr *lwi_factor_rows(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *matrix)
{
    lwi_graph *g = k->g;
    const int n = step->ntarget, ncolumn = n + step->nsource;
    const lwi_sym_step *order = &k->step[s];
    lwi_expr *F = lwi_symbolic_take(k, n * n);
    for (int r = 0; r < n && F; ++r) {
        for (int c = 0; c < n; ++c) {
            F[r * n + c] = matrix[order->row[r] * ncolumn + order->column[c]];
        }
    }
    for (int p = 0; p < n && F; ++p) {
        F[p * n + p] = lwi_div(g, LWI_ONE, F[p * n + p]);
        for (int r = p + 1; r < n; ++r) {
            const lwi_expr share = lwi_mul(g, F[r * n + p], F[p * n + p]);
            F[r * n + p] = share;
            for (int c = p + 1; c < n; ++c) {
                F[r * n + c] = lwi_sub(g, F[r * n + c], lwi_mul(g, share, F[p * n + c]));
            }
        }
    }
    return F;
}

// x [ntarget] = -(target columns)^-1 right, where right[i * stride] are entries of all rows.
void lwi_solve_rows(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *F,
                    const lwi_expr *right, int stride, lwi_expr *x)
{
    lwi_graph *g = k->g;
    const int n = step->ntarget;
    const lwi_sym_step *order = &k->step[s];
    lwi_expr *y = lwi_symbolic_take(k, n);
    for (int r = 0; r < n && y; ++r) {
        y[r] = lwi_neg(right[order->row[r] * stride]);
        for (int c = 0; c < r; ++c) {
            y[r] = lwi_sub(g, y[r], lwi_mul(g, F[r * n + c], y[c]));
        }
    }
    for (int r = n - 1; r >= 0 && y; --r) {
        for (int c = r + 1; c < n; ++c) {
            y[r] = lwi_sub(g, y[r], lwi_mul(g, F[r * n + c], y[c]));
        }
        y[r] = lwi_mul(g, y[r], F[r * n + r]);
        x[order->column[r]] = y[r];
    }
}
