// Chunks grow by doubling up to a megabyte, so that a description of a hundred thousand parts makes
// few allocations and a small one wastes little.
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lwi_chunk {
    lwi_chunk *previous;
    size_t size;
};

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

void lwi_arena_init_fixed(lwi_arena *arena, void *block, size_t size)
{
    arena->chunk = NULL;
    arena->next = block;
    arena->end = arena->next + size;
    arena->is_fixed = true;
}

static bool grow(lwi_arena *arena, size_t need)
{
    if (arena->is_fixed) {
        return false;
    }
    const size_t head = round_up(sizeof(lwi_chunk), _Alignof(max_align_t));
    size_t size = arena->chunk ? 2 * arena->chunk->size : FIRST_CHUNK;
    size = size > LARGEST_CHUNK ? LARGEST_CHUNK : size;
    size = size < need + head ? need + head : size;
    lwi_chunk *chunk = malloc(size);
    if (!chunk) {
        return false;
    }
    chunk->previous = arena->chunk;
    chunk->size = size;
    arena->chunk = chunk;
    arena->next = (char *)chunk + head;
    arena->end = (char *)chunk + size;
    return true;
}

void *lwi_arena_take(lwi_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        return NULL;
    }
    const size_t bytes = round_up(count * size + (count * size == 0), _Alignof(max_align_t));
    if ((!arena->next || (size_t)(arena->end - arena->next) < bytes) && !grow(arena, bytes)) {
        return NULL;
    }
    void *piece = arena->next;
    arena->next += bytes;
    memset(piece, 0, bytes);
    return piece;
}

char *lwi_arena_text(lwi_arena *arena, const char *text, size_t length)
{
    char *copy = lwi_arena_take(arena, length + 1, 1);
    if (copy && length) {
        memcpy(copy, text, length);
    }
    return copy;
}

size_t lwi_arena_size(const lwi_arena *arena)
{
    size_t size = 0;
    for (const lwi_chunk *chunk = arena->chunk; chunk; chunk = chunk->previous) {
        size += chunk->size;
    }
    return size;
}

void lwi_arena_free(lwi_arena *arena)
{
    for (lwi_chunk *chunk = arena->chunk; chunk;) {
        lwi_chunk *previous = chunk->previous;
        free(chunk);
        chunk = previous;
    }
    *arena = (lwi_arena){0};
}

void *lwi_slice(lwi_slicer *slicer, size_t count, size_t size)
{
    slicer->used = round_up(slicer->used, LWI_ALIGN);
    void *slice = slicer->base ? slicer->base + slicer->used : NULL;
    slicer->used += count * size;
    return slice;
}
