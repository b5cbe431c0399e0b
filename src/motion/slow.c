// Uniform slowing of a section (Hollerbach 1984). Taken k times as long, velocities become 1/k,
// accelerations 1/k^2 and jerks 1/k^3 of what they were, on the same path. Between knots joints
// are polynomials, so the extreme values of these are exact: bounds of the polynomials by their
// Bernstein coefficients leave few whose extreme values have to be found. Forces are evaluated at
// the knots, at the factor that is tried.

#include "planner.h"

#include <linkwork/dynamics.h>

#include "follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What asks for the factor.
typedef struct need {
    double factor;
    int span, interval, joint, order;
} need;

static double limit_of(const lwi_active *a, int order)
{
    return order == 1 ? a->limits.velocity : order == 2 ? a->limits.acceleration : a->limits.jerk;
}

static double factor_of(double ratio, int order)
{
    return order == 1 ? ratio : order == 2 ? sqrt(ratio) : cbrt(ratio);
}

// Bounds of velocity, acceleration and jerk (bound[1] to bound[3]) of the quintic between two
// states: the largest of the Bernstein coefficients of each, which are differences of those of
// the derivative before.
static void bernstein_bounds(const double from[3], const double to[3], double h, double bound[4])
{
    const double middle =
        5.0 * (to[0] - from[0]) / h - 2.0 * (from[1] + to[1]) + 0.25 * h * (to[2] - from[2]);
    double b[5] = {from[1], from[1] + 0.25 * h * from[2], middle, to[1] - 0.25 * h * to[2], to[1]};
    for (int order = 1; order <= 3; ++order) {
        const int degree = 5 - order;
        bound[order] = 0.0;
        for (int i = 0; i <= degree; ++i) {
            const double size = fabs(b[i]);
            bound[order] = size > bound[order] ? size : bound[order];
            b[i] = i < degree ? (b[i + 1] - b[i]) * degree / h : 0.0;
        }
    }
}

// The factor that velocities, accelerations and jerks ask for.
static need kinematic_need(const lwi_planner *p, const lwi_section *section)
{
    need worst = {1.0, 0, 0, -1, 0}; // nothing is made faster
    const double *knot = section->knot;
    for (int i = 0; i < section->nspan; ++i) {
        const lwi_span *span = &section->span[i];
        for (int k = 0; k < span->count; ++k, knot += 3 * p->n) {
            const lwi_interval at = lwi_interval_of(span, k);
            for (int j = 0; j < p->n; ++j) {
                double from[3], to[3], bound[4];
                lwi_interval_state(p, knot, at.from, j, from);
                lwi_interval_state(p, knot + 3 * p->n, at.to, j, to);
                bernstein_bounds(from, to, at.h, bound);
                for (int order = 1; order <= 3; ++order) {
                    const double limit = limit_of(&p->active[j], order), f = worst.factor;
                    const double power = order == 1 ? f : order == 2 ? f * f : f * f * f;
                    double least, most;
                    if (bound[order] <= power * limit) {
                        continue;
                    }
                    const lwi_piece piece = lwi_piece_between(0.0, at.h, from, to);
                    lwi_piece_range(&piece, at.h, order, &least, &most);
                    const double factor = factor_of(fmax(-least, most) / limit, order);
                    if (factor > worst.factor) {
                        worst = (need){factor, i, k, j, order};
                    }
                }
            }
        }
    }
    return worst;
}

// --- Forces -----------------------------------------------------------------------------------

// Joint forces at one end of an interval, k times slower; the worst share of a limit.
static lw_status force_share(lwi_planner *p, const double *knot, const double u[4], double k,
                             double *share, int *joint)
{
    memset(p->v, 0, (size_t)p->m->nv * sizeof *p->v);
    memset(p->a, 0, (size_t)p->m->nv * sizeof *p->a);
    for (int j = 0; j < p->n; ++j) {
        double x[3];
        lwi_interval_state(p, knot, u, j, x);
        p->at[p->active[j].q] = x[0];
        p->v[p->active[j].v] = x[1] / k;
        p->a[p->active[j].v] = x[2] / (k * k);
    }
    const lw_status status = lw_inverse_dynamics(p->m, p->d, p->at, p->v, p->a, NULL, p->tau);
    for (int j = 0; j < p->m->nv && status == LW_OK; ++j) {
        const double own = fabs(p->tau[j]) / p->force[j];
        if (own > *share) {
            *share = own;
            *joint = j;
        }
    }
    return status;
}

