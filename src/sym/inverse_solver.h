// What the families of inverse kinematics as equations have in common: the target, subproblems 1, 3
// and 4 (Paden 1986, Kahan 1983) on pairs of sine and cosine, and rows of results.
#ifndef LWI_INVERSE_SOLVER_H
#define LWI_INVERSE_SOLVER_H

#include "symbolic_model.h"

#include "../ik/level_rods.h"
#include "../ik/solve.h"

#include <math.h>

/// Sine and cosine of an angle, or both times the same positive number.
typedef struct pair {
    lwi_expr s, c;
} pair;

/// Angles that were returned already: those of opposite pairs differ by half a turn.
enum { ANGLES = 64, JOINTS = 6, BRANCHES = 2 };

/// The other side of a loop whose one side is two joints of the chain: a joint that is independent
/// and one that is not, which bring a pin to where the chain has it. All axes are parallel.
typedef struct lwi_side_leg {
    int first;        ///< joint of the chain that the loop begins with
    int position;     ///< of the independent joint, in q
    lw_vec3 h;        ///< of all axes
    double sense;     ///< of the independent joint's axis against h
    lw_vec3 own[3];   ///< independent joint, dependent joint, pin, at zero position
    lw_vec3 chain[3]; ///< joints of the chain and the pin, likewise
    double side;      ///< 1 or -1: which side of the two dependent joints the pin is on
} lwi_side_leg;

typedef struct lwi_solver {
    lwi_symbolic *k;
    lwi_graph *g;
    const lw_ik *ik;
    lwi_arm arm; ///< of the class, without what rounding left in its numbers
    bool is_reversed;
    double scale;       ///< m; length of the arm
    lwi_vec at[JOINTS]; ///< arm.c and arm.X_BT.p, in which lengths may be symbols
    lwi_vec tip;
    bool has_lengths;       ///< some are
    lw_vec3 p[5];           ///< between the points of neighbouring axes
    lw_vec3 x6, y6;         ///< across h6, the first toward h5
    lwi_vec p16;            ///< from the point of axis 1 to that of axis 6
    lwi_vec v, x, y;        ///< h6, x6 and y6, as all joints rotate them
    pair q[JOINTS];         ///< of the branch in hand
    lwi_expr slide[JOINTS]; ///< positions of its prismatic joints
    lwi_expr is_real;
    lwi_level_rods rods; ///< of a chain that they keep level
    lwi_frame X;         ///< the target as it is given: symbols
    bool has_leg;        ///< a loop beside the chain gives a coordinate
    lwi_side_leg leg;
    int nangle;
    pair of[ANGLES];
    lwi_expr angle[ANGLES];
    int row;
    lwi_expr *out;
} lwi_solver;

/// What a joint turns a vector to: fixed + along cos + across sin.
static inline lwi_orbit orbit_of(lw_vec3 h, lw_vec3 p)
{
    const lw_vec3 x = lw_cross3(h, p);
    return (lwi_orbit){lw_scale3(lw_dot3(h, p), h), lw_cross3(x, h), x};
}

// --- Numbers ----------------------------------------------------------------------------------

static inline double cleaned(double x, double size)
{
    static const double rounding = 1e-13;
    return fabs(x) < rounding * size                ? 0.0
           : fabs(fabs(x) - size) < rounding * size ? copysign(size, x)
                                                    : x;
}

static inline lw_vec3 clean3(lw_vec3 a, double size)
{
    return (lw_vec3){cleaned(a.x, size), cleaned(a.y, size), cleaned(a.z, size)};
}

static inline lwi_vec number3(lwi_solver *a, lw_vec3 x, double size)
{
    return vec_number(a->g, clean3(x, size));
}

// A number without what rounding left in it; other values are as they are.
static inline lwi_expr clean_expr(lwi_solver *a, lwi_expr e, double size)
{
    double x;
    return lwi_is_number(a->g, e, &x) ? lwi_number(a->g, cleaned(x, size)) : e;
}

static inline lwi_vec clean_vec(lwi_solver *a, lwi_vec v, double size)
{
    return vec_of(clean_expr(a, v.x, size), clean_expr(a, v.y, size), clean_expr(a, v.z, size));
}

static inline lwi_vec on_orbit(lwi_solver *a, const lwi_orbit *o, pair q, double size)
{
    const lwi_vec along = vec_scale(a->g, q.c, number3(a, o->along, size));
    const lwi_vec across = vec_scale(a->g, q.s, number3(a, o->across, size));
    return vec_add(a->g, vec_add(a->g, number3(a, o->fixed, size), along), across);
}

// R(h, q) p
static inline lwi_vec rotate(lwi_solver *a, lw_vec3 axis, pair q, lwi_vec p)
{
    lwi_graph *g = a->g;
    const lwi_vec h = number3(a, axis, 1.0);
    const lwi_vec fixed = vec_scale(g, vec_dot(g, h, p), h);
    const lwi_vec turned = vec_scale(g, q.c, vec_sub(g, p, fixed));
    const lwi_vec across = vec_scale(g, q.s, vec_cross(g, h, p));
    return vec_add(g, vec_add(g, fixed, turned), across);
}

static inline pair opposite(pair q)
{
    return (pair){lwi_neg(q.s), q.c};
}

static inline pair plus(lwi_solver *a, pair q, pair r)
{
    const lwi_expr s = lwi_add_products(a->g, q.s, r.c, q.c, r.s);
    return (pair){s, lwi_sub_products(a->g, q.c, r.c, q.s, r.s)};
}

