// Tree coordinates as functions of the independent ones, up to third derivatives.
#ifndef LWI_LIFT_H
#define LWI_LIFT_H

#include "../model/data.h"

/// Fills d->lift [tree_nv] for the tree positions d->tree_q of a model with closure steps. Needs
/// the position sweep.
bool lwi_lift_coordinates(const lw_model *m, lw_data *d);

#endif
