// Numbers in tests: arrays, and random vectors.
#ifndef ARRAYS_H
#define ARRAYS_H

#include <linkwork/math.h>

/// Zeros, one more than asked for, so that none is asked for too; null where memory is short.
double *numbers(int count);

/// The largest of the sizes; 0 for none.
double largest(const double *x, int n);

/// A vector with entries from -size to size.
lw_vec3 random3(double size);
double distance3(lw_vec3 a, lw_vec3 b);

#endif
