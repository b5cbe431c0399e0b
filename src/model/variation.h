// Models that differ in one number.
#ifndef LWI_VARIATION_H
#define LWI_VARIATION_H

#include <linkwork/parameters.h>

enum { LWI_SIDES = 6 }; ///< models of a difference of fifth or sixth order

struct lw_variation {
    const lw_model *model; ///< with the number as it is; not its own
    double step;
    bool is_forward; ///< 0 to 5 steps, where there is nothing below; else -3, -2, -1, 1, 2 and 3
    lw_model *side[LWI_SIDES];
    lw_data *data[LWI_SIDES];
    double *tau; ///< [nv] of the side that is being computed
};

/// Frees the models.
void lwi_variation_clear(lw_variation *variation);

#endif
