// A choice of one way for each node that is needed, and the tape that it makes.
#ifndef LWI_CHOICE_H
#define LWI_CHOICE_H

#include "graph.h"
#include "tape.h"

/// Writes the tape of a choice.
/// @param choice [nnode] a way for each node that the outputs need through these ways; constants
///               take the way that made them constant, whatever is chosen here
lw_status lwi_tape_of_choice(const lwi_graph *g, int noutput, const lwi_output *output,
                             const uint32_t *choice, lwi_tape **tape);

#endif
