// The distance of two cores, by the method that fits them.
#ifndef LWI_CORE_PAIR_H
#define LWI_CORE_PAIR_H

#include "exact_pair.h"

/// A direction to begin with: from the one origin to the other.
static inline lw_vec3 lwi_first_direction(const lwi_solid_pair *pair)
{
    const bool is_apart = lw_norm3(pair->X.p) > pair->rounding;
    return is_apart ? pair->X.p : lw_vec3_of(1.0, 0.0, 0.0);
}

/// With cores in the order of lw_core.
/// @param start as of lwi_gjk_run(); its normal is kept by the caller
lwi_core_distance lwi_find_core_distance(const lwi_solid_pair *pair, lw_distance_start *start,
                                         lw_distance_work *work);

#endif
