// The boundary of a workspace: traces are cut where they meet, and each piece is looked at from
// both sides.

#include "boundary_section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A trace, and where it is cut: positions along it, as point number plus share of the segment.
typedef struct arc {
    lwi_trace t;
    bool is_closed;
    double low[2], high[2];
    double *cut;    ///< [ncut]
    double *cut_at; ///< [2*ncut] the points
    int ncut, space;
} arc;

typedef struct search {
    lwi_section s;
    lwi_cells cells;
    arc *arc;
    int narc, space;
    double *corner; ///< [2*ncorner] where pieces may meet
    int ncorner, corner_space;
    lw_boundary *b;
    int point_space, curve_space;
} search;

static const double *point_of(const arc *a, int i)
{
    return lwi_trace_point(&a->t, i);
}

static double distance_from_arc(const arc *a, const double p[2], double *at)
{
    return lwi_polyline_distance(a->t.at, a->t.count, LWI_TRACE_WIDTH, p, at);
}

// --- Collecting -------------------------------------------------------------------------------

static lw_status add_arc(search *w, const lwi_trace *t, int first, int last, bool is_closed)
{
    if (w->narc == w->space) {
        const int space = 2 * w->space + 32;
        arc *larger = realloc(w->arc, (size_t)space * sizeof *larger);
        if (!larger) {
            return LW_ERR_MEMORY;
        }
        w->arc = larger;
        w->space = space;
    }
    arc *a = &w->arc[w->narc++];
    *a = (arc){.is_closed = is_closed};
    for (int i = first; i <= last; ++i) {
        double *at = lwi_trace_add(&a->t);
        if (!at) {
            return LW_ERR_MEMORY;
        }
        memcpy(at, t->at + (ptrdiff_t)i * LWI_TRACE_WIDTH, LWI_TRACE_WIDTH * sizeof *at);
        for (int k = 0; k < 2; ++k) {
            a->low[k] = i == first ? at[k] : fmin(a->low[k], at[k]);
            a->high[k] = i == first ? at[k] : fmax(a->high[k], at[k]);
        }
    }
    return LW_OK;
}

// Where the way of the frame turns back, it may go the same way again: a trace ends there.
static lw_status add_trace(void *context, const lwi_trace *t, bool is_closed)
{
    search *w = context;
    int first = 0;
    lw_status status = LW_OK;
    for (int i = 1; i + 1 < t->count && status == LW_OK; ++i) {
        const double *p = t->at + (ptrdiff_t)(i - 1) * LWI_TRACE_WIDTH, *q = p + LWI_TRACE_WIDTH,
                     *r = q + LWI_TRACE_WIDTH;
        if ((q[0] - p[0]) * (r[0] - q[0]) + (q[1] - p[1]) * (r[1] - q[1]) < 0.0) {
            status = add_arc(w, t, first, i, false);
            first = i;
        }
    }
    const bool is_whole = is_closed && first == 0;
    return status == LW_OK ? add_arc(w, t, first, t->count - 1, is_whole) : status;
}

// Two traces with the same image are one: joints that are mirrored, or that do not move the point
// there, give several.
static void drop_doubles(search *w)
{
    const double near = 1e-7 * w->s.size, far = 3.0 * w->s.def->step * w->s.size;
    int kept = 0;
    for (int i = 0; i < w->narc; ++i) {
        bool is_double = false;
        for (int k = 0; k < kept && !is_double; ++k) {
            const arc *a = &w->arc[i], *b = &w->arc[k];
            is_double = fabs(a->low[0] - b->low[0]) < far && fabs(a->low[1] - b->low[1]) < far &&
                        fabs(a->high[0] - b->high[0]) < far && fabs(a->high[1] - b->high[1]) < far;
            for (int part = 0; part <= 16 && is_double; ++part) { // from end to end
                const double *x = point_of(a, part * (a->t.count - 1) / 16);
                is_double = distance_from_arc(b, x, NULL) <
                            near + 0.2 * w->s.def->step * w->s.def->step * w->s.size;
            }
        }
        if (is_double) {
            free(w->arc[i].t.at);
        } else {
            w->arc[kept++] = w->arc[i];
        }
    }
    w->narc = kept;
}

// --- Cutting ----------------------------------------------------------------------------------

/// How far a crossing of segments may be from that of their curves: the sag of a segment.
static double sag_of(const search *w)
{
    return 0.3 * w->s.def->step * w->s.def->step * w->s.size + 1e-9 * w->s.size;
}

