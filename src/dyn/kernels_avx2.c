// One state, for processors with AVX2 and fused multiply-add; NULL where the compiler does not
// support them.
#if defined(__AVX2__) && defined(__FMA__)
#define LWI_INSTRUCTION_SET "AVX2"
#define LWI_SINCOS lwi_sincos_avx2
#define LWI_LANE_KERNELS lwi_lane_kernels_avx2
#define LWI_BATCH_KERNELS lwi_batch_kernels_avx2
#include "kernel_table.h"

const lwi_kernels *const lwi_kernels_avx2 = &kernel_table;
#else
#include "../model/kernels.h"

const lwi_kernels *const lwi_kernels_avx2 = NULL;
#endif
