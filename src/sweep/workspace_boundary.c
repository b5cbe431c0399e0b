// The boundary of a workspace: traces are cut where they meet (boundary_cut.c), and each piece is
// looked at from both sides.

#include "boundary_cut.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Pieces meet where their ends are nearer than this share of the size.
static const double MEET = 1e-9;

/// How far beside the plane it is looked for at last, as a share of the section.
static const double BESIDE = 1e-7;

// --- Pieces -----------------------------------------------------------------------------------

static bool put_point(lwi_search *w, const double p[2], const double *x)
{
    lw_boundary *b = w->b;
    const int nq = w->s.m->nq;
    if (b->npoint == w->point_space) {
        const int space = 2 * w->point_space + 256;
        double *point = realloc(b->point, 2 * (size_t)space * sizeof *point);
        b->point = point ? point : b->point;
        double *q = point ? realloc(b->q, (size_t)space * (size_t)(nq + 1) * sizeof *q) : NULL;
        if (!q) {
            return false;
        }
        b->q = q;
        w->point_space = space;
    }
    double *q = b->q + (ptrdiff_t)b->npoint * nq;
    memcpy(b->point + 2 * (ptrdiff_t)b->npoint++, p, 2 * sizeof *p);
    memcpy(q, w->s.m->q_reference, (size_t)nq * sizeof *q);
    for (int i = 0; i < w->s.nmoving; ++i) {
        q[w->s.joint[i]] = x[i];
    }
    return true;
}

/// Puts the points of a piece of an arc, from one cut to the next.
static bool put_piece(lwi_search *w, const lwi_arc *a, double from, const double *p, double to,
                      const double *q)
{
    const double *begin = lwi_arc_point(a, (int)from), *end = lwi_arc_point(a, (int)ceil(to));
    if (!put_point(w, p, begin + 2)) {
        return false;
    }
    for (int i = (int)floor(from) + 1; i < to; ++i) {
        const double *x = lwi_arc_point(a, i);
        if (!put_point(w, x, x + 2)) {
            return false;
        }
    }
    return put_point(w, q, end + 2);
}

/// The point at a share of a piece, by its length: points are dense where a curve ends.
static int point_within(const lw_boundary *b, const lw_boundary_curve *c, double share)
{
    const double *p = b->point + 2 * (ptrdiff_t)c->first;
    double length = 0.0, passed = 0.0;
    for (int k = 0; k + 1 < c->count; ++k) {
        length += hypot(p[2 * k + 2] - p[2 * k], p[2 * k + 3] - p[2 * k + 1]);
    }
    int k = 0;
    // Its ends are cut points, which are on the curve but for the sag.
    for (; k + 2 < c->count && (k == 0 || passed < share * length); ++k) {
        passed += hypot(p[2 * k + 2] - p[2 * k], p[2 * k + 3] - p[2 * k + 1]);
    }
    return c->first + k;
}

/// Whether p is reached from x, from where other curves pass close by, or from elsewhere.
static bool reaches(lwi_search *w, const double p[2], const double *x)
{
    const double near = w->cells.edge;
    for (int i = 0; i < w->narc; ++i) {
        const lwi_arc *a = &w->arc[i];
        double at, y[LWI_BOUNDARY_JOINTS];
        if (p[0] > a->low[0] - near && p[0] < a->high[0] + near && p[1] > a->low[1] - near &&
            p[1] < a->high[1] + near && lwi_arc_distance(a, p, &at) < near) {
            memcpy(y, lwi_arc_point(a, (int)at) + 2, sizeof y);
            if (lwi_section_descend(&w->s, p, y)) {
                return true;
            }
        }
    }
    return lwi_section_reaches(&w->s, p, x);
}

