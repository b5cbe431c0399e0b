// Feeds the hand-written yardsticks, and peers that want the same numbers, from a compiled model.
#ifndef YARDSTICK_H
#define YARDSTICK_H

#include "hand_rnea.h"

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Centre of mass, and the tensor about it; the body must have mass.
void center_of(const lw_inertia *inertia, lw_vec3 *center, lw_sym3 *tensor);

/// A body that has mass, on a revolute joint, as the yardsticks read it.
hand_link hand_link_of(const lw_model *m, int body);

/// The arm as the yardsticks read it. False where the model is not six or seven revolute
/// joints in a row without closure steps, or a link has no mass.
bool hand_arm_of(const lw_model *m, hand_arm *arm);

#ifdef __cplusplus
}
#endif
#endif
