// The last digits of a distance of curved cores.
#ifndef LWI_NEWTON_H
#define LWI_NEWTON_H

#include "simplex.h"

/// Two points that are nearest to each other, and how far the cores are apart along their way;
/// where they overlap, the deepest two.
typedef struct lwi_near_points {
    lw_vec3 v, a;   ///< from the point of b to that of a, and the latter
    double lower;   ///< along the normal
    lw_vec3 normal; ///< from a to b
} lwi_near_points;

/// Whether the method knows both cores, and one of them is curved. A hull is b then.
bool lwi_has_curvature(const lwi_solid_pair *pair);

/// Corners of a hull, in its frame, with a point between them: one, or two ends of an edge, or
/// three of a face.
typedef struct lwi_corners {
    int n;
    lw_vec3 at[3];
} lwi_corners;

/// Those of b, if it is a hull, that a simplex has.
lwi_corners lwi_corners_of(const lwi_solid_pair *pair, const lwi_simplex *simplex);

/// From a way v between two points, of b and of a, near the wanted ones: of cores that are apart,
/// or of those that overlap, which are moved that far. What is returned is true in any case: points
/// of the cores, and a gap along a direction; v is zero where nothing was found.
lwi_near_points lwi_newton_points(const lwi_solid_pair *pair, lw_vec3 v, lw_vec3 on_a, lw_vec3 on_b,
                                  const lwi_corners *corners, bool is_overlap);

#endif
