// Newton's method on the poses of loops, for blocks of conditions without a closed form: quadratic
// near a solution, bounded, and faithful to its branch.
//
// A solution belongs to the branch that the start is on where the steps contract: each at most half
// of the one before (the bound of Newton and Kantorovich, as Deuflhard tests it along paths). Where
// they do not, the sources go the straight way from where the block was closed last in pieces, each
// half as long as one that failed and half as long again as one that did not. A dead centre bars
// the way, because the pieces shrink to nothing before it. Beyond it lies the branch that meets
// this one there, and where steps have contracted to that one from afar the determinant tells,
// whose sign differs. At a dead centre, and where a start is poor by nature as in a compile, damped
// least squares (Levenberg 1944, Marquardt 1963) find how near the ends of the loops come.
#include "loop.h"

#include "../math/damped.h"
#include "../math/quaternion.h"
#include "joint.h"
#include "loop_parts.h"

#include <string.h>

// Sums of residuals over what each is judged against: as small as they need to get, and small
// enough where rounding allows no less.
static const double closed = 1e-14, good_enough = 1e-11;

enum { TO_JUDGE = 40 }; ///< iterations

typedef enum outcome { CLOSED, FAR, SPENT } outcome;

typedef struct block {
    const lw_model *m;
    const lwi_program *program;
    const lwi_step *step;
    const lwi_loop_work *work;
    int ncolumn;
    int left, used; ///< iterations
    int side;       ///< sign of the determinant in the last iteration; 0 where it has none
    double stride;  ///< first change of the last contraction
} block;

// Residuals at q into the last column of the matrix, unless it is null; and their size.
static double residuals(const block *b, const double *q, double *matrix)
{
    const lwi_step *step = b->step;
    double sum = 0.0, row[LWI_MOST_ROWS];
    int at = 0;
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &b->program->loop[step->loop[k]];
        lwi_loop_residual(b->m, loop, q, row);
        for (int r = 0; r < loop->nrow; ++r, ++at) {
            if (matrix) {
                matrix[at * b->ncolumn + b->ncolumn - 1] = row[r];
            }
        }
        const double misfit = lwi_loop_misfit(loop, row);
        sum += misfit * misfit;
    }
    for (int g = 0; g < step->ngear; ++g, ++at) {
        const double *share = &step->gear_row[g * b->ncolumn];
        double own = share[b->ncolumn - 1];
        for (int c = 0; c < b->ncolumn - 1; ++c) {
            const int k = c - step->ntarget;
            if (share[c] != 0.0) { // else perhaps of a quaternion
                own += share[c] * q[k < 0 ? step->target_q[c] : step->source_q[k]];
            }
        }
        sum += (own / step->gear_unit[g]) * (own / step->gear_unit[g]);
        if (matrix) {
            matrix[at * b->ncolumn + b->ncolumn - 1] = own;
        }
    }
    return sqrt(sum);
}

void lwi_move_targets(const lw_model *m, const lwi_step *step, const double *changes, int apart,
                      double share, const double *q, double *moved)
{
    for (int t = 0; t < step->ntarget;) {
        const double *change = &changes[t * apart];
        if (step->target_q[t] >= 0) {
            moved[step->target_q[t]] = q[step->target_q[t]] + share * change[0];
            ++t;
            continue;
        }
        const lwi_body *body = &m->kernel->body[step->target_body[t]];
        double v[LW_MAX_FREEDOM];
        for (int k = 0; k < body->nv; ++k) {
            v[k] = share * change[k * apart];
        }
        const lw_vec3 w = {v[0], v[1], v[2]};
        if (body->carrier == LW_TREE_FREE) {
            quat_move_free(q + body->q, w, lw_vec3_of(v[3], v[4], v[5]), moved + body->q);
        } else {
            quat_move(q + body->q, w, moved + body->q);
        }
        t += body->nv;
    }
}

static int position_count(const lwi_body *body)
{
    return body->carrier == LW_TREE_FREE ? 7 : body->carrier == LW_TREE_SPHERICAL ? 4 : body->nv;
}

