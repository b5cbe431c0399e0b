// Twists by which the numbers of a placement or an axis move what is connected behind them.
#ifndef LWI_PARAMETER_TWIST_H
#define LWI_PARAMETER_TWIST_H

#include <linkwork/mech.h>

/// A number of a placement, and the motion of the placed frame for unit rate of it: in the frame
/// that it is placed in, turning, and velocity of the point at that frame's origin.
typedef struct lwi_placed_number {
    const char *name;
    int value; ///< index in lw_placement.value, or -1 for a turn of a matrix
    lw_motion twist;
} lwi_placed_number;

enum { LWI_MOST_PLACED = 7 };

/// All numbers of a placement; returns how many.
int lwi_placed_numbers(const lw_placement *placement, lwi_placed_number number[LWI_MOST_PLACED]);

/// The turning of lw_rotation_to_z(), left of it, while component k of `axis` grows at unit rate.
/// Along the axes themselves that function jumps about z, and the turn across z is taken.
lw_vec3 lwi_axis_turning(lw_vec3 axis, int k);

/// A twist given in frame X of a body, in the coordinates of the body.
lw_motion lwi_twist_in_body(const lw_pose *X, const lw_motion *twist);

#endif
