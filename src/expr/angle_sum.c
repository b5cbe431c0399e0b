// Sines and cosines. An angle is taken apart into whole multiples of atoms (symbols, or whatever is
// no sum) and a number; sums of angles are then multiplications and additions of the atoms' sines
// and cosines.
#include "graph.h"

#include <math.h>

enum { MAX_TERMS = 32, MAX_MULTIPLE = 16, MAX_STACK = 64 };

typedef struct angle_sum {
    int n;
    uint32_t atom[MAX_TERMS]; ///< nodes, in order
    int factor[MAX_TERMS];
    lwi_wide number;
} angle_sum;

typedef struct sincos {
    lwi_expr s, c;
} sincos;

/// Adds factor * atom, keeping the atoms in order. False when there are too many.
static bool add_atom(angle_sum *sum, uint32_t atom, int factor)
{
    int index = 0;
    while (index < sum->n && sum->atom[index] < atom) {
        ++index;
    }
    if (index < sum->n && sum->atom[index] == atom) {
        sum->factor[index] += factor;
        return true;
    }
    if (sum->n == MAX_TERMS) {
        return false;
    }
    for (int k = sum->n++; k > index; --k) {
        sum->atom[k] = sum->atom[k - 1];
        sum->factor[k] = sum->factor[k - 1];
    }
    sum->atom[index] = atom;
    sum->factor[index] = factor;
    return true;
}

/// A whole number of moderate size, as a factor of an angle.
static bool is_whole(const lwi_graph *g, lwi_expr a, int *factor)
{
    double x;
    if (!lwi_is_number(g, a, &x) || fabs(x) > MAX_MULTIPLE || x != nearbyint(x)) {
        return false;
    }
    *factor = (int)x;
    return true;
}

/// Takes an angle apart. False where that leads too far: it is an atom then.
static bool take_apart(const lwi_graph *g, lwi_expr angle, angle_sum *sum)
{
    struct {
        lwi_expr a;
        int factor;
    } stack[MAX_STACK] = {{angle, 1}};
    int depth = 1;
    while (depth > 0) {
        --depth;
        const int sign = stack[depth].a & 1u ? -1 : 1;
        const int factor = stack[depth].factor * sign;
        const uint32_t node = lwi_node_of(stack[depth].a);
        const lwi_way *way = lwi_first_way(g, node);
        if (depth + 2 > MAX_STACK || factor > MAX_MULTIPLE || factor < -MAX_MULTIPLE) {
            return false;
        }
        int whole;
        if (lwi_is_number_node(g, node)) {
            const lwi_wide part =
                lwi_wide_mul(g->number[g->node[node].number], lwi_wide_of(factor));
            sum->number = lwi_wide_add(sum->number, part);
        } else if (way->op == LWI_OP_ADD) {
            stack[depth].a = way->a;
            stack[depth++].factor = factor;
            stack[depth].a = way->b;
            stack[depth++].factor = factor;
        } else if (way->op == LWI_OP_MUL && is_whole(g, way->a, &whole)) {
            stack[depth].a = way->b;
            stack[depth++].factor = factor * whole;
        } else if (way->op == LWI_OP_MUL && is_whole(g, way->b, &whole)) {
            stack[depth].a = way->a;
            stack[depth++].factor = factor * whole;
        } else if (!add_atom(sum, node, factor)) {
            return false;
        }
    }
    for (int k = 0; k < sum->n; ++k) {
        if (sum->factor[k] > MAX_MULTIPLE || sum->factor[k] < -MAX_MULTIPLE) {
            return false;
        }
    }
    return fabs(sum->number.hi) < 1e6;
}

static sincos atom_sincos(lwi_graph *g, uint32_t atom)
{
    lwi_value sine, cosine;
    lwi_value_sincos(lwi_angle_tangent(g->node[atom].value), &sine, &cosine);
    const sincos result = {lwi_intern(g, sine, LWI_OP_SIN, 2 * atom, 0),
                           lwi_intern(g, cosine, LWI_OP_COS, 2 * atom, 0)};
    const lwi_way way = *lwi_first_way(g, atom);
    if (way.op == LWI_OP_ATAN2) {
        // No function is needed: y / r and x / r are two more ways.
        const lwi_expr square = lwi_add_products(g, way.a, way.a, way.b, way.b);
        const lwi_expr r = lwi_sqrt(g, square);
        if (g->status == LW_OK) {
            lwi_add_way(g, result.s, LWI_OP_DIV, way.a, r);
            lwi_add_way(g, result.c, LWI_OP_DIV, way.b, r);
        }
    }
    return result;
}

