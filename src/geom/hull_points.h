// The points of a convex hull that matter.
#ifndef LWI_HULL_POINTS_H
#define LWI_HULL_POINTS_H

#include <linkwork/geometry.h>
#include <linkwork/kinds.h>

/// The convex hull of a mesh as a solid with few points, and rounded by as much as the others are
/// outside of these: at most 1e-6 of its size.
/// @param point [nvertex] memory for its points
lw_solid lwi_hull_of_mesh(const lw_mesh *mesh, lw_vec3 scale, lw_vec3 *point,
                          lw_distance_work *work);

#endif
