// The text of sincos_array.c and sincos_array_avx2.c.
#ifndef LWI_SINCOS_ARRAY_TEXT_H
#define LWI_SINCOS_ARRAY_TEXT_H

#include "sincos.h"

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
