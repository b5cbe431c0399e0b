// Poses in tests.
#ifndef POSES_H
#define POSES_H

#include <linkwork/linkwork.h>

/// The pose of a frame by its name, with a failed check where there is none or it cannot be placed.
lw_pose pose_at(const lw_model *m, const double *q, const char *frame);

#endif