/// Which sides of the piece can be reached at a point of it: bit 0 on the left, bit 1 on the right.
static int look_at_sides_of(lwi_search *w, const lw_boundary_curve *c, int point)
{
    const lw_boundary *b = w->b;
    const double *at = b->point + 2 * (ptrdiff_t)point, *n = at + 2;
    const double ux = n[0] - at[0], uy = n[1] - at[1], length = hypot(ux, uy);
    // A piece of one segment has no point that is not one of its ends, where other pieces are too.
    const double part = c->count > 2 ? 0.0 : 0.5, p[2] = {at[0] + part * ux, at[1] + part * uy};
    double x[LWI_BOUNDARY_JOINTS];
    lwi_section_joints(&w->s, b->q + (ptrdiff_t)point * w->s.m->nq, x);
    // A hundredth of the piece, but well above its sag, and not more than a thousandth of all.
    const double extent =
        hypot(b->point[2 * (c->first + c->count - 1)] - b->point[2 * c->first],
              b->point[2 * (c->first + c->count - 1) + 1] - b->point[2 * c->first + 1]);
    const double most = 1e-3 * w->s.size;
    const double away =
        c->is_closed || extent > 100.0 * most ? most : fmax(extent / 100.0, 1e-7 * w->s.size);
    const double sag = 0.15 * length * length / w->s.size; // of the chord, not where p itself is
    const double step = fmax(away, 4.0 * sag);
    int sides = 0;
    // Another piece may pass close by: what seems out of reach is looked at once more, nearer, but
    // not from a chord; and where both do, further away, for close to a fold few ways lead.
    const double off[6] = {step, 0.02 * step, 4.0 * step, 20.0 * step, 100.0 * step, 500.0 * step};
    for (int pass = 0; pass < 6 && (pass < 2 ? sides != 3 : sides == 0 && off[pass] < most);
         ++pass) {
        const double du = -off[pass] * uy / length, dv = off[pass] * ux / length;
        const double left[2] = {p[0] + du, p[1] + dv}, right[2] = {p[0] - du, p[1] - dv};
        if (pass == 1 && c->count <= 2) {
            continue;
        }
        sides |= sides & 1 || !reaches(w, left, x) ? 0 : 1;
        sides |= sides & 2 || !reaches(w, right, x) ? 0 : 2;
    }
    return sides;
}

/// The same of the whole piece: in its middle another one may touch it.
static int look_at_sides(lwi_search *w, const lw_boundary_curve *c)
{
    static const double share[3] = {0.5, 0.25, 0.75};
    int sides = 0;
    for (int k = 0; k < (c->count > 8 ? 3 : 1) && sides != 3; ++k) {
        sides |= look_at_sides_of(w, c, point_within(w->b, c, share[k]));
    }
    return sides;
}

static void turn_round(lwi_search *w, const lw_boundary_curve *c)
{
    const int nq = w->s.m->nq;
    for (int a = c->first, b = c->first + c->count - 1; a < b; ++a, --b) {
        for (int k = 0; k < 2; ++k) {
            const double keep = w->b->point[2 * a + k];
            w->b->point[2 * a + k] = w->b->point[2 * b + k];
            w->b->point[2 * b + k] = keep;
        }
        for (int k = 0; k < nq; ++k) {
            const double keep = w->b->q[(ptrdiff_t)a * nq + k];
            w->b->q[(ptrdiff_t)a * nq + k] = w->b->q[(ptrdiff_t)b * nq + k];
            w->b->q[(ptrdiff_t)b * nq + k] = keep;
        }
    }
}

static double distance_to(const lw_boundary *b, const lw_boundary_curve *c, const double p[2])
{
    return lwi_polyline_distance(b->point + 2 * (ptrdiff_t)c->first, c->count, 2, p, NULL);
}

/// The piece from p through m to q, where it is there already: two limits of a joint may lead the
/// frame along the same way. Else NULL.
static const lw_boundary_curve *find_same(const lwi_search *w, const double *p, const double *m,
                                          const double *q)
{
    const lw_boundary *b = w->b;
    const lw_boundary_curve *found = NULL;
    const double near = lwi_arc_sag(w);
    for (int i = 0; i < b->ncurve && (!found || found->is_barrier); ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        const double *x = b->point + 2 * (ptrdiff_t)c->first;
        const double *y = b->point + 2 * (ptrdiff_t)(c->first + c->count - 1);
        const double same = fmax(hypot(x[0] - p[0], x[1] - p[1]), hypot(y[0] - q[0], y[1] - q[1]));
        const double other = fmax(hypot(x[0] - q[0], x[1] - q[1]), hypot(y[0] - p[0], y[1] - p[1]));
        if (fmin(same, other) < 3.0 * near && distance_to(b, c, m) < near) {
            found = c;
        }
    }
    return found;
}

