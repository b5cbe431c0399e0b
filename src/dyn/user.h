// Columns of user joints whose motion subspace changes.
#ifndef LWI_USER_H
#define LWI_USER_H

#include "../model/user_rate.h"
#include "world.h"

/// Adds to the columns of a user joint what is due to the change of S (head of derivatives.c).
/// @param column [nv]
void lwi_user_columns(const lw_user_joint *joint, const lwi_state *at, const lwi_body *b,
                      const lwi_world_body *P, const lwi_world_body *B, lwi_column *column);

#endif
