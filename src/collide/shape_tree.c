// Trees of bounding shapes (Leger 2000): those of the description, and boxes around neighbours
// where a link has many shapes. A tree is the list of its nodes, each before those inside of it;
// what a node is proven to be apart from, all inside of it is.
#include "solids.h"

#include "../geom/box_tree.h"
#include "../geom/enclose.h"
#include "../geom/surface_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 4 }; // shapes side by side that are faster compared than boxes around them

/// A node while the tree is made.
typedef struct draft {
    int solid, outer; ///< outer: -1 for none
    int first, last, next;
} draft;

typedef struct maker {
    lw_collide *c;
    draft *node; ///< of one link
    int nnode;
    lwi_box_node *leaf, *box;
} maker;

// --- Bounds of the description ------------------------------------------------------------------

static bool is_bound(const lw_shape_info *shape)
{
    return shape->role == LW_SHAPE_BOUND && shape->type != LW_SHAPE_MESH;
}

int lwi_count_bounds(const lw_model *m)
{
    int count = 0;
    for (int i = 0; i < m->nshape; ++i) {
        count += is_bound(&m->shape[i]);
    }
    return count;
}

// How far what a node has inside reaches out of a bound, at the least 0.
static double reach_out(lw_collide *c, const solid_at *bound, const solid_at *inner)
{
    if (!inner->surface) {
        return lwi_solid_outside(&bound->solid, &bound->X_BS, &inner->solid, &inner->X_BS, true,
                                 c->work);
    }
    const lw_surface *f = inner->surface;
    double most = 0.0;
    for (int i = 0; i < f->ncorner * f->info.nitem; ++i) {
        const lw_vec3 p = lw_sub3(lw_pose_apply(&inner->X_BS, f->corner[i]), bound->X_BS.p);
        const lw_vec3 at = lw_rotate_back(&bound->X_BS.R, p);
        most = lwi_larger(most, lwi_point_outside(&bound->solid, at, c->work));
    }
    return most + f->info.radius;
}

static int add_bound(lw_collide *c, const lw_solid *solid, const lw_pose *X_BS, int shape, int body)
{
    const int number = c->info.nsolid + c->nbound++;
    c->solid[number] = (solid_at){.solid = *solid,
                                  .shape = shape,
                                  .body = body,
                                  .X_BS = *X_BS,
                                  .reach = lwi_core_size(solid) + solid->radius};
    c->posed[number] = 0;
    return number;
}

// Makes the bounds of the description around a shape as large as they have to be: what is too small
// would miss contacts.
static void enlarge_around(maker *w, int node)
{
    lw_collide *c = w->c;
    for (int k = w->node[node].outer; k >= 0; k = w->node[k].outer) {
        solid_at *bound = &c->solid[w->node[k].solid];
        const double out = reach_out(c, bound, &c->solid[w->node[node].solid]);
        if (out > 0.0) {
            bound->solid.radius += out;
            bound->reach += out;
        }
    }
}

// The innermost bound around a shape, among the nodes of the link; -1 for none.
static int outer_node(const maker *w, int shape)
{
    const lw_collide *c = w->c;
    const lw_shape_info *list = c->m->shape;
    for (int i = list[shape].bound; i >= 0; i = list[i].bound) {
        for (int k = 0; is_bound(&list[i]) && k < w->nnode; ++k) {
            if (c->solid[w->node[k].solid].shape == i) {
                return k;
            }
        }
    }
    return -1;
}

// --- Boxes around neighbours --------------------------------------------------------------------

static void box_of(const solid_at *at, lwi_box_node *box)
{
    lw_vec3 low, high;
    if (at->surface) {
        const lw_surface_info info = lw_surface_describe(at->surface);
        lw_solid around = lw_box(lw_sub3(info.high, info.low));
        const lw_vec3 middle = lw_scale3(0.5, lw_add3(info.low, info.high));
        around.radius = info.radius + 4.0 * DBL_EPSILON * info.size;
        const lw_pose X = {at->X_BS.R, lw_pose_apply(&at->X_BS, middle)};
        lwi_solid_box(&around, &X, &low, &high);
    } else {
        lwi_solid_box(&at->solid, &at->X_BS, &low, &high);
    }
    lwi_center_box(low, high, box);
}

