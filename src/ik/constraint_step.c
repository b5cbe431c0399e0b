// The minimum of one level of constraints: damped Gauss-Newton steps (Levenberg 1944, Marquardt
// 1963, with the damping of Chan and Lawrence 1988) within the null space of the levels before it,
// and Newton's method on the Lagrangian where residuals remain. Limits are an active set.
//
// A level that is met holds its rows at zero in those after it. A level that is not is held at its
// stationary points: the rows are then its projected gradient, whose derivatives are second
// derivatives, by differences.
#include "constraint_set.h"

#include "../math/cholesky.h"
#include "../math/row_space.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

static const double longest_step = 1.0; ///< rad or m, of one coordinate in one iteration

static double *row_of(const lw_constraints *set, double *A, int r)
{
    return A + (size_t)r * (size_t)set->n;
}

// y += s * x
static void add_scaled(int n, double s, const double *x, double *y)
{
    for (int k = 0; k < n; ++k) {
        y[k] += s * x[k];
    }
}

// Gradient of half the squares of a level.
static void find_gradient(const lw_constraints *set, const lwi_rows *rows, int level, double *g)
{
    memset(g, 0, (size_t)set->n * sizeof *g);
    for (int r = 0; r < set->nrow; ++r) {
        if (set->row_level[r] == level && rows->e[r] != 0.0) {
            add_scaled(set->n, rows->e[r], row_of(set, rows->A, r), g);
        }
    }
}

static bool is_equality(const lw_constraints *set, int r)
{
    return set->lower[r] == set->upper[r];
}

// --- What holds the levels before -------------------------------------------------------------

static void push_row(lw_constraints *set, int row, const double *C, double c)
{
    lwi_stack *s = &set->stack;
    memcpy(s->C + (size_t)s->n * (size_t)set->n, C, (size_t)set->n * sizeof *C);
    s->row[s->n] = row;
    s->c[s->n++] = c;
}

// Rows of levels before this one that are met: equalities, and those at or beyond a bound.
static void stack_met_rows(lw_constraints *set, const lwi_rows *rows, int level)
{
    for (int r = 0; r < set->nrow; ++r) {
        const int of = set->row_level[r];
        if (of >= level || !set->is_met[of]) {
            continue;
        }
        const double near = set->tolerance, x = rows->value[r];
        if (is_equality(set, r) || x < set->lower[r] + near || x > set->upper[r] - near) {
            push_row(set, r, row_of(set, rows->A, r), rows->e[r]);
        }
    }
}

// Rows that hold the stationary points of a level that is not met.
static void stack_stationary(lw_constraints *set, int of)
{
    const double *H = set->held + (size_t)of * (size_t)set->n * (size_t)(set->n + 1);
    for (int k = 0; k < set->n; ++k) {
        push_row(set, -1, H + (size_t)k * (size_t)(set->n + 1),
                 H[(size_t)k * (size_t)(set->n + 1) + (size_t)set->n]);
    }
}

// An orthonormal basis of the stack over coordinates that are free; dq has the steps of the others.
static void factor_stack(lw_constraints *set)
{
    lwi_stack *s = &set->stack;
    for (int i = 0; i < s->n; ++i) {
        const double *from = s->C + (size_t)i * (size_t)set->n;
        double *to = s->V + (size_t)i * (size_t)set->n;
        for (int k = 0; k < set->n; ++k) {
            to[k] = set->is_fixed[k] ? 0.0 : from[k];
        }
        s->z[i] = -s->c[i] - lwi_dot(set->n, from, set->dq);
    }
    s->rank = lwi_row_space(s->n, set->n, set->has_held ? 1e-6 : 1e-9, s->V, s->z);
}

// Takes the components along the stack and the fixed coordinates out of a vector.
static void project(const lw_constraints *set, double *x)
{
    const lwi_stack *s = &set->stack;
    for (int k = 0; k < set->n; ++k) {
        x[k] = set->is_fixed[k] ? 0.0 : x[k];
    }
    for (int i = 0; i < s->rank; ++i) {
        const double *v = s->V + (size_t)i * (size_t)set->n;
        add_scaled(set->n, -lwi_dot(set->n, v, x), v, x);
    }
}

