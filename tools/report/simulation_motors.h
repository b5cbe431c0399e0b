// What the motion of a run asks of the motors, against what they have.
#ifndef SIMULATION_MOTORS_H
#define SIMULATION_MOTORS_H

#include "report/output.h"
#include "report/simulation.h"

/// Nothing where the run has no motion, or the machine no motors.
void report_motors_text(output *out, const simulation *s);
void report_motors_json(output *out, const simulation *s, json_t *result);

#endif
