// For processors with AVX-512; the build compiles this file for them. Where it does not, there is
// nothing here.
#include "capsule_pairs.h"

#ifdef __AVX512F__
#include "capsule_pairs_kernels.h"

const lwi_capsule_pairs *lwi_capsule_pairs_avx512(void)
{
    static const lwi_capsule_pairs kernels = {lanes_find_distances, lanes32_find_distances};
    return &kernels;
}
#else
const lwi_capsule_pairs *lwi_capsule_pairs_avx512(void)
{
    return NULL;
}
#endif
