// Continuation of extremal configurations. A configuration on the boundary is singular, and no
// joint at a limit could leave it such that the point moves on outwards: J_i' xi has the sign that
// presses the joint against its limit, where xi is the outward normal; nor can any motion to second
// order. Of the singular
// configurations of a redundant arm, which are too many to be searched, few are of this kind. They
// are followed with the joints at limits as an active set: a joint that meets its limit joins the
// set, and leaves it where its multiplier J_i' xi changes sign.
//
// Each curve begins where a way into a cell that is not reached ended, or where another one ended.
// It is followed along its image, by shortest steps (boundary_curve.c), with what can be reached on
// its left or, backwards, on its right; where its image turns back it is no boundary any more.

#include "boundary_curve.h"

#include "../math/cholesky.h"
#include "../math/pi.h"
#include "../math/row_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = LWI_BOUNDARY_JOINTS,
    ROWS = LWI_BOUNDARY_ROWS,
    UNKNOWNS = LWI_CURVE_UNKNOWNS,
    MOST_POINTS = 20000,
    MOST_TRACES = 1000
};

typedef struct start {
    unsigned fixed;
    double x[N], xi[ROWS];
} start;

typedef struct walk {
    lwi_section *s;
    const lwi_cells *cells;
    const lwi_trace_sink *sink;
    start *todo; ///< where curves ended, and others may begin
    int ntodo, space;
    int ntrace;
    bool is_short_of_memory;
} walk;

static unsigned limit_of(const lwi_curve *c, int joint)
{
    return c->fixed >> (2 * joint) & 3u;
}

/// The first joint at a limit that could leave it and move the point outwards, or -1.
static int leaving(const lwi_curve *c, const double *y)
{
    for (int j = 0; j < c->s->njoint; ++j) {
        double pressed = 0.0;
        for (int k = 0; k < c->s->rows; ++k) {
            pressed += c->J[k * N + j] * y[c->nfree + k];
        }
        pressed = limit_of(c, j) == 1u ? -pressed : pressed;
        if (limit_of(c, j) != 0u && pressed < -1e-10 * c->s->size) {
            return j;
        }
    }
    return -1;
}

/// Whether no motion that leaves the point where it is to first order moves it outwards to second:
/// H is not positive where J vanishes.
static bool is_outermost(const lwi_curve *c)
{
    const int n = c->nfree, rows = c->s->rows;
    double V[ROWS * N], z[ROWS] = {0.0}, HP[N * N], U[N * N];
    for (int k = 0; k < rows; ++k) {
        for (int i = 0; i < n; ++i) {
            V[k * n + i] = c->J[k * N + c->free[i]];
        }
    }
    const int rank = lwi_row_space(rows, n, 1e-7, V, z);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            HP[i * n + j] = 0.5 * (c->H[i][j] + c->H[j][i]);
        }
        for (int k = 0; k < rank; ++k) {
            const double share = lwi_dot(n, V + k * n, HP + i * n);
            for (int j = 0; j < n; ++j) {
                HP[i * n + j] -= share * V[k * n + j];
            }
        }
    }
    // The largest eigenvalue of P H P is below the tolerance where that times 1 - P H P has a
    // factor.
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            U[i * n + j] = -HP[i * n + j];
        }
        for (int k = 0; k < rank; ++k) {
            double share = 0.0;
            for (int i = 0; i < n; ++i) {
                share += V[k * n + i] * HP[i * n + j];
            }
            for (int i = 0; i < n; ++i) {
                U[i * n + j] += share * V[k * n + i];
            }
        }
        U[j * n + j] += 1e-6 * c->s->size;
    }
    return lwi_cholesky(n, U);
}

/// The direction of the image with the workspace on the left: xi is outwards.
static bool direction_of(const lwi_curve *c, const double *y, double d[2])
{
    const double *xi = y + c->nfree, length = hypot(xi[0], xi[1]);
    d[0] = -xi[1] / length;
    d[1] = xi[0] / length;
    return length > 1e-6;
}

