#include "body_motion.h"

lwi_pseudo lwi_pseudo_of(lwi_graph *g, const lwi_sym_body *body)
{
    const lwi_expr *I = body->own.tensor.e;
    lwi_pseudo P = {.m = body->own.mass, .h = body->own.first};
    const lwi_expr half = lwi_number(g, 0.5);
    for (int k = 0; k < 3; ++k) {
        // S_xx = (I_yy + I_zz - I_xx) / 2
        const lwi_expr others = lwi_add(g, I[(k + 1) % 3], I[(k + 2) % 3]);
        P.S.e[k] = lwi_mul(g, half, lwi_sub(g, others, I[k]));
        P.S.e[3 + k] = lwi_neg(I[3 + k]);
    }
    return P;
}

void lwi_pseudo_store(lwi_graph *g, const lwi_pseudo *P, lwi_sym_body *body)
{
    body->own.mass = P->m;
    body->own.first = P->h;
    for (int k = 0; k < 3; ++k) {
        body->own.tensor.e[k] = lwi_add(g, P->S.e[(k + 1) % 3], P->S.e[(k + 2) % 3]);
        body->own.tensor.e[3 + k] = lwi_neg(P->S.e[3 + k]);
    }
}

lwi_pseudo lwi_pseudo_add(lwi_graph *g, const lwi_pseudo *a, const lwi_pseudo *b)
{
    lwi_pseudo sum = {.m = lwi_add(g, a->m, b->m)};
    for (int k = 0; k < 6; ++k) {
        sum.S.e[k] = lwi_add(g, a->S.e[k], b->S.e[k]);
    }
    sum.h = vec_add(g, a->h, b->h);
    return sum;
}

lwi_pseudo lwi_pseudo_move(lwi_graph *g, const lwi_pseudo *P, const lwi_frame *X)
{
    const lwi_mat S = sym_full(&P->S), half = mat_mul(g, &X->R, &S);
    const lwi_vec h = mat_apply(g, &X->R, P->h), p = X->p;
    lwi_pseudo out = {.m = P->m};
    out.h = vec_add(g, h, vec_scale(g, P->m, p));
    // R S R^T + h p^T + p h^T + m p p^T, with the last two as p (h + m p)^T
    for (int i = 0; i < 3; ++i) {
        for (int k = i; k < 3; ++k) {
            lwi_expr sum = vec_dot(g, half.row[i], X->R.row[k]);
            sum = lwi_add(g, sum, lwi_mul(g, h.e[i], p.e[k]));
            sum = lwi_add(g, sum, lwi_mul(g, p.e[i], out.h.e[k]));
            out.S.e[lwi_pseudo_index(i, k)] = sum;
        }
    }
    return out;
}

lwi_pseudo lwi_pseudo_shift(lwi_graph *g, const lwi_pseudo *P, lwi_vec p)
{
    const lwi_frame X = {mat_identity(), p};
    return lwi_pseudo_move(g, P, &X);
}

/// The second moments across z after a rotation about it, in four multiplications: with
/// e = c (S_xx - S_yy) - 2 s S_xy they are S_yy + c e, S_xx - c e and S_xy + s e.
static void rotate_across(lwi_graph *g, const lwi_sym *S, lwi_expr c, lwi_expr s)
{
    const lwi_expr difference = lwi_mul(g, c, lwi_sub(g, S->xx, S->yy));
    const lwi_expr product = lwi_mul(g, s, lwi_add(g, S->xy, S->xy));
    const lwi_expr e = lwi_sub(g, difference, product);
    const lwi_expr along = lwi_mul(g, c, e), across = lwi_mul(g, s, e);
    const lwi_expr xx = lwi_add(g, S->yy, along);
    lwi_sub(g, lwi_add(g, S->xx, S->yy), xx);
    lwi_sub(g, S->xx, along);
    lwi_add(g, S->xy, across);
}

lwi_pseudo lwi_pseudo_rotate(lwi_graph *g, const lwi_pseudo *P, const lwi_sym_body *body)
{
    if (body->type == LW_TREE_PRISMATIC) {
        return *P;
    }
    lwi_expr c, s;
    lwi_joint_angle(g, body, &c, &s);
    rotate_across(g, &P->S, c, s);
    const lwi_frame X = {mat_about_z(c, s), vec_zero()};
    return lwi_pseudo_move(g, P, &X);
}

lwi_pseudo lwi_pseudo_to_parent(lwi_graph *g, const lwi_pseudo *P, const lwi_sym_body *body)
{
    lwi_pseudo rotated = lwi_pseudo_rotate(g, P, body);
    if (body->type != LW_TREE_REVOLUTE) {
        const lwi_expr by =
            body->type == LW_TREE_SCREW ? lwi_mul(g, body->lead, body->q[0]) : body->q[0];
        rotated = lwi_pseudo_shift(g, &rotated, vec_of(LWI_ZERO, LWI_ZERO, by));
    }
    return lwi_pseudo_move(g, &rotated, &body->rest);
}
