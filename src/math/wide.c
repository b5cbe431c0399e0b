// Sums and products after Dekker (1971) and Knuth, with the fused product for exact ones.
#include "wide.h"

#include "argument_reduction.h"

#include <math.h>

static const lwi_wide half_pi = {1.5707963267948966, 6.123233995736766e-17};

/// a + b exactly, where |a| is not smaller.
static lwi_wide quick_sum(double a, double b)
{
    const double hi = a + b;
    return (lwi_wide){hi, b - (hi - a)};
}

/// a + b exactly.
static lwi_wide two_sum(double a, double b)
{
    const double hi = a + b;
    const double from_b = hi - a;
    return (lwi_wide){hi, (a - (hi - from_b)) + (b - from_b)};
}

lwi_wide lwi_wide_add(lwi_wide a, lwi_wide b)
{
    const lwi_wide top = two_sum(a.hi, b.hi);
    const lwi_wide bottom = two_sum(a.lo, b.lo);
    const lwi_wide sum = quick_sum(top.hi, top.lo + bottom.hi);
    return quick_sum(sum.hi, sum.lo + bottom.lo);
}

lwi_wide lwi_wide_mul(lwi_wide a, lwi_wide b)
{
    const double hi = a.hi * b.hi;
    const double lo = fma(a.hi, b.hi, -hi);
    return quick_sum(hi, lo + (a.hi * b.lo + a.lo * b.hi));
}

lwi_wide lwi_wide_div(lwi_wide a, lwi_wide b)
{
    const double first = a.hi / b.hi;
    const lwi_wide rest = lwi_wide_add(a, lwi_wide_neg(lwi_wide_mul(b, lwi_wide_of(first))));
    const double second = rest.hi / b.hi;
    return quick_sum(first, second);
}

lwi_wide lwi_wide_sqrt(lwi_wide a)
{
    const double root = sqrt(a.hi);
    if (!(root > 0.0)) {
        return lwi_wide_of(root);
    }
    const lwi_wide square = lwi_wide_mul(lwi_wide_of(root), lwi_wide_of(root));
    const lwi_wide rest = lwi_wide_add(a, lwi_wide_neg(square));
    return quick_sum(root, rest.hi / (2.0 * root));
}

/// The nearest quarter turn, and what is left of the angle.
static double split(lwi_wide angle, lwi_wide *rest)
{
    const double turns = nearbyint(angle.hi / half_pi.hi);
    *rest = lwi_wide_add(angle, lwi_wide_neg(lwi_wide_mul(half_pi, lwi_wide_of(turns))));
    return turns;
}

static int to_quarter(double turns)
{
    return (int)fmod(fmod(turns, 4.0) + 4.0, 4.0);
}

int lwi_wide_quarters(lwi_wide angle, lwi_wide *rest)
{
    const double turns = split(angle, rest);
    const double noise = 4.5e-16 * (1.0 + fabs(turns)); // two units of the last place of pi / 2
    if (fabs(rest->hi) <= noise) {
        *rest = lwi_wide_of(0.0);
    }
    return to_quarter(turns);
}

/// Of an angle of x and quarter turns.
static void rotate_quarters(lwi_wide x, int quarters, lwi_wide *sine, lwi_wide *cosine)
{
    // Taylor's series: |x| is below 0.8, so that 30 terms are below 1e-35.
    const lwi_wide minus_square = lwi_wide_neg(lwi_wide_mul(x, x));
    lwi_wide s = x, c = lwi_wide_of(1.0);
    lwi_wide s_term = x, c_term = c;
    for (int k = 1; k <= 15; k++) {
        c_term = lwi_wide_div(lwi_wide_mul(c_term, minus_square),
                              lwi_wide_of((2.0 * k - 1.0) * (2.0 * k)));
        s_term = lwi_wide_div(lwi_wide_mul(s_term, minus_square),
                              lwi_wide_of((2.0 * k) * (2.0 * k + 1.0)));
        c = lwi_wide_add(c, c_term);
        s = lwi_wide_add(s, s_term);
    }
    const lwi_wide around[5] = {s, c, lwi_wide_neg(s), lwi_wide_neg(c), s};
    *sine = around[quarters];
    *cosine = around[quarters + 1];
}

void lwi_wide_sincos(lwi_wide angle, lwi_wide *sine, lwi_wide *cosine)
{
    lwi_wide x;
    const int quarters = lwi_wide_quarters(angle, &x);
    rotate_quarters(x, quarters, sine, cosine);
}

lwi_wide lwi_wide_atan2(lwi_wide y, lwi_wide x)
{
    // One step of Newton's method doubles the digits of the library's answer.
    const lwi_wide angle = lwi_wide_of(atan2(y.hi, x.hi));
    lwi_wide rest, s, c;
    const double turns = split(angle, &rest);
    rotate_quarters(rest, to_quarter(turns), &s, &c);
    const lwi_wide across = lwi_wide_add(lwi_wide_mul(y, c), lwi_wide_neg(lwi_wide_mul(x, s)));
    const lwi_wide along = lwi_wide_add(lwi_wide_mul(x, c), lwi_wide_mul(y, s));
    return lwi_wide_add(angle, lwi_wide_div(across, along));
}

void lwi_rounded_sincos(double angle, double *sine, double *cosine)
{
    double high = angle, low = 0.0;
    unsigned quarter = 0;
    if (!(fabs(angle) < 0x1p-1)) {
        quarter = lwi_reduce_double(angle, &high, &low);
    }
    lwi_wide s, c;
    rotate_quarters(quick_sum(high, low), (int)quarter, &s, &c);
    *sine = angle == 0.0 ? angle : s.hi; // the sign of zero
    *cosine = c.hi;
}

double lwi_rounded_atan2(double y, double x)
{
    const lwi_wide angle = lwi_wide_atan2(lwi_wide_of(y), lwi_wide_of(x));
    // Of the ends of the axes all digits are known, and directions of no length or an infinite one
    // have no other answer.
    return y == 0.0 || x == 0.0 || angle.hi == 0.0 || !isfinite(angle.hi) ? atan2(y, x) : angle.hi;
}
