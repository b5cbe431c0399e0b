// Memory of a command: taken piece by piece, and freed all at once when the command ends.
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct memory {
    struct memory_block *last;
} memory;

/// Zeroed. If allocation fails the program ends with a message and EXIT_FILE: nothing was written
/// yet, since output is kept until a command has succeeded.
void *memory_get(memory *pool, size_t count, size_t size);
double *memory_numbers(memory *pool, int rows, int columns);

/// As printf() would print it.
char *memory_text(memory *pool, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/// The parts of a text between separators, and how many there are: at least one.
char **memory_split(memory *pool, const char *text, char separator, int *count);

/// Frees what was taken after `mark`, which was pool->last then; NULL for all.
void memory_free(memory *pool, const struct memory_block *mark);

#endif
