// Bodies of a run of parallel joints above a base that turns about one axis: motion, moments and
// power by absolute angles.
#include "body_axes.h"
#include "body_motion.h"
#include "vector.h"

/// The turn of a vector by the sum of the angles of a run of parallel joints.
static void turn_by_sum(lwi_graph *g, lwi_expr angle, const lwi_expr x[3], lwi_expr out[3])
{
    const lwi_expr s = lwi_sin(g, angle), c = lwi_cos(g, angle);
    out[0] = lwi_add_products(g, c, x[0], s, x[1]);
    out[1] = lwi_add_products(g, c, x[1], lwi_neg(s), x[0]);
    out[2] = x[2];
}

void lwi_turn_from_base(lwi_graph *g, const lwi_robot *robot, lwi_body_motion *all, lwi_run run,
                        int i)
{
    const lwi_robot_body *first = &robot->body[run.first];
    const lwi_body_motion *base = &all[run.base];
    const lwi_expr along[3] = {first->R[2], first->R[5], first->R[8]};
    const lwi_expr up[3] = {LWI_ZERO, LWI_ZERO, LWI_ONE};
    lwi_expr column[3], fixed[3], out[3], angle = LWI_ZERO;
    for (int k = run.first; k <= i; k++) {
        angle = lwi_add(g, angle, robot->body[k].q[0]);
    }
    lwi_apply_transposed3(g, first->R, up, fixed);
    turn_by_sum(g, angle, fixed, all[i].u);
    lwi_apply3(g, base->U, along, column);
    lwi_apply_transposed3(g, first->R, column, fixed);
    turn_by_sum(g, angle, fixed, out);
    lwi_apply_transposed3(g, first->R, base->w, fixed);
    turn_by_sum(g, angle, fixed, out);
}

// The base turns with w0 u, so that of w x (w x p) = w (w . p) - w^2 p the first part is along u
// and joins the weight there; what is left turns within the plane of the run, where rates are sums:
//
//     lift' = lift + w0 (w . p),  plain' = plain - (w0^2 + w_z^2) p + dw_z z x p
//
// p is seen from the body itself, where its arm for forces is the same.
void lwi_run_acceleration(lwi_graph *g, const lwi_robot *robot, lwi_body_motion *all, lwi_run run,
                          int i)
{
    const lwi_robot_body *body = &robot->body[i];
    const lwi_body_motion *parent = &all[body->parent];
    const lwi_expr w0 = all[run.base].w[2], w = parent->w[2], dw = parent->dw[2];
    lwi_body_motion *m = &all[i];
    if (i == run.first) {
        lwi_expr moved[3], at[3];
        lwi_apply3(g, parent->U, body->p, moved);
        lwi_add3(g, parent->a, moved, at);
        m->lift = at[2];
        at[2] = LWI_ZERO;
        lwi_to_body(g, body, at, m->plain);
        return;
    }
    lwi_expr p[3], plain[3], along = LWI_ZERO, scaled = LWI_ZERO;
    lwi_to_body(g, body, body->p, p);
    lwi_to_body(g, body, parent->plain, plain);
    for (int k = 0; k < 2; k++) {
        along = lwi_add(g, along, lwi_mul(g, parent->w[k], body->p[k]));
        scaled = lwi_add(g, scaled, lwi_mul(g, body->p[k], lwi_mul(g, w0, parent->w[k])));
    }
    m->lift = lwi_add(g, parent->lift, lwi_mul(g, w0, along));
    lwi_add(g, parent->lift, scaled);
    const lwi_expr square = lwi_add_products(g, w0, w0, w, w);
    const lwi_expr inward[2] = {lwi_add_products(g, square, p[0], dw, p[1]),
                                lwi_sub_products(g, square, p[1], dw, p[0])};
    m->plain[2] = LWI_ZERO;
    for (int k = 0; k < 2; k++) {
        m->plain[k] = lwi_sub(g, plain[k], inward[k]);
        lwi_add(g, m->plain[k], lwi_mul(g, m->u[k], m->lift));
    }
}

/// Moments of a body about its own axis and about that of the base, as they are put together below.
typedef struct moments {
    lwi_expr K, K2;          ///< the product of inertia with the body's axis, and its derivative
    lwi_expr w0, a0, w, a;   ///< rates of the base and about the body's axis
    lwi_expr difference, xy; ///< S_xx - S_yy and S_xy
} moments;

