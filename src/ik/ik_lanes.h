// Angles and rotations of several branches side by side, as sines and cosines.
#ifndef LWI_IK_LANES_H
#define LWI_IK_LANES_H

#include <linkwork/math.h>

#include "../math/pi.h"
#include "../math/sincos.h"
#include "arm.h"

/// Sine and cosine of an angle, or the position of a prismatic joint and 1.
typedef struct angle {
    real s, c;
} angle;

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

/// The angle itself, -pi to pi; its error is below 6e-16.
static inline real angle_of(angle a)
{
    // (atan(sqrt(z)) / sqrt(z) - 1) / z up to tan(pi/8)^2, to 7e-18 of the angle: interpolated at
    // the zeros of a Chebyshev polynomial.
    static const double atan_series[] = {
        -0x1.5555555555555p-2, 0x1.999999999934ap-3, -0x1.24924924360cbp-3, 0x1.c71c7185314cbp-4,
        -0x1.745d0b26b83e7p-4, 0x1.3b1262d95579ep-4, -0x1.10fa75382537fp-4, 0x1.dfe61e80903d2p-5,
        -0x1.a098bb6ba4941p-5, 0x1.41603647c7a7cp-5, -0x1.3a2b7a07caea9p-6};
    const bits sign = bits_of(real_of(-0.0));
    const real x = real_of_bits(bits_of(a.c) & ~sign), y = real_of_bits(bits_of(a.s) & ~sign);
    const bits is_steep = is_less(x, y);
    const real least = select_real(is_steep, x, y), most = select_real(is_steep, y, x);
    // Beyond pi/8 the angle is taken from pi/4.
    const bits is_far = is_less(0.41421356237309503 * most, least);
    const real t = select_real(is_far, least - most, least) /
                   select_real(is_far, least + most, most),
               z = t * t;
    real sum = real_of(atan_series[10]);
    for (int k = 9; k >= 0; --k) {
        sum = sum * z + atan_series[k];
    }
    real r = select_real(is_far, real_of(0.25 * LWI_PI), real_of(0.0)) + (t + t * z * sum);
    r = select_real(is_steep, 0.5 * LWI_PI - r, r);
    r = select_real(is_less(a.c, real_of(0.0)), LWI_PI - r, r);
    return real_of_bits(bits_of(r) | (bits_of(a.s) & sign));
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
