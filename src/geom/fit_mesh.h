// Whether solids are within a slack of a mesh.
#ifndef LWI_FIT_MESH_H
#define LWI_FIT_MESH_H

#include <linkwork/fit.h>

/// Whether the convex hull of a mesh reaches no farther from it than a slack; also false where
/// memory is short.
bool lwi_fits_convex(const lw_mesh *mesh, lw_vec3 scale, double slack);

#endif
