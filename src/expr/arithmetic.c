// Additions, multiplications and functions. Numbers fold, zeros and ones vanish, and everything
// else is found or made by its value.
#include "graph.h"
#include "tape.h"

#include <math.h>

static bool wide_of(const lwi_graph *g, lwi_expr a, lwi_wide *number)
{
    const lwi_node *node = &g->node[lwi_node_of(a)];
    if (node->number == LWI_NONE) {
        return false;
    }
    *number = g->number[node->number];
    if (a & 1u) {
        *number = lwi_wide_neg(*number);
    }
    return true;
}

lwi_expr lwi_add(lwi_graph *g, lwi_expr a, lwi_expr b)
{
    if (a == LWI_ZERO || b == LWI_ZERO || g->status != LW_OK) {
        return g->status != LW_OK ? LWI_ZERO : a == LWI_ZERO ? b : a;
    }
    const lwi_value value = lwi_value_add(lwi_value_of(g, a), lwi_value_of(g, b));
    if (lwi_value_is_zero(value)) {
        return LWI_ZERO;
    }
    lwi_wide x, y;
    if (wide_of(g, a, &x) && wide_of(g, b, &y)) {
        return lwi_number_wide(g, lwi_wide_add(x, y), value);
    }
    return lwi_intern(g, value, LWI_OP_ADD, a, b);
}

lwi_expr lwi_sub(lwi_graph *g, lwi_expr a, lwi_expr b)
{
    return lwi_add(g, a, lwi_neg(b));
}

lwi_expr lwi_mul(lwi_graph *g, lwi_expr a, lwi_expr b)
{
    if (a == LWI_ZERO || b == LWI_ZERO || g->status != LW_OK) {
        return LWI_ZERO;
    }
    if (lwi_node_of(a) == lwi_node_of(LWI_ONE)) {
        return lwi_signed(b, a);
    }
    if (lwi_node_of(b) == lwi_node_of(LWI_ONE)) {
        return lwi_signed(a, b);
    }
    const lwi_value value = lwi_value_mul(lwi_value_of(g, a), lwi_value_of(g, b));
    lwi_wide x, y;
    if (wide_of(g, a, &x) && wide_of(g, b, &y)) {
        return lwi_number_wide(g, lwi_wide_mul(x, y), value);
    }
    // Roots have values of their own, whose squares the field does not contain.
    if (lwi_node_of(a) == lwi_node_of(b)) {
        const lwi_way *way = lwi_first_way(g, lwi_node_of(a));
        if (way->op == LWI_OP_SQRT) {
            return lwi_signed(way->a, a ^ b);
        }
    }
    return lwi_intern(g, value, LWI_OP_MUL, a, b);
}

lwi_expr lwi_div(lwi_graph *g, lwi_expr a, lwi_expr b)
{
    if (b == LWI_ZERO) {
        return lwi_graph_fail(g, LW_ERR_SINGULAR);
    }
    if (a == LWI_ZERO || g->status != LW_OK) {
        return LWI_ZERO;
    }
    if (lwi_node_of(b) == lwi_node_of(LWI_ONE)) {
        return lwi_signed(a, b);
    }
    const lwi_value below = lwi_value_of(g, b);
    if (below.at[0] == 0 || below.at[1] == 0) {
        return lwi_graph_fail(g, LW_ERR_SINGULAR);
    }
    const lwi_value value = lwi_value_div(lwi_value_of(g, a), below);
    lwi_wide x, y;
    if (wide_of(g, b, &y)) {
        if (wide_of(g, a, &x)) {
            return lwi_number_wide(g, lwi_wide_div(x, y), value);
        }
        const lwi_value one = lwi_value_of(g, LWI_ONE);
        const lwi_wide inverse = lwi_wide_div(lwi_wide_of(1.0), y);
        return lwi_mul(g, a, lwi_number_wide(g, inverse, lwi_value_div(one, below)));
    }
    return lwi_intern(g, value, LWI_OP_DIV, a, b);
}

enum { SALT_SQRT = 0x51, SALT_TANGENT, SALT_ATAN2, SALT_TANH, SALT_SIGN, SALT_CLAMP };

lwi_expr lwi_sqrt(lwi_graph *g, lwi_expr a)
{
    if (lwi_node_of(a) <= lwi_node_of(LWI_ONE) && !(a & 1u)) {
        return a;
    }
    lwi_wide x;
    if (wide_of(g, a, &x)) {
        const lwi_wide root = lwi_wide_sqrt(x);
        // Of a square that is exact the root is too, and lands on its own value.
        const lwi_value value = lwi_value_of_double(isfinite(root.hi) ? root.hi : 0.0);
        return lwi_number_wide(g, root, value);
    }
    // A root in the field would be one of two, and which of them is the positive one cannot be
    // determined: the root of x^2 would land on x or on -x by chance. So it has a value of its own.
    const lwi_value own = lwi_value_of(g, a);
    return lwi_intern(g, lwi_value_mix(own, own, SALT_SQRT), LWI_OP_SQRT, a, 0);
}

lwi_expr lwi_atan2(lwi_graph *g, lwi_expr y, lwi_expr x)
{
    lwi_wide top, bottom;
    if (wide_of(g, y, &top) && wide_of(g, x, &bottom)) {
        if (y == LWI_ZERO && x == LWI_ZERO) {
            return lwi_graph_fail(g, LW_ERR_SINGULAR);
        }
        const lwi_wide angle = lwi_wide_atan2(top, bottom);
        return lwi_number_wide(g, angle, lwi_value_of_double(isfinite(angle.hi) ? angle.hi : 0.0));
    }
    const lwi_value value = lwi_value_mix(lwi_value_of(g, y), lwi_value_of(g, x), SALT_ATAN2);
    return lwi_intern(g, value, LWI_OP_ATAN2, y, x);
}

/// Of an odd function the argument's sign comes out.
static lwi_expr odd(lwi_graph *g, lwi_expr a, lwi_op op, uint64_t salt)
{
    double x;
    if (lwi_is_number(g, a, &x)) {
        return lwi_number(g, lwi_apply(op, x, 0.0));
    }
    const lwi_expr plain = a & ~1u;
    const lwi_value own = lwi_value_of(g, plain);
    return lwi_signed(lwi_intern(g, lwi_value_mix(own, own, salt), op, plain, 0), a);
}

lwi_expr lwi_tanh(lwi_graph *g, lwi_expr a)
{
    return odd(g, a, LWI_OP_TANH, SALT_TANH);
}

lwi_expr lwi_clamp(lwi_graph *g, lwi_expr a)
{
    return odd(g, a, LWI_OP_CLAMP, SALT_CLAMP);
}

lwi_expr lwi_sign(lwi_graph *g, lwi_expr a)
{
    return odd(g, a, LWI_OP_SIGN, SALT_SIGN);
}

lwi_value lwi_angle_tangent(lwi_value angle)
{
    return lwi_value_mix(angle, angle, SALT_TANGENT);
}
