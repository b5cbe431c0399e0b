// Rows of numbers with named columns, written as CSV or .npy.
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>

/// More are refused: 2 GiB, so that a run which asks for too many rows says so before the machine
/// is out of memory.
enum { TABLE_MOST_VALUES = 1 << 28 };

typedef struct table {
    int ncolumn, nrow, room;
    const char **name; ///< [ncolumn] the table's own
    double *value;     ///< [nrow*ncolumn]
    bool is_short;     ///< memory was short
} table;

/// False where memory is short. table_free() is due either way.
bool table_begin(table *t, int ncolumn);
void table_free(table *t);

/// Names column k by two parts, "prefix.name", or "name" where the prefix is null.
void table_name(table *t, int k, const char *prefix, const char *name);

/// A new row, zeroed; null where memory is short.
double *table_add_row(table *t);

/// Writes a file whole or not at all: .npy as its name ends, with one field a column, else CSV.
/// Complains and returns an exit code.
int table_write(const table *t, const char *path);

#endif
