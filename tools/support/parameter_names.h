// Numbers of a description that may be varied, by their names.
#ifndef PARAMETER_NAMES_H
#define PARAMETER_NAMES_H

#include "support/job.h"

/// What --list prints. Returns an exit code.
int parameter_names_print(job *work);

#endif
