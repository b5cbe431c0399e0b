// What a simulation came to: steps, energy, and what each drive had to give.
#ifndef SIMULATION_REPORT_H
#define SIMULATION_REPORT_H

#include "report/output.h"
#include "report/simulation.h"

/// Both remember in `out` where memory is short.
void report_text(output *out, const simulation *s);
void report_json(output *out, const simulation *s, json_t *result);

#endif
