// Each function of lw_function as expressions of the independent coordinates.
#ifndef LWI_FUNCTIONS_H
#define LWI_FUNCTIONS_H

#include "symbolic_model.h"

/// Fills out [lw_function_size()]. A failure is in the status, with a diagnostic.
/// @param frame of the Jacobian
lw_status lwi_derive_function(lwi_symbolic *k, lw_function function, int frame, lwi_expr *out);

#endif
