// The closure program over expressions: positions of the dependent freedoms in closed form, and for
// all kinds of loops the rates from the rows of their conditions, by elimination. Which rows lead
// is decided by their numbers in the reference configuration.
#include "loops.h"

#include "../base/report.h"
#include "../model/kernel.h"
#include "evaluate.h"

#include <math.h>
#include <string.h>

// Newton's method without a test for its end: quadratic from the reference configuration, so that
// the last of these rounds change nothing for any pose that is not close to a dead centre.
enum { NEWTON_ROUNDS = 8 };

static const lw_place nowhere = {NULL, 0, 0};

static int body_of(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return i;
}

static const char *step_name(const lwi_machine *k, int s)
{
    return k->m->step[s].name;
}

// --- Couplings --------------------------------------------------------------------------------

static lw_status function_step(lwi_machine *k, int s, const lwi_step *step)
{
    lwi_graph *g = k->g;
    if (step->law != LW_LAW_POLYNOMIAL) {
        return lwi_report_error(k->report, nowhere, LW_ERR_UNSUPPORTED,
                                "coupling \"%s\" is a %s: it has no formula that equations could "
                                "be derived from",
                                step_name(k, s),
                                step->law == LW_LAW_TABLE ? "table" : "function by callback");
    }
    const lwi_expr x = lwi_machine_position(k, body_of(k->m, step->source[0]));
    lwi_expr y = LWI_ZERO, first = LWI_ZERO, second = LWI_ZERO;
    for (int i = step->ncoefficient - 1; i >= 0; --i) {
        second = lwi_add(g, lwi_mul(g, second, x), first);
        first = lwi_add(g, lwi_mul(g, first, x), y);
        y = lwi_add(g, lwi_mul(g, y, x), lwi_number(g, step->coefficient[i]));
    }
    lwi_machine_place(k, body_of(k->m, step->target[0]), y, LWI_ZERO, LWI_ZERO);
    k->step[s].K[0] = first;
    k->step[s].curve = lwi_mul(g, lwi_number(g, 2.0), second);
    return LW_OK;
}

static void linear_step(lwi_machine *k, int s, const lwi_step *step)
{
    lwi_graph *g = k->g;
    for (int t = 0; t < step->ntarget; ++t) {
        const double *row = &step->coefficient[t * (1 + step->nsource)];
        lwi_expr y = lwi_number(g, row[0]);
        for (int i = 0; i < step->nsource; ++i) {
            const lwi_expr share = lwi_number(g, row[1 + i]);
            k->step[s].K[t * step->nsource + i] = share;
            if (share != LWI_ZERO) {
                const lwi_expr x = lwi_machine_position(k, body_of(k->m, step->source[i]));
                y = lwi_add(g, y, lwi_mul(g, share, x));
            }
        }
        lwi_machine_place(k, body_of(k->m, step->target[t]), y, LWI_ZERO, LWI_ZERO);
    }
}

// --- Rods -------------------------------------------------------------------------------------

// A cos q + B sin q + C = 0: with w^2 = A^2 + B^2 - C^2 the sine and cosine are rational in w.
static void solve_cosine(lwi_graph *g, lwi_expr A, lwi_expr B, lwi_expr C, int branch, lwi_expr *c,
                         lwi_expr *s)
{
    const lwi_expr size = lwi_add(g, lwi_mul(g, A, A), lwi_mul(g, B, B));
    lwi_expr w = lwi_sqrt(g, lwi_sub(g, size, lwi_mul(g, C, C)));
    w = branch < 0 ? lwi_neg(w) : w;
    const lwi_expr inverse = lwi_div(g, LWI_ONE, size);
    *c = lwi_mul(g, lwi_neg(lwi_add(g, lwi_mul(g, A, C), lwi_mul(g, B, w))), inverse);
    *s = lwi_mul(g, lwi_sub(g, lwi_mul(g, A, w), lwi_mul(g, B, C)), inverse);
}

