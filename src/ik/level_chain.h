// Chains that closures keep level: the sum of three parallel joints is constant, as the rods of a
// palletiser hold it. The tip then rotates with the first joint and the last one alone.
#ifndef LWI_LEVEL_CHAIN_H
#define LWI_LEVEL_CHAIN_H

#include "candidate.h"

typedef struct lwi_level_chain {
    bool is_level;
    int n; ///< joints: 4, or 5 with one behind the parallel ones
    double scale;
    double sign[3]; ///< of the parallel axes against the first of them
    lwi_angle sum;  ///< that the closures hold
    lwi_arm arm;
    lw_vec3 p12;
    lw_vec3 x, y;      ///< across the parallel axes, and across each other: their plane
    double a[2], b[2]; ///< p23 and p34 in that plane
    double along;      ///< component of p12, p23 and p34 along the axes
    lw_vec3 last;      ///< from axis 5 to the tip, along the axes of the tip
    lw_vec3 hand;      ///< a direction across axis 5, along the axes of the tip
    lw_vec3 hand_level, axis_level; ///< it and axis 5 where the sum has them
} lwi_level_chain;

/// Whether an arm has the axes: one, three parallel ones across it, and at most one more.
lwi_level_chain lwi_level_chain_of(const lwi_arm *arm, double angle);

/// The sum of the parallel joints at tree positions of the joints [n].
double lwi_level_chain_sum(const lwi_level_chain *level, const double *position);

/// Sets the sum; the chain is then complete.
void lwi_level_chain_hold(lwi_level_chain *level, double sum);

/// Candidates for all solutions, not verified: up to four. Where the task is a position alone the
/// last of five joints keeps the angle of the seed [n], rad.
void lwi_level_chain_solve(const lwi_level_chain *level, lwi_ik_rows rows, const lw_pose *X,
                           const double *seed, lwi_candidates *out);

#endif
