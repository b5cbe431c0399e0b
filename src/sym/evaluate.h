// Numbers of expressions, where a derivation has to look before it chooses.
#ifndef LWI_EVALUATE_H
#define LWI_EVALUATE_H

#include "symbolic_model.h"

/// Values of n expressions at independent positions q [nq], velocities and accelerations of 1 and
/// the model's parameters.
lw_status lwi_symbolic_evaluate(lwi_symbolic *k, int n, const lwi_expr *e, const double *q,
                                double *value);

#endif
