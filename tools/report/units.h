// Units of what belongs to a degree of freedom, which rotates or slides.
#ifndef UNITS_H
#define UNITS_H

#include <linkwork/model.h>

#include "support/memory.h"

typedef enum unit_of {
    UNIT_OF_POSITION,
    UNIT_OF_VELOCITY,
    UNIT_OF_ACCELERATION,
    UNIT_OF_FORCE,
    UNIT_OF_INERTIA
} unit_of;

/// The body that a position of the tree belongs to.
int unit_body_of_position(const lw_model *m, int tree_q);

/// Whether a degree of freedom of the tree slides, and does not turn.
bool unit_slides(const lw_model *m, int tree_v);

/// The unit of some degrees of freedom of the tree together: one where they agree, else both, as in
/// "rad or m"; and that of all independent ones.
const char *unit_of_some(const lw_model *m, const int *tree_v, int count, unit_of what);
const char *unit_of_all(const lw_model *m, unit_of what);

/// The units of some degrees of freedom of the tree, [count]. A shaft may be that of a linear
/// motor; if anything slides its unit is therefore both.
const char **unit_list(memory *pool, const lw_model *m, const int *tree_v, int count, unit_of what);

#endif
