// Where a joint can go.
#ifndef LWI_JOINT_RANGE_H
#define LWI_JOINT_RANGE_H

#include <linkwork/model.h>

/// The range of position `q` of a joint of one degree of freedom: its limits, or a whole revolution
/// where it rotates without them. False where it slides without limits, and for positions of
/// spherical and free joints.
bool lwi_joint_range(const lw_model *m, int q, double *low, double *high);

#endif
