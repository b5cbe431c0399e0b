// For processors with AVX2 and fused products; the build compiles this file for them. Where it does
// not, there is nothing here.
#if defined(__AVX2__) && defined(__FMA__)
#define LWI_REAL_LANES 4
#include "ik_kernels.h"
#include "refine_lanes.h"
#include "search_lanes.h"
#include "six_lanes.h"

const lwi_ik_kernels *lwi_ik_kernels_avx2(void)
{
    static const lwi_ik_kernels kernels = {solve_six, verify,     refine,
                                           positions, posture_at, search_step};
    return &kernels;
}
#else
#include "ik_kernels.h"

const lwi_ik_kernels *lwi_ik_kernels_avx2(void)
{
    return NULL;
}
#endif