static lw_status add_piece(lwi_search *w, const lwi_arc *a, double from, const double *p, double to,
                           const double *q, bool is_closed)
{
    lw_boundary *b = w->b;
    if (!is_closed && p[0] == q[0] && p[1] == q[1] && to - from < 3.0) {
        return LW_OK; // several cuts at one corner
    }
    // A barrier may pass the boundary closer by than can be told.
    const lw_boundary_curve *same = find_same(w, p, lwi_arc_point(a, (int)(0.5 * (from + to))), q);
    const bool is_barrier = same && same->is_barrier;
    if (same && !is_barrier) {
        return LW_OK;
    }
    if (b->ncurve == w->curve_space) {
        const int space = 2 * w->curve_space + 64;
        lw_boundary_curve *larger = realloc(b->curve, (size_t)space * sizeof *larger);
        if (!larger) {
            return LW_ERR_MEMORY;
        }
        b->curve = larger;
        w->curve_space = space;
    }
    lw_boundary_curve c = {.first = b->npoint, .is_closed = is_closed};
    if (!put_piece(w, a, from, p, to, q)) {
        return LW_ERR_MEMORY;
    }
    c.count = b->npoint - c.first;
    for (int k = 0; k < 2; ++k) {
        c.low[k] = c.high[k] = b->point[2 * c.first + k];
    }
    for (int i = 2 * c.first; i < 2 * b->npoint; ++i) {
        c.low[i % 2] = fmin(c.low[i % 2], b->point[i]);
        c.high[i % 2] = fmax(c.high[i % 2], b->point[i]);
    }
    const int sides = look_at_sides(w, &c);
    c.is_barrier = sides == 3 || sides == 0;
    if (c.is_barrier && is_barrier) {
        b->npoint = c.first;
        return LW_OK;
    }
    if (sides == 2) {
        turn_round(w, &c);
    }
    b->curve[b->ncurve++] = c;
    return LW_OK;
}

static lw_status add_pieces(lwi_search *w, const lwi_arc *a)
{
    const double last = a->t.count - 1.0;
    if (a->is_closed && a->ncut == 0) {
        return add_piece(w, a, 0.0, lwi_arc_point(a, 0), last, lwi_arc_point(a, a->t.count - 1),
                         true);
    }
    double from = 0.0, p[2], q[2];
    lw_status status = LW_OK;
    memcpy(p, a->is_closed ? lwi_arc_point(a, 0) : lwi_corner_at(w, lwi_arc_point(a, 0)), sizeof p);
    for (int k = 0; k <= a->ncut && status == LW_OK; ++k) {
        const double to = k < a->ncut ? a->cut[k] : last;
        const double *end = lwi_arc_point(a, a->t.count - 1);
        memcpy(q,
               k < a->ncut    ? a->cut_at + 2 * (ptrdiff_t)k
               : a->is_closed ? end
                              : lwi_corner_at(w, end),
               sizeof q);
        status = to > from ? add_piece(w, a, from, p, to, q, false) : LW_OK;
        from = to;
        memcpy(p, q, sizeof p);
    }
    return status;
}

// --- All together -----------------------------------------------------------------------------

lw_boundary_def lw_default_boundary_def(int frame)
{
    return (lw_boundary_def){.frame = frame,
                             .u = {1.0, 0.0, 0.0},
                             .v = {0.0, 0.0, 1.0},
                             .step = 0.01,
                             .starts = 200,
                             .cells = 64,
                             .seed = 1};
}

/// Whether a polyline passes a point along a direction, or against it.
static bool passes(const double *point, int n, int width, const double p[2], const double d[2],
                   double near)
{
    double at;
    if (n < 2 || !(lwi_polyline_distance(point, n, width, p, &at) < near)) {
        return false;
    }
    const double *x = point + (ptrdiff_t)(at < n - 1.0 ? (int)at : n - 2) * width, *y = x + width;
    const double u = y[0] - x[0], v = y[1] - x[1];
    return fabs(d[0] * v - d[1] * u) < 0.2 * hypot(u, v);
}

