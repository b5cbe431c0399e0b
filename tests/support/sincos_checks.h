// Checks of src/math/sincos.h, written once for each of its scalars. The including file chooses the
// scalar as for real.h, defines SINCOS_ULP as what the header of sincos.h promises, and is then a
// test.
#ifndef SINCOS_CHECKS_H
#define SINCOS_CHECKS_H

#include "check.h"
#include "math/sincos.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#if defined(LWI_REAL_FLOAT)
enum { DIGITS = FLT_MANT_DIG, LEAST = FLT_MIN_EXP, LARGEST = FLT_MAX_EXP };
#else
enum { DIGITS = DBL_MANT_DIG, LEAST = DBL_MIN_EXP, LARGEST = DBL_MAX_EXP };
#endif

static double ulps(number got, long double want)
{
    int exponent;
    frexpl((long double)(number)want, &exponent);
    exponent = exponent < LEAST ? LEAST : exponent;
    return (double)(fabsl((long double)got - want) / ldexpl(1.0L, exponent - DIGITS));
}

static double worst;
static number worst_at;

// Every lane in turn holds the angle, the others a large one, so that lanes that take the long way
// and lanes that take the short one are mixed.
static void measure(number angle)
{
    for (int k = 0; k < LANES; ++k) {
        real s, c;
        sincos_real(real_set_lane(real_of((number)1e30), k, angle), &s, &c);
        const double of_sine = ulps(real_lane(s, k), sinl((long double)angle));
        const double of_cosine = ulps(real_lane(c, k), cosl((long double)angle));
        const double error = of_sine > of_cosine ? of_sine : of_cosine;
        if (!(error <= worst)) {
            worst = error;
            worst_at = angle;
        }
    }
}

static void report_worst(const char *range, double promised)
{
    if (!CHECK(worst <= promised)) {
        printf("%s: %g ulp at %a\n", range, worst, (double)worst_at);
    }
    worst = 0;
}

static void uniform_angles(long double limit, int count)
{
    for (int i = 0; i < count; ++i) {
        measure((number)(limit * (long double)check_random(-1, 1)));
    }
}

static void error_over_all_ranges(double promised, int count)
{
    uniform_angles(4, count);
    report_worst("within a turn", promised);
    uniform_angles((long double)SINCOS_LIMIT, count);
    report_worst("within the pieces of pi/2", promised);

    // All magnitudes, evenly in the logarithm, down to subnormal numbers.
    for (int i = 0; i < count; ++i) {
        const int exponent = (int)check_random(LEAST - DIGITS, LARGEST);
        measure((number)ldexpl((long double)check_random(-1, 1), exponent));
    }
    report_worst("all magnitudes", promised);
}

static void error_next_to_quarter_turns(double promised, int count)
{
    const long double half_pi = 1.57079632679489661923132169163975144L;
    for (int n = -count; n <= count; ++n) {
        const number x = (number)((long double)n * half_pi);
        const number gap = (number)ldexpl((long double)x, -DIGITS);
        measure(x);
        measure(x + gap);
        measure(x - gap);
    }
    report_worst("next to multiples of pi/2", promised);
}

static void special_values(void)
{
    real s, c;
    sincos_real(real_of((number)-0.0), &s, &c);
    CHECK(signbit(real_lane(s, 0)) && real_lane(s, 0) == (number)0 && real_lane(c, 0) == (number)1);
    sincos_real(real_of((number)0.0), &s, &c);
    CHECK(!signbit(real_lane(s, 0)) && real_lane(s, 0) == (number)0);
    const number not_finite[] = {(number)INFINITY, -(number)INFINITY, (number)NAN};
    for (int i = 0; i < 3; ++i) {
        sincos_real(real_of(not_finite[i]), &s, &c);
        CHECK(isnan(real_lane(s, LANES - 1)) && isnan(real_lane(c, LANES - 1)));
    }
}

TEST(D52_sine_and_cosine_keep_the_stated_error)
{
    error_over_all_ranges(SINCOS_ULP, 1000000);
}

TEST(D52_sine_and_cosine_next_to_quarter_turns)
{
    error_next_to_quarter_turns(SINCOS_ULP, 200000);
}

TEST(D51_sine_and_cosine_of_special_values)
{
    special_values();
}

int main(void)
{
    RUN(D52_sine_and_cosine_keep_the_stated_error);
    RUN(D52_sine_and_cosine_next_to_quarter_turns);
    RUN(D51_sine_and_cosine_of_special_values);
    return REPORT();
}

#endif
