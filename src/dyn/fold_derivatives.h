// From derivatives in tree coordinates to those in independent ones, row by row of the tree.
#ifndef LWI_FOLD_DERIVATIVES_H
#define LWI_FOLD_DERIVATIVES_H

#include "derivative_sweep.h"

/// Where the rows go.
typedef struct lwi_derivative_fold {
    lwi_matrices out; ///< [nv*nv] each, zeros in the beginning; any may be NULL
    bool is_bent;     ///< some coordinate moves joints by rates that change
} lwi_derivative_fold;

/// How the tree's velocities and accelerations depend on the independent state, beyond G: fills
/// d->fronts, and adds the change of G' tau to fold->out. Needs the state of the tree, and its
/// forces in d->tree_tau. False at a singular configuration.
bool lwi_begin_fold(const lw_model *m, lw_data *d, const double *v, const double *a,
                    lwi_derivative_fold *fold);

/// Adds row k of the tree's matrices.
/// @param row [tree_nv] each; those that fold->out does not need may be NULL
void lwi_fold_derivatives(const lw_model *m, lw_data *d, int k, const lwi_matrices *row,
                          const lwi_derivative_fold *fold);

#endif
