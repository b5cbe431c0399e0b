// New values that could pay. A value is worth proposing where it is known already, where two places
// would share it, or where it draws out a common factor; whether it pays is for the search to find
// out.
#include "search.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TERMS = 12 };

typedef struct sum {
    int n;
    lwi_expr term[MAX_TERMS];
} sum;

/// A value up to its sign: how often it was met, and a pair that gives it.
typedef struct entry {
    lwi_value value;
    int count; ///< 0: empty
    lwi_expr a, b;
    lwi_op op;
    bool is_made;
} entry;

typedef struct table {
    entry *entry;
    size_t size; ///< a power of two
    size_t used; ///< about half of them at most, so that every search for a value ends
} table;

static bool is_sum(const lwi_problem *p, int k)
{
    return p->ref[k] > 0 && p->choice[k] >= 0 && p->way[p->choice[k]].op == LWI_OP_ADD;
}

/// The terms of a sum: partial sums that nothing else reads are split.
static void flatten(const lwi_graph *g, const lwi_problem *p, int k, sum *out)
{
    lwi_expr stack[MAX_TERMS + 2] = {2 * p->node[k]};
    int depth = 1;
    bool is_root = true;
    out->n = 0;
    while (depth > 0) {
        const lwi_expr a = stack[--depth];
        const int node = p->local[lwi_node_of(a)];
        if (is_sum(p, node) && (is_root || p->ref[node] == 1) && depth + 2 + out->n <= MAX_TERMS) {
            const lwi_way *way = &g->way[p->way[p->choice[node]].way];
            stack[depth++] = lwi_signed(way->b, a);
            stack[depth++] = lwi_signed(way->a, a);
        } else {
            out->term[out->n++] = a;
        }
        is_root = false;
    }
}

/// The entry of a value, or the empty one where it belongs. Makes the value that of both signs
/// which is counted, and returns whether that is the negative.
static bool find_entry(const table *t, lwi_value *value, entry **found)
{
    const lwi_value minus = lwi_value_neg(*value);
    const bool is_minus = minus.at[0] < value->at[0];
    if (is_minus) {
        *value = minus;
    }
    size_t at = (size_t)(value->at[0] * UINT64_C(0x9e3779b97f4a7c15) >> 30) & (t->size - 1);
    while (t->entry[at].count > 0 &&
           (t->entry[at].value.at[0] != value->at[0] || t->entry[at].value.at[1] != value->at[1])) {
        at = (at + 1) & (t->size - 1);
    }
    *found = &t->entry[at];
    return is_minus;
}

static int count_of(const table *t, lwi_value value)
{
    entry *e;
    find_entry(t, &value, &e);
    return e->count;
}

/// Values beyond the capacity of the table are not counted, and so not proposed for being shared.
static void add_count(table *t, lwi_value value)
{
    entry *e;
    find_entry(t, &value, &e);
    if (e->count == 0 && 2 * t->used >= t->size) {
        return;
    }
    t->used += e->count == 0;
    e->value = value;
    ++e->count;
}

static lwi_value pair_value(const lwi_graph *g, lwi_expr a, lwi_expr b)
{
    return lwi_value_add(lwi_value_of(g, a), lwi_value_of(g, b));
}

/// The whole sum as a pair of its terms, in whatever form it was made, and the rest.
static void sum_by_pair(lwi_graph *g, const sum *s, int i, int k, lwi_expr pair)
{
    lwi_expr rest = LWI_ZERO;
    for (int j = 0; j < s->n; ++j) {
        if (j != i && j != k) {
            rest = lwi_add(g, rest, s->term[j]);
        }
    }
    lwi_add(g, pair, rest);
}

/// Terms with a common factor: x y + x z = x (y + z), for each factor of either in any way.
static bool draw_factor(lwi_graph *g, lwi_expr a, lwi_expr b)
{
    bool is_found = false;
    for (uint32_t i = g->node[lwi_node_of(a)].first; i != LWI_NONE; i = g->way[i].next) {
        for (uint32_t k = g->node[lwi_node_of(b)].first; k != LWI_NONE; k = g->way[k].next) {
            const lwi_way m = g->way[i], n = g->way[k];
            if (m.op != LWI_OP_MUL || n.op != LWI_OP_MUL) {
                continue;
            }
            const lwi_expr left[2] = {m.a, m.b}, right[2] = {n.a, n.b};
            for (int j = 0; j < 4; ++j) {
                const lwi_expr x = left[j & 1], y = left[1 - (j & 1)];
                const lwi_expr x2 = right[j >> 1], z = right[1 - (j >> 1)];
                if (lwi_node_of(x) != lwi_node_of(x2)) {
                    continue;
                }
                const lwi_expr inner = lwi_add(g, lwi_signed(y, x ^ a), lwi_signed(z, x2 ^ b));
                lwi_mul(g, x & ~1u, inner);
                is_found = true;
            }
        }
    }
    return is_found;
}

/// A term as a factor and what it is multiplied with.
typedef struct split {
    lwi_expr factor;     ///< without sign
    lwi_expr rest, more; ///< the term is factor * rest * more; more is one where it is plain
} split;

