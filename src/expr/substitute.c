#include "graph.h"

#include <stdlib.h>

static lwi_expr rebuild(lwi_graph *g, lwi_way way, lwi_expr a, lwi_expr b)
{
    switch (way.op) {
    case LWI_OP_ADD:
        return lwi_add(g, a, b);
    case LWI_OP_MUL:
        return lwi_mul(g, a, b);
    case LWI_OP_DIV:
        return lwi_div(g, a, b);
    case LWI_OP_ATAN2:
        return lwi_atan2(g, a, b);
    case LWI_OP_SQRT:
        return lwi_signed(lwi_sqrt(g, a), way.b);
    case LWI_OP_SIN:
        return lwi_signed(lwi_sin(g, a), way.b);
    case LWI_OP_COS:
        return lwi_signed(lwi_cos(g, a), way.b);
    case LWI_OP_TANH:
        return lwi_signed(lwi_tanh(g, a), way.b);
    case LWI_OP_SIGN:
        return lwi_signed(lwi_sign(g, a), way.b);
    default:
        return LWI_ZERO;
    }
}

lwi_expr lwi_substitute(lwi_graph *g, lwi_expr a, int n, const lwi_expr *symbol,
                        const lwi_expr *replacement)
{
    if (g->status != LW_OK) {
        return LWI_ZERO;
    }
    const size_t top = (size_t)lwi_node_of(a) + 1;
    lwi_expr result = LWI_ZERO;
    unsigned char *mark = calloc(g->nnode, 1);
    lwi_expr *now = malloc(top * sizeof *now);
    if (!mark || !now) {
        result = lwi_graph_fail(g, LW_ERR_MEMORY);
        goto done;
    }
    lwi_mark(g, 1, &a, mark);
    for (size_t k = 0; k < top; k++) {
        now[k] = (lwi_expr)(2 * k);
        int place = 0;
        while (place < n && lwi_node_of(symbol[place]) != k) {
            place++;
        }
        if (!mark[k]) {
            continue;
        }
        const lwi_way way = *lwi_first_way(g, (uint32_t)k);
        if (place < n) {
            now[k] = lwi_signed(replacement[place], symbol[place]);
        } else if (!lwi_is_leaf(way.op)) {
            const lwi_expr x = lwi_signed(now[lwi_node_of(way.a)], way.a);
            const bool has_b = lwi_is_binary(way.op);
            const lwi_expr y = has_b ? lwi_signed(now[lwi_node_of(way.b)], way.b) : way.b;
            // What reads nothing that was replaced stays what it is.
            if (x != way.a || y != way.b) {
                now[k] = rebuild(g, way, x, y);
            }
        }
    }
    result = lwi_signed(now[top - 1], a);

done:
    free(now);
    free(mark);
    return result;
}
