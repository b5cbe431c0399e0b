// An arm as frames on its joint axes, in which every joint acts about or along z: forward
// kinematics in the fewest operations.
#ifndef LWI_FRAMES_H
#define LWI_FRAMES_H

#include "arm.h"

/// The pose of the tip is W[0] Z(q_0) W[1] ... Z(q_{n-1}) W[n], Z a rotation about z or a
/// displacement along it.
typedef struct lwi_frames {
    int n;
    bool slides[LWI_ARM_JOINTS];
    lw_pose W[LWI_ARM_JOINTS + 1];
} lwi_frames;

lwi_frames lwi_frames_of(const lwi_arm *arm);

/// Which candidates Newton's method is for, and where it ends.
typedef struct lwi_refine_def {
    double good;   ///< residuals up to here stay as they are
    double most;   ///< residuals beyond are given up
    int steps;     ///< at most
    unsigned held; ///< bit i: joint i keeps its position
} lwi_refine_def;

/// Where a configuration is against its target, for the numeric solver. Columns and error have the
/// rotation in 0 to 2 and the displacement in 4 to 6; 3 and 7 are zero.
typedef struct lwi_posture {
    double J[LWI_ARM_JOINTS][8]; ///< by joints
    double e[8];                 ///< toward the target
} lwi_posture;

#endif
