#include "report/output.h"

#include "support/files.h"
#include "support/message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void output_begin(output *out, const command_line *args)
{
    *out = (output){.is_json = args && args_has(args, OPT_JSON), .pool = args ? args->pool : NULL};
    out->text = open_memstream(&out->block, &out->size);
    if (!out->text) {
        exit(no_memory());
    }
}

// --- Printing ---------------------------------------------------------------------------------

static bool dump(const json_t *value, FILE *file)
{
    return json_dumpf(value, file, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) == 0;
}

static bool has_parts(const json_t *value)
{
    json_t *first = NULL;
    if (json_is_array(value)) {
        first = json_array_get(value, 0);
    } else if (json_is_object(value)) {
        first = json_object_iter_value(json_object_iter((json_t *)value));
    }
    return json_is_array(first) || json_is_object(first);
}

static bool dump_key(const char *key, FILE *file)
{
    json_t *text = json_string(key);
    const bool is_good = text && dump(text, file) && fputs(": ", file) >= 0;
    json_decref(text);
    return is_good;
}

// Matrices, tables and lists of objects get a line for each row, everything else one line.
static bool dump_lines(json_t *value, const char *indent, FILE *file)
{
    const char *before = "\n";
    bool is_good = fputs(json_is_array(value) ? "[" : "{", file) >= 0;
    size_t i;
    json_t *part;
    json_array_foreach(value, i, part)
    {
        is_good = is_good && fprintf(file, "%s%s", before, indent) >= 0 && dump(part, file);
        before = ",\n";
    }
    const char *key;
    json_object_foreach(value, key, part)
    {
        is_good = is_good && fprintf(file, "%s%s", before, indent) >= 0 && dump_key(key, file) &&
                  dump(part, file);
        before = ",\n";
    }
    return is_good && fprintf(file, "\n%s%s", indent + 2, json_is_array(value) ? "]" : "}") >= 0;
}

static bool dump_document(json_t *root, FILE *file)
{
    if (json_is_array(root)) {
        return (has_parts(root) ? dump_lines(root, "  ", file) : dump(root, file)) &&
               fputc('\n', file) >= 0;
    }
    const char *before = "{\n  ", *key;
    bool is_good = true;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        is_good = is_good && fputs(before, file) >= 0 && dump_key(key, file) &&
                  (has_parts(value) ? dump_lines(value, "    ", file) : dump(value, file));
        before = ",\n  ";
    }
    return is_good && fputs("\n}\n", file) >= 0;
}

static void release(output *out)
{
    free(out->block);
    json_decref(out->json);
    *out = (output){0};
}

int output_finish_anyway(output *out, int code)
{
    bool is_good = !out->json || out->is_not_finite || dump_document(out->json, out->text);
    is_good = fclose(out->text) == 0 && is_good;
    if (out->is_not_finite) {
        code = complain(EXIT_NUMERIC, "a result is not finite; nothing is printed");
    } else if (!is_good) {
        code = no_memory();
    } else if (out->size > 0) {
        const int written = file_write("-", out->block, out->size);
        code = written != EXIT_GOOD ? written : code;
    }
    release(out);
    return code;
}

int output_finish(output *out, int code)
{
    if (code == EXIT_GOOD) {
        return output_finish_anyway(out, code);
    }
    fclose(out->text);
    release(out);
    return code;
}

// --- JSON -------------------------------------------------------------------------------------

static json_t *keep(json_t *value)
{
    if (!value) {
        exit(no_memory());
    }
    return value;
}

json_t *output_object(output *out)
{
    (void)out;
    return keep(json_object());
}

json_t *output_array(output *out)
{
    (void)out;
    return keep(json_array());
}

json_t *output_number(output *out, double value)
{
    if (!isfinite(value)) {
        out->is_not_finite = true;
        return json_null();
    }
    return keep(json_real(value));
}

json_t *output_text(output *out, const char *text)
{
    json_t *value = json_string(text);
    if (value) {
        return value;
    }
    char *plain = memory_text(out->pool, "%s", text); // file names may hold any bytes
    for (char *c = plain; *c; ++c) {
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    }
    return keep(json_string(plain));
}

json_t *output_numbers(output *out, const double *value, int count)
{
    json_t *array = output_array(out);
    for (int i = 0; i < count; ++i) {
        output_append(out, array, output_number(out, value[i]));
    }
    return array;
}

json_t *output_matrix(output *out, const double *value, int rows, int columns)
{
    json_t *array = output_array(out);
    for (int i = 0; i < rows; ++i) {
        const double *row = value + (size_t)i * (size_t)columns;
        output_append(out, array, output_numbers(out, row, columns));
    }
    return array;
}

json_t *output_names(output *out, const char *const *name, int count)
{
    json_t *array = output_array(out);
    for (int i = 0; i < count; ++i) {
        output_append(out, array, output_text(out, name[i]));
    }
    return array;
}

void output_set(output *out, json_t *object, const char *key, json_t *value)
{
    (void)out;
    if (json_object_set_new(object, key, value) != 0) {
        exit(no_memory());
    }
}

