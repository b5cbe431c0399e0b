// For any processor.
#include "kernel_check.h"
#include "kernel_check_lanes.h"

const lwi_collide_kernels *lwi_collide_kernels_generic(void)
{
    static const lwi_collide_kernels kernels = {place_balls, near_balls, pair_verdict, CHECK_LANES,
                                                check_lanes};
    return &kernels;
}
