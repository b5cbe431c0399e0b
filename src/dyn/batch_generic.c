// Two states side by side: pairs of doubles are in the basic set of every 64 bit processor, and
// wider vectors than a processor has are slower than none.
#define LWI_REAL_LANES 2
#include "batch_text.h"

const lwi_batch_engine *lwi_batch_engine_generic(void)
{
    static const lwi_batch_engine engine = {"generic", LANES, worker_size, all_finite, run};
    return &engine;
}
