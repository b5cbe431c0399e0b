// Runs of parallel joints: bodies one after the other that turn about the same direction. What such
// a body does hangs on one absolute angle, the sum of those of its run.
#ifndef LWI_PARALLEL_AXES_H
#define LWI_PARALLEL_AXES_H

#include "robot.h"

/// Whether a body's z is along that of its parent, or against it.
bool lwi_is_parallel(const lwi_robot_body *body);

/// The one body that hangs on body i; -1 where there are none or several.
int lwi_only_child(const lwi_robot *robot, int i);

/// The last body of the run that begins with `first`: revolute joints with known angles, each the
/// only one that the one before carries, along the same axes at angle zero. `first` itself where
/// there is no run.
int lwi_end_of_run(const lwi_robot *robot, int first);

/// The first run of two bodies or more above a base that turns about another direction.
typedef struct lwi_run {
    int base;        ///< the last joint before it
    int first, last; ///< its bodies; first is greater where there is no run
} lwi_run;

lwi_run lwi_find_run(const lwi_robot *robot);

#endif
