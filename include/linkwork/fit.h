// linkwork/fit.h: meshes replaced by few spheres, capsules and boxes around them.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A mesh is cut into pieces until every piece, with what it encloses, is inside of a shape that
// reaches no farther from the mesh than a slack. So a contact of the mesh is one of the shapes, and
// what is farther from the mesh than the slack touches none of them. The shapes are the leaves of
// a tree of boxes, each around those inside of it.
#ifndef LINKWORK_FIT_H
#define LINKWORK_FIT_H

#include <linkwork/kinds.h>
#include <linkwork/math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_fit_options {
    double slack;      ///< m, above zero
    int most;          ///< shapes around pieces, 1 to 1024
    unsigned kinds;    ///< bits 1 << LW_SHAPE_BOX, LW_SHAPE_SPHERE and LW_SHAPE_CAPSULE
    bool allow_convex; ///< for lw_fit_shapes(): a mesh whose convex hull is within the slack is
                       ///< marked as convex instead
} lw_fit_options;

/// 1 cm, at most 64 shapes of all kinds, and convex hulls. Not real-time safe.
LW_API lw_fit_options lw_default_fit_options(void);

typedef struct lw_fitted_shape {
    lw_shape_type type;
    lw_vec3 size; ///< as lw_shape_type has it
    lw_pose X;    ///< in the frame of the mesh
    int outer;    ///< the box around it, which stands before it; -1 for none
    bool is_leaf; ///< around a piece of the mesh; else a box around others
} lw_fitted_shape;

typedef struct lw_fit {
    int nshape, nleaf;
    const lw_fitted_shape *shape; ///< [nshape]
    double slack; ///< no leaf reaches farther than this from the mesh: what was requested, or
                  ///< infinite where `most` shapes do not reach that, or where one shape does
                  ///< not and it is below 1e-3 of the size
} lw_fit;

/// Fits shapes to a mesh of triangles or points. Not real-time safe. Free with lw_fit_destroy().
/// @param scale   of the vertices
/// @param options null for the default
/// @return as lw_surface_create(); LW_ERR_ARGUMENT for options out of their ranges
LW_API lw_status lw_fit_mesh(const lw_mesh *mesh, lw_vec3 scale, const lw_fit_options *options,
                             lw_fit **fit);
LW_API void lw_fit_destroy(lw_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
