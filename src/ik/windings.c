// Windings of solutions, the solution nearest to a configuration, and messages about a result.
#include "closed_chain.h"
#include "solve.h"

#include "../math/pi.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The turns that coordinate i of a solution may be wound by: from *first, *count of them.
static void turns_of(const lw_ik *ik, const lw_ik_solution *s, int i, int *first, int *count)
{
    const lwi_ik_coordinate *at = &ik->coordinate[i];
    *first = 0;
    *count = 1;
    if (!at->winds || (s->outside >> at->bit & 1u) != 0) {
        return;
    }
    // Without limits one turn on either side of the solution is enough to be nearest to anything
    // that is within (-pi, pi].
    const double x = s->q[at->q], slack = 1e-9;
    const double below = isfinite(at->lower) ? floor((x - at->lower + slack) / LWI_TWO_PI) : 1,
                 above = isfinite(at->upper) ? floor((at->upper - x + slack) / LWI_TWO_PI) : 1;
    // Limits of thousands of turns, of a wheel, are cut: nobody looks at all of them.
    *first = -(int)fmin(below, 100.0);
    *count = 1 - *first + (int)fmin(above, 100.0);
}

static bool is_geared(const lw_ik *ik)
{
    return ik->closed && ik->closed->has_rows;
}

// Joints with gears wind together: their windings are those of all combinations that are within
// the limits.
static long count_geared(const lw_ik *ik, int solution)
{
    long count = 0;
    double *q = ik->closed->q;
    for (long w = 0; w < lwi_geared_windings(ik); ++w) {
        count += lwi_geared_winding(ik, &ik->solution[solution], w, q);
    }
    return count;
}

static bool next_geared(const lw_ik *ik, const lw_ik_solution *s, long *winding, double *q)
{
    long seen = 0;
    for (long w = 0; w < lwi_geared_windings(ik); ++w) {
        if (lwi_geared_winding(ik, s, w, q) && seen++ == *winding) {
            ++*winding;
            return true;
        }
    }
    return false;
}

long lw_ik_winding_count(const lw_ik *ik, int solution)
{
    if (!ik || solution < 0 || solution >= ik->nsolution) {
        return 0;
    }
    if (is_geared(ik)) {
        return count_geared(ik, solution);
    }
    long total = 1;
    for (int i = 0; i < ik->ncoordinate; ++i) {
        int first, count;
        turns_of(ik, &ik->solution[solution], i, &first, &count);
        total = total < 1000000000L / count ? total * count : 1000000000L;
    }
    return total;
}

bool lw_ik_next_winding(const lw_ik *ik, int solution, long *winding, double *q)
{
    if (!winding || !q || *winding < 0 || *winding >= lw_ik_winding_count(ik, solution)) {
        return false;
    }
    const lw_ik_solution *s = &ik->solution[solution];
    if (is_geared(ik)) {
        return next_geared(ik, s, winding, q);
    }
    memcpy(q, s->q, sizeof(double) * (size_t)ik->model->nq);
    long rest = (*winding)++;
    for (int i = 0; i < ik->ncoordinate; ++i) {
        int first, count;
        turns_of(ik, s, i, &first, &count);
        q[ik->coordinate[i].q] += LWI_TWO_PI * (double)(first + rest % count);
        rest /= count;
    }
    return true;
}

/// What lw_ik_nearest() compares by.
typedef struct measure {
    lw_ik_metric metric;
    const double *q0, *weight;
    double unit; ///< the largest weight, so that no product of one overflows
} measure;

static measure measure_of(const lw_ik *ik, const double *q0, lw_ik_metric metric,
                          const double *weight)
{
    measure by = {metric, q0, weight, 0.0};
    for (int i = 0; i < ik->ncoordinate && weight; ++i) {
        by.unit = fmax(by.unit, fabs(weight[ik->coordinate[i].q]));
    }
    by.unit = by.unit > 0.0 ? by.unit : 1.0;
    return by;
}

static double distance_of(const lw_ik *ik, const measure *by, const double *q)
{
    double distance = 0.0;
    for (int i = 0; i < ik->ncoordinate; ++i) {
        const int k = ik->coordinate[i].q;
        const double d =
            fabs(q[k] - by->q0[k]) * (by->weight ? fabs(by->weight[k]) / by->unit : 1.0);
        if (!isfinite(d)) {
            return (double)INFINITY;
        }
        distance = by->metric == LW_IK_LARGEST_CHANGE ? fmax(distance, d) : hypot(distance, d);
    }
    return distance;
}

static double wind_geared(const lw_ik *ik, const lw_ik_solution *s, const measure *by, double *q)
{
    double least = (double)INFINITY;
    long best = 0;
    for (long w = 0; w < lwi_geared_windings(ik); ++w) {
        if (lwi_geared_winding(ik, s, w, q)) {
            const double d = distance_of(ik, by, q);
            best = d < least ? w : best;
            least = fmin(least, d);
        }
    }
    lwi_geared_winding(ik, s, best, q);
    return least;
}

