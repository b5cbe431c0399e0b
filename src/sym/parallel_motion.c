// Bodies of a run of parallel joints above a base that rotates about one axis: motion, moments and
// power by absolute angles.
#include "body_motion.h"

/// A vector rotated by the sum of the angles of a run of parallel joints.
static lwi_vec rotate_by_sum(lwi_graph *g, lwi_expr angle, lwi_vec x)
{
    const lwi_expr s = lwi_sin(g, angle), c = lwi_cos(g, angle);
    lwi_vec out = x;
    out.x = lwi_add_products(g, c, x.x, s, x.y);
    out.y = lwi_sub_products(g, c, x.y, s, x.x);
    return out;
}

void lwi_rotate_from_base(lwi_graph *g, const lwi_sym_tree *tree, lwi_body_motion *all, lwi_run run,
                          int i)
{
    const lwi_mat *R = &tree->body[run.first].rest.R;
    const lwi_body_motion *base = &all[run.base];
    lwi_expr angle = LWI_ZERO;
    for (int k = run.first; k <= i; ++k) {
        angle = lwi_add(g, angle, tree->body[k].q[0]);
    }
    all[i].u = rotate_by_sum(g, angle, R->row[2]);
    const lwi_vec column = mat_apply(g, &base->U, mat_column(R, 2));
    rotate_by_sum(g, angle, mat_apply_t(g, R, column));
    rotate_by_sum(g, angle, mat_apply_t(g, R, base->w));
}

// The base rotates with w0 u, so that of w x (w x p) = w (w . p) - w^2 p the first part is along u
// and joins gravity there; the rest lies within the plane of the run, where rates are sums:
//
//     lift' = lift + w0 (w . p),  plain' = plain - (w0^2 + w_z^2) p + dw_z z x p
//
// p is seen from the body itself, where its lever arm for forces is the same.
void lwi_run_acceleration(lwi_graph *g, const lwi_sym_tree *tree, lwi_body_motion *all, lwi_run run,
                          int i)
{
    const lwi_sym_body *body = &tree->body[i];
    const lwi_body_motion *parent = &all[body->parent];
    const lwi_expr w0 = all[run.base].w.z, w = parent->w.z, dw = parent->dw.z;
    lwi_body_motion *m = &all[i];
    if (i == run.first) {
        lwi_vec at = vec_add(g, parent->a, mat_apply(g, &parent->U, body->rest.p));
        m->lift = at.z;
        at.z = LWI_ZERO;
        m->plain = lwi_to_body(g, body, at);
        return;
    }
    const lwi_vec p = lwi_to_body(g, body, body->rest.p);
    const lwi_vec plain = lwi_to_body(g, body, parent->plain);
    lwi_expr along = LWI_ZERO, scaled = LWI_ZERO;
    for (int k = 0; k < 2; ++k) {
        const lwi_expr wk = parent->w.e[k], pk = body->rest.p.e[k];
        along = lwi_add(g, along, lwi_mul(g, wk, pk));
        scaled = lwi_add(g, scaled, lwi_mul(g, pk, lwi_mul(g, w0, wk)));
    }
    m->lift = lwi_add(g, parent->lift, lwi_mul(g, w0, along));
    lwi_add(g, parent->lift, scaled);
    const lwi_expr square = lwi_add_products(g, w0, w0, w, w);
    const lwi_expr inward[2] = {lwi_add_products(g, square, p.x, dw, p.y),
                                lwi_sub_products(g, square, p.y, dw, p.x)};
    m->plain.z = LWI_ZERO;
    for (int k = 0; k < 2; ++k) {
        m->plain.e[k] = lwi_sub(g, plain.e[k], inward[k]);
        lwi_add(g, m->plain.e[k], lwi_mul(g, m->u.e[k], m->lift));
    }
}

/// Moments of a body about its own axis and about that of the base, as they are put together below.
typedef struct moments {
    lwi_expr K, K2;          ///< the product of inertia with the body's axis, and its derivative
    lwi_expr w0, a0, w, a;   ///< rates of the base and about the body's axis
    lwi_expr difference, xy; ///< S_xx - S_yy and S_xy
} moments;

