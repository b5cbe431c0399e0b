// What rods with mass add to the derivatives of the tree's forces.
#ifndef LWI_ROD_DERIVATIVES_H
#define LWI_ROD_DERIVATIVES_H

#include "../model/data.h"

/// Adds the forces of the heavy rods to tau [tree_nv], and their derivatives to by_q, by_v and M
/// [tree_nv*tree_nv] each. Needs d->world and finished columns. Does nothing where no rod has mass.
void lwi_add_rod_derivatives(const lw_model *m, lw_data *d, const double *tree_q, double *by_q,
                             double *by_v, double *M, double *tau);

#endif
