// The second yardstick: the Lagrangian equations of Uicker (1965) and Kahn (1969), evaluated
// plainly.
#ifndef UICKER_KAHN_H
#define UICKER_KAHN_H

#include "hand_rnea.h"

/// The same torques as hand_rnea(), at O(n^4).
void uicker_kahn(const hand_arm *arm, const double q[HAND_JOINTS], const double v[HAND_JOINTS],
                 const double a[HAND_JOINTS], double tau[HAND_JOINTS]);

typedef struct uicker_matrix {
    double at[4][4];
} uicker_matrix;

/// Matrices that a chain of n joints needs.
#define UICKER_WORK(n) (((n) + 2) * (n))

/// The same for a chain of n revolute joints.
/// @param work [UICKER_WORK(n)]
/// @return how many multiplications and additions it took
long long uicker_kahn_chain(int n, const hand_link *link, const double gravity[3], const double *q,
                            const double *v, const double *a, double *tau, uicker_matrix *work);

#endif
