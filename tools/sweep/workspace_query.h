// Maps of workspaces in files: they are stored, and asked about points.
#ifndef WORKSPACE_QUERY_H
#define WORKSPACE_QUERY_H

#include <linkwork/workspace_map.h>

#include "support/job.h"

/// Writes a map. Complains and returns an exit code.
int workspace_store(const char *path, const lw_workspace_map *map);

/// Prints what the map of --stored has of the point of --query.
int workspace_query(job *work);

#endif