// Puts boxes between a node, or the link, and the many that are in it.
static void add_boxes(maker *w, int outer)
{
    lw_collide *c = w->c;
    int n = 0, body = -1;
    for (int i = 0; i < w->nnode; ++i) {
        const solid_at *at = &c->solid[w->node[i].solid];
        if (w->node[i].outer == outer) {
            box_of(at, &w->leaf[n]);
            w->leaf[n++].item = i;
            body = at->body;
        }
    }
    if (n <= FEW) {
        return;
    }
    const int nbox = lwi_box_tree_build(w->leaf, n, FEW, w->box);
    for (int k = 0; k < nbox; ++k) {
        lwi_box_node *box = &w->box[k];
        const int inside = k == 0 ? outer : box->item; // of the root, that of the node itself
        if (box->child > 0) {
            for (int side = 0; side < 2; ++side) {
                lwi_box_node *child = &w->box[box->child + side];
                const lw_solid solid = {.core = LW_CORE_BOX, .half = child->half};
                const lw_pose X = {lw_mat3_identity(), child->center};
                w->node[w->nnode] = (draft){
                    .solid = add_bound(c, &solid, &X, -1, body), .outer = inside, .first = -1};
                child->item = w->nnode++;
            }
        } else {
            for (int i = box->first; i < box->first + box->count; ++i) {
                w->node[w->leaf[i].item].outer = inside;
            }
        }
    }
}

// --- The list -----------------------------------------------------------------------------------

static void write_list(maker *w, link_solids *link)
{
    lw_collide *c = w->c;
    int first = -1, last = -1;
    for (int i = 0; i < w->nnode; ++i) {
        w->node[i].first = w->node[i].last = w->node[i].next = -1;
    }
    for (int i = 0; i < w->nnode; ++i) {
        const int outer = w->node[i].outer;
        int *begin = outer < 0 ? &first : &w->node[outer].first;
        int *end = outer < 0 ? &last : &w->node[outer].last;
        *(*begin < 0 ? begin : &w->node[*end].next) = i;
        *end = i;
    }
    link->first_node = c->nnode;
    for (int i = first; i >= 0;) {
        w->node[i].last = c->nnode; // where it stands
        c->node[c->nnode++] = (tree_node){w->node[i].solid, 0};
        if (w->node[i].first >= 0) {
            i = w->node[i].first;
            continue;
        }
        c->node[c->nnode - 1].end = c->nnode;
        while (w->node[i].next < 0 && w->node[i].outer >= 0) {
            i = w->node[i].outer;
            c->node[w->node[i].last].end = c->nnode;
        }
        i = w->node[i].next;
    }
    link->nnode = c->nnode - link->first_node;
}

// The nodes of a link: its shapes, and the bounds around any of them.
static void add_nodes(maker *w, const link_solids *link, int begin, int end)
{
    lw_collide *c = w->c;
    w->nnode = 0;
    for (int i = begin; i < end; ++i) {
        if (is_bound(&c->m->shape[i])) {
            const lw_solid solid = lwi_solid_of_shape(&c->m->shape[i]);
            const int outer = outer_node(w, i);
            const int number = add_bound(c, &solid, &c->m->shape[i].X_BS, i, link->body);
            w->node[w->nnode++] = (draft){.solid = number, .outer = outer};
        }
    }
    for (int i = link->first; i < link->first + link->count; ++i) {
        const int outer = outer_node(w, c->solid[i].shape);
        w->node[w->nnode] = (draft){.solid = i, .outer = outer};
        enlarge_around(w, w->nnode++);
    }
}

lw_status lwi_make_trees(lw_collide *c)
{
    const lw_model *m = c->m;
    const size_t most = 2 * ((size_t)c->info.nsolid + (size_t)lwi_count_bounds(m)) + 1;
    maker w = {.c = c,
               .node = malloc(most * sizeof *w.node),
               .leaf = malloc(most * sizeof *w.leaf),
               .box = malloc(most * sizeof *w.box)};
    const bool has_memory = w.node && w.leaf && w.box;
    int begin = 0;
    for (int k = 0; has_memory && k < c->info.nlink; ++k) {
        link_solids *link = &c->link[k];
        const char *name = m->shape[c->solid[link->first].shape].link;
        while (strcmp(m->shape[begin].link, name) != 0) {
            ++begin;
        }
        int end = begin;
        while (end < m->nshape && strcmp(m->shape[end].link, name) == 0) {
            ++end;
        }
        add_nodes(&w, link, begin, end);
        const int described = w.nnode;
        for (int i = -1; i < described; ++i) {
            if (i < 0 || w.node[i].solid >= c->info.nsolid) {
                add_boxes(&w, i);
            }
        }
        if (w.nnode > link->count) {
            write_list(&w, link);
        }
        begin = end;
    }
    free(w.node);
    free(w.leaf);
    free(w.box);
    return has_memory ? LW_OK : LW_ERR_MEMORY;
}

// --- Walks --------------------------------------------------------------------------------------

// The nodes of a link; of one without a tree, its shapes.
typedef struct node_list {
    const tree_node *node; ///< or null
    int begin, end;
} node_list;

static node_list nodes_of(const lw_collide *c, const link_solids *link)
{
    const bool is_used = c->method == LW_COLLIDE_TREES || c->method == LW_COLLIDE_COARSE;
    return link->nnode > 0 && is_used
               ? (node_list){c->node, link->first_node, link->first_node + link->nnode}
               : (node_list){NULL, link->first, link->first + link->count};
}

