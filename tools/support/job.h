// What every command that computes at states has in common: open the model, read the states,
// compute at each, print all.
#ifndef JOB_H
#define JOB_H

#include "report/output.h"
#include "support/args.h"
#include "support/robot_file.h"
#include "support/state.h"

typedef struct job {
    const command_line *args;
    robot robot;
    state_list states;
    output out;
    void *context; ///< the command's own
} job;

/// The steps of a command; each returns an exit code.
typedef struct job_steps {
    /// Looks at the options and takes memory; may be null.
    int (*prepare)(job *work);

    /// Computes at state i and puts it into `result`, or prints it as text where result is null.
    int (*evaluate)(job *work, int i, json_t *result);
} job_steps;

int job_run(const command_line *args, const job_steps *steps, void *context);

/// Complains of a calculation that failed at state i, and returns the exit code.
int job_failure(const job *work, int i, lw_status status);

/// Memory for numbers, zeroed; complains where it is short.
double *job_numbers(int rows, int columns);

#endif
