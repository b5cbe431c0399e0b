// Running a plan: results of each operation, and all combinations of them.
#include "inverse_closure.h"

#include "../loop/closed_form_loops.h"
#include "../loop/law.h"
#include "../math/angle.h"
#include "../math/pi.h"
#include "../model/kernel.h"

#include <math.h>
#include <string.h>

double lwi_inverse_row_value(const lwi_inverse_row *row, const double *tree)
{
    const lwi_step *step = row->step;
    const int ns = step->nsource, t = row->target;
    double y = -tree[step->target_q[t]];
    if (step->kind == LW_STEP_FUNCTION) { // a polynomial of degree one or none
        y += step->coefficient[0];
        return step->ncoefficient > 1 ? y + step->coefficient[1] * tree[step->source_q[0]] : y;
    }
    const double *coefficient = &step->coefficient[t * (1 + ns)];
    y += coefficient[0];
    for (int k = 0; k < ns; ++k) {
        y += coefficient[1 + k] * tree[step->source_q[k]];
    }
    return y;
}

static void solve_rows(lwi_operation *o, double *tree)
{
    double value[LWI_INVERSE_ROWS];
    for (int i = 0; i < o->ntarget; ++i) {
        tree[o->target[i]] = 0.0;
    }
    for (int i = 0; i < o->ntarget; ++i) {
        value[i] = lwi_inverse_row_value(&o->row[i], tree);
    }
    for (int i = 0; i < o->ntarget; ++i) {
        double sum = 0.0;
        for (int k = 0; k < o->ntarget; ++k) {
            sum -= o->inverse[i * o->ntarget + k] * value[k];
        }
        o->result[0][i] = sum;
    }
    o->count = 1;
    o->label[0] = 0;
}

// The zero of f(x) - y between two places where it has different signs, by bisection with a step of
// Newton's method wherever that stays between.
static double root_between(const lwi_step *step, double y, double low, double high, bool rises)
{
    double x = 0.5 * (low + high), f[4];
    for (int i = 0; i < 64 && high - low > 1e-15 * (fabs(low) + fabs(high)); ++i) {
        lwi_law_at(step, x, f);
        const double r = f[0] - y;
        if ((r > 0.0) == rises) {
            high = x;
        } else {
            low = x;
        }
        const double next = x - r / f[1];
        const bool is_between = next > low && next < high;
        if (is_between && fabs(next - x) <= 1e-15 * fabs(x)) {
            return next;
        }
        x = is_between ? next : 0.5 * (low + high);
    }
    return x;
}

// Roots within the limits of the source; without limits, within a turn or a metre on either side of
// the reference.
static void solve_law(const lw_model *m, lwi_operation *o, const double *tree)
{
    enum { PIECES = 64 };
    const lw_dof *dof = &m->dof[o->step->source[0]];
    const double y = tree[o->step->target_q[0]], middle = m->tree_q_reference[o->target[0]];
    const double low = fmax(dof->lower, middle - LWI_TWO_PI);
    const double high = fmin(dof->upper, middle + LWI_TWO_PI);
    double f[4], before = low, value;
    lwi_law_at(o->step, low, f);
    value = f[0] - y;
    o->count = 0;
    for (int i = 1; i <= PIECES && o->count < LWI_LEG_SOLUTIONS; ++i) {
        const double x = low + (high - low) * i / PIECES, was = value;
        lwi_law_at(o->step, x, f);
        value = f[0] - y;
        if (was == 0.0 || (was > 0.0) != (value > 0.0)) {
            o->label[o->count] = o->count;
            o->result[o->count++][0] =
                was == 0.0 ? before : root_between(o->step, y, before, x, value > was);
        }
        before = x;
    }
}

// The end of a side of a loop, in the common body.
static lw_vec3 end_of(const lwi_inverse *inverse, const lwi_loop *loop, int side,
                      const double *tree)
{
    const int n = loop->npath[side];
    if (n == 1 && loop->path[side][0] == inverse->platform) {
        return lw_pose_apply(&inverse->X_PP, loop->X[side].p);
    }
    const lw_pose X = lwi_branch_pose(inverse->model, loop, side, 0, n, tree);
    return lw_pose_apply(&X, loop->X[side].p);
}

static bool is_target(const lwi_operation *o, int position)
{
    for (int i = 0; i < o->ntarget; ++i) {
        if (o->target[i] == position) {
            return true;
        }
    }
    return false;
}

