// Coefficients of the Runge-Kutta methods.
#ifndef LWI_TABLEAU_H
#define LWI_TABLEAU_H

#include <linkwork/simulate.h>

enum {
    LWI_STAGES = 16,   ///< of the method and of its dense output
    LWI_DENSE_ROWS = 7 ///< rows of a dense output
};

/// Stage i is f(t + c_i h, y + h sum_j a_ij k_j). The new y is the argument of stage `nstage`,
/// whose derivative is the first one of the next step.
typedef struct lwi_tableau {
    int nstage; ///< before the new y
    int nextra; ///< behind it, for the dense output
    int order;  ///< of the error estimate plus one: the step goes with its root
    double c[LWI_STAGES];
    double a[LWI_STAGES][LWI_STAGES];
    double error[LWI_STAGES];  ///< h sum e_j k_j estimates the error
    double error2[LWI_STAGES]; ///< a second estimate of lower order; zero where there is none
    int ndense;                ///< rows of the dense output, the three of a cubic included
    double dense[LWI_DENSE_ROWS][LWI_STAGES];
} lwi_tableau;

/// NULL for the method of Euler, which has none.
const lwi_tableau *lwi_tableau_of(lw_method method);

#endif
