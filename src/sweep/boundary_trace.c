// Continuation of singular configurations: the whole curve from a point of it, and all curves with
// the same joints at limits from random starts.

#include "boundary_curve.h"

#include "../math/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 50000, MOST_CURVES = 16, ITERATIONS = 25, UNKNOWNS = LWI_CURVE_UNKNOWNS };

/// The direction of the curve at y [n].
static bool find_tangent(lwi_curve *c, const double *y, double *tangent)
{
    const int n = c->n;
    lwi_curve_matrix A;
    double residual[UNKNOWNS], image[2], length = 0.0;
    if (!lwi_curve_equations(c, y, residual, A, image)) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        A[n - 1][k] = 2.0 * lwi_section_share(c->s) - 1.0;
        tangent[k] = k == n - 1;
    }
    if (!lwi_solve_square(n, A, tangent)) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        length += tangent[k] * tangent[k];
    }
    for (int k = 0; k < n; ++k) {
        tangent[k] /= sqrt(length);
    }
    return true;
}

/// Newton's method onto the curve, across `along` from y. Leaves the tangent of the curve in
/// `tangent` [n].
static bool correct(lwi_curve *c, double *y, const double *along, double image[2], double *tangent)
{
    const int n = c->n;
    lwi_curve_matrix A;
    double residual[UNKNOWNS];
    for (int it = 0; it < ITERATIONS; ++it) {
        if (!lwi_curve_equations(c, y, residual, A, image)) {
            return false;
        }
        double worst = 0.0, length = 0.0;
        for (int e = 0; e < n - 1; ++e) {
            worst = fmax(worst, fabs(residual[e]));
        }
        const bool is_done = worst < 1e-13 * (1.0 + c->s->size);
        memcpy(A[n - 1], along, (size_t)n * sizeof *along);
        residual[n - 1] = 0.0;
        for (int e = 0; e < n; ++e) {
            residual[e] = is_done ? (double)(e == n - 1) : residual[e];
        }
        if (!lwi_solve_square(n, A, residual)) {
            return false;
        }
        for (int k = 0; k < n; ++k) {
            length += residual[k] * residual[k];
        }
        length = sqrt(length);
        if (is_done) {
            for (int k = 0; k < n; ++k) {
                tangent[k] = residual[k] / length;
            }
            return true;
        }
        const double share = length > 0.5 ? 0.5 / length : 1.0;
        for (int k = 0; k < n; ++k) {
            y[k] -= share * residual[k];
        }
    }
    return false;
}

/// The point at which unknown i is at its limit.
static void end_at_limit(lwi_curve *c, const double *before, const double *beyond, int i,
                         double limit, lwi_trace *t)
{
    const double part = (limit - before[i]) / (beyond[i] - before[i]);
    double y[UNKNOWNS], image[2];
    for (int k = 0; k < c->n; ++k) {
        y[k] = before[k] + part * (beyond[k] - before[k]);
    }
    y[i] = limit;
    if (lwi_curve_settle(c, y, i, image)) {
        lwi_curve_put(c, y, image, t);
    }
}

/// Follows the curve from y to one side. Returns whether it came back.
static bool follow(lwi_curve *c, const double *start, const double *first, lwi_trace *t)
{
    const int n = c->n;
    const double longest = c->s->def->step;
    double y[UNKNOWNS], next[UNKNOWNS], tangent[UNKNOWNS], turned[UNKNOWNS], image[2], limit;
    double step = longest;
    memcpy(y, start, (size_t)n * sizeof *y);
    memcpy(tangent, first, (size_t)n * sizeof *y);
    for (int points = 0; points < MOST_POINTS;) {
        double turn = 0.0, back = 0.0, ahead = 0.0;
        for (int k = 0; k < n; ++k) {
            next[k] = y[k] + step * tangent[k];
        }
        const bool is_found = correct(c, next, tangent, image, turned);
        for (int k = 0; k < n && is_found; ++k) {
            turn += turned[k] * tangent[k];
        }
        if (!is_found || turn < 0.9) {
            step *= 0.5;
            if (step < 1e-4 * longest) {
                return false;
            }
            continue;
        }
        const int i = lwi_curve_outside(c, next, &limit);
        if (i >= 0) {
            end_at_limit(c, y, next, i, limit, t);
            return false;
        }
        memcpy(y, next, (size_t)n * sizeof *y);
        memcpy(tangent, turned, (size_t)n * sizeof *y);
        step = fmin(longest, 1.5 * step);
        for (int k = 0; k < n; ++k) {
            double gap = y[k] - start[k];
            if (k < c->nfree && c->s->is_full[c->free[k]]) {
                gap = remainder(gap, LWI_TWO_PI);
            }
            back += gap * gap;
            ahead += gap * first[k];
        }
        if (++points > 4 && sqrt(back) < 1.5 * longest && ahead <= 0.0 && ahead > -1.5 * longest) {
            lwi_curve_put(c, y, image, t);
            return true;
        }
        if (!lwi_curve_put(c, y, image, t)) {
            return false;
        }
    }
    return false;
}

