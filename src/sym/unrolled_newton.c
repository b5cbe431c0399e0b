// Newton's method on loops without a closed form, written out: a bounded number of rounds and no
// test in between, as straight-line code has none.
//
// The sources go the straight way from the reference configuration in equal pieces. In each the
// targets begin where they would be had they gone on as in the piece before, and follow by a round;
// in the last by several. What the numeric engine tests (src/loop/newton_block.c) is kept as a sum
// of square roots, each of something that is positive as long as all is well:
//
//   - the first change of a piece is at most a radian or a metre, and each further one at most half
//     of the one before, so that the targets stay on their branch;
//   - the determinant has the sign that it has in the reference configuration; that of A'B is
//     positive where there are more conditions than targets, for their rows A and B at the begins
//     of two pieces (src/loop/newton_block.c);
//   - the conditions are met in the end, those that were not eliminated among them.
//
// Where one of them fails the sum is not a number, and so are all results: lwi_symbolic_gate().
//
// On random loops of seven revolute joints, which have up to sixteen branches, none of thirty-six
// thousand states ended on another branch than the numeric engine's with that limit of the first
// change, nor with twice as much; without one some did, and more without the determinant.
#include "loops.h"

#include "../base/report.h"
#include "../model/kernel.h"

enum { PIECES = 8, ROUNDS = 1, LAST_ROUNDS = 6, MOST_Q = 7 };

// Square of the longest first change; of what is left of a change where rounding allows no less;
// and of the residuals of a closed loop, in metres and radians.
static const double longest = 1.0, rounding = 1e-20, closed = 1e-26;

// The joints that a block reads, as they are and as they are put on the way there.
typedef struct block {
    lwi_symbolic *k;
    int s;
    const lwi_step *step;
    int nbody;
    int *body;                  ///< [nbody] that carry sources
    lwi_sym_body *whole;        ///< [nbody]
    lwi_expr *before, *reached; ///< [MOST_Q * nbody] at the ends of the last two pieces
    lwi_expr *value, *change;
    bool is_under_way; ///< the targets have left the reference configuration
} block;

static void promise(lwi_symbolic *k, lwi_expr positive)
{
    k->proof = lwi_add(k->g, k->proof, lwi_sqrt(k->g, positive));
}

static lwi_expr squares(lwi_graph *g, int n, const lwi_expr *x)
{
    lwi_expr sum = LWI_ZERO;
    for (int i = 0; i < n; ++i) {
        sum = lwi_add(g, sum, lwi_mul(g, x[i], x[i]));
    }
    return sum;
}

// --- Sources ----------------------------------------------------------------------------------

static lw_status find_sources(block *b)
{
    lwi_symbolic *k = b->k;
    const size_t n = (size_t)b->step->nsource + 1;
    b->body = lwi_arena_take(&k->arena, n, sizeof *b->body);
    b->whole = lwi_arena_take(&k->arena, n, sizeof *b->whole);
    b->before = lwi_symbolic_take(k, MOST_Q * k->m->nbody);
    b->reached = lwi_symbolic_take(k, MOST_Q * k->m->nbody);
    b->value = lwi_symbolic_take(k, b->step->nrow);
    b->change = lwi_symbolic_take(k, b->step->ntarget);
    if (!b->body || !b->whole || k->status != LW_OK) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < b->step->nsource; ++i) {
        const int body = lwi_body_of_dof(k->m, b->step->source[i]);
        if (b->nbody == 0 || b->body[b->nbody - 1] != body) {
            if (k->body[body].nv == 1) {
                lwi_symbolic_position(k, body);
            }
            b->whole[b->nbody] = k->body[body];
            b->body[b->nbody++] = body;
        }
    }
    return LW_OK;
}

// The share `part` of the way from the reference configuration. Quaternions need no unit length.
static void move_sources(block *b, double part)
{
    lwi_symbolic *k = b->k;
    lwi_graph *g = k->g;
    for (int n = 0; n < b->nbody; ++n) {
        const int i = b->body[n];
        const lwi_sym_body *whole = &b->whole[n];
        const int from = k->m->q_start[i];
        for (int j = from; j < k->m->q_start[i + 1]; ++j) {
            const lwi_expr start = lwi_number(g, (1.0 - part) * k->m->tree_q_reference[j]);
            k->body[i].q[j - from] = lwi_add(g, start, lwi_scale(g, part, whole->q[j - from]));
        }
        if (part == 1.0) {
            k->body[i] = *whole;
        } else if (whole->nv > 1) {
            lwi_symbolic_place_quaternion(k, i);
        } else {
            lwi_symbolic_place(k, i, k->body[i].q[0], LWI_ZERO, LWI_ZERO);
        }
    }
}

