// The distance of two cores by the method of Gilbert, Johnson and Keerthi.
#ifndef LWI_GJK_H
#define LWI_GJK_H

#include "simplex.h"

typedef struct lwi_gjk {
    lwi_simplex simplex; ///< its nearest point is that of the difference, or the origin
    lw_vec3 v;           ///< that point: from b to a
    bool is_overlap;     ///< the simplex contains the origin
    double lower;        ///< the cores are at least as far apart as this along `normal`
    lw_vec3 normal;      ///< from a to b, where lower > 0
    int iterations;
} lwi_gjk;

/// Relative to the size: where both ends of the interval meet this closely, no step is worth it.
#define LWI_CLOSE 1e-10

/// Where it is enough to know that the cores are nearer, or farther apart.
typedef struct lwi_gjk_limits {
    double near, far;
} lwi_gjk_limits;

/// From a first direction, which is not zero. At most 64 iterations.
/// @param start directions to begin with in its place, and then those it ended with; or null
lwi_gjk lwi_gjk_run(const lwi_solid_pair *pair, lw_vec3 direction, const lwi_gjk_limits *limits,
                    lw_distance_start *start);

#endif