// Multipliers of the stack: the least squares of g + C' mu over free coordinates.
static void find_multipliers(lw_constraints *set, const double *g)
{
    lwi_stack *s = &set->stack;
    const int n = set->n;
    double trace = 0.0;
    for (int i = 0; i < s->n; ++i) {
        for (int j = i; j < s->n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += set->is_fixed[k] ? 0.0 : s->C[i * n + k] * s->C[j * n + k];
            }
            s->work[i * s->n + j] = sum;
        }
        trace += s->work[i * s->n + i];
    }
    double small = 1e-13 * trace + 1e-300;
    for (int i = 0; i < s->n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum -= set->is_fixed[k] ? 0.0 : s->C[i * n + k] * g[k];
        }
        s->mu[i] = sum;
        s->work[i * s->n + i] += small;
    }
    if (s->n > 0 && lwi_cholesky(s->n, s->work)) {
        lwi_cholesky_solve(s->n, s->work, s->mu);
    } else {
        memset(s->mu, 0, (size_t)s->n * sizeof *s->mu);
    }
}

// Whether a row of the stack at one of two bounds would be left inward by the level.
static bool is_released(const lw_constraints *set, const lwi_rows *rows, int i)
{
    const lwi_stack *s = &set->stack;
    const int r = s->row[i];
    if (r < 0 || is_equality(set, r) || rows->e[r] != 0.0) {
        return false;
    }
    const bool is_upper = rows->value[r] > set->upper[r] - set->tolerance;
    return is_upper ? s->mu[i] < 0.0 : s->mu[i] > 0.0;
}

static void drop_row(lw_constraints *set, int i)
{
    lwi_stack *s = &set->stack;
    const size_t n = (size_t)set->n, after = (size_t)(s->n - i - 1);
    memmove(s->C + (size_t)i * n, s->C + (size_t)(i + 1) * n, after * n * sizeof *s->C);
    memmove(s->c + i, s->c + i + 1, after * sizeof *s->c);
    memmove(s->row + i, s->row + i + 1, after * sizeof *s->row);
    --s->n;
}

// Limits that the level presses against, and the rows that hold levels before it. Three passes
// settle which of them are active in practice; what is left over comes with the next step.
static void find_active_set(lw_constraints *set, const lwi_rows *rows, int level)
{
    lwi_stack *s = &set->stack;
    memcpy(set->is_fixed, set->is_locked, (size_t)set->n * sizeof *set->is_fixed);
    memset(set->dq, 0, (size_t)set->n * sizeof *set->dq);
    s->n = 0;
    if (level > 0) {
        stack_met_rows(set, rows, level);
        for (int of = 0; of < level; ++of) {
            if (!set->is_met[of]) {
                stack_stationary(set, of);
            }
        }
    }
    find_gradient(set, rows, level, set->g);
    for (int pass = 0; pass < 3; ++pass) {
        factor_stack(set);
        find_multipliers(set, set->g);
        memcpy(set->lagrangian, set->g, (size_t)set->n * sizeof *set->g);
        for (int i = 0; i < s->n; ++i) {
            add_scaled(set->n, s->mu[i], s->C + (size_t)i * (size_t)set->n, set->lagrangian);
        }
        bool is_changed = false;
        for (int k = 0; k < set->n; ++k) {
            const double slope = set->lagrangian[k];
            if (!set->is_fixed[k] && ((slope > 0.0 && lwi_at_limit(set, rows, k, -1)) ||
                                      (slope < 0.0 && lwi_at_limit(set, rows, k, 1)))) {
                set->is_fixed[k] = is_changed = true;
            }
        }
        for (int i = s->n - 1; i >= 0; --i) {
            if (is_released(set, rows, i)) {
                drop_row(set, i);
                is_changed = true;
            }
        }
        if (!is_changed) {
            return;
        }
    }
    factor_stack(set);
    find_multipliers(set, set->g);
}

// --- The step ---------------------------------------------------------------------------------