void lwi_inverse_set_leg(const lw_model *m, const lwi_operation *o, const lwi_loop *loop,
                         const double *tree, lwi_leg *leg)
{
    lw_pose X = lw_pose_identity();
    leg->arm.n = 0;
    for (int k = 0; k < loop->npath[o->side]; ++k) {
        const int i = loop->path[o->side][k];
        const bool is_axis = is_target(o, m->q_start[i]);
        const lw_pose step =
            is_axis ? m->X_PJ[i] : lwi_branch_pose(m, loop, o->side, k, k + 1, tree);
        X = lw_pose_mul(&X, &step);
        if (is_axis) {
            leg->arm.slides[leg->arm.n] = m->carrier[i] == LW_TREE_PRISMATIC;
            leg->arm.h[leg->arm.n] = lw_vec3_of(X.R.row[0].z, X.R.row[1].z, X.R.row[2].z);
            leg->arm.c[leg->arm.n++] = X.p;
        }
    }
    leg->end = lw_pose_apply(&X, loop->X[o->side].p);
    leg->length = loop->is_rod ? loop->length : 0.0;
    leg->scale = loop->size;
    lwi_leg_classify(leg);
}

// The angle plus whole turns that is nearest to a reference.
static double near_to(double angle, double reference)
{
    return angle - LWI_TWO_PI * floor((angle - reference) / LWI_TWO_PI + 0.5);
}

// Results that differ in no coordinate that matters would only repeat combinations: the one that is
// nearest to the reference in the others is kept. Returns where a result belongs.
static int place_result(const lw_model *m, const lwi_operation *o, const double *value)
{
    for (int k = 0; k < o->count; ++k) {
        double apart = 0.0, before = 0.0, now = 0.0;
        for (int i = 0; i < o->ntarget; ++i) {
            const double reference = m->tree_q_reference[o->target[i]];
            if (o->matters[i]) {
                apart = fmax(apart, fabs(o->result[k][i] - value[i]));
            } else {
                before = fmax(before, fabs(o->result[k][i] - reference));
                now = fmax(now, fabs(value[i] - reference));
            }
        }
        if (apart <= 1e-9) {
            return now < before ? k : -1;
        }
    }
    return o->count;
}

static void solve_leg(const lwi_inverse *inverse, lwi_operation *o, const double *tree)
{
    const lw_model *m = inverse->model;
    lwi_angle q[LWI_LEG_SOLUTIONS][LWI_LEG_JOINTS];
    if (!o->is_fixed) {
        lwi_inverse_set_leg(m, o, o->loop, tree, &o->leg);
    }
    const lw_vec3 target = end_of(inverse, o->loop, 1 - o->side, tree);
    lw_vec3 other[LWI_COMPANIONS];
    for (int i = 0; i < o->ncompanion; ++i) {
        other[i] = end_of(inverse, o->companion[i].loop, 1 - o->side, tree);
    }
    const int n = lwi_leg_solve(&o->leg, target, q);
    o->count = 0;
    o->gap = (double)INFINITY;
    for (int k = 0; k < n; ++k) {
        double gap = lwi_leg_gap(&o->leg, target, q[k]);
        for (int i = 0; i < o->ncompanion; ++i) {
            const double own = lwi_leg_gap(&o->companion[i].leg, other[i], q[k]);
            gap = own > gap ? own : gap;
        }
        o->gap = gap < o->gap ? gap : o->gap;
        if (!(gap <= inverse->tolerance * o->leg.scale)) {
            continue;
        }
        double value[LWI_LEG_JOINTS];
        for (int i = 0; i < o->ntarget; ++i) {
            value[i] = o->leg.arm.slides[i] ? q[k][i].s
                                            : near_to(lwi_angle_of(q[k][i].s, q[k][i].c),
                                                      m->tree_q_reference[o->target[i]]);
        }
        const int place = place_result(m, o, value);
        if (place >= 0) {
            memcpy(o->result[place], value, (size_t)o->ntarget * sizeof *value);
            o->label[place] = place == o->count ? k : o->label[place];
            o->result_gap[place] = gap;
            o->count += place == o->count;
        }
    }
}

