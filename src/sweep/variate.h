// Random numbers of a plan: each is a function of the seed, the case and its own number alone.
#ifndef LWI_VARIATE_H
#define LWI_VARIATE_H

#include <stdint.h>

/// The normal variate below which the share u of all variates is, 0 < u < 1.
double lwi_normal_quantile(double u);

/// Where number i of n stands in a random order; the orders of different keys are independent.
uint64_t lwi_permuted(uint64_t i, uint64_t n, uint64_t key);

#endif
