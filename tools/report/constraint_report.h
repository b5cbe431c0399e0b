// What became of a set of constraints, as JSON or as text.
#ifndef CONSTRAINT_REPORT_H
#define CONSTRAINT_REPORT_H

#include <linkwork/constraints.h>

#include "report/output.h"

/// Writes the certificate: into `result`, or as text where that is null.
void constraint_report(output *out, json_t *result, const lw_model *m,
                       const lw_constraint_result *found);

#endif
