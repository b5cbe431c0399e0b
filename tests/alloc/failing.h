// Every allocation of a job made to fail, one after the other.
#ifndef FAILING_H
#define FAILING_H

#include <linkwork/base.h>

/// One run of a job from nothing to nothing. It must free all that it makes. Where it succeeds,
/// *hash tells its result.
typedef lw_status alloc_job(const void *context, unsigned long long *hash);

/// Runs the job with each of its allocations failing, that one alone, and all from that one on. It
/// must say so and leak nothing. Failures that it can do without, such as a warning that was not
/// recorded, may leave the status good; then the result must be the same.
void fail_every_allocation(alloc_job *run, const void *context);

/// Blocks that were not freed. Under the address sanitizer those that the C library makes for
/// others are not counted; there the sanitizer looks for leaks itself.
long alloc_leaked(void);

/// For results of jobs.
unsigned long long digest_bytes(unsigned long long hash, const void *bytes, size_t size);

#endif
