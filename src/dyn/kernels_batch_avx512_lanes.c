// Batches with eight states side by side, in registers of 512 bits. Empty where the compiler does
// not support them.
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#define LWI_SINCOS lwi_sincos_batch_avx512
#define LWI_BATCH_KERNELS lwi_batch_kernels_avx512
#define LWI_REAL_LANES 8
#include "kernel_batch_table.h"

void LWI_SINCOS(int n, const double *x, double *s, double *c)
{
    sincos_all(n, x, s, c);
}
#else
typedef int lwi_nothing_here; // ISO C forbids an empty translation unit
#endif
