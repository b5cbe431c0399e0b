// Blocks without a closed form: their unknowns are found by a loop of code (src/expr/tape_loop.h),
// and are symbols for all that reads them; so is the pseudo-inverse P of their rows' derivatives,
// by which rates and accelerations follow.
#include "loops.h"

#include "../base/report.h"
#include "../model/kernel.h"

#include <math.h>

// --- Unknowns ---------------------------------------------------------------------------------

static int positions_of(const lw_model *m, int body)
{
    return m->q_start[body + 1] - m->q_start[body];
}

static void place_body(lwi_symbolic *k, int i)
{
    if (k->body[i].nv > 1) {
        lwi_symbolic_place_quaternion(k, i);
    } else {
        lwi_symbolic_place_whole(k, i, k->body[i].q[0]);
    }
}

// A quaternion rotated by w about the axes of the body, to first order, and brought to length 1.
static void rotate_quaternion(lwi_graph *g, lwi_expr *q, const lwi_expr w[3])
{
    const lwi_vec h = vec_scale(g, lwi_number(g, 0.5), vec_of(w[0], w[1], w[2]));
    const lwi_vec v = vec_of(q[1], q[2], q[3]), across = vec_cross(g, v, h);
    const lwi_vec rotated = vec_add(g, vec_scale(g, q[0], h), across);
    q[0] = lwi_sub(g, q[0], vec_dot(g, v, h));
    for (int i = 0; i < 3; ++i) {
        q[1 + i] = lwi_add(g, q[1 + i], rotated.e[i]);
    }
    const lwi_expr square = lwi_column_dot(g, 4, q, 1, q, 1);
    const lwi_expr inverse = lwi_div(g, LWI_ONE, lwi_sqrt(g, square));
    for (int i = 0; i < 4; ++i) {
        q[i] = lwi_mul(g, inverse, q[i]);
    }
}

// The positions of a body after changes d of its degrees of freedom.
static void move_body(lwi_graph *g, const lwi_sym_body *b, const lwi_expr *d, lwi_expr *q)
{
    if (b->nv == 1) {
        q[0] = lwi_add(g, q[0], d[0]);
        return;
    }
    if (b->type == LW_TREE_FREE) { // along the axes of the body as it stands
        const lwi_vec p = mat_apply(g, &b->J, vec_of(d[3], d[4], d[5]));
        for (int e = 0; e < 3; ++e, ++q) {
            *q = lwi_add(g, *q, p.e[e]);
        }
    }
    rotate_quaternion(g, q, d);
}

static lwi_expr state_symbol(lwi_symbolic *k)
{
    return lwi_symbol_of(k->g, "x", LWI_SOLVED, k->nstate++);
}

lwi_sym_loop *lwi_add_loop(lwi_symbolic *k, int s, const lwi_step *step, double size)
{
    const lw_model *m = k->m;
    const int n = step->ntarget;
    lwi_sym_loop *l = &k->loop[k->nloop++];
    *l = (lwi_sym_loop){.step = s, .ndof = n, .nrow = step->nrow, .first = k->nstate, .size = size};
    for (int t = 0; t < n; t += k->body[step->target_body[t]].nv) {
        l->nx += positions_of(m, step->target_body[t]);
    }
    l->row = lwi_symbolic_take(k, l->nrow);
    l->J = lwi_symbolic_take(k, l->nrow * n);
    l->P = lwi_symbolic_take(k, l->nrow * n);
    l->moved = lwi_symbolic_take(k, l->nx);
    l->start = lwi_symbolic_alloc(k, l->nx, sizeof *l->start);
    l->unit = step->target_unit;
    lwi_expr d[LW_MAX_DOF];
    if (k->status != LW_OK) {
        return NULL;
    }
    for (int t = 0, at = 0; t < n;) {
        const int i = step->target_body[t];
        lwi_sym_body *b = &k->body[i];
        for (int j = 0; j < positions_of(m, i); ++j) {
            b->q[j] = l->moved[at + j] = state_symbol(k);
            l->start[at + j] = m->tree_q_reference[m->q_start[i] + j];
        }
        place_body(k, i);
        for (int j = 0; j < b->nv; ++j) {
            d[j] = lwi_symbol_of(k->g, "d", LWI_OTHER, t + j);
        }
        move_body(k->g, b, d, l->moved + at);
        at += positions_of(m, i);
        t += b->nv;
    }
    for (int i = 0; i < l->nrow * n; ++i) {
        l->P[i] = state_symbol(k);
    }
    lwi_report_note(k->report, lwi_step_location(m, s), LW_DIAG_NEWTON_LOOP,
                    "loop \"%s\" has no closed form: %d unknowns are found by Newton's method, "
                    "from where they were last; where that fails, no result is a number",
                    m->step[s].name, n);
    return l;
}

