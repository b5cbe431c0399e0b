// The way from 0 to a distance, from rest to rest, within limits.
#ifndef LWI_PROFILE_H
#define LWI_PROFILE_H

#include <linkwork/motion.h>

#include "polynomial.h"

enum { LWI_PROFILE_PIECES = 7 };

typedef struct lwi_profile {
    int npiece;
    lwi_piece piece[LWI_PROFILE_PIECES]; ///< starts count from the start of the profile
    double duration;
} lwi_profile;

/// What a profile of this kind needs of limits: LW_ERR_MOTION where a finite one is missing.
lw_status lwi_profile_check(lw_profile kind, const lw_axis_limits *limits);

/// The shortest profile of its kind over `distance` >= 0. Limits are positive; see above.
lwi_profile lwi_profile_make(lw_profile kind, double distance, const lw_axis_limits *limits);

/// Slows a profile down to a duration.
void lwi_profile_stretch(lwi_profile *profile, double duration);

#endif
