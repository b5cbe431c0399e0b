// Generated code, compiled for the processor and loaded, as somebody would use it who includes the
// header: no checks, no engine in between.
#ifndef BENCH_GENERATED_H
#define BENCH_GENERATED_H

#include <linkwork/generate.h>

/// q, v, a or tau, and the result; q is the pose X of the last frame for inverse kinematics. With
/// several lanes each element is that many states side by side.
typedef void bench_generated(const double *q, const double *v, const double *a, double *result);

typedef struct generated_code {
    bench_generated *call; ///< null where there is none; `why` tells
    char why[200];
    double seconds; ///< that the compiler took
} generated_code;

/// Derives, generates and compiles one function; what an earlier process of the same program made
/// is found again. `name` tells machines apart.
/// @param flags for the compiler; NULL for -O2 and the instructions that the processor has
generated_code generated_open(const lw_model *m, const char *name, lw_function which, int lanes,
                              const char *flags);

#endif
