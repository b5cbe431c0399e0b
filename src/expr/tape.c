#include "tape.h"

#include "../math/sincos.h"
#include "../math/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lwi_tape_destroy(lwi_tape *tape)
{
    free(tape);
}

lwi_counts lwi_tape_counts(const lwi_tape *tape)
{
    lwi_counts counts = {0};
    for (int k = tape->nonce; k < tape->nline; ++k) {
        const lwi_op op = tape->line[k].op;
        ++*(op == LWI_OP_ADD                       ? &counts.add
            : op == LWI_OP_MUL                     ? &counts.mul
            : op == LWI_OP_DIV                     ? &counts.div
            : op == LWI_OP_SQRT                    ? &counts.sqrt
            : op == LWI_OP_SIN || op == LWI_OP_COS ? &counts.sincos
                                                   : &counts.other);
    }
    return counts;
}

bool lwi_tape_has(const lwi_tape *tape, lwi_symbol_kind kind)
{
    bool is_found = false;
    for (int i = 0; i < tape->ninput; ++i) {
        is_found = is_found || tape->input[i].kind == kind;
    }
    return is_found;
}

typedef struct run {
    const lwi_tape *tape;
    const double *input, *work;
} run;

static double value_of(const run *r, uint32_t reference)
{
    const int index = (int)(reference >> 1);
    const lwi_tape *t = r->tape;
    const int line = index - t->ninput - t->nnumber;
    const double value = line >= 0           ? r->work[t->slot[line]]
                         : index < t->ninput ? r->input[index]
                                             : t->number[index - t->ninput];
    return reference & 1u ? -value : value;
}

double lwi_apply(lwi_op op, double a, double b)
{
    double sine, cosine;
    switch (op) {
    case LWI_OP_ADD:
        return a + b;
    case LWI_OP_MUL:
        return a * b;
    case LWI_OP_DIV:
        return a / b;
    case LWI_OP_SQRT:
        return sqrt(a);
    case LWI_OP_SIN:
    case LWI_OP_COS:
        sincos_real(a, &sine, &cosine);
        return op == LWI_OP_SIN ? sine : cosine;
    case LWI_OP_ATAN2:
        return lwi_rounded_atan2(a, b);
    case LWI_OP_TANH:
        return tanh(a);
    case LWI_OP_CLAMP:
        return a > 1.0 ? 1.0 : a < -1.0 ? -1.0 : a; // NaN stays
    default:                                        // the sign
        return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0;
    }
}

lw_status lwi_tape_run(const lwi_tape *tape, const double *input, double *work, double *result)
{
    const run r = {tape, input, work};
    for (int k = 0; k < tape->nline; ++k) {
        const lwi_line *line = &tape->line[k];
        work[tape->slot[k]] = lwi_apply(line->op, value_of(&r, line->a), value_of(&r, line->b));
    }
    bool is_finite = true;
    for (int k = 0; k < tape->noutput; ++k) {
        result[k] = value_of(&r, tape->output[k].value);
        is_finite = is_finite && isfinite(result[k]);
    }
    return is_finite ? LW_OK : LW_ERR_NUMBER;
}

int lwi_tape_needs(const lwi_tape *tape, int noutput, const int *output, int *line)
{
    const int first = tape->ninput + tape->nnumber;
    memset(line, 0, (size_t)tape->nline * sizeof *line);
    for (int k = 0; k < noutput; ++k) {
        const int value = (int)(tape->output[output[k]].value / 2) - first;
        if (value >= 0) {
            line[value] = 1;
        }
    }
    for (int k = tape->nline - 1; k >= 0; --k) { // a line stands after what it reads
        const int read[2] = {(int)(tape->line[k].a / 2) - first,
                             (int)(tape->line[k].b / 2) - first};
        for (int i = 0; i < 2 && line[k]; ++i) {
            if (read[i] >= 0) {
                line[read[i]] = 1;
            }
        }
    }
    int n = 0;
    for (int k = 0; k < tape->nline; ++k) {
        if (line[k]) {
            line[n++] = k;
        }
    }
    return n;
}

void lwi_tape_run_lines(const lwi_tape *tape, const double *input, int nline, const int *line,
                        double *work)
{
    const run r = {tape, input, work};
    for (int i = 0; i < nline; ++i) {
        const lwi_line *l = &tape->line[line[i]];
        work[tape->slot[line[i]]] = lwi_apply(l->op, value_of(&r, l->a), value_of(&r, l->b));
    }
}

double lwi_tape_output(const lwi_tape *tape, const double *input, double *work, int output)
{
    const run r = {tape, input, work};
    return value_of(&r, tape->output[output].value);
}
