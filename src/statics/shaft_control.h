// Control through elastic shafts: joints are seen at their motors, and moved by these.
#ifndef LWI_SHAFTS_H
#define LWI_SHAFTS_H

#include <linkwork/shafts.h>

/// Velocities with those of joints as the motors measure them, and errors [nv] of positions
/// likewise. Returns v itself where there is nothing to do.
/// @param seen [nv] work space
const double *lwi_shafts_look(const lw_shafts *shafts, const double *q, const double *v,
                              double *error, double *seen);

/// Moves forces of joints onto the motors that drive them. Motors that drive a joint together share
/// its force with the least sum of squares.
void lwi_shafts_hand_over(const lw_shafts *shafts, double *tau);

#endif
