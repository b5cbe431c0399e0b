// Solutions next to a singular configuration, where two of them meet and vanish as the target
// moves: a fold of the forward kinematics.
#ifndef LWI_FOLD_H
#define LWI_FOLD_H

#include "candidate.h"

enum { LWI_FOLD_SOLUTIONS = 2 };

typedef struct lwi_fold {
    int count;                          ///< of solutions, 0 where they have vanished
    lwi_angle q[LWI_FOLD_SOLUTIONS][6]; ///< to some hundredths
} lwi_fold;

/// Looks for all solutions of an arm with six revolute joints on the curve through a configuration
/// on which all but one of the equations hold: it leads in the direction in which the joints move
/// the tip the least. The one that is next to q comes first. False where the configuration is not
/// next to a simple singular one.
bool lwi_fold_solve(const lwi_arm *arm, double length, const lw_pose *X, const lwi_angle *q,
                    lwi_fold *fold);

#endif
