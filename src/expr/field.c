#include "field.h"

#include "../base/splitmix.h"

#include <math.h>

uint64_t lwi_field_mul(uint64_t a, uint64_t b)
{
    // The product of 122 bits from four products of halves; 2^61 is 1, so that what lies above bit
    // 61 is added to what lies below.
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32;
    const uint64_t b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32); // below 2^61 + 2^32
    const uint64_t cross = a0 * b1 + (middle & UINT32_MAX);
    const uint64_t high = a1 * b1 + (middle >> 32) + (cross >> 32);
    const uint64_t bottom = (cross << 32) | (low & UINT32_MAX);
    const uint64_t sum = (bottom & LWI_PRIME) + ((high << 3) | (bottom >> 61));
    return sum >= LWI_PRIME ? sum - LWI_PRIME : sum;
}

static uint64_t field_power(uint64_t a, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) {
            result = lwi_field_mul(result, a);
        }
        a = lwi_field_mul(a, a);
    }
    return result;
}

lwi_value lwi_value_div(lwi_value a, lwi_value b)
{
    lwi_value result;
    for (int k = 0; k < 2; ++k) {
        result.at[k] = lwi_field_mul(a.at[k], field_power(b.at[k], LWI_PRIME - 2));
    }
    return result;
}

lwi_value lwi_value_of_double(double a)
{
    int exponent;
    const double mantissa = frexp(fabs(a), &exponent); // in [1/2, 1), 53 bits
    uint64_t x = (uint64_t)ldexp(mantissa, 53);
    // Powers of two have the order 61.
    const int shift = ((exponent - 53) % 61 + 61) % 61;
    x = lwi_field_mul(x, UINT64_C(1) << shift);
    if (a < 0.0) {
        x = lwi_field_neg(x);
    }
    return (lwi_value){{x, x}};
}

/// Into the field, but never zero.
static uint64_t into_field(uint64_t x)
{
    return 1 + (x >> 3) % (LWI_PRIME - 1);
}

lwi_value lwi_value_hash(uint64_t seed, uint64_t salt)
{
    const uint64_t x = lwi_splitmix(seed ^ lwi_splitmix(salt));
    return (lwi_value){{into_field(lwi_splitmix(x)), into_field(lwi_splitmix(~x))}};
}

lwi_value lwi_value_mix(lwi_value a, lwi_value b, uint64_t salt)
{
    uint64_t x = lwi_splitmix(salt);
    x = lwi_splitmix(x ^ a.at[0]);
    x = lwi_splitmix(x ^ a.at[1]);
    x = lwi_splitmix(x ^ b.at[0]);
    return lwi_value_hash(x, b.at[1]);
}

void lwi_value_sincos(lwi_value t, lwi_value *sine, lwi_value *cosine)
{
    const lwi_value one = {{1, 1}};
    const lwi_value square = lwi_value_mul(t, t);
    const lwi_value below = lwi_value_add(one, square);
    *sine = lwi_value_div(lwi_value_add(t, t), below);
    *cosine = lwi_value_div(lwi_value_add(one, lwi_value_neg(square)), below);
}
