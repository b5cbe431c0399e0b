// The inside of a graph, for the files that make, search and print it.
#ifndef LWI_GRAPH_H
#define LWI_GRAPH_H

#include "../base/arena.h"
#include "../math/wide.h"
#include "expr.h"
#include "field.h"

#define LWI_NONE UINT32_MAX

/// One way to compute a node. It gives the node's value itself, never its negative: a sum has the
/// sign in both references, a product, quotient or atan2 in the first; functions of one argument,
/// symbols and numbers have it in b, which is 1 where the node is the negative of what they give.
typedef struct lwi_way {
    uint32_t a, b; ///< references; for symbols and numbers a is their index in the lists
    uint32_t next; ///< another way of the same node, or LWI_NONE
    lwi_op op;
} lwi_way;

/// A value and its negative are one node, which has the sign that came first.
typedef struct lwi_node {
    lwi_value value;
    uint32_t first;  ///< the way by which it was made: reads only nodes with smaller numbers
    uint32_t last;   ///< the newest
    uint32_t number; ///< its index in `number`, or LWI_NONE
    /// The first way that reads constants only, or LWI_NONE. What it reads was constant before, so
    /// that these ways never go in circles.
    uint32_t constant;
} lwi_node;

struct lwi_graph {
    lwi_node *node;
    size_t nnode, node_capacity, max_nodes;
    lwi_way *way;
    size_t nway, way_capacity;
    uint32_t *slot; ///< hash table of nodes by value; LWI_NONE is empty
    size_t nslot;   ///< a power of two
    lwi_wide *number;
    size_t nnumber, number_capacity;
    lwi_symbol *symbol;
    size_t nsymbol, symbol_capacity;
    lwi_arena names;
    lw_status status;
};

static inline uint32_t lwi_node_of(lwi_expr a)
{
    return a >> 1;
}

static inline lwi_expr lwi_signed(lwi_expr a, lwi_expr sign)
{
    return a == LWI_ZERO ? a : a ^ (sign & 1u);
}

/// The value of a reference, with its sign.
static inline lwi_value lwi_value_of(const lwi_graph *g, lwi_expr a)
{
    const lwi_value value = g->node[a >> 1].value;
    return a & 1u ? lwi_value_neg(value) : value;
}

static inline bool lwi_is_number_node(const lwi_graph *g, uint32_t node)
{
    return g->node[node].number != LWI_NONE;
}

static inline bool lwi_is_leaf(lwi_op op)
{
    return op == LWI_OP_NUMBER || op == LWI_OP_SYMBOL;
}

/// How many references a way reads.
static inline int lwi_read_count(lwi_op op)
{
    return lwi_is_leaf(op) ? 0 : lwi_is_binary(op) ? 2 : 1;
}

/// The tangent of half an angle, at the two points: a value that depends on the angle's.
lwi_value lwi_angle_tangent(lwi_value angle);

/// A graph of its own with the same nodes; the names of symbols stay the other's. Null when memory
/// is short.
lwi_graph *lwi_graph_copy(const lwi_graph *g);

/// The same values and ways with numbers, signs and orders that depend on the values alone, and on
/// the ways by which they were made, but not on which was made before which. Null when memory is
/// short.
/// @param a [n] references, renumbered
lwi_graph *lwi_graph_canonical(const lwi_graph *g, int n, lwi_expr *a);

/// Writes the hash table anew.
void lwi_fill_slots(lwi_graph *g);

/// The way to a value in the one form that it has: for the positive value, operands in order.
/// @param sign 1 where op(a, b) gives the negative
lwi_way lwi_tidy_way(lwi_op op, uint32_t a, uint32_t b, lwi_expr sign);

/// The node with this value or its negative, as a reference to the value; LWI_NONE if there is
/// none.
lwi_expr lwi_find_value(const lwi_graph *g, lwi_value value);

/// The node with this value, made where it is new, with op(a, b) as one of its ways. The caller
/// guarantees that the operation gives the value.
lwi_expr lwi_intern(lwi_graph *g, lwi_value value, lwi_op op, uint32_t a, uint32_t b);

/// One more way for a node, unless it has it: op(a, b) is equal to the reference.
void lwi_add_way(lwi_graph *g, lwi_expr of, lwi_op op, uint32_t a, uint32_t b);

/// A number of double precision and more, from its value by the rules of the field.
lwi_expr lwi_number_wide(lwi_graph *g, lwi_wide number, lwi_value value);
/// The same from the value that its node has.
lwi_expr lwi_number_of_value(lwi_graph *g, lwi_wide number, lwi_value value);

/// The way by which a node was made.
static inline const lwi_way *lwi_first_way(const lwi_graph *g, uint32_t node)
{
    return &g->way[g->node[node].first];
}

/// Marks, in mark[0 .. nnode), every node that the first ways of the n expressions read, themselves
/// included.
void lwi_mark(const lwi_graph *g, int n, const lwi_expr *a, unsigned char *mark);

#endif
