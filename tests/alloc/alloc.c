#include "alloc.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

// Under the address sanitizer the linker redirects malloc to __wrap_malloc and gives the
// sanitizer's own as __real_malloc (-Wl,--wrap=malloc); otherwise malloc itself is defined here,
// over that of glibc.
#if defined(ALLOC_IS_WRAPPED)
#define OUTER(name) __wrap_##name
#define INNER(name) __real_##name
#else
#define OUTER(name) name
#define INNER(name) __libc_##name
#endif
#define VISIBLE __attribute__((visibility("default")))

void *INNER(malloc)(size_t size);
void *INNER(calloc)(size_t count, size_t size);
void *INNER(realloc)(void *block, size_t size);
void INNER(free)(void *block);
VISIBLE void *OUTER(malloc)(size_t size);
VISIBLE void *OUTER(calloc)(size_t count, size_t size);
VISIBLE void *OUTER(realloc)(void *block, size_t size);
VISIBLE void OUTER(free)(void *block);
VISIBLE void *OUTER(aligned_alloc)(size_t alignment, size_t size);
VISIBLE int OUTER(posix_memalign)(void **block, size_t alignment, size_t size);

#if defined(ALLOC_IS_WRAPPED)
void *__real_aligned_alloc(size_t alignment, size_t size);
#define inner_aligned __real_aligned_alloc
#else
void *__libc_memalign(size_t alignment, size_t size);
#define inner_aligned __libc_memalign
#endif

static bool is_counting;
static alloc_mode failing_mode;
static long failing, asked, refused, live;

void alloc_begin(long n, alloc_mode mode)
{
    failing = n;
    failing_mode = mode;
    asked = refused = live = 0;
    is_counting = true;
}

void alloc_end(void)
{
    is_counting = false;
}

long alloc_asked(void)
{
    return asked;
}

long alloc_failed(void)
{
    return refused;
}

long alloc_live(void)
{
    return live;
}

bool alloc_sees_all(void)
{
#if defined(ALLOC_IS_WRAPPED)
    return false;
#else
    return true;
#endif
}

static bool is_refused(void)
{
    if (!is_counting) {
        return false;
    }
    ++asked;
    if (failing > 0 && (asked == failing || (failing_mode == ALLOC_ALL && asked > failing))) {
        ++refused;
        errno = ENOMEM;
        return true;
    }
    return false;
}

static void *made(void *block)
{
    if (is_counting && block) {
        ++live;
    }
    return block;
}

void *OUTER(malloc)(size_t size)
{
    return is_refused() ? NULL : made(INNER(malloc)(size));
}

void *OUTER(calloc)(size_t count, size_t size)
{
    return is_refused() ? NULL : made(INNER(calloc)(count, size));
}

void *OUTER(realloc)(void *block, size_t size)
{
    if (is_refused()) {
        return NULL;
    }
    void *moved = INNER(realloc)(block, size);
    return block ? moved : made(moved);
}

void OUTER(free)(void *block)
{
    if (is_counting && block) {
        --live;
    }
    INNER(free)(block);
}

void *OUTER(aligned_alloc)(size_t alignment, size_t size)
{
    return is_refused() ? NULL : made(inner_aligned(alignment, size));
}

int OUTER(posix_memalign)(void **block, size_t alignment, size_t size)
{
    void *aligned = OUTER(aligned_alloc)(alignment, size);
    if (aligned) {
        *block = aligned;
    }
    return aligned ? 0 : ENOMEM;
}