/// With e = (S_xx - S_yy) u_y - 2 S_xy u_x it is J = S_yy + S_zz + u_y e and G = S_xy + u_x e.
static void moments_by_axis(lwi_graph *g, const lwi_pseudo *P, const moments *m,
                            const lwi_expr u[3])
{
    const lwi_expr twice = lwi_add(g, m->w, m->w), Syy = P->S[1];
    const lwi_expr rates = lwi_mul(g, m->w0, twice);
    lwi_mul(g, u[0], rates);
    const lwi_expr by_rates = lwi_mul(g, twice, lwi_mul(g, u[0], m->w0));
    const lwi_expr turning = lwi_sub(g, lwi_mul(g, u[1], m->a0), by_rates);
    const lwi_expr twice_xy = lwi_add(g, m->xy, m->xy);
    const lwi_expr e = lwi_sub_products(g, m->difference, u[1], twice_xy, u[0]);
    lwi_expr about_u = lwi_mul(g, e, turning);
    if (m->xy == LWI_ZERO) {
        about_u = lwi_mul(g, u[1], lwi_mul(g, m->difference, turning));
    }
    about_u = lwi_add(g, lwi_mul(g, lwi_add(g, Syy, P->S[2]), m->a0), about_u);
    about_u = lwi_sub(g, about_u, lwi_mul(g, m->xy, rates));
    const lwi_expr ww = lwi_mul(g, m->w, m->w);
    lwi_sub(g, about_u, lwi_add_products(g, m->K, m->a, m->K2, ww));
    // (S_xx - S_yy) U_yx + 2 S_yy a + S_xy (w_y^2 - w_x^2)
    const lwi_expr x = lwi_mul(g, m->w0, u[0]), y = lwi_mul(g, m->w0, u[1]);
    const lwi_expr across = lwi_add(g, m->a, lwi_mul(g, x, y));
    const lwi_expr squares = lwi_sub_products(g, y, y, x, x);
    const lwi_expr twice_yy = lwi_add(g, Syy, Syy);
    lwi_expr about_z = lwi_add_products(g, m->difference, across, twice_yy, m->a);
    about_z = lwi_add(g, about_z, lwi_mul(g, m->xy, squares));
    lwi_sub(g, about_z, lwi_mul(g, m->K, m->a0));
}

// As Lagrange would have it, from the moment of inertia J about the base's axis u, which hangs on
// one absolute angle, and the product K with the body's axis; G is half the derivative of J.
//
//     about z: I_zz a + G w_base^2 - K dw_base
//     about u: J dw_base - 2 G w_base w - K a - K' w^2
void lwi_run_moments(lwi_graph *g, const lwi_robot *robot, const lwi_body_motion *all, lwi_run run,
                     int i)
{
    const lwi_expr *u = all[i].u;
    const lwi_pseudo P = lwi_pseudo_of(g, &robot->body[i]);
    const lwi_expr xx = lwi_mul(g, u[0], u[0]), xy = lwi_mul(g, u[0], u[1]);
    const moments m = {
        .K = lwi_add_products(g, P.S[4], u[0], P.S[5], u[1]),
        .K2 = lwi_sub_products(g, P.S[4], u[1], P.S[5], u[0]),
        .w0 = all[run.base].w[2],
        .a0 = all[run.base].dw[2],
        .w = all[i].w[2],
        .a = all[i].dw[2],
        .difference = lwi_sub(g, P.S[0], P.S[1]),
        .xy = P.S[3],
    };
    if (robot->is_searched) {
        moments_by_axis(g, &P, &m, u);
    }
    const lwi_expr turned = lwi_sub(g, LWI_ONE, lwi_add(g, xx, xx));
    lwi_expr J = lwi_mul(g, lwi_add(g, m.xy, m.xy), xy);
    const lwi_expr less = lwi_mul(g, m.difference, xx);
    J = lwi_sub(g, lwi_sub(g, lwi_add(g, P.S[0], P.S[2]), less), J);
    const lwi_expr G = lwi_add_products(g, m.difference, xy, m.xy, turned);
    const lwi_expr Ka = lwi_mul(g, m.K, m.a0);
    const lwi_expr about_z = lwi_sub(g, lwi_mul(g, G, lwi_mul(g, m.w0, m.w0)), Ka);
    lwi_add(g, about_z, lwi_mul(g, lwi_add(g, P.S[0], P.S[1]), m.a));
    const lwi_expr rates = lwi_mul(g, m.w, lwi_add(g, m.w0, m.w0));
    const lwi_expr about_u = lwi_sub_products(g, J, m.a0, G, rates);
    const lwi_expr ww = lwi_mul(g, m.w, m.w);
    lwi_sub(g, about_u, lwi_add_products(g, m.K, m.a, m.K2, ww));
}

// From the power of the bodies of the run when the base joint alone turns. Of their moments only
// one component is felt there, which their absolute angles give at once; carrying all components
// from body to body costs more.
void lwi_run_power(lwi_graph *g, const lwi_robot *robot, const lwi_body_motion *all, lwi_run run)
{
    lwi_expr power = all[run.base].n[2];
    lwi_expr v[3] = {LWI_ZERO, LWI_ZERO, LWI_ZERO};
    const lwi_expr *w = (const lwi_expr[3]){LWI_ZERO, LWI_ZERO, LWI_ONE};
    for (int i = run.first; i <= run.last; i++) {
        const lwi_robot_body *body = &robot->body[i];
        lwi_expr across[3], at[3];
        lwi_cross3(g, w, body->p, across);
        lwi_add3(g, v, across, at);
        lwi_to_body(g, body, at, v);
        w = all[i].u;
        power = lwi_add(g, power, lwi_dot3(g, w, all[i].rest));
        power = lwi_add(g, power, lwi_dot3(g, v, all[i].f));
        power = lwi_add(g, power, lwi_dot3(g, w, all[i].spin));
    }
}
