// A file of constraints as the command line gives it, solved for a model.
#ifndef CONSTRAINT_SET_FILE_H
#define CONSTRAINT_SET_FILE_H

#include <linkwork/constraint_file.h>

#include "support/robot_file.h"

typedef struct constraint_set_file {
    lw_constraint_list *list; ///< freed by constraint_set_close()
    lw_constraints *set;      ///< likewise
} constraint_set_file;

/// Reads the file of --constraints, prints diagnostics to standard error, and makes the set.
/// Complains and returns an exit code. constraint_set_close() is due either way.
int constraint_set_open(const robot *r, const command_line *args, constraint_set_file *out);

/// Solves from -q, from the start of the file, or from the reference configuration.
/// @param q [nq] of the command line, or null where it gives none
int constraint_set_solve(const constraint_set_file *in, const double *q,
                         lw_constraint_result *result);
void constraint_set_close(constraint_set_file *file);

#endif
