// The pose of least energy from any pose near the ground.
//
// Sequential linear programs in a trust region (R. H. Byrd, N. I. M. Gould, J. Nocedal,
// R. A. Waltz, "An algorithm for nonlinear optimization using linear programming and equality
// constrained subproblems", 2004): the bounds as they change at the trial, and the sides of a box
// round it, make a linear program, whose vertex says which bounds are active. Its method is the
// dual simplex method (C. E. Lemke, 1954), from the corner of the box that is lowest or from the
// bounds that were active before. A step to a bound or a side that is not near is one along an
// edge: it ends where the energy is least, by its curvature. The step is taken where it lowers the
// energy and what the wheels are in the ground together; else the box shrinks.
#include "stand.h"

#include "../math/invert.h"

#include <math.h>

enum { PIVOTS = 100 };

// --- The linear program -----------------------------------------------------------------------

// Sides of the box: unknown k is at most `radius` lower, and higher.
static void place_sides(standing *s, double radius)
{
    lw_wheels *w = s->w;
    const int n = w->nunknown;
    double deepest = 0.0;
    for (int bound = 0; bound < w->nbound; ++bound) {
        deepest = fmax(deepest, -w->gap[bound]);
    }
    for (int k = 0; k < n; ++k) {
        for (int side = 0; side < 2; ++side) {
            const int bound = w->nbound + 2 * k + side;
            double *row = bound_row(w, bound);
            memset(row, 0, (size_t)n * sizeof *row);
            row[k] = side ? -1.0 : 1.0;
            w->gap[bound] = radius;
        }
    }
    w->gap[w->nbound + 1] += 10.0 * deepest; // up to where no wheel is in the ground
}

// Whether the active bounds push, so that the dual method can go on from them.
static bool is_dual_feasible(const standing *s)
{
    const lw_wheels *w = s->w;
    for (int i = 0; i < w->nunknown; ++i) {
        if (!(w->force[i] >= 0.0) || !isfinite(w->gap[w->active[i]])) {
            return false;
        }
    }
    return true;
}

static bool begin_program(standing *s)
{
    lw_wheels *w = s->w;
    if (w->active[0] >= 0 && lwi_stand_invert(w)) {
        lwi_stand_forces(w);
        if (is_dual_feasible(s)) {
            return true;
        }
    }
    for (int k = 0; k < w->nunknown; ++k) {
        w->active[k] = w->nbound + 2 * k + (w->gradient[k] < 0.0);
    }
    return lwi_stand_invert(w);
}

// step = -A^-1 gap: to where all active bounds hold.
static void step_to_bounds(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum -= w->inverse[i * n + k] * w->gap[w->active[k]];
        }
        w->step[i] = sum;
    }
}

// The bound that the step crosses most; -1 where all hold.
static int first_violated(const lw_wheels *w)
{
    const int n = w->nunknown;
    int worst = -1;
    double least = -1e-13;
    for (int bound = 0; bound < w->nbound + 2 * n; ++bound) {
        if (!isfinite(w->gap[bound]) || is_active(w, bound)) {
            continue;
        }
        const double *row = bound_row(w, bound);
        double gap = w->gap[bound];
        for (int k = 0; k < n; ++k) {
            gap += row[k] * w->step[k];
        }
        if (gap < least) {
            least = gap;
            worst = bound;
        }
    }
    return worst;
}

// A bound that is not kept takes the place of the active one whose force vanishes first.
static bool take_in(lw_wheels *w, int bound)
{
    const int n = w->nunknown;
    const double *row = bound_row(w, bound);
    int leaves = -1;
    double least = HUGE_VAL, largest = 0.0;
    for (int i = 0; i < n; ++i) {
        double share = 0.0;
        for (int k = 0; k < n; ++k) {
            share += w->inverse[k * n + i] * row[k];
        }
        const double ratio = fmax(w->force[i], 0.0) / share;
        if (share > 1e-7 && (ratio < least || (ratio <= least && share > largest))) {
            least = ratio;
            largest = share;
            leaves = i;
        }
    }
    if (leaves >= 0) {
        w->active[leaves] = bound;
    }
    return leaves >= 0;
}

// The active bounds at the lowest vertex, their inverse and their forces. False where there is
// none.
static bool find_vertex(standing *s)
{
    lw_wheels *w = s->w;
    if (!begin_program(s)) {
        return false;
    }
    for (int pivot = 0; pivot < PIVOTS; ++pivot) {
        step_to_bounds(w);
        lwi_stand_forces(w);
        const int bound = first_violated(w);
        if (bound < 0) {
            return true;
        }
        if (!take_in(w, bound) || !lwi_stand_invert(w)) {
            return false;
        }
    }
    return false;
}

// --- Edges ------------------------------------------------------------------------------------

