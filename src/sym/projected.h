// Elements of the equations of motion of plain machines: those of the tree, seen by the independent
// degrees of freedom alone.
#ifndef LWI_PROJECTED_H
#define LWI_PROJECTED_H

#include "symbolic_model.h"

/// Mass matrix M [nv*nv] with rotors, Christoffel symbols B [nv*nv*nv] and weight G [nv]; each null
/// where it is not wanted.
void lwi_projected_elements(lwi_machine *k, lwi_expr *M, lwi_expr *B, lwi_expr *G);

/// The Coriolis matrix C [nv*nv]: the sums of the Christoffel symbols and rates.
void lwi_projected_coriolis(lwi_machine *k, lwi_expr *C);

#endif
