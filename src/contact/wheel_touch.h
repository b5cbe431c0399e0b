// Where a wheel touches a terrain first.
#ifndef LWI_WHEEL_TOUCH_H
#define LWI_WHEEL_TOUCH_H

#include "height_field.h"

/// Finds the point of the ground that is nearest to a wheel, whose centre and axis are in `at`, and
/// the contact there.
/// @param start x and y of the point to begin at; null to look along the whole lower half
/// @param gap   to the ground along its normal, m; negative in the ground
/// @return LW_OK, LW_ERR_ARGUMENT beyond the terrain, LW_ERR_SINGULAR for a wheel that lies flat
lw_status lwi_touch(const lw_terrain *t, const lw_wheel_info *wheel, const double *start,
                    lw_wheel_contact *at, double *gap);

/// Whether a point of the rim is deeper than `gap` by more than `most`: then the contact has
/// jumped, and *start has x and y of that point.
bool lwi_touch_jumps(const lw_terrain *t, const lw_wheel_info *wheel, const lw_wheel_contact *at,
                     double gap, double most, double start[2]);

#endif
