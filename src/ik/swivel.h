// Seven revolute joints with a shoulder and a wrist of three axes that meet, and an elbow between
// them: the redundancy is the swivel angle of the elbow about the line from shoulder to wrist.
#ifndef LWI_SWIVEL_H
#define LWI_SWIVEL_H

#include "candidate.h"

typedef struct lwi_swivel {
    bool is_one; ///< the arm is of this class; everything else is zero otherwise
    bool is_conventional;
    double scale;  ///< m; from shoulder to elbow to wrist
    double margin; ///< m; how far the axes are from meeting
    lwi_arm arm;
    lw_vec3 shoulder, elbow, wrist; ///< at zero position
    lw_vec3 axis, reference;        ///< unit vectors
} lwi_swivel;

/// Whether an arm is of the class, with tolerances as for lwi_six_of(). The swivel angle is
/// stereographic (Elias and Wen 2023): singular only where the wrist is from the shoulder in the
/// direction of `axis`, and zero toward `reference`, which is across it. The conventional angle is
/// measured from the plane of `reference`, and singular on its whole line.
lwi_swivel lwi_swivel_of(const lwi_arm *arm, bool is_conventional, lw_vec3 axis, lw_vec3 reference,
                         double angle, double distance);

/// Candidates for the eight solutions with this swivel angle, not verified.
void lwi_swivel_solve(const lwi_swivel *swivel, const lw_pose *X, double angle,
                      const lwi_angle *seed, lwi_candidates *out);

/// The swivel angle of a configuration.
double lwi_swivel_angle(const lwi_swivel *swivel, const lwi_angle *q);

enum { LWI_SWIVEL_BOUNDS = 72 };

/// Swivel angles, in ascending order, between which no joint of any branch passes a limit: each
/// limit is met where an expression in sine and cosine of the swivel angle vanishes. Returns how
/// many.
int lwi_swivel_bounds(const lwi_swivel *swivel, const lw_pose *X, const double *lower,
                      const double *upper, double bound[LWI_SWIVEL_BOUNDS]);

#endif
