// The target of inverse kinematics as the command line gives it: a chain, where its tip is to be,
// and what fixes its redundancy.
#ifndef IK_TARGET_H
#define IK_TARGET_H

#include <linkwork/ik.h>

#include "support/args.h"

/// The options that ik_target_open() reads.
#define OPTIONS_IK                                                                                 \
    OPT_FRAME, OPT_FROM, OPT_POSE, OPT_POSITION, OPT_DIRECTION, OPT_HOLD, OPT_SWIVEL, OPT_NEAR,    \
        OPT_LIMITS, OPT_CERTAIN

typedef struct ik_target {
    lw_ik *ik; ///< freed by lw_ik_destroy()
    lw_ik_target target;
} ik_target;

/// Creates the solver of the chain and reads the target. Complains, prints what the classification
/// reports, and returns an exit code.
int ik_target_open(const command_line *args, const lw_model *m, lw_report *report, ik_target *out);

/// Solves from `seed`. Complains and returns an exit code where the target is refused; *why is what
/// else is to be reported, and empty where there is nothing.
int ik_target_solve(const ik_target *in, const double *seed, memory *pool, lw_ik_result *found,
                    const char **why);

/// [nsolution] indices of the solutions by their branches, + before -: the order in which the
/// solver returns them depends on the processor.
const int *ik_target_order(memory *pool, const lw_ik_result *found);

#endif
