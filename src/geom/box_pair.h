// Two boxes: the axis along which they are farthest apart, or least deep.
#ifndef LWI_BOX_PAIR_H
#define LWI_BOX_PAIR_H

#include "support.h"

typedef struct lwi_box_axis {
    double gap;     ///< along the normal; where no gap is positive the largest is their distance
    double slack;   ///< an axis that rounding has spoilt may have up to this much more
    lw_vec3 normal; ///< from a to b
    int edge[2];    ///< of a and of b that it is across; -1 where it is the normal of a face
} lwi_box_axis;

/// Over the normals of all faces, and the directions across an edge of each.
lwi_box_axis lwi_box_pair_axis(const lwi_solid_pair *pair);

/// Two points that prove that the boxes are no farther apart than along the axis; false where they
/// are, and where that is not easily seen.
bool lwi_box_pair_points(const lwi_solid_pair *pair, const lwi_box_axis *axis, lw_vec3 *point_a,
                         lw_vec3 *point_b);

/// Two points of boxes that are apart, each the nearest of its box to the other where a few steps
/// lead there. So they do where one of them is a corner: where none is, and the other is not on a
/// face beside it, the nearest points are on edges that cross, whose axis has the largest gap.
void lwi_box_pair_corners(const lwi_solid_pair *pair, const lwi_box_axis *axis, lw_vec3 *point_a,
                          lw_vec3 *point_b);

/// Whether two boxes in the world are farther apart than a margin: by the balls around them, then
/// by their axes. A segment is a box without width. What is not proven by one axis, or by all of
/// them, is uncertain, and so is all where the margin is deeper than both radii.
/// @param skew by how much either matrix is not orthonormal at the most
lw_verdict lwi_box_pair_verdict(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                const lw_pose *X_b, double margin, double skew);

#endif
