// Plans that commands write from their options.
#ifndef PLAN_TEXT_H
#define PLAN_TEXT_H

#include "support/files.h"
#include "support/job.h"

/// Begins <sweep> with the model, structures, levels, cases, seed, mode and run of the options;
/// models are named by where they are. Complains and returns an exit code; what is begun must be
/// ended.
int plan_begin(file_draft *draft, const job *work, double cases);

/// Adds --vary.
int plan_add_inputs(file_draft *draft, const job *work);

/// Adds a measure, or all of --measure.
void plan_add_measure(file_draft *draft, const char *measure);
int plan_add_measures(file_draft *draft, const job *work);

/// Ends the plan, and runs it where code is EXIT_GOOD.
int plan_run(file_draft *draft, job *work, int code);

#endif
