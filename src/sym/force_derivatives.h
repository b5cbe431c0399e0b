// Derivatives of joint forces and accelerations, as expressions.
#ifndef LWI_FORCE_DERIVATIVES_H
#define LWI_FORCE_DERIVATIVES_H

#include "symbolic_model.h"

/// Derivatives of the joint forces of a tree (lwi_derive_inverse_dynamics()) by positions, rates
/// and accelerations, each [n*n] row by row. Those by the position of a spherical or free joint are
/// along its rates. The loads of the bodies are held, along the axes of their body.
/// @param n all degrees of freedom
void lwi_derive_force_derivatives(lwi_graph *g, const lwi_sym_tree *tree, int n, lwi_expr *dq,
                                  lwi_expr *dv, lwi_expr *M);

// --- Of the whole mechanism (state_derivatives.c) ----------------------------------------------

/// Derivatives of inverse dynamics by positions, along the rates, by rates and by accelerations:
/// out [3*nv*nv], a matrix for each.
lw_status lwi_inverse_derivatives(lwi_symbolic *k, lwi_expr *out);

/// Derivatives of joint forces tau [nv], as functions.c has them, by all symbols: out [nv*nsymbol]
/// row by row. LW_ERR_ARGUMENT where there are none, LW_ERR_UNSUPPORTED by a length where equations
/// of loops have numbers for these, with a diagnostic.
lw_status lwi_parameter_derivatives(lwi_symbolic *k, const lwi_expr *tau, lwi_expr *out);

/// Replaces n expressions of the positions by their rates for the velocities v.
void lwi_time_derivative(lwi_symbolic *k, int n, lwi_expr *x);

#endif
