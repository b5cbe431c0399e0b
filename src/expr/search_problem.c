#include "search.h"

#include <string.h>

long lwi_op_cost(lwi_op op, lwi_cost cost)
{
    switch (op) {
    case LWI_OP_ADD:
        return cost == LWI_COST_MULTIPLICATIONS ? 5 : 100;
    case LWI_OP_MUL:
        return 110;
    case LWI_OP_DIV:
        return 400;
    default:
        return 5000; // sines and roots: never one more than must be
    }
}

void lwi_problem_free(lwi_problem *p)
{
    lwi_arena_free(&p->arena);
    *p = (lwi_problem){0};
}

static bool is_symbol(const lwi_graph *g, uint32_t node)
{
    for (uint32_t k = g->node[node].first; k != LWI_NONE; k = g->way[k].next) {
        if (g->way[k].op == LWI_OP_SYMBOL) {
            return true;
        }
    }
    return false;
}

static bool is_free(const lwi_graph *g, uint32_t node)
{
    return g->node[node].constant != LWI_NONE || is_symbol(g, node);
}

static int local_of(lwi_problem *p, uint32_t node)
{
    if (p->local[node] < 0) {
        p->local[node] = p->n;
        p->node[p->n++] = node;
    }
    return p->local[node];
}

/// Counts or writes the ways of one node; new nodes that they read are appended.
static int take_ways(lwi_problem *p, const lwi_graph *g, int k)
{
    const uint32_t node = p->node[k];
    int count = 0;
    if (is_free(g, node)) {
        return 0;
    }
    for (uint32_t w = g->node[node].first; w != LWI_NONE; w = g->way[w].next) {
        const lwi_way *way = &g->way[w];
        const int a = local_of(p, lwi_node_of(way->a));
        const int b = lwi_is_binary(way->op) ? local_of(p, lwi_node_of(way->b)) : -1;
        if (p->way) {
            p->way[p->nway + count] = (lwi_problem_way){.a = a, .b = b, .way = w, .op = way->op};
        }
        ++count;
    }
    return count;
}

static void set_choice(lwi_problem *p, const uint32_t *graph_choice)
{
    for (int k = 0; k < p->n; ++k) {
        p->choice[k] = p->way_start[k] < p->way_start[k + 1] ? p->way_start[k] : -1;
        for (int w = p->way_start[k]; w < p->way_start[k + 1] && graph_choice; ++w) {
            if (p->way[w].way == graph_choice[p->node[k]]) {
                p->choice[k] = w;
            }
        }
    }
}

lw_status lwi_problem_make(lwi_problem *p, const lwi_graph *g, int noutput,
                           const lwi_output *output, lwi_cost cost, const uint32_t *graph_choice)
{
    *p = (lwi_problem){.noutput = noutput, .cost = cost};
    p->node = lwi_arena_take(&p->arena, g->nnode, sizeof *p->node);
    p->local = lwi_arena_take(&p->arena, g->nnode, sizeof *p->local);
    p->output = lwi_arena_take(&p->arena, (size_t)noutput + 1, sizeof *p->output);
    if (!p->node || !p->local || !p->output) {
        goto failed;
    }
    memset(p->local, 0xff, g->nnode * sizeof *p->local);
    for (int k = 0; k < noutput; ++k) {
        p->output[k] = local_of(p, lwi_node_of(output[k].value));
    }
    size_t total = 0;
    for (int k = 0; k < p->n; ++k) {
        total += (size_t)take_ways(p, g, k);
    }
    p->way_start = lwi_arena_take(&p->arena, (size_t)p->n + 1, sizeof *p->way_start);
    p->way = lwi_arena_take(&p->arena, total + 1, sizeof *p->way);
    p->choice = lwi_arena_take(&p->arena, (size_t)p->n + 1, sizeof *p->choice);
    p->ref = lwi_arena_take(&p->arena, (size_t)p->n + 1, sizeof *p->ref);
    if (!p->way_start || !p->way || !p->choice || !p->ref) {
        goto failed;
    }
    for (int k = 0; k < p->n; ++k) {
        p->way_start[k] = p->nway;
        p->nway += take_ways(p, g, k);
    }
    p->way_start[p->n] = p->nway;
    set_choice(p, graph_choice);
    return LW_OK;

failed:
    lwi_problem_free(p);
    return LW_ERR_MEMORY;
}

void lwi_problem_finish(const lwi_problem *p, uint32_t *graph_choice)
{
    for (int k = 0; k < p->n; ++k) {
        if (p->choice[k] >= 0) {
            graph_choice[p->node[k]] = p->way[p->choice[k]].way;
        }
    }
}