// The rows of the level that count, within the null space of the stack; returns how many. rhs is
// what they lack after the step dq so far.
static int reduce_rows(lw_constraints *set, const lwi_rows *rows, int level)
{
    const int n = set->n;
    int count = 0;
    for (int r = 0; r < set->nrow; ++r) {
        if (set->row_level[r] != level || (!is_equality(set, r) && rows->e[r] == 0.0)) {
            continue;
        }
        const double *A = row_of(set, rows->A, r);
        double *to = row_of(set, set->reduced, count);
        memcpy(to, A, (size_t)n * sizeof *to);
        set->dual[count++] = -rows->e[r] - lwi_dot(n, A, set->dq);
        project(set, to);
    }
    return count;
}

// The least y with |B y - lack|^2 + damping |y|^2 least, by whichever normal equations are smaller.
// Adds it to dq.
static bool damped_step(lw_constraints *set, int count, double damping)
{
    const int n = set->n;
    const double *B = set->reduced;
    double *lack = set->dual, trace = 0.0;
    for (int i = 0; i < count * n; ++i) {
        trace += B[i] * B[i];
    }
    damping = fmax(damping, 1e-14 * trace) + 1e-300;
    if (count > n) {
        lwi_normal_matrix(count, n, B, damping, set->N);
        memset(set->rhs, 0, (size_t)n * sizeof *set->rhs);
        for (int i = 0; i < count; ++i) {
            add_scaled(n, lack[i], B + i * n, set->rhs);
        }
        if (!lwi_cholesky(n, set->N)) {
            return false;
        }
        lwi_cholesky_solve(n, set->N, set->rhs);
        add_scaled(n, 1.0, set->rhs, set->dq);
        return true;
    }
    double *T = set->transposed; // [n*count]
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < n; ++k) {
            T[k * count + i] = B[i * n + k];
        }
    }
    lwi_normal_matrix(n, count, T, damping, set->N);
    if (!lwi_cholesky(count, set->N)) {
        return false;
    }
    lwi_cholesky_solve(count, set->N, lack);
    for (int i = 0; i < count; ++i) {
        add_scaled(n, lack[i], B + i * n, set->dq);
    }
    return true;
}

// Newton's step: (P H P + V'V + fixed + shift) y = -P (g + H dq), with the least shift of a row of
// growing ones that makes the matrix positive definite.
static bool newton_step(lw_constraints *set, double shift)
{
    const lwi_stack *s = &set->stack;
    const int n = set->n;
    double *P = set->reduced_H, size = 0.0;
    memcpy(P, set->H, (size_t)(n * n) * sizeof *P);
    for (int side = 0; side < 2; ++side) { // the matrix is symmetric: rows, then columns as rows
        for (int i = 0; i < n; ++i) {
            project(set, P + i * n);
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                const double a = P[i * n + j];
                P[i * n + j] = P[j * n + i];
                P[j * n + i] = a;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(P[i * n + i]));
        P[i * n + i] += set->is_fixed[i] ? 1.0 : 0.0;
    }
    for (int i = 0; i < s->rank; ++i) {
        const double *v = s->V + (size_t)i * (size_t)n;
        for (int k = 0; k < n; ++k) {
            add_scaled(n, v[k], v, P + k * n);
        }
    }
    for (int i = 0; i < n; ++i) {
        set->rhs[i] = -set->g[i] - lwi_dot(n, set->H + i * n, set->dq);
    }
    project(set, set->rhs);
    shift = fmax(shift, 1e-12 * size);
    for (int attempt = 0; attempt < 12; ++attempt, shift = fmax(10.0 * shift, 1e-6 * size)) {
        memcpy(set->N, P, (size_t)(n * n) * sizeof *P);
        for (int i = 0; i < n; ++i) {
            set->N[i * n + i] += shift + 1e-300;
        }
        if (lwi_cholesky(n, set->N)) {
            lwi_cholesky_solve(n, set->N, set->rhs);
            project(set, set->rhs);
            add_scaled(n, 1.0, set->rhs, set->dq);
            return true;
        }
    }
    return false;
}

