// Code of mechanisms for tests.
#ifndef GENERATED_H
#define GENERATED_H

#include <linkwork/generate.h>

/// Each function by itself, without a search: that takes seconds, and changes only the tape.
lw_derivation *derive_quickly(const lw_model *m, unsigned functions, bool is_symbolic,
                              bool is_sincos_input);

/// Code with the prefix "arm"; free with lw_text_free().
char *generate_arm(lw_derivation *derivation, lw_generate_options options);

#endif
