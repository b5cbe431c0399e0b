// Sine and cosine of many angles, side by side.
#ifndef LWI_SINCOS_ARRAY_H
#define LWI_SINCOS_ARRAY_H

/// s[k] = sin(x[k]), c[k] = cos(x[k]) for k < n, with the error of sincos.h. The three do not
/// overlap. They are read and written by memcpy, so they may be vectors of doubles as well.
void lwi_sincos_array(int n, const double *x, double *s, double *c);

/// The same for processors with AVX2; only for code that is compiled for them itself.
void lwi_sincos_array_avx2(int n, const double *x, double *s, double *c);

#endif