void lwi_copy_targets(const lw_model *m, const lwi_step *step, const double *from, double *to)
{
    for (int t = 0; t < step->ntarget; ++t) {
        const lwi_body *body = &m->kernel->body[step->target_body[t]];
        if (step->target_q[t] >= 0) {
            to[step->target_q[t]] = from[step->target_q[t]];
        } else {
            memcpy(to + body->q, from + body->q, (size_t)position_count(body) * sizeof *to);
        }
    }
}

// Solves the matrix for the targets, where it can be, and tells the sign of its determinant: 0
// where it has none, as with more conditions than targets.
static bool eliminate(const block *b, double least, int *side)
{
    bool is_odd = false;
    const bool is_there = lwi_step_eliminate(b->step, b->work, least, &is_odd) < 0;
    *side = !is_there || b->step->nrow != b->step->ntarget ? 0 : is_odd ? -1 : 1;
    return is_there;
}

// The change of the targets by Newton's method at q, into the last column of the matrix; false
// where there is none.
static bool newton_change(block *b, const double *q)
{
    --b->left;
    ++b->used;
    lwi_step_matrix(b->m, b->program, b->step, b->work, q, NULL);
    residuals(b, q, b->work->matrix);
    return eliminate(b, LWI_NO_PIVOT, &b->side);
}

static double size_of_change(const block *b)
{
    double sum = 0.0;
    for (int t = 0; t < b->step->ntarget; ++t) {
        const double x = b->work->matrix[t * b->ncolumn + b->ncolumn - 1] / b->step->target_unit[t];
        sum += x * x;
    }
    return sqrt(sum);
}

// Whole steps from the targets in q, as long as each is at most half of the one before. The
// first is half a radian or half the size of the loop at most: beyond, two steps that contract say
// nothing about what lies in between.
static outcome contract(block *b, double *q, double enough)
{
    const double longest = 0.5;
    double size = residuals(b, q, NULL), before = 0.0;
    memcpy(b->work->candidate, q, (size_t)b->m->tree_nq * sizeof *q);
    b->side = 0;
    b->stride = 0.0;
    for (int k = 0; size > enough; ++k) {
        if (b->left <= 0) {
            return size <= good_enough ? CLOSED : SPENT;
        }
        if (!newton_change(b, q)) {
            return FAR;
        }
        const double change = size_of_change(b);
        b->stride = k > 0 ? b->stride : change;
        if (!(change <= (k > 0 ? 0.5 * before : longest)) && size > good_enough) {
            return FAR;
        }
        const double *changes = b->work->matrix + b->ncolumn - 1;
        lwi_move_targets(b->m, b->step, changes, b->ncolumn, 1.0, q, b->work->candidate);
        const double next = residuals(b, b->work->candidate, NULL);
        if (!(next < size)) {
            return size <= good_enough ? CLOSED : FAR;
        }
        lwi_copy_targets(b->m, b->step, b->work->candidate, q);
        before = change;
        size = next;
    }
    return CLOSED;
}

// The damped step from the matrix and the residuals at q into work->damped. Rows and columns are
// put over their units, so that damping means the same for a mechanism of any size.
static bool damped_change(const block *b, double damping, double **change)
{
    const int n = b->step->ntarget, last = b->ncolumn - 1;
    double *x = b->work->damped, *N = x + n, *J = b->work->matrix;
    for (int k = 0, at = 0; k < b->step->nloop; ++k) {
        const lwi_loop *loop = &b->program->loop[b->step->loop[k]];
        for (int r = 0; r < loop->nrow; ++r, ++at) {
            for (int c = 0; c <= last; ++c) {
                J[at * b->ncolumn + c] /= loop->unit[r];
            }
        }
    }
    for (int t = 0; t < n; ++t) {
        for (int r = 0; r < b->step->nrow; ++r) {
            J[r * b->ncolumn + t] *= b->step->target_unit[t];
        }
    }
    *change = x;
    const bool is_there =
        lwi_damped_step(b->step->nrow, n, b->ncolumn, J, J + last, b->ncolumn, damping, N, x);
    for (int t = 0; t < n && is_there; ++t) {
        x[t] *= b->step->target_unit[t];
    }
    return is_there;
}

