// Sine and cosine of a real, together and inlined, for each of the scalars of real.h.
//
// The angle is reduced by quarter turns: up to 2^20 of them (2^12 in float) with pi/2 in four
// pieces (Cody and Waite), of which all but the last give exact products, so that the reduced angle
// keeps its digits next to every multiple of pi/2; beyond that by lwi_reduce_double(), lane by
// lane. There are no other branches, so that the time does not depend on angles within the first
// range.
//
// Largest errors against 80 bit arithmetic, over 3e7 angles of all sizes: double 0.82 ulp, float
// 0.81 ulp (tests/unit/test_sincos.c tests fewer). Correct signs of zero; not a number for what
// is not finite.
//
// The polynomials are minimax on [0, (pi/4)^2] for the relative error of the sine (2^-57.9, in
// float 2^-27.9) and of the cosine (2^-63.9, 2^-33.0).
#ifndef LWI_SINCOS_H
#define LWI_SINCOS_H

#include "argument_reduction.h"
#include "real.h"

#if defined(LWI_REAL_FLOAT)

#define SINCOS_LIMIT 6433.0f
#define SINCOS_ROUND 0x1.8p23f // pushes the fraction out of the mantissa
#define SINCOS_TWO_OVER_PI 0x1.45f306p-1f
#define SINCOS_SIGN_SHIFT 30
#define SINCOS_SIGN 0x80000000u
static const float HALF_PI_PIECE[4] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68c234p-39f};

static inline real sin_series(real z)
{
    return -0x1.555546p-3f + z * (0x1.110778p-7f + z * -0x1.995408p-13f);
}

static inline real cos_series(real z)
{
    return 0x1.55554ap-5f + z * (-0x1.6c0c28p-10f + z * 0x1.99e80cp-16f);
}

static inline unsigned reduce_lane(number x, number *high, number *low)
{
    return lwi_reduce_float(x, high, low);
}

#else

#define SINCOS_LIMIT 1647099.0
#define SINCOS_ROUND 0x1.8p52
#define SINCOS_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define SINCOS_SIGN_SHIFT 62
#define SINCOS_SIGN 0x8000000000000000u
static const double HALF_PI_PIECE[4] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                        0x1.b839a252049c1p-104};

// In pairs (Estrin) rather than one after the other (Horner): a third less to wait for.

static inline real sin_series(real z)
{
    const real z2 = z * z;
    const real low = -0x1.5555555555548p-3 + z * 0x1.111111110f73p-7;
    const real middle = -0x1.a01a019be9216p-13 + z * 0x1.71de35552b34ep-19;
    const real high = -0x1.ae5e4b83c0797p-26 + z * 0x1.5d8b5586851dap-33;
    return low + z2 * (middle + z2 * high);
}

static inline real cos_series(real z)
{
    const real z2 = z * z;
    const real low = 0x1.555555555554bp-5 + z * -0x1.6c16c16c15015p-10;
    const real middle = 0x1.a01a019c8f255p-16 + z * -0x1.27e4f7f191644p-22;
    const real high = 0x1.1ee9dbcf1b05bp-29 + z * -0x1.8fa6849e608a4p-37;
    return low + z2 * (middle + z2 * high);
}

static inline unsigned reduce_lane(number x, number *high, number *low)
{
    return lwi_reduce_double(x, high, low);
}

#endif

/// An angle high + low, and quarter turns in the last two bits of `quarter`.
typedef struct reduced {
    real high, low;
    bits quarter;
} reduced;

/// Replaces the lanes that are too large for the pieces of pi/2.
static __attribute__((noinline, cold, unused)) void reduce_large(const real *x, reduced *r)
{
    for (int k = 0; k < LANES; ++k) {
        const number lane = real_lane(*x, k);
        if (!(lane > -SINCOS_LIMIT && lane < SINCOS_LIMIT)) {
            number high, low;
            const unsigned quarter = reduce_lane(lane, &high, &low);
            r->high = real_set_lane(r->high, k, high);
            r->low = real_set_lane(r->low, k, low);
            r->quarter = bits_set_lane(r->quarter, k, quarter);
        }
    }
}

/// n quarter turns less than x. Every product but the last is exact, and what differences lose is
/// kept.
static inline reduced take_quarters(real x, real n, bits quarter)
{
#if defined(LWI_HAS_FUSED)
    // Three doubles are pi/2 to 160 bits. The second product is rounded on purpose: next to a
    // multiple of pi/2 it cancels `a` without loss, and what it rounds off comes after.
    const real a = fused(-n, real_of(0x1.921fb54442d18p+0), x); // exact
    const real b = fused(n, real_of(0x1.1a62633145c07p-54), (real){0});
    const real b_rest = fused(n, real_of(0x1.1a62633145c07p-54), -b);
    const real high = a - b;
    const real lost = ((a - high) - b) - b_rest;
    return (reduced){high, fused(n, real_of(0x1.f1976b7ed8fbcp-110), lost), quarter};
#else
    const real a = x - n * HALF_PI_PIECE[0]; // exact
    const real b_part = n * HALF_PI_PIECE[1];
    const real b = a - b_part;
    const real b_lost = (a - b) - b_part;
    const real c_part = n * HALF_PI_PIECE[2];
    const real c = b - c_part;
    const real c_lost = (b - c) - c_part;
    const real tail = n * HALF_PI_PIECE[3] - (b_lost + c_lost);
    const real high = c - tail; // so, and not c + tail, because -0 must stay -0
    return (reduced){high, (c - high) - tail, quarter};
#endif
}

static inline reduced reduce_angle(real x)
{
    const real rounded = x * SINCOS_TWO_OVER_PI + SINCOS_ROUND;
    reduced r = take_quarters(x, rounded - SINCOS_ROUND, bits_of(rounded));

    const real size = real_of_bits(bits_of(x) & ~((bits){0} + SINCOS_SIGN));
    if (__builtin_expect(is_any(~is_less(size, real_of(SINCOS_LIMIT))), 0)) {
        // Copies, so that the values of the usual way need no address and stay in registers.
        const real angle = x;
        reduced large = r;
        reduce_large(&angle, &large);
        r = large;
    }
    return r;
}

/// sin(x) and cos(x).
static inline void sincos_real(real x, real *s, real *c)
{
    const reduced r = reduce_angle(x);
    const real y = r.high;
    const real z = y * y;
    const real half_z = z / 2;

    // sin(y + low) = y + y^3 S(y^2) + low (1 - y^2 / 2); written as a difference to keep -0.
    const real sine = y - ((half_z * r.low - r.low) - (z * y) * sin_series(z));

    // cos(y + low) = 1 - y^2 / 2 + y^4 C(y^2) - low y, with what 1 - y^2 / 2 loses by rounding.
    const real w = 1 - half_z;
    const real cosine = w + (((1 - w) - half_z) + (z * z * cos_series(z) - y * r.low));

    const bits is_odd = 0 - (r.quarter & 1);
    const bits sine_sign = (r.quarter & 2) << SINCOS_SIGN_SHIFT;
    const bits cosine_sign = ((r.quarter + 1) & 2) << SINCOS_SIGN_SHIFT;
    *s = real_of_bits(bits_of(select_real(is_odd, cosine, sine)) ^ sine_sign);
    *c = real_of_bits(bits_of(select_real(is_odd, sine, cosine)) ^ cosine_sign);
}

#endif
