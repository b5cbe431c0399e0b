// The model and the data of float arithmetic.
#ifndef LWI_FLOAT_MODEL_H
#define LWI_FLOAT_MODEL_H

#include <linkwork/float.h>

#include "../model/kernel.h"
#include "../model/kernel_sizes.h"
#include "../model/program.h"

typedef struct lwi_frame32 {
    int body;
    lw_pose32 X_BF;
} lwi_frame32;

struct lw_model32 {
    int nbody, nq, nv, tree_nq, tree_nv, nstep, nrate, nbias, nframe, nload, nquat, ngeneral;
    bool all_revolute, has_joint_forces;
    float world_phi[2];
    float gravity[3];             ///< of the model
    const lwi_segment32 *segment; ///< [nbody]
    const lwi_passive32 *passive; ///< [tree_nv]
    const lwi_load32 *load;       ///< [nload]
    const lwi_frame32 *frame;     ///< [nframe] all of the model's frames
    const int *q_tree, *v_tree;   ///< [nq], [nv]
    const int *quat;              ///< [nquat] positions of their w in q
    const lwi_step *step;         ///< [nstep] of which only what kin/kernel_closure.h reads is set
    const float *coefficient;     ///< of all steps
};

struct lw_data32 {
    const lw_model32 *model;
    int singular_dof;
    bool is_ideal;
    float friction_rate; ///< as in lwi_settings
    float gravity[3];
    float base_rotation[3], base_rotation_rate[3], base_acceleration[3];
    float *q, *v, *a, *tau; ///< of the tree, where it has closure steps
    float *rate, *bias;     ///< of the steps, as in lw_data
    float *M;               ///< [tree_nv*tree_nv] likewise
    void *pose;             ///< [nbody]
    void *work;             ///< of the recursions
};

#endif
