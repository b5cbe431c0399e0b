// Derivatives of the forces of springs.
#ifndef LWI_SPRING_DERIVATIVES_H
#define LWI_SPRING_DERIVATIVES_H

#include "derivative_sweep.h"

/// Adds the derivatives of d->spring_tau to `out`, [nv*nv] each and folded (fold_derivatives.h).
void lwi_add_spring_derivatives(const lw_model *m, lw_data *d, const double *tree_q,
                                const double *tree_v, const lwi_matrices *out);

#endif
