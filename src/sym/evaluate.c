#include "symbolic_model.h"

#include "../expr/tape.h"
#include "../math/wide.h"

#include <math.h>
#include <stdlib.h>

// Unknowns are where they are in the reference configuration; inverses are not known.
static double solved_value(const lwi_symbolic *k, int index)
{
    for (int i = 0; i < k->nloop; ++i) {
        const lwi_sym_loop *l = &k->loop[i];
        if (index >= l->first && index < l->first + l->nx) {
            return l->start[index - l->first];
        }
    }
    return 1.0;
}

static double input_value(const lwi_symbolic *k, const lwi_symbol *symbol, const double *q)
{
    double sine, cosine;
    switch (symbol->kind) {
    case LWI_PARAMETER:
        return k->symbol[symbol->index].value;
    case LWI_POSITION:
        return q[symbol->index];
    case LWI_SINE:
    case LWI_COSINE:
        lwi_rounded_sincos(q[symbol->index], &sine, &cosine);
        return symbol->kind == LWI_SINE ? sine : cosine;
    case LWI_TIME:
        return 0.0;
    case LWI_SOLVED:
        return solved_value(k, symbol->index);
    default:
        return 1.0;
    }
}

lw_status lwi_symbolic_evaluate(lwi_symbolic *k, int n, const lwi_expr *e, const double *q,
                                double *value)
{
    lwi_tape *tape = NULL;
    double *capacity = NULL;
    lwi_output *output = malloc(((size_t)n + 1) * sizeof *output);
    lw_status status = output ? lwi_graph_status(k->g) : LW_ERR_MEMORY;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        output[i] = (lwi_output){"value", i, e[i]};
    }
    if (status == LW_OK) {
        status = lwi_tape_as_made(k->g, n, output, &tape);
    }
    if (status == LW_OK) {
        capacity = malloc(((size_t)tape->ninput + (size_t)tape->nslot + 1) * sizeof *capacity);
        status = capacity ? LW_OK : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        for (int i = 0; i < tape->ninput; ++i) {
            capacity[i] = input_value(k, &tape->input[i], q);
        }
        status = lwi_tape_run(tape, capacity, capacity + tape->ninput, value);
    }
    free(capacity);
    free(output);
    lwi_tape_destroy(tape);
    return status;
}
