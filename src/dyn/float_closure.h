// Closure steps in float: from the independent coordinates to all of the tree.
#ifndef LWI_FLOAT_CLOSURE_H
#define LWI_FLOAT_CLOSURE_H

#include "float_model.h"

/// Fills d->q from the independent positions q, and d->rate. LW_ERR_LOOP_OPEN and LW_ERR_SINGULAR
/// with d->fault, as lw_forward_position().
lw_status lwi_close_positions32(const lw_model32 *m, lw_data32 *d, const float *q);

/// Fills d->v from the independent velocities v, and d->bias.
void lwi_close_velocities32(const lw_model32 *m, lw_data32 *d, const float *v);

#endif
