// The files of one load.
#ifndef LWI_LOADER_H
#define LWI_LOADER_H

#include "../base/names.h"
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
    int mounted_by;   ///< the file that asked for it first, or the last one before it was read
    int depth;        ///< 0 for the first
    lwi_xml_doc *doc; ///< while it waits
    lw_mech *mech;    ///< once it is done
} lwi_file;

/// A mesh that was looked for.
typedef struct lwi_mesh_file {
    const char *path; ///< null where it was not found
    lw_status status;
} lwi_mesh_file;

struct lwi_loader {
    lw_load_options options;
    lwi_arena arena;
    lwi_names file_names, mesh_names;
    lwi_file **file; ///< [nfile]
    int nfile, file_room;
    int *stack; ///< files that wait or are to be read; the last one is read next
    int nstack, stack_room;
    int current; ///< the file that is read
    lwi_mesh_file *mesh;
    int nmesh, mesh_room;
    int nmesh_lost;
    size_t mesh_bytes; ///< looked into so far
};

#endif
