// The part of the demonstration that derives equations and makes code of them.
#ifndef DEMO_EQUATIONS_H
#define DEMO_EQUATIONS_H

#include "report/output.h"
#include "support/timing.h"

#include "support/robot_file.h"

/// Prints the counts of the robot's equations beside those of general methods, compiles them,
/// compares what was compiled with the numeric engine, and times both. Returns an exit code.
int print_equations(output *out, const command_line *args, const robot *r, timing_bench *bench,
                    double seconds);

#endif
