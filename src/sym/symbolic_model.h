// A compiled model as expressions: placements, inertias and motions of the bodies of the tree, with
// the closure steps solved, so that everything depends on the independent coordinates.
#ifndef LWI_SYMBOLIC_MODEL_H
#define LWI_SYMBOLIC_MODEL_H

#include <linkwork/symbolic.h>

#include "../base/arena.h"
#include "body_tree.h"

/// A step of the closure program, solved.
typedef struct lwi_sym_step {
    lwi_expr *coefficient; ///< of a coupling or a linear step, as lw_step_info has them
    lwi_expr *K;      ///< [ntarget * nsource]; of a reduced block they are in the list of rates
    lwi_expr curve;   ///< second derivative, of a function
    lwi_expr *factor; ///< [ntarget * ntarget] of loops: the factors of their rows' target columns
    int *row;         ///< [ntarget] the rows that were taken, in the order of elimination
    int *column;      ///< [ntarget] the targets in that order
    struct lwi_sym_loop *loop; ///< of a block
    struct lwi_sym_leg *leg;   ///< of a block that is reduced to what its legs share
} lwi_sym_step;

/// A loop of code (src/expr/tape_loop.h) as expressions.
typedef struct lwi_sym_loop {
    int step;
    int nx, ndof, nrow, first;
    lwi_expr *row, *J;  ///< [nrow], [nrow * ndof]
    lwi_expr *moved;    ///< [nx] the unknowns after changes d
    lwi_expr *P;        ///< [ndof * nrow] symbols
    double *start;      ///< [nx]
    const double *unit; ///< [ndof]
    double size;
} lwi_sym_loop;

enum { LWI_NO_LEG = -1 };

/// Rates of some degrees of freedom of the tree from those of others, in the order in which they
/// are found.
typedef struct lwi_sym_rate {
    int ntarget, nsource;
    const int *target, *source;
    lwi_expr *K; ///< [ntarget * nsource]
    int step;    ///< of the closure program
    int leg;     ///< whose passive joints these are, or LWI_NO_LEG
} lwi_sym_rate;

/// Passive joint forces of a degree of freedom of the tree; zeros for ideal joints.
typedef struct lwi_passive_joint {
    lwi_expr damping, friction, rotor, stiffness, rest;
} lwi_passive_joint;

/// The numbers of a spring.
typedef struct lwi_spring_numbers {
    lwi_expr free, play, preload, damping, loss;
    lwi_expr *law; ///< [ncoefficient] of the polynomial
} lwi_spring_numbers;

typedef struct lwi_symbolic {
    const lw_model *m;
    lwi_graph *g;
    lw_report *report;
    lwi_arena arena;
    bool is_symbolic;    ///< some parameters are symbols: those that the inputs name, and
    bool has_all;        ///< all others that are not zero
    const char *inputs;  ///< as in lw_derive_options
    size_t *input_taken; ///< [strlen(inputs) + 1] how long the item is that begins here, if any
    bool has_product_integrals, is_sincos_input, is_ideal, is_frictionless;
    bool is_searched;              ///< a search for the cheapest ways follows
    double friction_speed;         ///< as in lw_dynamics_options
    double noise;                  ///< what is negligible beside 1
    const lw_unbalance *unbalance; ///< or NULL
    lw_status status;              ///< the first failure, besides those that the graph reports
    lwi_sym_body *body;         ///< [nbody]; q[0] is LWI_UNKNOWN if only sine and cosine are known
    lwi_expr *v, *a;            ///< [nv] independent: symbols
    lwi_sym_step *step;         ///< [nstep]
    lwi_passive_joint *passive; ///< [tree_nv]
    lwi_spring_numbers *spring; ///< [nspring]; NULL for ideal joints
    lwi_expr *rod_length;       ///< [nloop of the model]
    lwi_expr *rod_mass;         ///< likewise
    lwi_sym_rate *rate;         ///< [nrate]
    lwi_sym_loop *loop;         ///< [nloop] loops of code, in order
    int nrate, nloop, nstate;   ///< nstate: length of the state of these loops
    lwi_vec gravity;
    lw_symbol_info *symbol; ///< [nsymbol]
    int nsymbol, symbol_capacity;
    int nrequest; ///< how often a parameter became a symbol, new or not
} lwi_symbolic;

/// Makes all of it in a graph. A failure is in the status, with a diagnostic.
/// lwi_symbolic_free() is due either way.
lw_status lwi_symbolic_init(lwi_symbolic *k, const lw_model *m, const lw_derive_options *options,
                            lwi_graph *g, lw_report *report);
void lwi_symbolic_free(lwi_symbolic *k);

/// Whether a step is one coupling by a polynomial.
bool lwi_is_coupling(const lw_model *m, int step);

