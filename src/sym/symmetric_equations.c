// Linkages of Bennett and Bricard: by their symmetry each angle is one of two, as
// src/loop/symmetric_loop.c explains it.
#include "loops.h"

#include "../math/wide.h"

#include <math.h>

enum { FIRST = 4 }; ///< where the coefficients of the targets begin: which angle, sign, constant

/// The sine and cosine of an angle, as expressions.
typedef struct angle {
    lwi_expr c, s;
} angle;

/// What the second angle y changes by as the first one, x, does.
typedef struct rate {
    lwi_expr slope, curve;
} rate;

// sign * a + constant
static angle angle_shifted(lwi_symbolic *k, angle a, double sign, double constant)
{
    lwi_graph *g = k->g;
    double sine, cosine;
    lwi_rounded_sincos(constant, &sine, &cosine);
    const lwi_expr c0 = lwi_number(g, fabs(cosine) < k->noise ? 0.0 : cosine);
    const lwi_expr s0 = lwi_number(g, fabs(sine) < k->noise ? 0.0 : sine);
    const lwi_expr s = sign < 0.0 ? lwi_neg(a.s) : a.s;
    const lwi_expr c = lwi_sub_products(g, a.c, c0, s, s0);
    return (angle){c, lwi_add_products(g, s, c0, a.c, s0)};
}

// tan(y/2) = ratio tan(x/2)
static rate bennett(lwi_graph *g, double ratio, angle x, angle *y)
{
    const double square = ratio * ratio;
    const lwi_expr near = lwi_number(g, 1.0 + square), far = lwi_number(g, 1.0 - square);
    const lwi_expr D = lwi_add(g, near, lwi_mul(g, far, x.c));
    const lwi_expr inverse = lwi_div(g, LWI_ONE, D);
    const lwi_expr slope = lwi_scale(g, 2.0 * ratio, inverse);
    y->c = lwi_mul(g, inverse, lwi_add(g, far, lwi_mul(g, near, x.c)));
    y->s = lwi_mul(g, slope, x.s);
    const lwi_expr share = lwi_mul(g, lwi_mul(g, far, x.s), inverse);
    return (rate){slope, lwi_mul(g, slope, share)};
}

// A cos y + B sin y + C = 0, on a branch.
static rate bricard(lwi_graph *g, double twist, int branch, angle x, angle *y)
{
    const lwi_expr square = lwi_number(g, twist * twist), rest = lwi_number(g, 1.0 - twist * twist);
    const lwi_expr more = lwi_number(g, 1.0 + twist * twist), two = lwi_number(g, 2.0 * twist);
    const lwi_expr A = lwi_add(g, rest, lwi_mul(g, more, x.c)), B = lwi_neg(lwi_mul(g, two, x.s));
    const lwi_expr C = lwi_add(g, square, lwi_mul(g, rest, x.c));
    const lwi_expr size = lwi_add_products(g, A, A, B, B);
    lwi_expr root = lwi_sqrt(g, lwi_sub(g, size, lwi_mul(g, C, C)));
    root = branch < 0 ? lwi_neg(root) : root;
    const lwi_expr inverse = lwi_div(g, LWI_ONE, size);
    y->c = lwi_mul(g, inverse, lwi_neg(lwi_add_products(g, A, C, B, root)));
    y->s = lwi_mul(g, inverse, lwi_sub_products(g, A, root, B, C));
    lwi_unit_circle(g, &y->c, &y->s);
    // First and second derivatives of the condition; those by y contain A and B.
    const lwi_expr ss = lwi_mul(g, x.s, y->s), cc = lwi_mul(g, x.c, y->c);
    const lwi_expr by_y = lwi_sub_products(g, B, y->c, A, y->s);
    const lwi_expr by_yy = lwi_neg(lwi_add_products(g, A, y->c, B, y->s));
    const lwi_expr across = lwi_add(g, rest, lwi_mul(g, more, y->c));
    const lwi_expr two_sy = lwi_mul(g, two, y->s);
    const lwi_expr by_x = lwi_neg(lwi_add_products(g, across, x.s, two_sy, x.c));
    const lwi_expr by_xx = lwi_sub_products(g, two_sy, x.s, across, x.c);
    const lwi_expr by_xy = lwi_sub_products(g, more, ss, two, cc);
    const lwi_expr share = lwi_neg(lwi_div(g, LWI_ONE, by_y)), slope = lwi_mul(g, share, by_x);
    const lwi_expr mixed = lwi_add(g, lwi_scale(g, 2.0, by_xy), lwi_mul(g, by_yy, slope));
    const lwi_expr all = lwi_add(g, by_xx, lwi_mul(g, mixed, slope));
    return (rate){slope, lwi_mul(g, share, all)};
}

lw_status lwi_symmetric_equations(lwi_symbolic *k, int s, const lwi_step *step)
{
    const double *shape = step->coefficient;
    const lwi_sym_body *source = &k->body[lwi_body_of_dof(k->m, step->source[0])];
    const angle x = angle_shifted(k, (angle){source->c, source->s}, shape[2], shape[3]);
    angle y;
    const rate r = shape[0] == 4.0 ? bennett(k->g, shape[1], x, &y)
                                   : bricard(k->g, shape[1], step->branch, x, &y);
    for (int t = 0; t < step->ntarget; ++t) {
        const double *own = &shape[FIRST + 3 * t];
        const bool is_first = own[0] == 0.0;
        const angle a = angle_shifted(k, is_first ? x : y, own[1], own[2]);
        lwi_symbolic_place(k, lwi_body_of_dof(k->m, step->target[t]), LWI_UNKNOWN, a.c, a.s);
        k->step[s].K[t] = lwi_scale(k->g, shape[2] * own[1], is_first ? LWI_ONE : r.slope);
    }
    k->step[s].curve = r.curve;
    return k->status;
}

void lwi_symmetric_curvature(lwi_symbolic *k, int s, const lwi_step *step, lwi_expr square,
                             lwi_expr *bias)
{
    const lwi_expr curve = lwi_mul(k->g, k->step[s].curve, square);
    for (int t = 0; t < step->ntarget; ++t) {
        const double *own = &step->coefficient[FIRST + 3 * t];
        bias[t] = own[0] == 0.0 ? LWI_ZERO : lwi_scale(k->g, own[1], curve);
    }
}
