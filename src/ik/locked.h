// Redundant chains with one joint at a given value: the others are solved as a chain of their own.
#ifndef LWI_LOCKED_H
#define LWI_LOCKED_H

#include "few.h"

enum { LWI_LOCKED_ROLES = 4 };

typedef struct lwi_locked {
    int joint;        ///< that is given
    bool is_constant; ///< the class of the others does not depend on its value
    lwi_arm arm;
    lwi_few few;                     ///< of the others, with the joint at zero
    int nrole;                       ///< 1 for a closed form, or all of them
    lwi_role role[LWI_LOCKED_ROLES]; ///< of LWI_FEW_ELIMINATION
} lwi_locked;

/// The arm without a joint, which stays at `at`.
lwi_arm lwi_arm_locked(const lwi_arm *arm, int joint, lwi_angle at);

/// Classifies an arm of at most seven joints with one of them given; -1 takes the one that leaves a
/// closed form, or else the one whose elimination is the most regular. Joints at the ends are
/// preferred.
void lwi_locked_of(const lwi_arm *arm, lwi_ik_rows rows, int joint, double angle, double distance,
                   lwi_elimination *work, lwi_locked *locked);

/// Candidates with the joint at `at`, by one of the roles.
void lwi_locked_solve(const lwi_locked *locked, const lw_pose *X, lwi_angle at,
                      const lwi_angle *seed, int role, lwi_elimination *work, lwi_candidates *out);

#endif
