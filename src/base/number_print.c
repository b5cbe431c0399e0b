// Doubles to the shortest decimals that read back as the same bits.
//
// Burger and Dybvig, Printing floating-point numbers quickly and accurately (1996), free format:
// the digits of r / s are made one by one, and stop as soon as what is left is within half the
// distance to a neighbouring double. Whole numbers below 2^53 are printed directly.
#include "number.h"

#include "bigint.h"

#include <string.h>

enum { MOST_DIGITS = 20 };

/// Digits without a point; the number is 0.DIGITS * 10^point.
typedef struct digits {
    char digit[MOST_DIGITS];
    int count, point;
} digits;

static void whole_digits(uint64_t value, digits *out)
{
    char reversed[MOST_DIGITS];
    int n = 0;
    for (; value; value /= 10) {
        reversed[n++] = (char)('0' + value % 10);
    }
    out->point = n;
    out->count = 0;
    while (n > 0) {
        out->digit[out->count++] = reversed[--n];
    }
    while (out->count > 1 && out->digit[out->count - 1] == '0') {
        --out->count;
    }
}

/// r / s is the number, up / s and down / s half the distances to its neighbours.
typedef struct fraction {
    lwi_big r, s, up, down;
    bool is_even; ///< the ends of the interval then read back as the number too
} fraction;

static void times_ten(lwi_big *a)
{
    lwi_big_mul_add(a, 10, 0);
}

static bool is_above(const fraction *f)
{
    const int order = lwi_big_compare_sum(&f->r, &f->up, &f->s);
    return f->is_even ? order >= 0 : order > 0;
}

static bool is_below(const fraction *f)
{
    const int order = lwi_big_compare(&f->r, &f->down);
    return f->is_even ? order <= 0 : order < 0;
}

// The number mantissa * 2^exponent over 10^point; point is found so that r / s lies in [0.1, 1).
static void set_fraction(uint64_t mantissa, int exponent, bool is_narrow_below, fraction *f,
                         int *point)
{
    const int extra = is_narrow_below ? 2 : 1; // the lower neighbour is at half the distance
    lwi_big_set(&f->r, mantissa << extra);
    lwi_big_set(&f->s, (uint64_t)1 << extra);
    lwi_big_set(&f->up, is_narrow_below ? 2 : 1);
    lwi_big_set(&f->down, 1);
    f->is_even = mantissa % 2 == 0;
    if (exponent >= 0) {
        lwi_big_shift(&f->r, exponent);
        lwi_big_shift(&f->up, exponent);
        lwi_big_shift(&f->down, exponent);
    } else {
        lwi_big_shift(&f->s, -exponent);
    }

    // log10 of the power of two below the number: never too large, and at most one too small.
    int top = exponent - 1;
    for (uint64_t m = mantissa; m; m >>= 1) {
        ++top;
    }
    const double estimate = top * 0.30102999566398120 - 1e-10;
    int power = (int)estimate;
    power += estimate > power;
    if (power >= 0) {
        lwi_big_mul_pow5(&f->s, power);
        lwi_big_shift(&f->s, power);
    } else {
        lwi_big *scaled[] = {&f->r, &f->up, &f->down};
        for (int i = 0; i < 3; ++i) {
            lwi_big_mul_pow5(scaled[i], -power);
            lwi_big_shift(scaled[i], -power);
        }
    }
    if (is_above(f)) {
        times_ten(&f->s);
        ++power;
    }
    *point = power;
}

static void shortest_digits(fraction *f, digits *out)
{
    bool is_low = false, is_high = false;
    out->count = 0;
    while (!is_low && !is_high && out->count < MOST_DIGITS) {
        times_ten(&f->r);
        times_ten(&f->up);
        times_ten(&f->down);
        int digit = 0;
        while (lwi_big_compare(&f->r, &f->s) >= 0) {
            lwi_big_sub(&f->r, &f->s);
            ++digit;
        }
        is_low = is_below(f);
        is_high = is_above(f);
        // Both ends are near: the nearer one is meant.
        if (is_high && (!is_low || lwi_big_compare_sum(&f->r, &f->r, &f->s) >= 0)) {
            ++digit;
        }
        out->digit[out->count++] = (char)('0' + digit);
    }
}

static int copy_text(char *to, const char *text)
{
    const size_t length = strlen(text);
    memcpy(to, text, length + 1);
    return (int)length;
}

static int write_exponent(int exponent, char *text)
{
    digits d = {.digit = "0", .count = 1, .point = 1};
    int n = 0;
    text[n++] = 'e';
    if (exponent < 0) {
        text[n++] = '-';
        exponent = -exponent;
    }
    if (exponent > 0) {
        whole_digits((uint64_t)exponent, &d);
    }
    for (int i = 0; i < d.point; ++i) {
        text[n++] = i < d.count ? d.digit[i] : '0';
    }
    return n;
}

// With an exponent from 1e21 on and below 1e-6, as browsers and JSON writers do.
static int lay_out(const digits *d, char *text)
{
    enum { LONGEST = 21, DEEPEST = -6 };
    int n = 0;
    if (d->point > LONGEST || d->point < DEEPEST + 1) {
        text[n++] = d->digit[0];
        if (d->count > 1) {
            text[n++] = '.';
            memcpy(text + n, d->digit + 1, (size_t)d->count - 1);
            n += d->count - 1;
        }
        return n + write_exponent(d->point - 1, text + n);
    }
    if (d->point <= 0) {
        memcpy(text, "0.000000", (size_t)(2 - d->point));
        memcpy(text + 2 - d->point, d->digit, (size_t)d->count);
        return 2 - d->point + d->count;
    }
    for (int i = 0; i < d->count || i < d->point; ++i) {
        if (i == d->point) {
            text[n++] = '.';
        }
        text[n++] = i < d->count ? d->digit[i] : '0';
    }
    return n;
}

int lwi_print_double(double value, char text[LWI_NUMBER_SIZE])
{
    enum { BIAS = 1075 };
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction_bits = bits & (((uint64_t)1 << 52) - 1);
    const int field = (int)(bits >> 52 & 0x7ff);
    int n = 0;
    if (field == 0x7ff) {
        return copy_text(text, fraction_bits ? "nan" : bits >> 63 ? "-inf" : "inf");
    }
    if (bits >> 63) {
        text[n++] = '-';
    }
    const double size = bits >> 63 ? -value : value;
    digits d;
    if (!(size > 0)) {
        text[n++] = '0';
    } else if (size < 0x1p53 && size == (double)(uint64_t)size) {
        whole_digits((uint64_t)size, &d);
        n += lay_out(&d, text + n);
    } else {
        fraction f;
        const uint64_t mantissa = field ? fraction_bits | (uint64_t)1 << 52 : fraction_bits;
        set_fraction(mantissa, (field ? field : 1) - BIAS, field > 1 && fraction_bits == 0, &f,
                     &d.point);
        shortest_digits(&f, &d);
        n += lay_out(&d, text + n);
    }
    text[n] = '\0';
    return n;
}
