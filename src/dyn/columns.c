#include "columns.h"

#include "../base/cpu.h"

lwi_columns *lwi_get_columns(void)
{
    return lwi_cpu_level() >= LWI_CPU_AVX2 ? lwi_get_columns_avx2() : NULL;
}
