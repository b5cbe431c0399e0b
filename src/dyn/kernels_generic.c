// One state, for any processor.
#define LWI_INSTRUCTION_SET "generic"
#define LWI_SINCOS lwi_sincos_generic
#define LWI_LANE_KERNELS lwi_lane_kernels_generic
#define LWI_BATCH_KERNELS lwi_batch_kernels_generic
#include "kernel_table.h"

const lwi_kernels *const lwi_kernels_generic = &kernel_table;
