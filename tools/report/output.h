// What a command prints: text for people or JSON for programs.
//
// Nothing is printed until the command has succeeded: output_finish() then writes all of it, and
// refuses where any number in it is not finite.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <linkwork/math.h>

#include <jansson.h>

#include <float.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    bool is_json;
    FILE *text; ///< what people read, kept in memory; may be printed to directly
    char *block;
    size_t size;
    json_t *json;       ///< an object, or an array where the input was one
    bool is_short;      ///< memory was short
    bool is_not_finite; ///< a number was not finite
} output;

/// False when memory is short.
bool output_begin(output *out, bool is_json);

/// Prints everything; a code other than EXIT_GOOD is passed on, and nothing is printed. Frees all.
int output_finish(output *out, int code);

/// The same, printing the JSON whatever the code is: diagnostics are worth reading then.
int output_finish_anyway(output *out, int code);

// --- JSON -------------------------------------------------------------------------------------
// Each remembers in `out` what went wrong, so that callers need not look.

json_t *output_object(output *out);
json_t *output_array(output *out);
json_t *output_number(output *out, double value);
json_t *output_text(output *out, const char *text); ///< what is no UTF-8 is replaced
json_t *output_numbers(output *out, const double *value, int count);
json_t *output_matrix(output *out, const double *value, int rows, int columns);
json_t *output_names(output *out, const char *const *name, int count);

/// Puts a value into an object or behind an array; the value is then theirs.
void output_set(output *out, json_t *object, const char *key, json_t *value);
void output_append(output *out, json_t *array, json_t *value);

// --- Text -------------------------------------------------------------------------------------

/// Stands for a number that a table does not have, and is written as "-".
#define OUTPUT_NONE (-DBL_MAX)

/// How the numbers of one table are written, so that they stand below each other.
typedef struct number_style {
    int width;
    int decimals;
    bool has_exponent;
} number_style;

/// How many columns a name takes; and a name, filled up to a width.
int output_width(const char *name);
int output_widest(const char *const *name, int count);
void output_name(output *out, const char *name, int width);

/// A table: one row a name, with `columns` numbers each, value[row * columns + column]. Without
/// heads it has no first line.
void output_table(output *out, const char *title, const char *const *name, int rows,
                  const char *const *head, int columns, const double *value);

/// The same with units: below each head, or behind each row, where the list is not null.
void output_unit_table(output *out, const char *title, const char *const *name, int rows,
                       const char *const *head, int columns, const double *value,
                       const char *const *unit_below, const char *const *unit_behind);

#endif
