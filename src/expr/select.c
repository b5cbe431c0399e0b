#include "choice.h"

#include <stdlib.h>

lw_status lwi_select(lwi_graph *g, int noutput, const lwi_output *output,
                     const lwi_select_options *options, lwi_tape **tape)
{
    *tape = NULL;
    (void)options;
    if (g->status != LW_OK) {
        return g->status;
    }
    uint32_t *choice = malloc(g->nnode * sizeof *choice);
    if (!choice) {
        return LW_ERR_MEMORY;
    }
    for (size_t k = 0; k < g->nnode; k++) {
        choice[k] = g->node[k].first;
    }
    const lw_status status = lwi_tape_of_choice(g, noutput, output, choice, tape);
    free(choice);
    return status;
}
