// Sine and cosine of many angles, side by side.
#ifndef LWI_SINCOS_ARRAY_H
#define LWI_SINCOS_ARRAY_H

/// s[k] = sin(x[k]), c[k] = cos(x[k]) for k < n, with the error of sincos.h.
void lwi_sincos_array(int n, const double *x, double *s, double *c);

#endif
