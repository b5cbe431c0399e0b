// Bias and mass matrix of a machine with few degrees of freedom out of one recursion: the state and
// the unit accelerations go through Newton-Euler side by side, as four numbers in one register.
#ifndef LWI_COLUMNS_H
#define LWI_COLUMNS_H

#include "../model/data.h"

/// After the closure sweep lwi_closure_motion() with zero accelerations: h [nv] and M [nv*nv] in
/// independent coordinates. Where d->wide is not null.
typedef void lwi_columns(const lw_model *m, lw_data *d, const lw_force *f_ext, double *h,
                         double *M);

/// The one for this processor; null where it has no wide registers.
lwi_columns *lwi_get_columns(void);

/// Null where it was not compiled.
lwi_columns *lwi_get_columns_avx2(void);

#endif
