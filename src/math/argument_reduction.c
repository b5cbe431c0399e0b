// Payne and Hanek, Radian reduction for trigonometric functions (1983): multiply by the bits of
// 2/pi that matter, and no others. Everything above whole turns is left out of the product,
// everything below is carried far enough that even the double nearest to a multiple of pi/2 keeps
// its digits (the closest comes within 2^-61 of one; the fraction here is good to 2^-137).
//
// Numbers are arrays of 32 bit words, the most significant first, so that products fit 64 bits on
// every processor.
#include "argument_reduction.h"

#include <string.h>

enum {
    WORDS = 6,  ///< 192 bits of 2/pi, from the one of weight 2 on
    PRODUCT = 8 ///< 256 bits: 128 of the fraction times 128 of pi/2
};

// 2/pi = 0.a2f9836e...
static const uint32_t TWO_OVER_PI[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
    0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
    0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d, 0xa9e39161, 0x5ee61b08};

// pi/2 = 1.921fb544...
static const uint32_t HALF_PI[] = {0xc90fdaa2, 0x2168c234, 0xc4c6628b, 0x80dc1cd1};

// 32 bits of 2/pi from bit `start` on; bit 0 has the weight 1/2, and there are none before it.
static uint32_t bits_from(int start)
{
    enum { COUNT = sizeof TWO_OVER_PI / sizeof *TWO_OVER_PI };
    uint64_t pair = 0;
    const int word = start >= 0 ? start / 32 : -((31 - start) / 32);
    for (int k = 0; k < 2; ++k) {
        const int at = word + k;
        pair = (pair << 32) | (at >= 0 && at < COUNT ? TWO_OVER_PI[at] : 0u);
    }
    return (uint32_t)(pair >> (32 - (start - 32 * word)));
}

// a[0 .. n) times the mantissa, modulo 2^(32 n).
static void multiply_low(uint32_t *a, int n, uint64_t mantissa)
{
    const uint32_t low = (uint32_t)mantissa, high = (uint32_t)(mantissa >> 32);
    uint64_t carry = 0;
    uint32_t below = 0;
    for (int k = n - 1; k >= 0; --k) {
        const uint64_t one = (uint64_t)a[k] * low;
        const uint64_t two = (uint64_t)below * high;
        const uint64_t sum = (one & 0xffffffffu) + (two & 0xffffffffu) + (carry & 0xffffffffu);
        carry = (one >> 32) + (two >> 32) + (carry >> 32) + (sum >> 32);
        below = a[k];
        a[k] = (uint32_t)sum;
    }
}

static void negate(uint32_t *a, int n)
{
    uint64_t carry = 1;
    for (int k = n - 1; k >= 0; --k) {
        carry += (uint32_t)~a[k];
        a[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

// Shifts left until the first bit is set; returns by how many bits.
static int normalise(uint32_t *a, int n)
{
    int shift = 0;
    while (shift < 32 * n && a[0] == 0) {
        memmove(a, a + 1, (size_t)(n - 1) * sizeof *a);
        a[n - 1] = 0;
        shift += 32;
    }
    while (shift < 32 * n && !(a[0] & 0x80000000u)) {
        for (int k = 0; k < n; ++k) {
            a[k] = (a[k] << 1) | (k + 1 < n ? a[k + 1] >> 31 : 0u);
        }
        ++shift;
    }
    return shift;
}

static void multiply(const uint32_t a[4], const uint32_t b[4], uint32_t product[PRODUCT])
{
    memset(product, 0, PRODUCT * sizeof *product);
    for (int i = 3; i >= 0; --i) {
        uint64_t carry = 0;
        for (int k = 3; k >= 0; --k) {
            carry += (uint64_t)a[i] * b[k] + product[i + k + 1];
            product[i + k + 1] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i] = (uint32_t)carry;
    }
}

// Reduces mantissa * 2^exponent. In integers throughout, so that it serves processors without
// double arithmetic too. Exact but for the last bits of the 128.
static lwi_reduced_angle reduce_angle(uint64_t mantissa, int exponent)
{
    // mantissa * 2^exponent * 2/pi modulo 4: of 2/pi only the bits that have the weight 2 or less
    // after the shift.
    uint32_t turn[WORDS];
    for (int k = 0; k < WORDS; ++k) {
        turn[k] = bits_from(exponent - 2 + 32 * k);
    }
    multiply_low(turn, WORDS, mantissa);

    // The two first bits count quarter turns; what follows is the fraction, taken to the nearest.
    lwi_reduced_angle angle = {.quarter = turn[0] >> 30};
    turn[0] <<= 2;
    for (int k = 0; k + 1 < WORDS; ++k) {
        turn[k] |= turn[k + 1] >> 30;
        turn[k + 1] <<= 2;
    }
    if (turn[0] & 0x80000000u) {
        negate(turn, WORDS);
        angle.is_negative = true;
        angle.quarter = (angle.quarter + 1) & 3;
    }
    int shift = normalise(turn, WORDS);

    // Times pi/2: 128 bits of weight 2^-(128 + shift) times 128 of weight 2^-127.
    uint32_t product[PRODUCT];
    multiply(turn, HALF_PI, product);
    shift += normalise(product, PRODUCT);
    angle.mantissa[0] = (uint64_t)product[0] << 32 | product[1];
    angle.mantissa[1] = (uint64_t)product[2] << 32 | product[3];
    angle.exponent = -shift - 127;
    return angle;
}

// 2^e as a double, for exponents of normal numbers.
static double power_of_two(int e)
{
    const uint64_t b = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

unsigned lwi_reduce_double(double x, double *high, double *low)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    const int exponent = (int)(b >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
        *high = *low = x - x;
        return 0;
    }
    const uint64_t fraction = b & 0xfffffffffffffu;
    lwi_reduced_angle angle = exponent == 0 ? reduce_angle(fraction, -1074)
                                            : reduce_angle(fraction | 1ull << 52, exponent - 1075);
    const double sign = angle.is_negative != (b >> 63 != 0) ? -1.0 : 1.0;
    const uint64_t first = angle.mantissa[0] >> 11;
    const uint64_t next = (angle.mantissa[0] << 53 | angle.mantissa[1] >> 11) >> 11;
    *high = sign * (double)first * power_of_two(angle.exponent + 75);
    *low = sign * (double)next * power_of_two(angle.exponent + 22);
    return b >> 63 ? (4 - angle.quarter) & 3 : angle.quarter;
}

static float power_of_two_float(int e)
{
    const uint32_t b = (uint32_t)(e + 127) << 23;
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

unsigned lwi_reduce_float(float x, float *high, float *low)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    const int exponent = (int)(b >> 23 & 0xff);
    if (exponent == 0xff) {
        *high = *low = x - x;
        return 0;
    }
    const uint32_t fraction = b & 0x7fffffu;
    lwi_reduced_angle angle = exponent == 0 ? reduce_angle(fraction, -149)
                                            : reduce_angle(fraction | 1u << 23, exponent - 150);
    const float sign = angle.is_negative != (b >> 31 != 0) ? -1.0f : 1.0f;
    const uint32_t first = (uint32_t)(angle.mantissa[0] >> 40);
    const uint32_t next = (uint32_t)(angle.mantissa[0] >> 16 & 0xffffff);
    *high = sign * (float)first * power_of_two_float(angle.exponent + 104);
    *low = sign * (float)next * power_of_two_float(angle.exponent + 80);
    return b >> 31 ? (4 - angle.quarter) & 3 : angle.quarter;
}
