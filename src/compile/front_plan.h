// The order of elimination for forward dynamics of models with closure steps.
#ifndef LWI_FRONT_PLAN_H
#define LWI_FRONT_PLAN_H

#include "build.h"

/// Makes b->fronts, which stays NULL without steps, and where the steps couple so much that the
/// plan would be larger than a dense matrix. Needs close.
lw_status lwi_plan_fronts(lwi_build *b);

#endif