// The least step onto the stack.
static void normal_step(lw_constraints *set)
{
    const lwi_stack *s = &set->stack;
    for (int i = 0; i < s->rank; ++i) {
        add_scaled(set->n, s->z[i], s->V + (size_t)i * (size_t)set->n, set->dq);
    }
}

// Coordinates that the step takes beyond a limit go there, and are fixed for another pass.
static bool fix_at_limits(lw_constraints *set, const lwi_rows *rows)
{
    bool is_any = false;
    for (int k = 0; k < set->n; ++k) {
        const int i = set->position[k];
        if (set->is_fixed[k] || i < 0) {
            continue;
        }
        const double to = rows->q[i] + set->dq[k];
        if (to < set->low[k] || to > set->high[k]) {
            set->is_fixed[k] = is_any = true;
        }
    }
    return is_any;
}

// The whole step: onto the stack, then along it; coordinates at a limit are taken out again.
static bool find_step(lw_constraints *set, const lwi_rows *rows, int level, double damping,
                      bool is_newton)
{
    for (int pass = 0; pass < 4; ++pass) {
        for (int k = 0; k < set->n; ++k) { // fixed ones go to the limit that they would have left
            const int i = set->position[k];
            const double to = i < 0 ? 0.0 : rows->q[i] + set->dq[k];
            set->dq[k] = pass == 0 || !set->is_fixed[k] || i < 0
                             ? 0.0
                             : fmax(set->low[k], fmin(set->high[k], to)) - rows->q[i];
        }
        if (pass > 0) {
            factor_stack(set);
        }
        normal_step(set);
        const bool is_found = is_newton ? newton_step(set, damping)
                                        : damped_step(set, reduce_rows(set, rows, level), damping);
        if (!is_found) {
            return false;
        }
        if (!fix_at_limits(set, rows)) {
            break;
        }
    }
    return true;
}

// --- Second derivatives -----------------------------------------------------------------------

// The configuration after a step of the coordinates that move.
static lw_status move(lw_constraints *set, const lwi_rows *from, const double *dq, lwi_rows *to)
{
    const lw_model *m = set->m;
    memset(set->v, 0, (size_t)m->nv * sizeof *set->v);
    for (int k = 0; k < set->n; ++k) {
        set->v[set->column[k]] = dq[k];
    }
    const lw_status status = lw_integrate(m, from->q, set->v, 1.0, to->q);
    for (int k = 0; k < set->n && status == LW_OK; ++k) {
        const int i = set->position[k];
        if (i >= 0) {
            to->q[i] = fmax(set->low[k], fmin(set->high[k], to->q[i]));
        }
    }
    return status == LW_OK ? lwi_constraints_evaluate(set, to, to->q) : status;
}

// Derivatives of the Lagrangian's gradient by differences, its multipliers held. Near a limit the
// difference is taken inward.
static bool find_hessian(lw_constraints *set, const lwi_rows *rows, int level)
{
    const int n = set->n;
    const double h = 1e-6;
    lwi_stack *s = &set->stack;
    lwi_rows *other = &set->at[3];
    for (int k = 0; k < n; ++k) {
        const double step =
            set->position[k] >= 0 && rows->q[set->position[k]] + h > set->high[k] ? -h : h;
        double *row = set->H + (size_t)k * (size_t)n;
        memset(set->rhs, 0, (size_t)n * sizeof *set->rhs);
        set->rhs[k] = step;
        if (move(set, rows, set->rhs, other) != LW_OK) {
            return false;
        }
        find_gradient(set, other, level, row);
        for (int i = 0; i < s->n; ++i) {
            if (s->row[i] >= 0) {
                add_scaled(n, s->mu[i], row_of(set, other->A, s->row[i]), row);
                add_scaled(n, -s->mu[i], s->C + (size_t)i * (size_t)n, row);
            }
        }
        for (int j = 0; j < n; ++j) {
            row[j] = (row[j] - set->g[j]) / step;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            set->H[i * n + j] = set->H[j * n + i] = 0.5 * (set->H[i * n + j] + set->H[j * n + i]);
        }
    }
    return true;
}

