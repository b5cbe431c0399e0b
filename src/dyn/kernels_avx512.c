// One state, for processors with AVX-512 F, DQ and VL; NULL where the compiler does not support
// them.
#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#define LWI_INSTRUCTION_SET "AVX-512"
#define LWI_SINCOS lwi_sincos_avx512
#define LWI_LANE_KERNELS lwi_lane_kernels_avx512
#define LWI_BATCH_KERNELS lwi_batch_kernels_avx512
#include "kernel_table.h"

const lwi_kernels *const lwi_kernels_avx512 = &kernel_table;
#else
#include "../model/kernels.h"

const lwi_kernels *const lwi_kernels_avx512 = NULL;
#endif