/// One step along the image from y. False where there is none: the image stands still.
static bool advance(lwi_curve *c, const double *y, double step, double *next, double image[2])
{
    const int n = c->n;
    lwi_curve_matrix A;
    double b[UNKNOWNS], way[UNKNOWNS], d[2], gain = 0.0, length = 0.0, off = 0.0;
    if (!lwi_curve_equations(c, y, b, A, image) || !direction_of(c, y, d)) {
        return false;
    }
    const double from[2] = {image[0], image[1]};
    for (int k = 0; k < n; ++k) {
        const int j = k < c->nfree ? c->free[k] : 0;
        A[n - 1][k] = k < c->nfree ? d[0] * c->J[j] + d[1] * c->J[N + j] : 0.0;
        b[k] = k == n - 1;
    }
    if (!lwi_shortest_solution(n, n, A, b, way)) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        gain += A[n - 1][k] * way[k];
        length += way[k] * way[k];
    }
    if (gain < 0.9) {
        return false;
    }
    double ahead[UNKNOWNS], same = 0.0;
    for (int k = 0; k < n; ++k) {
        next[k] = ahead[k] = y[k] + step * way[k] / sqrt(length);
    }
    if (!lwi_curve_settle(c, next, -1, image)) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        off += (next[k] - ahead[k]) * (next[k] - ahead[k]);
        same += k < c->nfree ? 0.0 : next[k] * y[k];
    }
    const double moved = (image[0] - from[0]) * d[0] + (image[1] - from[1]) * d[1];
    return sqrt(off) < 0.5 * fabs(step) && same > 0.9 && moved * step > 0.0;
}

static void later(walk *w, unsigned fixed, const double *x, const double *xi)
{
    if (w->ntodo == w->space) {
        const int space = 2 * w->space + 64;
        start *larger = realloc(w->todo, (size_t)space * sizeof *larger);
        if (!larger) {
            w->is_short_of_memory = true;
            return;
        }
        w->todo = larger;
        w->space = space;
    }
    start *at = &w->todo[w->ntodo++];
    at->fixed = fixed;
    memcpy(at->x, x, sizeof at->x);
    memcpy(at->xi, xi, sizeof at->xi);
}

/// At a corner another joint leaves its limit, and xi is across all that then moves.
static void leave_corner(walk *w, unsigned fixed, const double *x)
{
    const int rows = w->s->rows;
    lwi_curve c;
    double p[ROWS], J[ROWS * N], V[ROWS * N] = {0.0}, z[N] = {0.0}, normal[ROWS] = {0.0};
    if (!lwi_curve_open(&c, w->s, fixed) || !lwi_section_place(w->s, x, p, J)) {
        return;
    }
    for (int i = 0; i < c.nfree; ++i) {
        for (int k = 0; k < rows; ++k) {
            V[rows * i + k] = J[k * N + c.free[i]];
        }
    }
    if (lwi_row_space(c.nfree, rows, 1e-7, V, z) != rows - 1) {
        return;
    }
    // The axis with the smallest share in their space, less that share.
    double least = 2.0;
    for (int axis = 0; axis < rows; ++axis) {
        double share = 0.0, rest[ROWS] = {0.0};
        rest[axis] = 1.0;
        for (int i = 0; i < rows - 1; ++i) {
            share += V[rows * i + axis] * V[rows * i + axis];
            for (int k = 0; k < rows; ++k) {
                rest[k] -= V[rows * i + axis] * V[rows * i + k];
            }
        }
        if (share < least) {
            least = share;
            memcpy(normal, rest, sizeof normal);
        }
    }
    const double length = sqrt(lwi_dot(rows, normal, normal));
    for (int sign = 1; sign >= -1; sign -= 2) {
        double xi[ROWS] = {0.0};
        for (int k = 0; k < rows; ++k) {
            xi[k] = sign * normal[k] / length;
        }
        later(w, fixed, x, xi);
    }
}

/// Ends a curve where joint i of `wider`, which is free there, is at a limit: that is the point at
/// which the curves with and without it meet.
static void end_at(walk *w, lwi_curve *wider, unsigned limit, int joint, const double *x,
                   const double *xi, lwi_trace *t)
{
    double y[UNKNOWNS], image[2];
    int held = -1;
    for (int i = 0; i < wider->nfree; ++i) {
        held = wider->free[i] == joint ? i : held;
        y[i] = x[wider->free[i]];
    }
    y[held] = limit == 1u ? w->s->low[joint] : w->s->high[joint];
    memcpy(y + wider->nfree, xi, (size_t)w->s->rows * sizeof *y);
    if (!lwi_curve_settle(wider, y, held, image)) {
        return;
    }
    const double *last = lwi_trace_point(t, t->count - 1);
    if (hypot(image[0] - last[0], image[1] - last[1]) > 1e-9 * w->s->size &&
        !lwi_curve_put(wider, y, image, t)) {
        w->is_short_of_memory = true;
    }
    double normal[ROWS] = {0.0};
    memcpy(normal, y + wider->nfree, (size_t)w->s->rows * sizeof *y);
    const unsigned fixed = wider->fixed | limit << (2 * joint);
    later(w, wider->fixed, wider->x, normal);
    later(w, fixed, wider->x, normal);
    for (int j = 0; j < w->s->njoint; ++j) {
        if (wider->fixed >> (2 * j) & 3u) {
            leave_corner(w, fixed & ~(3u << (2 * j)), wider->x);
        }
    }
}

