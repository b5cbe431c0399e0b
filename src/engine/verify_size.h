// What counts as much and as little when engines are compared.
#ifndef LWI_VERIFY_SIZE_H
#define LWI_VERIFY_SIZE_H

#include <linkwork/engine.h>

/// A thousandth of what a function's results are for a machine of this mass and size, at the states
/// of lw_random_state(). Results below it are what rounding leaves of others that cancel, as the
/// weight of an arm that moves in a level plane. Of derivatives, which are matrices one after the
/// other, that of one of these parts.
double lwi_least_size(const lw_model *m, lw_function which, int part);

/// The middle one of n numbers, which are sorted.
double lwi_middle(int n, double *x);

#endif
