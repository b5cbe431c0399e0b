// Six revolute joints of any geometry: all solutions by elimination (Raghavan and Roth 1990), with
// coefficients that are sampled instead of derived, and an eigenvalue problem in place of a
// polynomial (Manocha and Canny 1994).
#ifndef LWI_ELIMINATE_H
#define LWI_ELIMINATE_H

#include "candidate.h"

/// Which joint plays which part in the elimination: 18 choices, of which some are singular for a
/// given arm.
typedef struct lwi_role {
    int shift; ///< 0 to 5: the loop is cut so that joint `shift` comes first
    int eigen; ///< 0 to 2: which of the joints 3, 4 and 5 from there is the eigenvariable
} lwi_role;

/// Memory of one elimination, the caller's because of its size.
typedef struct lwi_elimination {
    double left[14][27], right[14][9];
    double E[6][27];
    double M[3][12][12];
    double A[24 * 24], re[24], im[24];
    double LU[12][12];
    double Q[14][14], R[14][9];
    lwi_candidates inner; ///< of solvers that use others, few.h
} lwi_elimination;

/// Candidates for all solutions of an arm with six revolute joints at a pose, by one choice of
/// roles, at most 24; they are to be refined and verified.
void lwi_eliminate(const lwi_arm *arm, const lw_pose *X, lwi_role role, lwi_elimination *work,
                   lwi_candidates *out);

/// The best `count` choices of roles for an arm, judged at two poses.
void lwi_choose_roles(const lwi_arm *arm, lwi_elimination *work, int count, lwi_role *role);

/// How regular a choice of roles is for an arm, judged at one pose; 0 for singular.
double lwi_role_score(const lwi_arm *arm, const lw_pose *X, lwi_role role, lwi_elimination *work);

#endif
