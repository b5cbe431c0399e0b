// The chain of joints between two frames of a model, as an arm.
#ifndef LWI_CHAIN_H
#define LWI_CHAIN_H

#include <linkwork/model.h>

#include "arm.h"

typedef struct lwi_chain {
    lwi_arm arm; ///< axes in the base frame, tip and points likewise. Joint positions are
                 ///< those of the model, whichever way the chain passes the joint
    int body[LWI_ARM_JOINTS]; ///< that each joint carries
    int nheld, nheld_before; ///< joints of several DoF, which stay where they are: all of them, and
                             ///< those before the last axis
    bool is_held_inside;     ///< one of them is between axes, so that the arm depends on it
    lw_pose X_BL, X_FT;      ///< a frame on the first axis in the base frame, and the tip in one on
                             ///< the last axis: the arm depends on them by these alone else
} lwi_chain;

/// Finds the joints between two frames; base -1 is the world. Joints of more than one degree of
/// degree of freedom on the way stay where tree_q has them.
///
/// LW_ERR_ARGUMENT where no joint is between the frames, LW_ERR_LIMIT where there are more than
/// LWI_ARM_JOINTS, LW_ERR_UNSUPPORTED for a screw or a user joint; *body is then the one that it
/// carries.
lw_status lwi_chain_find(const lw_model *m, int base, int tip, const double *tree_q,
                         lwi_chain *chain, int *body);

#endif