static double column_size(const lw_wheels *w, int i, int *largest)
{
    const int n = w->nunknown;
    *largest = 0;
    for (int k = 1; k < n; ++k) {
        if (fabs(w->inverse[k * n + i]) > fabs(w->inverse[*largest * n + i])) {
            *largest = k;
        }
    }
    return fabs(w->inverse[*largest * n + i]);
}

// A step along an edge: to a side of the box, or to a bound that is far away, or pushes so little
// that energy may rise on the way there. Along it the active bound i is a side.
static bool find_edges(lw_wheels *w, double weight)
{
    const int n = w->nunknown;
    bool has_edges = false;
    for (int i = 0; i < n; ++i) {
        int k;
        const double size = column_size(w, i, &k), far = w->gap[w->active[i]] * size; // rad or m
        w->is_edge[i] = is_side(w, w->active[i]) || far > 0.01 || w->force[i] < weight * size * far;
        has_edges |= w->is_edge[i];
    }
    return has_edges;
}

// d' (dE/du - A' f) along edge i.
static double slope_along(const lw_wheels *w, int i)
{
    const int n = w->nunknown;
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        double slope = w->gradient[k];
        for (int j = 0; j < n; ++j) {
            slope -= w->is_edge[j] ? 0.0 : w->force[j] * bound_row(w, w->active[j])[k];
        }
        sum += w->inverse[k * n + i] * slope;
    }
    return sum;
}

// Second derivatives of the energy along edges while the other forces stay, by differences of
// slopes; the unit matrix elsewhere.
static lw_status find_curvature(standing *s)
{
    lw_wheels *w = s->w;
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        int largest;
        const double length = 1e-5 / column_size(w, i, &largest); // rows are exact to 1e-9
        for (int k = 0; k < n; ++k) {
            w->curvature[i * n + k] = i == k;
            w->step[k] = w->inverse[k * n + i];
        }
        if (!w->is_edge[i]) {
            continue;
        }
        lwi_stand_move(s, w->step, length);
        lw_status status = lwi_stand_evaluate(s);
        status = status == LW_OK ? lwi_stand_gradient(s) : status;
        for (int j = 0; j < n && status == LW_OK; ++j) {
            if (w->is_edge[j]) {
                w->curvature[i * n + j] = (slope_along(w, j) - w->force[j]) / length;
            }
        }
        lwi_stand_move(s, w->step, -length);
        if (status != LW_OK) {
            return status;
        }
    }
    const lw_status status = lwi_stand_evaluate(s);
    return status == LW_OK ? lwi_stand_gradient(s) : status;
}

// How far each active bound is to be closed: the whole way, and along edges to where the energy is
// least, C x = f, if that is nearer (Gauss-Seidel iterations with bounds).
static void limit_steps(lw_wheels *w, double radius)
{
    const int n = w->nunknown;
    double *x = w->close;
    for (int i = 0; i < n; ++i) {
        x[i] = w->is_edge[i] ? 0.0 : w->gap[w->active[i]];
    }
    for (int sweep = 0; sweep < 10; ++sweep) {
        for (int i = 0; i < n; ++i) {
            int largest;
            const double c = w->curvature[i * n + i], far = w->gap[w->active[i]];
            double force = w->force[i];
            if (!w->is_edge[i]) {
                continue;
            }
            for (int k = 0; k < n; ++k) {
                force -= k != i && w->is_edge[k] ? w->curvature[i * n + k] * x[k] : 0.0;
            }
            const double back = -radius / column_size(w, i, &largest);
            x[i] = force < c * far && c > 0.0 ? fmax(force / c, back) : far;
        }
    }
}

// The step that closes these.
static void step_by(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int k = 0; k < n; ++k) {
        w->step[k] = 0.0;
        for (int i = 0; i < n; ++i) {
            w->step[k] -= w->inverse[k * n + i] * w->close[i];
        }
    }
}

// A bound that a shorter step along edges crosses takes the place of that whose edge leads there.
static bool take_in_on_edge(lw_wheels *w, int bound)
{
    const int n = w->nunknown;
    const double *row = bound_row(w, bound);
    int leaves = -1;
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        double share = 0.0;
        for (int k = 0; k < n; ++k) {
            share += w->inverse[k * n + i] * row[k];
        }
        if (w->is_edge[i] && share * w->close[i] > most) {
            most = share * w->close[i];
            leaves = i;
        }
    }
    if (leaves >= 0) {
        w->active[leaves] = bound;
    }
    return leaves >= 0;
}

// A side takes the place of a bound that is not reached.
static void free_edges(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        w->is_edge[i] = w->is_edge[i] && w->close[i] < w->gap[w->active[i]];
        if (w->is_edge[i]) {
            int k;
            w->close[i] *= column_size(w, i, &k);
            w->active[i] = w->nbound + 2 * k + (w->inverse[k * n + i] < 0.0);
        }
    }
}

