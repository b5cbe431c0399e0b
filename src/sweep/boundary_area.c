// What the boundary of a workspace encloses: its area, and the largest square and rectangle within.

#include "boundary_section.h"

#include "../base/philox.h"

#include <math.h>

const double *lwi_boundary_open_end(const lw_boundary *b, double near, int *from)
{
    while (*from < 2 * b->ncurve) {
        const lw_boundary_curve *c = &b->curve[*from / 2];
        const bool at_begin = (*from)++ % 2 == 0;
        const double *p = b->point + 2 * (ptrdiff_t)(at_begin ? c->first : c->first + c->count - 1);
        bool is_met = c->is_barrier || c->is_closed;
        // Another piece ends where this one begins, or begins where it ends.
        for (int k = 0; k < b->ncurve && !is_met; ++k) {
            const lw_boundary_curve *other = &b->curve[k];
            const int last = other->first + other->count - 1;
            const double *q = b->point + 2 * (ptrdiff_t)(at_begin ? last : other->first);
            is_met = !other->is_barrier && hypot(q[0] - p[0], q[1] - p[1]) < near;
        }
        if (!is_met) {
            return p;
        }
    }
    return NULL;
}

static void find_area(lw_boundary *b, double near)
{
    for (int i = 0; i < b->ncurve; ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        for (int k = c->first; k + 1 < c->first + c->count && !c->is_barrier; ++k) {
            const double *p = b->point + 2 * (ptrdiff_t)k, *q = p + 2;
            b->area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
        }
    }
    for (int from = 0; lwi_boundary_open_end(b, near, &from);) {
        ++b->nopen;
    }
}

// The boundary has what it encloses on its left: how often it passes the ray from the point along u
// upwards, less how often downwards, is 1 within and 0 outside.
bool lw_boundary_contains(const lw_boundary *b, double u, double v)
{
    int winding = 0;
    for (int i = 0; b && i < b->ncurve; ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        if (c->is_barrier || u > c->high[0] || v < c->low[1] || v >= c->high[1]) {
            continue;
        }
        if (u < c->low[0]) { // passed as often as from its first point to its last
            winding +=
                (b->point[2 * c->first + 1] <= v) - (b->point[2 * (c->first + c->count) - 1] <= v);
            continue;
        }
        for (int k = c->first; k + 1 < c->first + c->count; ++k) {
            const double *p = b->point + 2 * (ptrdiff_t)k, *q = p + 2;
            if ((p[1] <= v) != (q[1] <= v)) {
                const double left =
                    (q[0] - p[0]) * (v - p[1]) - (u - p[0]) * (q[1] - p[1]); // of the segment
                winding += q[1] > p[1] ? left > 0.0 : -(left < 0.0);
            }
        }
    }
    return winding > 0;
}

/// The distance of the origin from the segment (x, y) + t (dx, dy), t from 0 to 1, where the larger
/// coordinate counts. It is convex in t and linear between these values.
static double larger_coordinate(double x, double y, double dx, double dy)
{
    const double above[5] = {0.0, -x, -y, y - x, -y - x},
                 below[5] = {1.0, dx, dy, dx - dy, dx + dy};
    double least = fmax(fabs(x + dx), fabs(y + dy));
    for (int i = 0; i < 5; ++i) {
        const double t = below[i] != 0.0 ? above[i] / below[i] : 0.0;
        if (t >= 0.0 && t <= 1.0) {
            least = fmin(least, fmax(fabs(x + t * dx), fabs(y + t * dy)));
        }
    }
    return least;
}

