// Decimals to doubles, correctly rounded, in three steps of which the first that is sure decides.
//
// 1. Up to 15 digits and a small power of ten: one exact product or quotient (Clinger 1990).
// 2. The first 19 digits times a power of ten of 64 bits: off by a few units in the last of 64
// bits,
//    so that 53 bits are sure unless the rest lies close to one half.
// 3. Otherwise the guess of the second step is put right by comparing the decimal with the middle
//    between two neighbouring doubles, in whole numbers.
#include "number.h"

#include <linkwork/base.h>

#include "bigint.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum {
    FIRST_DIGITS = 19, // that surely fit 64 bits
    // No middle between two doubles has more than 767 digits, so that a nonzero rest beyond 800
    // only tells that the number is a little larger than its first 800 digits say.
    MOST_DIGITS = 800,
    FIRST_POWER = -13, // of the table below, in steps of STEP
    STEP = 28          // 5^27 is the last power of five in 64 bits
};

/// mantissa * 2^exponent, the mantissa with its highest bit set and rounded to the nearest.
typedef struct scaled {
    uint64_t mantissa;
    int exponent;
} scaled;

static const scaled power_of_ten[] = {
    {0xe1afa13afbd14d6eu, -1273}, // 1e-364
    {0xe3e27a444d8d98b8u, -1180}, // 1e-336
    {0xe61acf033d1a45dfu, -1087}, // 1e-308
    {0xe858ad248f5c22cau, -994},  // 1e-280
    {0xea9c227723ee8bcbu, -901},  // 1e-252
    {0xece53cec4a314ebeu, -808},  // 1e-224
    {0xef340a98172aace5u, -715},  // 1e-196
    {0xf18899b1bc3f8ca2u, -622},  // 1e-168
    {0xf3e2f893dec3f126u, -529},  // 1e-140
    {0xf64335bcf065d37du, -436},  // 1e-112
    {0xf8a95fcf88747d94u, -343},  // 1e-84
    {0xfb158592be068d2fu, -250},  // 1e-56
    {0xfd87b5f28300ca0eu, -157},  // 1e-28
    {0x8000000000000000u, -63},   // 1e0
    {0x813f3978f8940984u, 30},    // 1e28
    {0x82818f1281ed44a0u, 123},   // 1e56
    {0x83c7088e1aab65dbu, 216},   // 1e84
    {0x850fadc09923329eu, 309},   // 1e112
    {0x865b86925b9bc5c2u, 402},   // 1e140
    {0x87aa9aff79042287u, 495},   // 1e168
    {0x88fcf317f22241e2u, 588},   // 1e196
    {0x8a5296ffe33cc930u, 681},   // 1e224
    {0x8bab8eefb6409c1au, 774},   // 1e252
    {0x8d07e33455637eb3u, 867},   // 1e280
    {0x8e679c2f5e44ff8fu, 960},   // 1e308
};

