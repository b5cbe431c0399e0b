// Options of the commands that derive equations, and engines made from them.
#ifndef EQUATIONS_H
#define EQUATIONS_H

#include <linkwork/generated.h>

#include "report/output.h"
#include "support/robot_file.h"

/// Reads --functions; `functions` holds the default before. Complains and returns an exit code.
int equations_functions(const command_line *args, unsigned *functions);

/// Reads --cost and --effort; `effort` holds the default before.
int equations_effort(const command_line *args, lw_cost *cost, int *effort);

/// Reads --round.
int equations_rounding(const command_line *args, double *rounding);

/// The counts of one function as JSON.
json_t *equations_counts(output *out, lw_counts counts);

/// Whether all elements of the equations of a mechanism are few enough to be written out.
bool equations_are_short(const lw_model *m);

/// The compiler of the environment (CC), with the user's cache folder in `cache`.
void equations_compiler(lw_compiler *compiler, char cache[], size_t size);

enum { ENGINES_MOST = 3 };

/// Engines of one model, as requested by --engines.
typedef struct engines {
    int count;
    lw_engine *engine[ENGINES_MOST + 2]; ///< and two solvers of inverse kinematics
} engines;

/// Makes them; what cannot be compiled is reported on standard error. The compiler is that of the
/// environment (CC), and keeps its results in the user's cache folder. Free with engines_close().
int engines_open(engines *e, const command_line *args, const lw_model *m,
                 const lw_engine_options *options, lw_report *report);
void engines_close(engines *e);

/// --form, as it is. Complains and returns an exit code.
int equations_form(const command_line *args, lw_form *form);

#endif
