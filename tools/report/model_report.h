// What a model is, and what was found in its files, as JSON: the keys of info and check.
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include <linkwork/model.h>

#include "report/output.h"

/// The keys of `info --json`.
json_t *model_json(output *out, const lw_model *m);

/// The value of `findings` in `check --json`.
json_t *diagnostics_json(output *out, const lw_report *report);

#endif
