// Newton's method, and a line search where it does not help.
//
// Full steps are taken where the slopes are those of a minimum and the step halves the residual at
// least; near an equilibrium that is always so, and convergence is quadratic, or by three digits a
// step where the slopes of the step before serve again. Elsewhere forces are the slope of an energy
// all the same. Within backlash they have no slope of their own, and a step by that of gravity
// alone would go anywhere. So no degree of freedom goes further in such a step than LONGEST, and
// where a step meets a spring on its way that pushes back, it ends near where both balance; the
// next has the slope of that spring. What nothing pushes rests where it is: of all equilibria
// within the play that is the nearest.

#include "equilibrium.h"

#include "../math/cholesky.h"
#include "../math/largest.h"
#include "../math/least_norm.h"

#include <linkwork/kinematics.h>

#include <string.h>

enum { HALVINGS = 60 };

// rad or m; backlash is some thousandths of that at the joint.
static const double LONGEST = 0.1;

// Longest full step, rad or m: beyond, sines are no longer their slopes.
static const double FARTHEST = 1.0;

// Below this share of the forces that balance, what is left of them is rounding. Rounding of q
// itself, times a stiffness, may be more: so a full step that is shorter than `last_step` ends the
// search too, because the next one would be its square, and so does one within `rounding`.
static const double balanced = 1e-15;
static const double rounding = 4e-16;
static const double balanced_roughly = 1e-9;
static const double last_step = 1e-9;

// Slopes serve again after a step that leaves no more than this share of the residual, where their
// factor is far from singular: the squares of its pivots are above that share of their diagonal.
static const double shrinks = 1e-3;
static const double firm = 0.1;

// A joint that less than this share of them pushes goes less far than LONGEST, so that a rounding
// moves nothing.
static const double slightest = 1e-6;

size_t lwi_equilibrium_doubles(const lw_model *m, int n)
{
    const size_t size = (size_t)n;
    return 2 * size * size + 2 * size + (size_t)m->nv + (size_t)m->nq;
}

void lwi_equilibrium_lay(lwi_equilibrium *e, double *block)
{
    const size_t n = (size_t)e->n;
    e->S = block;
    e->F = e->S + n * n;
    e->r = e->F + n * n;
    e->x = e->r + n;
    e->v = e->x + n;
    e->from = e->v + e->model->nv;
}

static lw_status find_forces(lwi_equilibrium *e, const double *q)
{
    const lw_status status = e->forces(e->context, q, e->r);
    e->residual = status == LW_OK ? lwi_largest(e->r, e->nrow) : (double)INFINITY;
    return status;
}

static bool rests(const lwi_equilibrium *e)
{
    return e->residual <= balanced * e->size;
}

// The step share * x from e->from.
static lw_status go(const lwi_equilibrium *e, double share, double *q)
{
    memset(e->v, 0, (size_t)e->model->nv * sizeof *e->v);
    for (int i = 0; i < e->n; ++i) {
        e->v[e->dof[i]] = e->x[i];
    }
    return lw_integrate(e->model, e->from, e->v, share, q);
}

// The symmetric part of S, factored in e->F, and whether it is positive definite.
static void factor(lwi_equilibrium *e)
{
    const int n = e->n;
    for (int i = 0; i < n && e->nrow == n; ++i) {
        for (int k = i; k < n; ++k) {
            e->F[i * n + k] = 0.5 * (e->S[i * n + k] + e->S[k * n + i]);
        }
    }
    e->is_stable = e->is_firm = e->nrow == n && lwi_cholesky(n, e->F);
    for (int i = 0; i < n && e->is_firm; ++i) {
        const double pivot = e->F[i * n + i];
        e->is_firm = pivot * pivot >= firm * e->S[i * n + i];
    }
}

// x of S x = -r, the shortest one. Conditions are columns of e->F. The last numbers of x serve as
// right-hand side, before they are overwritten: nrow <= n, so the residuals are copied to e->v.
static void solve_any(const lwi_equilibrium *e)
{
    const int n = e->n, m = e->nrow;
    for (int r = 0; r < m; ++r) {
        e->v[r] = -e->r[r];
        for (int i = 0; i < n; ++i) {
            e->F[i * m + r] = e->S[r * n + i];
        }
    }
    lwi_least_norm(n, m, m, e->F, e->v, e->x, 1);
}

// Tries the full step, by the factor that is there where it is kept. Where it does not pay, q and
// the residuals are as before.
static lw_status try_newton(lwi_equilibrium *e, double *q, bool is_kept, bool *is_taken, bool *ends)
{
    const double before = e->residual;
    if (!is_kept) {
        factor(e);
    }
    *is_taken = *ends = false;
    if (e->is_potential && !e->is_stable) {
        return LW_OK;
    }
    if (e->is_potential) {
        for (int i = 0; i < e->n; ++i) {
            e->x[i] = -e->r[i];
        }
        lwi_cholesky_solve(e->n, e->F, e->x);
    } else {
        solve_any(e);
    }
    const double length = lwi_largest(e->x, e->n);
    const double share = length > FARTHEST ? FARTHEST / length : 1.0;
    if (!isfinite(length)) {
        return LW_OK;
    }
    memcpy(e->from, q, (size_t)e->model->nq * sizeof *q);
    lw_status status = go(e, share, q);
    status = status == LW_OK ? find_forces(e, q) : status;
    *ends = length <= rounding ||
            (!is_kept && length <= last_step && e->residual <= balanced_roughly * e->size);
    *is_taken = status == LW_OK && (*ends || e->residual <= (1.0 - 0.5 * share) * before);
    if (!*is_taken) {
        memcpy(q, e->from, (size_t)e->model->nq * sizeof *q);
        status = find_forces(e, q);
    }
    return status;
}

