// Random numbers that are the same on every processor: SplitMix64 (Steele, Lea and Flood 2014).
#ifndef LWI_SPLITMIX_H
#define LWI_SPLITMIX_H

#include <stdint.h>

/// A well-mixed function of 64 bits, its finaliser.
static inline uint64_t lwi_splitmix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/// The next number, uniform in [0, 1).
static inline double lwi_random_share(unsigned long long *seed)
{
    const uint64_t x = lwi_splitmix(*seed);
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(x >> 11) * 0x1p-53;
}

#endif
