// A motion as set points: what a controller needs at each of its samples.
#ifndef SET_POINTS_H
#define SET_POINTS_H

#include <linkwork/motion.h>

#include "support/memory.h"

/// Writes time, position, velocity, acceleration and force of each joint, every `every` seconds and
/// at the end, as table_write() does. Complains and returns an exit code.
int set_points_write(const lw_model *m, lw_data *d, const lw_trajectory *motion, double every,
                     memory *pool, const char *path);

#endif
