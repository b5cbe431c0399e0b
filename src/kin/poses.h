// Poses of bodies and columns of Jacobians, for any processor and for those with fused products.
#ifndef LWI_POSES_H
#define LWI_POSES_H

#include "../model/data.h"

typedef struct lwi_pose_kernels {
    /// Fills d->X_WB for all bodies.
    void (*tree)(const lw_model *m, lw_data *d, const double *tree_q);

    /// The same for the n bodies of d->path, the world's child last.
    void (*path)(const lw_model *m, lw_data *d, const double *tree_q, int n);

    /// Columns of the revolute bodies of d->path for the point p_W, along world axes.
    void (*columns)(const lw_model *m, const lw_data *d, int n, lw_vec3 p_W, double *J);

    /// Poses of n frames from the first on.
    void (*frames)(const lw_model *m, const lw_data *d, int first, int n, lw_pose *X_WF);
} lwi_pose_kernels;

const lwi_pose_kernels *lwi_get_pose_kernels(void);

/// Null where the build or the processor has none.
const lwi_pose_kernels *lwi_pose_kernels_avx2(void);

#endif
