// A command at work: its model, the states that it is evaluated at, and what it prints.
#ifndef JOB_H
#define JOB_H

#include "report/output.h"
#include "support/args.h"
#include "support/robot_file.h"
#include "support/state.h"

struct job {
    const command_line *args;
    memory *pool;
    robot robot;
    const lw_model *m; ///< of the robot, and its data
    lw_data *d;
    state_list states;
    output out;
    bool prints_anyway; ///< what is printed is worth reading also if the command fails
    int code;           ///< exit code of a command that succeeds, unless it is EXIT_GOOD
    void *context;      ///< the command's own
};

/// Runs a command, in the order of command_def. Returns the exit code of the program.
int job_run(const command_line *args);

/// Complains of a calculation that failed at state i, and returns the exit code.
int job_failure(const job *work, int i, lw_status status);

/// Zeros [rows * columns].
double *job_numbers(const job *work, int rows, int columns);

#endif