/// The corner at p: one that is there already, so that all curves that meet at it agree, or a new
/// one. NULL without memory. Valid until the next corner is added.
static const double *corner_at(search *w, const double p[2])
{
    const double near = 3.0 * sag_of(w);
    for (int i = 0; i < w->ncorner; ++i) {
        const double *c = w->corner + 2 * (ptrdiff_t)i;
        if (hypot(c[0] - p[0], c[1] - p[1]) < near) {
            return c;
        }
    }
    if (w->ncorner == w->corner_space) {
        const int space = 2 * w->corner_space + 64;
        double *larger = realloc(w->corner, 2 * (size_t)space * sizeof *larger);
        if (!larger) {
            return NULL;
        }
        w->corner = larger;
        w->corner_space = space;
    }
    return memcpy(w->corner + 2 * (ptrdiff_t)w->ncorner++, p, 2 * sizeof *p);
}

static bool add_cut(search *w, arc *a, double at, const double p[2])
{
    const double *corner = corner_at(w, p);
    if (corner && a->ncut == a->space) {
        const int space = 2 * a->space + 16;
        double *cut = realloc(a->cut, (size_t)space * sizeof *cut);
        a->cut = cut ? cut : a->cut;
        double *cut_at = cut ? realloc(a->cut_at, 2 * (size_t)space * sizeof *cut_at) : NULL;
        a->cut_at = cut_at ? cut_at : a->cut_at;
        a->space = cut_at ? space : a->space;
    }
    if (!corner || a->ncut == a->space) {
        return false;
    }
    int k = a->ncut++;
    for (; k > 0 && a->cut[k - 1] > at; --k) {
        a->cut[k] = a->cut[k - 1];
        memcpy(a->cut_at + 2 * (ptrdiff_t)k, a->cut_at + 2 * (ptrdiff_t)(k - 1), 2 * sizeof *p);
    }
    a->cut[k] = at;
    memcpy(a->cut_at + 2 * (ptrdiff_t)k, corner, 2 * sizeof *p);
    return true;
}

// Where two segments cross: shares of both.
static bool crosses(const double *a, const double *b, const double *c, const double *d, double flat,
                    double *s, double *t)
{
    const double ux = b[0] - a[0], uy = b[1] - a[1], vx = d[0] - c[0], vy = d[1] - c[1];
    const double det = ux * vy - uy * vx, wx = c[0] - a[0], wy = c[1] - a[1];
    *s = (wx * vy - wy * vx) / det;
    *t = (wx * uy - wy * ux) / det;
    // Not those of one curve, or of two that touch: then one of them ends there.
    return *s >= 0.0 && *s < 1.0 && *t >= 0.0 && *t < 1.0 &&
           fabs(det) > flat * hypot(ux, uy) * hypot(vx, vy);
}

