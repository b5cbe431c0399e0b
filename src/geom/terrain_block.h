// The ground that a sheet is the top of.
#ifndef LWI_TERRAIN_BLOCK_H
#define LWI_TERRAIN_BLOCK_H

#include "mesh.h"

/// A closed mesh of a sheet, scaled, of walls along z below its edges, and of a flat bottom, which
/// is as far below the lowest vertex as the box round the sheet is long. The bottom reaches from a
/// vertex at the edge to all of the edge.
/// @return LW_ERR_MEMORY, LW_ERR_ARGUMENT where there were more than 2^28 triangles
lw_status lwi_block_below(const lw_mesh *sheet, lw_vec3 scale, lwi_mesh *block);

#endif
