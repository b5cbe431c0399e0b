// The scratch of one thread. Public functions of every layer above work in it.
#ifndef LWI_DATA_H
#define LWI_DATA_H

#include <linkwork/model.h>

#include "loop.h"
#include "records.h"
#include "work.h"

/// A body with all that hangs on it.
typedef struct lwi_subtree {
    double mass;
    lw_vec3 moment; ///< first moment about the world's origin
} lwi_subtree;

/// What lw_dynamics_options holds.
typedef struct lwi_settings {
    bool is_ideal;
    lw_vec3 gravity;
    lw_motion base_velocity, base_acceleration;
} lwi_settings;

struct lw_data {
    const lw_model *model; ///< the model it was made for; checked by every public function
    lw_stage stage;
    int culprit; ///< freedom that made the last function singular, or -1

    int *v_parent; ///< [nv] freedom before k on the way to the world, -1 for none; k - 1 with steps

    // Tree coordinates, filled by the closure sweeps where the model has steps.
    double *tree_q;    ///< [tree_nq]
    double *tree_v;    ///< [tree_nv]
    double *tree_a;    ///< [tree_nv]
    double *tree_tau;  ///< [tree_nv]
    double *rate;      ///< K of each step at tree_q, one after the other
    double *rate_bias; ///< b of each step at tree_q and tree_v
    lwi_loop_work loop_work;
    lw_status closure_status;
    lwi_closure_fault fault; ///< of the last sweep that failed

    // Kinematics, in the order of the bodies.
    lw_pose *X_WB;  ///< [nbody] body in world
    lw_motion *vel; ///< [nbody] angular velocity, and velocity of the body's origin, in body axes
    lw_motion *acc; ///< [nbody] angular acceleration, and acceleration of the origin, in body axes
    lwi_subtree *subtree; ///< [nbody]
    int *path;            ///< [nbody] bodies between the world and a frame

    double *tree_J; ///< [6*tree_nv]

    // Derivatives, sensitivities and regressors (dyn/world.h).
    double *sine, *cosine;    ///< [tree_nq] of all positions, whether they are angles or not
    lwi_world_body *world;    ///< [nbody]
    lwi_column *column;       ///< [tree_nv]
    lwi_composite *composite; ///< [nbody]
    lwi_load_sum *load_sum;   ///< [nbody] where the model has loads
    lwi_lift *lift;           ///< [tree_nv] where it has closure steps
    double *v_work;           ///< [nv] an acceleration between two functions

    // Dynamics: options, and room for the recursions.
    lwi_settings settings;
    void *work;     ///< laid out by dyn/kernel_work.h
    double *tree_M; ///< [tree_nv*tree_nv] where the model has closure steps
    double *tree_C; ///< likewise
};

#endif
