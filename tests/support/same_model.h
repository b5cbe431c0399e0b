// Two compiled models that must be the same to the last bit.
#ifndef SAME_MODEL_H
#define SAME_MODEL_H

#include <linkwork/linkwork.h>

/// Checks that all that two models hold is equal: structure, numbers and names. Where files were
/// found is not compared.
void check_same_model(const lw_model *a, const lw_model *b);

#endif
