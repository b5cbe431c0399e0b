// For processors with AVX2 and fused products; the build compiles this file for them. Where it does
// not, there is nothing here.
#include "capsule_pairs.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "capsule_pairs_kernels.h"

const lwi_capsule_pairs *lwi_capsule_pairs_avx2(void)
{
    static const lwi_capsule_pairs kernels = {lanes_find_distances, lanes32_find_distances};
    return &kernels;
}
#else
const lwi_capsule_pairs *lwi_capsule_pairs_avx2(void)
{
    return NULL;
}
#endif