// Damping of steps that do not bring the ends nearer, as a share of the matrix: it begins at
// FIRST_DAMPING, grows and shrinks by tens, is given up as none below LEAST_DAMPING, and beyond
// MOST_DAMPING steps are too short to lead anywhere. Below SLOW_DAMPING it shrinks in any case.
#define FIRST_DAMPING 1e-4
#define SLOW_DAMPING 1e-9
#define LEAST_DAMPING 1e-12
#define MOST_DAMPING 1e6

// Newton's method as long as it brings the ends nearer, and damped steps where it does not. Leaves
// the best targets in q, and returns the size of their residuals.
static double approach(block *b, double *q)
{
    double size = residuals(b, q, NULL), damping = 0.0;
    memcpy(b->work->candidate, q, (size_t)b->m->tree_nq * sizeof *q);
    while (size > closed && b->left > 0 && damping < MOST_DAMPING) {
        bool is_there = damping == 0.0 && newton_change(b, q);
        double *change = b->work->matrix + b->ncolumn - 1;
        int apart = b->ncolumn;
        if (damping > 0.0) {
            --b->left;
            ++b->used;
            lwi_step_matrix(b->m, b->program, b->step, b->work, q, NULL);
            residuals(b, q, b->work->matrix);
            is_there = damped_change(b, damping, &change);
            apart = 1;
        }
        double next = size;
        if (is_there) {
            lwi_move_targets(b->m, b->step, change, apart, 1.0, q, b->work->candidate);
            next = residuals(b, b->work->candidate, NULL);
        }
        if (next < size) {
            lwi_copy_targets(b->m, b->step, b->work->candidate, q);
            damping = damping > SLOW_DAMPING && next > 0.5 * size ? damping : 0.1 * damping;
            damping = damping > LEAST_DAMPING ? damping : 0.0;
            size = next;
        } else if (size <= good_enough) {
            break; // as near as rounding allows
        } else {
            damping = damping > 0.0 ? 10.0 * damping : FIRST_DAMPING;
        }
    }
    return size;
}

// The i-th body on both branches of a loop, those of the first one first.
static const lwi_body *body_on_path(const block *b, const lwi_loop *loop, int i)
{
    const int n = loop->npath[0];
    return &b->m->kernel->body[i < n ? loop->path[0][i] : loop->path[1][i - n]];
}

// `at` becomes the share `part` of the way from one configuration to another, for all joints of the
// block's loops; its targets stay.
static void set_between(const block *b, const double *from, const double *to, double part,
                        double *at)
{
    lwi_copy_targets(b->m, b->step, at, b->work->candidate);
    for (int k = 0; k < b->step->nloop; ++k) {
        const lwi_loop *loop = &b->program->loop[b->step->loop[k]];
        for (int i = 0; i < loop->npath[0] + loop->npath[1]; ++i) {
            const lwi_body *body = body_on_path(b, loop, i);
            const int n = position_count(body), turn = n < 4 ? n : n - 4;
            // Quaternions of opposite sign are the same turn, and one is on the short way.
            double sign = 1.0, sum = 0.0;
            for (int j = turn; j < n; ++j) {
                sum += from[body->q + j] * to[body->q + j];
            }
            sign = n >= 4 && sum < 0.0 ? -1.0 : 1.0;
            sum = 0.0;
            for (int j = 0; j < n; ++j) {
                const double start = from[body->q + j];
                const double end = (j < turn ? 1.0 : sign) * to[body->q + j];
                at[body->q + j] = start + part * (end - start);
                sum += j < turn ? 0.0 : at[body->q + j] * at[body->q + j];
            }
            for (int j = turn; j < n && n >= 4 && sum > 0.0; ++j) {
                at[body->q + j] /= sqrt(sum);
            }
        }
    }
    for (int k = 0; k < b->step->nsource; ++k) { // those that only gears have
        const int i = b->step->source_q[k];
        if (i >= 0) {
            at[i] = from[i] + part * (to[i] - from[i]);
        }
    }
    lwi_copy_targets(b->m, b->step, b->work->candidate, at);
}

// The side of a dead centre that a closed configuration is on; 0 at one, or where none is told.
static int side_of(const block *b, const double *q)
{
    lwi_step_matrix(b->m, b->program, b->step, b->work, q, NULL);
    int side;
    eliminate(b, LWI_DEAD_BLOCK, &side);
    return side;
}

