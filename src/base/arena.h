// Memory for a compile or a description: many small pieces, given back all at once.
#ifndef LWI_ARENA_H
#define LWI_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lwi_chunk lwi_chunk;

/// Hands out zeroed pieces. Grows chunk by chunk from the heap, unless it was given a block of the
/// caller's: then it never allocates, and fails when the block is full.
typedef struct lwi_arena {
    lwi_chunk *chunk; ///< the newest; each knows the one before
    char *next, *end; ///< free room in it
    bool is_fixed;
} lwi_arena;

/// An arena on the heap needs no more than `= {0}`. This one lives in the caller's block.
void lwi_arena_init_fixed(lwi_arena *arena, void *block, size_t size);

/// A piece of count * size bytes, zeroed and aligned for max_align_t; NULL if allocation fails.
void *lwi_arena_take(lwi_arena *arena, size_t count, size_t size);

/// A copy of a text of known length, with a closing zero; NULL if allocation fails.
char *lwi_arena_text(lwi_arena *arena, const char *text, size_t length);

/// Bytes that the arena has taken from the heap.
size_t lwi_arena_size(const lwi_arena *arena);

/// Gives all pieces back.
void lwi_arena_free(lwi_arena *arena);

/// Lays out one block in slices. A null base counts bytes only, so that the size query and the
/// layout are the same code and cannot disagree.
typedef struct lwi_slicer {
    char *base;
    size_t used;
} lwi_slicer;

enum { LWI_ALIGN = 64 }; ///< bytes; a cache line, and enough for AVX-512

void *lwi_slice(lwi_slicer *slicer, size_t count, size_t size);

/// The next `count` things of `size` bytes out of a block that is large enough, side by side.
static inline void *lwi_take(char **block, int count, size_t size)
{
    void *piece = *block;
    *block += (size_t)count * size;
    return piece;
}

/// Bytes of a block that is as long as its alignment asks for.
static inline size_t aligned_size(size_t size)
{
    return (size + LWI_ALIGN - 1) / LWI_ALIGN * LWI_ALIGN;
}

#endif
