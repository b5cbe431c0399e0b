// Singular configurations with some joints at their limits, as solutions of equations.
#ifndef LWI_BOUNDARY_CURVE_H
#define LWI_BOUNDARY_CURVE_H

#include "boundary_section.h"

enum { LWI_CURVE_UNKNOWNS = LWI_BOUNDARY_JOINTS + LWI_BOUNDARY_ROWS };

typedef double lwi_curve_matrix[LWI_CURVE_UNKNOWNS][LWI_CURVE_UNKNOWNS];

/// The curve that is traced: its unknowns y are the free joints, then xi.
typedef struct lwi_curve {
    lwi_section *s;
    unsigned fixed; ///< joints at limits: two bits each, 1 low, 2 high
    int nfree, free[LWI_BOUNDARY_JOINTS];
    int n; ///< unknowns; one equation fewer
    double x[LWI_BOUNDARY_JOINTS];
    double J[LWI_BOUNDARY_ROWS * LWI_BOUNDARY_JOINTS]; ///< where the equations were evaluated last
    lwi_curve_matrix H; ///< second derivatives of xi' p there, of the free joints
} lwi_curve;

/// False where the joints cannot be fixed so, or too few are left.
bool lwi_curve_open(lwi_curve *c, lwi_section *s, unsigned fixed);

/// Residuals [n-1] and derivatives [n-1][n] at y; the image of the point.
bool lwi_curve_equations(lwi_curve *c, const double *y, double *residual, lwi_curve_matrix A,
                         double image[2]);

/// The shortest y with A y = b, m equations of n unknowns, slightly damped.
bool lwi_shortest_solution(int m, int n, lwi_curve_matrix A, const double *b, double *y);

/// Solves A y = b, n equations, by elimination with row exchanges. False where A is singular.
bool lwi_solve_square(int n, lwi_curve_matrix A, double *b);

/// Newton's method onto the curve, by the shortest way; unknown `held` (or -1) keeps its value.
bool lwi_curve_settle(lwi_curve *c, double *y, int held, double image[2]);

/// The first free joint beyond its limits, or -1; *limit is the one that it met.
int lwi_curve_outside(const lwi_curve *c, const double *y, double *limit);

bool lwi_curve_put(const lwi_curve *c, const double *y, const double image[2], lwi_trace *t);

#endif
