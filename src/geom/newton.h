// The last digits of a distance of curved cores.
#ifndef LWI_NEWTON_H
#define LWI_NEWTON_H

#include "simplex.h"

/// Two points that are nearest to each other, and how far the cores are apart along their way.
typedef struct lwi_near_points {
    lw_vec3 v, a;   ///< from the point of b to that of a, and the latter
    double lower;   ///< along -normal
    lw_vec3 normal; ///< from a to b
} lwi_near_points;

/// Whether the method knows both cores, and one of them is curved.
bool lwi_has_curvature(const lwi_solid_pair *pair);

/// From the nearest point v of a simplex. What is returned is true in any case: points of the
/// cores, and a gap along a direction; v is zero where nothing was found.
lwi_near_points lwi_newton_points(const lwi_solid_pair *pair, const lwi_simplex *simplex,
                                  lw_vec3 v);

#endif
