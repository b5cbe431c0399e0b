// A path of a tool as a CSV file: a pose per row.
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

/// Reads a file whose first row names its columns: x, y, z; qw, qx, qy, qz or none of these; t or
/// not; in any order. What is wrong is added to the report, at its line and column. Complains where
/// the file cannot be read; returns an exit code.
int path_file_read(const char *path, memory *pool, lw_report *report, path_file *out);

#endif
