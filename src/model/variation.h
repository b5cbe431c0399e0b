// Models that differ in one number.
#ifndef LWI_VARIATION_H
#define LWI_VARIATION_H

#include <linkwork/parameters.h>

enum { LWI_SIDES = 6 }; ///< of a central difference: -3, -2, -1, 1, 2 and 3 steps

struct lw_variation {
    const lw_model *model; ///< with the number as it is; not its own
    double step;
    lw_model *side[LWI_SIDES];
    lw_data *data[LWI_SIDES];
    double *tau; ///< [nv] of the side that is being computed
};

#endif