/// Entries that are within what is rounding of 0, 1 or -1 are these.
lw_mat3 lwi_snapped_rotation(const lwi_symbolic *k, const lw_mat3 *R);

/// What is negligible beside 1, by the options.
double lwi_rounding(const lw_derive_options *options);

/// Notes joints that are off a right angle by little more than rounding: each such number costs
/// operations, and is seldom meant.
void lwi_note_skew(const lw_model *m, const lw_derive_options *options, lw_report *report);

/// Workspace of n elements, zeros, as long as the model lives; NULL if allocation fails (the status
/// is then set). The second is for expressions.
void *lwi_symbolic_alloc(lwi_symbolic *k, int n, size_t size);
lwi_expr *lwi_symbolic_take(lwi_symbolic *k, int n);

/// The position of a joint of one degree of freedom; dependent angles cost an arc tangent here.
lwi_expr lwi_symbolic_position(lwi_symbolic *k, int body);

/// The frame of body i from its parent's: fills c, s and X. The position is q; if that is
/// LWI_UNKNOWN the cosine c and the sine s are given.
void lwi_symbolic_place(lwi_symbolic *k, int body, lwi_expr q, lwi_expr c, lwi_expr s);

/// The same without taking the angle apart into those that it is a sum of.
void lwi_symbolic_place_whole(lwi_symbolic *k, int body, lwi_expr q);

/// The same for spherical and free joints, whose positions are in the body already.
void lwi_symbolic_place_quaternion(lwi_symbolic *k, int body);

/// Poses of all bodies in the world; X [nbody].
void lwi_symbolic_world(lwi_symbolic *k, lwi_frame *X);

// --- Closure (closure_equations.c) ------------------------------------------------------------

/// Solves the steps of the closure program for positions and rates.
lw_status lwi_symbolic_close(lwi_symbolic *k);

/// From independent rates x [nv] to those of the tree, out [tree_nv]: out = G x.
void lwi_tree_rates(lwi_symbolic *k, const lwi_expr *x, lwi_expr *out);

/// Column j of G.
void lwi_tree_column(lwi_symbolic *k, int j, lwi_expr *out);

/// Tree accelerations out [tree_nv] = G x + (dG/dt along v) u for x [nv] and rates u and v
/// [tree_nv] of the tree; the latter NULL for zero.
void lwi_tree_accelerations(lwi_symbolic *k, const lwi_expr *u, const lwi_expr *v,
                            const lwi_expr *x, lwi_expr *out);

/// out [nv] = G' tree [tree_nv]; tree is changed.
void lwi_tree_project(lwi_symbolic *k, lwi_expr *tree, lwi_expr *out);

// --- Forces and energies ----------------------------------------------------------------------

/// Motions within the bilinear recursion, in body coordinates.
typedef struct lwi_motion_input {
    const lwi_expr *u, *v, *a; ///< [tree_nv] rates and accelerations; NULL for zero
    bool has_gravity;
    const lwi_mass *mass; ///< [nbody] instead of the model's own, or NULL
    bool has_loads, has_rods;
} lwi_motion_input;

/// Generalised forces tau [tree_nv] of the particles' accelerations sum of d/dt (s_k u_k) + s_k a_k
/// where s_k is the velocity of a particle for unit rate of degree of freedom k and d/dt follows
/// the motion v: with u = v the inverse dynamics, with u a unit vector a column of the Coriolis
/// matrix.
void lwi_bilinear_forces(lwi_symbolic *k, const lwi_motion_input *in, lwi_expr *tau);

/// Those of the loads alone, as they act on bodies without mass.
void lwi_load_forces(lwi_symbolic *k, lwi_expr *tau);

/// Adds passive joint forces to tree forces tau [tree_nv], for tree rates v and accelerations a
/// [tree_nv].
void lwi_add_passive(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau);

/// Kinetic and potential energy, out [2].
void lwi_derive_energy(lwi_symbolic *k, lwi_expr *out);

// --- Springs (spring_forces.c) ----------------------------------------------------------------

/// Fills the numbers of springs, unless joints are ideal. LW_ERR_UNSUPPORTED, with a
/// diagnostic, where one has no formula.
lw_status lwi_number_springs(lwi_symbolic *k);

/// Adds what springs need to tree forces tau [tree_nv], for tree rates v [tree_nv].
void lwi_add_springs(lwi_symbolic *k, const lwi_expr *v, lwi_expr *tau);

/// The energy that they store.
lwi_expr lwi_spring_potential(lwi_symbolic *k);

/// Values of n expressions at independent positions q [nq], velocities and accelerations of 1 and
/// the model's parameters.
lw_status lwi_symbolic_evaluate(lwi_symbolic *k, int n, const lwi_expr *e, const double *q,
                                double *value);

#endif
