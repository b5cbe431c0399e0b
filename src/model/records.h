// Records of the scratch in which derivatives, sensitivities and regressors work (dyn/world.h).
#ifndef LWI_RECORDS_H
#define LWI_RECORDS_H

#include <linkwork/math.h>

/// Two numbers that are computed side by side; any GCC or Clang target has it, by two scalars where
/// it must.
typedef double lwi_pair __attribute__((vector_size(2 * sizeof(double))));

typedef struct lwi_pair3 {
    lwi_pair x, y, z;
} lwi_pair3;

/// Two motions, or two forces.
typedef struct lwi_pair6 {
    lwi_pair3 ang, lin;
} lwi_pair6;

/// One body, along the axes of the world, about the origin of the root it hangs on.
typedef struct lwi_world_body {
    lw_pose X;          ///< axes and origin of the body
    lw_motion vel, acc; ///< spatial velocity and acceleration; weight is an upward acceleration
} lwi_world_body;

/// One freedom, likewise. Lane 0 belongs to a derivative by q, lane 1 to one by v.
typedef struct lwi_column {
    lwi_pair6 u;   ///< psi and S: what the freedom adds to the velocity of all bodies behind it
    lwi_pair6 w;   ///< chi and eta: what it adds to their acceleration
    lwi_pair S[3]; ///< S once more, in a row
    int before;    ///< freedom before it on the way to the world, -1 for none
} lwi_column;

/// All bodies behind a joint taken as one, likewise.
typedef struct lwi_composite {
    double mass;
    lw_vec3 first_moment;
    lw_sym3 tensor;
    lw_mat3 B;  ///< twice the sum of r.u 1 - u r' over all mass, at r with velocity u
    lw_vec3 p2; ///< twice the momentum
    lw_force f; ///< force through the joint
} lwi_composite;

/// All loads along the axes of the world that act behind a joint.
typedef struct lwi_load_sum {
    lw_mat3 L; ///< sum of r.f 1 - f r' - [t]x over forces f at r and moments t
    lw_vec3 f;
} lwi_load_sum;

/// A tree coordinate as a function of one independent coordinate.
typedef struct lwi_lift {
    int index;                   ///< the independent coordinate
    double first, second, third; ///< derivatives by it
} lwi_lift;

#endif
