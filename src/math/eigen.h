// Eigenvalues of a real matrix.
#ifndef LWI_EIGEN_H
#define LWI_EIGEN_H

#include <stdbool.h>

/// Eigenvalues of A [n*n], which is finite, row by row, and destroyed. Conjugate pairs stand
/// together, the one with the positive imaginary part first. False where they need more than
/// 60 n sweeps of the QR method.
bool lwi_eigenvalues(int n, double *A, double *re, double *im);

#endif
