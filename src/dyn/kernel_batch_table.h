// The kernels of batches, and the table of model/kernels.h that has them. They may have more lanes
// than those that compute one state (kernel_lane_table.h), whose rows are often short. The
// including file has defined LWI_SINCOS and LWI_BATCH_KERNELS.
#ifndef LWI_KERNEL_BATCH_TABLE_H
#define LWI_KERNEL_BATCH_TABLE_H

#include "kernel_batch.h"

const lwi_batch_kernels LWI_BATCH_KERNELS = {
    .lanes = LANES,
    .size = batch_size,
    .all_finite = all_finite,
    .run = batch_run,
};

#endif
