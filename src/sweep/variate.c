// Variates in plain operations: the C library's logarithm differs between processors.

#include "variate.h"

#include "../base/splitmix.h"

#include <math.h>

// Natural logarithm, 0 < x < inf: m 2^k with m about 1, and 2 atanh((m - 1) / (m + 1)).
static double plain_log(double x)
{
    static const double ln2 = 0.69314718055994530942;
    int k;
    double m = frexp(x, &k), sum = 0.0;
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --k;
    }
    const double s = (m - 1.0) / (m + 1.0), ss = s * s;
    for (int i = 25; i >= 1; i -= 2) {
        sum = sum * ss + 1.0 / i;
    }
    return (double)k * ln2 + 2.0 * s * sum;
}

static double polynomial(const double c[8], double x)
{
    double sum = c[7];
    for (int i = 6; i >= 0; --i) {
        sum = sum * x + c[i];
    }
    return sum;
}

// Wichura's algorithm AS 241 (PPND16), Applied Statistics 37 (1988): three rational functions, good
// to about 1e-16.
double lwi_normal_quantile(double u)
{
    static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                1.9715909503065514427e3, 1.3731693765509461125e4,
                                4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e1,
                                6.8718700749205790830e2,
                                5.3941960214247511077e3,
                                2.1213794301586595867e4,
                                3.9307895800092710610e4,
                                2.8729085735721942674e4,
                                5.2264952788528545610e3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    const double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(a, r) / polynomial(b, r);
    }
    const double tail = q < 0.0 ? u : 1.0 - u;
    double r = sqrt(-plain_log(tail > 0x1p-54 ? tail : 0x1p-54));
    double x;
    if (r <= 5.0) {
        r -= 1.6;
        x = polynomial(c, r) / polynomial(d, r);
    } else {
        r -= 5.0;
        x = polynomial(e, r) / polynomial(f, r);
    }
    return q < 0.0 ? -x : x;
}

// A Feistel network over the smallest even number of bits that n needs; what falls outside of n
// goes through it again.
uint64_t lwi_permuted(uint64_t i, uint64_t n, uint64_t key)
{
    enum { ROUNDS = 6 };
    int half = 1;
    while (half < 32 && n > UINT64_C(1) << (2 * half)) {
        ++half;
    }
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (int k = 0; k < ROUNDS; ++k) {
            const uint64_t mixed = lwi_splitmix(lwi_splitmix(key + (uint64_t)k) ^ right) & mask;
            const uint64_t next = left ^ mixed;
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}
