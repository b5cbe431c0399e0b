// What tests of dynamics share: a state with room for results, and numbers that measure them.
#ifndef LAWS_H
#define LAWS_H

#include "arrays.h"

#include <linkwork/linkwork.h>

/// A random state of a machine, and room.
typedef struct law_state {
    int nq, nv;
    double *q, *v, *a;
    double *x, *y, *z; ///< [nv] room
    double *q2;        ///< [nq] room
    double *M, *C;     ///< [nv*nv] room
    lw_force *f_ext;   ///< [nbody] random
} law_state;

/// False where the machine cannot take a random state: a loop does not close, or is at a dead
/// centre. Free with law_free() in any case.
bool law_make(const lw_model *m, lw_data *d, law_state *s);
void law_free(law_state *s);

double inner(const double *x, const double *y, int n);

/// y = A x, A [n*n]
void times(const double *A, const double *x, int n, double *y);

/// Checks |got - want| <= share * scale for all n; prints the worst one alone.
void check_close(const char *file, int line, const double *got, const double *want, int n,
                 double tolerance, const char *text);
#define CHECK_CLOSE(got, want, n, tolerance)                                                       \
    check_close(__FILE__, __LINE__, (got), (want), (n), (tolerance), #got)

#endif
