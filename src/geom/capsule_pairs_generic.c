// For any processor.
#include "capsule_pairs.h"

#include "capsule_pairs_kernels.h"

const lwi_capsule_pairs *lwi_capsule_pairs_generic(void)
{
    static const lwi_capsule_pairs kernels = {lanes_find_distances, lanes32_find_distances};
    return &kernels;
}
