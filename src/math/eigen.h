// Eigenvalues of a real matrix, and eigenvectors of a small symmetric one.
#ifndef LWI_EIGEN_H
#define LWI_EIGEN_H

#include <stdbool.h>

/// Eigenvalues of A [n*n], which is finite, row by row, and destroyed. Conjugate pairs stand
/// together, the one with the positive imaginary part first. False where they need more than
/// 60 n sweeps of the QR method.
bool lwi_eigenvalues(int n, double *A, double *re, double *im);

/// Makes the symmetric A [n*n] diagonal, its eigenvalues, by Jacobi's rotations; the rows of V
/// [n*n] are the eigenvectors, orthonormal to the last digits. For matrices of three or four rows.
void lwi_rotate_to_diagonal(int n, double *A, double *V);

#endif
