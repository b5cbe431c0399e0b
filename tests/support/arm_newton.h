// Newton's method on the pose of an arm, written without regard to speed: an independent check of
// the library's, which works on several candidates side by side.
#ifndef ARM_NEWTON_H
#define ARM_NEWTON_H

#include "ik/arm.h"

/// How far the tip is from a pose, in the rows of the task: metres, and radians times `length`.
double arm_residual(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, const lwi_angle *q,
                    double length);

/// At most `steps` of Newton's method, or of Gauss and Newton's where joints and rows are not six;
/// stops where a step gains nothing. Joints whose bit is set in `fixed` stay. Returns the residual.
double arm_refine(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, double length,
                  unsigned fixed, int steps, lwi_angle *q);

#endif