static bool cut_pair(search *w, arc *a, arc *b, double flat)
{
    for (int i = 0; i + 1 < a->t.count; ++i) {
        const double *p = point_of(a, i), *q = point_of(a, i + 1);
        if (fmax(p[0], q[0]) < b->low[0] || fmin(p[0], q[0]) > b->high[0] ||
            fmax(p[1], q[1]) < b->low[1] || fmin(p[1], q[1]) > b->high[1]) {
            continue;
        }
        for (int k = a == b ? i + 2 : 0; k + 1 < b->t.count; ++k) {
            double s, t;
            if (crosses(p, q, point_of(b, k), point_of(b, k + 1), flat, &s, &t)) {
                const double x[2] = {p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])};
                if (!add_cut(w, a, i + s, x) || !add_cut(w, b, k + t, x)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// The ends of a trace are where a joint meets its limit: on another trace, but for rounding and the
// sag of its segments.
static bool cut_at_end(search *w, const double *end, arc *b)
{
    double at;
    return !(distance_from_arc(b, end, &at) < sag_of(w)) || add_cut(w, b, at, end);
}

static bool is_cancelled(search *w)
{
    const lw_boundary_def *def = w->s.def;
    w->b->is_cancelled = w->b->is_cancelled || (def->cancel && def->cancel(def->context));
    return w->b->is_cancelled;
}

// Ends are corners to rounding, crossings but for the sag: ends come first.
static bool cut_all(search *w)
{
    for (int i = 0; i < w->narc; ++i) {
        const arc *a = &w->arc[i];
        const double *end[2] = {point_of(a, 0), point_of(a, a->t.count - 1)};
        for (int k = 0; k < 2 && !a->is_closed; ++k) {
            if (!corner_at(w, end[k])) {
                return false;
            }
        }
    }
    for (int i = 0; i < w->narc; ++i) {
        const arc *a = &w->arc[i];
        for (int k = 0; k < w->narc && !a->is_closed; ++k) {
            if (k != i && (!cut_at_end(w, point_of(a, 0), &w->arc[k]) ||
                           !cut_at_end(w, point_of(a, a->t.count - 1), &w->arc[k]))) {
                return false;
            }
        }
    }
    for (int i = 0; i < w->narc && !is_cancelled(w); ++i) {
        for (int k = i; k < w->narc; ++k) {
            if (!cut_pair(w, &w->arc[i], &w->arc[k], 4.0 * w->s.def->step)) {
                return false;
            }
        }
    }
    return true;
}

// --- Pieces -----------------------------------------------------------------------------------

static bool put_point(search *w, const double p[2], const double *x)
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
    for (int i = 0; i < w->s.njoint; ++i) {
        q[w->s.joint[i]] = x[i];
    }
    return true;
}

/// Puts the points of a piece of an arc, from one cut to the next.
static bool put_piece(search *w, const arc *a, double from, const double *p, double to,
                      const double *q)
{
    const double *begin = point_of(a, (int)from), *end = point_of(a, (int)ceil(to));
    if (!put_point(w, p, begin + 2)) {
        return false;
    }
    for (int i = (int)floor(from) + 1; i < to; ++i) {
        const double *x = point_of(a, i);
        if (!put_point(w, x, x + 2)) {
            return false;
        }
    }
    return put_point(w, q, end + 2);
}

/// Which sides of the piece can be reached, in its middle: bit 0 on the left, bit 1 on the right.
static int look_at_sides(search *w, const lw_boundary_curve *c)
{
    const lw_boundary *b = w->b;
    const int middle = c->first + (c->count > 2 ? c->count / 2 : 0);
    const int next = middle + 1 < c->first + c->count ? middle + 1 : middle;
    const double *p = b->point + 2 * (ptrdiff_t)middle, *n = b->point + 2 * (ptrdiff_t)next;
    const double ux = n[0] - p[0], uy = n[1] - p[1], length = hypot(ux, uy);
    double x[LWI_BOUNDARY_JOINTS];
    for (int i = 0; i < w->s.njoint; ++i) {
        x[i] = b->q[(ptrdiff_t)middle * w->s.m->nq + w->s.joint[i]];
    }
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
    // Another piece may pass close by: what seems out of reach is looked at once more, nearer.
    for (int pass = 0; pass < 2 && sides != 3; ++pass) {
        const double off = (pass == 0 ? step : 0.02 * step) / length;
        const double left[2] = {p[0] - off * uy, p[1] + off * ux};
        const double right[2] = {p[0] + off * uy, p[1] - off * ux};
        sides |= sides & 1 || !lwi_section_reaches(&w->s, left, x) ? 0 : 1;
        sides |= sides & 2 || !lwi_section_reaches(&w->s, right, x) ? 0 : 2;
    }
    return sides;
}

static void turn_round(search *w, const lw_boundary_curve *c)
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

/// Whether a piece from p through m to q is there already: two limits of a joint may lead the frame
/// along the same way.
static bool is_there(const search *w, const double *p, const double *m, const double *q)
{
    const lw_boundary *b = w->b;
    const double near = sag_of(w);
    for (int i = 0; i < b->ncurve; ++i) {
        const lw_boundary_curve *c = &b->curve[i];
        const double *x = b->point + 2 * (ptrdiff_t)c->first;
        const double *y = b->point + 2 * (ptrdiff_t)(c->first + c->count - 1);
        const double same = fmax(hypot(x[0] - p[0], x[1] - p[1]), hypot(y[0] - q[0], y[1] - q[1]));
        const double other = fmax(hypot(x[0] - q[0], x[1] - q[1]), hypot(y[0] - p[0], y[1] - p[1]));
        if (fmin(same, other) < 3.0 * near && distance_to(b, c, m) < near) {
            return true;
        }
    }
    return false;
}

static lw_status add_piece(search *w, const arc *a, double from, const double *p, double to,
                           const double *q, bool is_closed)
{
    lw_boundary *b = w->b;
    if (!is_closed && p[0] == q[0] && p[1] == q[1] && to - from < 3.0) {
        return LW_OK; // several cuts at one corner
    }
    if (is_there(w, p, point_of(a, (int)(0.5 * (from + to))), q)) {
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
    const int sides = look_at_sides(w, &c);
    c.is_barrier = sides == 3 || sides == 0;
    if (sides == 2) {
        turn_round(w, &c);
    }
    b->curve[b->ncurve++] = c;
    return LW_OK;
}

static lw_status add_pieces(search *w, const arc *a)
{
    const double last = a->t.count - 1.0;
    if (a->is_closed && a->ncut == 0) {
        return add_piece(w, a, 0.0, point_of(a, 0), last, point_of(a, a->t.count - 1), true);
    }
    double from = 0.0, p[2], q[2];
    lw_status status = LW_OK;
    memcpy(p, a->is_closed ? point_of(a, 0) : corner_at(w, point_of(a, 0)), sizeof p);
    for (int k = 0; k <= a->ncut && status == LW_OK; ++k) {
        const double to = k < a->ncut ? a->cut[k] : last;
        const double *end = point_of(a, a->t.count - 1);
        memcpy(q,
               k < a->ncut    ? a->cut_at + 2 * (ptrdiff_t)k
               : a->is_closed ? end
                              : corner_at(w, end),
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

static bool has_trace(void *context, const double image[2], const double direction[2])
{
    const search *w = context;
    const double near = sag_of(w);
    for (int i = 0; i < w->narc; ++i) {
        const arc *a = &w->arc[i];
        double at;
        if (image[0] < a->low[0] - near || image[0] > a->high[0] + near ||
            image[1] < a->low[1] - near || image[1] > a->high[1] + near ||
            !(distance_from_arc(a, image, &at) < near)) {
            continue;
        }
        const int k = at < a->t.count - 1.0 ? (int)at : a->t.count - 2;
        const double *p = point_of(a, k), *q = point_of(a, k + 1);
        const double u = q[0] - p[0], v = q[1] - p[1];
        if (fabs(direction[0] * v - direction[1] * u) < 0.2 * hypot(u, v)) {
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

static lw_status find_arcs(search *w)
{
    const lwi_trace_sink sink = {add_trace, has_trace, w};
    lw_status status = lwi_cells_open(&w->cells, &w->s);
    const unsigned sets = is_searched(&w->s) ? 1u << (2 * w->s.njoint) : 0u;
    for (unsigned fixed = 0; fixed < sets && status == LW_OK && !is_cancelled(w); ++fixed) {
        status = lwi_section_trace(&w->s, fixed, &sink);
    }
    if (status == LW_OK && !is_cancelled(w)) {
        status = lwi_section_trace_extremal(&w->s, &w->cells, &sink);
    }
    return status;
}

/// How many cells are reached outside of the boundary or not within it, further than an edge away.
static int count_disagreeing(const search *w)
{
    const lw_boundary *b = w->b;
    const lwi_cells *cells = &w->cells;
    int count = 0;
    for (int i = 0; i < cells->n[0] * cells->n[1]; ++i) {
        double p[2];
        lwi_cell_center(cells, i, p);
        bool is_wrong = (cells->is_reached[i] != 0) != lw_boundary_contains(b, p[0], p[1]);
        for (int c = 0; c < b->ncurve && is_wrong; ++c) {
            is_wrong = b->curve[c].is_barrier || distance_to(b, &b->curve[c], p) > cells->edge;
        }
        count += is_wrong;
    }
    return count;
}

lw_status lw_boundary_create(const lw_model *m, const lw_boundary_def *def, lw_boundary *boundary)
{
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
    search w = {.b = boundary};
    lw_status status = lwi_section_open(&w.s, m, def);
    status = status == LW_OK ? find_arcs(&w) : status;
    if (status == LW_OK && !is_cancelled(&w)) {
        drop_doubles(&w);
        status = cut_all(&w) ? LW_OK : LW_ERR_MEMORY;
        for (int i = 0; i < w.narc && status == LW_OK && !is_cancelled(&w); ++i) {
            status = add_pieces(&w, &w.arc[i]);
        }
    }
    if (status == LW_OK && !is_cancelled(&w)) {
        lwi_boundary_measure(boundary, 1e-9 * w.s.size, def->seed);
        boundary->ndisagree = count_disagreeing(&w);
    }
    lwi_cells_close(&w.cells);
    for (int i = 0; i < w.narc; ++i) {
        free(w.arc[i].t.at);
        free(w.arc[i].cut);
        free(w.arc[i].cut_at);
    }
    free(w.arc);
    free(w.corner);
    lwi_section_close(&w.s);
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
