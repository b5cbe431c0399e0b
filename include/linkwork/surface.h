// linkwork/surface.h: triangle meshes, height fields and clouds of points, and how far they are
// from solids and from each other.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A surface is searched by a tree of boxes. Its distances are those of linkwork/geometry.h: signed,
// with an interval that contains the exact one. Where a surface overlaps with something, how deep
// it does is known within bounds only: the upper end of the interval is proven by one pair of
// triangles, the lower end by the boxes around the whole.
#ifndef LINKWORK_SURFACE_H
#define LINKWORK_SURFACE_H

#include <linkwork/geometry.h>
#include <linkwork/kinds.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is inside of a surface, and so in contact without touching a triangle.
typedef enum lw_surface_side {
    LW_SIDE_ENCLOSED = 0, ///< what it encloses, where it is closed; nothing where it is open
    LW_SIDE_BELOW = 1,    ///< what is below it, along z of its frame: terrain. Walls below its edge
                       ///< and a flat bottom close it, as deep as the box round it is long; where
                       ///< the edge is not convex the bottom may reach beyond it
    LW_SIDE_NONE = 2 ///< nothing: a sheet
} lw_surface_side;

typedef struct lw_surface_options {
    lw_vec3 scale; ///< of the vertices; below zero it mirrors
    double radius; ///< of the rounding, m
    lw_surface_side side;
} lw_surface_options;

/// Scale 1, no rounding, LW_SIDE_ENCLOSED.
LW_API lw_surface_options lw_default_surface_options(void);

typedef struct lw_surface lw_surface;

/// Makes a surface of a mesh, which is copied; of its vertices where it has no triangles. Not
/// real-time safe.
/// @param options may be null
/// @return LW_ERR_NUMBER where a coordinate is not finite or is above 1e50 m, LW_ERR_ARGUMENT for a
///         mesh without vertices, a vertex that does not exist, or a negative radius, LW_ERR_MEMORY
LW_API lw_status lw_surface_create(const lw_mesh *mesh, const lw_surface_options *options,
                                   lw_surface **surface);

/// Makes a surface of heights over a grid in the plane z = 0: two triangles a cell, split along the
/// diagonal from (i, j) to (i + 1, j + 1). Not real-time safe.
/// @param nx,ny   points along x and y, at least 2
/// @param height  [ny * nx] row by row along y; the first at the origin
/// @param options scale.x and scale.y are the distances of the points
/// @return as lw_surface_create(): a hole, which is not a number, is refused
LW_API lw_status lw_surface_create_heights(int nx, int ny, const double *height,
                                           const lw_surface_options *options, lw_surface **surface);

/// Frees it. Not real-time safe.
LW_API void lw_surface_destroy(lw_surface *surface);

typedef struct lw_surface_info {
    int nitem;      ///< triangles, walls and bottom included, or points where it has no triangles
    bool is_closed; ///< it encloses a volume
    double size;    ///< no point of it is farther than this from the origin of its frame
    double radius;
    lw_vec3 low, high; ///< box around it, without the rounding
} lw_surface_info;

/// What there is. Real-time safe.
LW_API lw_surface_info lw_surface_describe(const lw_surface *surface);

/// How to search.
typedef struct lw_search {
    double cutoff;      ///< m: what is proven to be farther apart is not found; may be infinite
    double stop;        ///< m: a pair that is proven to be as near ends the search; 0 for distances
    bool is_exhaustive; ///< every triangle is compared, without the trees
    int boxes, items;   ///< of the search: pairs of boxes and of triangles that were compared
} lw_search;

/// A search for distances: without a cut-off, until an overlap is proven. Real-time safe.
LW_API lw_search lw_default_search(void);

/// The distance of two surfaces with their poses in the world. Real-time safe; the time depends on
/// the surfaces, and the stack does not.
/// @param distance set where the result is true; iterations counts pairs of triangles
/// @param is_found whether they are not proven to be farther apart than the cut-off
/// @return as lw_find_distance()
LW_API lw_status lw_find_surface_distance(const lw_surface *a, const lw_pose *X_a,
                                          const lw_surface *b, const lw_pose *X_b,
                                          lw_search *search, lw_distance_work *work,
                                          lw_distance *distance, bool *is_found);

/// The same of a surface and a solid. Real-time safe.
LW_API lw_status lw_find_surface_solid_distance(const lw_surface *a, const lw_pose *X_a,
                                                const lw_solid *b, const lw_pose *X_b,
                                                lw_search *search, lw_distance_work *work,
                                                lw_distance *distance, bool *is_found);

#ifdef __cplusplus
}
#endif
#endif
