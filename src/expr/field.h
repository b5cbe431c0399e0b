// Arithmetic modulo the prime 2^61 - 1, at two random points side by side.
//
// Two expressions that differ agree at both points with a chance of about (degree / 2^61)^2, which
// is below 1e-30 for anything that fits in memory.
#ifndef LWI_FIELD_H
#define LWI_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#define LWI_PRIME ((UINT64_C(1) << 61) - 1)

/// A value at the two points, each in [0, LWI_PRIME).
typedef struct lwi_value {
    uint64_t at[2];
} lwi_value;

uint64_t lwi_field_mul(uint64_t a, uint64_t b);
static inline uint64_t lwi_field_add(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;
    return sum >= LWI_PRIME ? sum - LWI_PRIME : sum;
}

static inline uint64_t lwi_field_neg(uint64_t a)
{
    return a ? LWI_PRIME - a : 0;
}

static inline lwi_value lwi_value_neg(lwi_value a)
{
    return (lwi_value){{lwi_field_neg(a.at[0]), lwi_field_neg(a.at[1])}};
}

static inline lwi_value lwi_value_add(lwi_value a, lwi_value b)
{
    return (lwi_value){{lwi_field_add(a.at[0], b.at[0]), lwi_field_add(a.at[1], b.at[1])}};
}

static inline lwi_value lwi_value_mul(lwi_value a, lwi_value b)
{
    return (lwi_value){{lwi_field_mul(a.at[0], b.at[0]), lwi_field_mul(a.at[1], b.at[1])}};
}

static inline bool lwi_value_is_zero(lwi_value a)
{
    return a.at[0] == 0 && a.at[1] == 0;
}

/// a / b; b is not zero at either point.
lwi_value lwi_value_div(lwi_value a, lwi_value b);

/// A finite double, exactly: doubles are whole numbers times powers of two.
lwi_value lwi_value_of_double(double a);

/// Values that look random, but depend on the seeds only. The second mixes values into a third.
lwi_value lwi_value_hash(uint64_t seed, uint64_t salt);
lwi_value lwi_value_mix(lwi_value a, lwi_value b, uint64_t salt);

/// Sine and cosine of an angle whose half has the tangent t: 2 t / (1 + t^2), (1 - t^2) / (1 +
/// t^2). There is no t with t^2 = -1, because the prime is 3 modulo 4.
void lwi_value_sincos(lwi_value t, lwi_value *sine, lwi_value *cosine);

#endif
