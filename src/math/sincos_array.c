// Two angles at a time: pairs of doubles are in the basic set of every 64 bit processor.
#define LWI_REAL_LANES 2
#include "sincos.h"

#include "sincos_array.h"

void lwi_sincos_array(int n, const double *x, double *s, double *c)
{
    int k = 0;
    for (; k + 2 <= n; k += 2) {
        real angle, sine, cosine;
        memcpy(&angle, &x[k], sizeof angle);
        sincos_real(angle, &sine, &cosine);
        memcpy(&s[k], &sine, sizeof sine);
        memcpy(&c[k], &cosine, sizeof cosine);
    }
    if (k < n) {
        real sine, cosine;
        sincos_real(real_of(x[k]), &sine, &cosine);
        s[k] = sine[0];
        c[k] = cosine[0];
    }
}
