#include "graph.h"

#include "../base/name_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_NODES = 4000000, FIRST_SLOTS = 1024 };

lwi_graph *lwi_graph_create(size_t max_nodes)
{
    lwi_graph *g = calloc(1, sizeof *g);
    if (!g) {
        return NULL;
    }
    // References have 31 bits for the number of a node.
    const size_t most = (size_t)INT32_MAX - 1;
    g->max_nodes = max_nodes == 0 ? DEFAULT_NODES : max_nodes < most ? max_nodes : most;
    g->nslot = FIRST_SLOTS;
    g->slot = malloc(g->nslot * sizeof *g->slot);
    if (!g->slot) {
        free(g);
        return NULL;
    }
    memset(g->slot, 0xff, g->nslot * sizeof *g->slot);
    lwi_number(g, 0.0);
    lwi_number(g, 1.0);
    if (g->status == LW_ERR_MEMORY) {
        lwi_graph_destroy(g);
        return NULL;
    }
    return g;
}

void lwi_graph_destroy(lwi_graph *g)
{
    if (!g) {
        return;
    }
    free(g->node);
    free(g->way);
    free(g->slot);
    free(g->number);
    free(g->symbol);
    lwi_arena_free(&g->names);
    free(g);
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *to = malloc(count ? count * size : 1);
    if (to && count) {
        memcpy(to, from, count * size);
    }
    return to;
}

lwi_graph *lwi_graph_copy(const lwi_graph *g)
{
    lwi_graph *copy = malloc(sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *g;
    copy->names = (lwi_arena){0};
    copy->node = copy_of(g->node, g->nnode, sizeof *g->node);
    copy->way = copy_of(g->way, g->nway, sizeof *g->way);
    copy->slot = copy_of(g->slot, g->nslot, sizeof *g->slot);
    copy->number = copy_of(g->number, g->nnumber, sizeof *g->number);
    copy->symbol = copy_of(g->symbol, g->nsymbol, sizeof *g->symbol);
    copy->node_capacity = g->nnode;
    copy->way_capacity = g->nway;
    copy->number_capacity = g->nnumber;
    copy->symbol_capacity = g->nsymbol;
    if (!copy->node || !copy->way || !copy->slot || !copy->number || !copy->symbol) {
        lwi_graph_destroy(copy);
        return NULL;
    }
    return copy;
}

lw_status lwi_graph_status(const lwi_graph *g)
{
    return g->status;
}

lwi_expr lwi_graph_fail(lwi_graph *g, lw_status status)
{
    if (g->status == LW_OK) {
        g->status = status;
    }
    return LWI_ZERO;
}

/// The array with capacity for one more element; NULL, and the status set, when memory is short.
static void *grow(lwi_graph *g, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const size_t wanted = *capacity ? *capacity + *capacity / 2 : 256;
    void *larger = realloc(array, wanted * size);
    if (!larger) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return NULL;
    }
    *capacity = wanted;
    return larger;
}

// --- Values to nodes --------------------------------------------------------------------------

static bool is_same(lwi_value a, lwi_value b)
{
    return a.at[0] == b.at[0] && a.at[1] == b.at[1];
}

/// The same slot for a value and its negative.
static size_t first_slot(const lwi_graph *g, lwi_value value)
{
    uint64_t x = value.at[0] < LWI_PRIME / 2 ? value.at[0] : LWI_PRIME - value.at[0];
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x >> 20) & (g->nslot - 1);
}

/// Where a value is in the table, or the empty slot where it belongs.
static size_t seek(const lwi_graph *g, lwi_value value)
{
    size_t index = first_slot(g, value);
    while (g->slot[index] != LWI_NONE) {
        const lwi_value have = g->node[g->slot[index]].value;
        if (is_same(have, value) || is_same(have, lwi_value_neg(value))) {
            break;
        }
        index = (index + 1) & (g->nslot - 1);
    }
    return index;
}