/// Whether the curve ends between y and next: a joint meets a limit, or leaves it.
static bool ends_between(walk *w, lwi_curve *c, const double *y, const double *next, lwi_trace *t)
{
    double limit, x[N];
    const int i = lwi_curve_outside(c, next, &limit), out = i < 0 ? leaving(c, next) : -1;
    if (i < 0 && out < 0) {
        return false;
    }
    const double part = i >= 0 ? (limit - y[i]) / (next[i] - y[i]) : 0.5;
    memcpy(x, c->x, sizeof x);
    for (int k = 0; k < c->nfree; ++k) {
        x[c->free[k]] = y[k] + part * (next[k] - y[k]);
    }
    if (i >= 0) {
        const int joint = c->free[i];
        end_at(w, c, limit <= w->s->low[joint] ? 1u : 2u, joint, x, next + c->nfree, t);
        return true;
    }
    lwi_curve wider;
    if (lwi_curve_open(&wider, w->s, c->fixed & ~(3u << (2 * out)))) {
        end_at(w, &wider, limit_of(c, out), out, x, next + c->nfree, t);
    }
    return true;
}

/// Ends a curve at y where it is outermost no more. Where that is on the axis of a joint, the joint
/// rotates freely, and other curves begin with it at either limit.
static void end_on_axis(walk *w, const lwi_curve *c, const double *y)
{
    const lwi_section *s = w->s;
    double x[N], p[ROWS], J[ROWS * N];
    memcpy(x, c->x, sizeof x);
    for (int i = 0; i < c->nfree; ++i) {
        x[c->free[i]] = y[i];
    }
    if (!lwi_section_place(w->s, x, p, J)) {
        return;
    }
    for (int i = 0; i < c->nfree; ++i) {
        const int j = c->free[i];
        const double at = x[j];
        double off = 0.0;
        for (int k = 0; k < s->rows; ++k) {
            off = hypot(off, J[k * N + j]);
        }
        for (unsigned limit = 1u; limit <= 2u && !s->is_full[j] && off < 1e-4 * s->size; ++limit) {
            x[j] = limit == 1u ? s->low[j] : s->high[j];
            leave_corner(w, c->fixed | limit << (2 * j), x);
        }
        x[j] = at;
    }
}

/// Whether the curve is inside of what is reached at y: its cells say so, and a point just outside
/// of it is reached, for a gap may be narrower than a cell.
static bool is_inside(const walk *w, const lwi_curve *c, const double *y, const double image[2])
{
    const lwi_section *s = w->s;
    const double *xi = y + c->nfree, off = 1e-6 * s->size;
    const double length = hypot(xi[0], xi[1]);
    const double outside[2] = {image[0] + off * xi[0] / length, image[1] + off * xi[1] / length};
    return lwi_cells_surround(w->cells, image) && lwi_section_reaches(w->s, outside, c->x);
}

