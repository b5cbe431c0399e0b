// Derived derivatives of forces by parameters against numeric ones.
#ifndef PARAMETER_CHECK_H
#define PARAMETER_CHECK_H

#include "support/job.h"

#include <linkwork/symbolic.h>

/// Compares derivatives by all parameters that `inputs` names (lw_derive_options) at random states,
/// and prints for each the largest difference. EXIT_NUMERIC where one is beyond the tolerance.
/// @param options of the derivation, but for functions and inputs
int check_parameters(job *work, const char *inputs, const lw_derive_options *options, int nstate,
                     double tolerance);

#endif