// Rows that hold the levels before this one that are not met: their projected gradients, and
// derivatives of these. False where they have none.
static bool find_held(lw_constraints *set, const lwi_rows *rows, int level)
{
    const int n = set->n;
    bool is_found = true;
    for (int of = 0; of < level && set->has_held && is_found; ++of) {
        if (set->is_met[of]) {
            continue;
        }
        find_active_set(set, rows, of);
        is_found = find_hessian(set, rows, of);
        project(set, set->lagrangian);
        double *held = set->held + (size_t)of * (size_t)n * (size_t)(n + 1);
        for (int k = 0; k < n; ++k) {
            project(set, set->H + k * n);
        }
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < n; ++j) {
                held[k * (n + 1) + j] = set->H[j * n + k];
            }
            held[k * (n + 1) + n] = set->lagrangian[k];
        }
    }
    return is_found;
}

void lwi_constraints_balance(lw_constraints *set, int level)
{
    find_held(set, &set->at[0], level);
    find_active_set(set, &set->at[0], level);
}

// --- The iteration ----------------------------------------------------------------------------

// What an accepted step lowers: the level, and how far those before it are from being held.
static double merit_of(const lw_constraints *set, const lwi_rows *rows, int level)
{
    double most = 0.0, merit = rows->E[level];
    for (int i = 0; i < set->stack.n; ++i) {
        most = fmax(most, fabs(set->stack.mu[i]));
    }
    for (int of = 0; of < level; ++of) {
        merit += (1.0 + 2.0 * most) * (set->is_met[of] ? sqrt(2.0 * rows->E[of]) : rows->E[of]);
    }
    return merit;
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

static bool is_finished(const lw_constraints *set, const lwi_rows *rows, int level, double kkt)
{
    for (int of = 0; of < level; ++of) {
        if (set->is_met[of] && !lwi_level_is_met(set, rows, of, 0.01 * set->tolerance)) {
            return false;
        }
    }
    return lwi_level_is_met(set, rows, level, 0.01 * set->tolerance) || kkt <= 1e-12;
}

static void swap_rows(lw_constraints *set)
{
    const lwi_rows other = set->at[0];
    set->at[0] = set->at[1];
    set->at[1] = other;
}

int lwi_constraints_minimise(lw_constraints *set, int level, bool is_exact, double *kkt)
{
    double raise = 1.0;
    int slow = 0, i = 0;
    for (; i < set->iterations; ++i) {
        lwi_rows *rows = &set->at[0];
        if (!find_held(set, rows, level)) {
            break;
        }
        find_active_set(set, rows, level);
        project(set, set->lagrangian);
        *kkt = largest(set->n, set->lagrangian);
        if (is_finished(set, rows, level, *kkt)) {
            break;
        }
        const bool is_newton = is_exact && slow >= 2;
        if (is_newton && !find_hessian(set, rows, level)) {
            break;
        }
        const double damping =
            is_newton ? (raise > 1.0 ? 1e-4 * raise : 0.0) : 0.3 * raise * rows->E[level];
        const double merit = merit_of(set, rows, level);
        if (!find_step(set, rows, level, damping, is_newton)) {
            raise *= 10.0;
            continue;
        }
        const double size = largest(set->n, set->dq);
        for (int k = 0; k < set->n && size > longest_step; ++k) {
            set->dq[k] *= longest_step / size;
        }
        const double next = move(set, rows, set->dq, &set->at[1]) == LW_OK
                                ? merit_of(set, &set->at[1], level)
                                : (double)INFINITY;
        if (!(next <= merit * (1.0 + 1e-14) + 1e-300)) {
            raise = fmax(10.0 * raise, 10.0);
            if (raise > 1e12) {
                break;
            }
            continue;
        }
        slow = next > (is_exact ? 0.5 : 0.95) * merit ? slow + 1 : is_newton ? slow : 0;
        raise = fmax(1.0, 0.1 * raise);
        swap_rows(set);
        if (slow >= (is_exact ? set->iterations : 5)) {
            break;
        }
    }
    return i;
}