/// Follows the curve from `begin`, forwards or backwards by the sign of `step`. Returns whether it
/// came back.
static bool follow(walk *w, lwi_curve *c, const double *begin, double step, lwi_trace *t)
{
    const double longest = fabs(step);
    const double home[2] = {lwi_trace_point(t, t->count - 1)[0],
                            lwi_trace_point(t, t->count - 1)[1]};
    double y[UNKNOWNS], next[UNKNOWNS], image[2];
    memcpy(y, begin, sizeof y);
    for (int points = 0; points < MOST_POINTS;) {
        // Where it is outermost no more, as where it meets an axis of rotation, it has its end:
        // that is approached, for curves that meet there are joined by their ends.
        const bool is_found = advance(c, y, step, next, image);
        if (!is_found || !is_outermost(c)) {
            step *= 0.5;
            if (fabs(step) < 1e-4 * longest) {
                if (is_found) {
                    end_on_axis(w, c, y);
                }
                return false;
            }
            continue;
        }
        if (ends_between(w, c, y, next, t)) {
            return false;
        }
        const double *last = lwi_trace_point(t, t->count - 1);
        const double u = image[0] - last[0], v = image[1] - last[1], uu = u * u + v * v;
        const double du = home[0] - last[0], dv = home[1] - last[1], part = du * u + dv * v;
        double same = 0.0;
        for (int k = c->nfree; k < c->n; ++k) {
            same += next[k] * begin[k];
        }
        const bool is_back = ++points > 4 && part >= 0.0 && part <= uu && same > 0.9 &&
                             fabs(du * v - dv * u) < 0.1 * uu;
        if (is_back || is_inside(w, c, next, image)) {
            return is_back;
        }
        if (!lwi_curve_put(c, next, image, t)) {
            w->is_short_of_memory = true;
            return false;
        }
        memcpy(y, next, sizeof y);
        step = copysign(fmin(longest, 1.5 * fabs(step)), step);
    }
    return false;
}

/// Whether a step from y leads to a part of the boundary that is not there yet.
static bool leads_on(const walk *w, lwi_curve *c, const double *y, double step)
{
    double next[UNKNOWNS], image[2], d[2], limit;
    // Its other end may be nearer than a step.
    for (int n = 0; n < 8; ++n, step *= 0.5) {
        if (advance(c, y, step, next, image) && lwi_curve_outside(c, next, &limit) < 0 &&
            leaving(c, next) < 0 && is_outermost(c)) {
            return direction_of(c, next, d) && !w->sink->has(w->sink->context, image, d);
        }
    }
    return false;
}

/// Whether the curve may be part of the boundary at y, where its equations were evaluated last.
static bool is_extremal(const walk *w, const lwi_curve *c, const double *y, const double image[2])
{
    double limit;
    return lwi_curve_outside(c, y, &limit) < 0 && leaving(c, y) < 0 && is_outermost(c) &&
           !lwi_cells_surround(w->cells, image);
}

/// Settles on the curve at y, or where it is not extremal there, a step beside: y may be its end.
static bool begin_at(const walk *w, lwi_curve *c, double *y, double image[2])
{
    double beside[UNKNOWNS] = {0.0};
    if (!lwi_curve_settle(c, y, -1, image)) {
        return false;
    }
    if (is_extremal(w, c, y, image)) {
        return true;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        if (advance(c, y, sign * w->s->def->step, beside, image) &&
            is_extremal(w, c, beside, image)) {
            memcpy(y, beside, sizeof beside);
            return true;
        }
    }
    return false;
}

static lw_status trace_from(walk *w, const start *from)
{
    lwi_curve c;
    double y[UNKNOWNS] = {0.0}, image[2];
    const double step = w->s->def->step;
    if (!lwi_curve_open(&c, w->s, from->fixed)) {
        return LW_OK;
    }
    for (int i = 0; i < c.nfree; ++i) {
        y[i] = from->x[c.free[i]];
    }
    memcpy(y + c.nfree, from->xi, (size_t)w->s->rows * sizeof *y);
    if (!begin_at(w, &c, y, image) || !(leads_on(w, &c, y, step) || leads_on(w, &c, y, -step))) {
        return LW_OK;
    }
    lwi_trace t = {0};
    const int ntodo = w->ntodo;
    bool is_good = lwi_curve_put(&c, y, image, &t);
    const bool is_closed = is_good && follow(w, &c, y, -step, &t);
    if (is_closed) {
        is_good = lwi_curve_put(&c, y, image, &t);
    }
    lwi_trace_reverse(&t);
    if (is_good && !is_closed) {
        follow(w, &c, y, step, &t);
    }
    lw_status status = is_good && !w->is_short_of_memory ? LW_OK : LW_ERR_MEMORY;
    w->ntodo = t.count > 1 ? w->ntodo : ntodo; // it ended where it began
    if (status == LW_OK && t.count > 1) {
        ++w->ntrace;
        status = w->sink->add(w->sink->context, &t, is_closed);
    }
    free(t.at);
    return status;
}