// The rod ties a point y beyond the joint to the point x, known in the joint's frame at rest.
static void rod_step(lwi_machine *k, const lwi_step *step, const lwi_loop *loop)
{
    lwi_graph *g = k->g;
    const int side = step->side, at = step->at, i = loop->path[side][at];
    const lwi_frame X_CP = lwi_branch(k, loop, side, 0, at);
    const lwi_frame X_CJ = frame_mul(g, &X_CP, &k->body[i].rest);
    const lwi_frame X_JE = lwi_branch(k, loop, side, at + 1, loop->npath[side]);
    const lwi_frame X_CO = lwi_branch(k, loop, 1 - side, 0, loop->npath[1 - side]);
    const lwi_vec other = frame_apply(g, &X_CO, vec_number(g, loop->X[1 - side].p));
    const lwi_vec x = rot_back(g, &X_CJ.R, vec_sub(g, other, X_CJ.p));
    const lwi_vec y = frame_apply(g, &X_JE, vec_number(g, loop->X[side].p));
    const lwi_expr square = lwi_number(g, loop->length * loop->length);
    if (k->body[i].carrier == LW_TREE_REVOLUTE) {
        // Half of the textbook's A, B and C.
        const lwi_expr A = lwi_neg(lwi_add(g, lwi_mul(g, x.x, y.x), lwi_mul(g, x.y, y.y)));
        const lwi_expr B = lwi_sub(g, lwi_mul(g, x.x, y.y), lwi_mul(g, x.y, y.x));
        const lwi_expr squares = lwi_add(g, vec_dot(g, x, x), vec_dot(g, y, y));
        const lwi_expr all = lwi_mul(g, lwi_number(g, 0.5), lwi_sub(g, squares, square));
        const lwi_expr C = lwi_sub(g, all, lwi_mul(g, x.z, y.z));
        lwi_expr c, s;
        solve_cosine(g, A, B, C, step->branch, &c, &s);
        lwi_machine_place(k, i, LWI_UNKNOWN, c, s);
        return;
    }
    const lwi_vec d = vec_sub(g, y, x);
    const lwi_expr rest = lwi_sub(g, vec_dot(g, d, d), square);
    const lwi_expr w = lwi_sqrt(g, lwi_sub(g, lwi_mul(g, d.z, d.z), rest));
    lwi_machine_place(k, i, lwi_sub(g, step->branch < 0 ? lwi_neg(w) : w, d.z), LWI_ZERO, LWI_ZERO);
}

// --- Rows and elimination ---------------------------------------------------------------------

