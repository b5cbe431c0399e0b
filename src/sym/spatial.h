// Vectors and rotations of expressions.
#ifndef LWI_SPATIAL_H
#define LWI_SPATIAL_H

#include <linkwork/math.h>

#include "../expr/expr.h"

typedef struct lwi_vec {
    lwi_expr x, y, z;
} lwi_vec;

typedef struct lwi_rot {
    lwi_vec row[3];
} lwi_rot;

/// A symmetric matrix, as lw_sym3.
typedef struct lwi_sym {
    lwi_expr xx, yy, zz, xy, xz, yz;
} lwi_sym;

typedef struct lwi_frame {
    lwi_rot R;
    lwi_vec p;
} lwi_frame;

static inline lwi_vec vec_zero(void)
{
    return (lwi_vec){LWI_ZERO, LWI_ZERO, LWI_ZERO};
}

static inline lwi_vec vec_add(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    return (lwi_vec){lwi_add(g, a.x, b.x), lwi_add(g, a.y, b.y), lwi_add(g, a.z, b.z)};
}

static inline lwi_vec vec_sub(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    return (lwi_vec){lwi_sub(g, a.x, b.x), lwi_sub(g, a.y, b.y), lwi_sub(g, a.z, b.z)};
}

static inline lwi_vec vec_neg(lwi_vec a)
{
    return (lwi_vec){lwi_neg(a.x), lwi_neg(a.y), lwi_neg(a.z)};
}

static inline lwi_vec vec_scale(lwi_graph *g, lwi_expr s, lwi_vec a)
{
    return (lwi_vec){lwi_mul(g, s, a.x), lwi_mul(g, s, a.y), lwi_mul(g, s, a.z)};
}

static inline lwi_expr vec_dot(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    const lwi_expr xy = lwi_add_products(g, a.x, b.x, a.y, b.y);
    return lwi_add(g, xy, lwi_mul(g, a.z, b.z));
}

/// a b + c d, in an order that no compiler chooses; see lwi_add_products().
static inline lwi_expr vec_add_dots(lwi_graph *g, lwi_vec a, lwi_vec b, lwi_vec c, lwi_vec d)
{
    const lwi_expr cd = vec_dot(g, c, d);
    return lwi_add(g, vec_dot(g, a, b), cd);
}

static inline lwi_vec vec_cross(lwi_graph *g, lwi_vec a, lwi_vec b)
{
    return (lwi_vec){lwi_sub_products(g, a.y, b.z, a.z, b.y),
                     lwi_sub_products(g, a.z, b.x, a.x, b.z),
                     lwi_sub_products(g, a.x, b.y, a.y, b.x)};
}

/// a x b + c x d
static inline lwi_vec vec_add_crosses(lwi_graph *g, lwi_vec a, lwi_vec b, lwi_vec c, lwi_vec d)
{
    const lwi_vec cd = vec_cross(g, c, d);
    return vec_add(g, vec_cross(g, a, b), cd);
}

static inline lwi_vec vec_number(lwi_graph *g, lw_vec3 a)
{
    return (lwi_vec){lwi_number(g, a.x), lwi_number(g, a.y), lwi_number(g, a.z)};
}

static inline lwi_rot rot_identity(void)
{
    return (lwi_rot){{{LWI_ONE, LWI_ZERO, LWI_ZERO},
                      {LWI_ZERO, LWI_ONE, LWI_ZERO},
                      {LWI_ZERO, LWI_ZERO, LWI_ONE}}};
}

static inline lwi_rot rot_number(lwi_graph *g, const lw_mat3 *R)
{
    return (lwi_rot){
        {vec_number(g, R->row[0]), vec_number(g, R->row[1]), vec_number(g, R->row[2])}};
}

static inline lwi_rot rot_transpose(const lwi_rot *R)
{
    return (lwi_rot){{{R->row[0].x, R->row[1].x, R->row[2].x},
                      {R->row[0].y, R->row[1].y, R->row[2].y},
                      {R->row[0].z, R->row[1].z, R->row[2].z}}};
}

/// R a
static inline lwi_vec rot_apply(lwi_graph *g, const lwi_rot *R, lwi_vec a)
{
    return (lwi_vec){vec_dot(g, R->row[0], a), vec_dot(g, R->row[1], a), vec_dot(g, R->row[2], a)};
}

/// R' a
static inline lwi_vec rot_back(lwi_graph *g, const lwi_rot *R, lwi_vec a)
{
    const lwi_rot back = rot_transpose(R);
    return rot_apply(g, &back, a);
}

static inline lwi_rot rot_mul(lwi_graph *g, const lwi_rot *A, const lwi_rot *B)
{
    return (lwi_rot){
        {rot_back(g, B, A->row[0]), rot_back(g, B, A->row[1]), rot_back(g, B, A->row[2])}};
}

static inline lwi_vec rot_column(const lwi_rot *R, int k)
{
    const lwi_rot columns = rot_transpose(R);
    return columns.row[k];
}

static inline lwi_vec sym_apply(lwi_graph *g, const lwi_sym *S, lwi_vec a)
{
    const lwi_rot full = {{{S->xx, S->xy, S->xz}, {S->xy, S->yy, S->yz}, {S->xz, S->yz, S->zz}}};
    return rot_apply(g, &full, a);
}

static inline lwi_frame frame_identity(void)
{
    return (lwi_frame){rot_identity(), vec_zero()};
}

static inline lwi_frame frame_number(lwi_graph *g, const lw_pose *X)
{
    return (lwi_frame){rot_number(g, &X->R), vec_number(g, X->p)};
}

static inline lwi_vec frame_apply(lwi_graph *g, const lwi_frame *X, lwi_vec a)
{
    return vec_add(g, X->p, rot_apply(g, &X->R, a));
}

static inline lwi_frame frame_mul(lwi_graph *g, const lwi_frame *X, const lwi_frame *Y)
{
    return (lwi_frame){rot_mul(g, &X->R, &Y->R), frame_apply(g, X, Y->p)};
}

#endif
