// Configurations that may be solutions, as the solvers of the classes write them.
#ifndef LWI_CANDIDATE_H
#define LWI_CANDIDATE_H

#include "arm.h"

typedef struct lwi_candidate {
    lwi_angle q[LWI_ARM_JOINTS];
    signed char shoulder, elbow, wrist; ///< signs of roots; 0 where there is none
    unsigned undetermined;              ///< bit i: joint i kept the angle of the seed
} lwi_candidate;

enum { LWI_CANDIDATES = 32 };

typedef struct lwi_candidates {
    int count;
    lwi_candidate at[LWI_CANDIDATES];
} lwi_candidates;

/// The next one, to be filled in; the last one again where there is no space.
static inline lwi_candidate *lwi_next_candidate(lwi_candidates *list)
{
    if (list->count < LWI_CANDIDATES) {
        ++list->count;
    }
    return &list->at[list->count - 1];
}

#endif
