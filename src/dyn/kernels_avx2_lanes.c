// Four numbers side by side, in registers of 256 bits, with fused multiply-add. Empty where the
// compiler does not support them.
#if defined(__AVX2__) && defined(__FMA__)
#define LWI_SINCOS lwi_sincos_avx2
#define LWI_LANE_KERNELS lwi_lane_kernels_avx2
#define LWI_BATCH_KERNELS lwi_batch_kernels_avx2
#define LWI_REAL_LANES 4
#include "kernel_batch_table.h"
#include "kernel_lane_table.h"
#else
typedef int lwi_nothing_here; // ISO C forbids an empty translation unit
#endif
