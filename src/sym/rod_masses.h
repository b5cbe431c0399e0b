// Masses of slender rods. With ends at a and b and the way d from one to the other, the kinetic
// energy of a rod of mass m is
//
//   m/6 (a'.a' + a'.b' + b'.b')  =  m/4 a'.a' + m/4 b'.b' - m/12 d'.d'
//
// two halves of its mass at the ends, which belong to the bodies there and carry its gravity, minus
// what they have too much for the rotation of the rod.
#ifndef LWI_ROD_MASSES_H
#define LWI_ROD_MASSES_H

#include "symbolic_model.h"

/// Adds halves of the masses to the bodies at the ends.
void lwi_rod_halves(lwi_symbolic *k, lwi_sym_tree *tree);

/// Adds the rest as loads on these bodies, for rates v and accelerations a [tree_nv] (NULL: none).
void lwi_rod_forces(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_sym_tree *tree);

/// Adds the rest to the mass matrix H [n*n] and the Christoffel symbols B [n*n*n] (or NULL) of a
/// plain tree.
void lwi_rod_elements(lwi_symbolic *k, lwi_expr *H, lwi_expr *B);

#endif