static void solve_operation(const lwi_inverse *inverse, lw_data *d, lwi_operation *o, double *tree)
{
    const lw_model *m = inverse->model;
    lwi_closure_fault fault = LWI_NO_FAULT;
    switch (o->kind) {
    case LWI_SOLVE_ROWS:
        solve_rows(o, tree);
        break;
    case LWI_SOLVE_LAW:
        solve_law(m, o, tree);
        break;
    case LWI_SOLVE_LEG:
        solve_leg(inverse, o, tree);
        break;
    case LWI_SOLVE_FORWARD: {
        const lw_status status =
            lwi_step_position(m, m->kernel->program, o->step, &d->loop_work, tree, &fault);
        o->count = status == LW_OK;
        o->label[0] = 0;
        o->gap = fault.gap;
        for (int i = 0; i < o->ntarget && status == LW_OK; ++i) {
            o->result[0][i] = tree[o->target[i]];
        }
        break;
    }
    case LWI_CHECK_LOOP: {
        double row[LWI_MOST_ROWS];
        o->gap = lwi_loop_residual(m, o->loop, tree, row);
        o->count = o->gap <= inverse->tolerance * o->loop->size;
        o->result_gap[0] = o->gap;
        o->label[0] = 0;
        break;
    }
    }
}

static void write_choice(lwi_inverse *inverse, lwi_operation *o, double *tree)
{
    for (int i = 0; i < o->ntarget; ++i) {
        tree[o->target[i]] = o->result[o->choice][i];
    }
    inverse->stale |= o->before;
}

// The widest gap says what is out of reach.
static void note_open(lwi_inverse *inverse, const lwi_operation *o)
{
    const lwi_loop *loop = o->kind == LWI_SOLVE_FORWARD && o->step->nloop
                               ? &inverse->model->kernel->program->loop[o->step->loop[0]]
                               : o->loop;
    if (loop && (inverse->open < 0 || o->gap > inverse->gap)) {
        inverse->open = (int)(loop - inverse->model->kernel->program->loop);
        inverse->gap = o->gap;
    }
}

// Moves on to the next choice of the last operation before `end` that has one; returns the one
// behind it, or -1.
static int advance(lwi_inverse *inverse, int end, double *tree)
{
    for (int i = end - 1; i >= 0; --i) {
        lwi_operation *o = &inverse->operation[i];
        if (o->choice + 1 < o->count) {
            ++o->choice;
            write_choice(inverse, o, tree);
            return i + 1;
        }
    }
    return -1;
}

void lwi_inverse_begin(lwi_inverse *inverse)
{
    inverse->is_begun = false;
    inverse->stale = ~0ull;
}

bool lwi_inverse_next(lwi_inverse *inverse, lw_data *d, double *tree)
{
    const int n = inverse->noperation;
    int at = inverse->is_begun ? advance(inverse, n, tree) : 0;
    inverse->is_begun = true;
    while (at >= 0 && at < n) {
        lwi_operation *o = &inverse->operation[at];
        const unsigned long long bit = 1ull << at;
        const bool is_solved_anew = inverse->stale & bit;
        if (is_solved_anew) {
            solve_operation(inverse, d, o, tree);
            inverse->stale &= ~bit;
        }
        if (o->count == 0) {
            at = advance(inverse, at, tree);
            continue;
        }
        if (is_solved_anew || o->choice != 0) {
            o->choice = 0;
            write_choice(inverse, o, tree);
        }
        ++at;
    }
    return at >= 0;
}

bool lwi_inverse_find_open(lwi_inverse *inverse, lw_data *d, double *tree)
{
    unsigned long long without = 0; // operations without a result
    inverse->open = -1;
    for (int i = 0; i < inverse->noperation; ++i) {
        lwi_operation *o = &inverse->operation[i];
        const unsigned long long bit = 1ull << i;
        if ((o->after & without) != 0) {
            without |= bit;
            continue;
        }
        solve_operation(inverse, d, o, tree);
        if (o->count == 0) {
            note_open(inverse, o);
            without |= bit;
        } else {
            o->choice = 0;
            write_choice(inverse, o, tree);
        }
    }
    return inverse->open >= 0;
}

double lwi_inverse_gap(const lwi_inverse *inverse)
{
    double gap = 0.0;
    for (int i = 0; i < inverse->noperation; ++i) {
        const lwi_operation *o = &inverse->operation[i];
        const double own = o->result_gap[o->choice];
        gap = own > gap ? own : gap;
    }
    return gap;
}

int lwi_inverse_branch(const lwi_inverse *inverse)
{
    unsigned code = 0;
    for (int i = 0; i < inverse->noperation; ++i) {
        const lwi_operation *o = &inverse->operation[i];
        if (o->kind == LWI_SOLVE_LEG || o->kind == LWI_SOLVE_LAW) {
            code = code * LWI_LEG_SOLUTIONS + (unsigned)o->label[o->choice];
        }
    }
    return (int)(code & 0x7fffffff);
}
