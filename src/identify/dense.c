#include "dense.h"

#include <lapacke.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEPENDENT = 1e-11;

static double length_of(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// Scales columns to length one; false where one is zero or not finite.
static bool scale_columns(int rows, int columns, double *A, double *scale)
{
    for (int c = 0; c < columns; ++c) {
        double *x = A + (size_t)c * (size_t)rows;
        const double length = length_of(rows, x);
        if (!(length > 0.0) || !isfinite(length)) {
            return false;
        }
        scale[c] = 1.0 / length;
        for (int i = 0; i < rows; ++i) {
            x[i] *= scale[c];
        }
    }
    return true;
}

// The upper triangle of a QR factorisation, and (R'R)^-1 of it.
static lw_status inverse_of_square(int rows, int n, const double *A, const double *scale, double *S)
{
    memset(S, 0, (size_t)n * (size_t)n * sizeof *S);
    for (int c = 0; c < n; ++c) {
        memcpy(S + (size_t)c * (size_t)n, A + (size_t)c * (size_t)rows,
               ((size_t)c + 1) * sizeof *S);
    }
    if (LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', n, S, n) != 0) {
        return LW_ERR_SINGULAR;
    }
    for (int c = 0; c < n; ++c) {
        for (int r = 0; r <= c; ++r) {
            const double x = S[c * n + r] * scale[r] * scale[c];
            S[c * n + r] = S[r * n + c] = x;
        }
    }
    return LW_OK;
}

lw_status lwi_least_squares(int rows, int columns, double *A, double *b, double *x, double *S,
                            double *condition)
{
    if (rows < columns || columns < 1) {
        return LW_ERR_SINGULAR;
    }
    double *scale = malloc(2 * (size_t)columns * sizeof *scale);
    if (!scale) {
        return LW_ERR_MEMORY;
    }
    double *reflector = scale + columns, reciprocal = 0.0;
    lw_status status = LW_ERR_SINGULAR;
    if (scale_columns(rows, columns, A, scale) &&
        LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, A, rows, reflector) == 0 &&
        LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', columns, A, rows, &reciprocal) == 0 &&
        reciprocal > DEPENDENT &&
        LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', rows, 1, columns, A, rows, reflector, b, rows) ==
            0 &&
        LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', columns, 1, A, rows, b, rows) == 0) {
        status = LW_OK;
        for (int c = 0; c < columns; ++c) {
            x[c] = b[c] * scale[c];
        }
    }
    if (status == LW_OK && S) {
        status = inverse_of_square(rows, columns, A, scale, S);
    }
    if (status == LW_OK && condition) { // in the 2-norm, of the triangle
        double *R = calloc((size_t)columns * (size_t)columns + 3 * (size_t)columns, sizeof *R);
        double *s = R ? R + (size_t)columns * (size_t)columns : NULL;
        for (int c = 0; c < columns && R; ++c) {
            memcpy(R + (size_t)c * (size_t)columns, A + (size_t)c * (size_t)rows,
                   ((size_t)c + 1) * sizeof *R);
        }
        status = !R ? LW_ERR_MEMORY
                 : LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', columns, columns, R, columns, s, NULL,
                                  1, NULL, 1, s + columns) == 0
                     ? LW_OK
                     : LW_ERR_SINGULAR;
        *condition = status == LW_OK ? s[0] / s[columns - 1] : (double)INFINITY;
        free(R);
    }
    free(scale);
    return status;
}

lw_status lwi_triangle(int rows, int columns, double *A)
{
    double *reflector = malloc((size_t)columns * sizeof *reflector);
    const bool is_good =
        reflector && LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, A, rows, reflector) == 0;
    free(reflector);
    return is_good ? LW_OK : LW_ERR_MEMORY;
}

// C [n*n] = X'Y, column by column.
static void product(int rows, int n, const double *X, const double *Y, double *C)
{
    for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
            const double *x = X + (size_t)r * (size_t)rows, *y = Y + (size_t)c * (size_t)rows;
            double sum = 0.0;
            for (int i = 0; i < rows; ++i) {
                sum += x[i] * y[i];
            }
            C[c * n + r] = sum;
        }
    }
}

lw_status lwi_instrument_solve(int rows, int columns, const double *A, const double *Z,
                               const double *b, double *x, double *S)
{
    const int n = columns;
    const size_t square = (size_t)n * (size_t)n;
    double *ZA = malloc((2 * square + (size_t)n) * sizeof *ZA);
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot);
    lw_status status = ZA && pivot ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        double *ZZ = ZA + square;
        product(rows, n, Z, A, ZA);
        product(rows, n, Z, Z, ZZ);
        for (int c = 0; c < n; ++c) {
            x[c] = 0.0;
            for (int i = 0; i < rows; ++i) {
                x[c] += Z[(size_t)c * (size_t)rows + (size_t)i] * b[i];
            }
        }
        // S = G ZZ G' with G = (Z'A)^-1: solve twice.
        status = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, ZA, n, pivot) == 0 &&
                         LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, ZA, n, pivot, x, n) == 0 &&
                         LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, n, ZA, n, pivot, ZZ, n) == 0
                     ? LW_OK
                     : LW_ERR_SINGULAR;
        for (int c = 0; c < n && status == LW_OK; ++c) {
            for (int r = 0; r < n; ++r) {
                S[c * n + r] = ZZ[r * n + c];
            }
        }
        if (status == LW_OK &&
            LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, n, ZA, n, pivot, S, n) != 0) {
            status = LW_ERR_SINGULAR;
        }
    }
    free(ZA);
    free(pivot);
    return status;
}

bool lwi_positive_factor(int n, double *A)
{
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, A, n) == 0;
}

bool lwi_symmetric_eigen(int n, double *A, double *value)
{
    return LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', n, A, n, value) == 0;
}

lw_status lwi_singular_values(int rows, int columns, double *A, double *b, double *s, double *Vt)
{
    double *work = malloc(((size_t)columns + (size_t)rows) * sizeof *work);
    if (!work) {
        return LW_ERR_MEMORY;
    }
    double *rest = work, *rotated = work + columns;
    lw_status status = LW_ERR_NO_CONVERGENCE;
    double *V = malloc((size_t)columns * (size_t)columns * sizeof *V);
    if (V && LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'O', 'A', rows, columns, A, rows, s, NULL, 1, V,
                            columns, rest) == 0) {
        status = LW_OK;
        for (int k = 0; k < columns; ++k) {
            for (int c = 0; c < columns; ++c) {
                Vt[k * columns + c] = V[c * columns + k];
            }
            rotated[k] = 0.0;
            for (int i = 0; i < rows && b; ++i) {
                rotated[k] += A[(size_t)k * (size_t)rows + (size_t)i] * b[i];
            }
        }
        if (b) {
            memcpy(b, rotated, (size_t)columns * sizeof *b);
        }
    }
    free(V);
    free(work);
    return V ? status : LW_ERR_MEMORY;
}
