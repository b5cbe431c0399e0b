// A configuration with all loops closed, near the reference, in which ranks are taken.
//
// The rank of a loop's conditions means something only where the loop is closed: an
// over-constrained linkage looks rigid everywhere else. A description gives dependent joints
// roughly, or not at all, so all conditions are first met together by damped least squares
// (Levenberg 1944, Marquardt 1963) on the dependent degrees of freedom, or on all of them where
// none is marked. Nothing but ranks depends on the result; the choice of dependent degrees of
// freedom is judged at closed configurations around it as well.
#include "close.h"

#include "../loop/closed_form_loops.h"
#include "../loop/law.h"
#include "../math/damped.h"

#include <string.h>

// Sums of squares of conditions, over what each is judged against: as small as they get, and small
// enough.
static const double closed = 1e-26, good_enough = 1e-18;

typedef struct approximate {
    bool has_no_marks;
    lwi_step step;     ///< its targets are the degrees of freedom to move
    int nrow, ncolumn; ///< the two last columns take what is not moved, and nothing
    double *matrix;    ///< [nrow * ncolumn]
    double *residual;  ///< [nrow]
    double *normal;    ///< [n * n]
    double *slope;     ///< [n]
    int *column;       ///< [tree_nv]
    lwi_step *law;     ///< [ncoupling]
    double *q, *moved; ///< [tree_nq]
    lwi_loop_work work;
} approximate;

static bool is_marked(const lwi_build *b, int v)
{
    const lw_joint_def *def = b->joint[b->body[lwi_body_of_v(b, v)].joint].def;
    return def && def->dependent;
}

static bool is_shaft(const lwi_build *b, int v)
{
    return b->joint[b->body[lwi_body_of_v(b, v)].joint].info.is_shaft;
}

// Which degrees of freedom may move: those of loops and gears that are marked, shafts, which bar
// nothing, and all targets of couplings.
static lw_status choose_dofs(lwi_build *b, bool is_all, approximate *r)
{
    char *is_in = lwi_arena_take(b->arena, (size_t)b->tree_nv, 1);
    int *target = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *target);
    int *target_q = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *target_q);
    int *target_body = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *target_body);
    r->column = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *r->column);
    if (!is_in || !target || !target_q || !target_body || !r->column) {
        return lwi_build_no_memory(b);
    }
    bool has_marks = false;
    for (int k = 0; k < b->nloop; ++k) {
        for (int i = 0; i < b->loop[k].ndof; ++i) {
            is_in[b->loop[k].dof[i]] = 1;
            has_marks |= is_marked(b, b->loop[k].dof[i]);
        }
    }
    r->has_no_marks = !has_marks;
    for (int g = 0; g < b->ngear; ++g) {
        for (int i = 0; i < b->gear[g].ndof; ++i) {
            is_in[b->gear[g].dof[i]] = 1;
        }
    }
    for (int v = 0; v < b->tree_nv; ++v) {
        is_in[v] = is_in[v] && (is_all || !has_marks || is_marked(b, v) || is_shaft(b, v));
    }
    for (int k = 0; k < b->ncoupling; ++k) {
        is_in[b->coupling[k].target] = 1;
    }
    for (int v = 0; v < b->tree_nv; ++v) {
        if (is_in[v]) {
            r->column[v] = r->step.ntarget;
            target[r->step.ntarget] = v;
            target_q[r->step.ntarget] = lwi_q_of_v(b, v);
            target_body[r->step.ntarget++] = lwi_body_of_v(b, v);
        }
    }
    for (int v = 0; v < b->tree_nv; ++v) {
        r->column[v] = is_in[v] ? r->column[v] : r->step.ntarget;
    }
    r->step.target = target;
    r->step.target_q = target_q;
    r->step.target_body = target_body;
    r->ncolumn = r->step.ntarget + 2;
    return LW_OK;
}

