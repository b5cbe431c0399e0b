// Reading tables: CSV with a header, or the .npy files that table_write() makes.
#include "report/table.h"

#include "support/files.h"
#include "support/message.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text that is read from front to back, with its location for messages.
typedef struct cursor {
    const char *path;
    const char *line_start, *at, *end;
    int line;
} cursor;

static int column_of(const cursor *c, const char *at)
{
    return (int)(at - c->line_start) + 1;
}

// One cell of a row, which ends at a comma or at the end of the line; quoted names are unquoted.
static char *read_cell(cursor *c, memory *pool, const char **start)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) {
        ++c->at;
    }
    *start = c->at;
    char *text = memory_get(pool, (size_t)(c->end - c->at) + 1, 1);
    size_t n = 0;
    bool is_quoted = c->at < c->end && *c->at == '"';
    c->at += is_quoted;
    for (; c->at < c->end && (is_quoted || (*c->at != ',' && *c->at != '\n')); ++c->at) {
        if (is_quoted && *c->at == '"') {
            if (c->at + 1 < c->end && c->at[1] == '"') {
                ++c->at;
            } else {
                is_quoted = false;
                continue;
            }
        }
        text[n++] = *c->at;
    }
    while (n > 0 && strchr(" \t\r", text[n - 1])) {
        text[--n] = '\0';
    }
    return text;
}

// The end of the line, or of its cells: how far the cells of one line reach.
static cursor line_of(const cursor *c)
{
    cursor line = *c;
    const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    line.line_start = c->at;
    line.end = end ? end : c->end;
    return line;
}

static void next_line(cursor *c, const cursor *line)
{
    c->at = line->end < c->end ? line->end + 1 : c->end;
    ++c->line;
}

static int read_header(table *t, memory *pool, cursor *c)
{
    cursor line = line_of(c);
    int count = 1;
    for (const char *at = line.at; at < line.end; ++at) {
        count += *at == ',';
    }
    table_begin(t, pool, count);
    t->ncolumn = 0;
    for (bool is_more = true; is_more; line.at += is_more) {
        const char *start;
        t->name[t->ncolumn] = read_cell(&line, pool, &start);
        double number;
        const char *name = t->name[t->ncolumn];
        if (!name[0] || lw_parse_number(name, strlen(name), &number)) {
            return complain(EXIT_INPUT,
                            "%s:%d:%d: the first line has the names of the columns; "
                            "\"%s\" is none",
                            c->path, c->line, column_of(&line, start), name);
        }
        for (int k = 0; k < t->ncolumn; ++k) {
            if (strcmp(t->name[k], name) == 0) {
                return complain(EXIT_INPUT, "%s:%d:%d: column \"%s\" is there twice", c->path,
                                c->line, column_of(&line, start), name);
            }
        }
        ++t->ncolumn;
        is_more = line.at < line.end && *line.at == ',';
    }
    next_line(c, &line);
    return EXIT_GOOD;
}

static int read_row(table *t, memory *pool, cursor *c, cursor *line)
{
    double *row = table_add_row(t);
    if (!row) {
        return complain(EXIT_FILE, "%s:%d: too many rows", c->path, c->line);
    }
    int k = 0;
    for (bool is_more = true; is_more; line->at += is_more, ++k) {
        const char *start;
        const struct memory_block *mark = pool->last;
        const char *text = read_cell(line, pool, &start);
        if (k < t->ncolumn && !lw_parse_number(text, strlen(text), &row[k])) {
            return complain(EXIT_INPUT, "%s:%d:%d: %s: \"%.40s\" is not a finite number", c->path,
                            c->line, column_of(line, start), t->name[k], text);
        }
        memory_free(pool, mark);
        is_more = line->at < line->end && *line->at == ',';
    }
    if (k != t->ncolumn) {
        return complain(EXIT_INPUT, "%s:%d:%d: the row has %d cell%s, but the header %d", c->path,
                        c->line, column_of(line, line->at), k, k == 1 ? "" : "s", t->ncolumn);
    }
    return EXIT_GOOD;
}

