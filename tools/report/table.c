#include "report/table.h"

#include "support/files.h"
#include "support/message.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_begin(table *t, memory *pool, int ncolumn)
{
    *t = (table){.ncolumn = ncolumn, .pool = pool};
    t->name = memory_get(pool, (size_t)ncolumn, sizeof *t->name);
}

void table_free(table *t)
{
    free(t->value);
    *t = (table){0};
}

void table_name(table *t, int k, const char *prefix, const char *name)
{
    t->name[k] = memory_text(t->pool, "%s%s%s", prefix ? prefix : "", prefix ? "." : "", name);
}

double *table_add_row(table *t)
{
    const size_t width = (size_t)t->ncolumn;
    if (t->nrow == t->space) {
        const int space = t->space > 0 ? 2 * t->space : 256;
        double *value = (size_t)space * width <= TABLE_MOST_VALUES
                            ? realloc(t->value, (size_t)space * width * sizeof *value)
                            : NULL;
        if (!value) {
            return NULL;
        }
        t->value = value;
        t->space = space;
    }
    double *row = t->value + (size_t)t->nrow++ * width;
    memset(row, 0, width * sizeof *row);
    return row;
}

// --- CSV --------------------------------------------------------------------------------------

static void write_csv_name(FILE *file, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; ++name) {
        if (*name == '"') {
            fputc('"', file);
        }
        fputc(*name, file);
    }
    fputc('"', file);
}

void table_csv_head(FILE *file, const char *const *name, int ncolumn)
{
    for (int k = 0; k < ncolumn; ++k) {
        fputs(k > 0 ? "," : "", file);
        write_csv_name(file, name[k]);
    }
    fputc('\n', file);
}

static void write_csv(const table *t, FILE *file)
{
    table_csv_head(file, t->name, t->ncolumn);
    for (int i = 0; i < t->nrow; ++i) {
        for (int k = 0; k < t->ncolumn; ++k) {
            fprintf(file, "%s%.17g", k > 0 ? "," : "",
                    t->value[(size_t)i * (size_t)t->ncolumn + (size_t)k]);
        }
        fputc('\n', file);
    }
}

// --- npy --------------------------------------------------------------------------------------

static void write_little_endian(FILE *file, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        fputc((int)(value >> (8 * i) & 0xff), file);
    }
}

// The head of the format, version 2.0: one field per column.
void table_npy_head(FILE *file, const char *const *name, int ncolumn, long long nrow)
{
    char *text = NULL;
    size_t size = 0;
    FILE *head = open_memstream(&text, &size);
    if (!head) {
        return; // the file is then empty, which is refused
    }
    fputs("{'descr': [", head);
    for (int k = 0; k < ncolumn; ++k) {
        fputs(k > 0 ? ", ('" : "('", head);
        for (const char *c = name[k]; *c; ++c) {
            fputc(*c == '\'' || *c == '\\' || (unsigned char)*c < 32 ? '_' : *c, head);
        }
        fputs("', '<f8')", head);
    }
    fprintf(head, "], 'fortran_order': False, 'shape': (%lld,), }", nrow);
    fflush(head);
    while ((12 + size + 1) % 64 != 0) {
        fputc(' ', head);
        fflush(head);
    }
    fputc('\n', head);
    fclose(head);
    fwrite("\x93NUMPY\x02\x00", 1, 8, file);
    write_little_endian(file, size, 4);
    fwrite(text, 1, size, file);
    free(text);
}

static void write_npy(const table *t, FILE *file)
{
    table_npy_head(file, t->name, t->ncolumn, t->nrow);
    for (size_t i = 0; i < (size_t)t->nrow * (size_t)t->ncolumn; ++i) {
        uint64_t bits;
        memcpy(&bits, &t->value[i], sizeof bits);
        write_little_endian(file, bits, 8);
    }
}

int table_write(const table *t, const char *path)
{
    const size_t length = strlen(path);
    const bool is_npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    file_draft draft;
    const int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (is_npy) {
        write_npy(t, draft.to);
    } else {
        write_csv(t, draft.to);
    }
    return file_end(&draft, path);
}
