// How deep the origin is inside the difference of two cores.
#ifndef LWI_EXPAND_H
#define LWI_EXPAND_H

#include "simplex.h"

typedef struct lwi_depth {
    double inner, outer; ///< the depth is between these
    lw_vec3 normal;      ///< out of the difference, where it is `outer` deep: from a to b
    lw_vec3 point_a;     ///< of core a, on the nearest face
    int iterations;
} lwi_depth;

/// From a simplex that contains the origin, or nearly so: a depth below zero is a distance along
/// the normal. Grows a polytope inside of the difference until its nearest face is that of the
/// difference (van den Bergen 2001), or all nearer ones are in cones of directions that are known.
lwi_depth lwi_find_depth(const lwi_solid_pair *pair, const lwi_simplex *simplex,
                         const lw_distance_start *start, lw_distance_work *work);

#endif
