// The parts of the emitter of Python: what they share.
#ifndef LWI_EMIT_PYTHON_H
#define LWI_EMIT_PYTHON_H

#include "emit.h"

extern const lwi_syntax lwi_python_syntax;

/// Writes the loops of code, which functions begin with (emit_python_loop.c).
lw_status lwi_python_loops(const lwi_emit_source *source, lwi_text *out);

#endif
