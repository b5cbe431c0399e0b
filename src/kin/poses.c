// For any processor.
#include "../base/cpu.h"
#include "poses_text.h"

const lwi_pose_kernels *lwi_get_pose_kernels(void)
{
    const lwi_pose_kernels *fitting =
        lwi_cpu_level() >= LWI_CPU_AVX2 ? lwi_pose_kernels_avx2() : NULL;
    return fitting ? fitting : &kernels;
}