static lw_status make_approximate(lwi_build *b, approximate *r)
{
    r->nrow = b->ngear + b->ncoupling;
    for (int k = 0; k < b->nloop; ++k) {
        r->nrow += b->loop[k].loop.nrow;
        int *column = lwi_arena_take(b->arena, (size_t)b->loop[k].ndof, sizeof *column);
        if (!column) {
            return lwi_build_no_memory(b);
        }
        for (int i = 0; i < b->loop[k].ndof; ++i) {
            column[i] = r->column[b->loop[k].dof[i]];
        }
        b->loop[k].loop.column = column;
    }
    r->law = lwi_arena_take(b->arena, (size_t)b->ncoupling, sizeof *r->law);
    if (!r->law) {
        return lwi_build_no_memory(b);
    }
    for (int c = 0; c < b->ncoupling; ++c) {
        const lw_status status = lwi_make_law(b, b->coupling[c].def, &r->law[c]);
        if (status != LW_OK) {
            return status;
        }
    }
    const size_t n = (size_t)r->step.ntarget, rows = (size_t)r->nrow;
    r->matrix = lwi_arena_take(b->arena, rows * (size_t)r->ncolumn, sizeof *r->matrix);
    r->residual = lwi_arena_take(b->arena, rows, sizeof *r->residual);
    r->normal = lwi_arena_take(b->arena, n * n, sizeof *r->normal);
    r->slope = lwi_arena_take(b->arena, n, sizeof *r->slope);
    r->q = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *r->q);
    r->moved = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *r->moved);
    if (!r->matrix || !r->residual || !r->normal || !r->slope || !r->q || !r->moved) {
        return lwi_build_no_memory(b);
    }
    return lwi_make_loop_work(b, 1, 0, &r->work);
}

double lwi_gear_unit(const lwi_build *b, const lwi_built_gear *gear)
{
    double unit = 0.0;
    for (int k = 0; k < gear->ndof; ++k) {
        unit = fmax(unit, fabs(gear->share[k]) * b->unit[gear->dof[k]]);
    }
    return unit > 0.0 ? unit : 1.0;
}

// Residuals at q, and the sum of their squares.
static double measure(const lwi_build *b, approximate *r, const double *q)
{
    int row = 0;
    for (int k = 0; k < b->nloop; ++k) {
        const lwi_loop *loop = &b->loop[k].loop;
        lwi_loop_residual(&b->draft, loop, q, &r->residual[row]);
        for (int i = 0; i < loop->nrow; ++i) {
            r->residual[row++] /= loop->unit[i];
        }
    }
    for (int g = 0; g < b->ngear; ++g, ++row) {
        r->residual[row] = 0.0;
        for (int k = 0; k < b->gear[g].ndof; ++k) {
            const int at = lwi_q_of_v(b, b->gear[g].dof[k]);
            r->residual[row] += b->gear[g].share[k] * (q[at] - b->tree_q_reference[at]);
        }
        r->residual[row] /= lwi_gear_unit(b, &b->gear[g]);
    }
    for (int c = 0; c < b->ncoupling; ++c, ++row) {
        double f[4];
        lwi_law_at(&r->law[c], q[lwi_q_of_v(b, b->coupling[c].source)], f);
        r->residual[row] = q[lwi_q_of_v(b, b->coupling[c].target)] - f[0];
        r->residual[row] /= b->unit[b->coupling[c].target];
    }
    double sum = 0.0;
    for (int k = 0; k < row; ++k) {
        sum += r->residual[k] * r->residual[k];
    }
    return sum;
}

// The matrix at q, with rows and columns over their units. Couplings pull on their targets only,
// which is enough to end where they hold.
static void fill(const lwi_build *b, approximate *r, const double *q)
{
    memset(r->matrix, 0, (size_t)r->nrow * (size_t)r->ncolumn * sizeof *r->matrix);
    int row = 0;
    for (int k = 0; k < b->nloop; ++k) {
        const lwi_loop *loop = &b->loop[k].loop;
        lwi_loop_matrix(&b->draft, loop, &r->work, q, r->matrix + row * r->ncolumn, r->ncolumn);
        for (int i = 0; i < loop->nrow; ++i, ++row) {
            for (int c = 0; c < r->step.ntarget; ++c) {
                r->matrix[row * r->ncolumn + c] *= b->unit[r->step.target[c]] / loop->unit[i];
            }
        }
    }
    for (int g = 0; g < b->ngear; ++g, ++row) {
        for (int k = 0; k < b->gear[g].ndof; ++k) {
            const int v = b->gear[g].dof[k];
            r->matrix[row * r->ncolumn + r->column[v]] +=
                b->gear[g].share[k] * b->unit[v] / lwi_gear_unit(b, &b->gear[g]);
        }
    }
    for (int c = 0; c < b->ncoupling; ++c, ++row) {
        r->matrix[row * r->ncolumn + r->column[b->coupling[c].target]] = 1.0;
    }
}

