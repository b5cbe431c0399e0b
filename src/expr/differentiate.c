// Derivatives of expressions and substitution, forward through the ways by which they were made.
// Values that are the same have the same derivative, so that it does not matter which way is
// followed; the graph finds what derivatives have in common, as it does for all that is made.
#include "graph.h"

#include <stdlib.h>

// The derivative of what one way computes, from those of what it reads.
static lwi_expr way_rate(lwi_graph *g, uint32_t node, const lwi_way *way, lwi_expr da, lwi_expr db)
{
    const lwi_expr out = 2 * node, sign = way->b;
    lwi_expr c, s;
    switch (way->op) {
    case LWI_OP_ADD:
        return lwi_add(g, da, db);
    case LWI_OP_MUL:
        return lwi_add_products(g, da, way->b, way->a, db);
    case LWI_OP_DIV:
        return lwi_div(g, lwi_sub(g, da, lwi_mul(g, out, db)), way->b);
    case LWI_OP_SQRT: // with its sign: r^2 = a, whichever r is
        return lwi_div(g, lwi_scale(g, 0.5, da), out);
    case LWI_OP_SIN:
        lwi_whole_sincos(g, way->a, &c, &s);
        return lwi_signed(lwi_mul(g, c, da), sign);
    case LWI_OP_COS:
        lwi_whole_sincos(g, way->a, &c, &s);
        return lwi_signed(lwi_neg(lwi_mul(g, s, da)), sign);
    case LWI_OP_ATAN2: {
        const lwi_expr square = lwi_add_products(g, way->a, way->a, way->b, way->b);
        return lwi_div(g, lwi_sub_products(g, way->b, da, way->a, db), square);
    }
    case LWI_OP_TANH:
        return lwi_signed(lwi_mul(g, lwi_sub(g, LWI_ONE, lwi_mul(g, out, out)), da), sign);
    case LWI_OP_CLAMP: { // 1 within, 0 beyond
        const lwi_expr within = lwi_sign(g, lwi_sub(g, LWI_ONE, lwi_mul(g, way->a, way->a)));
        const lwi_expr slope = lwi_scale(g, 0.5, lwi_add(g, LWI_ONE, within));
        return lwi_signed(lwi_mul(g, slope, da), sign);
    }
    default: // numbers, symbols that are held, and signs
        return LWI_ZERO;
    }
}

// The same operation on other values.
static lwi_expr way_again(lwi_graph *g, uint32_t node, const lwi_way *way, lwi_expr a, lwi_expr b)
{
    lwi_expr c, s;
    (void)node;
    switch (way->op) {
    case LWI_OP_ADD:
        return lwi_add(g, a, b);
    case LWI_OP_MUL:
        return lwi_mul(g, a, b);
    case LWI_OP_DIV:
        return lwi_div(g, a, b);
    case LWI_OP_SQRT:
        return lwi_signed(lwi_sqrt(g, a), way->b);
    case LWI_OP_SIN:
        lwi_whole_sincos(g, a, &c, &s);
        return lwi_signed(s, way->b);
    case LWI_OP_COS:
        lwi_whole_sincos(g, a, &c, &s);
        return lwi_signed(c, way->b);
    case LWI_OP_ATAN2:
        return lwi_atan2(g, a, b);
    case LWI_OP_TANH:
        return lwi_signed(lwi_tanh(g, a), way->b);
    case LWI_OP_CLAMP:
        return lwi_signed(lwi_clamp(g, a), way->b);
    default:
        return lwi_signed(lwi_sign(g, a), way->b);
    }
}

typedef lwi_expr way_rule(lwi_graph *g, uint32_t node, const lwi_way *way, lwi_expr a, lwi_expr b);

// Follows the ways by which n expressions were made. x of a seed is given, that of other leaves is
// the leaf itself, or zero; what reads nothing else keeps this.
static void follow(lwi_graph *g, way_rule *rule, bool is_self, int nseed, const lwi_expr *seed,
                   const lwi_expr *given, int n, const lwi_expr *a, lwi_expr *out)
{
    const uint32_t nnode = (uint32_t)g->nnode;
    lwi_expr *x = calloc(nnode, sizeof *x);
    unsigned char *mark = calloc(nnode, sizeof *mark);
    unsigned char *is_seed = calloc(nnode, sizeof *is_seed);
    if (g->status == LW_OK && !(x && mark && is_seed)) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
    }
    if (g->status == LW_OK) {
        lwi_mark(g, n, a, mark);
        for (uint32_t i = 0; i < nnode && is_self; ++i) {
            x[i] = 2 * i;
        }
        for (int i = 0; i < nseed; ++i) {
            x[lwi_node_of(seed[i])] = lwi_signed(given[i], seed[i]);
            is_seed[lwi_node_of(seed[i])] = 1;
        }
        // First ways read smaller numbers only.
        for (uint32_t i = 0; i < nnode && g->status == LW_OK; ++i) {
            const lwi_way way = *lwi_first_way(g, i);
            if (!mark[i] || is_seed[i] || lwi_is_leaf(way.op)) {
                continue;
            }
            const bool is_binary = lwi_is_binary(way.op);
            const lwi_expr xa = lwi_signed(x[lwi_node_of(way.a)], way.a);
            const lwi_expr xb = is_binary ? lwi_signed(x[lwi_node_of(way.b)], way.b) : LWI_ZERO;
            const lwi_expr usual_a = is_self ? way.a : LWI_ZERO;
            const lwi_expr usual_b = is_self && is_binary ? way.b : LWI_ZERO;
            if (xa != usual_a || xb != usual_b) {
                x[i] = rule(g, i, &way, xa, xb);
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        out[i] = g->status == LW_OK ? lwi_signed(x[lwi_node_of(a[i])], a[i]) : LWI_ZERO;
    }
    free(x);
    free(mark);
    free(is_seed);
}

void lwi_differentiate(lwi_graph *g, int nseed, const lwi_expr *seed, const lwi_expr *rate, int n,
                       const lwi_expr *a, lwi_expr *out)
{
    follow(g, way_rate, false, nseed, seed, rate, n, a, out);
}

void lwi_substitute(lwi_graph *g, int nold, const lwi_expr *old, const lwi_expr *with, int n,
                    const lwi_expr *a, lwi_expr *out)
{
    follow(g, way_again, true, nold, old, with, n, a, out);
}
