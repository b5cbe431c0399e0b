#include "failing.h"

#include "alloc.h"
#include "check.h"

#include <stdio.h>

long alloc_leaked(void)
{
    return alloc_sees_all() ? alloc_live() : 0;
}

void fail_every_allocation(alloc_job *run, const void *context)
{
    unsigned long long wanted = 0;
    alloc_begin(0, ALLOC_ONCE);
    const lw_status status = run(context, &wanted);
    alloc_end();
    const long count = alloc_asked();
    if (!CHECK_INT(status, LW_OK) || !CHECK(count > 3)) {
        return;
    }
    CHECK_INT(alloc_leaked(), 0);
    for (int mode = ALLOC_ONCE; mode <= ALLOC_ALL; ++mode) {
        for (long n = 1; n <= count; ++n) {
            unsigned long long hash = 0;
            alloc_begin(n, (alloc_mode)mode);
            const lw_status failed = run(context, &hash);
            alloc_end();
            const bool is_clean = failed == LW_ERR_MEMORY || (failed == LW_OK && hash == wanted);
            if (!CHECK(is_clean) || !CHECK_INT(alloc_leaked(), 0)) {
                printf("allocation %ld of %ld failed%s: %s\n", n, count,
                       mode == ALLOC_ALL ? ", and all after it" : "", lw_status_text(failed));
            }
            CHECK(alloc_failed() > 0);
        }
    }
}

unsigned long long digest_bytes(unsigned long long hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; ++i) {
        hash = hash * 31 + at[i];
    }
    return hash;
}
