// Rows of numbers with named columns, read and written as CSV or .npy.
#ifndef TABLE_H
#define TABLE_H

#include "support/memory.h"

#include <stdio.h>

/// More are refused: 2 GiB, so that a run with too many rows is refused before the computer
/// is out of memory.
enum { TABLE_MOST_VALUES = 1 << 28 };

typedef struct table {
    int ncolumn, nrow, space;
    const char **name; ///< [ncolumn]
    double *value;     ///< [nrow*ncolumn]
    memory *pool;      ///< of the names
} table;

void table_begin(table *t, memory *pool, int ncolumn);
void table_free(table *t);

/// Names column k by two parts, "prefix.name", or "name" if the prefix is NULL.
void table_name(table *t, int k, const char *prefix, const char *name);

/// A new row, zeroed; NULL if memory is short.
double *table_add_row(table *t);

/// Writes a file whole or not at all: .npy as its name ends, with one field per column, else CSV.
/// Complains and returns an exit code.
int table_write(const table *t, const char *path);

/// The first bytes of such files, whose rows others write: little-endian doubles, or lines.
void table_npy_head(FILE *file, const char *const *name, int ncolumn, long long nrow);
void table_csv_head(FILE *file, const char *const *name, int ncolumn);

/// Reads a file: .npy, detected from its first bytes, with one field per column; else CSV, whose
/// first line has the names. Numbers must be finite. Complains with file:line:column and returns an
/// exit code. Free with table_free().
int table_read(table *t, memory *pool, const char *path);

/// The column of a name; -1 for none.
int table_column(const table *t, const char *name);

#endif
