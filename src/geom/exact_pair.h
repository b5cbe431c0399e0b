// Pairs of cores whose nearest points are known in closed form.
#ifndef LWI_EXACT_PAIR_H
#define LWI_EXACT_PAIR_H

#include "support.h"

/// What a method found for two cores, in the frame of the first.
typedef struct lwi_core_distance {
    double lower, upper; ///< without rounding errors
    lw_vec3 normal;      ///< from a to b
    lw_vec3 point_a, point_b;
    int iterations;
} lwi_core_distance;

/// Points and segments.
lwi_core_distance lwi_segments_distance(const lwi_solid_pair *pair);
/// A point and a box.
lwi_core_distance lwi_point_box_distance(const lwi_solid_pair *pair);
/// A segment and a box; lower is minus infinity where they overlap or nearly touch.
lwi_core_distance lwi_segment_box_distance(const lwi_solid_pair *pair);
/// A point and a cylinder or cone.
lwi_core_distance lwi_point_round_distance(const lwi_solid_pair *pair);
/// A point and an ellipsoid with radii that are not zero.
lwi_core_distance lwi_point_ellipsoid_distance(const lwi_solid_pair *pair);
/// Segments and cylinders that overlap, with axes that are parallel or nearly so: the interval is
/// as wide as the square of the angle where they are not. False for others.
bool lwi_parallel_depth(const lwi_solid_pair *pair, lwi_core_distance *r);
/// Anything and a half-space.
lwi_core_distance lwi_half_space_distance(const lwi_solid_pair *pair);

#endif
