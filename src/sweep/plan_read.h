// Reading a plan, part by part.
#ifndef LWI_PLAN_READ_H
#define LWI_PLAN_READ_H

#include "plan.h"

#include "../base/report.h"
#include "../io/xml.h"

/// What the parts of the reader share.
typedef struct lwi_plan_reader {
    lw_sweep *s;
    lw_report *report;
    char *folder; ///< of the plan
} lwi_plan_reader;

/// Memory of the plan; reports where it is short.
void *lwi_plan_take(lwi_plan_reader *r, size_t count, size_t size);
const char *lwi_plan_keep(lwi_plan_reader *r, const char *text);

/// Reports that there is no such thing, with what may be meant.
lw_status lwi_plan_unknown(lwi_plan_reader *r, lw_location at, const char *what, const char *name,
                           const lw_nearest *near);

/// Reads <vary> and <measure> of the root; models and the run file are there already.
lw_status lwi_plan_read_inputs(lwi_plan_reader *r, lwi_xml_node *root);
lw_status lwi_plan_read_measures(lwi_plan_reader *r, lwi_xml_node *root);

/// Finds the attribute of the run file that varies.
lw_status lwi_plan_find_attribute(lwi_plan_reader *r, lwi_input *input);

#endif
