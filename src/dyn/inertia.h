// Inertias at work on motions.
#ifndef LWI_INERTIA_H
#define LWI_INERTIA_H

#include <linkwork/math.h>

/// Momentum for a velocity, or force for a spatial acceleration.
static inline lw_force inertia_times(const lw_inertia *I, const lw_motion *v)
{
    const lw_force r = {
        lw_add3(lw_sym3_mul(&I->tensor, v->ang), lw_cross3(I->first_moment, v->lin)),
        lw_add3(lw_scale3(I->mass, v->lin), lw_cross3(v->ang, I->first_moment))};
    return r;
}

#endif
