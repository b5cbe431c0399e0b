#include "cpu.h"

lwi_cpu lwi_cpu_level(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        return LWI_CPU_ANY;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return LWI_CPU_AVX512;
    }
    return LWI_CPU_AVX2;
#else
    return LWI_CPU_ANY;
#endif
}
