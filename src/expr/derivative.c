#include "graph.h"

#include <stdlib.h>

/// The derivative of one node by its first way, from those of what it reads.
static lwi_expr of_way(lwi_graph *g, lwi_way way, lwi_expr self, lwi_expr da, lwi_expr db)
{
    const lwi_expr a = way.a, b = way.b;
    switch (way.op) {
    case LWI_OP_ADD:
        return lwi_add(g, da, db);
    case LWI_OP_MUL:
        return lwi_add_products(g, da, b, a, db);
    case LWI_OP_DIV:
        return lwi_div(g, lwi_sub(g, da, lwi_mul(g, self, db)), b);
    case LWI_OP_ATAN2: {
        const lwi_expr above = lwi_sub_products(g, b, da, a, db);
        const lwi_expr square = lwi_add_products(g, a, a, b, b);
        return above == LWI_ZERO ? LWI_ZERO : lwi_div(g, above, square);
    }
    case LWI_OP_SQRT: {
        const lwi_expr twice = lwi_scale(g, 2.0, lwi_signed(self, b));
        return da == LWI_ZERO ? LWI_ZERO : lwi_signed(lwi_div(g, da, twice), b);
    }
    case LWI_OP_SIN:
        return lwi_signed(lwi_mul(g, lwi_cos(g, a), da), b);
    case LWI_OP_COS:
        return lwi_neg(lwi_signed(lwi_mul(g, lwi_sin(g, a), da), b));
    case LWI_OP_TANH: {
        const lwi_expr slope = lwi_sub(g, LWI_ONE, lwi_mul(g, self, self));
        return lwi_signed(lwi_mul(g, slope, da), b);
    }
    case LWI_OP_CLAMP: { // 1 within the bounds, 0 beyond
        const lwi_expr sign = lwi_sign(g, lwi_sub(g, LWI_ONE, lwi_mul(g, a, a)));
        const lwi_expr twice = lwi_mul(g, sign, lwi_add(g, sign, LWI_ONE));
        return lwi_signed(lwi_mul(g, lwi_mul(g, lwi_number(g, 0.5), twice), da), b);
    }
    default: // the sign is flat where it has a derivative
        return LWI_ZERO;
    }
}

lwi_expr lwi_derivative(lwi_graph *g, lwi_expr a, lwi_expr symbol)
{
    if (g->status != LW_OK) {
        return LWI_ZERO;
    }
    const size_t top = (size_t)lwi_node_of(a) + 1;
    lwi_expr result = LWI_ZERO;
    unsigned char *mark = calloc(g->nnode, 1);
    lwi_expr *slope = malloc(top * sizeof *slope);
    if (!mark || !slope) {
        result = lwi_graph_fail(g, LW_ERR_MEMORY);
        goto done;
    }
    lwi_mark(g, 1, &a, mark);
    for (size_t k = 0; k < top; ++k) {
        slope[k] = LWI_ZERO;
        const lwi_way way = *lwi_first_way(g, (uint32_t)k);
        if (!mark[k]) {
            continue;
        }
        if (k == lwi_node_of(symbol)) {
            slope[k] = lwi_signed(LWI_ONE, symbol);
        } else if (way.op == LWI_OP_SYMBOL) {
            const lwi_symbol about = g->symbol[way.a];
            const lwi_way *by = lwi_first_way(g, lwi_node_of(symbol));
            // Sines and cosines that are given depend on their angle.
            if ((about.kind == LWI_SINE || about.kind == LWI_COSINE) && by->op == LWI_OP_SYMBOL &&
                g->symbol[by->a].kind == LWI_POSITION && g->symbol[by->a].index == about.index) {
                const lwi_expr other =
                    about.kind == LWI_SINE ? lwi_cos(g, symbol) : lwi_neg(lwi_sin(g, symbol));
                slope[k] = lwi_signed(other, way.b);
            }
        } else if (!lwi_is_leaf(way.op)) {
            const lwi_expr da = lwi_signed(slope[lwi_node_of(way.a)], way.a);
            const lwi_expr db =
                lwi_is_binary(way.op) ? lwi_signed(slope[lwi_node_of(way.b)], way.b) : LWI_ZERO;
            if (da != LWI_ZERO || db != LWI_ZERO) {
                slope[k] = of_way(g, way, (lwi_expr)(2 * k), da, db);
            }
        }
    }
    result = lwi_signed(slope[top - 1], a);

done:
    free(slope);
    free(mark);
    return result;
}