void lwi_loop_solve(lwi_symbolic *k, const lwi_sym_loop *l, const lwi_expr *right, int apart,
                    lwi_expr *x)
{
    for (int t = 0; t < l->ndof; ++t) {
        x[t] = lwi_neg(lwi_column_dot(k->g, l->nrow, l->P + t * l->nrow, 1, right, apart));
    }
}

// --- Blocks as they are -----------------------------------------------------------------------

static void residuals(lwi_symbolic *k, const lwi_step *step, lwi_expr *value)
{
    lwi_graph *g = k->g;
    const lwi_program *program = k->m->kernel->program;
    const int ncolumn = step->ntarget + step->nsource;
    int row = 0;
    for (int i = 0; i < step->nloop; ++i) {
        lwi_loop_values(k, &program->loop[step->loop[i]], value + row);
        row += program->loop[step->loop[i]].nrow;
    }
    for (int i = 0; i < step->ngear; ++i, ++row) {
        const double *share = &step->gear_row[i * (ncolumn + 1)];
        value[row] = lwi_number(g, share[ncolumn]);
        for (int c = 0; c < ncolumn; ++c) {
            if (share[c] != 0.0) {
                const int v = c < step->ntarget ? step->target[c] : step->source[c - step->ntarget];
                const lwi_expr x = lwi_symbolic_position(k, lwi_body_of_dof(k->m, v));
                value[row] = lwi_add(g, value[row], lwi_scale(g, share[c], x));
            }
        }
    }
}

// Rows over what each is judged against: radians beside metres of a small mechanism.
static void scale_rows(lwi_symbolic *k, const lwi_step *step, int ncolumn, lwi_expr *matrix)
{
    const lwi_program *program = k->m->kernel->program;
    int row = 0;
    for (int i = 0; i < step->nloop + step->ngear; ++i) {
        const lwi_loop *loop = i < step->nloop ? &program->loop[step->loop[i]] : NULL;
        for (int r = 0; r < (loop ? loop->nrow : 1); ++r, ++row) {
            const double unit = loop ? loop->unit[r] : step->gear_unit[i - step->nloop];
            for (int c = 0; c < ncolumn; ++c) {
                lwi_expr *at = &matrix[row * ncolumn + c];
                *at = lwi_scale(k->g, 1.0 / unit, *at);
            }
        }
    }
}

lw_status lwi_block_equations(lwi_symbolic *k, int s, const lwi_step *step)
{
    const int nt = step->ntarget, ns = step->nsource, ncolumn = nt + ns;
    lwi_sym_loop *l = lwi_add_loop(k, s, step, 1.0);
    lwi_expr *matrix = l ? lwi_step_rows(k, step) : NULL, *x = lwi_symbolic_take(k, nt);
    if (!matrix || !x) {
        return LW_ERR_MEMORY;
    }
    residuals(k, step, l->row);
    scale_rows(k, step, 1, l->row);
    scale_rows(k, step, ncolumn, matrix);
    for (int r = 0; r < step->nrow; ++r) {
        for (int t = 0; t < nt; ++t) {
            l->J[r * nt + t] = matrix[r * ncolumn + t];
        }
    }
    for (int c = 0; c < ns; ++c) {
        lwi_loop_solve(k, l, matrix + nt + c, ncolumn, x);
        for (int t = 0; t < nt; ++t) {
            k->step[s].K[t * ns + c] = x[t];
        }
    }
    k->step[s].loop = l;
    return k->status;
}

void lwi_block_bias(lwi_symbolic *k, int s, const lwi_step *step, lwi_expr *value, lwi_expr *bias)
{
    scale_rows(k, step, 1, value);
    lwi_loop_solve(k, k->step[s].loop, value, 1, bias);
}
