// Ellipsoids of a frame: how fast, how strongly and how quickly it can go in each direction.
#ifndef LWI_ELLIPSOID_H
#define LWI_ELLIPSOID_H

#include "plan.h"

/// Numbers of scratch that lwi_ellipsoid_axes() needs.
size_t lwi_ellipsoid_space(const lw_model *m);

/// In how many directions joints can move a frame: the largest rank of those rows of the Jacobian
/// over random states. That of a planar arm is 2 however many joints it has, and at its singular
/// states too, where the last of its axes is zero.
/// @param q       [nq] scratch; the reference afterwards
/// @param scratch [lwi_ellipsoid_space()]
int lwi_ellipsoid_rank(const lw_model *m, lw_data *d, int frame, lwi_jacobian_part part,
                       double length, double *q, double *scratch);

/// Axes of an ellipsoid of a frame, the longest first; *count of them, as many as there are rows or
/// joints, and at most `rank` (lwi_ellipsoid_rank()).
///
///   velocity: J v with |v| <= 1           force: f with |J' f| <= 1
///   dynamic:  J M^-1 tau with |tau| <= 1, or |tau_i / limit_i| <= 1 where all joints have one
///
/// Free joints are held where they are: nothing drives them. Rotations count `length` metres per
/// radian in scaled ones, and moments that much less.
/// @param scratch [lwi_ellipsoid_space()]
lw_status lwi_ellipsoid_axes(const lw_model *m, lw_data *d, const double *q, int frame,
                             lw_frame_ellipsoid kind, lwi_jacobian_part part, double length,
                             int rank, double *scratch, double axis[6], int *count);

/// Whether all joints have limits of force, which then weigh dynamic ellipsoids.
bool lwi_has_force_limits(const lw_model *m);

#endif
