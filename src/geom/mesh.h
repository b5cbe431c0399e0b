// Triangle meshes, read from the bytes of STL and OBJ files.
#ifndef LWI_MESH_H
#define LWI_MESH_H

#include <linkwork/kinds.h>

#include <stdbool.h>

/// Triangles over vertices. An STL file gives each triangle vertices of its own.
typedef struct lwi_mesh {
    int nvertex, ntriangle;
    lw_vec3 *vertex; ///< [nvertex]
    int *triangle;   ///< [3 ntriangle] numbers of vertices, counter-clockwise from outside
    bool is_terrain; ///< a height field
} lwi_mesh;

typedef enum lwi_mesh_kind {
    LWI_MESH_OTHER, ///< of a kind that is not read here
    LWI_MESH_STL,   ///< binary or text, detected from content
    LWI_MESH_OBJ,
    LWI_MESH_NPY ///< an array of NumPy: heights over a grid, or points in three columns
} lwi_mesh_kind;

/// The kind that a file's name tells, in letters of either case.
lwi_mesh_kind lwi_mesh_kind_of(const char *name);

/// What is wrong with a mesh.
typedef struct lwi_mesh_fault {
    char text[120];
    int line; ///< 0 in a binary file
} lwi_mesh_fault;

/// Reads a mesh; LW_ERR_UNSUPPORTED for a kind that is not read here, unless the bytes are no mesh
/// of any kind but what Git LFS leaves in its place. Counts and numbers in the file are not
/// trusted: vertices that do not exist, counts that do not fit the size, and coordinates that are
/// not finite are refused. With a null mesh the bytes are only checked, and no memory is needed.
lw_status lwi_mesh_read(lwi_mesh_kind kind, const char *bytes, size_t size, lwi_mesh *mesh,
                        lwi_mesh_fault *fault);

/// The same, for those who only read it.
static inline lw_mesh lwi_mesh_view(const lwi_mesh *mesh)
{
    return (lw_mesh){mesh->nvertex, mesh->ntriangle, mesh->vertex, mesh->triangle,
                     mesh->is_terrain};
}

/// Heights over a grid of unit distances in the plane z = 0, as two triangles a cell; they face up.
/// @param height [ny * nx] row by row
/// @return LW_ERR_ARGUMENT below 2 points or above 2^26, LW_ERR_NUMBER where one is not finite
lw_status lwi_mesh_of_heights(int nx, int ny, const double *height, lwi_mesh *mesh);

void lwi_mesh_free(lwi_mesh *mesh);

#endif
