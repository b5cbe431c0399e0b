// From derivatives in tree coordinates to those in independent ones.
#ifndef LWI_REDUCE_H
#define LWI_REDUCE_H

#include "derivative_sweep.h"

/// Takes the dependent coordinates of a simple closure program out of tree matrices, in place: what
/// is left at the rows and columns of the independent ones is the result. Needs the closure sweeps
/// of position, velocity and acceleration, and d->tree_tau, which is changed on the way.
void lwi_reduce_derivatives(const lw_model *m, lw_data *d, const lwi_matrices *tree);

/// Rows and columns of the independent coordinates. `out` may be NULL.
void lwi_reduce_copy(const lw_model *m, const double *tree, double *out);

#endif
