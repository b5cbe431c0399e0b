// Legs: up to three joints in series that bring a point to a target, or one joint that brings it to
// the length of a rod from there. What a loop leaves to its joints where one side of it is known.
#ifndef LWI_LEG_H
#define LWI_LEG_H

#include "reach.h"

enum { LWI_LEG_JOINTS = 3, LWI_LEG_SOLUTIONS = LWI_REACH_SOLUTIONS };

typedef struct lwi_leg {
    bool is_solvable; ///< it has a closed form
    lwi_arm arm;      ///< its axes at zero position
    lw_vec3 end;      ///< the point that is to reach the target, at zero position
    double length;    ///< of a rod between that point and the target; 0 for none
    double scale;     ///< m; lengths are judged against it
    lwi_reach reach;  ///< of a leg without a rod
} lwi_leg;

/// Finds the closed form for the axes of a leg.
void lwi_leg_classify(lwi_leg *leg);

/// All solutions for a target, not verified: where none is exact, a configuration that comes near.
/// Returns how many.
int lwi_leg_solve(const lwi_leg *leg, lw_vec3 target, lwi_angle q[][LWI_LEG_JOINTS]);

/// How far the end misses the target, or the rod its length, m.
double lwi_leg_gap(const lwi_leg *leg, lw_vec3 target, const lwi_angle *q);

#endif
