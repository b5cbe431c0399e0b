// The chain of joints between two frames of a model, as an arm.
#ifndef LWI_CHAIN_H
#define LWI_CHAIN_H

#include <linkwork/model.h>

#include "arm.h"

typedef struct lwi_chain {
    lwi_arm arm;                 ///< axes in the base frame, tip and points likewise
    int body[LWI_ARM_JOINTS];    ///< that each joint carries
    double sign[LWI_ARM_JOINTS]; ///< -1 for joints between the base frame and the common body
} lwi_chain;

/// Finds the joints between two frames. Joints of more than one degree of freedom on the way stay
/// where tree_q has them.
///
/// LW_ERR_ARGUMENT where no joint is between the frames, LW_ERR_LIMIT where there are more than
/// LWI_ARM_JOINTS, LW_ERR_UNSUPPORTED for a screw or a user joint; *body is then the one that it
/// carries.
lw_status lwi_chain_find(const lw_model *m, int base, int tip, const double *tree_q,
                         lwi_chain *chain, int *body);

#endif
