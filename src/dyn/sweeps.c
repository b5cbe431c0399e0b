// For any processor: pairs of doubles are in the basic set of those with 64 bit.
#define LWI_REAL_LANES 2
#include "kernel_derivatives.h"

lwi_sweep *lwi_get_sweep_pairs(void)
{
    return sweep;
}

lwi_sweep *lwi_get_sweep(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        lwi_sweep *wide = lwi_get_sweep_avx2();
        return wide ? wide : sweep;
    }
#endif
    return sweep;
}
