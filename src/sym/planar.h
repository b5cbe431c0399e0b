#ifndef LWI_PLANAR_H
#define LWI_PLANAR_H

#include "robot.h"

/// Joint forces of a machine whose joints all turn about or slide along one direction, which is
/// gravity's too, by absolute angles. False, and nothing done, where the machine is another one.
bool lwi_derive_planar(lwi_graph *g, const lwi_robot *robot, lwi_expr *tau);

#endif