static bool is_blank(const cursor *line)
{
    for (const char *at = line->at; at < line->end; ++at) {
        if (*at != ' ' && *at != '\t' && *at != '\r') {
            return false;
        }
    }
    return true;
}

static int read_csv(table *t, memory *pool, const char *path, const char *text, size_t size)
{
    cursor c = {path, text, text, text + size, 1};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // the mark of UTF-8 that editors add
        c.at += 3;
    }
    int code = read_header(t, pool, &c);
    while (code == EXIT_GOOD && c.at < c.end) {
        cursor line = line_of(&c);
        if (!is_blank(&line)) {
            code = read_row(t, pool, &c, &line);
        }
        next_line(&c, &line);
    }
    return code;
}

// --- npy --------------------------------------------------------------------------------------

static uint64_t little_endian(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= (uint64_t)(unsigned char)at[i] << (8 * i);
    }
    return value;
}

// Names of the fields ('name', '<f8'); 0 where there is another type.
static int read_fields(table *t, memory *pool, const char *head)
{
    int count = 0;
    for (const char *at = strstr(head, "('"); at; at = strstr(at + 1, "('")) {
        ++count;
    }
    table_begin(t, pool, count + 1);
    t->ncolumn = 0;
    for (const char *at = strstr(head, "('"); at; at = strstr(at + 1, "('")) {
        const char *end = strchr(at + 2, '\'');
        if (!end || strncmp(end, "', '<f8')", 9) != 0) {
            return 0;
        }
        t->name[t->ncolumn++] = memory_text(pool, "%.*s", (int)(end - at - 2), at + 2);
    }
    return t->ncolumn;
}

static int read_npy(table *t, memory *pool, const char *path, const char *text, size_t size)
{
    const int major = size > 12 ? text[6] : 0;
    const size_t width = major == 1 ? 2 : 4, begin = 8 + width;
    const size_t length = major == 1 || major == 2 || major == 3
                              ? (size_t)little_endian(text + 8, (int)width)
                              : SIZE_MAX;
    if (length > size - begin) {
        return complain(EXIT_INPUT, "%s: the head of the .npy file is damaged", path);
    }
    const char *head = memory_text(pool, "%.*s", (int)length, text + begin);
    const char *shape = strstr(head, "'shape': (");
    char *after = NULL;
    const long rows = shape ? strtol(shape + 10, &after, 10) : -1;
    if (read_fields(t, pool, head) == 0 || rows < 0 || !after || strncmp(after, ",)", 2) != 0) {
        return complain(EXIT_INPUT,
                        "%s: not a list of records with one '<f8' field per named column", path);
    }
    const size_t values = (size - begin - length) / 8;
    if (values / (size_t)t->ncolumn != (size_t)rows || values % (size_t)t->ncolumn != 0 ||
        (size - begin - length) % 8 != 0) {
        return complain(EXIT_INPUT,
                        "%s: the head has %ld rows of %d numbers, the file another size", path,
                        rows, t->ncolumn);
    }
    const char *at = text + begin + length;
    for (long i = 0; i < rows; ++i) {
        double *row = table_add_row(t);
        for (int k = 0; k < t->ncolumn && row; ++k, at += 8) {
            const uint64_t bits = little_endian(at, 8);
            memcpy(&row[k], &bits, sizeof bits);
            if (!(row[k] - row[k] == 0.0)) {
                return complain(EXIT_INPUT, "%s: row %ld, %s: not a finite number", path, i + 1,
                                t->name[k]);
            }
        }
        if (!row) {
            return complain(EXIT_FILE, "%s: too many rows", path);
        }
    }
    return EXIT_GOOD;
}

int table_read(table *t, memory *pool, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    *t = (table){0};
    int code = file_read(path, &text, &size);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = size >= 8 && memcmp(text, "\x93NUMPY", 6) == 0 ? read_npy(t, pool, path, text, size)
                                                          : read_csv(t, pool, path, text, size);
    if (code != EXIT_GOOD) {
        table_free(t);
    }
    free(text);
    return code;
}

int table_column(const table *t, const char *name)
{
    for (int k = 0; k < t->ncolumn; ++k) {
        if (strcmp(t->name[k], name) == 0) {
            return k;
        }
    }
    return -1;
}
