// The ground that vehicles and machines on feet stand on.
#ifndef GROUND_H
#define GROUND_H

#include "support/job.h"

#include <linkwork/terrain.h>

/// The shapes of --scene over a grid of --cell, or level ground without one.
/// Returns an exit code, after a complaint. Free with lw_terrain_destroy().
int ground_open(job *work, lw_terrain **terrain);

#endif
