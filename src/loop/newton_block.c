// Newton's method on the poses of loops, for blocks of conditions without a closed form: quadratic
// near a solution, bounded, and faithful to its branch.
//
// A solution belongs to the branch of the start if a straight motion of the sources leads there
// from a closed configuration. That motion is followed in pieces (continuation; Allgower and Georg
// 1990, chapter 6). A piece is accepted where
//
//   - Newton's method contracts, by the bound of Kantorovich as Deuflhard (2011) estimates it;
//   - the Jacobians at its two ends are at most 1/3 from their mean M, as |M^+ J - I| with the
//     pseudo-inverse of M. While that norm is below 1 between the ends, M^+ F is injective, so that
//     the two ends belong to one branch and no singular configuration is between them. Unlike the
//     sign of a determinant it notices two changes of sign, and needs no square Jacobian;
//   - no joint moves far, so that the Jacobian changes between the ends about in proportion.
//
// A piece that fails is halved. A singular configuration bars the way, because the pieces shrink to
// nothing before it. There, and where a start is poor by nature as in a compile, damped least
// squares (Levenberg 1944, Marquardt 1963) find how near the ends of the loops come.
#include "loop.h"

#include "../math/damped.h"
#include "../math/quaternion.h"
#include "../model/joint.h"
#include "closed_form_loops.h"
#include "torn_block.h"

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
    int left, used;             ///< iterations
    double stride, contraction; ///< of the last contract(): first change, and second over first
    double followed;            ///< fraction of the path
    bool is_again;              ///< of legs: the sources are where they were for the last residuals
    const lwi_step *whole;      ///< the step, where `step` is what it is reduced to
    bool is_there;              ///< the residuals were found last where contract() ended
    bool is_spent;              ///< the path ended because all iterations were used
} block;

