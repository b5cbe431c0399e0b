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

/// Combinations with the weights.
lw_vec3 lwi_simplex_point(const lwi_simplex *simplex);
lw_vec3 lwi_simplex_point_a(const lwi_simplex *simplex);

#endif