lwi_expr lwi_find_value(const lwi_graph *g, lwi_value value)
{
    const uint32_t node = g->slot[seek(g, value)];
    if (node == LWI_NONE) {
        return LWI_NONE;
    }
    return 2 * node + !is_same(g->node[node].value, value);
}

void lwi_fill_slots(lwi_graph *g)
{
    memset(g->slot, 0xff, g->nslot * sizeof *g->slot);
    for (size_t k = 0; k < g->nnode; ++k) {
        g->slot[seek(g, g->node[k].value)] = (uint32_t)k;
    }
}

static bool grow_slots(lwi_graph *g)
{
    if (8 * g->nnode < g->nslot) { // most searches are for what is not there, and end at once
        return true;
    }
    uint32_t *slot = malloc(2 * g->nslot * sizeof *slot);
    if (!slot) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return false;
    }
    free(g->slot);
    g->slot = slot;
    g->nslot *= 2;
    lwi_fill_slots(g);
    return true;
}

static bool is_constant_way(const lwi_graph *g, lwi_op op, uint32_t a, uint32_t b)
{
    if (op == LWI_OP_NUMBER) {
        return true;
    }
    if (op == LWI_OP_SYMBOL) {
        return g->symbol[a].kind == LWI_PARAMETER;
    }
    return lwi_is_constant(g, a) && (!lwi_is_binary(op) || lwi_is_constant(g, b));
}

lwi_way lwi_tidy_way(lwi_op op, uint32_t a, uint32_t b, lwi_expr sign)
{
    if (op == LWI_OP_ADD) {
        a = lwi_signed(a, sign);
        b = lwi_signed(b, sign);
    } else if (op == LWI_OP_MUL || op == LWI_OP_DIV) {
        sign ^= a ^ b;
        a &= ~1u;
        b &= ~1u;
    }
    if ((op == LWI_OP_ADD || op == LWI_OP_MUL) && a > b) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (op == LWI_OP_MUL || op == LWI_OP_DIV) {
        a |= sign & 1u;
    } else if (op == LWI_OP_ATAN2) {
        a = lwi_signed(a, sign);
    } else if (op != LWI_OP_ADD) {
        b = sign & 1u;
    }
    return (lwi_way){.a = a, .b = b, .next = LWI_NONE, .op = op};
}

static void append_way(lwi_graph *g, uint32_t node, lwi_way way)
{
    for (uint32_t k = g->node[node].first; k != LWI_NONE; k = g->way[k].next) {
        if (g->way[k].op == way.op && g->way[k].a == way.a && g->way[k].b == way.b) {
            return;
        }
    }
    lwi_way *ways = grow(g, g->way, g->nway, &g->way_capacity, sizeof *g->way);
    if (!ways) {
        return;
    }
    g->way = ways;
    const uint32_t index = (uint32_t)g->nway++;
    g->way[index] = way;
    if (g->node[node].first == LWI_NONE) {
        g->node[node].first = index;
    } else {
        g->way[g->node[node].last].next = index;
    }
    g->node[node].last = index;
    if (g->node[node].constant == LWI_NONE && is_constant_way(g, way.op, way.a, way.b)) {
        g->node[node].constant = index;
    }
}

void lwi_add_way(lwi_graph *g, lwi_expr of, lwi_op op, uint32_t a, uint32_t b)
{
    const uint32_t node = lwi_node_of(of);
    const bool reads_itself = !lwi_is_leaf(op) && (lwi_node_of(a) == node ||
                                                   (lwi_is_binary(op) && lwi_node_of(b) == node));
    if (g->status == LW_OK && !reads_itself && !lwi_is_number_node(g, node)) {
        append_way(g, node, lwi_tidy_way(op, a, b, of));
    }
}

