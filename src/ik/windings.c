// Windings of solutions, the solution nearest to a configuration, and messages about a result.
#include "closed_chain.h"
#include "solve.h"

#include "../math/pi.h"

#include <math.h>
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

static double distance_of(const lw_ik *ik, const double *q0, lw_ik_metric metric,
                          const double *weight, const double *q)
{
    double distance = 0.0;
    for (int i = 0; i < ik->ncoordinate; ++i) {
        const int k = ik->coordinate[i].q;
        const double d = fabs(q[k] - q0[k]) * (weight ? weight[k] : 1.0);
        distance = metric == LW_IK_LARGEST_CHANGE ? fmax(distance, d) : distance + d * d;
    }
    return distance;
}

static double wind_geared(const lw_ik *ik, const lw_ik_solution *s, const double *q0,
                          lw_ik_metric metric, const double *weight, double *q)
{
    double least = (double)INFINITY;
    long best = 0;
    for (long w = 0; w < lwi_geared_windings(ik); ++w) {
        if (lwi_geared_winding(ik, s, w, q)) {
            const double d = distance_of(ik, q0, metric, weight, q);
            best = d < least ? w : best;
            least = fmin(least, d);
        }
    }
    lwi_geared_winding(ik, s, best, q);
    return least;
}

// The solution wound toward q0, and its distance from there.
static double wind_toward(const lw_ik *ik, const lw_ik_solution *s, const double *q0,
                          lw_ik_metric metric, const double *weight, double *q)
{
    if (is_geared(ik)) {
        return wind_geared(ik, s, q0, metric, weight, q);
    }
    memcpy(q, s->q, sizeof(double) * (size_t)ik->model->nq);
    for (int i = 0; i < ik->ncoordinate; ++i) {
        const lwi_ik_coordinate *at = &ik->coordinate[i];
        const int k = at->q;
        if (at->winds) {
            const double turns = floor((q0[k] - q[k]) / LWI_TWO_PI + 0.5), slack = 1e-9;
            const double least = ceil((at->lower - slack - q[k]) / LWI_TWO_PI),
                         most = floor((at->upper + slack - q[k]) / LWI_TWO_PI);
            q[k] += LWI_TWO_PI * fmax(least, fmin(most, turns));
        }
    }
    return distance_of(ik, q0, metric, weight, q);
}

int lw_ik_nearest(const lw_ik *ik, const double *q0, lw_ik_metric metric, const double *weight,
                  double *q)
{
    if (!ik || !q0 || !q) {
        return -1;
    }
    int nearest = -1;
    double least = (double)INFINITY;
    for (int i = 0; i < ik->nsolution; ++i) {
        const lw_ik_solution *s = &ik->solution[i];
        if (!s->is_exact || !s->in_limits) {
            continue;
        }
        const double d = wind_toward(ik, s, q0, metric, weight, q);
        if (d < least) {
            least = d;
            nearest = i;
        }
    }
    if (nearest >= 0) {
        wind_toward(ik, &ik->solution[nearest], q0, metric, weight, q);
    }
    return nearest;
}

int lw_ik_message(const lw_ik *ik, char *text, size_t size)
{
    if (!ik || !text || size == 0) {
        return 0;
    }
    text[0] = '\0';
    const char *unit = ik->def.task == LW_IK_POSITION ? "m" : "(m and rad)";
    if (ik->status == LW_ERR_NUMBER) {
        return snprintf(
            text, size,
            "the target or the seed has a number that is not finite, or whose square is not");
    }
    if (ik->status == LW_ERR_ARGUMENT) {
        return snprintf(text, size,
                        "the orientation of the target is not a rotation: its rows must be "
                        "orthonormal and right-handed to 1e-6");
    }
    if (ik->status != LW_OK) {
        return snprintf(text, size, "%s", lw_status_text(ik->status));
    }
    if (ik->result.distance > 0.0 && ik->result.open_loop >= 0) {
        return snprintf(text, size,
                        "the target is out of reach: loop \"%s\" stays open by %g m; the nearest "
                        "configuration is %g %s away",
                        ik->model->loop[ik->result.open_loop].name, ik->result.gap,
                        ik->result.distance, unit);
    }
    if (ik->result.distance > 0.0) {
        return snprintf(text, size,
                        "the target is out of reach: the nearest configuration is %g %s away",
                        ik->result.distance, unit);
    }
    if (ik->result.nwithin > 0 || ik->result.nsolution == 0) {
        return 0;
    }
    const int n = ik->result.nsolution;
    int length = n == 1 ? snprintf(text, size, "limits exclude the only solution: ")
                        : snprintf(text, size, "limits exclude all %d solutions: ", n);
    const char *between = "";
    for (int i = 0; i < LW_IK_JOINTS + ik->info.ndriven; ++i) {
        if ((ik->result.limits >> i & 1u) != 0) {
            const int dof = ik->model->v_start[lwi_ik_body_of(ik, i)];
            const size_t used = (size_t)length < size ? (size_t)length : size - 1;
            length += snprintf(text + used, size - used, "%s%s must be within %g and %g", between,
                               ik->model->tree_velocity_name[dof], ik->model->dof[dof].lower,
                               ik->model->dof[dof].upper);
            between = "; ";
        }
    }
    return length;
}
