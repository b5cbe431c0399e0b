// The second yardstick: the Lagrangian equations of Uicker (1965) and Kahn (1969), evaluated
// plainly.
#ifndef UICKER_KAHN_H
#define UICKER_KAHN_H

#include "hand_rnea.h"

/// The same torques as hand_rnea(), at O(n^4).
void uicker_kahn(const hand_arm *arm, const double q[HAND_JOINTS], const double v[HAND_JOINTS],
                 const double a[HAND_JOINTS], double tau[HAND_JOINTS]);

#endif
