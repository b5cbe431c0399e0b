// Legs: up to three joints in series that bring a point to a target, or to the length of a rod from
// it. What a loop leaves to its joints where one side of it is known.
#ifndef LWI_LEG_H
#define LWI_LEG_H

#include "arm.h"

enum { LWI_LEG_JOINTS = 3, LWI_LEG_SOLUTIONS = 8 };

typedef enum lwi_leg_kind {
    LWI_LEG_NONE,         ///< no closed form
    LWI_LEG_ONE,          ///< one joint
    LWI_LEG_TWO,          ///< two joints
    LWI_LEG_MEET_FIRST,   ///< axes 1 and 2 intersect: joint 3 from the distance to that point
    LWI_LEG_MEET_LAST,    ///< axes 2 and 3 intersect: joint 1 from the distance to that point
    LWI_LEG_ALONG_LAST,   ///< axes 2 and 3 parallel: joint 1 from the component along them
    LWI_LEG_ALONG_FIRST,  ///< axes 1 and 2 parallel: joint 3 from the component along them
    LWI_LEG_THREE_GENERAL ///< three revolute joints, subproblem 5
} lwi_leg_kind;

typedef struct lwi_leg {
    lwi_leg_kind kind;
    int n;
    bool slides[LWI_LEG_JOINTS]; ///< prismatic joints; the others are revolute
    lw_vec3 h[LWI_LEG_JOINTS];   ///< unit axes at zero position
    lw_vec3 c[LWI_LEG_JOINTS];   ///< a point on each axis at zero position
    lw_vec3 end;                 ///< the point that is to reach the target, at zero position
    double length;               ///< of a rod between that point and the target; 0 for none
    double scale;                ///< m; lengths are judged against it
} lwi_leg;

/// Finds the closed form for the axes of a leg, sets `kind`, and moves points to where axes
/// intersect.
void lwi_leg_classify(lwi_leg *leg);

/// All solutions for a target, not verified: where none is exact, a configuration that comes near.
/// Returns how many.
int lwi_leg_solve(const lwi_leg *leg, lw_vec3 target, lwi_angle q[][LWI_LEG_JOINTS]);

/// How far the end misses the target, or the rod its length, m.
double lwi_leg_gap(const lwi_leg *leg, lw_vec3 target, const lwi_angle *q);

#endif
