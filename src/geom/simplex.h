// The point of a simplex that is nearest to the origin.
#ifndef LWI_SIMPLEX_H
#define LWI_SIMPLEX_H

#include "support.h"

/// Up to four points of a difference of cores, and weights that make the nearest point of them.
typedef struct lwi_simplex {
    int n;
    lwi_difference at[4];
    double weight[4]; ///< none negative; their sum is one
} lwi_simplex;

/// Leaves the points that the nearest one is a combination of, with their weights, and returns it.
lw_vec3 lwi_simplex_nearest(lwi_simplex *simplex);

/// The same for the points alone: which of the n count, one bit each, with their weights.
typedef struct lwi_nearest {
    unsigned counts;
    double weight[4];
    lw_vec3 v;
    double vv;
} lwi_nearest;

lwi_nearest lwi_nearest_of(const lw_vec3 *w, int n);

/// The unit normal of a triangle with these two edges, across the longer of them to the last digit:
/// the cross product of a needle is not.
lw_vec3 lwi_triangle_normal(lw_vec3 u, lw_vec3 v);

/// How far the origin is inside of a tetrahedron at the least, whatever rounding did to its points;
/// negative where that is not proven, and where there are fewer than four points.
double lwi_simplex_depth(const lwi_simplex *simplex, double rounding);

/// Combination with the weights, on the first core.
lw_vec3 lwi_simplex_point_a(const lwi_simplex *simplex);

#endif