// The worst share of all forces at factor k; `is_active` [nknot] limits it to some intervals, and
// gets those that are beyond their limits where it is to be found.
static lw_status worst_share(lwi_planner *p, const lwi_section *section, double k, char *is_active,
                             bool finds, double *worst, need *where)
{
    lw_status status = LW_OK;
    int at = 0;
    *worst = 0.0;
    for (int i = 0; i < section->nspan && status == LW_OK; ++i) {
        const lwi_span *span = &section->span[i];
        for (int j = 0; j < span->count && status == LW_OK; ++j, ++at) {
            if (!finds && !is_active[at]) {
                continue;
            }
            const lwi_interval own = lwi_interval_of(span, j);
            const double *knot = lwi_knot(p, section, at);
            double share = 0.0;
            int joint = -1;
            // Where accelerations jump, the knot has two of them.
            status = force_share(p, knot, own.from, k, &share, &joint);
            if (status == LW_OK && j + 1 == span->count) {
                status = force_share(p, knot + 3 * p->n, own.to, k, &share, &joint);
            }
            if (finds && share > 1.0) {
                is_active[at] = 1;
            }
            if (share > *worst) {
                *worst = share;
                *where = (need){k, i, j, joint, 0};
            }
        }
    }
    return status;
}

// The least factor above `low` for which forces of the active intervals are within their limits.
static lw_status bisect(lwi_planner *p, const lwi_section *section, char *is_active, double low,
                        double *factor, need *where)
{
    double high = low, share = 2.0;
    lw_status status = LW_OK;
    while (status == LW_OK && share > 1.0 && high <= 2.0 * p->def->slowest) {
        low = high;
        high *= 1.25;
        status = worst_share(p, section, high, is_active, false, &share, where);
    }
    for (int i = 0; i < 60 && status == LW_OK && share <= 1.0 && high - low > 1e-14 * high; ++i) {
        const double middle = 0.5 * (low + high);
        need other = *where;
        double own;
        status = worst_share(p, section, middle, is_active, false, &own, &other);
        if (own > 1.0) {
            low = middle;
            *where = other;
        } else {
            high = middle;
        }
    }
    *factor = high;
    return status;
}

static lw_status force_need(lwi_planner *p, const lwi_section *section, double *factor, need *why)
{
    enum { ROUNDS = 20 };
    bool has_limit = false;
    for (int j = 0; j < p->m->nv; ++j) {
        has_limit |= isfinite(p->force[j]);
    }
    char *is_active = has_limit ? calloc((size_t)section->nknot, 1) : NULL;
    if (!has_limit || !is_active) {
        return has_limit ? LW_ERR_MEMORY : LW_OK;
    }
    lw_status status = LW_OK;
    double share = 2.0;
    for (int round = 0; round < ROUNDS && status == LW_OK; ++round) {
        need where = *why;
        status = worst_share(p, section, *factor, is_active, true, &share, &where);
        if (status != LW_OK || share <= 1.0 || *factor > p->def->slowest) {
            break;
        }
        *why = where;
        status = bisect(p, section, is_active, *factor, factor, why);
    }
    free(is_active);
    return status;
}

// --- The factor -------------------------------------------------------------------------------

static void find_place(lwi_planner *p, const lwi_section *section, const need *why)
{
    const lwi_span *span = &section->span[why->span];
    const lwi_interval at = lwi_interval_of(span, why->interval);
    double way = section->begin;
    for (int k = section->first; k < span->segment; ++k) {
        way += (p->segment[k].end - p->segment[k].begin) * p->segment[k].scale;
    }
    const lwi_segment *s = &p->segment[span->segment];
    p->info.move = s->move;
    p->info.position = way + (at.from[0] - s->begin) * s->scale;
}

lw_status lwi_plan_slow(lwi_planner *p, lwi_section *section)
{
    need why = kinematic_need(p, section);
    double factor = why.factor;
    const bool is_too_fast = factor > p->def->slowest;
    lw_status status = is_too_fast ? LW_OK : force_need(p, section, &factor, &why);
    if (status != LW_OK) {
        return status;
    }
    section->slowed = factor;
    section->slowed_by = why.joint;
    section->slowed_order = why.order;
    if (factor > p->def->slowest) {
        find_place(p, section, &why);
        p->info.end = is_too_fast ? LW_TOOL_SINGULAR : LW_TOOL_JOINT_FORCE;
        p->info.dof = p->m->v_tree[is_too_fast ? p->active[why.joint].v : why.joint];
        return LW_ERR_MOTION;
    }
    p->info.slowed = fmax(p->info.slowed, factor);
    return LW_OK;
}
