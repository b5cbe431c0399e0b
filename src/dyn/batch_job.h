// Between batch.c, which has states and threads, and the engines, which compute several states
// side by side.
#ifndef LWI_BATCH_JOB_H
#define LWI_BATCH_JOB_H

#include <linkwork/batch.h>

#include "../model/data.h"
#include "../model/kernels.h"

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
    const lw_force *f_ext; ///< [n*nbody] or NULL
    double *out;           ///< [n*nv] or [n*nv*nv]
    int nframe;
    const int *frame; ///< [nframe] or NULL
    lw_pose *poses;   ///< [n*nframe]
} lwi_batch_job;

/// lw_batch_create() with kernels other than those that fit the processor best.
lw_status lwi_batch_create_with(const lw_model *m, const lw_batch_runner *runner,
                                const lwi_kernels *kernels, lw_batch **batch);

/// The largest degree of freedom count for which mass matrices are computed side by side; above,
/// one by one.
enum { LWI_BATCH_MOST_DENSE = 512 };

#endif