// --- Targets ----------------------------------------------------------------------------------

// They begin in the reference configuration, and after the first piece as much further on as they
// went in the last.
static void start_targets(block *b, int piece)
{
    lwi_symbolic *k = b->k;
    for (int t = 0; t < b->step->ntarget;) {
        const int i = lwi_body_of_dof(k->m, b->step->target[t]);
        lwi_sym_body *body = &k->body[i];
        for (int j = k->m->q_start[i]; j < k->m->q_start[i + 1]; ++j) {
            const int at = j - k->m->q_start[i];
            lwi_expr *before = &b->before[MOST_Q * i + at], *reached = &b->reached[MOST_Q * i + at];
            *before = *reached;
            if (piece == 1) {
                *reached = body->q[at] = lwi_number(k->g, k->m->tree_q_reference[j]);
            } else {
                *reached = body->q[at];
                body->q[at] = lwi_add(k->g, *reached, lwi_sub(k->g, *reached, *before));
            }
        }
        if (body->nv > 1) {
            lwi_symbolic_place_quaternion(k, i);
        } else {
            lwi_symbolic_place_whole(k, i, body->q[0]);
        }
        t += body->nv;
    }
}

// A quaternion rotated by w about the axes of the body, to first order; its length does not matter.
static void rotate_quaternion(lwi_graph *g, lwi_expr *q, const lwi_expr w[3])
{
    const lwi_vec h = vec_scale(g, lwi_number(g, 0.5), vec_of(w[0], w[1], w[2]));
    const lwi_vec v = vec_of(q[1], q[2], q[3]), across = vec_cross(g, v, h);
    const lwi_vec rotated = vec_add(g, vec_scale(g, q[0], h), across);
    q[0] = lwi_sub(g, q[0], vec_dot(g, v, h));
    for (int i = 0; i < 3; ++i) {
        q[1 + i] = lwi_add(g, q[1 + i], rotated.e[i]);
    }
}

static void move_targets(lwi_symbolic *k, const lwi_step *step, const lwi_expr *change)
{
    lwi_graph *g = k->g;
    for (int t = 0; t < step->ntarget;) {
        const int i = lwi_body_of_dof(k->m, step->target[t]);
        lwi_sym_body *b = &k->body[i];
        if (b->nv == 1) {
            lwi_symbolic_place_whole(k, i, lwi_add(g, b->q[0], change[t]));
            ++t;
            continue;
        }
        lwi_expr *q = b->q;
        if (b->type == LW_TREE_FREE) {
            // The position moves along the axes of the body as it stands.
            const lwi_mat back = mat_transpose(&b->rest.R);
            const lwi_mat R = mat_mul(g, &back, &b->X.R);
            const lwi_vec p = mat_apply(g, &R, vec_of(change[t + 3], change[t + 4], change[t + 5]));
            for (int e = 0; e < 3; ++e, ++q) {
                *q = lwi_add(g, *q, p.e[e]);
            }
        }
        rotate_quaternion(g, q, change + t);
        lwi_symbolic_place_quaternion(k, i);
        t += b->nv;
    }
}

// The determinant of A'B, for the orthogonal columns of A at the last look and of B, which have the
// determinants of what they were made of. It is nearly diagonal as long as A and B are alike, and
// needs no order of elimination.
static void promise_side(lwi_symbolic *k, const lwi_step *step, const lwi_expr *A,
                         const lwi_expr *B)
{
    lwi_graph *g = k->g;
    const int n = step->ntarget;
    lwi_expr *N = lwi_symbolic_take(k, n * n), side = LWI_ONE;
    for (int i = 0; i < n * n && N; ++i) {
        N[i] = lwi_column_dot(g, step->nrow, A + i / n, n, B + i % n, n);
    }
    for (int p = 0; p < n && N; ++p) {
        side = lwi_mul(g, side, N[p * n + p]);
        const lwi_expr inverse = lwi_div(g, LWI_ONE, N[p * n + p]);
        for (int r = p + 1; r < n; ++r) {
            const lwi_expr share = lwi_mul(g, N[r * n + p], inverse);
            for (int c = p + 1; c < n; ++c) {
                N[r * n + c] = lwi_sub(g, N[r * n + c], lwi_mul(g, share, N[p * n + c]));
            }
        }
    }
    promise(k, side);
}

