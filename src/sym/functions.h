// Each function of lw_function as expressions of the independent coordinates.
#ifndef LWI_FUNCTIONS_H
#define LWI_FUNCTIONS_H

#include "symbolic_model.h"

/// Fills out [lw_function_size()]. What cannot be derived is in the status, with a diagnostic.
/// @param frame of the Jacobian
lw_status lwi_derive_function(lwi_machine *k, lw_function function, int frame, lwi_expr *out);

/// Adds what acts within the joints to tree forces tau [tree_nv], for tree rates v and
/// accelerations a [tree_nv].
void lwi_add_within(lwi_machine *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau);

#endif