static sincos combine(lwi_graph *g, sincos a, sincos b)
{
    return (sincos){
        .s = lwi_add_products(g, a.s, b.c, a.c, b.s),
        .c = lwi_sub_products(g, a.c, b.c, a.s, b.s),
    };
}

/// Sine and cosine of a number, exact for quarter revolutions.
static sincos number_sincos(lwi_graph *g, lwi_wide angle)
{
    lwi_wide rest, s, c;
    const int quarters = lwi_wide_quarters(angle, &rest);
    sincos result = {LWI_ZERO, LWI_ONE};
    if (rest.hi != 0.0) {
        lwi_wide_sincos(rest, &s, &c);
        result.s = lwi_number_wide(g, s, lwi_value_of_double(s.hi));
        result.c = lwi_number_wide(g, c, lwi_value_of_double(c.hi));
    }
    for (int k = 0; k < quarters; ++k) {
        result = (sincos){result.c, lwi_neg(result.s)};
    }
    return result;
}

static sincos sincos_of(lwi_graph *g, lwi_expr angle)
{
    angle_sum sum = {0};
    if (!take_apart(g, angle, &sum)) {
        const sincos one = atom_sincos(g, lwi_node_of(angle));
        return (sincos){lwi_signed(one.s, angle), one.c};
    }
    sincos result = {LWI_ZERO, LWI_ONE};
    for (int k = 0; k < sum.n; ++k) {
        sincos one = atom_sincos(g, sum.atom[k]);
        if (sum.factor[k] < 0) {
            one.s = lwi_neg(one.s);
        }
        for (int times = sum.factor[k] < 0 ? -sum.factor[k] : sum.factor[k]; times > 0; --times) {
            result = combine(g, result, one);
        }
    }
    result = combine(g, result, number_sincos(g, sum.number));
    if (g->status == LW_OK && !lwi_is_number(g, angle, NULL)) {
        lwi_add_way(g, result.s, LWI_OP_SIN, angle, 0);
        lwi_add_way(g, result.c, LWI_OP_COS, angle, 0);
    }
    return result;
}

lwi_expr lwi_sin(lwi_graph *g, lwi_expr angle)
{
    return g->status == LW_OK ? sincos_of(g, angle).s : LWI_ZERO;
}

lwi_expr lwi_cos(lwi_graph *g, lwi_expr angle)
{
    return g->status == LW_OK ? sincos_of(g, angle).c : LWI_ZERO;
}

void lwi_whole_sincos(lwi_graph *g, lwi_expr angle, lwi_expr *c, lwi_expr *s)
{
    *c = *s = LWI_ZERO;
    if (g->status == LW_OK && lwi_is_number(g, angle, NULL)) {
        *c = lwi_cos(g, angle);
        *s = lwi_sin(g, angle);
    } else if (g->status == LW_OK) {
        const sincos one = atom_sincos(g, lwi_node_of(angle));
        *c = one.c;
        *s = lwi_signed(one.s, angle);
    }
}

/// The same value by the same operation, but known to the graph by another number.
static lwi_expr known_as(lwi_graph *g, lwi_expr a, lwi_value value)
{
    const lwi_way way = *lwi_first_way(g, lwi_node_of(a));
    return lwi_intern(g, a & 1u ? lwi_value_neg(value) : value, way.op, way.a, way.b) ^ (a & 1u);
}

void lwi_unit_circle(lwi_graph *g, lwi_expr *c, lwi_expr *s)
{
    const lwi_expr one = lwi_add_products(g, *c, *c, *s, *s);
    const bool is_leaf = lwi_is_leaf(lwi_first_way(g, lwi_node_of(*c))->op) ||
                         lwi_is_leaf(lwi_first_way(g, lwi_node_of(*s))->op);
    if (g->status != LW_OK || one == LWI_ONE || is_leaf) {
        return;
    }
    lwi_value sine, cosine;
    const lwi_value mixed = lwi_value_mix(lwi_value_of(g, *c), lwi_value_of(g, *s), 0x77);
    lwi_value_sincos(lwi_angle_tangent(mixed), &sine, &cosine);
    *c = known_as(g, *c, cosine);
    *s = known_as(g, *s, sine);
}
