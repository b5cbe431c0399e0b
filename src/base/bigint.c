#include "bigint.h"

#include <assert.h>
#include <string.h>

void lwi_big_set(lwi_big *a, uint64_t value)
{
    a->word[0] = (uint32_t)value;
    a->word[1] = (uint32_t)(value >> 32);
    a->n = a->word[1] ? 2 : a->word[0] ? 1 : 0;
}

static void push(lwi_big *a, uint32_t word)
{
    assert(a->n < LWI_BIG_WORDS);
    a->word[a->n++] = word;
}

void lwi_big_mul_add(lwi_big *a, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (int i = 0; i < a->n; ++i) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        push(a, (uint32_t)carry);
    }
}

void lwi_big_mul_pow5(lwi_big *a, int power)
{
    enum { STEP = 13 }; // the largest power of five in 32 bits
    static const uint32_t pow5[STEP + 1] = {1,       5,        25,        125,       625,
                                            3125,    15625,    78125,     390625,    1953125,
                                            9765625, 48828125, 244140625, 1220703125};
    for (; power >= STEP; power -= STEP) {
        lwi_big_mul_add(a, pow5[STEP], 0);
    }
    if (power > 0) {
        lwi_big_mul_add(a, pow5[power], 0);
    }
}

void lwi_big_shift(lwi_big *a, int bits)
{
    const int words = bits / 32;
    if (a->n == 0) {
        return;
    }
    if (bits % 32) {
        lwi_big_mul_add(a, (uint32_t)1 << (bits % 32), 0);
    }
    if (words) {
        assert(a->n + words <= LWI_BIG_WORDS);
        memmove(a->word + words, a->word, (size_t)a->n * sizeof *a->word);
        memset(a->word, 0, (size_t)words * sizeof *a->word);
        a->n += words;
    }
}

void lwi_big_sub(lwi_big *a, const lwi_big *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->n; ++i) {
        const uint64_t take = borrow + (i < b->n ? b->word[i] : 0);
        borrow = take > a->word[i];
        a->word[i] = (uint32_t)(a->word[i] - take);
    }
    while (a->n > 0 && a->word[a->n - 1] == 0) {
        --a->n;
    }
}

int lwi_big_compare(const lwi_big *a, const lwi_big *b)
{
    if (a->n != b->n) {
        return a->n - b->n;
    }
    for (int i = a->n - 1; i >= 0; --i) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i] ? -1 : 1;
        }
    }
    return 0;
}

int lwi_big_compare_sum(const lwi_big *a, const lwi_big *b, const lwi_big *c)
{
    // Most sums are told apart by their length, so that no sum need be made.
    const int longer = a->n > b->n ? a->n : b->n;
    if (longer != c->n && longer + 1 != c->n) {
        return longer - c->n;
    }
    // From the top, what is left of c after a and b; more than one unit of a word is decided.
    int64_t left = 0;
    for (int i = c->n - 1; i >= 0; --i) {
        const uint64_t sum = (uint64_t)(i < a->n ? a->word[i] : 0) + (i < b->n ? b->word[i] : 0);
        left = left * ((int64_t)1 << 32) + (int64_t)c->word[i] - (int64_t)sum;
        if (left < 0) {
            return 1;
        }
        if (left > 1) {
            return -1;
        }
    }
    return left > 0 ? -1 : 0;
}
