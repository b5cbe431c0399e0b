#include "support/path_file.h"

#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z, QW, QX, QY, QZ, T, COLUMNS, MOST_ROWS = 1000000 };

static const char *const column_name[COLUMNS] = {"x", "y", "z", "qw", "qx", "qy", "qz", "t"};

/// A file while it is read.
typedef struct reader {
    const char *path;
    const char *next, *end; ///< what is left of it
    int line;
    memory *pool;
    lw_report *report;
    int ncolumn, column[COLUMNS]; ///< of the file: which of the above
    bool has[COLUMNS];
} reader;

/// A row: its text, without the line's end.
typedef struct row {
    const char *text;
    size_t size;
} row;

static int fail(const reader *r, size_t column, const char *message)
{
    const lw_location at = {r->path, r->line, (int)column + 1};
    lw_report_add(r->report, LW_ERROR, LW_ERR_SYNTAX, LW_DIAG_ERROR, at, "%s", message);
    return EXIT_INPUT;
}

// The next row that is not empty.
static bool next_row(reader *r, row *out)
{
    while (r->next < r->end) {
        const char *stop = memchr(r->next, '\n', (size_t)(r->end - r->next));
        stop = stop ? stop : r->end;
        *out = (row){r->next, (size_t)(stop - r->next)};
        r->next = stop < r->end ? stop + 1 : stop;
        ++r->line;
        while (out->size > 0 && strchr(" \t\r", out->text[out->size - 1])) {
            --out->size;
        }
        if (out->size > 0) {
            return true;
        }
    }
    return false;
}

// The field that begins at *at, without blanks around it; *at is then behind its comma.
static row next_field(const row *from, size_t *at, size_t *begin)
{
    const char *comma = memchr(from->text + *at, ',', from->size - *at);
    size_t stop = comma ? (size_t)(comma - from->text) : from->size, first = *at;
    *at = stop + 1;
    while (first < stop && (from->text[first] == ' ' || from->text[first] == '\t')) {
        ++first;
    }
    while (stop > first && (from->text[stop - 1] == ' ' || from->text[stop - 1] == '\t')) {
        --stop;
    }
    *begin = first;
    return (row){from->text + first, stop - first};
}

static int read_header(reader *r)
{
    row head;
    size_t begin = 0;
    if (!next_row(r, &head)) {
        return fail(r, 0, "it is empty: its first row names columns: x,y,z,qw,qx,qy,qz, or t too");
    }
    for (size_t at = 0; at <= head.size;) {
        const row field = next_field(&head, &at, &begin);
        const char *name =
            memory_text(r->pool, "%.*s", (int)(field.size < 60 ? field.size : 60), field.text);
        lw_nearest near;
        lw_nearest_init(&near, name);
        int k = 0;
        while (k < COLUMNS && strcmp(name, column_name[k]) != 0) {
            lw_nearest_offer(&near, column_name[k++]);
        }
        if (k == COLUMNS || r->has[k]) {
            char text[SUGGEST_SIZE];
            return fail(r, begin,
                        k < COLUMNS
                            ? memory_text(r->pool, "column \"%s\" is there twice", name)
                            : memory_text(r->pool,
                                          "there is no column \"%s\"%s; there are x, y, z, qw, "
                                          "qx, qy, qz and t",
                                          name, suggest_text(&near, text)));
        }
        r->has[k] = true;
        r->column[r->ncolumn++] = k;
    }
    if (!r->has[X] || !r->has[Y] || !r->has[Z]) {
        return fail(r, 0, "its columns must have x, y and z");
    }
    const int turns = r->has[QW] + r->has[QX] + r->has[QY] + r->has[QZ];
    return turns == 0 || turns == 4 ? EXIT_GOOD
                                    : fail(r, 0, "either all of qw, qx, qy, qz or none");
}

static int read_row(reader *r, const row *from, double value[COLUMNS], size_t begin[COLUMNS])
{
    size_t at = 0, first = 0;
    int count = 0;
    for (; at <= from->size; ++count) {
        const row field = next_field(from, &at, &first);
        if (count < r->ncolumn && !number_parse(field.text, field.size, &value[r->column[count]])) {
            return fail(r, first,
                        memory_text(r->pool, "\"%.*s\" is not a finite number",
                                    (int)(field.size < 60 ? field.size : 60), field.text));
        }
        if (count < r->ncolumn) {
            begin[r->column[count]] = first;
        }
    }
    return count == r->ncolumn
               ? EXIT_GOOD
               : fail(r, 0,
                      memory_text(r->pool, "it has %d fields, but there are %d columns", count,
                                  r->ncolumn));
}

static int add_pose(reader *r, const double value[COLUMNS], const size_t begin[COLUMNS],
                    path_file *out)
{
    const int i = out->npose;
    const lw_quat quat = {value[QW], value[QX], value[QY], value[QZ]};
    const double norm = sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
    if (out->has_quaternion && !(fabs(norm - 1.0) < 1e-3)) {
        return fail(r, begin[QW],
                    memory_text(r->pool, "the quaternion has length %g, not 1", norm));
    }
    if (out->time && i > 0 && !(value[T] > out->time[i - 1])) {
        return fail(r, begin[T],
                    memory_text(r->pool, "t is %g, and %g in the row before: times must increase",
                                value[T], out->time[i - 1]));
    }
    out->pose[i].R = out->has_quaternion ? lw_rotation_quat(quat) : lw_mat3_identity();
    out->pose[i].p = lw_vec3_of(value[X], value[Y], value[Z]);
    out->at[i] = (lw_location){r->path, r->line, 1};
    if (i > 0 && memcmp(&out->pose[i], &out->pose[i - 1], sizeof *out->pose) == 0) {
        return fail(r, begin[X], "the pose is that of the row before: a move without length");
    }
    if (out->time) {
        out->time[i] = value[T];
    }
    ++out->npose;
    return EXIT_GOOD;
}

static int read_rows(reader *r, path_file *out)
{
    int code = read_header(r);
    if (code != EXIT_GOOD) {
        return code;
    }
    size_t lines = 1;
    for (const char *c = r->next; c < r->end; ++c) {
        lines += *c == '\n';
    }
    if (lines > MOST_ROWS) {
        return fail(r, 0, "it has more than a million rows");
    }
    out->has_quaternion = r->has[QW];
    out->pose = memory_get(r->pool, lines, sizeof *out->pose);
    out->at = memory_get(r->pool, lines, sizeof *out->at);
    out->time = r->has[T] ? memory_get(r->pool, lines, sizeof *out->time) : NULL;
    row from;
    while (code == EXIT_GOOD && next_row(r, &from)) {
        double value[COLUMNS] = {0.0};
        size_t begin[COLUMNS] = {0};
        code = read_row(r, &from, value, begin);
        code = code == EXIT_GOOD ? add_pose(r, value, begin, out) : code;
    }
    return code == EXIT_GOOD && out->npose < 2 ? fail(r, 0, "a path needs at least two rows")
                                               : code;
}

int path_file_read(const char *path, memory *pool, lw_report *report, path_file *out)
{
    char *text = NULL;
    size_t size = 0;
    const int code = file_read(path, &text, &size);
    *out = (path_file){0};
    if (code != EXIT_GOOD) {
        return code;
    }
    const bool has_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    reader r = {.path = path,
                .next = text + (has_mark ? 3 : 0),
                .end = text + size,
                .pool = pool,
                .report = report};
    const int result = read_rows(&r, out);
    free(text);
    return result;
}
