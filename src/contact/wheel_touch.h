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

/// Another place where the rim of a wheel comes near the ground than at the n contacts that are
/// known, of which the first is the one of lwi_touch(): the lowest, and the contact there, if
/// centre and axis are in `other`. Its gap is infinite where there is none.
lw_status lwi_touch_other(const lw_terrain *t, const lw_wheel_info *wheel, int n,
                          const lw_wheel_contact *const *known, lw_wheel_contact *other,
                          double *gap);

#endif
