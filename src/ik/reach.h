// Positions of a point by at most three joints, revolute or prismatic in any order: the part of an
// arm before its wrist, and arms that only carry a point.
#ifndef LWI_REACH_H
#define LWI_REACH_H

#include "arm.h"

/// Classes after the kinds of the joints from the base, once the chain is seen from the end for
/// which there is a class. PARALLEL and MEETING are the revolute axes.
typedef enum lwi_reach_class {
    LWI_REACH_NONE,         ///< no joint
    LWI_REACH_P,            ///< projection
    LWI_REACH_R,            ///< SP1
    LWI_REACH_PP,           ///< linear
    LWI_REACH_RP,           ///< linear or quadratic, SP1
    LWI_REACH_PR,           ///< the same
    LWI_REACH_RR_PARALLEL,  ///< SP3, SP1
    LWI_REACH_RR,           ///< SP4, SP1
    LWI_REACH_PPP,          ///< linear
    LWI_REACH_RPP,          ///< SP4, linear
    LWI_REACH_PRP,          ///< quadratic, SP1
    LWI_REACH_RRP_PARALLEL, ///< linear, SP3, SP1
    LWI_REACH_RPR_PARALLEL, ///< linear, SP3, SP1
    LWI_REACH_RRP_SQUARE,   ///< prismatic joint across axis 2: SP4, quadratic, SP1
    LWI_REACH_RRP_MEETING,  ///< quadratic, SP2
    LWI_REACH_RRP,          ///< quartic, SP1
    LWI_REACH_RPR,          ///< SP6
    LWI_REACH_RRR_PARALLEL, ///< axes 2 and 3 parallel: SP4, SP3, SP1
    LWI_REACH_RRR_MEETING,  ///< axes 1 and 2 intersect: SP3, SP2
    LWI_REACH_RRR           ///< SP5
} lwi_reach_class;

typedef struct lwi_reach {
    lwi_reach_class kind;
    bool is_reversed; ///< joints below are those given in reverse order, with opposite axes
    int n;            ///< joints that are given
    int held;     ///< the last ones (first, if reversed) are redundant and keep the seed's value
    double scale; ///< m; length of the arm
    bool slides[3];
    lw_vec3 h[3], c[3];
} lwi_reach;

typedef struct lwi_reach_solution {
    lwi_angle q[3];
    signed char shoulder, elbow; ///< signs of the roots, 0 where the class has none
    unsigned undetermined;       ///< bit i: joint i kept the angle of the seed
} lwi_reach_solution;

enum { LWI_REACH_SOLUTIONS = 8 };

/// Classifies the first n <= 3 joints of an arm.
lwi_reach lwi_reach_of(const lwi_arm *arm, int n, double scale, double angle, double distance);

/// All positions of the joints that bring the point that is at `tip` at zero position to `goal`;
/// not verified. Out of reach it is the nearest in the sense of each subproblem. Returns how many.
int lwi_reach_solve(const lwi_reach *reach, lw_vec3 tip, lw_vec3 goal, const lwi_angle *seed,
                    lwi_reach_solution q[LWI_REACH_SOLUTIONS]);

#endif