static lwi_expr *step_rows(lwi_machine *k, const lwi_step *step)
{
    const lwi_program *program = k->m->kernel->program;
    const int ncolumn = step->ntarget + step->nsource;
    lwi_expr *matrix = lwi_machine_room(k, step->nrow * ncolumn);
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

// The order of elimination: the largest number that is left leads, row and column.
static lw_status choose_pivots(lwi_machine *k, int s, const lwi_step *step, const lwi_expr *matrix)
{
    const int n = step->ntarget, nrow = step->nrow, ncolumn = n + step->nsource;
    lwi_sstep *out = &k->step[s];
    double *A = lwi_arena_take(&k->arena, (size_t)(nrow * ncolumn) + 1, sizeof *A);
    out->row = lwi_arena_take(&k->arena, (size_t)n + 1, sizeof *out->row);
    out->column = lwi_arena_take(&k->arena, (size_t)n + 1, sizeof *out->column);
    if (!A || !out->row || !out->column) {
        return LW_ERR_MEMORY;
    }
    lw_status status = lwi_machine_evaluate(k, nrow * ncolumn, matrix, k->m->q_reference, A);
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
                k->report, nowhere, LW_ERR_SINGULAR,
                "loop \"%s\" is at a dead centre in the reference configuration", step_name(k, s));
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
static lwi_expr *factor_rows(lwi_machine *k, int s, const lwi_step *step, const lwi_expr *matrix)
{
    lwi_graph *g = k->g;
    const int n = step->ntarget, ncolumn = n + step->nsource;
    const lwi_sstep *order = &k->step[s];
    lwi_expr *F = lwi_machine_room(k, n * n);
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
static void solve_rows(lwi_machine *k, int s, const lwi_step *step, const lwi_expr *F,
                       const lwi_expr *right, int stride, lwi_expr *x)
{
    lwi_graph *g = k->g;
    const int n = step->ntarget;
    const lwi_sstep *order = &k->step[s];
    lwi_expr *y = lwi_machine_room(k, n);
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

// --- Newton blocks ----------------------------------------------------------------------------

// Where the targets of a block begin: in the reference configuration.
static void start_block(lwi_machine *k, const lwi_step *step)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const int i = body_of(k->m, step->target[t]);
        const lwi_sbody *b = &k->body[i];
        const int nq = k->m->q_start[i + 1] - b->q;
        for (int j = 0; j < nq; ++j) {
            k->q[b->q + j] = lwi_number(k->g, k->m->tree_q_reference[b->q + j]);
        }
        if (b->nv > 1) {
            lwi_machine_place_quaternion(k, i);
        } else {
            lwi_machine_place(k, i, k->q[b->q], LWI_ZERO, LWI_ZERO);
        }
    }
}

// A quaternion turned by w about the axes of the body, to first order; its length does not matter.
static void turn_quaternion(lwi_graph *g, lwi_expr *q, const lwi_expr w[3])
{
    const lwi_expr half = lwi_number(g, 0.5);
    const lwi_vec h = vec_scale(g, half, (lwi_vec){w[0], w[1], w[2]});
    const lwi_vec v = {q[1], q[2], q[3]};
    const lwi_vec turned = vec_add(g, vec_scale(g, q[0], h), vec_cross(g, v, h));
    const lwi_expr scalar = lwi_sub(g, q[0], vec_dot(g, v, h));
    q[0] = scalar;
    q[1] = lwi_add(g, q[1], turned.x);
    q[2] = lwi_add(g, q[2], turned.y);
    q[3] = lwi_add(g, q[3], turned.z);
}

static void move_targets(lwi_machine *k, const lwi_step *step, const lwi_expr *change)
{
    lwi_graph *g = k->g;
    for (int t = 0; t < step->ntarget;) {
        const int i = body_of(k->m, step->target[t]);
        const lwi_sbody *b = &k->body[i];
        if (b->nv == 1) {
            lwi_machine_place(k, i, lwi_add(g, k->q[b->q], change[t]), LWI_ZERO, LWI_ZERO);
            ++t;
            continue;
        }
        lwi_expr *q = k->q + b->q;
        if (b->carrier == LW_TREE_FREE) {
            // The position moves along the axes of the body as it stands.
            const lwi_rot back = rot_transpose(&b->rest.R);
            const lwi_rot R = rot_mul(g, &back, &b->X.R);
            const lwi_vec p =
                rot_apply(g, &R, (lwi_vec){change[t + 3], change[t + 4], change[t + 5]});
            q[0] = lwi_add(g, q[0], p.x);
            q[1] = lwi_add(g, q[1], p.y);
            q[2] = lwi_add(g, q[2], p.z);
            q += 3;
        }
        turn_quaternion(g, q, change + t);
        lwi_machine_place_quaternion(k, i);
        t += b->nv;
    }
}

static void block_residuals(lwi_machine *k, const lwi_step *step, lwi_expr *value)
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
                const lwi_expr x = lwi_machine_position(k, body_of(k->m, v));
                value[row] = lwi_add(g, value[row], lwi_mul(g, lwi_number(g, share[c]), x));
            }
        }
    }
}

static lw_status block_step(lwi_machine *k, int s, const lwi_step *step)
{
    start_block(k, step);
    lwi_expr *value = lwi_machine_room(k, step->nrow), *change = lwi_machine_room(k, step->ntarget);
    lw_status status = k->status;
    for (int round = 0; round < NEWTON_ROUNDS && status == LW_OK; ++round) {
        const lwi_expr *matrix = step_rows(k, step);
        if (round == 0 && matrix) {
            status = choose_pivots(k, s, step, matrix);
        }
        if (status != LW_OK || k->status != LW_OK) {
            break;
        }
        const lwi_expr *F = factor_rows(k, s, step, matrix);
        block_residuals(k, step, value);
        if (F) {
            solve_rows(k, s, step, F, value, 1, change);
            move_targets(k, step, change);
        }
        status = k->status;
    }
    if (status == LW_OK) {
        lwi_report_note(k->report, nowhere,
                        "loop \"%s\" has no closed form: %d rounds of Newton's method from the "
                        "reference configuration are written out",
                        step_name(k, s), NEWTON_ROUNDS);
    }
    return status;
}

// --- The program ------------------------------------------------------------------------------