lwi_expr lwi_intern(lwi_graph *g, lwi_value value, lwi_op op, uint32_t a, uint32_t b)
{
    if (g->status != LW_OK) {
        return LWI_ZERO;
    }
    const lwi_expr known = lwi_find_value(g, value);
    if (known != LWI_NONE) {
        lwi_add_way(g, known, op, a, b);
        return known;
    }
    if (g->nnode >= g->max_nodes) {
        return lwi_graph_fail(g, LW_ERR_LIMIT);
    }
    lwi_node *nodes = grow(g, g->node, g->nnode, &g->node_capacity, sizeof *g->node);
    if (!nodes) {
        return LWI_ZERO;
    }
    g->node = nodes;
    if (!grow_slots(g)) {
        return LWI_ZERO;
    }
    const uint32_t node = (uint32_t)g->nnode++;
    g->node[node] = (lwi_node){.value = value,
                               .first = LWI_NONE,
                               .last = LWI_NONE,
                               .number = LWI_NONE,
                               .constant = LWI_NONE};
    g->slot[seek(g, value)] = node;
    append_way(g, node, lwi_tidy_way(op, a, b, 0));
    return 2 * node;
}

// --- Numbers and symbols ----------------------------------------------------------------------

lwi_expr lwi_number_of_value(lwi_graph *g, lwi_wide number, lwi_value value)
{
    const lwi_expr known = lwi_find_value(g, value);
    if (known != LWI_NONE && lwi_is_number_node(g, lwi_node_of(known))) {
        return known;
    }
    lwi_wide *numbers = grow(g, g->number, g->nnumber, &g->number_capacity, sizeof *g->number);
    if (!numbers) {
        return LWI_ZERO;
    }
    g->number = numbers;
    const uint32_t index = (uint32_t)g->nnumber;
    const lwi_expr a = lwi_intern(g, value, LWI_OP_NUMBER, index, 0);
    if (g->status == LW_OK) {
        g->number[g->nnumber++] = a & 1u ? lwi_wide_neg(number) : number;
        g->node[lwi_node_of(a)].number = index;
    }
    return a;
}

/// Whether the node with a value is a number, and which: the same as a given one to the last digits
/// of a double, or another.
typedef enum likeness { IS_NONE, IS_SAME, IS_OTHER } likeness;

static likeness compare_number(const lwi_graph *g, lwi_value value, double number, lwi_expr *known)
{
    double have;
    *known = lwi_find_value(g, value);
    if (*known == LWI_NONE || !lwi_is_number(g, *known, &have)) {
        return IS_NONE;
    }
    return fabs(have - number) <= 0x1p-50 * fabs(number) ? IS_SAME : IS_OTHER;
}

/// 2^61 is 1 in the field: what rounding leaves of a difference, 2^-60 say, would be 2 there, and
/// 1 + 2^-54 would be 129. So a number far from 1 has a value of its own, by its exponent, as has
/// one whose value is taken by another; and one that rounds to a known number is that.
lwi_expr lwi_number_wide(lwi_graph *g, lwi_wide number, lwi_value value)
{
    enum { FAR = 40, SALT_FAR = 0xfa00 };
    if (!isfinite(number.hi) || !isfinite(number.lo)) {
        return lwi_graph_fail(g, LW_ERR_NUMBER);
    }
    if (number.hi == 0.0 && g->nnode > 0) {
        return LWI_ZERO;
    }
    int exponent;
    lwi_expr known, rounded;
    frexp(number.hi, &exponent);
    const likeness like = compare_number(g, value, number.hi, &known);
    if (like == IS_SAME) {
        return known;
    }
    if (number.lo != 0.0 &&
        compare_number(g, lwi_value_of_double(number.hi), number.hi, &rounded) == IS_SAME) {
        return rounded;
    }
    const bool is_far = exponent <= -FAR || exponent >= FAR;
    const bool is_minus = number.hi < 0.0;
    lwi_value own = is_minus ? lwi_value_neg(value) : value;
    if (g->nnode > 0 && (is_far || like == IS_OTHER)) {
        own = lwi_value_mix(own, own, SALT_FAR + (uint64_t)(exponent + 2000));
    }
    return lwi_number_of_value(g, number, is_minus ? lwi_value_neg(own) : own);
}

