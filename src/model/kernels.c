#include "kernels.h"

#include "../base/cpu.h"

const lwi_kernels *lwi_select_kernels(void)
{
    const lwi_cpu cpu = lwi_cpu_level();
    const lwi_kernels *fitting = cpu == LWI_CPU_AVX512 ? lwi_kernels_avx512 : NULL;
    if (!fitting && cpu >= LWI_CPU_AVX2) {
        fitting = lwi_kernels_avx2;
    }
    return fitting ? fitting : lwi_kernels_generic;
}
