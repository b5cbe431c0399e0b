// Chains of few.h in words.
#ifndef LWI_DESCRIBE_FEW_H
#define LWI_DESCRIBE_FEW_H

#include "solve.h"

/// Fills in class, properties and steps of ik->info.
void lwi_few_describe(lw_ik *ik);

#endif