/// Whether a trace passes this configuration.
static bool is_known(const lwi_curve *c, const lwi_trace *t, const double *y)
{
    const double most = 4.0 * c->s->def->step * c->s->def->step;
    for (int p = 0; p < t->count; ++p) {
        double sum = 0.0;
        for (int i = 0; i < c->nfree; ++i) {
            const int j = c->free[i];
            const double gap = t->at[(ptrdiff_t)p * LWI_TRACE_WIDTH + 2 + j] - y[i];
            sum += c->s->is_full[j] ? remainder(gap, LWI_TWO_PI) * remainder(gap, LWI_TWO_PI)
                                    : gap * gap;
        }
        if (sum < most) {
            return true;
        }
    }
    return false;
}

/// The whole curve through y: back to its begin, then on. Returns whether it is closed.
static bool trace_both_ways(lwi_curve *c, const double *y, const double image[2], double *tangent,
                            lwi_trace *t)
{
    lwi_curve_put(c, y, image, t);
    const bool is_closed = follow(c, y, tangent, t);
    if (is_closed) {
        lwi_curve_put(c, y, image, t);
    } else {
        lwi_trace_reverse(t);
        for (int k = 0; k < c->n; ++k) {
            tangent[k] = -tangent[k];
        }
        follow(c, y, tangent, t);
    }
    return is_closed;
}

lw_status lwi_section_trace(lwi_section *s, unsigned fixed, const lwi_trace_sink *sink)
{
    lwi_curve c;
    lwi_trace known = {0};
    lw_status status = LW_OK;
    if (!lwi_curve_open(&c, s, fixed)) {
        return LW_OK;
    }
    // Starts since the last new curve. Those of redundant arms have no end.
    int found = 0;
    for (int n = 0; n < s->def->starts && found < MOST_CURVES && status == LW_OK; ++n) {
        double y[UNKNOWNS], tangent[UNKNOWNS], image[2], limit, x[LWI_BOUNDARY_JOINTS];
        lwi_section_draw(s, x);
        for (int i = 0; i < c.nfree; ++i) {
            // From beyond the limits too: Newton's method reaches some curves from there alone.
            const double middle = 0.5 * (s->low[c.free[i]] + s->high[c.free[i]]);
            y[i] = middle + (n % 2 == 0 ? 1.0 : 1.3) * (x[c.free[i]] - middle);
        }
        for (int k = 0; k < s->rows; ++k) {
            y[c.nfree + k] = 2.0 * lwi_section_share(s) - 1.0;
        }
        if (!lwi_curve_settle(&c, y, -1, image) || lwi_curve_outside(&c, y, &limit) >= 0 ||
            is_known(&c, &known, y) || !find_tangent(&c, y, tangent)) {
            continue;
        }
        lwi_trace t = {0};
        n = -1;
        ++found;
        const bool is_closed = trace_both_ways(&c, y, image, tangent, &t);
        status = t.count > 1 ? sink->add(sink->context, &t, is_closed) : LW_OK;
        for (int p = 0; p < t.count && status == LW_OK; ++p) {
            double *at = lwi_trace_add(&known);
            if (!at) {
                status = LW_ERR_MEMORY;
            } else {
                memcpy(at, t.at + (ptrdiff_t)p * LWI_TRACE_WIDTH, LWI_TRACE_WIDTH * sizeof *at);
            }
        }
        free(t.at);
    }
    free(known.at);
    return status;
}
