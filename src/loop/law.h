// Laws of couplings and springs, y = f(x).
#ifndef LWI_LAW_H
#define LWI_LAW_H

#include "../model/program.h"

/// f[0] = f(x), and its first three derivatives.
void lwi_law_at(const lwi_step *step, double x, double f[4]);

/// The same of a polynomial, or of a table as lwi_fill_table() leaves it; n numbers.
void lwi_curve_at(lw_law law, const double *coefficient, int n, double x, double f[4]);

/// Its integral from 0 to x.
double lwi_curve_integral(lw_law law, const double *coefficient, int n, double x);

/// Makes a table of n points out of pairs of position and value. The second derivatives make it
/// twice differentiable: a natural cubic spline.
/// @param table [3 * n] positions, values, second derivatives
void lwi_fill_table(const double *pairs, int n, double *table);

#endif