void output_append(output *out, json_t *array, json_t *value)
{
    (void)out;
    if (json_array_append_new(array, value) != 0) {
        exit(no_memory());
    }
}

json_t *output_item(output *out, json_t *array)
{
    json_t *item = output_object(out);
    output_append(out, array, item);
    return item;
}

static json_t *finite_or_null(output *out, double x)
{
    return isfinite(x) ? output_number(out, x) : json_null();
}

void output_put(output *out, json_t *object, const char *keys, ...)
{
    va_list list;
    va_start(list, keys);
    for (const char *at = keys; *at;) {
        const size_t length = strcspn(at, " ");
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        const char kind = at[length + 1];
        json_t *value = kind == 's'   ? output_text(out, va_arg(list, const char *))
                        : kind == 'd' ? keep(json_integer(va_arg(list, int)))
                        : kind == 'l' ? keep(json_integer(va_arg(list, long)))
                        : kind == 'f' ? output_number(out, va_arg(list, double))
                        : kind == 'o' ? va_arg(list, json_t *)
                                      : finite_or_null(out, va_arg(list, double));
        if (kind != 'g' || !json_is_null(value)) {
            output_set(out, object, key, value);
        }
        at += length + 2;
        at += strspn(at, ", ");
    }
    va_end(list);
}

// --- Text -------------------------------------------------------------------------------------

// Fixed point with six decimals where the largest of the numbers allows, else with exponents.
static number_style style_of(output *out, const double *value, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        out->is_not_finite = out->is_not_finite || !isfinite(value[i]);
        largest = value[i] == OUTPUT_NONE ? largest : fmax(largest, fabs(value[i]));
    }
    if (largest >= 1e7 || (largest > 0 && largest < 1e-2)) {
        return (number_style){.width = 13, .decimals = 5, .has_exponent = true};
    }
    int width = 10; // sign, digit, point, six decimals, and one more blank
    for (double limit = 10; limit <= largest; limit *= 10) {
        ++width;
    }
    return (number_style){.width = width, .decimals = 6};
}

// Prints a number with a blank before it.
static void add_cell(output *out, number_style style, double value)
{
    char text[64];
    if (value == OUTPUT_NONE) {
        fprintf(out->text, " %*s", style.width, "-");
        return;
    }
    int length = snprintf(text, sizeof text, style.has_exponent ? "%.*e" : "%.*f", style.decimals,
                          value == 0 ? 0.0 : value);
    // What rounds to zero has no sign.
    const char *digits = text;
    if (text[0] == '-' && strspn(text + 1, "0.") == (size_t)length - 1) {
        ++digits;
        --length;
    }
    fprintf(out->text, " %*s", style.width, digits);
}

// Prints the heads of columns, right above the numbers.
static void add_heads(output *out, number_style style, const char *const *head, int count)
{
    for (int i = 0; i < count; ++i) {
        fprintf(out->text, " %*s%s", style.width - output_width(head[i]), "", head[i]);
    }
}

int output_width(const char *name)
{
    int width = 0;
    for (; *name; ++name) {
        width += ((unsigned char)*name & 0xc0) != 0x80; // continuation bytes of UTF-8 take no space
    }
    return width;
}

int output_widest(const char *const *name, int count)
{
    int widest = 0;
    for (int i = 0; i < count; ++i) {
        const int width = output_width(name[i]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

void output_name(output *out, const char *name, int width)
{
    fprintf(out->text, "%s%*s", name, width - output_width(name), "");
}

// Heads, and below them their units.
static void print_heads(output *out, number_style style, const char *title, int width,
                        const char *const *head, int columns, const char *const *unit)
{
    output_name(out, title, width);
    add_heads(out, style, head, columns);
    if (unit) {
        fputc('\n', out->text);
        output_name(out, "", width);
        add_heads(out, style, unit, columns);
    }
    fputc('\n', out->text);
}

void output_table(output *out, const char *title, const char *const *name, int rows,
                  const char *const *head, int columns, const double *value)
{
    output_unit_table(out, title, name, rows, head, columns, value, NULL, NULL);
}

void output_unit_table(output *out, const char *title, const char *const *name, int rows,
                       const char *const *head, int columns, const double *value,
                       const char *const *unit_below, const char *const *unit_behind)
{
    number_style style = style_of(out, value, rows * columns);
    const int head_width = head ? output_widest(head, columns) : 0;
    const int unit_width = unit_below ? output_widest(unit_below, columns) : 0;
    style.width = head_width > style.width ? head_width : style.width;
    style.width = unit_width > style.width ? unit_width : style.width;
    const int first = output_width(title), widest = output_widest(name, rows);
    const int width = first > widest ? first : widest;
    if (head) {
        print_heads(out, style, title, width, head, columns, unit_below);
    }
    for (int i = 0; i < rows; ++i) {
        output_name(out, name[i], width);
        for (int k = 0; k < columns; ++k) {
            add_cell(out, style, value[(size_t)i * (size_t)columns + (size_t)k]);
        }
        fprintf(out->text, "%s%s\n", unit_behind ? " " : "", unit_behind ? unit_behind[i] : "");
    }
}
