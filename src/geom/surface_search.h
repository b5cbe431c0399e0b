// A surface as it is stored: triangles or points in the order of the leaves of a tree of boxes.
#ifndef LWI_SURFACE_SEARCH_H
#define LWI_SURFACE_SEARCH_H

#include <linkwork/surface.h>

#include "box_tree.h"

#include <math.h>

/// A box round triangles or points, along the axes of their spread.
typedef struct lwi_oriented_node {
    lw_mat3 R; ///< its rows are the sides of the box, in the frame of the surface
    lw_vec3 center, half;
    int child;       ///< as of lwi_box_node
    int item, count; ///< of a leaf, its triangles or points
} lwi_oriented_node;

struct lw_surface {
    lw_surface_info info;
    lw_surface_side side;
    int ncorner;             ///< 3 of a triangle, 1 of a point
    lw_vec3 *corner;         ///< [ncorner * nitem]
    lwi_oriented_node *node; ///< [2 nitem - 1] root first
    int npiece;
    lw_vec3 *piece; ///< [npiece] a point of each connected piece
};

/// The box round points along the axes of their spread.
void lwi_fit_box(const lw_vec3 *point, int count, lwi_oriented_node *node);

/// How far a box with half sides h reaches along axes that its own are the rows of R in, and, by
/// lwi_spread(), along the rows.
static inline lw_vec3 lwi_spread_back(const lw_mat3 *R, lw_vec3 h)
{
    const lw_vec3 x = R->row[0], y = R->row[1], z = R->row[2];
    return lw_vec3_of(fabs(x.x) * h.x + fabs(y.x) * h.y + fabs(z.x) * h.z,
                      fabs(x.y) * h.x + fabs(y.y) * h.y + fabs(z.y) * h.z,
                      fabs(x.z) * h.x + fabs(y.z) * h.y + fabs(z.z) * h.z);
}

static inline lw_vec3 lwi_spread(const lw_mat3 *R, lw_vec3 h)
{
    const lw_vec3 x = R->row[0], y = R->row[1], z = R->row[2];
    return lw_vec3_of(fabs(x.x) * h.x + fabs(x.y) * h.y + fabs(x.z) * h.z,
                      fabs(y.x) * h.x + fabs(y.y) * h.y + fabs(y.z) * h.z,
                      fabs(z.x) * h.x + fabs(z.y) * h.y + fabs(z.z) * h.z);
}

/// Whether a point, in the frame of the surface, is inside of it.
bool lwi_is_inside_surface(const lw_surface *surface, lw_vec3 p);

#endif