enum { MAX_SPLITS = 6 };

/// The product that is chosen for a value of the problem; NULL where it is none, or not in use.
static const lwi_way *chosen_product(const lwi_graph *g, const lwi_problem *p, lwi_expr a)
{
    const int k = p->local[lwi_node_of(a)];
    if (p->ref[k] == 0 || p->choice[k] < 0 || p->way[p->choice[k]].op != LWI_OP_MUL) {
        return NULL;
    }
    return &g->way[p->way[p->choice[k]].way];
}

/// By the factors of a term, and by the factors of these.
static int split_term(const lwi_graph *g, const lwi_problem *p, lwi_expr term, split *out)
{
    const lwi_way *outer = chosen_product(g, p, term);
    int n = 0;
    for (int k = 0; k < 2 && outer; ++k) {
        const lwi_expr factor = k == 0 ? outer->a : outer->b;
        const lwi_expr rest = lwi_signed(k == 0 ? outer->b : outer->a, factor ^ term);
        const lwi_way *inner = chosen_product(g, p, factor);
        out[n++] = (split){factor & ~1u, rest, LWI_ONE};
        if (inner) {
            const lwi_expr turned = lwi_signed(rest, inner->a ^ inner->b);
            out[n++] = (split){inner->a & ~1u, turned, inner->b & ~1u};
            out[n++] = (split){inner->b & ~1u, turned, inner->a & ~1u};
        }
    }
    return n;
}

/// The same where the factor is within a product: (x y) z + x w = x (y z + w).
static bool draw_inner_factor(lwi_graph *g, const lwi_problem *p, lwi_expr a, lwi_expr b)
{
    split left[MAX_SPLITS], right[MAX_SPLITS];
    const int nleft = split_term(g, p, a, left), nright = split_term(g, p, b, right);
    bool is_found = false;
    for (int i = 0; i < nleft; ++i) {
        for (int k = 0; k < nright; ++k) {
            const split *l = &left[i], *r = &right[k];
            if (l->factor != r->factor || (l->more == LWI_ONE && r->more == LWI_ONE)) {
                continue;
            }
            const lwi_expr y = lwi_mul(g, l->rest, l->more), z = lwi_mul(g, r->rest, r->more);
            lwi_mul(g, l->factor, y);
            lwi_mul(g, r->factor, z);
            lwi_mul(g, l->factor, lwi_add(g, y, z));
            is_found = true;
        }
    }
    return is_found;
}

static void propose_pairs(lwi_graph *g, const lwi_problem *p, const sum *s, table *t,
                          bool with_inner)
{
    for (int i = 0; i < s->n; ++i) {
        for (int k = i + 1; k < s->n; ++k) {
            const lwi_value value = pair_value(g, s->term[i], s->term[k]);
            const bool is_shared = count_of(t, value) > 1;
            const bool is_known = lwi_find_value(g, value) != LWI_NONE;
            const bool has_factor = draw_factor(g, s->term[i], s->term[k]);
            const bool has_inner = with_inner && draw_inner_factor(g, p, s->term[i], s->term[k]);
            if (is_shared || is_known || has_factor || has_inner) {
                sum_by_pair(g, s, i, k, lwi_add(g, s->term[i], s->term[k]));
            }
        }
    }
}

/// a (x y) = x (a y) = y (a x), where the new product is constant, known or wanted twice.
static void reorder_product(lwi_graph *g, lwi_expr a, lwi_expr inner, table *t, bool only_count)
{
    for (uint32_t w = g->node[lwi_node_of(inner)].first; w != LWI_NONE; w = g->way[w].next) {
        const lwi_way way = g->way[w];
        if (way.op != LWI_OP_MUL) {
            continue;
        }
        const lwi_expr factor[2] = {way.a & ~1u, way.b & ~1u};
        for (int k = 0; k < 2; ++k) {
            const lwi_value value =
                lwi_value_mul(lwi_value_of(g, a & ~1u), lwi_value_of(g, factor[k]));
            if (only_count) {
                add_count(t, value);
                continue;
            }
            const bool is_free = lwi_is_constant(g, a) && lwi_is_constant(g, factor[k]);
            if (is_free || count_of(t, value) > 1 || lwi_find_value(g, value) != LWI_NONE) {
                lwi_mul(g, lwi_mul(g, a & ~1u, factor[k]), factor[1 - k]);
            }
        }
    }
}

static void propose_products(lwi_graph *g, const lwi_problem *p, table *t, bool only_count)
{
    for (int k = 0; k < p->n; ++k) {
        const lwi_way *chosen = chosen_product(g, p, 2 * p->node[k]);
        if (chosen) {
            const lwi_way way = *chosen;
            reorder_product(g, way.a, way.b, t, only_count);
            reorder_product(g, way.b, way.a, t, only_count);
        }
    }
}

