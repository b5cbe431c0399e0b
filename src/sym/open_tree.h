// Open trees of joints of one freedom, by the derivations that cost least.
#ifndef LWI_OPEN_TREE_H
#define LWI_OPEN_TREE_H

#include "machine.h"

/// Whether a machine has neither loops nor dependent joints, and all its joints have one freedom.
/// What follows is for these only.
bool lwi_is_open_simple(const lwi_machine *k);

/// Joint forces tau [nv] without what acts within the joints, for accelerations a [nv] or for none
/// (null).
void lwi_open_forces(lwi_machine *k, const lwi_expr *a, lwi_expr *tau);

/// Mass matrix H [n*n] without rotors, Christoffel symbols B [n*n*n] and weight G [n]; B and G null
/// where they are not wanted.
void lwi_open_elements(lwi_machine *k, lwi_expr *H, lwi_expr *B, lwi_expr *G);

#endif
