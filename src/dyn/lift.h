// Tree coordinates as functions of the independent ones, up to third derivatives.
#ifndef LWI_LIFT_H
#define LWI_LIFT_H

#include "../model/data.h"

/// Fills d->lift [tree_nv] for the tree positions d->tree_q of a model whose closure steps are all
/// simple (lwi_program.is_simple). Needs the position sweep.
void lwi_lift_coordinates(const lw_model *m, lw_data *d);

#endif
