// linkwork/symbolic.h: equations of a machine in closed form, and code made from them.
//
// The equations are derived anew from the tree and the closure program of a compiled model: nothing
// here calls the numeric algorithms, so that the two can check each other.
#ifndef LINKWORK_SYMBOLIC_H
#define LINKWORK_SYMBOLIC_H

#include <linkwork/model.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What can be derived. Shapes as in kinematics.h and dynamics.h.
typedef enum lw_function {
    LW_FUNCTION_POSES,            ///< [nframe * 12] rotation row by row, then position, per frame
    LW_FUNCTION_JACOBIAN,         ///< [6 * nv] of lw_derive_options.frame, world axes, its origin
    LW_FUNCTION_INVERSE_DYNAMICS, ///< tau [nv]
    LW_FUNCTION_MASS_MATRIX,      ///< M [nv * nv]
    LW_FUNCTION_CORIOLIS_MATRIX,  ///< C [nv * nv], with C v the velocity forces
    LW_FUNCTION_CHRISTOFFEL,      ///< [nv * nv * nv]
    LW_FUNCTION_GRAVITY,          ///< [nv]
    LW_FUNCTION_FORWARD_DYNAMICS, ///< a [nv]
    LW_FUNCTION_ENERGY,           ///< kinetic, potential
    LW_FUNCTION_REGRESSOR,        ///< [nv * 10 * nbody]
    LW_FUNCTION_ELEMENTS,         ///< the upper half of H, the different elements of C, and g
    LW_FUNCTION_COUNT             ///< not a function
} lw_function;

typedef enum lw_form {
    LW_FORM_CHEAPEST,  ///< whichever of the others costs least, with the reason in the report
    LW_FORM_RECURSIVE, ///< customised recursive Newton-Euler, unrolled
    LW_FORM_LAGRANGE,  ///< M, C, G in closed form
    LW_FORM_UICKER     ///< H, C, g of Uicker and Kahn, with a dictionary of monomials
} lw_form;

typedef enum lw_cost { LW_COST_OPERATIONS, LW_COST_PRODUCTS, LW_COST_INSTRUCTIONS } lw_cost;

typedef struct lw_counts {
    int mul, add, div, sqrt, sincos, other;
} lw_counts;

typedef struct lw_derive_options {
    unsigned functions; ///< bits 1u << lw_function
    lw_form form;
    lw_cost cost;
    int effort;           ///< 0 to 3; 1 by default
    bool is_symbolic;     ///< parameters stay symbols; else their numbers are folded in
    bool is_sincos_input; ///< sines and cosines of the angles are inputs
    bool is_ideal;        ///< without friction, damping, stiffness and rotor inertia
    bool is_apart;        ///< one tape a function; else all functions share what they can
    int frame;            ///< of the Jacobian
    size_t max_nodes;     ///< 0: default
} lw_derive_options;

/// Equations in memory. Free with lw_derivation_destroy().
typedef struct lw_derivation lw_derivation;

#ifdef __cplusplus
}
#endif
#endif
