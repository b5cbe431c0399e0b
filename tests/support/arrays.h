// Arrays of numbers in tests.
#ifndef ARRAYS_H
#define ARRAYS_H

/// Zeros, one more than asked for, so that none is asked for too; null where memory is short.
double *numbers(int count);

/// The largest of the sizes; 0 for none.
double largest(const double *x, int n);

#endif
