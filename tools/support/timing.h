// How long the functions of the library take for one model.
#ifndef TIMING_H
#define TIMING_H

#include <linkwork/batch.h>
#include <linkwork/engine.h>

#include "support/memory.h"

enum { TIMING_STATES = 64 }; ///< random states, so that no branch or cache learns one by heart

/// A model with states, and space for what any function gives.
typedef struct timing_bench {
    const lw_model *m;
    lw_data *d;
    int frame;           ///< of Jacobians
    double *q;           ///< [TIMING_STATES*nq]
    double *v, *a, *tau; ///< [TIMING_STATES*nv]
    double *vector;      ///< [nq + nv]
    double *J;           ///< [6*nv]
    double *matrix[3];   ///< [nv*nv] each, or NULL where that is too large
    double *regressor;   ///< [10*nbody*nv], or NULL
    lw_pose *pose;       ///< [nframe]
    lw_batch *batch;     ///< the caller's, for functions of batches
    double *batch_out;   ///< [TIMING_STATES*nv]
    lw_engine *engine;   ///< that timing_engine() times
    lw_function which;
    double *result; ///< of its largest function
} timing_bench;

void timing_init(timing_bench *bench, memory *pool, const lw_model *m, lw_data *d, int frame);

typedef enum timing_function {
    TIMING_POSITION,
    TIMING_VELOCITY,
    TIMING_ACCELERATION,
    TIMING_POSES,
    TIMING_ONE_POSE,
    TIMING_JACOBIAN,
    TIMING_JACOBIAN_RATE,
    TIMING_CENTER,
    TIMING_INTEGRATE,
    TIMING_INVERSE,
    TIMING_FORWARD,
    TIMING_MASS,
    TIMING_INVERSE_MASS,
    TIMING_GRAVITY,
    TIMING_BIAS,
    TIMING_CORIOLIS,
    TIMING_KINETIC,
    TIMING_INVERSE_DERIVATIVES,
    TIMING_FORWARD_DERIVATIVES,
    TIMING_REGRESSOR,
    TIMING_INVERSE_BATCH, ///< of all states, as the time of one
    TIMING_FORWARD_BATCH, ///< likewise
    TIMING_ENGINE         ///< bench->which of bench->engine
} timing_function;

/// All functions of the library that are timed, ended by one without a name.
typedef struct timing_case {
    const char *function;
    timing_function run;
    int nmatrix; ///< matrices that it fills: too large a model has none
} timing_case;

extern const timing_case timing_cases[];

/// Time of one evaluation, the smallest over several blocks; a status where the function fails.
/// @param calls how often it was called in all
lw_status timing_measure(timing_bench *bench, timing_function what, double seconds, double *ns,
                         long long *calls);

/// A clock that only goes forward, s.
double timing_now(void);

/// Processor cycles per nanosecond, as it runs now; 0 if the compiler cannot measure it.
double timing_cycles(void);

#endif
