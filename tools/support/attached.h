// Links that --scene and --attach have added.
#ifndef ATTACHED_H
#define ATTACHED_H

#include <linkwork/collide.h>

#include "support/robot_file.h"

/// What is attached is adjacent to nothing but what carries it: a table is not connected by the
/// joint that begins at the floor.
void attached_check(const robot *r, const command_line *args, lw_collide *c);

#endif
