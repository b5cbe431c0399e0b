#include "search.h"

#include <stdlib.h>

typedef struct union_maker {
    lwi_graph *into;
    const lwi_graph *from;
    const uint32_t *from_choice;
    lwi_expr *index;     ///< [nodes of from] in `into`, LWI_NONE before it is made
    unsigned char *mark; ///< [nodes of from] READ or USED
    uint32_t *stack;     ///< [nodes of from]
} union_maker;

enum { READ = 1, USED = 2 };

static uint32_t chosen_way(const union_maker *u, uint32_t node)
{
    const uint32_t constant = u->from->node[node].constant;
    return constant != LWI_NONE ? constant : u->from_choice[node];
}

static void push(union_maker *u, uint32_t node, size_t *depth)
{
    if (!u->mark[node]) {
        u->mark[node] = USED;
        u->stack[(*depth)++] = node;
    }
}

/// Marks what the outputs read through the ways chosen, and what first ways read for that.
static void mark_used(union_maker *u, int noutput, const lwi_output *output)
{
    size_t depth = 0;
    for (int k = 0; k < noutput; ++k) {
        push(u, lwi_node_of(output[k].value), &depth);
    }
    while (depth > 0) {
        const lwi_way *way = &u->from->way[chosen_way(u, u->stack[--depth])];
        const uint32_t reads[2] = {way->a, way->b};
        for (int k = 0; k < lwi_read_count(way->op); ++k) {
            push(u, lwi_node_of(reads[k]), &depth);
        }
    }
    for (size_t k = u->from->nnode; k-- > 0;) {
        const lwi_way *way = lwi_first_way(u->from, (uint32_t)k);
        const uint32_t reads[2] = {way->a, way->b};
        for (int i = 0; i < lwi_read_count(way->op) && u->mark[k]; ++i) {
            u->mark[lwi_node_of(reads[i])] |= READ;
        }
    }
}

/// The reference in the other graph; LWI_NONE where there is none.
static lwi_expr moved(const union_maker *u, lwi_expr a)
{
    const lwi_expr index = u->index[lwi_node_of(a)];
    return index == LWI_NONE ? index : lwi_signed(index, a);
}

/// Makes the node anew, by one of its ways. The search makes additions and multiplications only.
static lwi_expr remake(const union_maker *u, uint32_t node, const lwi_way *way)
{
    if (way->op == LWI_OP_NUMBER) {
        const lwi_node *n = &u->from->node[node];
        return lwi_number_of_value(u->into, u->from->number[n->number], n->value);
    }
    if (way->op != LWI_OP_ADD && way->op != LWI_OP_MUL) {
        return u->index[node];
    }
    const lwi_expr a = moved(u, way->a), b = moved(u, way->b);
    if (a == LWI_NONE || b == LWI_NONE) {
        return LWI_NONE;
    }
    return way->op == LWI_OP_ADD ? lwi_add(u->into, a, b) : lwi_mul(u->into, a, b);
}

/// The way of the node in the other graph that reads the same values; LWI_NONE where there is none.
static uint32_t same_way(const union_maker *u, uint32_t node, const lwi_way *way)
{
    const lwi_graph *g = u->into;
    const bool is_binary = lwi_is_binary(way->op);
    const uint32_t a = lwi_node_of(moved(u, way->a));
    const uint32_t b = is_binary ? lwi_node_of(moved(u, way->b)) : 0;
    for (uint32_t w = g->node[lwi_node_of(u->index[node])].first; w != LWI_NONE;
         w = g->way[w].next) {
        const uint32_t c = lwi_node_of(g->way[w].a), d = is_binary ? lwi_node_of(g->way[w].b) : 0;
        if (g->way[w].op == way->op && ((c == a && d == b) || (is_binary && c == b && d == a))) {
            return w;
        }
    }
    return LWI_NONE;
}

/// What the other search found to be constant is made so here too: it costs nothing there, and the
/// way by which it was made may read what is now computed from it.
static void move_constants(union_maker *u)
{
    bool is_changed = true;
    while (is_changed && u->into->status == LW_OK) {
        is_changed = false;
        for (size_t k = 0; k < u->from->nnode; ++k) {
            const uint32_t constant = u->from->node[k].constant;
            if (u->mark[k] & USED && constant != LWI_NONE &&
                !lwi_is_constant(u->into, u->index[k])) {
                remake(u, (uint32_t)k, &u->from->way[constant]);
                is_changed = is_changed || lwi_is_constant(u->into, u->index[k]);
            }
        }
    }
}

/// Ways of the nodes in use, made and written down. False where one has no counterpart.
static bool move_choice(union_maker *u, uint32_t *into_choice)
{
    bool is_whole = true;
    for (size_t k = 0; k < u->from->nnode; ++k) {
        const lwi_way *way = &u->from->way[chosen_way(u, (uint32_t)k)];
        if (u->mark[k] & USED && !lwi_is_leaf(way->op) && u->from->node[k].constant == LWI_NONE) {
            remake(u, (uint32_t)k, way);
            const uint32_t w = u->into->status == LW_OK ? same_way(u, (uint32_t)k, way) : LWI_NONE;
            is_whole = is_whole && w != LWI_NONE;
            into_choice[lwi_node_of(u->index[k])] = w;
        }
    }
    return is_whole;
}

lw_status lwi_unite(lwi_graph *into, const lwi_graph *from, size_t nshared, int noutput,
                    const lwi_output *output, const uint32_t *from_choice, uint32_t **into_choice)
{
    union_maker u = {.into = into, .from = from, .from_choice = from_choice};
    lw_status status = LW_ERR_MEMORY;
    *into_choice = NULL;
    lwi_arena arena = {0};
    u.index = lwi_arena_take(&arena, from->nnode, sizeof *u.index);
    u.mark = lwi_arena_take(&arena, from->nnode, 1);
    u.stack = lwi_arena_take(&arena, from->nnode + 1, sizeof *u.stack);
    if (!u.index || !u.mark || !u.stack) {
        goto done;
    }
    mark_used(&u, noutput, output);
    bool is_whole = true;
    for (size_t k = 0; k < from->nnode; ++k) {
        u.index[k] = k < nshared ? 2 * (lwi_expr)k : LWI_NONE;
        if (k >= nshared && u.mark[k]) {
            u.index[k] = remake(&u, (uint32_t)k, lwi_first_way(from, (uint32_t)k));
            is_whole = is_whole && u.index[k] != LWI_NONE;
        }
    }
    if (is_whole) {
        move_constants(&u);
    }
    *into_choice = malloc(into->nnode * sizeof **into_choice);
    if (!*into_choice) {
        goto done;
    }
    for (size_t k = 0; k < into->nnode; ++k) {
        (*into_choice)[k] = into->node[k].first;
    }
    if (!is_whole || !move_choice(&u, *into_choice)) {
        for (size_t k = 0; k < into->nnode; ++k) {
            (*into_choice)[k] = into->node[k].first;
        }
    }
    status = into->status;

done:
    if (status != LW_OK) {
        free(*into_choice);
        *into_choice = NULL;
    }
    lwi_arena_free(&arena);
    return status;
}
