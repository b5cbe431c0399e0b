// Modules in languages that are interpreted: what Python and JavaScript have in common.
#ifndef LWI_EMIT_SCRIPT_H
#define LWI_EMIT_SCRIPT_H

#include "emit.h"

/// How a language writes a module, beside its statements. Those with a %s or %d in their comment
/// are formats.
typedef struct lwi_script {
    const lwi_syntax *syntax;
    const char *comment;       ///< mark of a comment of a whole line: "#"
    const char *head;          ///< what functions use: imports, _clamp, _sign, _compare
    const char *constant;      ///< before the name of a constant
    const char *exported;      ///< before the name of one that callers use
    const char *constant_end;  ///< between a value and the comment behind it
    const char *function;      ///< before the name of a function
    const char *internal;      ///< before the name of one that callers do not use
    const char *begin, *end;   ///< of the body of a function
    const char *no_value;      ///< None, null
    const char *zeros;         ///< a list of zeros: its name %s, its length %d
    const char *many[2];       ///< around the lists that a function returns, unless it is one
    const char *unless_closed; ///< where loops cannot be closed, up to "return": first argument %s
    const char *nans;          ///< a list of NaN: its length %d
    const char *end_unless;    ///< end of that statement
    const char *sincos;        ///< statements that make s and c of q
    const char *fresh_x;       ///< statement that makes x for a first call
    const char *check_locals;  ///< begin of the body of the self-check
    const char *loops;         ///< _invert, _iterate, _begin and _close, as in tape_loop.c
    const char *add_loop[2];   ///< around an item that joins _LOOPS
} lwi_script;

extern const lwi_script lwi_python, lwi_javascript;

#endif
