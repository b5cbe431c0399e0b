// Whole numbers of up to 3072 bits, for exact conversion between decimals and doubles.
//
// The bound is proven where they are used: 800 digits need 2658 bits, and the other side of a
// comparison is as large.
#ifndef LWI_BIGINT_H
#define LWI_BIGINT_H

#include <stdint.h>

enum { LWI_BIG_WORDS = 96 };

/// Non-negative; the least word first, and the last word counted by `n` is not zero.
typedef struct lwi_big {
    int n;
    uint32_t word[LWI_BIG_WORDS];
} lwi_big;

void lwi_big_set(lwi_big *a, uint64_t value);

/// a = a * factor + term
void lwi_big_mul_add(lwi_big *a, uint32_t factor, uint32_t term);

/// a = a * 5^power
void lwi_big_mul_pow5(lwi_big *a, int power);

/// a = a * 2^bits
void lwi_big_shift(lwi_big *a, int bits);

/// a = a - b, where b is not larger
void lwi_big_sub(lwi_big *a, const lwi_big *b);

/// Negative, zero or positive as a is less than, equal to or greater than b.
int lwi_big_compare(const lwi_big *a, const lwi_big *b);

/// The same for a + b against c.
int lwi_big_compare_sum(const lwi_big *a, const lwi_big *b, const lwi_big *c);

#endif
