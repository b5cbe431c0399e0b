// linkwork/openmp.h: batches on several threads by OpenMP. It is compiled with the program that
// includes it, so that the library needs no OpenMP; without -fopenmp all runs on one thread.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_OPENMP_H
#define LINKWORK_OPENMP_H

#include <linkwork/batch.h>

#ifndef LW_DECLARATIONS_ONLY

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

static inline void lw_openmp_run(void *context, int nblock, int nworker, lw_batch_task *task,
                                 void *argument)
{
    (void)context;
    (void)nworker;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(nworker)
    for (int block = 0; block < nblock; ++block) {
        task(argument, block, omp_get_thread_num());
    }
#else
    for (int block = 0; block < nblock; ++block) {
        task(argument, block, 0);
    }
#endif
}

/// A runner for lw_batch_create().
/// @param nthread 0: as many as OpenMP proposes
static inline lw_batch_runner lw_openmp_runner(int nthread)
{
    lw_batch_runner runner;
#ifdef _OPENMP
    runner.nworker = nthread > 0 ? nthread : omp_get_max_threads();
#else
    (void)nthread;
    runner.nworker = 1;
#endif
    runner.run = lw_openmp_run;
    runner.context = 0;
    return runner;
}

#ifdef __cplusplus
}
#endif
#endif // LW_DECLARATIONS_ONLY
#endif
