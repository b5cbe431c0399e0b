// Four numbers at a time, for processors with AVX2. Functions for these have an attribute of their
// own, and no fused products: what they find is the same on all processors.
#ifndef LWI_FOURS_H
#define LWI_FOURS_H

#include "../base/cpu.h"

#include <stdbool.h>

#ifdef __x86_64__
#include <immintrin.h>

#define LWI_AVX2 __attribute__((target("avx2")))

/// The largest of four numbers, in all places.
LWI_AVX2 static inline __m256d lwi_largest_of(__m256d x)
{
    x = _mm256_max_pd(x, _mm256_permute2f128_pd(x, x, 1));
    return _mm256_max_pd(x, _mm256_permute_pd(x, 5));
}

/// The largest of `place` where `height` is the largest, which are whole numbers.
LWI_AVX2 static inline int lwi_place_of_largest(__m256d height, __m256d place)
{
    const __m256d is_most = _mm256_cmp_pd(height, lwi_largest_of(height), _CMP_EQ_OQ);
    const __m256d none = _mm256_set1_pd(-1e300);
    return (int)lwi_largest_of(_mm256_blendv_pd(none, place, is_most))[0];
}
#endif

static inline bool lwi_has_fours(void)
{
#ifdef __x86_64__
    return lwi_cpu_level() >= LWI_CPU_AVX2;
#else
    return false;
#endif
}

#endif
