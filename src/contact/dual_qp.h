// The quadratic program min 1/2 |x|^2 with A x = a and c_i' x >= 0 or bounds, for rows that have
// three entries each but for the equalities. The dual active-set method.
#ifndef LWI_DUAL_QP_H
#define LWI_DUAL_QP_H

#include <stdbool.h>

/// An inequality: sum of c[k] x[first + k] >= least.
typedef struct lwi_qp_row {
    int first;
    double c[3];
    double least;
} lwi_qp_row;

/// A program under way. Its arrays are the caller's.
typedef struct lwi_qp {
    int n;      ///< unknowns
    int active; ///< rows that hold, the equalities first
    int nequal;
    double *Q;         ///< [n*n] columns: a basis of the active rows, then of what they leave free
    double *R;         ///< [n*n] column by column: the active rows in that basis
    double *x;         ///< [n]
    double *u;         ///< [n+1] multipliers of the active rows
    double *b;         ///< [n+1] what the active rows are equal to
    double *d, *z, *r; ///< [n] each
    int *row;          ///< [n] inequality of each active row; -1 for an equality
    int iterations, most;
} lwi_qp;

/// x = 0 and no rows.
void lwi_qp_begin(lwi_qp *p);

/// Adds an equality c' x = value. False where it contradicts those before it; one that follows from
/// them is left out.
bool lwi_qp_equality(lwi_qp *p, const double *c, double value, double tolerance, bool *is_new);

typedef enum lwi_qp_end { LWI_QP_DONE, LWI_QP_INFEASIBLE, LWI_QP_STOPPED } lwi_qp_end;

/// Takes inequalities in until all hold. May be called again with more of them.
lwi_qp_end lwi_qp_solve(lwi_qp *p, int nrow, const lwi_qp_row *row, double tolerance);

#endif
