// A path of a tool by inverse kinematics: ik --path FILE.
#ifndef IK_PATH_H
#define IK_PATH_H

#include <linkwork/tool_motion.h>

#include "support/job.h"
#include "support/path_file.h"

typedef struct ik_path {
    path_file file;
    lw_tool_motion_def def;
    lw_axis_limits *limits; ///< [nv]
    double every;           ///< s between set points; 0 for 500 of them
} ik_path;

/// The file that --path names, or NULL where all its values are folders.
const char *ik_path_file(const command_line *args);

/// Reads the options and the file. Complains and returns an exit code.
int ik_path_open(job *work, const char *path, ik_path *out);

/// Plans the motion near `seed`, writes its set points where -o was given, and prints.
int ik_path_evaluate(job *work, const ik_path *path, const double *seed, json_t *result);

#endif
