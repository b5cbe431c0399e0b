// Two numbers side by side: pairs of doubles are in the basic set of every 64 bit processor, and
// wider vectors than a processor has are slower than none.
#define LWI_SINCOS lwi_sincos_generic
#define LWI_LANE_KERNELS lwi_lane_kernels_generic
#define LWI_BATCH_KERNELS lwi_batch_kernels_generic
#define LWI_REAL_LANES 2
#include "kernel_batch_table.h"
#include "kernel_lane_table.h"
