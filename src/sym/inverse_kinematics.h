// Inverse kinematics as equations: all solutions of an arm, from the pose of a frame.
#ifndef LWI_INVERSE_KINEMATICS_H
#define LWI_INVERSE_KINEMATICS_H

#include "symbolic_model.h"

/// Solutions that the equations give, real or not: 8, or 16 where the model has a planar loop,
/// which may double them.
int lwi_inverse_rows(const lw_model *m);

/// Fills out [lwi_inverse_rows() * (nq + 1)] from the symbols LWI_POSE: rows of joint positions,
/// then 1 where the roots are real and 0 where they are not. LW_ERR_UNSUPPORTED, with a diagnostic
/// that names the class, where it is none of those that have equations.
lw_status lwi_derive_inverse_kinematics(lwi_symbolic *k, int frame, lwi_expr *out);

/// The pose of a frame in the world by its chain of joints: rotation row by row, then position.
lw_status lwi_pose_of_frame(const lw_model *m, int frame, const double *q, double X[12]);

#endif
