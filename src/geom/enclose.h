// How far one solid reaches out of another, and boxes around solids.
#ifndef LWI_ENCLOSE_H
#define LWI_ENCLOSE_H

#include <linkwork/geometry.h>

/// How far a point lies outside of a solid, in the solid's frame; below zero inside, but for the
/// errors of the distance, which are added.
double lwi_point_outside(const lw_solid *outer, lw_vec3 p, lw_distance_work *work);

/// How far `inner` reaches out of `outer`, each in a frame of its own; below zero where it is
/// inside. Rims are replaced by polygons: around them, so that the result is no less than the true
/// one, or inside, so that it is no more.
double lwi_solid_outside(const lw_solid *outer, const lw_pose *X_outer, const lw_solid *inner,
                         const lw_pose *X_inner, bool is_around, lw_distance_work *work);

/// The box along the axes of the frame in which the solid has a pose.
void lwi_solid_box(const lw_solid *solid, const lw_pose *X, lw_vec3 *low, lw_vec3 *high);

#endif
