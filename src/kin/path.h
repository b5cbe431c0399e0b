// The bodies between the world and a frame: all that a question about one frame needs.
#ifndef LWI_PATH_H
#define LWI_PATH_H

#include <linkwork/model.h>

/// Fills d->path with `body` and its ancestors, the world's child last; returns how many.
int lwi_find_path(const lw_model *m, lw_data *d, int body);

/// Fills d->X_WB for the n bodies of d->path.
void lwi_path_poses(const lw_model *m, lw_data *d, const double *tree_q, int n);

#endif
