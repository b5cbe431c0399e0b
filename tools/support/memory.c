#include "support/memory.h"

#include "support/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory_block {
    struct memory_block *before;
    max_align_t bytes[];
} memory_block;

void *memory_get(memory *pool, size_t count, size_t size)
{
    const size_t most = SIZE_MAX - sizeof(memory_block) - 1;
    memory_block *block =
        size > 0 && count > most / size ? NULL : calloc(1, sizeof *block + count * size + 1);
    if (!block) {
        exit(no_memory());
    }
    block->before = pool->last;
    pool->last = block;
    return block->bytes;
}

double *memory_numbers(memory *pool, int rows, int columns)
{
    return memory_get(pool, (size_t)rows * (size_t)columns, sizeof(double));
}

char *memory_text(memory *pool, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    char *text = memory_get(pool, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(list);
    return text;
}

char **memory_split(memory *pool, const char *text, char separator, int *count)
{
    char *copy = memory_text(pool, "%s", text), **part = NULL;
    *count = 1;
    for (const char *c = text; *c; ++c) {
        *count += *c == separator;
    }
    part = memory_get(pool, (size_t)*count, sizeof *part);
    for (int i = 0; i < *count; ++i) {
        part[i] = copy;
        copy += strcspn(copy, (const char[]){separator, '\0'});
        *copy++ = '\0';
    }
    return part;
}

void memory_free(memory *pool, const struct memory_block *mark)
{
    while (pool->last != mark) {
        memory_block *block = pool->last;
        pool->last = block->before;
        free(block);
    }
}