/// A decimal as it stands in a text.
typedef struct decimal {
    const char *digits, *digits_end; ///< from the first digit that is not zero; may hold a point
    uint64_t first;                  ///< its first digits, FIRST_DIGITS at most
    int nfirst;
    bool is_cut;        ///< there are further digits, not all zero
    long long exponent; ///< the number is first (and its further digits) times ten to this
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The digits up to the exponent. False if there are none.
static bool scan_digits(const char **at, const char *end, decimal *d)
{
    bool has_digit = false, has_point = false;
    const char *c = *at;
    for (; c < end && (is_digit(*c) || (*c == '.' && !has_point)); ++c) {
        if (*c == '.') {
            has_point = true;
            continue;
        }
        has_digit = true;
        if (d->nfirst == 0 && *c == '0') {
            d->exponent -= has_point;
            continue;
        }
        if (d->nfirst == 0) {
            d->digits = c;
        }
        if (d->nfirst < FIRST_DIGITS) {
            d->first = 10 * d->first + (uint64_t)(*c - '0');
            ++d->nfirst;
            d->exponent -= has_point;
        } else {
            d->is_cut |= *c != '0';
            d->exponent += !has_point;
        }
    }
    d->digits_end = c;
    *at = c;
    return has_digit;
}

// The exponent, up to the end. It stops growing where no text of this length can bring it back.
static bool scan_exponent(const char *at, const char *end, decimal *d)
{
    const long long enough = 4000000000000000000;
    if (at == end) {
        return true;
    }
    if (*at != 'e' && *at != 'E') {
        return false;
    }
    ++at;
    const bool is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) {
        return false;
    }
    long long exponent = 0;
    for (; at < end; ++at) {
        if (!is_digit(*at)) {
            return false;
        }
        exponent = exponent > enough / 10 ? enough : 10 * exponent + (*at - '0');
    }
    d->exponent += is_negative ? -exponent : exponent;
    return true;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const uint64_t infinity_bits = (uint64_t)0x7ff << 52;

// Both factors and the result are exact, so that there is one rounding, in the operation itself.
static bool read_short(const decimal *d, double *out)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int most = (int)(sizeof ten / sizeof *ten) - 1;
    const double first = (double)d->first;
    if (d->is_cut || d->first >> 53 || d->exponent < -most || d->exponent > most) {
        return false;
    }
    *out = d->exponent < 0 ? first / ten[-d->exponent] : first * ten[d->exponent];
    return true;
}

static scaled normalised(uint64_t mantissa, int exponent)
{
    while (!(mantissa >> 63)) {
        mantissa <<= 1;
        --exponent;
    }
    return (scaled){mantissa, exponent};
}

// The highest 64 bits of the product, cut.
static scaled product(scaled a, scaled b)
{
    const uint64_t low = 0xffffffffu;
    const uint64_t a1 = a.mantissa >> 32, a0 = a.mantissa & low;
    const uint64_t b1 = b.mantissa >> 32, b0 = b.mantissa & low;
    const uint64_t middle = (a0 * b0 >> 32) + (a1 * b0 & low) + (a0 * b1 & low);
    const uint64_t high = a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (middle >> 32);
    if (high >> 63) {
        return (scaled){high, a.exponent + b.exponent + 64};
    }
    return (scaled){high << 1 | (middle >> 31 & 1), a.exponent + b.exponent + 63};
}

// The bits of a double that is at most a few units away; true if it is the nearest one.
static bool guess(const decimal *d, uint64_t *bits)
{
    enum { DROPPED = 64 - 53, LEAST = -1022, GREATEST = 1023 };
    const int exponent = (int)d->exponent;
    const int coarse = (exponent + STEP * -FIRST_POWER) / STEP;
    const int fine = exponent + STEP * -FIRST_POWER - coarse * STEP;
    uint64_t pow5 = 1;
    for (int i = 0; i < fine; ++i) {
        pow5 *= 5;
    }
    scaled x = product(normalised(d->first, 0), power_of_ten[coarse]);
    x = product(x, normalised(pow5, fine));

    // In units of the last of 64 bits: one for each cut, one half for the table, each doubled where
    // a later product is normalised; and the digits left out are below 10^-18, which is 2^4 units.
    const uint64_t error = d->is_cut ? 48 : 8;
    const uint64_t half = (uint64_t)1 << (DROPPED - 1);
    const uint64_t rest = x.mantissa & (2 * half - 1);
    const uint64_t from_half = rest > half ? rest - half : half - rest;
    const int top = x.exponent + 63;
    if (top > GREATEST) {
        *bits = infinity_bits;
        return top > GREATEST + 1;
    }
    if (top < LEAST) {
        const int shift = LEAST - top + DROPPED;
        *bits = shift < 64 ? x.mantissa >> shift : 0;
        return false;
    }
    // Adding the rounded mantissa carries into the exponent where it overflows, as it should.
    *bits = ((uint64_t)(top - LEAST) << 52) + (x.mantissa >> DROPPED) + (rest > half);
    return from_half > error;
}

