// Dense linear algebra by LAPACKE, in the few forms that this layer needs.
#ifndef LWI_DENSE_H
#define LWI_DENSE_H

#include <linkwork/base.h>

/// A linear least-squares problem |A x - b| with more rows than columns.
///
/// @param A   [rows*columns] column by column; destroyed
/// @param b   [rows]; destroyed
/// @param x   [columns]
/// @param S   [columns*columns] (A'A)^-1, symmetric; may be null
/// @param condition of A with its columns scaled to length one; may be null
/// @return LW_ERR_SINGULAR where columns are dependent to 1e-11 of their lengths
lw_status lwi_least_squares(int rows, int columns, double *A, double *b, double *x, double *S,
                            double *condition);

/// Instruments: solves Z'A x = Z'b. A and Z [rows*columns] column by column, left alone.
/// @param S [columns*columns] (Z'A)^-1 Z'Z (Z'A)^-T
lw_status lwi_instrument_solve(int rows, int columns, const double *A, const double *Z,
                               const double *b, double *x, double *S);

/// Factors a symmetric positive definite matrix [n*n], of which one triangle is given: entry k*n +
/// i with i <= k. False where it is not positive definite.
bool lwi_positive_factor(int n, double *A);

/// Eigenvalues [n] of a symmetric matrix, smallest first; its columns become the eigenvectors.
bool lwi_symmetric_eigen(int n, double *A, double *value);

/// Singular values s [columns], largest first, and right singular vectors V' [columns*columns], row
/// by row in the order of s. A [rows*columns] column by column, rows >= columns; destroyed. b
/// [rows] becomes U'b in its first `columns` entries; may be null.
lw_status lwi_singular_values(int rows, int columns, double *A, double *b, double *s, double *Vt);

/// The triangle R of A = Q R [rows*columns] column by column, in its upper part.
lw_status lwi_triangle(int rows, int columns, double *A);

#endif
