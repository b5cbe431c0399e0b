// The numeric inverse kinematics of KDL, for bench_search: its two solvers of positions.
#ifndef BENCH_IK_KDL_H
#define BENCH_IK_KDL_H

#include <linkwork/linkwork.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A chain with both solvers, each made once, as its users do.
typedef struct ik_kdl ik_kdl;

/// The chain that linkwork found between the frames.
/// @param lower, upper [njoint] limits
/// @param tolerance    of each component of the pose, m and rad
ik_kdl *ik_kdl_create(const lw_ik_info *chain, const double *lower, const double *upper,
                      double tolerance);
void ik_kdl_destroy(ik_kdl *kdl);

/// ChainIkSolverPos_NR_JL: Newton-Raphson that cuts steps off at the limits, 100 iterations.
void ik_kdl_newton(ik_kdl *kdl, const lw_pose *X_BT, const double *seed, double *q);

/// ChainIkSolverPos_LMA: Levenberg-Marquardt without limits, 500 iterations.
void ik_kdl_marquardt(ik_kdl *kdl, const lw_pose *X_BT, const double *seed, double *q);

/// ChainFkSolverPos_recursive: the position of the tip.
lw_vec3 ik_kdl_position(ik_kdl *kdl, const double *q);

#ifdef __cplusplus
}
#endif
#endif
