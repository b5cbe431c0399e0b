// Angles and rotations of several branches side by side, as sines and cosines.
#ifndef LWI_IK_LANES_H
#define LWI_IK_LANES_H

#include <linkwork/math.h>

#include "../math/real.h"
#include "arm.h"

#if defined(__SSE2__) && LWI_REAL_LANES == 2
#include <emmintrin.h>
#endif

/// Sine and cosine of an angle, or the position of a prismatic joint and 1.
typedef struct angle {
    real s, c;
} angle;

static inline real root_of(real x)
{
#if defined(__AVX2__) && LWI_REAL_LANES == 4
    return (real)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__) && LWI_REAL_LANES == 2
    return (real)_mm_sqrt_pd((__m128d)x);
#else
    for (int k = 0; k < LANES; ++k) {
        x[k] = __builtin_sqrt(x[k]);
    }
    return x;
#endif
}

static inline real load_real(const double *x)
{
    real r;
    memcpy(&r, x, sizeof r);
    return r;
}

static inline void store_real(real x, double *to)
{
    memcpy(to, &x, sizeof x);
}

static inline bool bits_lane(bits b, int lane)
{
    return b[lane] != 0;
}

static inline vec3 vec3_of(lw_vec3 v)
{
    return (vec3){real_of(v.x), real_of(v.y), real_of(v.z)};
}

static inline angle opposite(angle a)
{
    return (angle){-a.s, a.c};
}

/// The sum of two angles.
static inline angle plus(angle a, angle b)
{
    return (angle){a.s * b.c + a.c * b.s, a.c * b.c - a.s * b.s};
}

/// Rodrigues' formula for a unit axis k.
static inline vec3 rotate_about(lw_vec3 axis, angle a, vec3 p)
{
    const vec3 k = vec3_of(axis), x = cross3(k, p);
    const real along = (1.0 - a.c) * dot3(k, p);
    return (vec3){a.c * p.x + a.s * x.x + along * k.x, a.c * p.y + a.s * x.y + along * k.y,
                  a.c * p.z + a.s * x.z + along * k.z};
}

/// R v for a matrix that all branches share.
static inline vec3 rotate_lanes(const lw_mat3 *R, vec3 v)
{
    return (vec3){R->row[0].x * v.x + R->row[0].y * v.y + R->row[0].z * v.z,
                  R->row[1].x * v.x + R->row[1].y * v.y + R->row[1].z * v.z,
                  R->row[2].x * v.x + R->row[2].y * v.y + R->row[2].z * v.z};
}

#endif
