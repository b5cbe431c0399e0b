// Pieces of the boundary are joined to closed curves. At each corner as many pieces end as begin;
// where two curves go the same way for a while, or cross at a small angle, some do not.

#include "boundary_section.h"

#include <math.h>

/// An end of a piece of the boundary, or NULL for barriers and closed curves.
static double *end_of(const lw_boundary *b, int piece, bool is_begin)
{
    const lw_boundary_curve *c = &b->curve[piece];
    const int point = is_begin ? c->first : c->first + c->count - 1;
    return c->is_barrier || c->is_closed ? NULL : b->point + 2 * (ptrdiff_t)point;
}

/// How many pieces begin at p, less how many end there.
static int excess_at(const lw_boundary *b, double near, const double p[2])
{
    int excess = 0;
    for (int k = 0; k < 2 * b->ncurve; ++k) {
        const double *q = end_of(b, k / 2, k % 2 == 0);
        excess += q && hypot(q[0] - p[0], q[1] - p[1]) < near ? 1 - 2 * (k % 2) : 0;
    }
    return excess;
}

/// Takes a piece away that leads from a corner with one too many to nowhere: it goes on as a
/// barrier. Returns whether there was one.
static bool drop_one(lw_boundary *b, double near)
{
    const double *p;
    for (int from = 0; (p = lwi_boundary_open_end(b, near, &from)) != NULL;) {
        const int piece = (from - 1) / 2;
        const bool is_begin = from % 2 == 1;
        const int excess = excess_at(b, near, end_of(b, piece, !is_begin));
        if (is_begin ? excess < 0 : excess > 0) {
            b->curve[piece].is_barrier = true;
            return true;
        }
    }
    return false;
}

/// Joins an open end with the nearest one of the other kind. Returns whether there were two.
static bool join_two(lw_boundary *b, double near, double most)
{
    const double *p, *q;
    for (int from = 0; (p = lwi_boundary_open_end(b, near, &from)) != NULL;) {
        double *best[2] = {end_of(b, (from - 1) / 2, from % 2 == 1), NULL}, least = most;
        for (int other = from; (q = lwi_boundary_open_end(b, near, &other)) != NULL;) {
            const double gap = hypot(q[0] - p[0], q[1] - p[1]);
            if (other % 2 != from % 2 && (other - 1) / 2 != (from - 1) / 2 && gap < least) {
                least = gap;
                best[1] = end_of(b, (other - 1) / 2, other % 2 == 1);
            }
        }
        for (int k = 0; k < 2 && best[1]; ++k) {
            best[0][k] = best[1][k] = 0.5 * (best[0][k] + best[1][k]);
        }
        if (best[1]) {
            return true;
        }
    }
    return false;
}

void lwi_boundary_join(lw_boundary *b, double near, double most)
{
    while (drop_one(b, near) || join_two(b, near, most)) {
    }
}
