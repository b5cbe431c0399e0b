// Distances of many pairs of capsules, compiled for several instruction sets.
#ifndef LWI_CAPSULE_PAIRS_H
#define LWI_CAPSULE_PAIRS_H

#include <linkwork/geometry.h>

/// Intervals of what is odd are not numbers; returns whether there are some.
typedef struct lwi_capsule_pairs {
    bool (*distances)(int n, const lw_capsules *a, const lw_capsules *b,
                      const lw_capsule_distances *out);
    bool (*distances32)(int n, const lw_capsules32 *a, const lw_capsules32 *b,
                        const lw_capsule_distances32 *out);
} lwi_capsule_pairs;

const lwi_capsule_pairs *lwi_capsule_pairs_generic(void);
const lwi_capsule_pairs *lwi_capsule_pairs_avx2(void);   ///< null where there are none
const lwi_capsule_pairs *lwi_capsule_pairs_avx512(void); ///< null where there are none

#endif
