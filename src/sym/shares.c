// A function in shares: elements by themselves, each by the operations that it needs. What several
// shares need each of them computes, so that none waits for another.
#include "derivation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct share {
    int first, end; // of lw_shares.output
    int nline;
    int *line;
    double *work; // [nslot]
} share;

struct lw_shares {
    lw_derivation *d;
    lw_function function;
    int nshare;
    int *output; // those of the tape that are this function's
    share *share;
};

static lw_status make_share(const lwi_tape *tape, const int *output, share *s)
{
    int *line = malloc(((size_t)tape->nline + 1) * sizeof *line);
    s->work = malloc(((size_t)tape->nslot + 1) * sizeof *s->work);
    if (line) {
        s->nline = lwi_tape_needs(tape, s->end - s->first, output + s->first, line);
        s->line = realloc(line, ((size_t)s->nline + 1) * sizeof *line);
        s->line = s->line ? s->line : line;
    }
    return s->line && s->work ? LW_OK : LW_ERR_MEMORY;
}

lw_status lw_shares_create(lw_derivation *d, lw_function function, int nshare, lw_shares **shares)
{
    const lwi_tape *tape = lwi_derivation_tape(d, function);
    if (shares) {
        *shares = NULL;
    }
    if (!tape || !shares || nshare < 1 || nshare > 1024) {
        return LW_ERR_ARGUMENT;
    }
    lw_shares *s = calloc(1, sizeof *s);
    if (!s) {
        return LW_ERR_MEMORY;
    }
    *s = (lw_shares){.d = d, .function = function, .nshare = nshare};
    s->output = malloc(((size_t)tape->noutput + 1) * sizeof *s->output);
    s->share = calloc((size_t)nshare, sizeof *s->share);
    lw_status status = s->output && s->share ? LW_OK : LW_ERR_MEMORY;
    int n = 0;
    for (int i = 0; i < tape->noutput && status == LW_OK; ++i) {
        if (strcmp(tape->output[i].name, lw_function_result(function)) == 0) {
            s->output[n++] = i;
        }
    }
    for (int k = 0; k < nshare && status == LW_OK; ++k) {
        s->share[k].first = (int)((long long)n * k / nshare);
        s->share[k].end = (int)((long long)n * (k + 1) / nshare);
        status = make_share(tape, s->output, &s->share[k]);
    }
    if (status != LW_OK) {
        lw_shares_destroy(s);
        return status;
    }
    *shares = s;
    return LW_OK;
}

void lw_shares_destroy(lw_shares *shares)
{
    if (!shares) {
        return;
    }
    for (int k = 0; shares->share && k < shares->nshare; ++k) {
        free(shares->share[k].line);
        free(shares->share[k].work);
    }
    free(shares->share);
    free(shares->output);
    free(shares);
}

lw_status lw_shares_begin(lw_shares *shares, const double *q, const double *v, const double *a,
                          double time, const double *value, double *out)
{
    if (!shares || !out) {
        return LW_ERR_ARGUMENT;
    }
    memset(out, 0, (size_t)lw_derivation_size(shares->d, shares->function) * sizeof *out);
    return lwi_derivation_inputs(shares->d, shares->function, q, v, a, time, value);
}

lw_status lw_shares_run(lw_shares *shares, int number, double *out)
{
    if (!shares || !out || number < 0 || number >= shares->nshare) {
        return LW_ERR_ARGUMENT;
    }
    const lw_derivation *d = shares->d;
    const lwi_tape *tape = lwi_derivation_tape(d, shares->function);
    share *s = &shares->share[number];
    bool is_finite = true;
    lwi_tape_run_lines(tape, d->input, s->nline, s->line, s->work);
    for (int i = s->first; i < s->end; ++i) {
        const double x = lwi_tape_output(tape, d->input, s->work, shares->output[i]);
        is_finite = is_finite && isfinite(x);
        out[tape->output[shares->output[i]].index] = x;
    }
    return is_finite ? LW_OK : d->model->nloop > 0 ? LW_ERR_LOOP_OPEN : LW_ERR_NUMBER;
}
