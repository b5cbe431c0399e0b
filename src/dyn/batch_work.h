// Between batch.c, which knows states and threads, and the engines, which compute several states
// side by side.
#ifndef LWI_BATCH_H
#define LWI_BATCH_H

#include <linkwork/batch.h>

#include "../model/data.h"

typedef enum lwi_batch_kind {
    LWI_BATCH_POSES,
    LWI_BATCH_INVERSE,
    LWI_BATCH_MASS,
    LWI_BATCH_FORWARD
} lwi_batch_kind;

/// One call, as the caller gave it.
typedef struct lwi_batch_job {
    lwi_batch_kind kind;
    const lw_model *model;
    lwi_settings settings;
    int n;                 ///< states
    const double *q, *v;   ///< [n*nq], [n*nv]
    const double *x;       ///< [n*nv] accelerations or forces
    const lw_force *f_ext; ///< [n*nbody] or null
    double *out;           ///< [n*nv] or [n*nv*nv]
    int nframe;
    const int *frame; ///< [nframe] or null
    lw_pose *poses;   ///< [n*nframe]
} lwi_batch_job;

/// The largest degree of freedom count for which mass matrices are computed side by side; above,
/// one by one.
enum { LWI_BATCH_MOST_DENSE = 512 };

typedef struct lwi_batch_engine {
    const char *name;
    int lanes;

    /// Bytes of work space for one worker.
    size_t (*size)(const lw_model *m);

    bool (*all_finite)(const double *x, size_t n);

    /// Computes the states first .. first + count - 1. Returns the first one that is singular, or
    /// -1.
    int (*run)(const lwi_batch_job *job, int first, int count, void *work);
} lwi_batch_engine;

const lwi_batch_engine *lwi_batch_engine_generic(void);

/// Null where it was not compiled.
const lwi_batch_engine *lwi_batch_engine_avx2(void);
const lwi_batch_engine *lwi_batch_engine_avx512(void);

#endif
