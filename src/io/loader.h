// The files of one load.
#ifndef LWI_LOADER_H
#define LWI_LOADER_H

#include "../base/name_table.h"
#include "../geom/mesh.h"
#include "format.h"

typedef enum lwi_file_state {
    LWI_FILE_NEW,     ///< known by name only
    LWI_FILE_WAITING, ///< read, but files that it mounts were not
    LWI_FILE_DONE     ///< its description is made, or it failed
} lwi_file_state;

/// A model file.
typedef struct lwi_file {
    lwi_load_context context;
    const char *real; ///< its path with all links followed; tells files apart
    lwi_file_state state;
    lw_status status; ///< once it is done
    int mounted_by;   ///< the file that requested it first, or the last one before it was read
    int depth;        ///< 0 for the first
    lwi_xml_doc *doc; ///< while it waits
    lw_mech *mech;    ///< once it is done
} lwi_file;

/// Faults of meshes that are counted, and reported once each when all files are read.
enum { LWI_MESH_EMPTY, LWI_MESH_DEGENERATE, LWI_MESH_OPEN, LWI_MESH_INSIDE_OUT, LWI_MESH_TALLIES };

/// How many meshes have a fault, the first of them, and where that is named.
typedef struct lwi_mesh_tally {
    int count;
    const char *first;
    lw_location location;
} lwi_mesh_tally;

/// A mesh that was looked for.
typedef struct lwi_found_mesh {
    const char *path; ///< null where it was not found, or cannot be used
    lwi_mesh data;    ///< empty where it is of a kind that is not read
} lwi_found_mesh;

/// A mesh that was not found.
typedef struct lwi_lost_mesh {
    const char *reference;
    lw_location location;
    bool has_package; ///< the package was, without it
} lwi_lost_mesh;

struct lwi_loader {
    lw_load_options options;
    lwi_arena arena;
    lwi_names file_names, mesh_names;
    lwi_file **file; ///< [nfile]
    int nfile, file_room;
    int *stack; ///< files that wait or are to be read; the last one is read next
    int nstack, stack_room;
    int current;          ///< the file that is read
    lwi_found_mesh *mesh; ///< [nmesh]
    int nmesh, mesh_room;
    lwi_mesh_tally tally[LWI_MESH_TALLIES];
    lwi_lost_mesh *lost; ///< [nlost]
    int nlost, lost_room;
    size_t mesh_bytes; ///< looked into so far
};

/// Forgets the meshes that were found from number `first` on.
void lwi_forget_meshes(lwi_loader *loader);

/// Reports the faults of meshes that were counted.
void lwi_report_meshes(const lwi_loader *loader, lw_report *report);

#endif
