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

/// Another place where the rim of a wheel that touches at `at`, and at `also` if that is not null,
/// comes near the ground: the lowest, and the contact there, if centre and axis are in `second`.
/// Its gap is infinite where there is none.
lw_status lwi_touch_other(const lw_terrain *t, const lw_wheel_info *wheel,
                          const lw_wheel_contact *at, const lw_wheel_contact *also,
                          lw_wheel_contact *second, double *gap);

#endif