// Moves r->q to where the conditions hold as well as they can; returns the sum of their squares.
static double improve(const lwi_build *b, approximate *r)
{
    enum { MOST_ITERATIONS = 100 };
    double size = measure(b, r, r->q), damping = 1e-3;
    for (int i = 0; i < MOST_ITERATIONS && size > closed && damping < 1e6; ++i) {
        measure(b, r, r->q);
        fill(b, r, r->q);
        if (!lwi_damped_step(r->nrow, r->step.ntarget, r->ncolumn, r->matrix, r->residual, 1,
                             damping, r->normal, r->slope)) {
            damping *= 10.0;
            continue;
        }
        for (int t = 0; t < r->step.ntarget; ++t) {
            r->slope[t] *= b->unit[r->step.target[t]];
        }
        lwi_move_targets(&b->draft, &r->step, r->slope, 1, 1.0, r->q, r->moved);
        const double next = measure(b, r, r->moved);
        if (next < size) {
            lwi_copy_targets(&b->draft, &r->step, r->moved, r->q);
            size = next;
            damping = fmax(0.1 * damping, 1e-14);
        } else {
            damping *= 10.0;
        }
    }
    return size;
}

static void note_open_loop(lwi_build *b, const double *q)
{
    for (int k = 0; k < b->nloop; ++k) {
        double row[LWI_MOST_ROWS];
        const double gap = lwi_loop_residual(&b->draft, &b->loop[k].loop, q, row);
        if (gap > b->open_gap) {
            b->open_loop = k;
            b->open_gap = gap;
        }
    }
}

// Moves the joints of all loops a little from where these are closed, closes them again, and keeps
// what comes of it. A fixed sequence, so that the same description always gives the same choice.
static lw_status close_nearby(lwi_build *b, approximate *r, unsigned long long *state)
{
    const double reach = 0.05; // rad, or a share of the loop's size
    const size_t nq = (size_t)b->tree_nq;
    double *q = lwi_arena_take(b->arena, nq, sizeof *q);
    if (!q) {
        return lwi_build_no_memory(b);
    }
    memcpy(q, b->rank_q, nq * sizeof *q);
    for (int k = 0; k < b->nloop; ++k) {
        for (int i = 0; i < b->loop[k].ndof; ++i) {
            const int v = b->loop[k].dof[i], at = lwi_q_of_v(b, v);
            *state = *state * 6364136223846793005u + 1442695040888963407u;
            const double share = (double)(*state >> 33) / 1073741824.0 - 1.0; // in [-1, 1)
            if (at >= 0) {
                q[at] = b->rank_q[at] + reach * share * b->unit[v];
            }
        }
    }
    r->q = q;
    memcpy(r->moved, q, nq * sizeof *q);
    if (improve(b, r) < good_enough) {
        b->near_q[b->nnear++] = q;
    }
    return LW_OK;
}

lw_status lwi_close_approximately(lwi_build *b)
{
    enum { MOST_DOFS = 300, MOST_NEARBY = 100 };
    b->rank_q = b->tree_q_reference;
    b->open_loop = -1;
    if (b->nloop == 0) {
        return LW_OK;
    }
    // Where the marked degrees of freedom cannot do it, too few may be marked: then all move.
    for (int round = 0; round < 2; ++round) {
        approximate r = {0};
        lw_status status = choose_dofs(b, round == 1, &r);
        if (status != LW_OK || r.step.ntarget == 0 || r.step.ntarget > MOST_DOFS) {
            return status;
        }
        status = make_approximate(b, &r);
        if (status != LW_OK) {
            return status;
        }
        memcpy(r.q, b->tree_q_reference, (size_t)b->tree_nq * sizeof *r.q);
        memcpy(r.moved, r.q, (size_t)b->tree_nq * sizeof *r.q);
        if (improve(b, &r) < good_enough) {
            b->rank_q = r.q;
            b->may_give_way = r.has_no_marks;
            unsigned long long state = 1;
            for (int k = 0; k < LWI_MOST_NEAR && r.step.ntarget < MOST_NEARBY && status == LW_OK;
                 ++k) {
                status = close_nearby(b, &r, &state);
            }
            return status;
        }
        if (round == 1) {
            note_open_loop(b, r.q);
        }
    }
    return LW_OK;
}
