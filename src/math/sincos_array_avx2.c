// Four angles at a time.
#include "sincos_array.h"

#if defined(__AVX2__) && defined(__FMA__)
#define LWI_REAL_LANES 4
#include "sincos_array_text.h"

void lwi_sincos_array_avx2(int n, const double *x, double *s, double *c)
{
    sincos_all(n, x, s, c);
}
#else
void lwi_sincos_array_avx2(int n, const double *x, double *s, double *c)
{
    lwi_sincos_array(n, x, s, c);
}
#endif
