// An arm as its joint axes in space at zero position, the form in which inverse kinematics sees a
// chain: no link frames, no Denavit-Hartenberg parameters.
#ifndef LWI_ARM_H
#define LWI_ARM_H

#include <linkwork/math.h>

#include <stdbool.h>

enum { LWI_ARM_JOINTS = 8 };

typedef struct lwi_arm {
    int n;
    bool slides[LWI_ARM_JOINTS]; ///< prismatic joints; the others are revolute
    lw_vec3 h[LWI_ARM_JOINTS];   ///< unit axes at zero position, in the base frame
    lw_vec3 c[LWI_ARM_JOINTS];   ///< a point on each axis at zero position, in the base frame
    lw_pose X_BT;                ///< the tip at zero position, in the base frame
} lwi_arm;

/// What of the tip a target prescribes.
typedef enum lwi_ik_rows {
    LWI_ROWS_POSE,     ///< position and orientation
    LWI_ROWS_POSITION, ///< position alone
    LWI_ROWS_DIRECTION ///< position, and the direction of the tip's z axis
} lwi_ik_rows;

/// Sine and cosine of a joint angle; of a prismatic joint s is its position.
typedef struct lwi_angle {
    double s, c;
} lwi_angle;

/// R(k, angle) p for a unit axis k, Rodrigues' formula.
static inline lw_vec3 lwi_rotate_about(lw_vec3 k, lwi_angle a, lw_vec3 p)
{
    const lw_vec3 x = lw_cross3(k, p);
    const double along = (1.0 - a.c) * lw_dot3(k, p);
    const lw_vec3 r = {a.c * p.x + a.s * x.x + along * k.x, a.c * p.y + a.s * x.y + along * k.y,
                       a.c * p.z + a.s * x.z + along * k.z};
    return r;
}

/// The pose of the tip at these joint angles.
lw_pose lwi_arm_pose(const lwi_arm *arm, const lwi_angle *q);

/// The same arm seen from its tip: joints in reverse order, the same joint positions. A pose X of
/// the arm is the inverse of X for the reversed one.
lwi_arm lwi_arm_reversed(const lwi_arm *arm);

/// The angle between two axes, whichever way they point.
double lwi_axis_angle(const lwi_arm *arm, int i, int j);

/// The points of two axes that are nearest to each other, and how far these are apart. Of parallel
/// axes that are the given point of the first, and its foot on the second.
double lwi_axis_distance(const lwi_arm *arm, int i, int j, lw_vec3 *on_i, lw_vec3 *on_j);

/// Length of the arm, m: distances between neighbouring axes, and offsets along axes. Never zero.
double lwi_arm_length(const lwi_arm *arm);

#endif
