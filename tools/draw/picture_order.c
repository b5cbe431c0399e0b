// In which order solids are painted. Depths of their middles do not tell: of a table and a cup at
// its far edge the table's middle may be nearer. Of two solids that a plane separates, the one on
// the viewer's side of it comes later.
#include "draw/picture_order.h"

#include "draw/picture_layout.h"

#include <math.h>

enum { MOST_SOLIDS = 4000, MOST_EDGES = 1000000 };

/// What is seen of a solid, and how many of those behind it are not placed yet.
typedef struct seen_solid {
    picture_box2 box;
    int behind, first_edge;
    bool is_placed;
} seen_solid;

/// One solid is in front of another one.
typedef struct edge {
    int front, next; ///< next: of the same one behind, -1 for none
} edge;

typedef struct order {
    picture *pic;
    seen_solid *seen;
    edge *edge;
    int nedge, capacity;
} order;

static double extent(const picture_solid *s, lw_vec3 n)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += s->half[k] * fabs(lw_dot3(n, s->axis[k]));
    }
    return sum;
}

static picture_box2 seen_box(const picture *pic, const picture_solid *s)
{
    const picture_point p = picture_see(pic, s->center);
    const double x = extent(s, pic->right), y = extent(s, pic->up);
    return (picture_box2){p.x - x, p.y - y, p.x + x, p.y + y};
}

// Whether b is in front of a. Where no side of either separates them, their middles tell.
static bool is_in_front(const picture *pic, const picture_solid *a, const picture_solid *b)
{
    const lw_vec3 apart = lw_sub3(b->center, a->center);
    for (int k = 0; k < 6; ++k) {
        const lw_vec3 n = (k < 3 ? a : b)->axis[k % 3];
        const double way = lw_dot3(n, apart), reach = extent(a, n) + extent(b, n);
        const double facing = lw_dot3(n, pic->toward);
        if (fabs(way) >= reach * (1 - 1e-6) && fabs(facing) > 1e-6) { // they may touch
            return way * facing > 0;
        }
    }
    return b->depth > a->depth;
}

static void add_edge(order *o, int behind, int front)
{
    if (o->nedge == o->capacity) {
        o->capacity = o->capacity ? 2 * o->capacity : 256;
        edge *moved = memory_get(o->pic->pool, (size_t)o->capacity, sizeof *moved);
        for (int i = 0; i < o->nedge; ++i) {
            moved[i] = o->edge[i];
        }
        o->edge = moved;
    }
    o->edge[o->nedge] = (edge){front, o->seen[behind].first_edge};
    o->seen[behind].first_edge = o->nedge++;
    ++o->seen[front].behind;
}

static void find_edges(order *o)
{
    const picture *pic = o->pic;
    for (int i = 0; i < pic->nsolid; ++i) {
        o->seen[i] = (seen_solid){.box = seen_box(pic, &pic->solid[i]), .first_edge = -1};
        for (int j = 0; j < i && o->nedge < MOST_EDGES; ++j) {
            const picture_box2 *a = &o->seen[j].box, *b = &o->seen[i].box;
            if (a->x0 >= b->x1 || b->x0 >= a->x1 || a->y0 >= b->y1 || b->y0 >= a->y1 ||
                pic->solid[i].layer != pic->solid[j].layer) {
                continue;
            }
            const bool is_last = is_in_front(pic, &pic->solid[j], &pic->solid[i]);
            add_edge(o, is_last ? j : i, is_last ? i : j);
        }
    }
}

// The farthest of those with nothing behind them that is left; of all in a ring.
static int next_solid(const order *o)
{
    const picture_solid *s = o->pic->solid;
    int best = -1;
    for (int i = 0; i < o->pic->nsolid; ++i) {
        const seen_solid *one = &o->seen[i];
        if (one->is_placed) {
            continue;
        }
        const bool is_free = one->behind == 0, has_free = best >= 0 && o->seen[best].behind == 0;
        if (best < 0 || (is_free && !has_free) ||
            (is_free == has_free && s[i].depth < s[best].depth)) {
            best = i;
        }
    }
    return best;
}

void picture_order(picture *pic)
{
    order o = {.pic = pic};
    if (pic->nsolid > MOST_SOLIDS) {
        return;
    }
    o.seen = memory_get(pic->pool, (size_t)pic->nsolid + 1, sizeof *o.seen);
    find_edges(&o);
    for (int i = next_solid(&o); i >= 0; i = next_solid(&o)) {
        const picture_solid *s = &pic->solid[i];
        o.seen[i].is_placed = true;
        for (int k = s->first; k < s->first + s->count; ++k) {
            pic->item[k].depth = s->depth;
        }
        for (int k = o.seen[i].first_edge; k >= 0; k = o.edge[k].next) {
            picture_solid *front = &pic->solid[o.edge[k].front];
            front->depth = fmax(front->depth, s->depth + 1e-9 * (1 + fabs(s->depth)));
            --o.seen[o.edge[k].front].behind;
        }
    }
}
