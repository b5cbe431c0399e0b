// Derivatives of a user joint's motion subspace, by differences of its callbacks.
#ifndef LWI_USER_H
#define LWI_USER_H

#include "world.h"

/// dS/dq_k [nv], in the coordinates of the body.
void lwi_user_motion_rate(const lw_user_joint *joint, const double *q, int k, lw_motion *rate);

/// Adds to the columns of a user joint what is due to the change of S (head of derivatives.c).
/// @param column [nv]
void lwi_user_columns(const lw_user_joint *joint, const lwi_state *at, const lwi_body *b,
                      const lwi_world_body *P, const lwi_world_body *B, lwi_column *column);

#endif
