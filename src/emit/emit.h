// Straight-line code as text in some language.
//
// What all languages have in common (statements and expressions) is in emit_lines.c; each of them
// adds heads, types and functions around them. Emitters read tapes, independent of how these
// were found.
#ifndef LWI_EMIT_H
#define LWI_EMIT_H

#include <linkwork/generate.h>

#include "../base/arena.h"
#include "../base/text.h"
#include "../expr/tape_loop.h"

/// An array that a function fills.
typedef struct lwi_emit_result {
    const char *name;
    const char *output; ///< name of its outputs in the tape, where it is another; or NULL
    const char *about;  ///< what it is and in which units; a line
    int size;
    const double *want; ///< [size] the known answer
    double scale;       ///< size of its largest numbers, which errors are relative to
} lwi_emit_result;

/// A function to be written.
typedef struct lwi_emit_function {
    const char *name; ///< "inverse_dynamics"
    int nresult;
    const lwi_emit_result *result; ///< [nresult]
    bool reads_v, reads_a, reads_tau;
    bool reads_pose; ///< X [12] instead of positions
    lwi_counts counts;
    const lwi_tape *tape;
    int ndictionary; ///< products of sines and cosines that it reads instead of positions, or 0
    const double *dictionary; ///< [ndictionary] where the answers are known
} lwi_emit_function;

/// A quaternion within q.
typedef struct lwi_emit_quaternion {
    int q, v;     ///< its w, and its wx
    bool is_free; ///< a position stands before it, whose rate along body axes is behind wz
} lwi_emit_quaternion;

/// All that goes into a file. Names are any text.
typedef struct lwi_emit_source {
    const char *machine;
    const char *options; ///< by which the functions were derived, in words
    int nq, nv;
    const char *const *position_name, *const *velocity_name; ///< [nq], [nv]
    const char *const *position_unit, *const *velocity_unit; ///< [nq], [nv] "rad", or ""; or NULL
    const char *about; ///< gravity and mass, by which the model can be identified; a line
                       ///< that is safe within a comment
    bool is_sincos_input;
    int nparameter;
    const char *const *parameter_name; ///< [nparameter]
    const char *const
        *parameter_about;          ///< [nparameter] a line that is safe within a comment; or NULL
    const double *parameter;       ///< [nparameter] their values in this model
    int nframe;                    ///< whose poses a function gives; 0 where none does
    const char *const *frame_name; ///< [nframe]
    const lwi_tape_loops *loops; ///< that run before every function but inverse kinematics, or NULL
    int nfunction;
    const lwi_emit_function *function; ///< [nfunction]
    /// Where the answers are known; sine and cosine [nq] of q.
    const double *q, *v, *a, *tau, *sine, *cosine;
    const double *pose; ///< [12] X for q, or NULL where nothing reads it
    int nquaternion;
    const lwi_emit_quaternion *quaternion; ///< [nquaternion] in the order of q
} lwi_emit_source;

/// Why lwi_emit_...() failed is in the report.
lw_status lwi_emit_c(const lwi_emit_source *source, const lw_generate_options *options,
                     lw_report *report, lwi_text *out);
lw_status lwi_emit_fortran(const lwi_emit_source *source, const lw_generate_options *options,
                           lwi_text *out);
lw_status lwi_emit_script(const lwi_emit_source *source, const lw_generate_options *options,
                          lw_report *report, lwi_text *out);

// --- Statements (emit_lines.c) ----------------------------------------------------------------

/// How a language writes statements. Expressions are the same in all of them.
typedef struct lwi_syntax {
    const char *declare;                   ///< before a name that is set once: "    const double "
    const char *indent;                    ///< before an assignment
    const char *end;                       ///< of a statement
    const char *suffix;                    ///< of a number: "f"
    const char *function[LWI_OP_SIGN + 1]; ///< names of sqrt and those after it
    /// Where a sine and a cosine come from one call: the type of both, and the function. Else NULL.
    const char *pair_type, *pair_function;
    /// And where those of several positions come from one call: how arrays are declared, and the
    /// functions for up to two and up to four. Else NULL.
    const char *many_type, *two_function, *four_function;
    /// What makes a number a value of the type of results; NULL where numbers are such.
    const char *convert;
    bool has_indexed_angles; ///< sines and cosines of positions are s[0], c[0]; else s0, c0
    bool is_scheduled; ///< statements are put into the order of emit_order.c; else of the tape
} lwi_syntax;

/// Writes the statements that fill the results, which may lie where q, v, a, tau, s and c do: none
/// is written before these are read.
///
/// A value that is read once stands within the expression that reads it, as far as lines stay
/// readable; a product within a sum always, so that a compiler can fuse the two. Inputs are
/// q[i], v[i], a[i], tau[i], s[i], c[i], p[i], d[i], X[i], x[i] and `time`; what depends on
/// parameters only goes to `once`, which fills k[].
///
/// @param once   gets its statements, none where there are no parameters
/// @param nkept  gets the length of k[]
/// @return LW_ERR_MEMORY only
lw_status lwi_emit_lines(const lwi_tape *tape, int nresult, const lwi_emit_result *result,
                         const lwi_syntax *syntax, lwi_text *once, lwi_text *body, int *nkept);

