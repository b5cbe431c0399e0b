// Traces of a section are cut where they cross, and where one ends on another.

#include "boundary_cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double *lwi_arc_point(const lwi_arc *a, int i)
{
    return lwi_trace_point(&a->t, i);
}

double lwi_arc_distance(const lwi_arc *a, const double p[2], double *at)
{
    return lwi_polyline_distance(a->t.at, a->t.count, LWI_TRACE_WIDTH, p, at);
}

void lwi_arc_free(lwi_arc *a)
{
    free(a->t.at);
    free(a->cut);
    free(a->cut_at);
}

// --- Collecting -------------------------------------------------------------------------------

static lw_status add_arc(lwi_search *w, const lwi_trace *t, int first, int last, bool is_closed)
{
    if (w->narc == w->space) {
        const int space = 2 * w->space + 32;
        lwi_arc *larger = realloc(w->arc, (size_t)space * sizeof *larger);
        if (!larger) {
            return LW_ERR_MEMORY;
        }
        w->arc = larger;
        w->space = space;
    }
    lwi_arc *a = &w->arc[w->narc++];
    *a = (lwi_arc){.is_closed = is_closed};
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
lw_status lwi_add_trace(void *context, const lwi_trace *t, bool is_closed)
{
    lwi_search *w = context;
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

void lwi_drop_doubles(lwi_search *w)
{
    const double near = 1e-7 * w->s.size, far = 3.0 * w->s.def->step * w->s.size;
    int kept = 0;
    for (int i = 0; i < w->narc; ++i) {
        bool is_double = false;
        for (int k = 0; k < kept && !is_double; ++k) {
            const lwi_arc *a = &w->arc[i], *b = &w->arc[k];
            is_double = fabs(a->low[0] - b->low[0]) < far && fabs(a->low[1] - b->low[1]) < far &&
                        fabs(a->high[0] - b->high[0]) < far && fabs(a->high[1] - b->high[1]) < far;
            for (int part = 0; part <= 16 && is_double; ++part) { // from end to end
                const double *x = lwi_arc_point(a, part * (a->t.count - 1) / 16);
                is_double = lwi_arc_distance(b, x, NULL) <
                            near + 0.2 * w->s.def->step * w->s.def->step * w->s.size;
            }
        }
        if (is_double) {
            lwi_arc_free(&w->arc[i]);
        } else {
            w->arc[kept++] = w->arc[i];
        }
    }
    w->narc = kept;
}

// --- Cutting ----------------------------------------------------------------------------------

double lwi_arc_sag(const lwi_search *w)
{
    return 0.3 * w->s.def->step * w->s.def->step * w->s.size + 1e-9 * w->s.size;
}

const double *lwi_corner_at(lwi_search *w, const double p[2])
{
    const double near = 3.0 * lwi_arc_sag(w);
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

static bool add_cut(lwi_search *w, lwi_arc *a, double at, const double p[2])
{
    const double *corner = lwi_corner_at(w, p);
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

/// Where two segments cross: shares of both. Returns the sine of the angle, 0 where they do not.
static double crosses(const double *a, const double *b, const double *c, const double *d, double *s,
                      double *t)
{
    const double ux = b[0] - a[0], uy = b[1] - a[1], vx = d[0] - c[0], vy = d[1] - c[1];
    const double det = ux * vy - uy * vx, wx = c[0] - a[0], wy = c[1] - a[1];
    *s = (wx * vy - wy * vx) / det;
    *t = (wx * uy - wy * ux) / det;
    return *s >= 0.0 && *s < 1.0 && *t >= 0.0 && *t < 1.0
               ? fabs(det) / (hypot(ux, uy) * hypot(vx, vy))
               : 0.0;
}

/// On which side of b a point is, 1 on the left and -1 on the right; 0 on b, but for the sag.
static int side_of(const lwi_search *w, const lwi_arc *b, const double *p)
{
    double at;
    if (lwi_arc_distance(b, p, &at) < 2.0 * lwi_arc_sag(w)) {
        return 0;
    }
    const int k = at < b->t.count - 1.0 ? (int)at : b->t.count - 2;
    const double *x = lwi_arc_point(b, k), *y = lwi_arc_point(b, k + 1);
    return (y[0] - x[0]) * (p[1] - x[1]) - (y[1] - x[1]) * (p[0] - x[0]) > 0.0 ? 1 : -1;
}

/// Whether a goes from one side of b to the other along its points about *i that are on b; *i
/// becomes the last of these. Not where one of them ends there: that is cut elsewhere.
static bool changes_side(const lwi_search *w, const lwi_arc *a, int *i, const lwi_arc *b)
{
    int before = 0, after = 0;
    for (int k = *i; k >= 0 && before == 0; --k) {
        before = side_of(w, b, lwi_arc_point(a, k));
    }
    for (int k = *i + 1; k < a->t.count && after == 0; ++k) {
        after = side_of(w, b, lwi_arc_point(a, k));
        *i = k - 1;
    }
    return before * after < 0;
}

/// Whether a crossing is that of an end of a, which is on the other trace but for the sag: there a
/// is cut already.
static bool is_at_end(const lwi_search *w, const lwi_arc *a, const double at[2], double angle)
{
    for (int i = 0; i < a->t.count && !a->is_closed; i += a->t.count - 1) {
        const double *end = lwi_arc_point(a, i);
        if (hypot(end[0] - at[0], end[1] - at[1]) * angle < lwi_arc_sag(w)) {
            return true;
        }
    }
    return false;
}

static bool cut_pair(lwi_search *w, lwi_arc *a, lwi_arc *b, double flat)
{
    int touching = -1; // until this point of a, as was seen
    for (int i = 0; i + 1 < a->t.count; ++i) {
        const double *p = lwi_arc_point(a, i), *q = lwi_arc_point(a, i + 1);
        const double left = fmin(p[0], q[0]), right = fmax(p[0], q[0]);
        const double bottom = fmin(p[1], q[1]), top = fmax(p[1], q[1]);
        if (right < b->low[0] || left > b->high[0] || top < b->low[1] || bottom > b->high[1]) {
            continue;
        }
        for (int k = a == b ? i + 2 : 0; k + 1 < b->t.count; ++k) {
            const double *x = lwi_arc_point(b, k), *y = x + LWI_TRACE_WIDTH;
            if ((x[0] > right && y[0] > right) || (x[0] < left && y[0] < left) ||
                (x[1] > top && y[1] > top) || (x[1] < bottom && y[1] < bottom)) {
                continue;
            }
            double s, t;
            const double angle = crosses(p, q, x, y, &s, &t);
            // Segments of one curve cross at small angles too, and of two that touch.
            bool is_crossing = angle > flat;
            if (angle > 0.0 && !is_crossing && a != b && i > touching) {
                touching = i;
                is_crossing = changes_side(w, a, &touching, b);
            }
            if (is_crossing) {
                const double at[2] = {p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])};
                if (!is_at_end(w, a, at, angle) && !is_at_end(w, b, at, angle) &&
                    !(add_cut(w, a, i + s, at) && add_cut(w, b, k + t, at))) {
                    return false;
                }
            }
        }
    }
    return true;
}

// The ends of a trace are where a joint meets its limit: on another trace, but for rounding and the
// sag of its segments.
static bool cut_at_end(lwi_search *w, const double *end, lwi_arc *b)
{
    double at;
    return !(lwi_arc_distance(b, end, &at) < lwi_arc_sag(w)) || add_cut(w, b, at, end);
}

/// Cuts an arc at all corners that it passes: of curves along the same way some are cut by others
/// at small angles, and some are not.
static bool cut_at_corners(lwi_search *w, lwi_arc *a)
{
    const double near = lwi_arc_sag(w);
    const int ncorner = w->ncorner;
    for (int i = 0; i < ncorner; ++i) {
        const double *p = w->corner + 2 * (ptrdiff_t)i;
        double at;
        bool is_cut = p[0] < a->low[0] - near || p[0] > a->high[0] + near ||
                      p[1] < a->low[1] - near || p[1] > a->high[1] + near;
        for (int k = 0; k < a->ncut && !is_cut; ++k) {
            is_cut = memcmp(a->cut_at + 2 * (ptrdiff_t)k, p, 2 * sizeof *p) == 0;
        }
        if (!is_cut && lwi_arc_distance(a, p, &at) < near && !add_cut(w, a, at, p)) {
            return false;
        }
    }
    return true;
}

bool lwi_search_is_cancelled(lwi_search *w)
{
    const lw_boundary_def *def = w->s.def;
    w->b->is_cancelled = w->b->is_cancelled || (def->cancel && def->cancel(def->context));
    return w->b->is_cancelled;
}

// Ends are corners to rounding, crossings but for the sag: ends come first.
bool lwi_cut_arcs(lwi_search *w)
{
    for (int i = 0; i < w->narc; ++i) {
        const lwi_arc *a = &w->arc[i];
        const double *end[2] = {lwi_arc_point(a, 0), lwi_arc_point(a, a->t.count - 1)};
        for (int k = 0; k < 2 && !a->is_closed; ++k) {
            if (!lwi_corner_at(w, end[k])) {
                return false;
            }
        }
    }
    for (int i = 0; i < w->narc; ++i) {
        const lwi_arc *a = &w->arc[i];
        for (int k = 0; k < w->narc && !a->is_closed; ++k) {
            if (k != i && (!cut_at_end(w, lwi_arc_point(a, 0), &w->arc[k]) ||
                           !cut_at_end(w, lwi_arc_point(a, a->t.count - 1), &w->arc[k]))) {
                return false;
            }
        }
    }
    for (int i = 0; i < w->narc && !lwi_search_is_cancelled(w); ++i) {
        for (int k = i; k < w->narc; ++k) {
            if (!cut_pair(w, &w->arc[i], &w->arc[k], 4.0 * w->s.def->step)) {
                return false;
            }
        }
    }
    for (int i = 0; i < w->narc; ++i) {
        if (!cut_at_corners(w, &w->arc[i])) {
            return false;
        }
    }
    return true;
}
