// Six revolute joints in closed form: a spherical wrist, or three parallel axes, at either end.
#ifndef LWI_SIX_H
#define LWI_SIX_H

#include <linkwork/ik.h>

#include "candidate.h"

typedef enum lwi_six_class {
    LWI_SIX_GENERAL,            ///< no closed form
    LWI_SIX_SPHERICAL_PARALLEL, ///< wrist 4-5-6 spherical, axes 2 and 3 parallel
    LWI_SIX_PARALLEL_SPHERICAL, ///< wrist 4-5-6 spherical, axes 1 and 2 parallel
    LWI_SIX_SPHERICAL_MEETING,  ///< wrist 4-5-6 spherical, axes 1 and 2 intersect
    LWI_SIX_SPHERICAL,          ///< wrist 4-5-6 spherical
    LWI_SIX_PARALLEL_MEETING,   ///< axes 2, 3 and 4 parallel, axes 5 and 6 intersect
    LWI_SIX_PARALLEL            ///< axes 2, 3 and 4 parallel
} lwi_six_class;

typedef struct lwi_six {
    lwi_six_class kind;
    bool is_reversed; ///< `arm` is the given arm seen from its tip
    double scale;     ///< m; length of the arm
    int nfact;
    lw_ik_fact fact[4]; ///< of `arm`, that make the class, and by what margin
    lwi_arm arm;        ///< with points where axes intersect, as far as they do
} lwi_six;

/// Finds the class of an arm with six revolute joints. Angles between axes below `angle` rad count
/// as parallel, distances below `distance` times the length of the arm as intersections.
lwi_six lwi_six_of(const lwi_arm *arm, double angle, double distance);

/// All solutions of the class for a pose, not verified; joints that are not determined keep the
/// angle of the seed.
void lwi_six_solve(const lwi_six *six, const lw_pose *X, const lwi_angle *seed,
                   lwi_candidates *out);

#endif