// A step by the slopes of the forces. Where one is too small for its force, or bends away from
// rest, it is taken as that with which the degree of freedom alone would go as far as it may.
static void find_step(lwi_equilibrium *e)
{
    const int n = e->n;
    const double size = fmax(e->size, e->residual);
    for (int k = 0; k < n && e->nrow == n; ++k) {
        const double least = fmax(fabs(e->r[k]), slightest * size) / LONGEST;
        e->S[k * n + k] = fmax(e->S[k * n + k], least);
    }
    solve_any(e);
    const double longest = lwi_largest(e->x, n);
    for (int i = 0; i < n && longest > LONGEST; ++i) {
        e->x[i] *= LONGEST / longest;
    }
}

// Forces along the step, which are negative where it leads downhill.
static double forces_along(const lwi_equilibrium *e)
{
    double sum = 0.0;
    for (int i = 0; i < e->n; ++i) {
        sum += e->r[i] * e->x[i];
    }
    return sum;
}

// Goes the step, or to where at most half of the force along it is left.
static lw_status search_line(lwi_equilibrium *e, double *q)
{
    // Uphill the slopes are no help, and the forces themselves give the direction.
    const bool is_uphill = forces_along(e) >= 0.0;
    const double size = fmax(e->size, e->residual);
    for (int i = 0; i < e->n && is_uphill; ++i) {
        e->x[i] = -e->r[i] * LONGEST / size;
    }
    const double first = forces_along(e);
    double low = 0.0, high = 1.0, share = 1.0;
    lw_status status = LW_OK;
    memcpy(e->from, q, (size_t)e->model->nq * sizeof *q);
    for (int round = 0; round < HALVINGS; ++round) {
        status = go(e, share, q);
        status = status == LW_OK ? find_forces(e, q) : status;
        const double left = forces_along(e);
        const bool is_far = left < 0.0 && share == 1.0; // and downhill still
        if (status != LW_OK || rests(e) || is_far || fabs(left) <= 0.5 * fabs(first)) {
            break;
        }
        *(left < 0.0 ? &low : &high) = share;
        share = 0.5 * (low + high);
    }
    return status;
}

// Whether forces are within what rounding of q makes of their slopes. Where gravity takes these
// away it is the stiffness that counts: else a rounding would begin to buckle what stands upright.
static bool is_rounding(const lwi_equilibrium *e)
{
    bool is = e->nrow == e->n;
    for (int i = 0; i < e->nrow && is; ++i) {
        is = fabs(e->r[i]) <= rounding * fmax(fabs(e->S[i * e->n + i]), e->stiffest);
    }
    return is;
}

// Whether the factor serves for the next step too. The residual shrinks by about the same share
// again then, and forces alone cost a quarter of what they cost with their slopes.
static bool keeps_factor(const lwi_equilibrium *e, double before)
{
    return e->is_potential && e->is_firm && e->residual <= shrinks * before;
}

// Whether it is stable where the search ended, `moved` behind the last slopes. Near buckling, or
// far from there, only new ones tell.
static lw_status judge(lwi_equilibrium *e, const double *q, double moved)
{
    lw_status status = LW_OK;
    if (e->nrow == e->n && moved > (e->is_firm ? LONGEST : last_step)) {
        status = e->slopes(e->context, q, e->S);
        factor(e);
    }
    return status;
}

// Whether what is left after a full step is what half of the last digit of q makes.
static bool is_exact(const lwi_equilibrium *e, const double *q)
{
    bool is = e->is_stable && e->nrow == e->n;
    for (int i = 0; i < e->nrow && is; ++i) {
        const int at = lw_position_of_dof(e->model, e->dof[i]);
        const double x = at < 0 ? 0.0 : fabs(q[at]);
        is = fabs(e->r[i]) <= 0.5 * (nextafter(x, 2.0 * x) - x) * e->S[i * e->n + i];
    }
    return is;
}

lw_status lwi_find_equilibrium(lwi_equilibrium *e, double *q)
{
    double moved = 0.0;
    bool is_kept = false;
    e->steps = 0;
    lw_status status = find_forces(e, q);
    if (status == LW_OK) {
        e->size = fmax(e->size, e->residual);
        status = e->slopes(e->context, q, e->S);
    }
    bool ends = status == LW_OK && (rests(e) || is_rounding(e));
    if (ends) {
        factor(e);
    }
    while (status == LW_OK && !ends && e->steps < e->most_steps) {
        bool is_taken = false;
        const bool was_kept = is_kept;
        const double before = e->residual;
        if (e->steps > 0 && !was_kept) {
            status = e->slopes(e->context, q, e->S);
            moved = 0.0;
        }
        if (status == LW_OK) {
            status = try_newton(e, q, was_kept, &is_taken, &ends);
        }
        is_kept = is_taken && keeps_factor(e, before);
        if (status == LW_OK && !is_taken && !was_kept && e->nrow == e->n) {
            find_step(e);
            status = search_line(e, q);
        } else if (status == LW_OK && !is_taken && !was_kept) {
            break;
        }
        ++e->steps;
        moved += lwi_largest(e->x, e->n);
        e->size = status == LW_OK ? fmax(e->size, e->residual) : e->size;
        ends = ends || (!was_kept && rests(e)) || (is_taken && is_exact(e, q));
    }
    if (status == LW_OK && ends) {
        status = judge(e, q, moved);
    }
    return status == LW_OK && !ends ? LW_ERR_NO_CONVERGENCE : status;
}
