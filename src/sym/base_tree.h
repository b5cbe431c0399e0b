// The tree of a machine by the derivations that cost least: base parameters, pseudo-inertias and
// composite bodies. Dependent joints are joints like others here, with the rates that the closure
// program gives them: what joints do not feel they do not feel whatever ties them together.
#ifndef LWI_BASE_TREE_H
#define LWI_BASE_TREE_H

#include "symbolic_model.h"

/// Whether all joints of its tree have one degree of freedom.
bool lwi_is_plain(const lwi_machine *k);

/// Forces tau [tree_nv] of the joints of the tree without what acts within them, for rates v and
/// accelerations a [tree_nv]; null for none. Weight, loads and the masses of rods are in.
void lwi_base_forces(lwi_machine *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau);

/// Mass matrix H [n*n] of a plain tree without rotors, Christoffel symbols B [n*n*n] and weight G
/// [n], with the masses of rods; B and G null where they are not wanted.
void lwi_base_elements(lwi_machine *k, lwi_expr *H, lwi_expr *B, lwi_expr *G);

#endif
