// The compiler with memory of the caller's choice.
#ifndef LWI_COMPILE_H
#define LWI_COMPILE_H

#include <linkwork/compile.h>

#include "../base/arena.h"

/// Where the model goes: a block of the caller's, aligned to LWI_ALIGN, or null for the heap.
typedef struct lwi_reserve {
    void *block;
    size_t size;
} lwi_reserve;

/// As lw_compile(). All scratch comes from the arena, and all diagnostics go to `diagnostics`,
/// which must be empty and cannot be null.
lw_status lwi_compile(const lw_mech *mech, const lw_compile_options *options, lwi_arena *arena,
                      lw_report *diagnostics, const lwi_reserve *room, lw_model **model);

#endif
