// Two solids as distances are computed: in the frame of the first, without their rounding.
#ifndef LWI_SUPPORT_H
#define LWI_SUPPORT_H

#include <linkwork/geometry.h>

/// A point of the difference of two cores, a - b, and the point a of the first.
typedef struct lwi_difference {
    lw_vec3 w, a;
} lwi_difference;

typedef struct lwi_solid_pair {
    const lw_solid *a, *b;
    lw_pose X;       ///< the frame of b in that of a
    double size;     ///< no point of either core is farther than this from the origin of a
    double rounding; ///< bound of the errors of a support's height, m
} lwi_solid_pair;

/// The farthest point of a core in a direction of any length but zero, in its own frame.
lw_vec3 lwi_support(const lw_solid *solid, lw_vec3 direction);

/// The largest distance of a point of the core from the origin of its frame.
double lwi_core_size(const lw_solid *solid);

/// The farthest point of the difference of the cores in a direction.
lwi_difference lwi_support_pair(const lwi_solid_pair *pair, lw_vec3 direction);

#endif
