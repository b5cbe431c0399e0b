// Rates of the coordinates for rates of rows: resolved motion rate control (Whitney 1969), levels
// by projection onto the null space of those before (Siciliano and Slotine 1991), damped next to
// singular configurations (Nakamura and Hanafusa 1986; Maciejewski and Klein 1988), coordinates at
// their limits taken out one by one (Flacco, De Luca and Khatib 2012).
//
// The damping grows continuously from zero where the smallest pivot of a level falls below a
// threshold, and the projector is damped with it, so that rates are continuous functions of the
// configuration also through a singular one.
#include "constraint_set.h"

#include "../kin/finite.h"
#include "../math/cholesky.h"
#include "../math/damped.h"

#include <math.h>
#include <string.h>

// A row within the null space of the levels before: a - sum of w (w a), over their rows w = U'^-1
// B.
static void narrow(const lw_constraints *set, int before, const double *A, double *B)
{
    const int n = set->n;
    for (int k = 0; k < n; ++k) {
        B[k] = set->is_fixed[k] ? 0.0 : A[k];
    }
    for (int i = 0; i < before; ++i) {
        const double *w = set->reduced + i * n, share = lwi_dot(n, w, A); // w is zero where fixed
        for (int k = 0; k < n; ++k) {
            B[k] -= share * w[k];
        }
    }
}

// The rows of a level behind those before it, and what they lack; returns how many.
static int gather(lw_constraints *set, const double *rate, int level, int before)
{
    const lwi_rows *rows = &set->at[0];
    const int n = set->n;
    int count = 0;
    for (int r = 0; r < set->nrow; ++r) {
        // Rows of the limits of dependent joints have no rate: they hold where they are beyond.
        if (set->row_level[r] != level || (set->lower[r] < set->upper[r] && rows->e[r] == 0.0)) {
            continue;
        }
        const double *A = rows->A + r * n;
        const double wanted = r < set->ncopy_rows ? set->weight[r] * rate[r] : 0.0;
        narrow(set, before, A, set->reduced + (before + count) * n);
        set->dual[count++] = wanted - lwi_dot(n, A, set->dq);
    }
    return count;
}

// The upper triangle of B B'.
static void gram(const lw_constraints *set, int before, int count, double damping)
{
    const int n = set->n;
    const double *B = set->reduced + before * n;
    for (int i = 0; i < count; ++i) {
        for (int j = i; j < count; ++j) {
            set->N[i * count + j] = lwi_dot(n, B + i * n, B + j * n) + (i == j ? damping : 0.0);
        }
    }
}

// Cholesky's factor of B B', damped where a pivot is small.
static bool factor(const lw_constraints *set, int before, int count, const lw_rate_options *o)
{
    gram(set, before, count, 1e-14);
    double least = (double)INFINITY;
    const bool is_definite = lwi_cholesky(count, set->N);
    for (int i = 0; i < count; ++i) {
        least = fmin(least, set->N[i * count + i]);
    }
    least = is_definite ? least * least : 0.0;
    const double near = o->threshold * o->threshold;
    if (least >= near) {
        return true;
    }
    const double share = 1.0 - least / near;
    gram(set, before, count, 1e-14 + o->damping * o->damping * share * share);
    return lwi_cholesky(count, set->N);
}

// The rows of a level become W = U'^-1 B, with which narrow() takes their space out of others.
static void make_projector(const lw_constraints *set, int before, int count)
{
    const int n = set->n;
    double *W = set->reduced + before * n;
    for (int i = 0; i < count; ++i) {
        const double *U = set->N + i * count, over = 1.0 / U[i];
        double *w = W + i * n;
        for (int k = 0; k < n; ++k) {
            w[k] *= over;
        }
        for (int j = i + 1; j < count; ++j) {
            for (int k = 0; k < n; ++k) {
                W[j * n + k] -= U[j] * w[k];
            }
        }
    }
}

// All levels, with the fixed coordinates as dq has them.
static bool find_rates(lw_constraints *set, const double *rate, const lw_rate_options *o)
{
    const int n = set->n;
    int before = 0;
    for (int level = 0; level < set->nlevel; ++level) {
        const int count = gather(set, rate, level, before);
        if (count > 0 && !factor(set, before, count, o)) {
            return false;
        }
        lwi_cholesky_solve(count, set->N, set->dual);
        for (int i = 0; i < count; ++i) {
            const double s = set->dual[i], *B = set->reduced + (before + i) * n;
            for (int k = 0; k < n; ++k) {
                set->dq[k] += s * B[k];
            }
        }
        if (level + 1 < set->nlevel) {
            make_projector(set, before, count);
            before += count;
        }
    }
    return true;
}

// What a coordinate may do: its velocity limit, and where its limits are after dt.
static void range_of(const lw_constraints *set, const lw_rate_options *o, const double *q, int k,
                     double *low, double *high)
{
    const int i = set->position[k];
    const double most = set->m->dof[set->m->v_tree[set->column[k]]].max_velocity;
    *low = -most;
    *high = most;
    if (i >= 0 && o->dt > 0.0) {
        *low = fmin(most, fmax(-most, (set->low[k] - q[i]) / o->dt));
        *high = fmax(-most, fmin(most, (set->high[k] - q[i]) / o->dt));
    }
}

// Fixes the coordinate that is farthest beyond its range; false where none is.
static bool fix_worst(lw_constraints *set, const lw_rate_options *o, const double *q)
{
    int worst = -1;
    double most = 1e-12, value = 0.0;
    for (int k = 0; k < set->n; ++k) {
        double low, high;
        range_of(set, o, q, k, &low, &high);
        const double beyond = fmax(low - set->dq[k], set->dq[k] - high);
        if (!set->is_fixed[k] && beyond > most) {
            most = beyond;
            worst = k;
            value = set->dq[k] < low ? low : high;
        }
    }
    if (worst >= 0) {
        set->is_fixed[worst] = true;
        set->rhs[worst] = value;
    }
    return worst >= 0;
}

lw_status lw_constraint_rates(lw_constraints *set, const double *q, const double *rate,
                              const lw_rate_options *options, double *v)
{
    const lw_rate_options none = {0};
    if (!set || !q || !rate || !v) {
        return LW_ERR_ARGUMENT;
    }
    lw_rate_options o = options ? *options : none;
    if (!lwi_all_finite(rate, set->ncopy_rows) || !(o.damping >= 0.0) || !(o.threshold >= 0.0) ||
        !(o.dt >= 0.0) || !isfinite(o.damping + o.threshold + o.dt)) {
        return LW_ERR_NUMBER;
    }
    o.damping = o.damping > 0.0 ? o.damping : 0.05;
    o.threshold = o.threshold > 0.0 ? o.threshold : 0.05;
    const lw_status status = lwi_constraints_evaluate(set, &set->at[0], q);
    if (status != LW_OK) {
        return status;
    }
    const size_t n = (size_t)set->n;
    memset(set->is_fixed, 0, n * sizeof *set->is_fixed);
    for (int pass = 0; pass <= set->n; ++pass) {
        for (int k = 0; k < set->n; ++k) {
            set->dq[k] = set->is_fixed[k] ? set->rhs[k] : 0.0;
        }
        if (!find_rates(set, rate, &o)) {
            return LW_ERR_SINGULAR;
        }
        if (!fix_worst(set, &o, q)) {
            break;
        }
    }
    memset(v, 0, (size_t)set->m->nv * sizeof *v);
    for (int k = 0; k < set->n; ++k) {
        v[set->column[k]] = set->dq[k];
    }
    return LW_OK;
}
