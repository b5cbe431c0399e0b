// The tree by the derivations that cost least. Dependent joints are joints like others here, with
// the rates that the closure program gives them: base parameters do not depend on constraints.
#ifndef LWI_TREE_DYNAMICS_H
#define LWI_TREE_DYNAMICS_H

#include "symbolic_model.h"

/// Whether all joints of its tree have one degree of freedom.
bool lwi_is_plain(const lwi_symbolic *k);

/// Forces tau [tree_nv] of the joints of the tree without passive ones, for rates v and
/// accelerations a [tree_nv]; NULL for none. Gravity, loads and the masses of rods are included.
void lwi_regrouped_forces(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau);

/// Elements of the equations of motion of a plain tree, projected onto the independent degrees of
/// degree of freedom: mass matrix M [nv*nv] with rotors, Christoffel symbols B [nv*nv*nv] and
/// gravity forces G [nv]; each NULL if it is not wanted.
void lwi_projected_elements(lwi_symbolic *k, lwi_expr *M, lwi_expr *B, lwi_expr *G);

/// The Coriolis matrix C [nv*nv]: the sums of the Christoffel symbols and rates.
void lwi_projected_coriolis(lwi_symbolic *k, lwi_expr *C);

/// Inertial forces and gravity tau [n] of the joints of the tree for rates v and accelerations a
/// [n = tree_nv], and their derivatives by positions, rates and accelerations, each [n*n]. Rods and
/// loads are not included.
void lwi_regrouped_derivatives(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau,
                               lwi_expr *dq, lwi_expr *dv, lwi_expr *H);

// --- Solving with the mass matrix (mass_factor.c) ---------------------------------------------

/// Factors M [nv*nv] in place, with inverse [nv] the inverse pivots; LW_ERR_SINGULAR, with a
/// diagnostic, where a degree of freedom moves no inertia.
lw_status lwi_factor_mass(lwi_symbolic *k, lwi_expr *M, lwi_expr *inverse);

/// Solves M x = b; x [n] has b before.
void lwi_solve_mass(lwi_graph *g, int n, const lwi_expr *L, const lwi_expr *inverse, lwi_expr *x);

// --- Masses of rods (rod_masses.c) ------------------------------------------------------------

/// Adds halves of the masses to the bodies at the ends.
void lwi_rod_halves(lwi_symbolic *k, lwi_sym_tree *tree);

/// Adds the rest as loads on these bodies, for rates v and accelerations a [tree_nv] (NULL: none).
void lwi_rod_forces(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_sym_tree *tree);

/// Adds the rest to the mass matrix H [n*n] and the Christoffel symbols B [n*n*n] (or NULL) of a
/// plain tree.
void lwi_rod_elements(lwi_symbolic *k, lwi_expr *H, lwi_expr *B);

#endif
