// Linkages of four or six revolute axes in space that move because of their symmetry: Bennett's
// (1903), and Bricard's (1927) of threefold symmetry. Every angle is one of two, but for its sign.
//
// With x and y the angles between common normals at neighbouring axes, and c a constant of the
// twists, Bennett's linkage has tan(y/2) = c tan(x/2), where y counts from half a turn: it has no
// singular configuration, and no branches. Bricard's with twists of plus and minus alpha has
//
//   cos^2 alpha + sin^2 alpha (cos x + cos y) + (1 + cos^2 alpha) cos x cos y
//     - 2 cos alpha sin x sin y = 0                                            (Baker 1980),
//
// with two solutions for y.
#include "closed_form_loops.h"

#include "../math/angle.h"
#include "../math/pi.h"
#include "../math/sincos.h"

/// The two angles of a linkage, and what y changes by: y' and y''.
typedef struct pair {
    double x, y, slope, curve;
    double sine; ///< of how far it is from where its branches meet
} pair;

static double angle_of(double s, double c)
{
    const double size = sqrt(s * s + c * c), share = size > 0.0 ? 1.0 / size : 0.0;
    return lwi_angle_of(share * s, share * c);
}

// y goes round as often as x: y = x + 2 atan((c - 1) sin x / (1 + c + (1 - c) cos x)) for c > 0.
static bool bennett(double ratio, pair *p)
{
    double sx, cx;
    sincos_real(p->x, &sx, &cx);
    const double c = fabs(ratio), sign = copysign(1.0, ratio);
    p->y = sign * (p->x + 2.0 * angle_of((c - 1.0) * sx, (1.0 + c) + (1.0 - c) * cx));
    const double D = (1.0 + c * c) + (1.0 - c * c) * cx, inverse = 1.0 / D;
    p->slope = sign * 2.0 * c * inverse;
    p->curve = p->slope * (1.0 - c * c) * sx * inverse;
    p->sine = 1.0;
    return true;
}

static bool bricard(double twist, int branch, pair *p)
{
    double sx, cx, sy, cy;
    sincos_real(p->x, &sx, &cx);
    const double square = twist * twist, rest = 1.0 - square, more = 1.0 + square;
    const double A = rest + more * cx, B = -2.0 * twist * sx, C = square + rest * cx;
    const double size2 = A * A + B * B, root2 = size2 - C * C;
    // A hair beyond the end of the reach is rounding: the two branches meet there.
    const bool is_closed = size2 > 0.0 && root2 >= -1e-14 * size2;
    const double size = sqrt(size2), root = sqrt(fmax(0.0, root2));
    p->y = angle_of(B, A) + branch * angle_of(root, -C);
    p->sine = size > 0.0 ? root / size : 0.0;
    sincos_real(p->y, &sy, &cy);
    const double by_x = -rest * sx - more * sx * cy - 2.0 * twist * cx * sy;
    const double by_y = -rest * sy - more * cx * sy - 2.0 * twist * sx * cy;
    const double by_xx = -rest * cx - more * cx * cy + 2.0 * twist * sx * sy;
    const double by_yy = -rest * cy - more * cx * cy + 2.0 * twist * sx * sy;
    const double by_xy = more * sx * sy - 2.0 * twist * cx * cy;
    p->slope = -by_x / by_y;
    p->curve = -(by_xx + (2.0 * by_xy + by_yy * p->slope) * p->slope) / by_y;
    return is_closed;
}

// Where the two angles are for the source in q. Its coefficients are as in lw_step_info.
static bool find_pair(const lwi_step *step, const double *q, pair *p)
{
    const double *k = step->coefficient;
    p->x = k[2] * q[step->source_q[0]] + k[3];
    return k[0] == 4.0 ? bennett(k[1], p) : bricard(k[1], step->branch, p);
}

enum { FIRST = 4 }; ///< where the coefficients of the targets begin: which angle, sign, constant

lw_status lwi_symmetric_position(const lw_model *m, const lwi_program *program,
                                 const lwi_step *step, const lwi_loop_work *work, double *q,
                                 lwi_closure_fault *fault)
{
    pair p;
    const bool is_closed = find_pair(step, q, &p);
    for (int t = 0; t < step->ntarget; ++t) {
        const double *k = &step->coefficient[FIRST + 3 * t];
        q[step->target_q[t]] = k[1] * (k[0] == 0.0 ? p.x : p.y) + k[2];
    }
    return is_closed ? LW_OK : lwi_block_gap(m, program, step, work, q, fault);
}

lw_status lwi_symmetric_rates(const lwi_step *step, const double *q, double *K,
                              lwi_closure_fault *fault)
{
    pair p;
    find_pair(step, q, &p);
    if (!(p.sine > LWI_SINGULAR_SINE)) {
        fault->loop = step->loop[0];
        fault->dof = step->target[0];
        return LW_ERR_SINGULAR;
    }
    for (int t = 0; t < step->ntarget; ++t) {
        const double *k = &step->coefficient[FIRST + 3 * t];
        K[t] = step->coefficient[2] * k[1] * (k[0] == 0.0 ? 1.0 : p.slope);
    }
    return LW_OK;
}

void lwi_symmetric_bias(const lwi_step *step, const double *q, const double *v, double *bias)
{
    pair p;
    find_pair(step, q, &p);
    const double rate = v[step->source[0]];
    for (int t = 0; t < step->ntarget; ++t) {
        const double *k = &step->coefficient[FIRST + 3 * t];
        bias[t] = k[0] == 0.0 ? 0.0 : k[1] * p.curve * rate * rate;
    }
}
