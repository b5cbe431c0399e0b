// How long the functions of the library take for one model.
#ifndef TIMING_H
#define TIMING_H

#include <linkwork/engine.h>

enum { TIMING_STATES = 64 }; ///< random states, so that no branch or cache learns one by heart

/// A model with states, and room for what any function gives.
typedef struct timing_bench {
    const lw_model *m;
    lw_data *d;
    int frame;           ///< of Jacobians
    double *q;           ///< [TIMING_STATES*nq]
    double *v, *a, *tau; ///< [TIMING_STATES*nv]
    double *vector;      ///< [nq + nv]
    double *J;           ///< [6*nv]
    double *matrix[3];   ///< [nv*nv] each, or null where that is too large
    double *regressor;   ///< [10*nbody*nv], or null
    lw_pose *pose;       ///< [nframe]
    lw_engine *engine;   ///< that timing_engine() times
    lw_function which;
    double *result; ///< of its largest function
} timing_bench;

/// False when memory is short; timing_free() is due either way.
bool timing_init(timing_bench *bench, const lw_model *m, lw_data *d, int frame);
void timing_free(timing_bench *bench);

/// One function, evaluated at state k.
typedef struct timing_case {
    const char *function;
    lw_status (*run)(timing_bench *bench, int k);
    int needs_matrix; ///< how many of the matrices it fills
} timing_case;

/// All functions, closed by one without a name.
extern const timing_case timing_cases[];

/// Some of them, for the demonstration.
extern const timing_case timing_position, timing_poses, timing_jacobian, timing_inverse;

/// Time of one evaluation, the smallest over several blocks; a status where the function fails.
/// @param calls how often it was called in all
lw_status timing_measure(timing_bench *bench, const timing_case *what, double seconds, double *ns,
                         long long *calls);

/// A clock that only goes forward, s.
double timing_now(void);

/// Cycles of the processor a nanosecond, as it runs now; 0 where the compiler cannot tell.
double timing_cycles(void);

/// One function of an engine, as bench->engine and bench->which tell.
extern const timing_case timing_engine;

#endif
