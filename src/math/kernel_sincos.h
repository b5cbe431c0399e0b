// Sines and cosines of many angles, side by side in the lanes of real.h.
#ifndef LWI_KERNEL_SINCOS_H
#define LWI_KERNEL_SINCOS_H

#include "sincos.h"

/// s[k] = sin(x[k]), c[k] = cos(x[k]) for k < n, as in lwi_lane_kernels. The including file has
/// defined LWI_SINCOS as the name of the function for its instruction set.
void LWI_SINCOS(int n, const double *x, double *s, double *c);

static inline void sincos_block(const double *x, double *s, double *c)
{
    real angle, sine, cosine;
    memcpy(&angle, x, sizeof angle);
    sincos_real(angle, &sine, &cosine);
    memcpy(s, &sine, sizeof sine);
    memcpy(c, &cosine, sizeof cosine);
}

/// What does not fill a block at the end is done once more with its neighbours before it, and alone
/// only where there are too few.
static inline void sincos_all(int n, const double *x, double *s, double *c)
{
    int k = 0;
    for (; k + LANES <= n; k += LANES) {
        sincos_block(&x[k], &s[k], &c[k]);
    }
    if (k < n && n >= LANES) {
        sincos_block(&x[n - LANES], &s[n - LANES], &c[n - LANES]);
        return;
    }
    for (; k < n; ++k) {
        real sine, cosine;
        sincos_real(real_of(x[k]), &sine, &cosine);
        s[k] = real_lane(sine, 0);
        c[k] = real_lane(cosine, 0);
    }
}

#endif
