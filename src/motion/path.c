// Orientations follow R exp(theta(u)). With phi = |theta|, B = (1 - cos phi)/phi^2 and
// C = (phi - sin phi)/phi^3 the angular velocity in body axes is
//
//   w = theta' - B theta x theta' + C theta x (theta x theta'),
//
// the right Jacobian of the exponential map times theta'; its inverse and its derivative give
// theta' and theta'' of a curve whose angular velocity and acceleration are known.

#include "path.h"

#include "../math/pi.h"

#include <math.h>

/// B and C as above, and (dB/dphi)/phi and (dC/dphi)/phi.
typedef struct jacobian_factors {
    double B, C, dB, dC;
} jacobian_factors;

static jacobian_factors factors_of(double phi)
{
    const double f = phi * phi;
    if (phi < 0.05) { // the first term left out is below the rounding of the sum
        return (jacobian_factors){
            0.5 - f / 24.0 * (1.0 - f / 30.0 * (1.0 - f / 56.0)),
            1.0 / 6.0 - f / 120.0 * (1.0 - f / 42.0 * (1.0 - f / 72.0)),
            -1.0 / 12.0 + f / 180.0 * (1.0 - 3.0 * f / 112.0 * (1.0 - 2.0 * f / 135.0)),
            -1.0 / 60.0 + f / 1260.0 * (1.0 - f / 48.0 * (1.0 - f / 82.5)),
        };
    }
    const double s = sin(phi), half = sin(0.5 * phi), versine = 2.0 * half * half;
    return (jacobian_factors){versine / f, (phi - s) / (f * phi),
                              (phi * s - 2.0 * versine) / (f * f),
                              (versine * phi - 3.0 * (phi - s)) / (f * f * phi)};
}

// w' = J theta'' + bias; the angular velocity in body axes and that bias.
static void body_rates(lw_vec3 theta, lw_vec3 d1, lw_vec3 d2, lw_vec3 *w, lw_vec3 *dw)
{
    const jacobian_factors f = factors_of(lw_norm3(theta));
    const double turn = lw_dot3(theta, d1);
    const lw_vec3 a = lw_cross3(theta, d1), b = lw_cross3(theta, a);
    const lw_vec3 c = lw_cross3(theta, d2), e = lw_cross3(theta, c), g = lw_cross3(d1, a);
    *w = lw_add3(d1, lw_add3(lw_scale3(-f.B, a), lw_scale3(f.C, b)));
    *dw = lw_add3(d2, lw_add3(lw_scale3(-f.B, c), lw_scale3(f.C, lw_add3(e, g))));
    *dw = lw_add3(*dw, lw_scale3(turn, lw_add3(lw_scale3(-f.dB, a), lw_scale3(f.dC, b))));
}

// J^-1 x = x + theta x x / 2 + D theta x (theta x x), |theta| <= pi.
static lw_vec3 inverse_jacobian(lw_vec3 theta, lw_vec3 x)
{
    const jacobian_factors f = factors_of(lw_norm3(theta));
    // D = (1 - (1 - phi^2 C) / (2 B)) / phi^2, written without the difference.
    const double D = lw_norm3(theta) < 0.05 ? 1.0 / 12.0 + lw_dot3(theta, theta) / 720.0
                                            : (2.0 * f.B - 1.0 + lw_dot3(theta, theta) * f.C) /
                                                  (2.0 * f.B * lw_dot3(theta, theta));
    const lw_vec3 a = lw_cross3(theta, x);
    return lw_add3(x, lw_add3(lw_scale3(0.5, a), lw_scale3(D, lw_cross3(theta, a))));
}

