#include "sweep/crc32c.h"

#include <string.h>

// One bit after the other: for processors without an instruction for it.
static uint32_t by_bits(const unsigned char *at, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= at[i];
        for (int k = 0; k < 8; ++k) {
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
        }
    }
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(const unsigned char *at,
                                                                 size_t size)
{
    unsigned long long crc = UINT32_MAX;
    for (; size >= 8; at += 8, size -= 8) {
        unsigned long long word;
        memcpy(&word, at, sizeof word);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    unsigned last = (unsigned)crc;
    for (; size > 0; ++at, --size) {
        last = __builtin_ia32_crc32qi(last, *at);
    }
    return ~last;
}

uint32_t crc32c(const void *bytes, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(bytes, size) : by_bits(bytes, size);
}
#else
uint32_t crc32c(const void *bytes, size_t size)
{
    return by_bits(bytes, size);
}
#endif
