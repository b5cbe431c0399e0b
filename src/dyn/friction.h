// Coulomb friction with a smoothed jump.
//
// Within the smoothing speed a cubic leads from -1 to 1, beyond it friction is Coulomb's to the
// last bit. So numbers at usual speeds are those of sign(v), the slope is continuous, and kernels
// need neither branches nor a square root, a division or libm: a comparison with each bound, and
// four multiplications. kernel_forces.h has the same over any scalar, sym/functions.c as an
// expression.
#ifndef LWI_FRICTION_H
#define LWI_FRICTION_H

#include <float.h>
#include <math.h>

/// lwi_settings.friction_rate for a smoothing speed: finite for 0.
static inline double lwi_friction_rate(double speed)
{
    return fmin(1.0 / speed, DBL_MAX);
}

static inline double lwi_friction_speed(double rate)
{
    return rate < DBL_MAX ? 1.0 / rate : 0.0;
}

/// Share of the friction that acts at x = v * friction_rate (lwi_settings): -1 to 1.
static inline double lwi_coulomb_share(double x)
{
    x = x > 1.0 ? 1.0 : x < -1.0 ? -1.0 : x;
    return x * (1.5 - 0.5 * x * x);
}

/// Its derivative by v; 0 for friction with a jump.
static inline double lwi_coulomb_slope(double v, double friction_rate)
{
    const double x = v * friction_rate;
    return fabs(x) < 1.0 && friction_rate < DBL_MAX ? friction_rate * (1.5 - 1.5 * x * x) : 0.0;
}

#endif