/// From x, where a way to `goal` ended: what was left of it is xi.
static bool start_at(walk *w, const double goal[2], const double *x, start *from)
{
    lwi_section *s = w->s;
    double p[ROWS], J[ROWS * N], length = 0.0;
    const double wanted[ROWS] = {goal[0], goal[1]};
    if (!lwi_section_place(s, x, p, J)) {
        return false;
    }
    *from = (start){0};
    memcpy(from->x, x, sizeof from->x);
    for (int k = 0; k < s->rows; ++k) {
        from->xi[k] = wanted[k] - p[k];
        length += from->xi[k] * from->xi[k];
    }
    for (int k = 0; k < s->rows; ++k) {
        from->xi[k] /= sqrt(length);
    }
    for (int i = 0; i < s->njoint; ++i) {
        double pressed = 0.0;
        for (int k = 0; k < s->rows; ++k) {
            pressed += J[k * N + i] * from->xi[k];
        }
        const bool is_low = x[i] <= s->low[i], is_high = x[i] >= s->high[i];
        if (!s->is_full[i] && ((is_low && pressed < 0.0) || (is_high && pressed > 0.0))) {
            from->fixed |= (is_low ? 1u : 2u) << (2 * i);
        }
    }
    return length > 0.0;
}

/// Traces the curve at which a way to `goal` ended, and those that begin where it ends.
static lw_status trace_from_stuck(walk *w, const double goal[2], const double *x)
{
    start from;
    lw_status status = start_at(w, goal, x, &from) ? trace_from(w, &from) : LW_OK;
    while (w->ntodo > 0 && w->ntrace < MOST_TRACES && status == LW_OK) {
        from = w->todo[--w->ntodo];
        status = trace_from(w, &from);
    }
    return status;
}

lw_status lwi_section_trace_extremal(lwi_section *s, const lwi_cells *cells,
                                     const lwi_trace_sink *sink)
{
    walk w = {.s = s, .cells = cells, .sink = sink};
    lw_status status = LW_OK;
    for (int i = 0; i < cells->nstuck && w.ntrace < MOST_TRACES && status == LW_OK; ++i) {
        double goal[2];
        if (cells->is_reached[cells->stuck[i].cell]) {
            continue;
        }
        lwi_cell_center(cells, cells->stuck[i].cell, goal);
        status = trace_from_stuck(&w, goal, cells->stuck[i].x);
        if (s->def->cancel && s->def->cancel(s->def->context)) {
            break;
        }
    }
    free(w.todo);
    return status;
}

lw_status lwi_section_trace_about(lwi_section *s, const lwi_cells *cells, const double p[2],
                                  const double *q, const lwi_trace_sink *sink)
{
    // From beside the end itself, where two branches of one set of joints may cross; from anywhere,
    // such as another posture of the wrist; and from what leads close.
    enum { AROUND = 8, STARTS = 18, BESIDE = 2, ANYWHERE = 8 };
    walk w = {.s = s, .cells = cells, .sink = sink};
    lw_status status = LW_OK;
    for (int n = 0; n < 2 * AROUND && status == LW_OK; ++n) {
        const double angle = LWI_TWO_PI * n / AROUND, off = (n < AROUND ? 0.3 : 0.03) * cells->edge;
        const double goal[2] = {p[0] + off * cos(angle), p[1] + off * sin(angle)};
        double stuck[STARTS][N], beyond = -1.0;
        int nstuck = 0;
        bool is_reached = false;
        for (int k = 0; k < STARTS && !is_reached; ++k) {
            double *x = stuck[nstuck];
            const double *near = k < ANYWHERE ? NULL : lwi_section_near(s, goal, &beyond);
            if (k >= ANYWHERE && !near) {
                break;
            }
            lwi_section_draw(s, x);
            if (k < BESIDE) {
                lwi_section_joints(s, q, x);
            }
            for (int i = 0; i < s->njoint && k < BESIDE; ++i) {
                const double share = lwi_section_share(s) - 0.5;
                x[i] = lwi_section_clip(s, i, x[i] + 0.1 * share);
            }
            if (near) {
                memcpy(x, near, sizeof stuck[nstuck]);
            }
            is_reached = lwi_section_descend(s, goal, stuck[nstuck++]);
        }
        for (int k = 0; k < nstuck && !is_reached && status == LW_OK; ++k) {
            status = trace_from_stuck(&w, goal, stuck[k]);
        }
    }
    free(w.todo);
    return status;
}
