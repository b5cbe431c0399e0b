// Random loops with a closed form, against bisection on their cut trees, the geometry they must
// satisfy, and differences.
#ifndef RANDOM_LOOPS_H
#define RANDOM_LOOPS_H

#include <linkwork/linkwork.h>

/// Rods whose dependent joint is of this type, in both branches, with joints of any type elsewhere
/// in their loops: so many machines, each in 25 configurations.
void check_rod_loops(lw_joint_type dependent, int machines);

/// Planar loops of every kind that closes in closed form: so many machines of each.
void check_planar_loops(int machines);

#endif
