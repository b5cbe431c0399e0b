// linkwork/workspace.h: the points that a frame reaches.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// Configurations are sampled within the limits of the independent joints, and more often at these
// limits, where the boundary of a workspace mostly is. Allocates: not real-time safe. Threads need
// data of their own.
#ifndef LINKWORK_WORKSPACE_H
#define LINKWORK_WORKSPACE_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_workspace_options {
    int frame;
    int samples; ///< configurations, 1 to 10^8
    unsigned long long seed;
    const double *q;     ///< [nq] positions of the joints that are held; NULL for the reference
    const bool *is_held; ///< [nq] positions that are not sampled; NULL for none
    bool (*cancel)(void *context); ///< called between samples, true ends the sampling; may be NULL
    void *context;
} lw_workspace_options;

/// 100000 samples of a frame, with seed 1.
LW_API lw_workspace_options lw_default_workspace_options(int frame);

typedef struct lw_workspace {
    int count;
    lw_vec3 *point;           ///< [count] origins of the frame, in the world
    int nopen;                ///< configurations that were left out: a loop does not close there
    lw_vec3 low, high;        ///< the box around all points
    double nearest, farthest; ///< distances from the z axis of the world
    int unlimited;            ///< position in q of a joint without limits; else -1
    bool is_cancelled;
} lw_workspace;

/// Samples. Revolute joints without limits take a whole revolution; spherical and free joints stay
/// at q.
/// @return LW_ERR_ARGUMENT for an index out of range, and for a prismatic joint without limits that
///         is not held (`unlimited` is its position); LW_ERR_LOOP_OPEN if no sample closes all
///         loops; LW_ERR_NUMBER, LW_ERR_SINGULAR or LW_ERR_NO_CONVERGENCE as
///         lw_forward_position(); LW_ERR_MEMORY. Call lw_workspace_free() after failure too.
LW_API lw_status lw_workspace_sample(const lw_model *m, lw_data *d,
                                     const lw_workspace_options *options, lw_workspace *workspace);
LW_API void lw_workspace_free(lw_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
