// Chains of at most six joints that are not six revolute ones: arms of one to five joints, SCARA,
// gantry, cylindrical and Stanford types, with the task that they can do.
//
// A task that leaves the rotation about the tip's z axis free is that of the whole pose with one
// more revolute joint there, and a task of position alone is solved by the first three joints.
#ifndef LWI_FEW_H
#define LWI_FEW_H

#include "candidate.h"
#include "eliminate.h"
#include "reach.h"
#include "six.h"

typedef enum lwi_few_class {
    LWI_FEW_NONE,        ///< no closed form
    LWI_FEW_POSITION,    ///< the first three joints carry the point, others keep the seed's values
    LWI_FEW_WRIST,       ///< the last axes meet in a point that the joints before carry
    LWI_FEW_ORIENTATION, ///< revolute axes have at most three directions, of which the orientation
                         ///< gives the angles; prismatic joints and the rest of a parallel group
                         ///< follow
    LWI_FEW_SIX,         ///< six revolute joints of a class of six.h, one of them virtual
    LWI_FEW_ELIMINATION  ///< six revolute joints of no class, one of them virtual: eliminate.h
} lwi_few_class;

typedef struct lwi_few {
    lwi_few_class kind;
    lwi_ik_rows rows;
    int n;            ///< joints of the arm
    int before;       ///< virtual joints in front of them; others come behind
    bool spins;       ///< the last joint rotates about the tip's z axis, and is free
    bool is_reversed; ///< `arm` is seen from its tip
    double scale;     ///< m; length of the arm
    double angle, distance;
    lwi_arm arm;     ///< with virtual joints, in the order of the class
    lwi_reach reach; ///< of the joints before the wrist
    int wrist;       ///< how many joints are in the wrist
    lw_vec3 point;   ///< where their axes meet, or the tip
    int nrun;        ///< directions of revolute axes
    lw_vec3 run[3];
    int first, last; ///< revolute joints at the ends of the parallel group
    lwi_six six;
} lwi_few;

/// Finds the class of an arm for a task. Tolerances are those of lwi_six_of().
void lwi_few_of(const lwi_arm *arm, lwi_ik_rows rows, double angle, double distance, lwi_few *few);

/// Candidates for all solutions, not verified. LWI_FEW_ELIMINATION alone uses the role and the work
/// space: call it once for each role.
void lwi_few_solve(const lwi_few *few, const lw_pose *X, const lwi_angle *seed, lwi_role role,
                   lwi_elimination *work, lwi_candidates *out);

#endif
