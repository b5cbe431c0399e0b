// An allocator that counts, and that fails when it is told to. It replaces malloc and its kin for
// the whole program, expat and the C library included; in a build with the address sanitizer only
// for what is linked into the program, because there the sanitizer owns the allocator.
#ifndef ALLOC_H
#define ALLOC_H

#include <stdbool.h>

typedef enum alloc_mode {
    ALLOC_ONCE, ///< one allocation fails, those after it succeed
    ALLOC_ALL   ///< from that one on every allocation fails
} alloc_mode;

/// Starts to count. The n-th allocation from here fails (n counts from 1; 0 for none).
void alloc_begin(long n, alloc_mode mode);

/// Ends counting; from here every allocation succeeds.
void alloc_end(void);

/// Since alloc_begin(): how many allocations were asked for, how many of them failed, and how many
/// blocks more were made than freed.
long alloc_asked(void);
long alloc_failed(void);
long alloc_live(void);

/// Whether blocks that the C library and expat make are seen too.
bool alloc_sees_all(void);

#endif