/// With e = (S_xx - S_yy) u_y - 2 S_xy u_x it is J = S_yy + S_zz + u_y e and G = S_xy + u_x e.
static void moments_by_axis(lwi_graph *g, const lwi_pseudo *P, const moments *m, lwi_vec u)
{
    const lwi_expr twice = lwi_add(g, m->w, m->w), Syy = P->S.yy;
    const lwi_expr rates = lwi_mul(g, m->w0, twice);
    lwi_mul(g, u.x, rates);
    const lwi_expr by_rates = lwi_mul(g, twice, lwi_mul(g, u.x, m->w0));
    const lwi_expr rotating = lwi_sub(g, lwi_mul(g, u.y, m->a0), by_rates);
    const lwi_expr twice_xy = lwi_add(g, m->xy, m->xy);
    const lwi_expr e = lwi_sub_products(g, m->difference, u.y, twice_xy, u.x);
    lwi_expr about_u = lwi_mul(g, e, rotating);
    if (m->xy == LWI_ZERO) {
        about_u = lwi_mul(g, u.y, lwi_mul(g, m->difference, rotating));
    }
    about_u = lwi_add(g, lwi_mul(g, lwi_add(g, Syy, P->S.zz), m->a0), about_u);
    about_u = lwi_sub(g, about_u, lwi_mul(g, m->xy, rates));
    const lwi_expr ww = lwi_mul(g, m->w, m->w);
    lwi_sub(g, about_u, lwi_add_products(g, m->K, m->a, m->K2, ww));
    // (S_xx - S_yy) U_yx + 2 S_yy a + S_xy (w_y^2 - w_x^2)
    const lwi_expr x = lwi_mul(g, m->w0, u.x), y = lwi_mul(g, m->w0, u.y);
    const lwi_expr across = lwi_add(g, m->a, lwi_mul(g, x, y));
    const lwi_expr squares = lwi_sub_products(g, y, y, x, x);
    const lwi_expr twice_yy = lwi_add(g, Syy, Syy);
    lwi_expr about_z = lwi_add_products(g, m->difference, across, twice_yy, m->a);
    about_z = lwi_add(g, about_z, lwi_mul(g, m->xy, squares));
    lwi_sub(g, about_z, lwi_mul(g, m->K, m->a0));
}

// As by Lagrange, from the moment of inertia J about the base's axis u, which depends on one
// absolute angle, and the product K with the body's axis; G is half the derivative of J.
//
//     about z: I_zz a + G w_base^2 - K dw_base
//     about u: J dw_base - 2 G w_base w - K a - K' w^2
void lwi_run_moments(lwi_graph *g, const lwi_sym_tree *tree, const lwi_body_motion *all,
                     lwi_run run, int i)
{
    const lwi_vec u = all[i].u;
    const lwi_pseudo P = lwi_pseudo_of(g, &tree->body[i]);
    const lwi_sym *S = &P.S;
    const lwi_expr xx = lwi_mul(g, u.x, u.x), xy = lwi_mul(g, u.x, u.y);
    const moments m = {
        .K = lwi_add_products(g, S->xz, u.x, S->yz, u.y),
        .K2 = lwi_sub_products(g, S->xz, u.y, S->yz, u.x),
        .w0 = all[run.base].w.z,
        .a0 = all[run.base].dw.z,
        .w = all[i].w.z,
        .a = all[i].dw.z,
        .difference = lwi_sub(g, S->xx, S->yy),
        .xy = S->xy,
    };
    if (tree->is_searched) {
        moments_by_axis(g, &P, &m, u);
    }
    const lwi_expr rotated = lwi_sub(g, LWI_ONE, lwi_add(g, xx, xx));
    lwi_expr J = lwi_mul(g, lwi_add(g, m.xy, m.xy), xy);
    const lwi_expr less = lwi_mul(g, m.difference, xx);
    J = lwi_sub(g, lwi_sub(g, lwi_add(g, S->xx, S->zz), less), J);
    const lwi_expr G = lwi_add_products(g, m.difference, xy, m.xy, rotated);
    const lwi_expr Ka = lwi_mul(g, m.K, m.a0);
    const lwi_expr about_z = lwi_sub(g, lwi_mul(g, G, lwi_mul(g, m.w0, m.w0)), Ka);
    lwi_add(g, about_z, lwi_mul(g, lwi_add(g, S->xx, S->yy), m.a));
    const lwi_expr rates = lwi_mul(g, m.w, lwi_add(g, m.w0, m.w0));
    const lwi_expr about_u = lwi_sub_products(g, J, m.a0, G, rates);
    const lwi_expr ww = lwi_mul(g, m.w, m.w);
    lwi_sub(g, about_u, lwi_add_products(g, m.K, m.a, m.K2, ww));
}

// From the power of the bodies of the run when the base joint alone moves. Only one component of
// their moments counts there, which their absolute angles give at once; carrying all components
// from body to body costs more.
void lwi_run_power(lwi_graph *g, const lwi_sym_tree *tree, const lwi_body_motion *all, lwi_run run)
{
    lwi_expr power = all[run.base].n.z;
    lwi_vec v = vec_zero(), w = vec_of(LWI_ZERO, LWI_ZERO, LWI_ONE);
    for (int i = run.first; i <= run.last; ++i) {
        const lwi_sym_body *body = &tree->body[i];
        v = lwi_to_body(g, body, vec_add(g, v, vec_cross(g, w, body->rest.p)));
        w = all[i].u;
        power = lwi_add(g, power, vec_dot(g, w, all[i].rest));
        power = lwi_add(g, power, vec_dot(g, v, all[i].f));
        power = lwi_add(g, power, vec_dot(g, w, all[i].spin));
    }
}
