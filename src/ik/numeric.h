// Inverse kinematics by damped least squares, for any chain: where no closed form exists, for
// tracking, and as a check of the others.
#ifndef LWI_NUMERIC_H
#define LWI_NUMERIC_H

#include "ik_kernels.h"

/// The weight of lengths that finds most, times the length of the arm. (1 takes 6 % more iterations
/// over 24 arms, 8 as many as 2. Without it, in metres, arms of 0.1 mm take four times as many.)
#define LWI_NUMERIC_WEIGHT 2.0

typedef struct lwi_numeric_def {
    const lwi_ik_kernels *kernels;
    lwi_ik_rows rows;
    const double *lower, *upper; ///< [n] limits, infinite where there are none
    double weight;               ///< of lengths against angles, 1/m
    double tolerance;            ///< of the residual, m and rad
    int iterations;              ///< of one start
    int starts;                  ///< the seed, the middle of the limits, then Halton's points
} lwi_numeric_def;

typedef struct lwi_numeric_result {
    bool is_solved;
    double residual;   ///< root of the sum of squares of the components, m and rad
    int iterations;    ///< of all starts
    int starts;        ///< that were used
    unsigned at_limit; ///< bit i: joint i is held by a limit in the best configuration
} lwi_numeric_result;

/// Looks for joint positions within the limits that bring the tip to X; q is the seed, and becomes
/// the solution, or the best configuration found.
lwi_numeric_result lwi_numeric_solve(const lwi_frames *frames, const lw_pose *X,
                                     const lwi_numeric_def *def, double *q);

/// Goes down from q to where the residual is least nearby, within the limits: Marquardt's damping,
/// which grows where a step fails. For targets out of reach, where that of the search above, made
/// for residuals that vanish, creeps. Returns the residual.
double lwi_numeric_descend(const lwi_frames *frames, const lw_pose *X, const lwi_numeric_def *def,
                           double *q);

/// The rotation and the displacement from one pose to another in the rows of a task: rotation
/// first, then displacement, along the axes that both poses are given in.
void lwi_pose_error(const lw_pose *now, const lw_pose *X, lwi_ik_rows rows, double e[6]);

/// Element `index` of Halton's sequence in a base.
double lwi_halton(int index, int base);

#endif
