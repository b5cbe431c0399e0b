// A check of generated code: its functions against numbers of the numeric algorithms.
#ifndef SELF_CHECK_SOURCE_H
#define SELF_CHECK_SOURCE_H

#include <linkwork/engine.h>
#include <linkwork/generate.h>

#include "support/memory.h"

/// What the check compares.
typedef struct check_plan {
    const lw_model *m;
    lw_data *d;
    const char *prefix;
    unsigned functions;                ///< bits 1u << lw_function of the code
    int frame;                         ///< of the Jacobian and of inverse kinematics
    const lw_control_numbers *control; ///< of the controllers; NULL for none
    const char *other;                 ///< prefix of code that checks itself, too; NULL for none
} check_plan;

/// A function `double linkwork_self_check(void)` in C, which returns the largest relative error at
/// random states. Complains and returns an exit code.
int self_check_source(memory *pool, const check_plan *plan, const char **text);

#endif
