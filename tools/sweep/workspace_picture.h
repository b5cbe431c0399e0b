// A section through a workspace as SVG.
#ifndef WORKSPACE_PICTURE_H
#define WORKSPACE_PICTURE_H

#include <linkwork/workspace_boundary.h>
#include <linkwork/workspace_map.h>

/// Cells of the map that the plane cuts, darker where they are better, the boundary, barriers and
/// the largest square. Complains and returns an exit code.
/// @param boundary or NULL
/// @param measure  what the map has of samples
/// @param plane    0 xz, 1 yz, 2 xy
int workspace_picture(const char *path, const lw_workspace_map *map, const lw_boundary *boundary,
                      const char *measure, int plane, double at);

#endif
