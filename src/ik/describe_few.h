// Chains of few.h in words.
#ifndef LWI_DESCRIBE_FEW_H
#define LWI_DESCRIBE_FEW_H

#include "solve.h"

/// Fills in class, properties and steps of ik->info.
void lwi_few_describe(lw_ik *ik);

/// The same for redundant chains: of swivel.h and locked.h.
void lwi_redundant_describe(lw_ik *ik);

#endif