static void read_big(const decimal *d, lwi_big *number, int *exponent)
{
    int count = 0;
    bool has_rest = false;
    lwi_big_set(number, 0);
    for (const char *c = d->digits; c < d->digits_end; ++c) {
        if (*c == '.') {
            continue;
        }
        if (count == MOST_DIGITS) {
            has_rest |= *c != '0';
            continue;
        }
        lwi_big_mul_add(number, 10, (uint32_t)(*c - '0'));
        ++count;
    }
    *exponent = (int)d->exponent - (count - d->nfirst);
    if (has_rest) {
        lwi_big_mul_add(number, 10, 1);
        *exponent -= 1;
    }
}

// Compares a decimal with the middle between the double of these bits and the next one.
static int compare_middle(const lwi_big *number, int exponent, uint64_t bits)
{
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    const int field = (int)(bits >> 52);
    const uint64_t mantissa = field ? fraction | (uint64_t)1 << 52 : fraction;
    const int half_exponent = (field ? field : 1) - 1075 - 1;

    lwi_big left = *number, right;
    lwi_big_set(&right, 2 * mantissa + 1);
    if (exponent >= 0) {
        lwi_big_mul_pow5(&left, exponent);
    } else {
        lwi_big_mul_pow5(&right, -exponent);
    }
    const int shift = exponent - half_exponent;
    if (shift >= 0) {
        lwi_big_shift(&left, shift);
    } else {
        lwi_big_shift(&right, -shift);
    }
    return lwi_big_compare(&left, &right);
}

// Moves the guess until it is the nearest, ties to even. Infinity stands for 2^1024.
static uint64_t put_right(const decimal *d, uint64_t bits)
{
    lwi_big number;
    int exponent;
    read_big(d, &number, &exponent);
    while (bits < infinity_bits) {
        const int order = compare_middle(&number, exponent, bits);
        if (order < 0 || (order == 0 && bits % 2 == 0)) {
            break;
        }
        ++bits;
    }
    while (bits > 0) {
        const int order = compare_middle(&number, exponent, bits - 1);
        if (order > 0 || (order == 0 && bits % 2 == 0)) {
            break;
        }
        --bits;
    }
    return bits;
}

bool lwi_parse_double(const char *text, size_t length, double *out)
{
    const char *at = text, *end = text + length;
    decimal d = {0};
    const bool is_negative = length > 0 && *at == '-';
    at += length > 0 && (*at == '-' || *at == '+');
    if (!scan_digits(&at, end, &d) || !scan_exponent(at, end, &d)) {
        return false;
    }
    // The number lies between ten to `magnitude - 1` and ten to `magnitude`.
    const long long magnitude = d.nfirst + d.exponent;
    double value = 0;
    if (d.nfirst > 0 && magnitude > 310) {
        return false;
    }
    if (d.nfirst > 0 && magnitude > -330 && !read_short(&d, &value)) {
        uint64_t bits;
        if (!guess(&d, &bits)) {
            bits = put_right(&d, bits);
        }
        if (bits >= infinity_bits) {
            return false;
        }
        value = double_of(bits);
    }
    *out = is_negative ? -value : value;
    return true;
}

bool lwi_parse_int(const char *text, size_t length, int *out)
{
    const char *at = text, *end = text + length;
    const bool is_negative = length > 0 && *at == '-';
    at += length > 0 && (*at == '-' || *at == '+');
    if (at == end) {
        return false;
    }
    long long value = 0;
    for (; at < end; ++at) {
        if (!is_digit(*at)) {
            return false;
        }
        value = 10 * value + (*at - '0');
        if (value > (long long)INT_MAX + 1) {
            return false;
        }
    }
    value = is_negative ? -value : value;
    if (value > INT_MAX) {
        return false;
    }
    *out = (int)value;
    return true;
}

bool lw_parse_number(const char *text, size_t length, double *out)
{
    return text && out && lwi_parse_double(text, length, out);
}