// Of arcs that have been cut, those pieces count that are boundary: a curve may pass a barrier
// close by, further out.
static bool has_trace(void *context, const double image[2], const double direction[2])
{
    const lwi_search *w = context;
    const lw_boundary *b = w->b;
    const double near = lwi_arc_sag(w);
    for (int i = w->ncut_arc; i < w->narc; ++i) {
        const lwi_arc *a = &w->arc[i];
        if (image[0] > a->low[0] - near && image[0] < a->high[0] + near &&
            image[1] > a->low[1] - near && image[1] < a->high[1] + near &&
            passes(a->t.at, a->t.count, LWI_TRACE_WIDTH, image, direction, near)) {
            return true;
        }
    }
    for (int i = 0; i < b->ncurve; ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        if (!c->is_barrier &&
            passes(b->point + 2 * (ptrdiff_t)c->first, c->count, 2, image, direction, near)) {
            return true;
        }
    }
    return false;
}

/// Whether all singular configurations are searched: not those of arms with joints to spare, which
/// are too many sets of joints at limits, and of which some form surfaces.
static bool is_searched(const lwi_section *s)
{
    int sets = 1;
    for (int i = 0; i < s->njoint; ++i) {
        sets *= s->is_full[i] ? 1 : 3;
    }
    return s->njoint <= s->rows + 1 && sets <= 27;
}

static lw_status find_arcs(lwi_search *w)
{
    const lwi_trace_sink sink = {lwi_add_trace, has_trace, w};
    lw_status status = lwi_cells_open(&w->cells, &w->s);
    const unsigned sets = is_searched(&w->s) ? 1u << (2 * w->s.njoint) : 0u;
    for (unsigned fixed = 0; fixed < sets && status == LW_OK && !lwi_search_is_cancelled(w);
         ++fixed) {
        status = lwi_section_trace(&w->s, fixed, &sink);
    }
    if (status == LW_OK && !lwi_search_is_cancelled(w)) {
        status = lwi_section_trace_extremal(&w->s, &w->cells, &sink);
    }
    return status;
}

/// Cuts the arcs, and makes pieces of them.
static lw_status make_pieces(lwi_search *w)
{
    w->b->npoint = w->b->ncurve = w->ncorner = 0;
    for (int i = 0; i < w->narc; ++i) {
        w->arc[i].ncut = 0;
    }
    lwi_drop_doubles(w);
    lw_status status = lwi_cut_arcs(w) ? LW_OK : LW_ERR_MEMORY;
    for (int i = 0; i < w->narc && status == LW_OK && !lwi_search_is_cancelled(w); ++i) {
        status = add_pieces(w, &w->arc[i]);
    }
    w->ncut_arc = w->narc;
    return status;
}

/// Looks for what was missed about open ends: there another curve goes on, that was taken for one
/// of those that pass there, such as that of a wrist that is flipped.
static lw_status close_ends(lwi_search *w)
{
    const lwi_trace_sink sink = {lwi_add_trace, has_trace, w};
    lw_status status = LW_OK;
    for (int before = INT_MAX; status == LW_OK && !lwi_search_is_cancelled(w);) {
        const double *p = NULL;
        int from = 0, nopen = 0;
        while (status == LW_OK && (p = lwi_boundary_open_end(w->b, MEET * w->s.size, &from))) {
            const double *q = w->b->q + (p - w->b->point) / 2 * w->s.m->nq;
            status = lwi_section_trace_about(&w->s, &w->cells, p, q, &sink);
            ++nopen;
        }
        if (w->narc == w->ncut_arc || nopen >= before || status != LW_OK) {
            break;
        }
        before = nopen;
        status = make_pieces(w);
    }
    return status;
}

