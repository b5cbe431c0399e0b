// A table from names to numbers, and how far names are from each other.
#ifndef LWI_NAMES_H
#define LWI_NAMES_H

#include "arena.h"

#include <linkwork/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Open addressing over borrowed texts; never shrinks. All memory comes from the arena.
typedef struct lwi_names {
    lwi_arena *arena;
    struct lwi_name_slot *slot;
    size_t nslot, used;
} lwi_names;

void lwi_names_init(lwi_names *names, lwi_arena *arena);

/// Makes room for this many names at once: a table that grows leaves its old slots in the arena.
bool lwi_names_reserve(lwi_names *names, size_t count);

/// Adds a name that is not there yet. False when memory is short.
bool lwi_names_add(lwi_names *names, const char *name, int value);

/// The number of a name, or -1.
int lwi_names_find(const lwi_names *names, const char *name);

/// Forgets one name, where it is there.
void lwi_names_remove(lwi_names *names, const char *name);

/// How many letters must change to make one name of the other (insert, delete, replace, swap), cut
/// off at `limit`.
int lwi_name_distance(const char *a, const char *b, int limit);

enum { LWI_SUGGESTIONS = 10 }; ///< in one report; a generated file may have as many errors as lines

/// A hash of bytes, the same on every machine (FNV-1a, 64 bits).
uint64_t lwi_hash_bytes(uint64_t seed, const void *bytes, size_t size);

enum { LWI_NAME_LIMIT = 1000 }; ///< bytes of a name, prefix included
#define LWI_HASH_SEED 1469598103934665603ull

#endif
