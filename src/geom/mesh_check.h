// Faults of a mesh that can be read, but is hardly the surface of a body.
#ifndef LWI_MESH_CHECK_H
#define LWI_MESH_CHECK_H

#include "mesh.h"

typedef struct lwi_mesh_surface {
    int ndegenerate; ///< triangles without area
    bool is_open;    ///< some edge belongs to an odd number of triangles
    bool is_mixed;   ///< closed, but neighbours disagree on which side is outside
    double volume;   ///< enclosed, where neither holds; negative where all triangles face inward
} lwi_mesh_surface;

/// Needs no memory: edges are compared by sums of hashes of their ends, so that an open mesh may
/// pass for a closed one with a probability of about 2^-64.
lwi_mesh_surface lwi_mesh_check(const lw_mesh *mesh);

/// Makes one vertex of those at the same place. LW_ERR_MEMORY, and the mesh as it was, if
/// allocation fails.
lw_status lwi_mesh_weld(lwi_mesh *mesh);

#endif
