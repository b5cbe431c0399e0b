// Columns of user joints whose motion subspace changes.
#ifndef LWI_USER_H
#define LWI_USER_H

#include "../loop/user_rate.h"
#include "world.h"

/// What is due to the change of S along degree of freedom k (head of derivatives.c) is added to
/// psi, chi and eta.
void lwi_user_column(const lw_user_joint *joint, const lwi_state *at, const lwi_segment *b,
                     const lwi_world_body *P, const lwi_world_body *B, int k, lw_motion *psi,
                     lw_motion *chi, lw_motion *eta);

#endif