lwi_expr lwi_number(lwi_graph *g, double value)
{
    if (!isfinite(value)) {
        return lwi_graph_fail(g, LW_ERR_NUMBER);
    }
    return lwi_number_wide(g, lwi_wide_of(value), lwi_value_of_double(value));
}

bool lwi_is_number(const lwi_graph *g, lwi_expr a, double *value)
{
    const lwi_node *node = &g->node[lwi_node_of(a)];
    if (node->number == LWI_NONE) {
        return false;
    }
    if (value) {
        const double number = g->number[node->number].hi;
        *value = a & 1u ? -number : number;
    }
    return true;
}

bool lwi_is_constant(const lwi_graph *g, lwi_expr a)
{
    return g->node[lwi_node_of(a)].constant != LWI_NONE;
}

/// A sine, a cosine and the position that they belong to are distinguished by their index alone, so
/// that sines and cosines which are given are those of the angles.
static lwi_value symbol_value(const char *name, lwi_symbol_kind kind, int index)
{
    const bool is_sincos = kind == LWI_SINE || kind == LWI_COSINE;
    const lwi_symbol_kind hashed = is_sincos ? LWI_POSITION : kind;
    const char *text = hashed == LWI_POSITION ? "" : name;
    const uint64_t hash = lwi_hash_bytes(LWI_HASH_SEED, text, strlen(text));
    const lwi_value value =
        lwi_value_hash(hash, (uint64_t)hashed * UINT64_C(0x100000000) + (uint32_t)index);
    if (!is_sincos) {
        return value;
    }
    lwi_value sine, cosine;
    lwi_value_sincos(lwi_angle_tangent(value), &sine, &cosine);
    return kind == LWI_SINE ? sine : cosine;
}

lwi_expr lwi_symbol_of(lwi_graph *g, const char *name, lwi_symbol_kind kind, int index)
{
    for (size_t k = 0; k < g->nsymbol; ++k) {
        const lwi_symbol *have = &g->symbol[k];
        if (have->kind == kind && have->index == index && strcmp(have->name, name) == 0) {
            return lwi_find_value(g, symbol_value(name, kind, index));
        }
    }
    if (g->status != LW_OK) {
        return LWI_ZERO;
    }
    lwi_symbol *symbols = grow(g, g->symbol, g->nsymbol, &g->symbol_capacity, sizeof *g->symbol);
    if (!symbols) {
        return LWI_ZERO;
    }
    g->symbol = symbols;
    const char *copy = lwi_arena_text(&g->names, name, strlen(name));
    if (!copy) {
        return lwi_graph_fail(g, LW_ERR_MEMORY);
    }
    const uint32_t number = (uint32_t)g->nsymbol++;
    g->symbol[number] = (lwi_symbol){.name = copy, .kind = kind, .index = index};
    return lwi_intern(g, symbol_value(name, kind, index), LWI_OP_SYMBOL, number, 0);
}

void lwi_mark(const lwi_graph *g, int n, const lwi_expr *a, unsigned char *mark)
{
    memset(mark, 0, g->nnode);
    for (int k = 0; k < n; ++k) {
        mark[lwi_node_of(a[k])] = 1;
    }
    // First ways read smaller numbers only.
    for (size_t k = g->nnode; k-- > 0;) {
        const lwi_way *way = lwi_first_way(g, (uint32_t)k);
        if (mark[k] && !lwi_is_leaf(way->op)) {
            mark[lwi_node_of(way->a)] = 1;
            if (lwi_is_binary(way->op)) {
                mark[lwi_node_of(way->b)] = 1;
            }
        }
    }
}
