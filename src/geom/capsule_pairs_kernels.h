// Both scalars of the kernel, for the instruction set that the including file is compiled for.
#ifndef LWI_CAPSULE_PAIRS_KERNELS_H
#define LWI_CAPSULE_PAIRS_KERNELS_H

#include "capsule_pairs.h"

#include "../math/real.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#define PAIRS_BYTES 64
#define PAIRS_INTRINSIC(name) _mm512_##name
#elif defined(__AVX2__)
#include <immintrin.h>
#define PAIRS_BYTES 32
#define PAIRS_INTRINSIC(name) _mm256_##name
#else
#define PAIRS_BYTES 16
#define PAIRS_INTRINSIC(name) roots_##name
typedef double roots __attribute__((vector_size(16)));
typedef float roots32 __attribute__((vector_size(16)));

static inline roots roots_sqrt_pd(roots x)
{
    return (roots){sqrt(x[0]), sqrt(x[1])};
}

static inline roots32 roots_sqrt_ps(roots32 x)
{
    return (roots32){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
}
#endif

#define LANES(name) lanes_##name
#define REAL double
#define BITS int64_t
#define PAIRS_IN lw_capsules
#define PAIRS_OUT lw_capsule_distances
#define PAIRS_EPSILON DBL_EPSILON
#define PAIRS_SKEW 1e-6    // of a unit vector, at the most
#define PAIRS_NEAR 1e-12   // squared, of the size: nearer, the direction is chance
#define PAIRS_LEAST 1e-140 // squared, m: smaller numbers have lost digits
#define PAIRS_LARGE 1e50
#define PAIRS_NAN ((double)NAN)
#define PAIRS_SQRT PAIRS_INTRINSIC(sqrt_pd)
#define PAIRS_MAX PAIRS_INTRINSIC(max_pd)
#define PAIRS_MIN PAIRS_INTRINSIC(min_pd)
#define PAIRS_MAGNITUDE INT64_MAX
#include "kernel_capsule_pairs.h"
#undef LANES
#undef REAL
#undef BITS
#undef PAIRS_IN
#undef PAIRS_OUT
#undef PAIRS_EPSILON
#undef PAIRS_SKEW
#undef PAIRS_NEAR
#undef PAIRS_LEAST
#undef PAIRS_LARGE
#undef PAIRS_NAN
#undef PAIRS_SQRT
#undef PAIRS_MAX
#undef PAIRS_MIN
#undef PAIRS_MAGNITUDE

#define LANES(name) lanes32_##name
#define REAL float
#define BITS int32_t
#define PAIRS_IN lw_capsules32
#define PAIRS_OUT lw_capsule_distances32
#define PAIRS_EPSILON FLT_EPSILON
#define PAIRS_SKEW 1e-6f
#define PAIRS_NEAR 1e-8f
#define PAIRS_LEAST 1e-28f
#define PAIRS_LARGE 1e15f // products of two lengths must not overflow
#define PAIRS_NAN NAN
#define PAIRS_SQRT PAIRS_INTRINSIC(sqrt_ps)
#define PAIRS_MAX PAIRS_INTRINSIC(max_ps)
#define PAIRS_MIN PAIRS_INTRINSIC(min_ps)
#define PAIRS_MAGNITUDE INT32_MAX
#include "kernel_capsule_pairs.h"

#endif
