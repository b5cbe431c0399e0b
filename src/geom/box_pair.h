// Two boxes: the axis along which they are farthest apart, or least deep.
#ifndef LWI_BOX_PAIR_H
#define LWI_BOX_PAIR_H

#include "support.h"

typedef struct lwi_box_axis {
    double gap;     ///< along the normal; where no gap is positive the largest is their distance
    double slack;   ///< an axis that rounding has spoilt may have up to this much more
    lw_vec3 normal; ///< from a to b
} lwi_box_axis;

/// Over the normals of all faces, and the directions across an edge of each.
lwi_box_axis lwi_box_pair_axis(const lwi_solid_pair *pair);

#endif
