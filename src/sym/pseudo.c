#include "pseudo.h"

#include "body_axes.h"
#include "vector.h"

lwi_pseudo lwi_pseudo_of(lwi_graph *g, const lwi_robot_body *body)
{
    lwi_pseudo P = {.m = body->mass, .h = {body->h[0], body->h[1], body->h[2]}};
    const lwi_expr half = lwi_number(g, 0.5);
    for (int k = 0; k < 3; k++) {
        // S_xx = (I_yy + I_zz - I_xx) / 2
        const lwi_expr others = lwi_add(g, body->I[(k + 1) % 3], body->I[(k + 2) % 3]);
        P.S[k] = lwi_mul(g, half, lwi_sub(g, others, body->I[k]));
        P.S[3 + k] = lwi_neg(body->I[3 + k]);
    }
    return P;
}

void lwi_pseudo_store(lwi_graph *g, const lwi_pseudo *P, lwi_robot_body *body)
{
    body->mass = P->m;
    for (int k = 0; k < 3; k++) {
        body->h[k] = P->h[k];
        body->I[k] = lwi_add(g, P->S[(k + 1) % 3], P->S[(k + 2) % 3]);
        body->I[3 + k] = lwi_neg(P->S[3 + k]);
    }
}

lwi_pseudo lwi_pseudo_add(lwi_graph *g, const lwi_pseudo *a, const lwi_pseudo *b)
{
    lwi_pseudo sum = {.m = lwi_add(g, a->m, b->m)};
    for (int k = 0; k < 6; k++) {
        sum.S[k] = lwi_add(g, a->S[k], b->S[k]);
    }
    lwi_add3(g, a->h, b->h, sum.h);
    return sum;
}

lwi_pseudo lwi_pseudo_move(lwi_graph *g, const lwi_pseudo *P, const lwi_expr R[9],
                           const lwi_expr p[3])
{
    lwi_expr S[9], half[9], h[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            S[3 * i + k] = P->S[lwi_pseudo_place(i, k)];
        }
    }
    lwi_multiply3(g, R, S, half);
    lwi_apply3(g, R, P->h, h);
    lwi_pseudo out = {.m = P->m};
    lwi_expr mp[3];
    for (int k = 0; k < 3; k++) {
        mp[k] = lwi_mul(g, P->m, p[k]);
        out.h[k] = lwi_add(g, h[k], mp[k]);
    }
    // R S R^T + h p^T + p h^T + m p p^T, with the last two as p (h + m p)^T
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            lwi_expr sum = lwi_dot3(g, half + 3 * i, R + 3 * k);
            sum = lwi_add(g, sum, lwi_mul(g, h[i], p[k]));
            sum = lwi_add(g, sum, lwi_mul(g, p[i], out.h[k]));
            out.S[lwi_pseudo_place(i, k)] = sum;
        }
    }
    return out;
}

/// The second moments across z after a turn about it, in four products: with
/// e = c (S_xx - S_yy) - 2 s S_xy they are S_yy + c e, S_xx - c e and S_xy + s e.
static void turn_across(lwi_graph *g, const lwi_pseudo *P, lwi_expr c, lwi_expr s)
{
    const lwi_expr difference = lwi_mul(g, c, lwi_sub(g, P->S[0], P->S[1]));
    const lwi_expr product = lwi_mul(g, s, lwi_add(g, P->S[3], P->S[3]));
    const lwi_expr e = lwi_sub(g, difference, product);
    const lwi_expr along = lwi_mul(g, c, e), across = lwi_mul(g, s, e);
    const lwi_expr xx = lwi_add(g, P->S[1], along);
    lwi_sub(g, lwi_add(g, P->S[0], P->S[1]), xx);
    lwi_sub(g, P->S[0], along);
    lwi_add(g, P->S[3], across);
}

lwi_pseudo lwi_pseudo_turn(lwi_graph *g, const lwi_pseudo *P, const lwi_robot_body *body)
{
    static const lwi_expr origin[3] = {LWI_ZERO, LWI_ZERO, LWI_ZERO};
    if (body->type == LW_TREE_PRISMATIC) {
        return *P;
    }
    lwi_expr c, s;
    lwi_joint_angle(g, body, &c, &s);
    const lwi_expr turn[9] = {c, lwi_neg(s), LWI_ZERO, s, c, LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE};
    turn_across(g, P, c, s);
    return lwi_pseudo_move(g, P, turn, origin);
}

lwi_pseudo lwi_pseudo_to_parent(lwi_graph *g, const lwi_pseudo *P, const lwi_robot_body *body)
{
    static const lwi_expr one[9] = {LWI_ONE,  LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE,
                                    LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE};
    lwi_pseudo turned = lwi_pseudo_turn(g, P, body);
    if (body->type != LW_TREE_REVOLUTE) {
        const lwi_expr by =
            body->type == LW_TREE_SCREW ? lwi_mul(g, body->lead, body->q[0]) : body->q[0];
        const lwi_expr slide[3] = {LWI_ZERO, LWI_ZERO, by};
        turned = lwi_pseudo_move(g, &turned, one, slide);
    }
    return lwi_pseudo_move(g, &turned, body->R, body->p);
}
