// Rough ground by midpoint displacement.
#ifndef FRACTAL_H
#define FRACTAL_H

#include <linkwork/terrain.h>

/// A square of 2^level cells each way whose first point is at the origin: height differences over
/// its side are about `rough`, and halve with the distance to the power `smooth`. Free with
/// lw_terrain_destroy().
lw_terrain *fractal_terrain(int level, double cell, double rough, double smooth,
                            unsigned long long seed);

#endif
