// From derivatives in tree coordinates to those in independent ones, row by row of the tree.
#ifndef LWI_FOLD_DERIVATIVES_H
#define LWI_FOLD_DERIVATIVES_H

#include "derivative_sweep.h"

/// How the tree's velocities and accelerations depend on the independent state, beyond G: fills
/// d->fronts, and begins `out` with the change of G' tau. Needs the columns of the tree's sweep
/// and, where rates change (lwi_fronts.is_bent), its forces in d->tree_tau. False at a singular
/// configuration.
/// @param out [nv*nv] each; any may be NULL
bool lwi_begin_fold(const lw_model *m, lw_data *d, const lwi_state *at, const lwi_matrices *out);

/// Puts row k of the tree's matrices, [tree_nv] each. All rows come once.
void lwi_fold_row(const lw_model *m, lw_data *d, int k, const lwi_matrices *row,
                  const lwi_matrices *out);

/// Adds one more entry (i, k) of the tree's matrices, once all rows are in; for models without
/// closure steps too, where nothing is folded.
void lwi_fold_entry(const lw_model *m, const lw_data *d, int i, int k, double by_q, double by_v,
                    double M, const lwi_matrices *out);

#endif
