// Four numbers of one state side by side, with the 32 registers of AVX-512; batches have eight
// (kernels_batch_avx512_lanes.c). Empty where the compiler does not support them.
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#define LWI_SINCOS lwi_sincos_avx512
#define LWI_LANE_KERNELS lwi_lane_kernels_avx512
#define LWI_REAL_LANES 4
#include "kernel_lane_table.h"
#else
typedef int lwi_nothing_here; // ISO C forbids an empty translation unit
#endif