/// Half the height of the largest rectangle about a point that the boundary leaves free; it is
/// `ratio` times as wide as high. Ends early where that is less than `enough`.
static double space_about(const lw_boundary *b, const double at[2], double ratio, double enough)
{
    double least = 1e300;
    for (int i = 0; i < b->ncurve; ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        const double aside = fmax(c->low[0] - at[0], at[0] - c->high[0]) / ratio;
        if (c->is_barrier || fmax(aside, fmax(c->low[1] - at[1], at[1] - c->high[1])) >= least) {
            continue;
        }
        for (int k = c->first; k + 1 < c->first + c->count; ++k) {
            const double *p = b->point + 2 * (ptrdiff_t)k, *q = p + 2;
            const double x = (p[0] - at[0]) / ratio, y = p[1] - at[1];
            const double dx = (q[0] - p[0]) / ratio, dy = q[1] - p[1];
            // Further away than what was found, with all of the segment.
            if (fmax(fabs(x) - fabs(dx), fabs(y) - fabs(dy)) < least) {
                least = fmin(least, larger_coordinate(x, y, dx, dy));
            }
        }
        if (least < enough) {
            break;
        }
    }
    return least;
}

/// A rectangle while it is looked for.
typedef struct fitting {
    const lw_boundary *b;
    double at[2], ratio, height; ///< half of it
} fitting;

static void try_at(fitting *f, double x, double y, double ratio)
{
    const double at[2] = {x, y}, size = f->height * sqrt(f->ratio), enough = size / sqrt(ratio);
    const double height = space_about(f->b, at, ratio, enough);
    if (height > enough && height < 1e299 && lw_boundary_contains(f->b, x, y)) {
        *f = (fitting){f->b, {x, y}, ratio, height};
    }
}

// The best of a grid, then ever smaller steps about it.
static void fit(fitting *f, const double low[2], const double high[2], bool is_square,
                uint64_t seed)
{
    enum { GRID = 40, STEPS = 4000 };
    static const double ratio[5] = {1.0, 0.5, 2.0, 0.25, 4.0};
    for (int i = 0; i < GRID * GRID; ++i) {
        for (int k = 0; k < (is_square ? 1 : 5); ++k) {
            try_at(f, low[0] + (i % GRID + 0.5) / GRID * (high[0] - low[0]),
                   low[1] + (i / GRID + 0.5) / GRID * (high[1] - low[1]), ratio[k]);
        }
    }
    double step = (high[0] - low[0] + high[1] - low[1]) / GRID, turn = is_square ? 0.0 : 0.5;
    for (int n = 0; n < STEPS && f->height > 0.0; ++n) {
        double u[2], v[2];
        const double before = f->height * f->height * f->ratio;
        lwi_philox_pair(seed, (uint64_t)n, 0, 3, u);
        lwi_philox_pair(seed, (uint64_t)n, 1, 3, v);
        try_at(f, f->at[0] + step * (2.0 * u[0] - 1.0), f->at[1] + step * (2.0 * u[1] - 1.0),
               f->ratio * exp(turn * (2.0 * v[0] - 1.0)));
        const bool is_better = f->height * f->height * f->ratio > before;
        step *= is_better ? 1.0 : 0.995;
        turn *= is_better ? 1.0 : 0.995;
    }
}

void lwi_boundary_measure(lw_boundary *b, double near, uint64_t seed)
{
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    find_area(b, near);
    for (int i = 0; i < b->ncurve; ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        for (int j = 0; j < 2 && !c->is_barrier; ++j) {
            low[j] = fmin(low[j], c->low[j]);
            high[j] = fmax(high[j], c->high[j]);
        }
    }
    if (low[0] < high[0]) {
        fitting square = {.b = b, .ratio = 1.0};
        fit(&square, low, high, true, seed);
        fitting any = square;
        fit(&any, low, high, false, seed);
        // Within a boundary with open ends points far outside may seem to be in it.
        const double most = 4.0 * any.height * any.height * any.ratio;
        b->has_box = square.height > 0.0 && most <= 1.001 * b->area;
        b->box[0] = square.at[0];
        b->box[1] = square.at[1];
        b->box[2] = 2.0 * square.height;
        b->rectangle[0] = any.at[0];
        b->rectangle[1] = any.at[1];
        b->rectangle[2] = 2.0 * any.height * any.ratio;
        b->rectangle[3] = 2.0 * any.height;
    }
}
