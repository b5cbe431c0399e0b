// A graph renumbered by what its values are. The order in which nodes were made depends on the
// order in which a compiler evaluates arguments; the search must not, or the same model gives other
// code with another compiler.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbered {
    uint32_t node; ///< in the old graph
    uint32_t depth;
    lwi_value value; ///< the one of both signs that comes first
} numbered;

typedef struct renumbering {
    const lwi_graph *old;
    lwi_graph *g;
    numbered *order;     ///< [nnode] by new number
    lwi_expr *now;       ///< [nnode] by old number: the reference to the old positive value
    uint32_t *constancy; ///< [nnode] by new number: depth of the shallowest constant way, 0: none
    lwi_way *sorted;     ///< [ways of one node]
} renumbering;

static bool is_before(lwi_value a, lwi_value b)
{
    return a.at[0] != b.at[0] ? a.at[0] < b.at[0] : a.at[1] < b.at[1];
}

static int compare_numbered(const void *x, const void *y)
{
    const numbered *a = x, *b = y;
    if (a->depth != b->depth) {
        return a->depth < b->depth ? -1 : 1;
    }
    return is_before(a->value, b->value) ? -1 : is_before(b->value, a->value);
}

/// By numbers of the canonical graph; ways of one node differ in one of these.
static int compare_ways(const void *x, const void *y)
{
    const lwi_way *a = x, *b = y;
    const uint32_t left[3] = {a->op, a->a, a->b}, right[3] = {b->op, b->a, b->b};
    for (int k = 0; k < 3; ++k) {
        if (left[k] != right[k]) {
            return left[k] < right[k] ? -1 : 1;
        }
    }
    return 0;
}

/// New numbers: by depth along the first ways, so that these still read smaller numbers only, then
/// by value. Zero and one stay what they are.
static void give_numbers(renumbering *r)
{
    const lwi_graph *old = r->old;
    for (size_t k = 0; k < old->nnode; ++k) {
        const lwi_way *way = lwi_first_way(old, (uint32_t)k);
        const uint32_t reads[2] = {way->a, way->b};
        uint32_t depth = k < 2 ? (uint32_t)k : 2;
        for (int i = 0; i < lwi_read_count(way->op); ++i) {
            const uint32_t below = r->order[lwi_node_of(reads[i])].depth + 1;
            depth = below > depth ? below : depth;
        }
        const lwi_value value = old->node[k].value, minus = lwi_value_neg(value);
        const bool is_minus = k >= 2 && is_before(minus, value);
        r->order[k] = (numbered){(uint32_t)k, depth, is_minus ? minus : value};
        r->now[k] = is_minus;
    }
    qsort(r->order, old->nnode, sizeof *r->order, compare_numbered);
    for (size_t k = 0; k < old->nnode; ++k) {
        r->now[r->order[k].node] |= 2 * (uint32_t)k;
    }
}

static lwi_expr renumbered(const renumbering *r, lwi_expr a)
{
    return lwi_signed(r->now[lwi_node_of(a)], a);
}

/// A way in new numbers. Numbers are listed by their nodes.
static lwi_way move_way(const renumbering *r, const lwi_way *way, lwi_expr sign)
{
    const bool is_binary = lwi_is_binary(way->op);
    if (lwi_is_leaf(way->op)) {
        const uint32_t at = way->op == LWI_OP_NUMBER ? (uint32_t)r->g->nnumber : way->a;
        return (lwi_way){at, (way->b ^ sign) & 1u, LWI_NONE, way->op};
    }
    const lwi_expr b = is_binary ? renumbered(r, way->b) : 0;
    lwi_way moved = lwi_tidy_way(way->op, renumbered(r, way->a), b, sign);
    if (!is_binary) {
        moved.b = (way->b ^ sign) & 1u;
    }
    return moved;
}

/// The ways of one node: the one by which it was made stays the first, the others are sorted.
static void move_ways(renumbering *r, uint32_t node)
{
    const lwi_graph *old = r->old;
    lwi_graph *g = r->g;
    const uint32_t from = r->order[node].node;
    const lwi_expr sign = r->now[from] & 1u;
    size_t count = 0;
    for (uint32_t w = old->node[from].first; w != LWI_NONE; w = old->way[w].next) {
        r->sorted[count++] = move_way(r, &old->way[w], sign);
    }
    if (count > 1) {
        qsort(r->sorted + 1, count - 1, sizeof *r->sorted, compare_ways);
    }
    lwi_node *n = &g->node[node];
    n->first = (uint32_t)g->nway;
    for (size_t k = 0; k < count; ++k) {
        g->way[g->nway] = r->sorted[k];
        g->way[g->nway].next = k + 1 < count ? (uint32_t)g->nway + 1 : LWI_NONE;
        ++g->nway;
    }
    n->last = (uint32_t)g->nway - 1;
    if (old->node[from].number != LWI_NONE) {
        const lwi_wide number = old->number[old->node[from].number];
        n->number = (uint32_t)g->nnumber;
        g->number[g->nnumber++] = sign ? lwi_wide_neg(number) : number;
    }
}