static void keep_matrix(const block *b, const double *q)
{
    lwi_step_matrix(b->m, b->program, b->step, b->work, q, NULL);
    memcpy(b->work->before, b->work->matrix,
           (size_t)b->step->nrow * (size_t)b->ncolumn * sizeof *b->work->before);
}

// More conditions than targets have no determinant. That of A'B has the same use, for the matrices
// A where a way began and B at q: it is the sum of the products of all determinants that rows of A
// and the same rows of B have (Cauchy and Binet), and so is positive where none changes its sign.
static bool is_on_side(const block *b, const double *q)
{
    const int n = b->step->ntarget;
    double *N = b->work->damped;
    lwi_step_matrix(b->m, b->program, b->step, b->work, q, NULL);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            N[i * n + j] = 0.0;
            for (int r = 0; r < b->step->nrow; ++r) {
                N[i * n + j] +=
                    b->work->before[r * b->ncolumn + i] * b->work->matrix[r * b->ncolumn + j];
            }
        }
    }
    bool is_odd = false;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = fabs(N[i * n + k]) > fabs(N[pivot * n + k]) ? i : pivot;
        }
        const double head = N[pivot * n + k];
        if (head == 0.0) {
            return true; // nothing is told
        }
        is_odd ^= (head < 0.0) != (pivot != k);
        for (int j = k; j < n; ++j) {
            const double swapped = N[pivot * n + j];
            N[pivot * n + j] = N[k * n + j];
            N[k * n + j] = swapped;
        }
        for (int i = k + 1; i < n; ++i) {
            const double share = N[i * n + k] / head;
            for (int j = k; j < n; ++j) {
                N[i * n + j] -= share * N[k * n + j];
            }
        }
    }
    return !is_odd;
}

// How far the joints of the block's loops are from one configuration to another. Of quaternions,
// where the opposite sign is the same turn, it is how far a plain difference goes.
static double way_between(const block *b, const double *from, const double *to)
{
    double way = 0.0;
    for (int k = 0; k < b->step->nloop; ++k) {
        const lwi_loop *loop = &b->program->loop[b->step->loop[k]];
        for (int i = 0; i < loop->npath[0] + loop->npath[1]; ++i) {
            const lwi_body *body = body_on_path(b, loop, i);
            const int slides = body->carrier == LW_TREE_PRISMATIC ? 1
                               : body->carrier == LW_TREE_FREE    ? 3
                                                                  : 0;
            for (int j = 0; j < position_count(body); ++j) {
                const double unit = j < slides ? loop->size : 1.0;
                way = fmax(way, fabs(to[body->q + j] - from[body->q + j]) / unit);
            }
        }
    }
    for (int k = 0; k < b->step->nsource; ++k) {
        const int i = b->step->source_q[k];
        way = i >= 0 ? fmax(way, fabs(to[i] - from[i])) : way;
    }
    return way;
}

// From a closed configuration to the sources of q, straight.
static outcome follow(block *b, const double *from, double *q)
{
    // Where all move less than `near`, as from one millisecond to the next, the targets stay on
    // their side.
    const double shortest = 1e-11, roughly = 1e-11, near = 0.01;
    double *at = b->work->between, done = 0.0, piece = 1.0;
    int side = 0;
    const bool is_over = b->step->nrow > b->step->ntarget;
    bool is_watched = false;
    lwi_copy_targets(b->m, b->step, from, q);
    const bool is_long = way_between(b, from, q) > near;
    while (done < 1.0) {
        const double to = fmin(1.0, done + piece);
        memcpy(at, q, (size_t)b->m->tree_nq * sizeof *at);
        if (to < 1.0) {
            set_between(b, from, q, to, at);
        }
        outcome result = contract(b, at, to < 1.0 ? roughly : closed);
        const int reached = b->side;
        if (side == 0 && result == CLOSED && reached != 0 && (is_long || b->stride > near)) {
            side = side_of(b, from);
        }
        result = result == CLOSED && side * reached < 0 ? FAR : result;
        if (is_over && result == CLOSED && (is_watched || is_long || b->stride > near)) {
            if (!is_watched) {
                keep_matrix(b, from);
            }
            is_watched = true;
            result = is_on_side(b, at) ? CLOSED : FAR;
        }
        if (result == FAR) {
            if (piece < shortest) {
                return FAR;
            }
            piece *= 0.5;
            continue;
        }
        lwi_copy_targets(b->m, b->step, at, q);
        if (result == SPENT) {
            return SPENT;
        }
        side = side != 0 && reached != 0 ? reached : side;
        if (is_over && (is_watched || to < 1.0)) {
            keep_matrix(b, at);
            is_watched = true;
        }
        done = to;
        piece *= 1.5;
    }
    return CLOSED;
}

