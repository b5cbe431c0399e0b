// What rods with mass add to the derivatives of the tree's forces.
#ifndef LWI_ROD_DERIVATIVES_H
#define LWI_ROD_DERIVATIVES_H

#include "derivative_sweep.h"

/// Adds the derivatives of the forces of heavy rods to `out`, [nv*nv] each, beyond what the sweeps
/// make of these forces. Needs d->world and finished columns. Does nothing where no rod has mass.
void lwi_add_rod_derivatives(const lw_model *m, lw_data *d, const lwi_matrices *out);

#endif