/// A number that reads as a real: "3.0", "1e-05".
void lwi_emit_number(lwi_text *out, double value, const char *suffix);

// --- Dictionary (emit_dictionary.c) -----------------------------------------------------------

/// Splits a function into one that fills a dictionary of products of sines and cosines, d[], and
/// one that computes the results from it. A function without any stays one.
/// @param q    where the answers are known
/// @param pair gets *n functions, which borrow from the arena
/// @return LW_ERR_MEMORY only
lw_status lwi_emit_dictionary(lwi_arena *arena, const double *q, const lwi_emit_function *function,
                              lwi_emit_function pair[2], int *n);

// --- Sums (emit_sums.c) -----------------------------------------------------------------------

/// The same tape with the terms of its sums in the order in which they are available. It borrows
/// from the arena and from the other tape, and cannot be run.
/// @return LW_ERR_MEMORY only
lw_status lwi_emit_sums(lwi_arena *arena, const lwi_tape *tape, lwi_tape *out);

// --- Rounding (emit_round.c) ------------------------------------------------------------------

/// The same tape without the terms that float cannot see beside the rest of their sum, and without
/// what only these read. It borrows from the arena and from the other tape, and cannot be run.
/// @return LW_ERR_MEMORY only
lw_status lwi_emit_round(lwi_arena *arena, const lwi_tape *tape, lwi_tape *out);

// --- Order (emit_order.c) ---------------------------------------------------------------------

/// Where a line of a tape is written.
typedef enum lwi_line_location {
    LWI_NOWHERE, ///< nothing reads it
    LWI_FIRST,   ///< before all others, in the order of the tape
    LWI_ANGLE,   ///< sine or cosine of a position, which comes with others from one call
    LWI_WITHIN,  ///< within the statement of the only line that reads it
    LWI_ALONE    ///< in a statement of its own
} lwi_line_location;

/// The order in which lines are written so that much can be computed side by side: lines that stand
/// within others come just before these, and sines and cosines of one call behind one another.
/// @param place  [nline]
/// @param most   positions whose sines and cosines come from one call; those that are needed first
///               come together
/// @param order  [nline], of which *norder are filled
/// @param call   [nline] gets the number of the call that a sine or cosine of a position comes from
/// @return LW_ERR_MEMORY only
lw_status lwi_emit_order(const lwi_tape *tape, const unsigned char *location, int most, int *order,
                         int *norder, int *call);

// --- Names (emit_names.c) ---------------------------------------------------------------------

/// The state that known answers are for, as arrays by the names of arguments; empty where no
/// function reads them.
typedef struct lwi_emit_array {
    const char *name;
    const double *value;
    int n;
} lwi_emit_array;

enum { LWI_STATE_ARRAYS = 7 };
void lwi_emit_state(const lwi_emit_source *source, lwi_emit_array list[LWI_STATE_ARRAYS]);

enum { LWI_IDENTIFIER_SIZE = 40 };

/// Adds a text from a model to a comment: what could end the comment, join lines or reverse the
/// order of letters is replaced by '_'.
void lwi_emit_comment(lwi_text *out, const char *text);

/// Adds how the code was made, line by line behind the mark of a comment; nothing for NULL.
void lwi_emit_origin(lwi_text *out, const char *mark, const char *origin);

/// Adds comments that describe the results of a function: a line for each result.
void lwi_emit_about(lwi_text *out, const char *before, const lwi_emit_function *function);

/// Identifiers of n names, all different: those that would be the same get numbers behind.
/// @param identifier [n][LWI_IDENTIFIER_SIZE]
lw_status lwi_emit_identifiers(int n, const char *const *name,
                               char (*identifier)[LWI_IDENTIFIER_SIZE]);

/// Adds a constant for the index of each of n names, a line each: `before`, then an identifier of
/// the name, its index, and the name, with its unit, behind the mark of a comment.
/// @param comma between lines
/// @param unit  [n], or NULL
lw_status lwi_emit_indices(lwi_text *out, const char *before, const char *comma, const char *mark,
                           int n, const char *const *name, const char *const *unit);

// --- Sines and cosines of the file's own (emit_sincos.c) --------------------------------------

/// Writes the type PREFIX_pair and the function PREFIX_sincos() over a type, which is a vector
/// where there are several lanes. Compilers that do not keep to sums as written get <math.h>.
void lwi_emit_sincos(lwi_text *out, const char *prefix, const char *type, bool is_float, int lanes);

/// Writes PREFIX_sincos2() and PREFIX_sincos4(), or one of them, over a plain type.
/// @param has_pair PREFIX_sincos() is written already
void lwi_emit_sincos_many(lwi_text *out, const char *prefix, const char *type, bool is_float,
                          bool has_pair, bool has_two, bool has_four);

#endif