static bool is_dead(const block *b, const double *q, int *freedom)
{
    lwi_step_matrix(b->m, b->program, b->step, b->work, q, NULL);
    const int culprit = lwi_step_eliminate(b->step, b->work, LWI_DEAD_BLOCK, NULL);
    *freedom = b->step->target[culprit >= 0 ? culprit : 0];
    return culprit >= 0;
}

static void measure_gap(const block *b, const double *q, lwi_closure_fault *fault)
{
    double row[LWI_MOST_ROWS];
    fault->gap = 0.0;
    for (int k = 0; k < b->step->nloop; ++k) {
        const int loop = b->step->loop[k];
        const double own = lwi_loop_residual(b->m, &b->program->loop[loop], q, row);
        fault->loop = own > fault->gap ? loop : fault->loop;
        fault->gap = fmax(fault->gap, own);
    }
}

// No way leads here: is the loop open, at its dead centre, or closed on another branch only?
static lw_status judge(block *b, double *q, lwi_closure_fault *fault)
{
    b->left = b->left < TO_JUDGE ? b->left : TO_JUDGE;
    const double size = approach(b, q);
    if (size > good_enough) {
        measure_gap(b, q, fault);
        return LW_ERR_LOOP_OPEN;
    }
    int freedom;
    if (is_dead(b, q, &freedom)) {
        return LW_OK; // all branches meet: there is nothing to choose
    }
    fault->loop = b->step->loop[0];
    fault->freedom = freedom;
    return LW_ERR_SINGULAR;
}

static lw_status close_in_compile(block *b, double *q, lwi_closure_fault *fault)
{
    if (approach(b, q) <= good_enough) {
        return LW_OK;
    }
    measure_gap(b, q, fault);
    return LW_ERR_LOOP_OPEN;
}

static void remember(const block *b, const double *q)
{
    for (int k = 0; k < b->step->nloop; ++k) {
        const lwi_loop *loop = &b->program->loop[b->step->loop[k]];
        for (int i = 0; i < loop->npath[0] + loop->npath[1]; ++i) {
            const lwi_body *body = body_on_path(b, loop, i);
            memcpy(b->work->last + body->q, q + body->q, (size_t)position_count(body) * sizeof *q);
        }
    }
    for (int k = 0; k < b->step->nsource; ++k) {
        const int i = b->step->source_q[k];
        if (i >= 0) {
            b->work->last[i] = q[i];
        }
    }
}

lw_status lwi_block_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                             const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    enum { IN_COMPILE = 100 };
    block b = {.m = m,
               .program = program,
               .step = step,
               .work = work,
               .ncolumn = step->ntarget + step->nsource + 1};
    if (!work->last) {
        b.left = IN_COMPILE;
        return close_in_compile(&b, q, fault);
    }
    // Half of the iterations for each way, and some to tell what bars them.
    const int most = work->count->most, kept = most > 4 * TO_JUDGE ? TO_JUDGE : 0;
    b.left = kept ? (most - kept) / 2 : most;
    outcome result = follow(&b, work->last, q);
    if (result == FAR || (kept && result == SPENT)) {
        b.left = most - kept - b.used;
        result = follow(&b, m->tree_q_reference, q);
    }
    b.left += kept;
    lw_status status = LW_OK;
    if (result != CLOSED) {
        status = judge(&b, q, fault);
    } else {
        remember(&b, q);
    }
    work->count->used = b.used > work->count->used ? b.used : work->count->used;
    return status;
}