/// x (y + z) = x y + x z, where one of these is known or constant.
static void distribute(lwi_graph *g, lwi_expr x, lwi_expr inner)
{
    for (uint32_t w = g->node[lwi_node_of(inner)].first; w != LWI_NONE; w = g->way[w].next) {
        const lwi_way way = g->way[w];
        if (way.op != LWI_OP_ADD) {
            continue;
        }
        const lwi_value one = lwi_value_mul(lwi_value_of(g, x), lwi_value_of(g, way.a));
        const lwi_value two = lwi_value_mul(lwi_value_of(g, x), lwi_value_of(g, way.b));
        if (lwi_find_value(g, one) != LWI_NONE || lwi_find_value(g, two) != LWI_NONE) {
            const lwi_expr first = lwi_mul(g, x, way.a), second = lwi_mul(g, x, way.b);
            lwi_add(g, first, second);
        }
    }
}

static void propose_distributed(lwi_graph *g, const lwi_problem *p)
{
    for (int k = 0; k < p->n; ++k) {
        const lwi_way *chosen = chosen_product(g, p, 2 * p->node[k]);
        if (chosen) {
            const lwi_way way = *chosen;
            distribute(g, way.a & ~1u, way.b & ~1u);
            distribute(g, way.b & ~1u, way.a & ~1u);
        }
    }
}

static void make_pair(lwi_graph *g, lwi_op op, lwi_expr a, lwi_expr b)
{
    if (op == LWI_OP_ADD) {
        lwi_add(g, a, b);
    } else {
        lwi_mul(g, a, b);
    }
}

static void meet(lwi_graph *g, table *t, lwi_op op, lwi_expr a, lwi_expr b)
{
    lwi_value value = op == LWI_OP_ADD ? pair_value(g, a, b)
                                       : lwi_value_mul(lwi_value_of(g, a), lwi_value_of(g, b));
    entry *e;
    if (lwi_value_is_zero(value) || t->used * 2 > t->size) {
        return;
    }
    if (find_entry(t, &value, &e)) {
        a = lwi_neg(a);
        b = op == LWI_OP_ADD ? lwi_neg(b) : b;
    }
    if (e->count == 0) {
        *e = (entry){value, 1, a, b, op, false};
        ++t->used;
        return;
    }
    if (!e->is_made) {
        e->is_made = true;
        make_pair(g, e->op, e->a, e->b);
    }
    make_pair(g, op, a, b);
}

/// Values that two pairs of what is in use would give: a + b = c + d, a + b = c d, a b = c d.
static void propose_meetings(lwi_graph *g, const lwi_problem *p)
{
    table t = {.size = (size_t)1 << 20};
    t.entry = calloc(t.size, sizeof *t.entry);
    if (!t.entry) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return;
    }
    for (int i = 0; i < p->n; ++i) {
        const lwi_expr a = 2 * p->node[i];
        for (int k = 0; k <= i && p->ref[i] > 0; ++k) {
            const lwi_expr b = 2 * p->node[k];
            if (p->ref[k] == 0 || (lwi_is_constant(g, a) && lwi_is_constant(g, b))) {
                continue;
            }
            if (i != k) {
                meet(g, &t, LWI_OP_ADD, a, b);
                meet(g, &t, LWI_OP_ADD, a, lwi_neg(b));
            }
            meet(g, &t, LWI_OP_MUL, a, b);
        }
    }
    free(t.entry);
}

void lwi_propose(lwi_graph *g, const lwi_problem *p, unsigned what)
{
    lwi_arena arena = {0};
    sum *sums = lwi_arena_take(&arena, (size_t)p->n + 1, sizeof *sums);
    unsigned char *is_inner = lwi_arena_take(&arena, (size_t)p->n + 1, 1);
    table t = {.size = (size_t)1 << 16};
    t.entry = lwi_arena_take(&arena, t.size, sizeof *t.entry);
    int nsum = 0;
    if (!sums || !is_inner || !t.entry) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        goto done;
    }
    for (int k = 0; k < p->n; ++k) {
        if (is_sum(p, k)) {
            is_inner[p->way[p->choice[k]].a] = 1;
            is_inner[p->way[p->choice[k]].b] = 1;
        }
    }
    for (int k = 0; k < p->n; ++k) {
        if (is_sum(p, k) && !(p->ref[k] == 1 && is_inner[k])) {
            flatten(g, p, k, &sums[nsum++]);
        }
    }
    for (int s = 0; s < nsum; ++s) {
        for (int i = 0; i < sums[s].n; ++i) {
            for (int k = i + 1; k < sums[s].n; ++k) {
                add_count(&t, pair_value(g, sums[s].term[i], sums[s].term[k]));
            }
        }
    }
    for (int s = 0; s < nsum && g->status == LW_OK; ++s) {
        propose_pairs(g, p, &sums[s], &t, what & LWI_PROPOSE_INNER);
    }
    memset(t.entry, 0, t.size * sizeof *t.entry);
    t.used = 0;
    propose_products(g, p, &t, true);
    propose_products(g, p, &t, false);
    propose_distributed(g, p);
    if (what & LWI_PROPOSE_MEETINGS) {
        propose_meetings(g, p);
    }

done:
    lwi_arena_free(&arena);
}
