// Four states side by side, by whatever the compiler makes of it.
#define LWI_REAL_LANES 4
#include "batch_text.h"

const lwi_batch_engine *lwi_batch_engine_generic(void)
{
    static const lwi_batch_engine engine = {"generic", LANES, worker_size, all_finite, run};
    return &engine;
}
