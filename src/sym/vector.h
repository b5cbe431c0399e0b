// Vectors and matrices of expressions; matrices by rows.
//
// Two products may have the same value, and then the one that is made first is where a search
// begins. So they are made in statements, in an order that compilers do not choose.
#ifndef LWI_SYM_VECTOR_H
#define LWI_SYM_VECTOR_H

#include "../expr/expr.h"

static inline lwi_expr lwi_sum3(lwi_graph *g, lwi_expr a, lwi_expr b, lwi_expr c)
{
    return lwi_add(g, lwi_add(g, a, b), c);
}

/// out = a + b
static inline void lwi_add3(lwi_graph *g, const lwi_expr a[3], const lwi_expr b[3], lwi_expr out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = lwi_add(g, a[k], b[k]);
    }
}

static inline lwi_expr lwi_dot3(lwi_graph *g, const lwi_expr a[3], const lwi_expr b[3])
{
    const lwi_expr x = lwi_mul(g, a[0], b[0]);
    const lwi_expr y = lwi_mul(g, a[1], b[1]);
    const lwi_expr z = lwi_mul(g, a[2], b[2]);
    return lwi_sum3(g, x, y, z);
}

/// out = a x b; out is neither of them.
static inline void lwi_cross3(lwi_graph *g, const lwi_expr a[3], const lwi_expr b[3],
                              lwi_expr out[3])
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const lwi_expr plus = lwi_mul(g, a[i], b[j]), minus = lwi_mul(g, a[j], b[i]);
        out[k] = lwi_sub(g, plus, minus);
    }
}

/// out = M a; out is not a.
static inline void lwi_apply3(lwi_graph *g, const lwi_expr M[9], const lwi_expr a[3],
                              lwi_expr out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = lwi_dot3(g, M + 3 * k, a);
    }
}

/// out = M^T a; out is not a.
static inline void lwi_apply_transposed3(lwi_graph *g, const lwi_expr M[9], const lwi_expr a[3],
                                         lwi_expr out[3])
{
    for (int k = 0; k < 3; k++) {
        const lwi_expr column[3] = {M[k], M[3 + k], M[6 + k]};
        out[k] = lwi_dot3(g, column, a);
    }
}

/// out = A B; out is neither.
static inline void lwi_multiply3(lwi_graph *g, const lwi_expr A[9], const lwi_expr B[9],
                                 lwi_expr out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const lwi_expr column[3] = {B[k], B[3 + k], B[6 + k]};
            out[3 * i + k] = lwi_dot3(g, A + 3 * i, column);
        }
    }
}

#endif
