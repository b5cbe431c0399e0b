// What a command prints: text for people or JSON for programs.
//
// Nothing is printed until the command has succeeded: output_finish() then writes all of it, and
// refuses where any number in it is not finite.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <linkwork/math.h>

#include "support/args.h"

typedef struct output {
    bool is_json;
    FILE *text; ///< what people read, kept in memory; may be printed to directly
    char *block;
    size_t size;
    json_t *json;       ///< an object, or an array if the input was one
    bool is_not_finite; ///< a number was not finite
    memory *pool;       ///< of the command
} output;

/// As JSON where --json was given; as text without a command line. The program ends if memory is
/// short, here and below, as in memory.h.
void output_begin(output *out, const command_line *args);

/// Prints everything; a code other than EXIT_GOOD is passed on, and nothing is printed. Frees all.
int output_finish(output *out, int code);

/// The same, printing the JSON whatever the code is: diagnostics are worth reading then.
int output_finish_anyway(output *out, int code);

// --- JSON -------------------------------------------------------------------------------------
// `out` keeps whether a number was not finite, so that callers need not look.

json_t *output_object(output *out);
json_t *output_array(output *out);
json_t *output_number(output *out, double value);
json_t *output_text(output *out, const char *text); ///< what is no UTF-8 is replaced
json_t *output_numbers(output *out, const double *value, int count);
json_t *output_matrix(output *out, const double *value, int rows, int columns);
json_t *output_names(output *out, const char *const *name, int count);

/// Several values at once: output_put(out, object, "name s, mass f", name, mass). The letter after
/// a key is that of its value: s text, f number, d int, l long, o JSON; n number or NULL if it is
/// not finite, g number that is left out then.
void output_put(output *out, json_t *object, const char *keys, ...);

/// A new object at the end of an array, which owns it.
json_t *output_item(output *out, json_t *array);

/// Puts a value into an object or behind an array; the value is then theirs.
void output_set(output *out, json_t *object, const char *key, json_t *value);
void output_append(output *out, json_t *array, json_t *value);

// --- Text -------------------------------------------------------------------------------------

/// Stands for a number that a table does not have, and is written as "-".
#define OUTPUT_NONE (-DBL_MAX)

/// How the numbers of one table are written, so that they are aligned.
typedef struct number_style {
    int width;
    int decimals;
    bool has_exponent;
} number_style;

/// How many columns a name takes; and a name, filled up to a width.
int output_width(const char *name);
int output_widest(const char *const *name, int count);
void output_name(output *out, const char *name, int width);

/// A table: one row per name, with `columns` numbers each, value[row * columns + column]. Without
/// heads it has no first line.
void output_table(output *out, const char *title, const char *const *name, int rows,
                  const char *const *head, int columns, const double *value);

/// The same with units: below each head, or behind each row, where the list is not NULL.
void output_unit_table(output *out, const char *title, const char *const *name, int rows,
                       const char *const *head, int columns, const double *value,
                       const char *const *unit_below, const char *const *unit_behind);

#endif