// --- Subproblems ------------------------------------------------------------------------------

// A pair of length one; where the target leaves the angle open it is zero.
static inline pair unit(lwi_solver *a, lwi_expr s, lwi_expr c, double size)
{
    lwi_graph *g = a->g;
    double x;
    if (!lwi_is_number(g, s, &x) || !lwi_is_number(g, c, &x)) {
        c = lwi_add(g, c, lwi_number(g, 1e-18 * size)); // not less: float has to square it
    }
    const lwi_expr r2 = lwi_add_products(g, s, s, c, c);
    const lwi_expr scale = lwi_div(g, LWI_ONE, lwi_sqrt(g, r2));
    const lwi_expr sine = lwi_mul(g, scale, s);
    return (pair){sine, lwi_mul(g, scale, c)};
}

// Marks the branch as not real where a value is below zero.
static inline void require(lwi_solver *a, lwi_expr value)
{
    const lwi_expr sign = lwi_add(a->g, LWI_ONE, lwi_sign(a->g, value));
    a->is_real = lwi_mul(a->g, a->is_real, lwi_sign(a->g, sign));
}

// Marks the branch as not real where two unit vectors are apart. Squares of differences are small
// enough for float, where the cosine of the angle between them could not be told from one.
static inline void require_same(lwi_solver *a, lwi_vec u, lwi_vec w)
{
    const lwi_vec d = vec_sub(a->g, u, w);
    require(a, lwi_sub(a->g, lwi_number(a->g, 1e-12), vec_dot(a->g, d, d)));
}

// Subproblems 3 and 4: the angle from s sin + c cos = e, by the root of this sign; nearest where
// there is none.
static inline pair root(lwi_solver *a, lwi_expr s, lwi_expr c, lwi_expr e, int sign, double size)
{
    lwi_graph *g = a->g;
    double x;
    if (!lwi_is_number(g, s, &x) || !lwi_is_number(g, c, &x)) {
        c = lwi_add(g, c, lwi_number(g, 1e-18 * size));
    }
    const lwi_expr r2 = lwi_add_products(g, s, s, c, c);
    const lwi_expr scale = lwi_div(g, LWI_ONE, lwi_sqrt(g, r2));
    const lwi_expr sine = lwi_mul(g, scale, s), cosine = lwi_mul(g, scale, c);
    const lwi_expr whole = lwi_mul(g, scale, e), along = lwi_clamp(g, whole);
    const lwi_expr rest = lwi_sub(g, LWI_ONE, lwi_mul(g, along, along));
    const lwi_expr up = lwi_sqrt(g, rest), across = sign > 0 ? up : lwi_neg(up);
    require(a, lwi_sub(g, lwi_number(g, 1.0 + 1e-12), lwi_mul(g, whole, whole)));
    const lwi_expr first = lwi_add_products(g, sine, along, cosine, across);
    return (pair){first, lwi_sub_products(g, cosine, along, sine, across)};
}

// Subproblem 1: R(h, q) u = w.
static inline pair between(lwi_solver *a, lw_vec3 axis, lwi_vec u, lwi_vec w, double size)
{
    lwi_graph *g = a->g;
    const lwi_vec h = number3(a, axis, 1.0), across = vec_cross(g, h, u);
    const lwi_expr s = vec_dot(g, across, w);
    return unit(a, s, vec_dot(g, vec_cross(g, across, h), w), size);
}

// --- Results ----------------------------------------------------------------------------------

// The angle of a pair, within a turn about zero.
static inline lwi_expr angle_of(lwi_solver *a, pair q)
{
    lwi_graph *g = a->g;
    for (int i = 0; i < a->nangle; ++i) {
        const lwi_expr there = a->angle[i];
        const bool is_opposite = a->of[i].s == lwi_neg(q.s);
        if (is_opposite && a->of[i].c == q.c) {
            return lwi_neg(there);
        }
        if (is_opposite && a->of[i].c == lwi_neg(q.c)) {
            // Zero needs a sign too: any angle that no one asks for tells the half turns apart.
            const lwi_expr side = lwi_sign(g, lwi_add(g, there, lwi_number(g, 1.7e-13)));
            return lwi_sub(g, there, lwi_mul(g, lwi_number(g, 3.14159265358979323846), side));
        }
    }
    const lwi_expr angle = lwi_atan2(g, q.s, q.c);
    if (a->nangle < ANGLES) {
        a->of[a->nangle] = q;
        a->angle[a->nangle++] = angle;
    }
    return angle;
}

/// Adds a row for the branch in hand; two where a loop beside the chain has two solutions for it.
void lwi_keep_row(lwi_solver *a);

// --- Families of their own --------------------------------------------------------------------

/// Angles from the orientation alone, slides from what is left of the position: gantry and
/// cylindrical types (inverse_slides.c). False where the arm is none.
bool lwi_slides_of(const lwi_arm *arm);
void lwi_solve_slides(lwi_solver *a);

/// Wrist joints at[0] to at[2], by the root of this sign, where v, x and y are the last axis and
/// two vectors across it as they stand before the wrist (inverse_kinematics.c).
void lwi_set_wrist(lwi_solver *a, const int at[3], lwi_vec v, lwi_vec x, lwi_vec y, int sign);

/// Loops beside a chain, and platforms (inverse_closed.c). False where they are none of those that
/// have equations.
bool lwi_leg_of(lwi_solver *a);
bool lwi_spheres_of(const lw_ik *ik);
void lwi_solve_spheres(lwi_solver *a);

#endif
