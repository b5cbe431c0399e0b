// The parts of the emitter of C: what they share.
#ifndef LWI_EMIT_C_H
#define LWI_EMIT_C_H

#include "emit.h"

/// A file that is being written.
typedef struct lwi_c_file {
    const lwi_emit_source *source;
    const lw_generate_options *options;
    lwi_text *out;
    char prefix[LWI_IDENTIFIER_SIZE];
    char real[LWI_IDENTIFIER_SIZE + 8];      ///< type of all values
    const char *number;                      ///< type of one number
    const char *suffix;                      ///< of numbers: "f" or ""
    const char *storage;                     ///< before functions: "static inline " or ""
    char name[13][LWI_IDENTIFIER_SIZE + 16]; ///< texts that the syntax borrows
    lwi_syntax syntax;
    int nkept[2 * LW_FUNCTION_COUNT]; ///< lengths of k[]
} lwi_c_file;

/// Adds a text in which '@' is the prefix with an underscore, '$' the type of values, and %s and %d
/// are as in lwi_text_format().
void lwi_c_print(lwi_c_file *f, const char *format, ...);

/// Whether a function closes loops first.
static inline bool has_loops(const lwi_c_file *f, const lwi_emit_function *function)
{
    return f->source->loops && !function->reads_pose;
}

// The length of an array. C has none without elements: a model that cannot move has one each.
static inline int c_length(int length)
{
    return length > 0 ? length : 1;
}

static inline bool is_vector(const lwi_c_file *f)
{
    return f->options->lanes > 1;
}

/// Adds a number, in vectors for each lane (emit_c.c).
void lwi_c_number(lwi_c_file *f, double value);

/// Whether a text reads an array, or names anything so (emit_c_function.c).
bool lwi_c_reads(const char *text, const char *name);

/// What is written of a function: all of it, or its head for a header.
typedef enum lwi_c_form { LWI_C_DEFINITION, LWI_C_DECLARATION } lwi_c_form;

/// Writes a function, with what it computes once where there are parameters (emit_c_function.c).
lw_status lwi_c_function(lwi_c_file *f, int i, lwi_c_form form);

/// Writes the loops of code, which functions begin with (emit_c_loop.c).
lw_status lwi_c_loops(lwi_c_file *f);

/// Writes the mechanism as states and inputs; behind forward dynamics.
void lwi_c_plant(lwi_c_file *f, lwi_c_form form);

/// Writes the comparison with known answers; behind all functions.
void lwi_c_self_check(lwi_c_file *f, lwi_c_form form);

#endif
