// Vectors, matrices and poses of expressions.
//
// Two products may have the same value; the one that is made first is where a search begins.
// Products are therefore made in statements and loops, in an order that no compiler chooses.
#ifndef LWI_EXPR_VECTOR_H
#define LWI_EXPR_VECTOR_H

#include <linkwork/math.h>

#include "../expr/expr.h"

typedef union lwi_vec {
    struct {
        lwi_expr x, y, z;
    };
    lwi_expr e[3];
} lwi_vec;

typedef struct lwi_mat {
    lwi_vec row[3];
} lwi_mat;

/// A symmetric matrix, as lw_sym3.
typedef union lwi_sym {
    struct {
        lwi_expr xx, yy, zz, xy, xz, yz;
    };
    lwi_expr e[6];
} lwi_sym;

typedef struct lwi_frame {
    lwi_mat R;
    lwi_vec p;
} lwi_frame;

/// Angular and linear part of a velocity, an acceleration or a wrench.
typedef struct lwi_twist {
    lwi_vec ang, lin;
} lwi_twist;

/// a + b + c
static inline lwi_expr lwi_sum3(lwi_graph *g, lwi_expr a, lwi_expr b, lwi_expr c)
{
    return lwi_add(g, lwi_add(g, a, b), c);
}

static inline lwi_vec vec_of(lwi_expr x, lwi_expr y, lwi_expr z)
{
    return (lwi_vec){{x, y, z}};
}

static inline lwi_vec vec_zero(void)
{
    return vec_of(LWI_ZERO, LWI_ZERO, LWI_ZERO);
}

static inline lwi_vec vec_add(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    for (int i = 0; i < 3; ++i) {
        a.e[i] = lwi_add(g, a.e[i], b.e[i]);
    }
    return a;
}

static inline lwi_vec vec_neg(lwi_vec a)
{
    return vec_of(lwi_neg(a.x), lwi_neg(a.y), lwi_neg(a.z));
}

static inline lwi_vec vec_sub(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    return vec_add(g, a, vec_neg(b));
}

static inline lwi_vec vec_scale(lwi_graph *g, lwi_expr s, lwi_vec a)
{
    for (int i = 0; i < 3; ++i) {
        a.e[i] = lwi_mul(g, s, a.e[i]);
    }
    return a;
}

static inline lwi_expr vec_dot(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    const lwi_expr xy = lwi_add_products(g, a.x, b.x, a.y, b.y);
    return lwi_add(g, xy, lwi_mul(g, a.z, b.z));
}

/// a . b + c . d
static inline lwi_expr vec_add_dots(lwi_graph *g, lwi_vec a, lwi_vec b, lwi_vec c, lwi_vec d)
{
    const lwi_expr cd = vec_dot(g, c, d);
    return lwi_add(g, vec_dot(g, a, b), cd);
}

static inline lwi_vec vec_cross(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    lwi_vec out;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out.e[k] = lwi_sub_products(g, a.e[i], b.e[j], a.e[j], b.e[i]);
    }
    return out;
}

/// a x b + c x d
static inline lwi_vec vec_add_crosses(lwi_graph *g, lwi_vec a, lwi_vec b, lwi_vec c, lwi_vec d)
{
    const lwi_vec cd = vec_cross(g, c, d);
    return vec_add(g, vec_cross(g, a, b), cd);
}

static inline lwi_vec vec_number(lwi_graph *g, lw_vec3 a)
{
    const lwi_expr x = lwi_number(g, a.x), y = lwi_number(g, a.y);
    return vec_of(x, y, lwi_number(g, a.z));
}

static inline lwi_mat mat_identity(void)
{
    return (lwi_mat){{{{LWI_ONE, LWI_ZERO, LWI_ZERO}},
                      {{LWI_ZERO, LWI_ONE, LWI_ZERO}},
                      {{LWI_ZERO, LWI_ZERO, LWI_ONE}}}};
}

/// The rotation about z.
static inline lwi_mat mat_about_z(lwi_expr c, lwi_expr s)
{
    return (lwi_mat){
        {{{c, lwi_neg(s), LWI_ZERO}}, {{s, c, LWI_ZERO}}, {{LWI_ZERO, LWI_ZERO, LWI_ONE}}}};
}

static inline lwi_mat mat_number(lwi_graph *g, const lw_mat3 *R)
{
    lwi_mat out;
    for (int r = 0; r < 3; ++r) {
        out.row[r] = vec_number(g, R->row[r]);
    }
    return out;
}

static inline lwi_vec mat_column(const lwi_mat *A, int k)
{
    return vec_of(A->row[0].e[k], A->row[1].e[k], A->row[2].e[k]);
}

static inline lwi_mat mat_transpose(const lwi_mat *A)
{
    return (lwi_mat){{mat_column(A, 0), mat_column(A, 1), mat_column(A, 2)}};
}

static inline lwi_vec mat_apply(lwi_graph *g, const lwi_mat *A, lwi_vec a)
{
    lwi_vec out;
    for (int r = 0; r < 3; ++r) {
        out.e[r] = vec_dot(g, A->row[r], a);
    }
    return out;
}

/// A' a
static inline lwi_vec mat_apply_t(lwi_graph *g, const lwi_mat *A, lwi_vec a)
{
    const lwi_mat B = mat_transpose(A);
    return mat_apply(g, &B, a);
}

static inline lwi_mat mat_mul(lwi_graph *g, const lwi_mat *A, const lwi_mat *B)
{
    lwi_mat out;
    for (int r = 0; r < 3; ++r) {
        out.row[r] = mat_apply_t(g, B, A->row[r]);
    }
    return out;
}

static inline lwi_mat sym_full(const lwi_sym *S)
{
    return (lwi_mat){{{{S->xx, S->xy, S->xz}}, {{S->xy, S->yy, S->yz}}, {{S->xz, S->yz, S->zz}}}};
}

static inline lwi_vec sym_apply(lwi_graph *g, const lwi_sym *S, lwi_vec a)
{
    const lwi_mat full = sym_full(S);
    return mat_apply(g, &full, a);
}

static inline lwi_frame frame_identity(void)
{
    return (lwi_frame){mat_identity(), vec_zero()};
}

static inline lwi_frame frame_number(lwi_graph *g, const lw_pose *X)
{
    const lwi_mat R = mat_number(g, &X->R);
    return (lwi_frame){R, vec_number(g, X->p)};
}

static inline lwi_vec frame_apply(lwi_graph *g, const lwi_frame *X, lwi_vec a)
{
    return vec_add(g, X->p, mat_apply(g, &X->R, a));
}

static inline lwi_frame frame_mul(lwi_graph *g, const lwi_frame *X, const lwi_frame *Y)
{
    const lwi_mat R = mat_mul(g, &X->R, &Y->R);
    return (lwi_frame){R, frame_apply(g, X, Y->p)};
}

#endif
