// All bodies of the tree, or those on one path, for callers that have its coordinates already.
// Poses are lwi_kernels.tree_poses and path_poses.
#ifndef LWI_TREE_H
#define LWI_TREE_H

#include "../model/data.h"

/// Fills d->X_WB, d->vel and, where tree_a is not NULL, d->acc.
void lwi_tree_motion(const lw_model *m, lw_data *d, const double *tree_q, const double *tree_v,
                     const double *tree_a);

/// Fills d->path with `body` and its ancestors, the world's child last; returns how many.
int lwi_find_path(const lw_model *m, lw_data *d, int body);

/// The same for two bodies together, each of their ancestors once and descending.
int lwi_find_paths(const lw_model *m, lw_data *d, const int body[2]);

#endif
