// For processors with AVX2 and fused products; the build compiles this file for them. Where it does
// not, there is nothing here.
#if defined(__AVX2__) && defined(__FMA__)
#include "kernel_check.h"
#include "kernel_check_lanes.h"

const lwi_collide_kernels *lwi_collide_kernels_avx2(void)
{
    static const lwi_collide_kernels kernels = {place_balls, near_balls, pair_verdict, CHECK_LANES,
                                                check_lanes};
    return &kernels;
}
#else
#include "solids.h"

const lwi_collide_kernels *lwi_collide_kernels_avx2(void)
{
    return NULL;
}
#endif
