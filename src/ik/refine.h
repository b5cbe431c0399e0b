// Newton's method on the pose of an arm: the last digits of a solution, and those of arms that are
// only nearly of the class whose closed form found it.
#ifndef LWI_REFINE_H
#define LWI_REFINE_H

#include "arm.h"

/// How far the tip is from a pose, in the rows of the task: metres, and radians times `length`.
double lwi_arm_residual(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, const lwi_angle *q,
                        double length);

/// At most `steps` of Newton's method, or of Gauss and Newton's where joints and rows are not six;
/// stops where a step gains nothing. Joints whose bit is set in `fixed` stay. Returns the residual.
double lwi_arm_refine(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, double length,
                      unsigned fixed, int steps, lwi_angle *q);

#endif
