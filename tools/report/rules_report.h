// What rules make of a specification, and which there are, as text or JSON.
#ifndef RULES_REPORT_H
#define RULES_REPORT_H

#include <linkwork/configure.h>

#include "report/output.h"

/// The classes and the rules of the knowledge base.
void rules_list(output *out);

/// The results of the last check of a specification, and what was completed; in JSON the keys rules
/// and completions of out->json, which is an object.
void rules_report(output *out, const lw_spec *spec);

#endif
