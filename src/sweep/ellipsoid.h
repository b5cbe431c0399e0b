// Ellipsoids of a frame: how fast, how strongly and how quickly it can go in each direction.
#ifndef LWI_ELLIPSOID_H
#define LWI_ELLIPSOID_H

#include "plan.h"

/// Numbers of scratch that lwi_ellipsoid_axes() needs.
size_t lwi_ellipsoid_space(const lw_model *m);

/// Axes of an ellipsoid of a frame, the longest first; *count of them, as many as there are rows or
/// joints.
///
///   velocity: J v with |v| <= 1           force: f with |J' f| <= 1
///   dynamic:  J M^-1 tau with |tau| <= 1, or |tau_i / limit_i| <= 1 where all joints have one
///
/// Free joints are held where they are: nothing drives them. Rotations count `length` metres per
/// radian in scaled ones, and moments that much less.
/// @param scratch [lwi_ellipsoid_space()]
lw_status lwi_ellipsoid_axes(const lw_model *m, lw_data *d, const double *q, int frame,
                             lw_frame_ellipsoid kind, lwi_jacobian_part part, double length,
                             double *scratch, double axis[6], int *count);

/// Whether all joints have limits of force, which then weigh dynamic ellipsoids.
bool lwi_has_force_limits(const lw_model *m);

#endif
