// Four states side by side, with the 32 registers of AVX-512.
#include "batch_work.h"

#if defined(__AVX512VL__) && defined(__AVX512DQ__)
#define LWI_REAL_LANES 4
#include "batch_text.h"

const lwi_batch_engine *lwi_batch_engine_avx512(void)
{
    static const lwi_batch_engine engine = {"AVX-512", LANES, worker_size, all_finite, run};
    return &engine;
}
#else
const lwi_batch_engine *lwi_batch_engine_avx512(void)
{
    return NULL;
}
#endif
