// The mass matrix couples two coordinates if they move joints on one way to the world. All
// coordinates of a way are coupled with each other; edges between neighbours in their order are
// enough to put them on one path of the tree that is found here, since along an edge one end is
// before the other. From the edges it is the elimination tree of Liu (1990), from the last
// coordinate to the first.
#include "factor_tree.h"

#include <string.h>

/// A coordinate on a way that is not one of its own joints.
typedef struct foreign {
    int coordinate;
    int before; ///< nearer to the world, or -1
} foreign;

typedef struct edge {
    int high; ///< the larger of two coordinates
    int next; ///< of the same smaller one, or -1
} edge;

typedef struct ways {
    const lwi_build *b;
    const lwi_fronts *f;
    const int *body_of;
    int *last_own, *last_foreign; // [nbody] of the way to the world
    int *own_before;              // [nv] the one before among a way's own
    foreign *foreign;             // [nentry]
    edge *edge;                   // [2*nentry]
    int *first_edge;              // [nv]
    int nforeign, nedge;
} ways;

static void connect(ways *w, int high, int low)
{
    w->edge[w->nedge] = (edge){high, w->first_edge[low]};
    w->first_edge[low] = w->nedge++;
}

// Whether c is on the way to degree of freedom v already.
static bool is_on_way(const ways *w, int c, int v, int list)
{
    const int own = w->b->v_tree[c], body = w->body_of[own], at = w->body_of[v];
    if (own < v && body <= at && at < w->b->body[body].subtree_end) {
        return true;
    }
    for (; list >= 0; list = w->foreign[list].before) {
        if (w->foreign[list].coordinate == c) {
            return true;
        }
    }
    return false;
}

// Edges to the neighbours of c among the coordinates of a way.
static void insert(ways *w, int c, int own, int list)
{
    int below = own, above = -1;
    while (below > c) {
        above = below;
        below = w->own_before[below];
    }
    for (; list >= 0; list = w->foreign[list].before) {
        const int other = w->foreign[list].coordinate;
        if (other < c) {
            below = other > below ? other : below;
        } else {
            above = above < 0 || other < above ? other : above;
        }
    }
    if (below >= 0) {
        connect(w, c, below);
    }
    if (above >= 0) {
        connect(w, above, c);
    }
}

static void follow_ways(ways *w)
{
    const lwi_build *b = w->b;
    for (int i = 0; i < b->nbody; ++i) {
        const int parent = b->body[i].parent;
        int own = parent < 0 ? -1 : w->last_own[parent];
        int list = parent < 0 ? -1 : w->last_foreign[parent];
        for (int v = b->body[i].v; v < b->body[i].v + b->body[i].nv; ++v) {
            for (int e = w->f->row[v]; e < w->f->row[v] + w->f->nrow[v]; ++e) {
                const int c = w->f->column[e];
                const bool is_new = !is_on_way(w, c, v, list);
                if (is_new) {
                    insert(w, c, own, list);
                }
                if (e < b->nv) { // the row of an independent degree of freedom
                    w->own_before[c] = own;
                    own = c;
                } else if (is_new) {
                    w->foreign[w->nforeign] = (foreign){c, list};
                    list = w->nforeign++;
                }
            }
        }
        w->last_own[i] = own;
        w->last_foreign[i] = list;
    }
}

bool lwi_find_factor_tree(const lwi_build *b, const lwi_fronts *f, const int *body_of, int *parent)
{
    const size_t nv = (size_t)b->nv + 1, nbody = (size_t)b->nbody + 1, n = (size_t)f->nentry + 1;
    ways w = {.b = b, .f = f, .body_of = body_of};
    w.last_own = lwi_arena_take(b->arena, nbody, sizeof *w.last_own);
    w.last_foreign = lwi_arena_take(b->arena, nbody, sizeof *w.last_foreign);
    w.own_before = lwi_arena_take(b->arena, nv, sizeof *w.own_before);
    w.foreign = lwi_arena_take(b->arena, n, sizeof *w.foreign);
    w.edge = lwi_arena_take(b->arena, 2 * n, sizeof *w.edge);
    w.first_edge = lwi_arena_take(b->arena, nv, sizeof *w.first_edge);
    int *above = lwi_arena_take(b->arena, nv, sizeof *above); // how far a path was followed
    if (!w.last_own || !w.last_foreign || !w.own_before || !w.foreign || !w.edge || !w.first_edge ||
        !above) {
        return false;
    }
    memset(w.first_edge, -1, nv * sizeof *w.first_edge);
    memset(above, -1, nv * sizeof *above);
    memset(parent, -1, (size_t)b->nv * sizeof *parent);
    follow_ways(&w);
    for (int k = b->nv - 1; k >= 0; --k) {
        for (int e = w.first_edge[k]; e >= 0; e = w.edge[e].next) {
            int at = w.edge[e].high;
            while (above[at] >= 0 && above[at] != k) {
                const int next = above[at];
                above[at] = k;
                at = next;
            }
            if (above[at] < 0 && at != k) {
                above[at] = k;
                parent[at] = k;
            }
        }
    }
    return true;
}
