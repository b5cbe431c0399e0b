// What is known of a tape while its statements are written: shared by the files that write them.
#ifndef LWI_EMIT_WRITER_H
#define LWI_EMIT_WRITER_H

#include "emit.h"

/// How strongly the outermost operator of a text binds.
typedef enum lwi_binding { LWI_ATOM, LWI_PRODUCT, LWI_SUM } lwi_binding;

/// A value of the tape, and the text that stands for it.
typedef struct lwi_emit_value {
    const char *text;
    lwi_binding binding;
    bool is_flipped; ///< the text is the negative of the value
    bool is_number;
    double number; ///< the value, where it is one
    bool is_live;
    bool is_kept;  ///< depends on parameters only and is read by what does not
    bool is_there; ///< its statement is written
    int slot;      ///< the first of the results that it is, -1 for none
    bool is_input; ///< the text reads an input that may change by what is written
    int uses;
    int user;                  ///< the last line that reads it, or -1 for an output
    int pair;                  ///< number of the sine and cosine of it, -1 for none
    const char *sine, *cosine; ///< where they come with those of others, else NULL
} lwi_emit_value;

/// A number of a result.
typedef struct lwi_emit_slot {
    const char *array;
    int index;
    bool has_value;
    uint32_t value; ///< reference
    int next;       ///< slot with the same value, -1 for none
    bool is_done;   ///< it is written
} lwi_emit_slot;

typedef struct lwi_writer {
    const lwi_tape *tape;
    const lwi_syntax *syntax;
    lwi_text *once, *body;
    lwi_arena arena;
    lwi_text line;           ///< scratch
    lwi_emit_value *value;   ///< [ninput + nnumber + nline]
    int first;               ///< value that is the first line
    unsigned char *location; ///< [nline] lwi_line_location
    bool is_placed;          ///< place is known; else it is found
    int nname, nkept;        ///< names and k[] given away
    lwi_emit_slot *slot;     ///< [nslot] of the results
    int nslot;
    int nread;     ///< places in statements to be written that read inputs
    int held;      ///< those of them that are in lines of the statement at hand
    bool is_short; ///< memory ran out; what is written is not whole
} lwi_writer;

// --- Expressions (emit_expression.c) ----------------------------------------------------------

/// Takes the text out of w->line into the arena. Never NULL: a failed allocation sets w->is_short.
const char *lwi_writer_keep(lwi_writer *w);

/// A text in the arena: letter, number and what stands behind it.
const char *lwi_writer_name(lwi_writer *w, const char *letter, int number, const char *behind);

/// Writes `name = ` and what is in w->line, which is empty after it.
void lwi_writer_assign(lwi_writer *w, lwi_text *out, const char *before, const char *name);

/// Gives inputs and numbers their texts.
void lwi_name_inputs(lwi_writer *w);

/// Whether a reference is the negative of its text.
bool lwi_is_negative(const lwi_writer *w, uint32_t ref);

/// Adds a reference as the argument of a function, without its sign unless requested.
void lwi_add_argument(lwi_writer *w, uint32_t ref, bool is_signed);

/// What depends on numbers only becomes a number; false where it does not.
bool lwi_fold_line(lwi_writer *w, const lwi_line *line, lwi_emit_value *p);

/// Puts the expression of a line into w->line; its sign and binding go to the value.
void lwi_write_expression(lwi_writer *w, const lwi_line *line, lwi_emit_value *p);

// --- Sines and cosines (emit_angles.c) --------------------------------------------------------

/// The index of the position that a reference is, or -1.
int lwi_position_of(const lwi_writer *w, uint32_t ref);

/// What the sine or cosine of a position is called.
const char *lwi_angle_name(lwi_writer *w, bool is_sine, int position);

/// A sine or cosine as one half of what a single call gives; writes the call where it is the first.
void lwi_write_half(lwi_writer *w, const lwi_line *line, lwi_emit_value *p, lwi_text *out);

/// Writes the call that a sine or cosine of a position comes from with those of others.
/// @param order [n] lines, of which those of this call are next
/// @param call  [nline] the number of the call of each
void lwi_write_call_of(lwi_writer *w, const int *order, int n, const int *call);

#endif
