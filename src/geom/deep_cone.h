// How deep two curved cores overlap, in all directions about the deepest two points.
#ifndef LWI_DEEP_CONE_H
#define LWI_DEEP_CONE_H

#include "newton.h"

/// Directions about a normal, in all of which the cores overlap at least so deep.
typedef struct lwi_deep_cone {
    lw_vec3 normal;
    double depth;
    double cosine; ///< of half the angle; 2 where nothing is proven
} lwi_deep_cone;

/// About the deepest two points that lwi_newton_points() has found of cores that overlap.
/// @param corners of b, that one of them is between, if b is a hull
lwi_deep_cone lwi_deep_cone_about(const lwi_solid_pair *pair, const lwi_near_points *deepest,
                                  const lwi_corners *corners);

#endif
