// Feeds the hand-written yardsticks from a compiled model.
#ifndef YARDSTICK_H
#define YARDSTICK_H

#include "hand_rnea.h"

#include <linkwork/model.h>

/// The arm as the yardsticks read it. False where the model is not six revolute joints in a row
/// without closure steps, or a link has no mass.
bool hand_arm_of(const lw_model *m, hand_arm *arm);

#endif
