// How large values are at random real states. A sum of two large values that gives a small one
// loses digits; where the plain way does not, such a way is refused.
#include "search.h"

#include <math.h>
#include <stdlib.h>

enum { STATES = 8 };

static double uniform(uint64_t *seed)
{
    const lwi_value x = lwi_value_hash(++*seed, 0x512e);
    return (double)(x.at[0] >> 8) * 0x1p-53;
}

static double symbol_size(const lwi_symbol *symbol, uint64_t *seed)
{
    const double x = uniform(seed);
    // Parameters are positive and of one size, since nothing else is known; the others have both
    // signs.
    return symbol->kind == LWI_PARAMETER ? 0.5 + x : 4.0 * x - 2.0;
}

/// Radicands are not negative at configurations that a mechanism reaches, but may be so at random
/// states.
static double apply(lwi_op op, double a, double b)
{
    return lwi_apply(op, op == LWI_OP_SQRT ? fabs(a) : a, b);
}

static double signed_value(const double *value, lwi_expr a)
{
    return a & 1u ? -value[lwi_node_of(a)] : value[lwi_node_of(a)];
}

/// All nodes at one state, by their first ways.
static void evaluate(const lwi_graph *g, uint64_t seed, double *value)
{
    for (size_t k = 0; k < g->nnode; ++k) {
        const lwi_way *way = lwi_first_way(g, (uint32_t)k);
        if (way->op == LWI_OP_NUMBER) {
            value[k] = g->number[g->node[k].number].hi;
        } else if (way->op == LWI_OP_SYMBOL) {
            uint64_t own = seed ^ g->node[k].value.at[0]; // whichever symbol was made first
            value[k] = symbol_size(&g->symbol[way->a], &own);
            value[k] = way->b & 1u ? -value[k] : value[k];
        } else {
            const double b = lwi_is_binary(way->op) ? signed_value(value, way->b) : 0.0;
            value[k] = apply(way->op, signed_value(value, way->a), b);
            if (!lwi_is_binary(way->op) && way->b & 1u) {
                value[k] = -value[k];
            }
        }
    }
}

lw_status lwi_sizes_update(lwi_sizes *sizes, const lwi_graph *g)
{
    double *value = malloc(g->nnode * sizeof *value);
    double *size = realloc(sizes->size, g->nnode * sizeof *size);
    if (size) {
        sizes->size = size;
    }
    if (!value || !size) {
        free(value);
        return LW_ERR_MEMORY;
    }
    sizes->n = g->nnode;
    for (size_t k = 0; k < sizes->n; ++k) {
        size[k] = 0.0;
    }
    for (uint64_t state = 0; state < STATES; ++state) {
        evaluate(g, state * 1000000, value);
        for (size_t k = 0; k < sizes->n; ++k) {
            size[k] += value[k] * value[k];
        }
    }
    for (size_t k = 0; k < sizes->n; ++k) {
        size[k] = sqrt(size[k] / STATES);
    }
    free(value);
    return LW_OK;
}

bool lwi_sizes_cancel(const lwi_sizes *sizes, const lwi_graph *g, lwi_expr sum, lwi_expr a,
                      lwi_expr b)
{
    const uint32_t node = lwi_node_of(sum), x = lwi_node_of(a), y = lwi_node_of(b);
    if (node >= sizes->n || x >= sizes->n || y >= sizes->n) {
        return false;
    }
    const double largest = fmax(sizes->size[x], sizes->size[y]);
    double plain = sizes->size[node];
    const lwi_way *first = lwi_first_way(g, node);
    if (first->op == LWI_OP_ADD) {
        plain = fmax(plain,
                     fmax(sizes->size[lwi_node_of(first->a)], sizes->size[lwi_node_of(first->b)]));
    }
    return largest > 4.001 * plain; // not 4: whole multiples must not depend on the last digit
}
