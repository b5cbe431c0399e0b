// Expressions as a graph of values.
//
// A node is a value, not a text: it is known by what it evaluates to, modulo the prime 2^61 - 1, at
// two random points. Sines and cosines are parametrised rationally there, so that s^2 + c^2 = 1 and
// the sums of angles hold by themselves. An operation that lands on a value which is known already
// adds one more way to compute it; so identities are found without rules for them, and every way
// that is found is checked by having been found. lwi_select() picks the cheapest set of ways.
//
// A value and its negative are one node: the sign belongs to the reference, and is free.
#ifndef LWI_EXPR_H
#define LWI_EXPR_H

#include <linkwork/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A value: twice the number of its node, plus one where it is negated.
typedef uint32_t lwi_expr;

enum { LWI_ZERO = 0, LWI_ONE = 2 };

typedef enum lwi_symbol_kind {
    LWI_PARAMETER, ///< a number of the model, fixed before the code runs
    LWI_POSITION,  ///< q[index]; also the angle of a sine or cosine
    LWI_VELOCITY,
    LWI_ACCELERATION,
    LWI_FORCE, ///< tau[index], where it is an input
    LWI_TIME,
    LWI_SINE, ///< of q[index], where sines and cosines are given instead of angles
    LWI_COSINE,
    LWI_POSE, ///< X[index], where the pose of a frame is given
    LWI_OTHER,
    LWI_SOLVED ///< x[index]: what loops of code find before straight-line code begins (tape_loop.h)
} lwi_symbol_kind;

typedef struct lwi_symbol {
    const char *name; ///< for printing; any text, made safe by who emits it
    lwi_symbol_kind kind;
    int index; ///< within its kind
} lwi_symbol;

typedef enum lwi_op {
    LWI_OP_NUMBER,
    LWI_OP_SYMBOL,
    LWI_OP_ADD, ///< a + b; a difference is a sum with a negated reference
    LWI_OP_MUL,
    LWI_OP_DIV,
    LWI_OP_SQRT,
    LWI_OP_SIN,
    LWI_OP_COS,
    LWI_OP_ATAN2, ///< of a = y, b = x
    LWI_OP_TANH,
    LWI_OP_CLAMP, ///< held within -1 and 1
    LWI_OP_SIGN   ///< -1, 0 or 1
} lwi_op;

/// Whether the operation reads `b` as a reference; a number or symbol reads none.
static inline bool lwi_is_binary(lwi_op op)
{
    return op == LWI_OP_ADD || op == LWI_OP_MUL || op == LWI_OP_DIV || op == LWI_OP_ATAN2;
}

typedef struct lwi_graph lwi_graph;

/// NULL if allocation fails.
/// @param max_nodes more than these are refused: every function then gives LWI_ZERO, and
///                  lwi_graph_status() returns LW_ERR_LIMIT. 0 for the default (four million).
lwi_graph *lwi_graph_create(size_t max_nodes);
void lwi_graph_destroy(lwi_graph *g);

/// LW_OK, or what went wrong first: LW_ERR_MEMORY, LW_ERR_LIMIT, LW_ERR_NUMBER (a number that is
/// not finite), LW_ERR_SINGULAR (a division by zero). Results made after that are meaningless, so
/// one check at the end is enough.
lw_status lwi_graph_status(const lwi_graph *g);

/// Sets the status, unless something went wrong before; for those who build. Gives LWI_ZERO.
lwi_expr lwi_graph_fail(lwi_graph *g, lw_status status);

// --- Making expressions. Zeros, ones and numbers fold by themselves. --------------------------

lwi_expr lwi_number(lwi_graph *g, double value);
/// The symbol of this name, kind and index; the same one where it exists. The name is copied.
lwi_expr lwi_symbol_of(lwi_graph *g, const char *name, lwi_symbol_kind kind, int index);

lwi_expr lwi_add(lwi_graph *g, lwi_expr a, lwi_expr b);
lwi_expr lwi_sub(lwi_graph *g, lwi_expr a, lwi_expr b);
lwi_expr lwi_mul(lwi_graph *g, lwi_expr a, lwi_expr b);
lwi_expr lwi_div(lwi_graph *g, lwi_expr a, lwi_expr b);
static inline lwi_expr lwi_neg(lwi_expr a)
{
    return a == LWI_ZERO ? a : a ^ 1u;
}

// The order in which nodes are made decides which way to a value is its first, and C leaves the
// order of arguments to the compiler. So at most one argument of a call may be a call that makes
// nodes; these are for the most frequent pairs.

/// a b + c d
static inline lwi_expr lwi_add_products(lwi_graph *g, lwi_expr a, lwi_expr b, lwi_expr c,
                                        lwi_expr d)
{
    const lwi_expr ab = lwi_mul(g, a, b);
    return lwi_add(g, ab, lwi_mul(g, c, d));
}
/// a b - c d
static inline lwi_expr lwi_sub_products(lwi_graph *g, lwi_expr a, lwi_expr b, lwi_expr c,
                                        lwi_expr d)
{
    const lwi_expr ab = lwi_mul(g, a, b);
    return lwi_sub(g, ab, lwi_mul(g, c, d));
}
/// A multiple by a number.
static inline lwi_expr lwi_scale(lwi_graph *g, double factor, lwi_expr a)
{
    return lwi_mul(g, lwi_number(g, factor), a);
}

lwi_expr lwi_sqrt(lwi_graph *g, lwi_expr a);
/// Sums, differences and whole multiples of symbols, with quarter revolutions, are taken apart
/// exactly; the sine and cosine of anything else are a pair of their own with s^2 + c^2 = 1.
lwi_expr lwi_sin(lwi_graph *g, lwi_expr angle);
lwi_expr lwi_cos(lwi_graph *g, lwi_expr angle);
/// Sine and cosine of an angle as it stands: cheaper for sums of many terms that no other angle
/// has, as of iterations.
void lwi_whole_sincos(lwi_graph *g, lwi_expr angle, lwi_expr *c, lwi_expr *s);
/// Adds the identity c^2 + s^2 = 1, which the graph cannot find for roots: the two are replaced by
/// values on the circle that are computed in the same way. Other identities of the roots are lost
/// by that.
void lwi_unit_circle(lwi_graph *g, lwi_expr *c, lwi_expr *s);
lwi_expr lwi_atan2(lwi_graph *g, lwi_expr y, lwi_expr x);
lwi_expr lwi_tanh(lwi_graph *g, lwi_expr a);
lwi_expr lwi_clamp(lwi_graph *g, lwi_expr a);
lwi_expr lwi_sign(lwi_graph *g, lwi_expr a);

/// Derivatives of n expressions a while the expressions `seed` change at these rates; other symbols
/// are held. A seed may be any value: what is behind it is not looked at.
/// @param seed, rate [nseed]
/// @param out        [n]
void lwi_differentiate(lwi_graph *g, int nseed, const lwi_expr *seed, const lwi_expr *rate, int n,
                       const lwi_expr *a, lwi_expr *out);

/// The n expressions a with other values in the places of some: each old[i] becomes with[i].
/// @param out [n]; may be a
void lwi_substitute(lwi_graph *g, int nold, const lwi_expr *old, const lwi_expr *with, int n,
                    const lwi_expr *a, lwi_expr *out);

// --- Queries ----------------------------------------------------------------------------------

/// Whether it is a number (then *value is set), or depends on parameters and numbers only.
bool lwi_is_number(const lwi_graph *g, lwi_expr a, double *value);
bool lwi_is_constant(const lwi_graph *g, lwi_expr a);

#endif
