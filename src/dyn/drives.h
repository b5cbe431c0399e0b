// What the motors of a model must give.
#ifndef LWI_DRIVES_H
#define LWI_DRIVES_H

#include "../model/data.h"

/// Splits tau [nv] onto the drives: effort [ndrive], and what none of them can give in d->tree_tau.
/// Tree velocities are given back, or NULL where a loop does not close.
const double *lwi_split_onto_drives(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *tau, double *effort);

#endif
