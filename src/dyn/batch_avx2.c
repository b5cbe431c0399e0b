// Four states side by side, in registers of 256 bits.
#include "batch_work.h"

#if defined(__AVX2__) && defined(__FMA__)
#define LWI_REAL_LANES 4
#include "batch_text.h"

const lwi_batch_engine *lwi_batch_engine_avx2(void)
{
    static const lwi_batch_engine engine = {"AVX2", LANES, worker_size, all_finite, run};
    return &engine;
}
#else
const lwi_batch_engine *lwi_batch_engine_avx2(void)
{
    return NULL;
}
#endif
