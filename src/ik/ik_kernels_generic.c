// For any processor: pairs of doubles.
#define LWI_REAL_LANES 2
#include "../base/cpu.h"
#include "ik_kernels.h"
#include "refine_lanes.h"
#include "search_lanes.h"
#include "six_lanes.h"

const lwi_ik_kernels *lwi_ik_kernels_generic(void)
{
    static const lwi_ik_kernels kernels = {solve_six, verify,     refine,
                                           positions, posture_at, search_step};
    return &kernels;
}

const lwi_ik_kernels *lwi_get_ik_kernels(void)
{
    const lwi_ik_kernels *fitting = lwi_cpu_level() >= LWI_CPU_AVX2 ? lwi_ik_kernels_avx2() : NULL;
    return fitting ? fitting : lwi_ik_kernels_generic();
}