/// One more than the depth of the deepest constant that a way reads; 0 where it reads others.
static uint32_t constancy_of(const renumbering *r, const lwi_way *way)
{
    if (lwi_is_leaf(way->op)) {
        return way->op == LWI_OP_NUMBER || r->g->symbol[way->a].kind == LWI_PARAMETER;
    }
    const uint32_t reads[2] = {way->a, way->b};
    uint32_t depth = 1;
    for (int i = 0; i < lwi_read_count(way->op); ++i) {
        const uint32_t below = r->constancy[lwi_node_of(reads[i])];
        if (below == 0) {
            return 0;
        }
        depth = below + 1 > depth ? below + 1 : depth;
    }
    return depth;
}

/// One pass over all nodes; whether a constant was found, or a shallower way to one.
static bool find_constants(renumbering *r)
{
    bool is_changed = false;
    for (size_t k = 0; k < r->g->nnode; ++k) {
        lwi_node *n = &r->g->node[k];
        for (uint32_t w = n->first; w != LWI_NONE; w = r->g->way[w].next) {
            const uint32_t depth = constancy_of(r, &r->g->way[w]);
            if (depth > 0 && (r->constancy[k] == 0 || depth < r->constancy[k])) {
                r->constancy[k] = depth;
                is_changed = true;
            }
        }
    }
    return is_changed;
}

/// The first of the shallowest ways: each reads what is shallower, so that they never go in
/// circles. All are looked at anew: a value that was written with positions may have landed on a
/// number later, and then what was made of it depends on numbers only.
static void choose_constants(renumbering *r)
{
    while (find_constants(r)) {
    }
    for (size_t k = 0; k < r->g->nnode; ++k) {
        lwi_node *n = &r->g->node[k];
        for (uint32_t w = n->first; w != LWI_NONE && n->constant == LWI_NONE;
             w = r->g->way[w].next) {
            const uint32_t depth = constancy_of(r, &r->g->way[w]);
            if (depth > 0 && depth == r->constancy[k]) {
                n->constant = w;
            }
        }
    }
}

static size_t most_ways(const lwi_graph *g)
{
    size_t most = 0;
    for (size_t k = 0; k < g->nnode; ++k) {
        size_t count = 0;
        for (uint32_t w = g->node[k].first; w != LWI_NONE; w = g->way[w].next) {
            ++count;
        }
        most = count > most ? count : most;
    }
    return most;
}

lwi_graph *lwi_graph_canonical(const lwi_graph *old, int n, lwi_expr *a)
{
    renumbering r = {.old = old, .g = lwi_graph_copy(old)};
    lwi_arena arena = {0};
    r.order = lwi_arena_take(&arena, old->nnode, sizeof *r.order);
    r.now = lwi_arena_take(&arena, old->nnode, sizeof *r.now);
    r.constancy = lwi_arena_take(&arena, old->nnode, sizeof *r.constancy);
    r.sorted = lwi_arena_take(&arena, most_ways(old), sizeof *r.sorted);
    if (!r.g || !r.order || !r.now || !r.constancy || !r.sorted) {
        lwi_graph_destroy(r.g);
        r.g = NULL;
        goto done;
    }
    give_numbers(&r);
    r.g->nway = r.g->nnumber = 0;
    for (size_t k = 0; k < old->nnode; ++k) {
        r.g->node[k] = (lwi_node){.value = r.order[k].value,
                                  .first = LWI_NONE,
                                  .last = LWI_NONE,
                                  .number = LWI_NONE,
                                  .constant = LWI_NONE};
        move_ways(&r, (uint32_t)k);
    }
    choose_constants(&r);
    lwi_fill_slots(r.g);
    for (int k = 0; k < n; ++k) {
        a[k] = renumbered(&r, a[k]);
    }

done:
    lwi_arena_free(&arena);
    return r.g;
}
