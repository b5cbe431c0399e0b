// Which pairs of links are checked for collisions, as the command line has it.
#ifndef LINK_PAIRS_H
#define LINK_PAIRS_H

#include <linkwork/collide.h>

#include "support/robot_file.h"

/// Checks what --scene and --attach have added against all but what carries it: a table is not
/// connected by the joint that begins at the floor. Leaves out the pairs that --srdf names. Prints
/// diagnostics, and returns an exit code.
/// @param declared [npair] reasons that the SRDF file gives, else null; may be null
int link_pairs_choose(const robot *r, const command_line *args, lw_collide *c,
                      const char **declared);

#endif