void lwi_promise_branch(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *F)
{
    if (lwi_is_fitted(step)) {
        promise_side(k, step, k->step[s].looked, F);
        k->step[s].looked = F;
        return;
    }
    if (step->nrow != step->ntarget) {
        return;
    }
    lwi_expr inverse = k->step[s].is_negative ? lwi_neg(LWI_ONE) : LWI_ONE;
    for (int t = 0; t < step->ntarget; ++t) {
        inverse = lwi_mul(k->g, inverse, F[t * step->ntarget + t]);
    }
    promise(k, inverse);
}

// --- Rounds -----------------------------------------------------------------------------------

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

// One round; `before` is the square of the change of the round before, zero in the first of a
// piece.
static lw_status take_round(block *b, lwi_expr *before)
{
    lwi_symbolic *k = b->k;
    lwi_graph *g = k->g;
    const lwi_expr *matrix = lwi_step_rows(k, b->step);
    lw_status status = k->status;
    if (status == LW_OK && !k->step[b->s].row) {
        status = lwi_choose_pivots(k, b->s, b->step, matrix);
    }
    const lwi_expr *F = status == LW_OK ? lwi_factor_rows(k, b->s, b->step, matrix) : NULL;
    if (!F) {
        return status == LW_OK ? LW_ERR_MEMORY : status;
    }
    const bool begins = *before == LWI_ZERO;
    if (lwi_is_fitted(b->step) ? begins : !begins || b->is_under_way) {
        lwi_promise_branch(k, b->s, b->step, F);
    }
    b->is_under_way = true;
    residuals(k, b->step, b->value);
    lwi_solve_rows(k, b->s, b->step, F, b->value, 1, b->change);
    move_targets(k, b->step, b->change);
    const lwi_expr size = squares(g, b->step->ntarget, b->change);
    lwi_expr most = lwi_number(g, *before == LWI_ZERO ? longest : rounding);
    if (*before != LWI_ZERO) {
        most = lwi_add(g, lwi_scale(g, 0.25, *before), most);
    }
    promise(k, lwi_sub(g, most, size));
    *before = size;
    return k->status;
}

lw_status lwi_unrolled_newton(lwi_symbolic *k, int s, const lwi_step *step)
{
    block b = {.k = k, .s = s, .step = step};
    lw_status status = find_sources(&b);
    for (int piece = 1; piece <= PIECES && status == LW_OK; ++piece) {
        const int rounds = piece < PIECES ? ROUNDS : LAST_ROUNDS;
        lwi_expr before = LWI_ZERO;
        start_targets(&b, piece);
        move_sources(&b, (double)piece / PIECES);
        for (int round = 0; round < rounds && status == LW_OK; ++round) {
            status = take_round(&b, &before);
        }
    }
    if (status != LW_OK) {
        return status;
    }
    residuals(k, step, b.value);
    const lwi_expr left = squares(k->g, step->nrow, b.value);
    promise(k, lwi_sub(k->g, lwi_number(k->g, closed), left));
    lwi_report_note(k->report, lwi_step_location(k->m, s), LW_DIAG_NEWTON_UNROLLED,
                    "loop \"%s\" has no closed form: %d rounds of Newton's method from the "
                    "reference configuration are written out; where they do not close it, no "
                    "result is a number",
                    k->m->step[s].name, (PIECES - 1) * ROUNDS + LAST_ROUNDS);
    return LW_OK;
}

lwi_expr lwi_symbolic_gate(lwi_symbolic *k)
{
    lwi_graph *g = k->g;
    if (k->proof == LWI_ZERO) {
        return LWI_ONE;
    }
    // The sign of what is not a number is 0.
    const lwi_expr sign = lwi_sign(g, lwi_add(g, k->proof, LWI_ONE));
    return lwi_sqrt(g, lwi_sub(g, lwi_add(g, sign, sign), LWI_ONE));
}
