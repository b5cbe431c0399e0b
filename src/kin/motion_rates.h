// How fast the motions of degrees of freedom change.
#ifndef LWI_MOTION_RATES_H
#define LWI_MOTION_RATES_H

#include "../model/data.h"

/// What the motions of the degrees of freedom of body i change by themselves, in world axes, beside
/// their rotation with the body: zero but for user joints. Needs the pose of the body.
void lwi_user_rates(const lw_model *m, const lw_data *d, const double *tree_q, const double *tree_v,
                    int i, lw_motion rate[LW_MAX_DOF]);

/// Column k of dG/dt at velocities v [nv], where dv_tree = G dv, into d->tree_a. Needs the velocity
/// sweep, whose d->tree_v it overwrites.
/// @param x,y [tree_nv] scratch
void lwi_closure_rate_column(const lw_model *m, lw_data *d, const double *v, int k, double *x,
                             double *y);

#endif