// Where the loops are at q, and the size of their residuals.
static double residuals(const block *b, const double *q)
{
    return b->step->legs ? lwi_legs_walk(b->m, b->program, b->step, b->work, q, b->is_again, false)
                         : lwi_step_walk(b->m, b->program, b->step, b->work, q);
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
        const lwi_segment *body = &m->kernel->segment[step->target_body[t]];
        double v[LW_MAX_DOF];
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

// The matrix where the residuals were found last, with these in its last column.
static void fill_there(const block *b)
{
    if (b->step->legs) {
        lwi_legs_matrix(b->program, b->step, b->work);
        return;
    }
    lwi_step_matrix_there(b->m, b->program, b->step, b->work);
    for (int r = 0; r < b->step->nrow; ++r) {
        b->work->matrix[r * b->ncolumn + b->ncolumn - 1] = b->work->residual[r];
    }
}

static void fill_matrix(block *b, const double *q)
{
    if (!b->is_there) {
        b->is_again = false;
        residuals(b, q);
    }
    b->is_there = false; // others ask for elsewhere
    fill_there(b);
}

// The change of the targets by Newton's method where the residuals were found last, into the last
// column of the matrix; false where there is none. Simplified: by the factors of the change before.
static bool newton_change(block *b, bool is_simplified)
{
    --b->left;
    ++b->used;
    if (is_simplified) {
        lwi_step_solve(b->step, b->work, b->work->matrix + b->ncolumn - 1, b->ncolumn);
        return true;
    }
    fill_there(b);
    return lwi_step_eliminate(b->step, b->work, LWI_NO_PIVOT) < 0;
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
// first is half a radian or half the size of the loop at most: beyond, two steps that contract show
// nothing about what lies in between. Ends where residuals are at most `enough`, or a step is at
// most the fraction `part` of the first.
static outcome contract(block *b, double *q, double enough, double part)
{
    // After so short a change the matrix is that of before, to as many digits.
    const double longest = 0.5, alike = 1e-5;
    b->is_again = false;
    double size = residuals(b, q), before = 0.0;
    b->is_again = true;
    b->is_there = true;
    memcpy(b->work->candidate, q, (size_t)b->m->tree_nq * sizeof *q);
    b->stride = 0.0;
    b->contraction = 0.0;
    for (int k = 0; size > enough && (k == 0 || before > part * b->stride); ++k) {
        if (b->left <= 0) {
            return size <= good_enough ? CLOSED : SPENT;
        }
        if (!newton_change(b, k > 0 && before < alike)) {
            return FAR;
        }
        const double change = size_of_change(b);
        b->stride = k > 0 ? b->stride : change;
        b->contraction = k == 1 ? change / b->stride : b->contraction;
        if (!(change <= (k > 0 ? 0.5 * before : longest)) && size > good_enough) {
            return FAR;
        }
        const double *changes = b->work->matrix + b->ncolumn - 1;
        lwi_move_targets(b->m, b->step, changes, b->ncolumn, 1.0, q, b->work->candidate);
        const double next = residuals(b, b->work->candidate);
        if (!(next < size)) {
            b->is_there = false;
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
        const lwi_legs *legs = b->step->legs;
        for (int r = 0; r < (legs ? 1 : loop->nrow); ++r, ++at) {
            for (int c = 0; c <= last; ++c) {
                J[at * b->ncolumn + c] /= legs ? legs->leg[k].unit : loop->unit[r];
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
    b->is_again = false;
    b->is_there = false;
    double size = residuals(b, q), damping = 0.0;
    memcpy(b->work->candidate, q, (size_t)b->m->tree_nq * sizeof *q);
    while (size > closed && b->left > 0 && damping < MOST_DAMPING) {
        residuals(b, q); // a change may not have been accepted
        bool is_there = damping == 0.0 && newton_change(b, false);
        double *change = b->work->matrix + b->ncolumn - 1;
        int apart = b->ncolumn;
        if (damping > 0.0) {
            --b->left;
            ++b->used;
            fill_there(b);
            is_there = damped_change(b, damping, &change);
            apart = 1;
        }
        double next = size;
        if (is_there) {
            lwi_move_targets(b->m, b->step, change, apart, 1.0, q, b->work->candidate);
            next = residuals(b, b->work->candidate);
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

// `at` becomes the share `part` of the way from one configuration to another, for all joints of the
// block's loops; its targets stay.
static void set_between(const block *b, const double *from, const double *to, double part,
                        double *at)
{
    lwi_copy_targets(b->m, b->step, at, b->work->candidate);
    for (int k = 0; k < b->step->nloop; ++k) {
        const lwi_loop *loop = &b->program->loop[b->step->loop[k]];
        for (int i = 0; i < loop->npath[0] + loop->npath[1]; ++i) {
            const lwi_segment *body = lwi_body_on_path(b->m, loop, i);
            const int n = lwi_position_count(body), first = n < 4 ? n : n - 4;
            // Quaternions of opposite sign are the same rotation, and one is on the short way.
            double sign = 1.0, sum = 0.0;
            for (int j = first; j < n; ++j) {
                sum += from[body->q + j] * to[body->q + j];
            }
            sign = n >= 4 && sum < 0.0 ? -1.0 : 1.0;
            sum = 0.0;
            for (int j = 0; j < n; ++j) {
                const double start = from[body->q + j];
                const double end = (j < first ? 1.0 : sign) * to[body->q + j];
                at[body->q + j] = start + part * (end - start);
                sum += j < first ? 0.0 : at[body->q + j] * at[body->q + j];
            }
            for (int j = first; j < n && n >= 4 && sum > 0.0; ++j) {
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

// Keeps the Jacobian in the matrix, with slides by the size of their loop and each row over its
// scale: that of a gear is its norm.
static void keep_jacobian(const block *b)
{
    const int n = b->step->ntarget, nrow = b->step->nrow, ncolumn = b->ncolumn;
    double *J = b->work->before, *scale = J + nrow * ncolumn;
    memcpy(J, b->work->matrix, (size_t)nrow * (size_t)(ncolumn + 1) * sizeof *J);
    for (int r = 0; r < nrow; ++r) {
        double *row = J + r * ncolumn;
        for (int c = 0; c < n; ++c) {
            row[c] *= b->step->target_unit[c];
        }
        const double own = r < nrow - b->step->ngear ? scale[r] : sqrt(lwi_dot(n, row, row));
        scale[r] = own > 0.0 ? 1.0 / own : 1.0;
        for (int c = 0; c < n; ++c) {
            row[c] *= scale[r];
        }
    }
}

// Puts the mean M of the kept Jacobian J0 and of J, that in the matrix, in the place of J0; or with
// `is_back` J0 there again.
static void take_mean(const block *b, bool is_back)
{
    const int n = b->step->ntarget, nrow = b->step->nrow, ncolumn = b->ncolumn;
    double *J0 = b->work->before;
    const double *J = b->work->matrix, *scale = J0 + nrow * ncolumn, *unit = b->step->target_unit;
    for (int r = 0; r < nrow; ++r) {
        for (int c = 0; c < n; ++c) {
            const double other = unit[c] * scale[r] * J[r * ncolumn + c];
            double *own = &J0[r * ncolumn + c];
            *own = is_back ? 2.0 * *own - other : 0.5 * (*own + other);
        }
    }
}

// |M^+ J - I| for the mean M and J in the matrix (Frobenius norm). The columns of M have length 1
// in it, so that units do not matter. Infinite where M is singular.
static double change_from_mean(const block *b)
{
    const int n = b->step->ntarget, nrow = b->step->nrow, ncolumn = b->ncolumn;
    const double *M = b->work->before, *J = b->work->matrix, *scale = M + nrow * ncolumn;
    const double *unit = b->step->target_unit;
    double *x = b->work->damped, *N = x + n, sum = 0.0;
    if (!lwi_damped_factor(nrow, n, ncolumn, M, 0.0, N)) {
        return (double)INFINITY;
    }
    double *square = N; // of each column of M; above the diagonal nothing is read
    for (int i = n - 1; i >= 0; --i) {
        square[i] = i > 0 ? lwi_dot(i + 1, N + i * n, N + i * n) : N[0];
    }
    for (int j = 0; j < n; ++j) {
        const double own = j > 0 ? square[j] : N[0] * N[0], pivot = N[j * n + j];
        if (!(pivot * pivot > LWI_SINGULAR_SINE_BLOCK * LWI_SINGULAR_SINE_BLOCK * own)) {
            return (double)INFINITY;
        }
        memset(x, 0, (size_t)n * sizeof *x);
        for (int r = 0; r < nrow; ++r) {
            const double *row = M + r * ncolumn;
            const double entry = unit[j] * scale[r] * J[r * ncolumn + j] - row[j];
            for (int i = 0; i < n; ++i) {
                x[i] += row[i] * entry;
            }
        }
        lwi_damped_solve(n, N, x);
        for (int i = 0; i < n; ++i) {
            sum += x[i] * x[i] * (i > 0 ? square[i] : N[0] * N[0]) / own;
        }
    }
    return sqrt(sum);
}

// The same from the kept Jacobian to that at q: the two are as far from their mean.
static double jacobian_change(block *b, const double *q)
{
    fill_matrix(b, q);
    take_mean(b, false);
    const double change = change_from_mean(b);
    take_mean(b, true);
    return change;
}

// How far the sources of the block are from one configuration to another; its targets are where
// they were. Of quaternions, where the opposite sign is the same rotation, it is how far a plain
// difference goes.
static double way_between(const block *b, const double *from, const double *to)
{
    const lwi_step *step = b->whole;
    double way = 0.0;
    bool is_plain = true;
    for (int k = 0; k < step->nsource; ++k) {
        const int i = step->source_q[k];
        const double unit = fmin(1.0, step->source_unit[k]);
        way = i >= 0 ? fmax(way, fabs(to[i] - from[i]) / unit) : way;
        is_plain &= i >= 0;
    }
    for (int k = 0; k < step->nspan && !is_plain; ++k) {
        for (int i = step->span[2 * k]; i < step->span[2 * k] + step->span[2 * k + 1]; ++i) {
            way = fmax(way, fabs(to[i] - from[i]));
        }
    }
    return way;
}

// From the last closed configuration to the sources of q, straight.
static outcome follow(block *b, double *q)
{
    // Where all move less than `near`, as from one millisecond to the next, and Newton's method
    // contracts at once, the targets stay on their branch. Else no source moves further than
    // `reach` in a piece.
    const double shortest = 1e-9, near = 0.01, at_once = 0.125, reach = 0.4;
    const double alike = 1.0 / 3.0, wanted = 0.25; // change of the Jacobian in a piece
    const double often = 0.4;                      // first change of the targets
    const double roughly = 0.1;                    // last change over the first, where a piece ends
    const double *from = b->work->from;
    double *at = b->work->between, piece = 1.0;
    lwi_copy_targets(b->m, b->step, from, q);
    const double way = way_between(b, from, q), longest = fmin(1.0, reach / way);
    bool is_short = way <= near;
    if (!is_short) {
        piece = longest;
        fill_matrix(b, from);
        keep_jacobian(b);
    }
    while (b->followed < 1.0) {
        const double to = fmin(1.0, b->followed + piece);
        memcpy(at, q, (size_t)b->m->tree_nq * sizeof *at);
        if (to < 1.0) {
            set_between(b, from, q, to, at);
        }
        outcome result = contract(b, at, closed, to < 1.0 ? roughly : 0.0);
        if (is_short && (result == FAR || b->stride > near || b->contraction > at_once)) {
            is_short = false;
            b->is_there = false;
            fill_matrix(b, from);
            keep_jacobian(b);
        }
        if (result == SPENT) {
            lwi_copy_targets(b->m, b->step, at, q);
            return SPENT;
        }
        const double change = result == FAR ? 2.0 * wanted
                              : is_short    ? 0.0
                                            : jacobian_change(b, at);
        if (change <= alike) {
            lwi_copy_targets(b->m, b->step, at, q);
            b->followed = to;
            if (to < 1.0) {
                keep_jacobian(b);
            }
        } else if (piece < shortest) {
            return FAR;
        }
        // Both are about in proportion to the piece.
        const double factor = fmin(wanted / change, often / b->stride);
        piece = fmin(longest, piece * fmin(2.0, fmax(0.1, factor)));
    }
    return CLOSED;
}

static bool is_singular(block *b, const double *q, int *dof)
{
    fill_matrix(b, q);
    const int singular_dof = lwi_step_eliminate(b->step, b->work, LWI_SINGULAR_SINE_BLOCK);
    *dof = b->step->target[singular_dof >= 0 ? singular_dof : 0];
    return singular_dof >= 0;
}

// Which loop stays open, and how far its ends are apart: the one with the widest gap.
static void measure_gap(const block *b, const double *q, lwi_closure_fault *fault)
{
    double row[LWI_MOST_ROWS];
    fault->gap = 0.0;
    if (b->step->legs) {
        lwi_legs_walk(b->m, b->program, b->step, b->work, q, false, false);
        lwi_legs_gap(b->step, b->work, fault);
        return;
    }
    for (int k = 0; k < b->step->nloop; ++k) {
        const int loop = b->step->loop[k];
        const double own = lwi_loop_residual(b->m, &b->program->loop[loop], q, row);
        fault->loop = own > fault->gap ? loop : fault->loop;
        fault->gap = fmax(fault->gap, own);
    }
}

// Of legs, which one cannot reach, and by how much. Where they come nearest, the gaps g of all legs
// balance each other, as forces in springs along them would: the widest may be that of a neighbour.
// The sources have moved since the block was closed last, and what they do to leg k, a change of
// its gap by c, asks for g_k c of work; the leg of which most is asked is the one to blame. It
// could follow a part of that change, and misses its length by the rest.
static void blame_leg(const block *b, const double *q, lwi_closure_fault *fault)
{
    const lwi_legs *legs = b->step->legs;
    const lwi_leg_state *s = &b->work->leg[legs->first_leg];
    double gap[LWI_MOST_LEGS], most = 0.0, *then = b->work->between;
    measure_gap(b, q, fault);
    for (int k = 0; k < legs->nleg; ++k) {
        gap[k] = lw_norm3(s[k].d) - s[k].length;
    }
    memcpy(then, b->work->from, (size_t)b->m->tree_nq * sizeof *then);
    lwi_copy_targets(b->m, b->step, q, then);
    lwi_legs_walk(b->m, b->program, b->step, b->work, then, false, false);
    for (int k = 0; k < legs->nleg; ++k) {
        const double change = gap[k] - (lw_norm3(s[k].d) - s[k].length);
        if (gap[k] * change > most) {
            most = gap[k] * change;
            fault->loop = legs->leg[k].loop;
            fault->gap = (1.0 - b->followed) * fabs(change);
        }
    }
}

// No way leads here: is the loop open, at its singular configuration, or closed on another branch
// only?
static lw_status judge(block *b, double *q, lwi_closure_fault *fault)
{
    b->left = b->left < TO_JUDGE ? b->left : TO_JUDGE;
    const double size = approach(b, q);
    if (size > good_enough) {
        if (b->step->legs && !b->is_spent) { // else more iterations might have led on
            blame_leg(b, q, fault);
        } else {
            measure_gap(b, q, fault);
        }
        return LW_ERR_LOOP_OPEN;
    }
    int dof;
    const double at_end = 1.0 - 1e-6;
    if (is_singular(b, q, &dof) && b->followed > at_end) {
        return LW_OK; // all branches meet: there is nothing to choose
    }
    fault->loop = b->step->loop[0];
    fault->dof = dof;
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

lw_status lwi_block_gap(const lw_model *m, const lwi_program *program, const lwi_step *step,
                        const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    block b = {.m = m,
               .program = program,
               .step = step,
               .whole = step,
               .work = work,
               .ncolumn = step->ntarget + step->nsource + 1,
               .left = TO_JUDGE};
    approach(&b, q);
    measure_gap(&b, q, fault);
    return LW_ERR_LOOP_OPEN;
}

lw_status lwi_block_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                             const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    enum { IN_COMPILE = 100 };
    // Of a reduced step the sources need no columns: they are where they are.
    lwi_step own = step->reduced ? *step->reduced : *step;
    own.nsource = step->reduced ? 0 : step->nsource;
    block b = {.m = m,
               .program = program,
               .step = &own,
               .whole = step,
               .work = work,
               .ncolumn = own.ntarget + own.nsource + 1};
    lw_status status = LW_OK;
    bool is_closed = false;
    if (!work->from) {
        b.left = IN_COMPILE;
        status = close_in_compile(&b, q, fault);
    } else {
        lwi_block_copy_joints(step, work, NULL, work->from);
        if (step->reduced) {
            lwi_copy_targets(m, step, work->from, q);
        }
        // Some of the iterations are kept to find what bars the way.
        const int most = work->count->most, kept = most > 4 * TO_JUDGE ? TO_JUDGE : 0;
        b.left = most - kept;
        const outcome end = follow(&b, q);
        is_closed = end == CLOSED;
        b.is_spent = end == SPENT;
        b.left += kept;
        if (!is_closed) {
            status = judge(&b, q, fault);
            fault->followed = status == LW_OK ? 1.0 : b.followed;
        }
        work->count->used = b.used > work->count->used ? b.used : work->count->used;
    }
    if (status == LW_OK && step->reduced) {
        const double *from = work->from ? work->from : q;
        status = lwi_legs_passive(m, program, step, work, from, q, fault);
    }
    if (status == LW_OK && is_closed) {
        lwi_block_restart(m, step, work, q);
        work->count->walked = b.is_there && !step->reduced ? step : NULL;
    }
    return status;
}
