// Two angles at a time: pairs of doubles are in the basic set of every 64 bit processor.
#define LWI_REAL_LANES 2
#include "sincos_array.h"
#include "sincos_array_text.h"

void lwi_sincos_array(int n, const double *x, double *s, double *c)
{
    sincos_all(n, x, s, c);
}
