// A page in one file, which needs no server: the model, its meshes, code for its kinematics, and a
// motion.
#ifndef EXPORTED_H
#define EXPORTED_H

#include "shown.h"

/// Writes the page, whole or not at all, and says on standard output how large it is and what it
/// has. The motion is that of a run file or of a table, each NULL for none. Complains and returns
/// an exit code.
int exported_write(shown *s, const char *path, const char *run, const char *log);

#endif
