// Random numbers by counting: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). A number is a function of its key and its counter alone,
// so that any of them can be computed without those before it.
#ifndef LWI_PHILOX_H
#define LWI_PHILOX_H

#include <stdint.h>

/// Replaces four words by four random ones.
static inline void lwi_philox(uint32_t x[4], uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = (uint64_t)x[0] * UINT32_C(0xD2511F53);
        const uint64_t b = (uint64_t)x[2] * UINT32_C(0xCD9E8D57);
        const uint32_t x1 = x[1], x3 = x[3];
        x[0] = (uint32_t)(b >> 32) ^ x1 ^ k0;
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x3 ^ k1;
        x[3] = (uint32_t)a;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}

/// Two numbers of a case, uniform in [0, 1): those of draws 2 * pair and 2 * pair + 1.
static inline void lwi_philox_pair(uint64_t seed, uint64_t number, uint32_t pair, uint32_t stream,
                                   double u[2])
{
    uint32_t x[4] = {(uint32_t)number, (uint32_t)(number >> 32), pair, stream};
    lwi_philox(x, (uint32_t)seed, (uint32_t)(seed >> 32));
    u[0] = (double)(((uint64_t)x[1] << 32 | x[0]) >> 11) * 0x1p-53;
    u[1] = (double)(((uint64_t)x[3] << 32 | x[2]) >> 11) * 0x1p-53;
}

#endif