static int solid_of_node(const node_list *list, int i)
{
    return list->node ? list->node[i].solid : i;
}

static int behind(const node_list *list, int i)
{
    return list->node ? list->node[i].end : i + 1;
}

// The verdict on two solids, one of which may be a bound; without one for an infinite margin.
static lw_verdict verdict_of_nodes(lw_collide *c, const lw_pose *X_WB, int i, int j, double margin)
{
    if (!(margin < HUGE_VAL)) {
        return LW_VERDICT_UNCERTAIN;
    }
    const lw_vec3 apart = lw_sub3(lwi_solid_pose(c, X_WB, j)->p, lwi_solid_pose(c, X_WB, i)->p);
    const double beyond = c->solid[i].reach + c->solid[j].reach + margin;
    if (c->method != LW_COLLIDE_ALL &&
        (beyond < 0.0 || lw_dot3(apart, apart) * (1.0 - 1e-12) > beyond * beyond)) {
        return LW_VERDICT_FREE;
    }
    return lwi_solid_verdict(c, X_WB, i, j, margin);
}

// Whether a node is proven to be apart from all the outermost ones of a link.
static bool is_apart(lw_collide *c, const lw_pose *X_WB, int solid, const node_list *list,
                     double margin)
{
    for (int j = list->begin; j < list->end; j = behind(list, j)) {
        if (verdict_of_nodes(c, X_WB, solid, solid_of_node(list, j), margin) != LW_VERDICT_FREE) {
            return false;
        }
    }
    return true;
}

bool lwi_next_shapes(lw_collide *c, const lw_pose *X_WB, int pair, double margin, int at[2],
                     int solid[2])
{
    const int nsolid = c->info.nsolid;
    const node_list a = nodes_of(c, &c->link[c->pair_link[2 * pair]]);
    const node_list b = nodes_of(c, &c->link[c->pair_link[2 * pair + 1]]);
    int i = at[0] < 0 ? a.begin : at[0], j = at[1];
    while (i < a.end) {
        const int s = solid_of_node(&a, i);
        if (s >= nsolid) {
            i = is_apart(c, X_WB, s, &b, margin) ? behind(&a, i) : i + 1;
            j = -1;
            continue;
        }
        for (j = j < 0 ? b.begin : j; j < b.end;) {
            const int t = solid_of_node(&b, j);
            if (t < nsolid) {
                at[0] = i;
                at[1] = j + 1;
                solid[0] = s;
                solid[1] = t;
                return true;
            }
            const bool is_free = verdict_of_nodes(c, X_WB, s, t, margin) == LW_VERDICT_FREE;
            j = is_free ? behind(&b, j) : j + 1;
        }
        ++i;
        j = -1;
    }
    return false;
}

// By the outermost nodes alone.
static lw_verdict coarse_verdict(lw_collide *c, const lw_pose *X_WB, int pair, double margin,
                                 int solid[2])
{
    const link_solids *x = &c->link[c->pair_link[2 * pair]];
    const link_solids *y = &c->link[c->pair_link[2 * pair + 1]];
    const node_list a = nodes_of(c, x), b = nodes_of(c, y);
    for (int i = a.begin; i < a.end; i = behind(&a, i)) {
        if (!is_apart(c, X_WB, solid_of_node(&a, i), &b, margin)) {
            solid[0] = x->first;
            solid[1] = y->first;
            return LW_VERDICT_UNCERTAIN;
        }
    }
    return LW_VERDICT_FREE;
}

lw_verdict lwi_tree_verdict(lw_collide *c, const lw_pose *X_WB, int pair, double margin,
                            int solid[2])
{
    if (c->method == LW_COLLIDE_COARSE) {
        return coarse_verdict(c, X_WB, pair, margin, solid);
    }
    lw_verdict worst = LW_VERDICT_FREE;
    int at[2] = {-1, -1}, shape[2];
    while (worst != LW_VERDICT_HIT && lwi_next_shapes(c, X_WB, pair, margin, at, shape)) {
        const lw_verdict v = verdict_of_nodes(c, X_WB, shape[0], shape[1], margin);
        if (v != LW_VERDICT_FREE) {
            worst = v;
            solid[0] = shape[0];
            solid[1] = shape[1];
        }
    }
    return worst;
}

lw_status lw_collide_use(lw_collide *c, lw_collide_method method)
{
    if (!c || (unsigned)method > LW_COLLIDE_COARSE) {
        return LW_ERR_ARGUMENT;
    }
    c->method = method;
    return LW_OK;
}

lw_collide_count lw_collide_take_count(lw_collide *c)
{
    const lw_collide_count count = c ? c->count : (lw_collide_count){0};
    if (c) {
        c->count = (lw_collide_count){0};
    }
    return count;
}
