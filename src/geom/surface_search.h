// A surface as it is stored: triangles or points in the order of the leaves of a tree of boxes.
#ifndef LWI_SURFACE_SEARCH_H
#define LWI_SURFACE_SEARCH_H

#include <linkwork/surface.h>

#include "wide_tree.h"

struct lw_surface {
    lw_surface_info info;
    bool is_solid;        ///< what it encloses counts
    int ncorner;          ///< 3 of a triangle, 1 of a point
    lw_vec3 *corner;      ///< [ncorner * nitem]
    lwi_oriented_box box; ///< round all
    int nnode;
    lwi_wide_node *node; ///< [nnode] from the middle of the box; the root first
    int npiece;
    lw_vec3 *piece; ///< [npiece] a point of each connected piece
};

/// Whether a point, in the frame of the surface, is inside of it.
bool lwi_is_inside_surface(const lw_surface *surface, lw_vec3 p);

#endif