static double component(lw_vec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static void at_pieces(const lwi_piece p[3], double u, lw_vec3 x[3])
{
    double value[3][4];
    for (int i = 0; i < 3; ++i) {
        lwi_piece_at(&p[i], u, value[i]);
    }
    for (int k = 0; k < 3; ++k) {
        x[k] = lw_vec3_of(value[0][k], value[1][k], value[2][k]);
    }
}

void lwi_segment_at(const lwi_segment *s, double u, lwi_path_point *point)
{
    lw_vec3 x[3], w, dw;
    if (s->is_arc) {
        const double c = cos(s->rate * u), d = sin(s->rate * u);
        const lw_vec3 along = lw_add3(lw_scale3(c, s->x), lw_scale3(d, s->y));
        point->X.p = lw_add3(s->center, along);
        point->d1.lin = lw_scale3(s->rate, lw_add3(lw_scale3(-d, s->x), lw_scale3(c, s->y)));
        point->d2.lin = lw_scale3(-s->rate * s->rate, along);
    } else {
        at_pieces(s->p, u, x);
        point->X.p = x[0];
        point->d1.lin = x[1];
        point->d2.lin = x[2];
    }
    if (!(s->angle > 0.0)) {
        point->X.R = s->R;
        point->d1.ang = point->d2.ang = lw_vec3_of(0.0, 0.0, 0.0);
        return;
    }
    at_pieces(s->theta, u, x);
    const lw_mat3 turn = lw_exp3(x[0]);
    point->X.R = lw_mul3(&s->R, &turn);
    body_rates(x[0], x[1], x[2], &w, &dw);
    point->d1.ang = lw_rotate(&point->X.R, w);
    point->d2.ang = lw_rotate(&point->X.R, dw);
}

lw_vec3 lwi_rotation_between(const lw_mat3 *from, const lw_mat3 *to)
{
    const lw_mat3 back = lw_transpose3(from), R = lw_mul3(&back, to);
    return lw_log3(&R);
}

// Position and rotation in proportion to the parameter.
static void set_straight(lwi_piece p[3], lw_vec3 from, lw_vec3 rate)
{
    for (int i = 0; i < 3; ++i) {
        p[i] = (lwi_piece){.c = {component(from, i), component(rate, i)}};
    }
}

// Orientation by slerp, and the parameter: metres, or radians where there are none.
static void set_slerp(lwi_segment *s, const lw_pose *X, const lw_pose *to)
{
    const lw_vec3 turn = lwi_rotation_between(&X->R, &to->R);
    s->R = X->R;
    s->angle = lw_norm3(turn);
    s->end = s->way > 0.0 ? s->way : s->angle;
    s->scale = s->way > 0.0 ? 1.0 : 0.0;
    if (s->end > 0.0) {
        set_straight(s->theta, lw_vec3_of(0.0, 0.0, 0.0), lw_scale3(1.0 / s->end, turn));
    }
}

lwi_segment lwi_segment_line(const lw_pose *X, const lw_pose *to)
{
    lwi_segment s = {0};
    const lw_vec3 d = lw_sub3(to->p, X->p);
    s.way = lw_norm3(d);
    set_slerp(&s, X, to);
    set_straight(s.p, X->p, s.end > 0.0 ? lw_scale3(1.0 / s.end, d) : d);
    return s;
}

bool lwi_segment_arc(const lw_pose *X, lw_vec3 through, const lw_pose *to, lwi_segment *s)
{
    *s = (lwi_segment){.is_arc = true};
    const lw_vec3 a = lw_sub3(through, X->p), b = lw_sub3(to->p, X->p);
    const lw_vec3 n = lw_cross3(a, b);
    const double aa = lw_dot3(a, a), bb = lw_dot3(b, b), nn = lw_dot3(n, n);
    if (!(nn > 1e-18 * aa * bb)) {
        return false;
    }
    // From X to the centre of the circumscribed circle: (aa b - bb a) x (a x b) / (2 |a x b|^2).
    const lw_vec3 c =
        lw_scale3(0.5 / nn, lw_cross3(lw_sub3(lw_scale3(aa, b), lw_scale3(bb, a)), n));
    const double radius = lw_norm3(c);
    s->center = lw_add3(X->p, c);
    s->x = lw_scale3(-1.0, c);
    s->y = lw_cross3(lw_unit3(n), s->x);
    const lw_vec3 end = lw_sub3(to->p, s->center);
    double angle = atan2(lw_dot3(end, s->y), lw_dot3(end, s->x));
    angle = angle > 0.0 ? angle : angle + LWI_TWO_PI;
    s->way = radius * angle;
    s->rate = 1.0 / radius;
    set_slerp(s, X, to);
    return isfinite(s->way);
}

// theta, theta' and theta'' of a point seen from R.
static void rotation_rates(const lw_mat3 *R, const lwi_path_point *at, lw_vec3 theta[3])
{
    const lw_vec3 w = lw_rotate_back(&at->X.R, at->d1.ang);
    const lw_vec3 dw = lw_rotate_back(&at->X.R, at->d2.ang);
    lw_vec3 unused, bias;
    theta[0] = lwi_rotation_between(R, &at->X.R);
    theta[1] = inverse_jacobian(theta[0], w);
    body_rates(theta[0], theta[1], lw_vec3_of(0.0, 0.0, 0.0), &unused, &bias);
    theta[2] = inverse_jacobian(theta[0], lw_sub3(dw, bias));
}

lwi_segment lwi_segment_between(const lw_mat3 *R, const lwi_path_point *from,
                                const lwi_path_point *to, double h)
{
    lw_vec3 a[3], b[3];
    lwi_segment s = {.end = h, .R = *R, .scale = 1.0};
    rotation_rates(R, from, a);
    rotation_rates(R, to, b);
    for (int i = 0; i < 3; ++i) {
        const double p0[3] = {component(from->X.p, i), component(from->d1.lin, i),
                              component(from->d2.lin, i)};
        const double p1[3] = {component(to->X.p, i), component(to->d1.lin, i),
                              component(to->d2.lin, i)};
        const double t0[3] = {component(a[0], i), component(a[1], i), component(a[2], i)};
        const double t1[3] = {component(b[0], i), component(b[1], i), component(b[2], i)};
        s.p[i] = lwi_piece_between(0.0, h, p0, p1);
        s.theta[i] = lwi_piece_between(0.0, h, t0, t1);
    }
    s.way = lw_norm3(lw_sub3(to->X.p, from->X.p));
    s.angle = fmax(lw_norm3(a[0]), lw_norm3(b[0])) + lw_norm3(lw_sub3(b[0], a[0])) +
              h * fmax(lw_norm3(a[1]), lw_norm3(b[1]));
    return s;
}