static lw_status loop_rates(lwi_machine *k, int s, const lwi_step *step)
{
    const int nt = step->ntarget, ns = step->nsource;
    lwi_expr *matrix = step_rows(k, step), *x = lwi_machine_room(k, nt);
    lw_status status = k->status;
    if (status == LW_OK && !k->step[s].row) {
        status = choose_pivots(k, s, step, matrix);
    }
    if (status != LW_OK) {
        return status;
    }
    k->step[s].factor = factor_rows(k, s, step, matrix);
    for (int i = 0; i < ns && k->step[s].factor; ++i) {
        solve_rows(k, s, step, k->step[s].factor, matrix + nt + i, nt + ns, x);
        for (int t = 0; t < nt; ++t) {
            k->step[s].K[t * ns + i] = x[t];
        }
    }
    return k->status;
}

lw_status lwi_machine_close(lwi_machine *k)
{
    const lwi_program *program = k->m->kernel->program;
    lw_status status = k->status;
    for (int s = 0; s < k->m->nstep && status == LW_OK; ++s) {
        const lwi_step *step = &program->step[s];
        k->step[s].K = lwi_machine_room(k, step->ntarget * step->nsource);
        if (!k->step[s].K) {
            return LW_ERR_MEMORY;
        }
        switch (step->kind) {
        case LW_STEP_FUNCTION:
            status = function_step(k, s, step);
            continue;
        case LW_STEP_LINEAR:
            linear_step(k, s, step);
            continue;
        case LW_STEP_ROD_REVOLUTE:
        case LW_STEP_ROD_PRISMATIC:
            rod_step(k, step, &program->loop[step->loop[0]]);
            break;
        case LW_STEP_PLANAR:
            status = lwi_plane_triangle(k, step, &program->loop[step->loop[0]]);
            break;
        case LW_STEP_BLOCK:
            status = block_step(k, s, step);
            break;
        }
        status = status == LW_OK ? loop_rates(k, s, step) : status;
    }
    return status;
}

void lwi_machine_spread(lwi_machine *k, const lwi_expr *x, lwi_expr *out)
{
    lwi_machine_accelerate(k, NULL, NULL, x, out);
}

// u and v of the whole tree, for the curvature of loops.
static void curvature(lwi_machine *k, int s, const lwi_step *step, const lwi_expr *u,
                      const lwi_expr *v, lwi_expr *bias)
{
    const lwi_program *program = k->m->kernel->program;
    if (step->kind == LW_STEP_FUNCTION) {
        const lwi_expr product = lwi_mul(k->g, u[step->source[0]], v[step->source[0]]);
        bias[0] = lwi_mul(k->g, k->step[s].curve, product);
        return;
    }
    lwi_expr *value = lwi_machine_room(k, step->nrow);
    int row = 0;
    for (int i = 0; i < step->nloop && value; ++i) {
        const lwi_loop *loop = &program->loop[step->loop[i]];
        lwi_loop_curvature(k, loop, u, v, value + row);
        row += loop->nrow;
    }
    if (value && step->kind != LW_STEP_LINEAR) {
        solve_rows(k, s, step, k->step[s].factor, value, 1, bias);
    }
}

void lwi_machine_accelerate(lwi_machine *k, const lwi_expr *u, const lwi_expr *v, const lwi_expr *x,
                            lwi_expr *out)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    for (int i = 0; i < m->nv; ++i) {
        out[m->v_tree[i]] = x ? x[i] : LWI_ZERO;
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        lwi_expr *bias = lwi_machine_room(k, step->ntarget);
        if (!bias) {
            return;
        }
        if (u) {
            curvature(k, s, step, u, v, bias);
        }
        for (int t = 0; t < step->ntarget; ++t) {
            lwi_expr sum = bias[t];
            for (int i = 0; i < step->nsource; ++i) {
                const lwi_expr share = k->step[s].K[t * step->nsource + i];
                sum = lwi_add(g, sum, lwi_mul(g, share, out[step->source[i]]));
            }
            out[step->target[t]] = sum;
        }
    }
}

void lwi_machine_collect(lwi_machine *k, lwi_expr *tree, lwi_expr *out)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        for (int t = 0; t < step->ntarget; ++t) {
            for (int i = 0; i < step->nsource; ++i) {
                const lwi_expr share = k->step[s].K[t * step->nsource + i];
                lwi_expr *at = &tree[step->source[i]];
                *at = lwi_add(g, *at, lwi_mul(g, share, tree[step->target[t]]));
            }
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        out[i] = tree[m->v_tree[i]];
    }
}
