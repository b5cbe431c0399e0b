// A path of a tool as a table in a file, CSV or .npy: a pose per row.
#ifndef PATH_FILE_H
#define PATH_FILE_H

#include <linkwork/math.h>

#include "support/memory.h"

typedef struct path_file {
    int npose;
    lw_pose *pose;       ///< [npose]
    double *time;        ///< [npose] increasing, s; NULL where the file has none
    lw_location *at;     ///< [npose] rows of the file
    bool has_quaternion; ///< else orientations are not given, and all are the identity
} path_file;

/// Reads a file with the columns x, y, z; qw, qx, qy, qz or none of these; t or not; in any order.
/// Complains with file:line:column, and returns an exit code.
int path_file_read(const char *path, memory *pool, path_file *out);

#endif
