// Sines and cosines of many angles at once: each as good as alone, wherever it stands.
#include "base/cpu.h"
#include "check.h"
#include "model/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef void sincos_function(int n, const double *x, double *s, double *c);

static double ulps(double got, long double want)
{
    int exponent;
    frexpl((long double)(double)want, &exponent);
    exponent = exponent < DBL_MIN_EXP ? DBL_MIN_EXP : exponent;
    return (double)(fabsl((long double)got - want) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

static void measure(sincos_function *function, const double *x, int n)
{
    double s[8], c[8];
    function(n, x, s, c);
    for (int k = 0; k < n; ++k) {
        CHECK(ulps(s[k], sinl((long double)x[k])) <= 0.82);
        CHECK(ulps(c[k], cosl((long double)x[k])) <= 0.82);
    }
}

static void measure_all(sincos_function *function)
{
    const long double half_pi = 1.57079632679489661923132169163975144L;
    for (int i = 0; i < 200000; ++i) {
        double x[8];
        const int n = (int)check_random(1, 9);
        for (int k = 0; k < n; ++k) {
            const int exponent = (int)check_random(-40, 40);
            const int quarter = (int)check_random(-100000, 100000);
            x[k] = i % 2 ? ldexp(check_random(-1, 1), exponent)
                         : (double)((long double)quarter * half_pi);
        }
        measure(function, x, n);
    }
}

// Sines of zero keep its sign, in whatever lane; so do the lanes beside one that is not a number.
static void special(sincos_function *function)
{
    const double x[] = {-0.0, 0.0, (double)NAN, 1e300, -0.0, (double)INFINITY, 5e-324};
    double s[7], c[7];
    function(7, x, s, c);
    CHECK(signbit(s[0]) && s[0] == 0.0 && !signbit(s[1]) && s[1] == 0.0 && signbit(s[4]));
    CHECK(c[0] == 1.0 && c[1] == 1.0 && c[4] == 1.0 && c[6] == 1.0);
    CHECK(isnan(s[2]) && isnan(c[2]) && isnan(s[5]) && isnan(c[5]));
    CHECK(ulps(s[3], sinl((long double)1e300)) <= 0.82 && s[6] == 5e-324);
}

static void measure_kernels(const lwi_kernels *kernels, lwi_cpu needed)
{
    if (!kernels || lwi_cpu_level() < needed) {
        check_skip("this processor or this build does not have it");
        return;
    }
    measure_all(kernels->lane->sincos);
    special(kernels->lane->sincos);
}

TEST(D52_pairs_of_angles)
{
    measure_kernels(lwi_kernels_generic, LWI_CPU_ANY);
}

TEST(D52_four_angles_by_AVX2)
{
    measure_kernels(lwi_kernels_avx2, LWI_CPU_AVX2);
}

TEST(D52_four_angles_by_AVX512)
{
    measure_kernels(lwi_kernels_avx512, LWI_CPU_AVX512);
}

int main(void)
{
    RUN(D52_pairs_of_angles);
    RUN(D52_four_angles_by_AVX2);
    RUN(D52_four_angles_by_AVX512);
    return REPORT();
}
