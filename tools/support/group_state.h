// Named configurations of a robot: <group_state> of the file of --srdf.
#ifndef GROUP_STATE_H
#define GROUP_STATE_H

#include <linkwork/io.h>

#include "support/args.h"

/// Finds "NAME", or "GROUP/NAME" where several groups have the name, for the option `where`.
/// Complains and returns an exit code; *srdf, which *state borrows from, is destroyed either way.
int group_state_find(const command_line *args, const char *where, const char *name, lw_srdf **srdf,
                     const lw_group_state **state);

#endif
