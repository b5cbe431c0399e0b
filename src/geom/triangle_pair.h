// Distances of two triangles.
#ifndef LWI_TRIANGLE_PAIR_H
#define LWI_TRIANGLE_PAIR_H

#include <linkwork/geometry.h>

/// The distance of two triangles in one frame, where they are not proven to be farther apart than a
/// limit; false where they are. Triangles may have no area.
/// @param size no corner is farther than this from the origin
/// @param hint a unit vector along which they may be apart, or null
bool lwi_triangle_distance(const lw_vec3 a[3], const lw_vec3 b[3], const lw_vec3 *hint,
                           double limit, double size, lw_distance_work *work,
                           lw_distance *distance);

#endif
