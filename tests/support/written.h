// A text that is put together piece by piece, for machines that a test writes as a file.
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stddef.h>

typedef struct written {
    char text[16384];
    size_t used;
} written;

/// Adds what printf() would print.
void put(written *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
