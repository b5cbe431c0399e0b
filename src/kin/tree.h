// All bodies of the tree, for callers that have its coordinates already.
#ifndef LWI_TREE_H
#define LWI_TREE_H

#include "../model/data.h"

/// Fills d->X_WB.
void lwi_tree_poses(const lw_model *m, lw_data *d, const double *tree_q);

/// Fills d->X_WB, d->vel and, where tree_a is not NULL, d->acc.
void lwi_tree_motion(const lw_model *m, lw_data *d, const double *tree_q, const double *tree_v,
                     const double *tree_a);

#endif
