// Derivatives of a user joint's motion subspace and bias, by differences of its callbacks.
#ifndef LWI_USER_RATE_H
#define LWI_USER_RATE_H

#include <linkwork/kinds.h>

/// dS/dq_k [nv], in the coordinates of the body.
void lwi_user_motion_rate(const lw_user_joint *joint, const double *q, int k, lw_motion *rate);

/// Derivative of the bias by q_k; the joint must have one.
lw_motion lwi_user_bias_rate(const lw_user_joint *joint, const double *q, const double *v, int k);

/// Derivative of the bias by v_k; the joint must have one.
lw_motion lwi_user_bias_by_velocity(const lw_user_joint *joint, const double *q, const double *v,
                                    int k);

#endif
