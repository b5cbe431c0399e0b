// Derivatives of the forces of springs.
#ifndef LWI_SPRING_DERIVATIVES_H
#define LWI_SPRING_DERIVATIVES_H

#include "spring_forces_tree.h"

/// Adds the derivatives of d->spring_tau to by_q and by_v [tree_nv*tree_nv]; either may be NULL.
void lwi_add_spring_derivatives(const lw_model *m, lw_data *d, const double *tree_q,
                                const double *tree_v, double *by_q, double *by_v);

#endif
