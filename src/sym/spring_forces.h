// Springs between parts and torsions between axes, as expressions.
#ifndef LWI_SPRING_FORCES_H
#define LWI_SPRING_FORCES_H

#include "symbolic_model.h"

/// Fills the numbers of springs, unless joints are ideal. LW_ERR_UNSUPPORTED, with a
/// diagnostic, where one has no formula.
lw_status lwi_number_springs(lwi_symbolic *k);

/// Adds what springs need to tree forces tau [tree_nv], for tree rates v [tree_nv].
void lwi_add_springs(lwi_symbolic *k, const lwi_expr *v, lwi_expr *tau);

/// The energy that they store.
lwi_expr lwi_spring_potential(lwi_symbolic *k);

#endif
