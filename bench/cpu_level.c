// Instead of src/base/cpu.c, which the linker then leaves out: the code that the library chooses is
// held at the level that BENCH_CPU names, so that one build is timed as other processors would run
// it.
#include "../src/base/cpu.h"

#include <stdlib.h>
#include <string.h>

static lwi_cpu level_of_processor(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return LWI_CPU_AVX512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return LWI_CPU_AVX2;
    }
#endif
    return LWI_CPU_ANY;
}

lwi_cpu lwi_cpu_level(void)
{
    const char *most = getenv("BENCH_CPU");
    const lwi_cpu level = level_of_processor();
    const lwi_cpu limit = !most                       ? LWI_CPU_AVX512
                          : strcmp(most, "avx2") == 0 ? LWI_CPU_AVX2
                                                      : LWI_CPU_ANY;
    return level < limit ? level : limit;
}
