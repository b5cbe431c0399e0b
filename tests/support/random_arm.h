// Arms with random axes, their joints, and how far two sets of joints are apart.
#ifndef RANDOM_ARM_H
#define RANDOM_ARM_H

#include "ik/arm.h"

lwi_angle angle_of(double q);

/// A vector with components between -1 and 1.
lw_vec3 random_vector(void);

/// An arm with n revolute joints about random axes, and a random tip.
lwi_arm random_axes(int n);

/// Any angle of a revolute joint; a prismatic one within 1 m.
void random_joints(const lwi_arm *arm, lwi_angle *q);

/// The largest distance of two joints, as points on the unit circle.
double joints_apart(int n, const lwi_angle *a, const lwi_angle *b);

#endif
