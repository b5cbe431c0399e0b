// Springs and torsions in float.
#ifndef LWI_FLOAT_SPRINGS_H
#define LWI_FLOAT_SPRINGS_H

#include "float_model.h"

/// Leaves the forces that hold against all springs in d->spring_tau [tree_nv]. Poses of the
/// segments in the world are in d->pose. False where there are no springs, or the data is ideal.
bool lwi_find_spring_forces32(const lw_model32 *m, lw_data32 *d, const float *tree_q,
                              const float *tree_v);

#endif
