// Laws of couplings, y = f(x).
#ifndef LWI_LAW_H
#define LWI_LAW_H

#include "program.h"

/// f[0] = f(x), and its first three derivatives.
void lwi_law_at(const lwi_step *step, double x, double f[4]);

/// Fills in the second derivatives of a table of n points, which make it twice differentiable: a
/// natural cubic spline. table [3 * n]: positions, values, second derivatives.
void lwi_spline(double *table, int n);

#endif
