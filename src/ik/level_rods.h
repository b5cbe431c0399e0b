// Rods that keep a chain level (level_chain.h) do so up to their dead centres, where a
// parallelogram folds into its mirror image. Which side of them a configuration of the chain is on,
// as numbers times the sines and cosines of its joints.
#ifndef LWI_LEVEL_RODS_H
#define LWI_LEVEL_RODS_H

#include "solve.h"

enum { LWI_LEVEL_RODS = 8 };

/// The moment of a rod about the joint that it gives, per force, times the branch of its step:
/// positive on the side of the reference configuration, m^2. It is constant + along cos + across
/// sin, of each of the three angles.
typedef struct lwi_level_rod {
    int loop; ///< which
    double constant;
    double along[3], across[3]; ///< of q2, of q2 + q3 and of q3, about the second axis
} lwi_level_rod;

typedef struct lwi_level_rods {
    lwi_angle sum; ///< of the three parallel joints, about the second axis
    int n;
    lwi_level_rod rod[LWI_LEVEL_RODS];
} lwi_level_rods;

/// Finds those of the steps that a level chain depends on; work [3 * tree_nq]. False where a step
/// is neither linear nor a rod with a joint parallel to the three of the chain, whose body keeps
/// its angle against one of their links, or there are too many.
bool lwi_level_rods_of(lw_ik *ik, double *work, lwi_level_rods *rods);

#endif
