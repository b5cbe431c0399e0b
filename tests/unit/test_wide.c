// Numbers of twice the precision, and functions that are rounded from them.

#include "check.h"
#include "math/wide.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/// In units of the last place of what is wanted.
static double ulps(double got, long double want)
{
    int exponent;
    frexp((double)want, &exponent);
    return (double)(fabsl((long double)got - want) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

// D52: the same bits everywhere, because they are the nearest ones but for one in a thousand, where
// 80 bit arithmetic does not decide.
TEST(rounded_sine_and_cosine_are_the_nearest_doubles)
{
    static const double range[] = {1e-8, 0.1, 1.0, 4.0, 100.0, 1e6, 1e15, 1e300};
    for (size_t k = 0; k < sizeof range / sizeof *range; ++k) {
        for (int i = 0; i < 2000; ++i) {
            const double x = range[k] * check_random(-1, 1);
            double s, c;
            lwi_rounded_sincos(x, &s, &c);
            check_case("%.17g", x);
            CHECK(ulps(s, sinl((long double)x)) <= 0.501);
            CHECK(ulps(c, cosl((long double)x)) <= 0.501);
        }
    }
}

TEST(rounded_angles_are_the_nearest_doubles)
{
    for (int i = 0; i < 20000; ++i) {
        const double size = pow(10.0, check_random(-20, 20));
        const double y = size * check_random(-1, 1), x = check_random(-1, 1);
        check_case("%.17g, %.17g", y, x);
        CHECK(ulps(lwi_rounded_atan2(y, x), atan2l((long double)y, (long double)x)) <= 0.501);
    }
}

TEST(rounded_functions_of_what_has_no_digits)
{
    static const double end[] = {0.0, -0.0, 1.0, -1.0, 1e308, -1e-308, (double)INFINITY};
    double s, c;
    lwi_rounded_sincos(-0.0, &s, &c);
    CHECK(s == 0.0 && signbit(s) && c == 1.0);
    lwi_rounded_sincos(1e-310, &s, &c);
    CHECK(s == 1e-310 && c == 1.0);
    lwi_rounded_sincos((double)INFINITY, &s, &c);
    CHECK(isnan(s) && isnan(c));
    lwi_rounded_sincos((double)NAN, &s, &c);
    CHECK(isnan(s) && isnan(c));
    for (int i = 0; i < 7; ++i) {
        for (int k = 0; k < 7; ++k) {
            const double got = lwi_rounded_atan2(end[i], end[k]), want = atan2(end[i], end[k]);
            check_case("%g, %g", end[i], end[k]);
            CHECK_NEAR(got, want, 5e-16); // libm's own last place
            CHECK(signbit(got) == signbit(want));
        }
    }
}

int main(void)
{
    if (LDBL_MANT_DIG >= 64) {
        RUN(rounded_sine_and_cosine_are_the_nearest_doubles);
        RUN(rounded_angles_are_the_nearest_doubles);
    }
    RUN(rounded_functions_of_what_has_no_digits);
    return REPORT();
}
