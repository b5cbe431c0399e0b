// Arms that are only nearly of a class with a closed form, close to singular poses.
#ifndef LWI_SIX_NEAR_H
#define LWI_SIX_NEAR_H

#include "six.h"

/// Looks for the solution of an arm on the branch of a candidate, by the closed form of the class
/// that it nearly belongs to: with q known, the arm reaches X where the one of the class reaches
/// X T(q)^-1 T_class(q), which changes little with q. This contracts next to singular poses, which
/// the closed form knows, where Newton's method does not. The candidate becomes the best that is
/// found.
/// @param work candidates of the closed form
void lwi_six_near_solve(const lwi_six *six, const lwi_arm *arm, const lw_pose *X,
                        const lwi_angle *seed, lwi_candidates *work, lwi_candidate *c);

#endif
