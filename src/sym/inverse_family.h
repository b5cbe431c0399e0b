// Which chains have inverse kinematics as equations (inverse_kinematics.h).
#ifndef LWI_INVERSE_FAMILY_H
#define LWI_INVERSE_FAMILY_H

#include "../ik/solve.h"

typedef enum lwi_inverse_family {
    LWI_FAMILY_NONE,
    LWI_FAMILY_SPHERICAL, ///< six revolute joints with a spherical wrist, in either order
    LWI_FAMILY_PARALLEL,  ///< three parallel axes, the last two of six intersect
    LWI_FAMILY_SLIDING,   ///< Stanford type
    LWI_FAMILY_SCARA,
    LWI_FAMILY_LEVEL ///< palletiser type: level_chain.h
} lwi_inverse_family;

/// The family of a chain, and its arm as the equations of the family see it.
lwi_inverse_family lwi_inverse_family_of(const lw_ik *ik, lwi_arm *arm);

/// Reports that there are no equations, and why.
lw_status lwi_refuse_inverse(const lw_ik *ik, int frame, lw_report *report);

#endif