// --- Steps ------------------------------------------------------------------------------------

static lw_status evaluate(standing *s)
{
    const lw_status status = lwi_stand_evaluate(s);
    return status == LW_OK ? lwi_stand_gradient(s) : status;
}

// How deep wheels are in the ground, and joints beyond their limits, in sum and at most.
static double depth(const standing *s, double *most)
{
    const lw_wheels *w = s->w;
    const int nwheel = s->m->nwheel, nplace = wheel_places(s->m);
    double sum = 0.0;
    *most = 0.0;
    for (int k = 0; k < w->nbound; k = k + 1 == nwheel ? nplace : k + 1) {
        const double gap = k < nwheel ? w->gap[lwi_nearest_place(w, k)] : w->gap[k];
        sum += fmax(-gap, 0.0);
        *most = fmax(*most, -gap);
    }
    return sum;
}

static bool is_done(const standing *s)
{
    const lw_wheels *w = s->w;
    double deepest;
    depth(s, &deepest);
    for (int i = 0; i < w->nunknown; ++i) {
        // Along an edge the energy is flat, the bounds hold, and slopes are exact to 1e-9.
        const double scale = w->is_edge[i] ? 1e-3 : 1.0;
        deepest = fmax(deepest, scale * fabs(w->close[i]));
    }
    return deepest <= s->tolerance;
}

// The step, and from there back onto the bounds that it holds.
static lw_status try_step(standing *s, bool has_edges)
{
    lw_wheels *w = s->w;
    const int n = w->nunknown;
    lwi_stand_move(s, w->step, 1.0);
    lw_status status = evaluate(s);
    if (status != LW_OK || !has_edges || !lwi_stand_invert(w)) {
        return status;
    }
    for (int i = 0; i < n; ++i) {
        w->close[i] = is_side(w, w->active[i]) ? 0.0 : w->gap[w->active[i]];
    }
    step_by(w);
    lwi_stand_move(s, w->step, 1.0);
    return evaluate(s);
}

static lw_status find_step(standing *s, double radius, bool *has_edges)
{
    lw_wheels *w = s->w;
    place_sides(s, radius);
    if (!find_vertex(s)) {
        return LW_ERR_SINGULAR;
    }
    for (int pass = 0;; ++pass) {
        *has_edges = find_edges(w, lw_norm3(s->m->gravity) * s->m->mass);
        const lw_status status = *has_edges ? find_curvature(s) : LW_OK;
        if (status != LW_OK) {
            return status;
        }
        limit_steps(w, radius);
        step_by(w);
        const int bound = *has_edges && pass < w->nunknown ? first_violated(w) : -1;
        if (bound < 0 || !take_in_on_edge(w, bound)) {
            break;
        }
        if (!lwi_stand_invert(w)) {
            return LW_ERR_SINGULAR;
        }
        lwi_stand_forces(w);
    }
    free_edges(w);
    return LW_OK;
}

lw_status lwi_stand_search(standing *s, int most)
{
    lw_wheels *w = s->w;
    const double weight = lw_norm3(s->m->gravity) * s->m->mass;
    const size_t ntouch = 2 * (size_t)wheel_places(s->m);
    double radius = 0.25, penalty = 4.0;
    s->is_thorough = true;
    ++s->result->changes;
    lw_status status = evaluate(s);
    for (; status == LW_OK && s->result->iterations < most; ++s->result->iterations) {
        bool has_edges;
        double deepest;
        status = find_step(s, radius, &has_edges);
        if (status != LW_OK || is_done(s)) {
            return status;
        }
        double length = 0.0;
        for (int i = 0; i < w->nunknown; ++i) {
            penalty = fmax(penalty, 2.0 * w->force[i] / weight);
            length = fmax(length, fabs(w->step[i]));
        }
        const double before = s->energy + penalty * depth(s, &deepest);
        const stance_pose pose = s->pose;
        memcpy(w->kept, s->q, (size_t)s->m->nq * sizeof *w->kept);
        memcpy(w->kept_touch, w->touch, ntouch * sizeof *w->touch);
        status = try_step(s, has_edges);
        if (status == LW_OK && s->energy + penalty * depth(s, &deepest) <= before + 1e-13) {
            radius = fmin(fmax(radius, 2.0 * length), 0.25);
            continue;
        }
        if (status != LW_OK && status != LW_ERR_ARGUMENT) {
            return status;
        }
        s->pose = pose;
        memcpy(s->q, w->kept, (size_t)s->m->nq * sizeof *w->kept);
        memcpy(w->touch, w->kept_touch, ntouch * sizeof *w->touch);
        radius = 0.3 * fmin(length, radius);
        status = evaluate(s);
    }
    return status == LW_OK ? LW_ERR_NO_CONVERGENCE : status;
}
