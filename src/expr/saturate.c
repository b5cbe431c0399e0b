#include "search.h"

static void try_sum(lwi_graph *g, lwi_expr a, lwi_expr b, const lwi_sizes *sizes)
{
    const lwi_value value = lwi_value_add(lwi_value_of(g, a), lwi_value_of(g, b));
    const lwi_expr known = lwi_find_value(g, value);
    if (known != LWI_NONE && !lwi_is_constant(g, known) &&
        !lwi_sizes_cancel(sizes, g, known, a, b)) {
        lwi_add_way(g, known, LWI_OP_ADD, a, b);
    }
}

void lwi_saturate(lwi_graph *g, int n, const uint32_t *node, int nold, const lwi_sizes *sizes)
{
    for (int i = nold; i < n && g->status == LW_OK; ++i) {
        const lwi_expr a = 2 * node[i];
        const bool is_constant = lwi_is_constant(g, a);
        for (int k = 0; k <= i; ++k) {
            const lwi_expr b = 2 * node[k];
            if (is_constant && lwi_is_constant(g, b)) {
                continue;
            }
            try_sum(g, a, b, sizes);
            try_sum(g, a, lwi_neg(b), sizes);
            const lwi_value value = lwi_value_mul(g->node[node[i]].value, g->node[node[k]].value);
            const lwi_expr known = lwi_find_value(g, value);
            if (known != LWI_NONE && !lwi_is_constant(g, known)) {
                lwi_add_way(g, known, LWI_OP_MUL, a, b);
            }
        }
    }
}
