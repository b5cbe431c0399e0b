// From derivatives in tree coordinates to those in independent ones, row by row of the tree.
#ifndef LWI_FOLD_DERIVATIVES_H
#define LWI_FOLD_DERIVATIVES_H

#include "derivative_sweep.h"

/// How the tree's velocities and accelerations depend on the independent state, beyond G: fills
/// d->fronts, and begins `out` with the change of G' tau. Needs the state of the tree and, where
/// rates change (lwi_fronts.is_bent), its forces in d->tree_tau. False at a singular configuration.
/// @param out [nv*nv] each; any may be NULL
bool lwi_begin_fold(const lw_model *m, lw_data *d, const double *v, const double *a,
                    const lwi_matrices *out);

/// Adds row k of the tree's matrices. All rows come once as the first of their number.
/// @param row [tree_nv] each; NULL where `out` is and no rate changes
void lwi_fold_derivatives(const lw_model *m, lw_data *d, int k, const lwi_matrices *row,
                          bool is_first, const lwi_matrices *out);

#endif
