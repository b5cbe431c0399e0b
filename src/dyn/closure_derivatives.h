// How the rates of closure steps change: derivatives of tree velocities and accelerations through
// loops, beyond G.
#ifndef LWI_CLOSURE_DERIVATIVES_H
#define LWI_CLOSURE_DERIVATIVES_H

#include "world.h"

/// Fills d->fronts.v_by_q, a_by_q and a_by_v, and adds (dG'/dq) t to by_q [nv*nv], NULL for none.
/// Needs the columns of the derivative sweep, G (lwi_closure_compose) and the forces t of the tree
/// in d->tree_tau, which are changed. False at a singular configuration.
bool lwi_closure_derivatives(const lw_model *m, lw_data *d, const lwi_state *at, double *by_q);

#endif
