// Rates of closure steps over complex numbers: positions x + i h dx and velocities v + i h dv give
// K + i h dK and b + i h db. With h far below the rounding of doubles nothing of second order is
// left, so that the derivatives are exact to the last digits (Squire and Trapp 1998).
#ifndef LWI_LOOP_COMPLEX_H
#define LWI_LOOP_COMPLEX_H

#include "../model/loop_work.h"

#include <string.h>

// A complex number is an array of its two parts (C11, 6.2.5). <complex.h> would take the letter I,
// which is an inertia here.
static inline lwi_complex lwi_complex_of(double value, double rate)
{
    const double part[2] = {value, rate};
    lwi_complex z;
    memcpy(&z, part, sizeof z);
    return z;
}

static inline double lwi_value_of(lwi_complex z)
{
    double part[2];
    memcpy(part, &z, sizeof z);
    return part[0];
}

static inline double lwi_rate_of(lwi_complex z)
{
    double part[2];
    memcpy(part, &z, sizeof z);
    return part[1];
}

/// K [ntarget * nsource] of a step at q [tree_nq]; and with v [tree_nv], its bias [ntarget]. The
/// rates must exist at the real parts of q and v (lwi_step_rates); false where they do not.
bool lwi_step_rates_complex(const lw_model *m, const lwi_program *program, const lwi_step *step,
                            const lwi_complex_work *work, const lwi_complex *q,
                            const lwi_complex *v, lwi_complex *K, lwi_complex *bias);

#endif