// The solution wound toward q0, and its distance from there.
static double wind_toward(const lw_ik *ik, const lw_ik_solution *s, const measure *by, double *q)
{
    if (is_geared(ik)) {
        return wind_geared(ik, s, by, q);
    }
    memcpy(q, s->q, sizeof(double) * (size_t)ik->model->nq);
    for (int i = 0; i < ik->ncoordinate; ++i) {
        const lwi_ik_coordinate *at = &ik->coordinate[i];
        const int k = at->q;
        if (at->winds) {
            const double turns = floor((by->q0[k] - q[k]) / LWI_TWO_PI + 0.5), slack = 1e-9;
            const double least = ceil((at->lower - slack - q[k]) / LWI_TWO_PI),
                         most = floor((at->upper + slack - q[k]) / LWI_TWO_PI);
            q[k] += LWI_TWO_PI * fmax(least, fmin(most, turns));
        }
    }
    return distance_of(ik, by, q);
}

int lw_ik_nearest(const lw_ik *ik, const double *q0, lw_ik_metric metric, const double *weight,
                  double *q)
{
    if (!ik || !q0 || !q) {
        return -1;
    }
    const measure by = measure_of(ik, q0, metric, weight);
    int nearest = -1;
    double least = (double)INFINITY;
    for (int i = 0; i < ik->nsolution; ++i) {
        const lw_ik_solution *s = &ik->solution[i];
        if (!s->is_exact || !s->in_limits) {
            continue;
        }
        const double d = wind_toward(ik, s, &by, q);
        if (d < least) {
            least = d;
            nearest = i;
        }
    }
    if (nearest >= 0) {
        wind_toward(ik, &ik->solution[nearest], &by, q);
    }
    return nearest;
}

// A text that is cut to a size, with the length that it has as a whole.
typedef struct cut_text {
    char *at;
    size_t size;
    int length;
} cut_text;

static void add_text(cut_text *text, const char *format, ...)
{
    const size_t used = (size_t)text->length < text->size ? (size_t)text->length : text->size - 1;
    va_list values;
    va_start(values, format);
    text->length += vsnprintf(text->at + used, text->size - used, format, values);
    va_end(values);
}

// What the limits of some joints of the chain, or driven by it, ask for.
static void add_limits(const lw_ik *ik, unsigned joints, cut_text *text)
{
    const char *between = "";
    for (int i = 0; i < LW_IK_JOINTS + ik->info.ndriven; ++i) {
        if ((joints >> i & 1u) == 0) {
            continue;
        }
        const int v = ik->model->v_start[lwi_ik_body_of(ik, i)];
        const lw_dof *dof = &ik->model->dof[v];
        const char *name = ik->model->tree_velocity_name[v];
        if (dof->lower > dof->upper) {
            add_text(text,
                     "%sno position is within the limits of %s: the lower one, %g, is above "
                     "the upper, %g",
                     between, name, dof->lower, dof->upper);
        } else {
            add_text(text, "%s%s must be within %g and %g", between, name, dof->lower, dof->upper);
        }
        between = "; ";
    }
}

static void add_out_of_reach(const lw_ik *ik, cut_text *text)
{
    const lw_ik_result *r = &ik->result;
    const char *unit = ik->def.task == LW_IK_POSITION ? "m" : "(m and rad)";
    add_text(text, "the target is out of reach: ");
    if (r->open_loop >= 0) {
        add_text(text, "loop \"%s\" stays open by %g m; ", ik->model->loop[r->open_loop].name,
                 r->gap);
    }
    add_text(text, "the nearest configuration is %g %s away", r->distance, unit);
    if (r->limits != 0) {
        add_text(text, ", and outside the limits: ");
        add_limits(ik, r->limits, text);
    }
}

int lw_ik_message(const lw_ik *ik, char *at, size_t size)
{
    if (!ik || !at || size == 0) {
        return 0;
    }
    const lw_ik_result *r = &ik->result;
    cut_text text = {at, size, 0};
    at[0] = '\0';
    if (ik->status == LW_ERR_NUMBER) {
        add_text(&text, "the target or the seed has a number that is not finite, or whose square "
                        "is not");
    } else if (ik->status == LW_ERR_ARGUMENT) {
        add_text(&text, "the orientation of the target is not a rotation: its rows must be "
                        "orthonormal and right-handed to 1e-6");
    } else if (ik->status != LW_OK) {
        add_text(&text, "%s", lw_status_text(ik->status));
    } else if (r->distance > 0.0) {
        add_out_of_reach(ik, &text);
    } else if (r->nwithin == 0 && r->nsolution > 0) {
        if (r->nsolution == 1) {
            add_text(&text, "limits exclude the only solution: ");
        } else {
            add_text(&text, "limits exclude all %d solutions: ", r->nsolution);
        }
        add_limits(ik, r->limits, &text);
    }
    return text.length;
}
