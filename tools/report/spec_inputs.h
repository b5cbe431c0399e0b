// Symbols of a specification as inputs of generated code.
#ifndef SPEC_INPUTS_H
#define SPEC_INPUTS_H

#include <linkwork/configure.h>
#include <linkwork/symbolic.h>

#include "support/memory.h"

typedef struct spec_inputs {
    const char *list; ///< as lw_derive_options.inputs, "a1=a_outer,m2=m_outer"; NULL for none
    const char *note; ///< symbols that are no inputs, and why; "" for none
    lw_model *other;  ///< the robot with every input changed, to check code with
} spec_inputs;

/// Finds which parameters of the equations each symbol is, by what changes in the model with it.
/// Afterwards every symbol has a value in the specification. An exit code.
int spec_inputs_find(memory *pool, lw_spec *spec, const lw_model *m, spec_inputs *inputs);

#endif
