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

/// A point on a circle: R(k, a) p = fixed + along cos a + across sin a.
typedef struct lwi_orbit {
    lw_vec3 fixed, along, across;
} lwi_orbit;

typedef struct lwi_six {
    lwi_six_class kind;
    bool is_reversed;  ///< `arm` is the given arm seen from its tip
    double scale;      ///< m; length of the arm
    double margin;     ///< how far the arm is from the class: rad, or share of its length
    double least_root; ///< roots are at least this share of the largest possible one; 0 but for
                       ///< starts of Newton's method, which must not lie where two roots meet
    int nfact;
    lw_ik_fact fact[4]; ///< of `arm`, that make the class, and by what margin
    lwi_arm arm; ///< of the class: points are where axes intersect, and axes are parallel, as
                 ///< nearly as they are

    // What the closed form needs of the arm. Joints count from 1 here, as in the literature.
    lw_vec3 p[5];                     ///< between the points of neighbouring axes
    lwi_orbit elbow;                  ///< p34 about axis 3
    lwi_orbit sixth;                  ///< axis 6 about axis 5
    lwi_orbit tail;                   ///< p56 about axis 5
    double elbow_s, elbow_c, elbow_e; ///< |p23 + R3 p34|^2 / 2 is elbow_e less these by sin and cos
    double along_second;              ///< h2 . (p12 + ...), up to the wrist or to axis 5
    double cosine45, cosine56;        ///< of the angles between axes
    double sense3, sense4;            ///< -1 where axes 3 and 4 point against axis 2, else 1
    lw_vec3 normal;                   ///< h5 x h4
    lw_vec3 x2, x6, y6;               ///< x2 across h2; x6 and y6 across h6
} lwi_six;

/// A target, and the first roots for it.
typedef struct lwi_six_target {
    lw_mat3 R06;  ///< rotation of all joints
    lw_vec3 p16;  ///< from the point of axis 1 to that of axis 6
    lw_vec3 v, x; ///< R06 h6, R06 x6
    lwi_angle seed[6];
    int nfront; ///< branches of the first joints: 4, or what subproblem 6 finds
    double front_s[2][4], front_c[2][4]; ///< by subproblem 6: q1, and q3 or q5
} lwi_six_target;

/// Finds the class of an arm with six revolute joints. Angles between axes below `angle` rad count
/// as parallel, distances below `distance` times the length of the arm as intersections. Where
/// these are not merely rounding, solutions are starts of Newton's method.
lwi_six lwi_six_of(const lwi_arm *arm, double angle, double distance);

/// Whether the arm is only nearly of its class, by more than rounding.
static inline bool lwi_six_is_near(const lwi_six *six)
{
    return six->margin > 1e-12;
}

/// All solutions of the class for a pose, not verified; joints that are not determined keep the
/// angle of the seed.
void lwi_six_solve(const lwi_six *six, const lw_pose *X, const lwi_angle *seed,
                   lwi_candidates *out);

#endif