/// How many cells are reached outside of the boundary or not within it, further than an edge away.
static int count_disagreeing(const lwi_search *w)
{
    const lw_boundary *b = w->b;
    const lwi_cells *cells = &w->cells;
    int count = 0;
    for (int i = 0; i < cells->n[0] * cells->n[1]; ++i) {
        double p[2];
        lwi_cell_center(cells, i, p);
        bool is_wrong = (cells->is_reached[i] != 0) != lw_boundary_contains(b, p[0], p[1]);
        for (int k = 0; k < b->ncurve && is_wrong; ++k) {
            const lw_boundary_curve *c = &b->curve[k];
            is_wrong = c->is_barrier || distance_to(b, c, p) > cells->edge;
        }
        count += is_wrong;
    }
    return count;
}

static lw_status find_boundary(const lw_model *m, const lw_boundary_def *def, lw_boundary *b)
{
    *b = (lw_boundary){0};
    lwi_search w = {.b = b};
    lw_status status = lwi_section_open(&w.s, m, def);
    status = status == LW_OK ? find_arcs(&w) : status;
    if (status == LW_OK && !lwi_search_is_cancelled(&w)) {
        status = make_pieces(&w);
        status = status == LW_OK ? close_ends(&w) : status;
    }
    if (status == LW_OK && !lwi_search_is_cancelled(&w)) {
        // By less than the chords of their curves.
        lwi_boundary_join(b, MEET * w.s.size, 0.5 * def->step * w.s.size);
        lwi_boundary_measure(b, MEET * w.s.size, def->seed);
        b->ndisagree = count_disagreeing(&w);
    }
    lwi_cells_close(&w.cells);
    for (int i = 0; i < w.narc; ++i) {
        lwi_arc_free(&w.arc[i]);
    }
    free(w.arc);
    free(w.corner);
    lwi_section_close(&w.s);
    return status;
}

static double extent_of(const lw_boundary *b)
{
    double low[2] = {0.0, 0.0}, high[2] = {0.0, 0.0};
    for (int i = 0; i < 2 * b->npoint; ++i) {
        low[i % 2] = i < 2 ? b->point[i] : fmin(low[i % 2], b->point[i]);
        high[i % 2] = i < 2 ? b->point[i] : fmax(high[i % 2], b->point[i]);
    }
    return fmax(high[0] - low[0], high[1] - low[1]);
}

lw_status lw_boundary_create(const lw_model *m, const lw_boundary_def *def, lw_boundary *boundary)
{
    enum { TRIES = 4, IN_PLANE = 1 };
    if (!boundary) {
        return LW_ERR_ARGUMENT;
    }
    *boundary = (lw_boundary){0};
    if (!m || !def || def->frame < 0 || def->frame >= m->nframe_all || !(def->step > 0.0) ||
        def->step > 0.5 || def->starts < 1 || def->cells < 8 || def->cells > 1000 ||
        fabs(lw_dot3(def->u, def->u) - 1.0) > 1e-9 || fabs(lw_dot3(def->v, def->v) - 1.0) > 1e-9 ||
        fabs(lw_dot3(def->u, def->v)) > 1e-9) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = find_boundary(m, def, boundary);
    // Other random starts may find what is missing. In a plane of symmetry an edge of the workspace
    // is no curve of these equations, since two directions are lost at once; beside it, it is.
    lw_boundary_def next = *def;
    for (int n = 1; n < TRIES && status == LW_OK && !boundary->is_cancelled &&
                    boundary->nopen + boundary->ndisagree > 0;
         ++n) {
        lw_boundary other;
        next.seed = def->seed + ((uint64_t)n << 56);
        if (n >= IN_PLANE) {
            const lw_vec3 normal = lw_cross3(def->u, def->v);
            next.origin = lw_add3(def->origin, lw_scale3(BESIDE * extent_of(boundary), normal));
        }
        status = find_boundary(m, &next, &other);
        const bool is_better = other.is_cancelled || other.nopen + other.ndisagree <
                                                         boundary->nopen + boundary->ndisagree;
        lw_boundary_free(is_better ? boundary : &other);
        *boundary = is_better ? other : *boundary;
    }
    return status;
}

void lw_boundary_free(lw_boundary *boundary)
{
    if (boundary) {
        free(boundary->point);
        free(boundary->q);
        free(boundary->curve);
        *boundary = (lw_boundary){0};
    }
}
