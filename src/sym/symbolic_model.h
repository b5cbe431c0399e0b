// A compiled model as expressions: placements, inertias and motions of the bodies of the tree, with
// the closure steps solved, so that everything hangs on the independent coordinates.
#ifndef LWI_SYMBOLIC_MODEL_H
#define LWI_SYMBOLIC_MODEL_H

#include <linkwork/symbolic.h>

#include "../base/arena.h"
#include "spatial.h"

/// Inertia about the origin of the body, along its axes.
typedef struct lwi_mass {
    lwi_expr mass;
    lwi_vec first;
    lwi_sym tensor;
} lwi_mass;

/// The same as people know it: the centre of mass, and the tensor about that.
typedef struct lwi_described {
    lwi_expr mass;
    lwi_vec center;
    lwi_sym tensor;
} lwi_described;

typedef struct lwi_sbody {
    int parent, q, v, nv;
    lw_tree_joint carrier;
    lwi_frame rest; ///< in the parent at zero position
    lwi_expr lead;
    lwi_expr c, s; ///< of the angle of a joint that turns
    lwi_frame X;   ///< in the parent
    lwi_mass own;
    lwi_described described; ///< each a number, or a number times a symbol; zeros without mass
} lwi_sbody;

/// A step of the closure program, solved.
typedef struct lwi_sstep {
    lwi_expr *K;      ///< [ntarget * nsource]
    lwi_expr curve;   ///< second derivative, of a function
    lwi_expr *factor; ///< [ntarget * ntarget] of loops: the factors of their rows' target columns
    int *row;         ///< [ntarget] the rows that were taken, in the order of elimination
    int *column;      ///< [ntarget] the targets in that order
    bool is_negative; ///< the determinant in that order, in the reference configuration
    const lwi_expr *looked; ///< of fitted blocks: the factors at the last look at their branch
} lwi_sstep;

/// What acts within a degree of freedom of the tree; zeros for ideal joints.
typedef struct lwi_within {
    lwi_expr damping, friction, rotor, stiffness, rest;
} lwi_within;

/// The numbers of a spring.
typedef struct lwi_spring_numbers {
    lwi_expr free, play, preload, damping, loss;
    lwi_expr *law; ///< [ncoefficient] of the polynomial
} lwi_spring_numbers;

typedef struct lwi_machine {
    const lw_model *m;
    lwi_graph *g;
    lw_report *report;
    lwi_arena arena;
    bool is_symbolic;   ///< some parameters are symbols: those that the inputs name, and
    bool has_all;       ///< all others that are not zero
    const char *inputs; ///< as in lw_derive_options
    bool has_product_integrals, is_sincos_input, is_ideal;
    bool is_searched;              ///< the cheapest ways will be searched for
    double friction_speed;         ///< as in lw_dynamics_options
    double noise;                  ///< what is nothing beside 1
    const lw_unbalance *unbalance; ///< or null
    lw_status status;              ///< what went wrong first, besides what the graph knows
    lwi_sbody *body;               ///< [nbody]
    lwi_expr *q;        ///< [tree_nq] positions; LWI_UNKNOWN where only sine and cosine are known
    lwi_expr *v, *a;    ///< [nv] independent: symbols
    lwi_sstep *step;    ///< [nstep]
    lwi_within *within; ///< [tree_nv]
    lwi_spring_numbers *spring; ///< [nspring]; null for ideal machines
    lwi_expr proof; ///< a sum that is a number as long as Newton's method has closed its loops
    lwi_vec gravity;
    lw_symbol_info *symbol; ///< [nsymbol]
    int nsymbol, symbol_room;
} lwi_machine;

#define LWI_UNKNOWN UINT32_MAX

/// Makes all of it in a graph. What goes wrong is in the status, with a diagnostic.
/// lwi_machine_free() is due either way.
lw_status lwi_machine_init(lwi_machine *k, const lw_model *m, const lw_derive_options *options,
                           lwi_graph *g, lw_report *report);
void lwi_machine_free(lwi_machine *k);

/// What is nothing beside 1, as the options say.
double lwi_rounding(const lw_derive_options *options);

/// Notes where joints are off a right angle by little more than rounding: each such number costs
/// operations, and is seldom meant.
void lwi_note_skew(const lw_model *m, const lw_derive_options *options, lw_report *report);

/// The position of a joint of one degree of freedom; dependent angles cost an arc tangent here.
lwi_expr lwi_machine_position(lwi_machine *k, int body);

/// The frame of body i from its parent's: fills c, s and X. The position is q, or where it is
/// LWI_UNKNOWN the cosine c and the sine s are given.
void lwi_machine_place(lwi_machine *k, int body, lwi_expr q, lwi_expr c, lwi_expr s);

/// The same without taking the angle apart into those that it is a sum of.
void lwi_machine_place_whole(lwi_machine *k, int body, lwi_expr q);

/// The same for spherical and free joints, whose positions stand in k->q already.
void lwi_machine_place_quaternion(lwi_machine *k, int body);

/// What such a joint turns its body by.
lwi_rot lwi_machine_rotation(lwi_machine *k, const lwi_sbody *body);

/// Solves the steps of the closure program for positions and rates.
lw_status lwi_machine_close(lwi_machine *k);

/// A factor of all results: 1 where the loops that need Newton's method are closed on the branch of
/// the reference configuration, else not a number.
lwi_expr lwi_machine_gate(lwi_machine *k);

/// From independent rates x [nv] to those of the tree, out [tree_nv]: out = G x.
void lwi_machine_spread(lwi_machine *k, const lwi_expr *x, lwi_expr *out);

/// Tree accelerations out [tree_nv] = G x + (dG/dt along v) u for x [nv] and rates u and v
/// [tree_nv] of the tree; the latter null for zero.
void lwi_machine_accelerate(lwi_machine *k, const lwi_expr *u, const lwi_expr *v, const lwi_expr *x,
                            lwi_expr *out);

/// out [nv] = G' tree [tree_nv]; tree is changed.
void lwi_machine_collect(lwi_machine *k, lwi_expr *tree, lwi_expr *out);

/// Room for n expressions, zeros; NULL if allocation fails (the status then says so).
lwi_expr *lwi_machine_room(lwi_machine *k, int n);

/// Pose of body i (-1: the world) in the world, of all bodies; X [nbody].
void lwi_machine_world(lwi_machine *k, lwi_frame *X);

/// Motions within a Newton-Euler recursion, in body coordinates.
typedef struct lwi_motion_input {
    const lwi_expr *u, *v, *a; ///< [tree_nv] rates and accelerations; null for zero
    bool has_gravity;
    const lwi_mass *mass; ///< [nbody] instead of the machine's own, or null
    bool has_loads, has_rods;
} lwi_motion_input;

/// Generalised forces tau [tree_nv] of the particles' accelerations sum of d/dt (s_k u_k) + s_k a_k
/// where s_k is the velocity of a particle for unit rate of degree of freedom k and d/dt follows
/// the motion v: with u = v the inverse dynamics, with u a unit vector a column of the Coriolis
/// matrix.
void lwi_newton_euler(lwi_machine *k, const lwi_motion_input *in, lwi_expr *tau);

/// Kinetic energy for rates v [tree_nv] without rotors, and the potential of the weight.
lwi_expr lwi_kinetic(lwi_machine *k, const lwi_expr *v);
lwi_expr lwi_potential(lwi_machine *k);

#endif
