// How far tapes are from the truth at random states. Ways that cancel are refused one by one as
// they are found, but what many of them do together shows in the whole tape only.
#include "search.h"

#include "../base/name_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 32 };

/// In [0, 1), by state and symbol. Sines and cosines have the number of their angle.
static double uniform(const lwi_symbol *symbol, int state)
{
    const bool is_sincos = symbol->kind == LWI_SINE || symbol->kind == LWI_COSINE;
    const lwi_symbol_kind kind = is_sincos ? LWI_POSITION : symbol->kind;
    const char *text = kind == LWI_POSITION ? "" : symbol->name;
    uint64_t hash = lwi_hash_bytes(LWI_HASH_SEED, text, strlen(text));
    hash += (uint64_t)kind * 1000003 + (uint64_t)(uint32_t)symbol->index;
    return (double)(lwi_value_hash(hash, (uint64_t)state).at[0] >> 8) * 0x1p-53;
}

static double input_value(const lwi_symbol *symbol, int state)
{
    const double x = uniform(symbol, state);
    lwi_wide s, c;
    switch (symbol->kind) {
    case LWI_PARAMETER:
        return 0.5 + x;
    case LWI_SINE:
    case LWI_COSINE:
        lwi_wide_sincos(lwi_wide_of(6.0 * x - 3.0), &s, &c);
        return symbol->kind == LWI_SINE ? s.hi : c.hi;
    case LWI_POSITION:
        return 6.0 * x - 3.0;
    default:
        return 4.0 * x - 2.0;
    }
}

static lwi_wide apply(lwi_op op, lwi_wide a, lwi_wide b)
{
    lwi_wide s, c;
    switch (op) {
    case LWI_OP_ADD:
        return lwi_wide_add(a, b);
    case LWI_OP_MUL:
        return lwi_wide_mul(a, b);
    case LWI_OP_DIV:
        return lwi_wide_div(a, b);
    case LWI_OP_SQRT:
        return lwi_wide_sqrt(a);
    case LWI_OP_SIN:
    case LWI_OP_COS:
        lwi_wide_sincos(a, &s, &c);
        return op == LWI_OP_SIN ? s : c;
    case LWI_OP_ATAN2:
        return lwi_wide_atan2(a, b);
    default:
        return lwi_wide_of(lwi_apply(op, a.hi, b.hi));
    }
}

static lwi_wide signed_wide(lwi_wide a, lwi_expr sign)
{
    return sign & 1u ? lwi_wide_neg(a) : a;
}

/// The nodes that are marked, at one state, by their first ways.
static void evaluate(const lwi_graph *g, const unsigned char *mark, int state, lwi_wide *value)
{
    for (size_t k = 0; k < g->nnode; ++k) {
        const lwi_way *way = lwi_first_way(g, (uint32_t)k);
        if (!mark[k]) {
            continue;
        }
        if (lwi_is_number_node(g, (uint32_t)k)) {
            value[k] = g->number[g->node[k].number];
        } else if (way->op == LWI_OP_SYMBOL) {
            value[k] = signed_wide(lwi_wide_of(input_value(&g->symbol[way->a], state)), way->b);
        } else {
            const bool is_binary = lwi_is_binary(way->op);
            const lwi_wide a = signed_wide(value[lwi_node_of(way->a)], way->a);
            const lwi_wide b =
                is_binary ? signed_wide(value[lwi_node_of(way->b)], way->b) : lwi_wide_of(0.0);
            value[k] = signed_wide(apply(way->op, a, b), is_binary ? 0 : way->b);
        }
    }
}

/// The truth at all states.
static lw_status find_truth(lwi_accuracy *a, const lwi_graph *g, const lwi_output *output)
{
    lw_status status = LW_ERR_MEMORY;
    lwi_arena arena = {0};
    lwi_wide *value = lwi_arena_take(&arena, g->nnode, sizeof *value);
    unsigned char *mark = lwi_arena_take(&arena, g->nnode, 1);
    lwi_expr *root = lwi_arena_take(&arena, (size_t)a->noutput + 1, sizeof *root);
    if (!value || !mark || !root) {
        goto done;
    }
    for (int k = 0; k < a->noutput; ++k) {
        root[k] = output[k].value;
    }
    lwi_mark(g, a->noutput, root, mark);
    for (int state = 0; state < STATES; ++state) {
        evaluate(g, mark, state, value);
        for (int k = 0; k < a->noutput; ++k) {
            a->truth[state * a->noutput + k] = signed_wide(value[lwi_node_of(root[k])], root[k]);
        }
    }
    status = LW_OK;

done:
    lwi_arena_free(&arena);
    return status;
}

/// Whether all outputs are numbers in truth; at states where a loop does not close they are not.
static bool is_known(const lwi_accuracy *a, const lwi_wide *truth)
{
    for (int k = 0; k < a->noutput; ++k) {
        if (!isfinite(truth[k].hi)) {
            return false;
        }
    }
    return true;
}

/// Sums of the squares of the errors of a tape, by output, and of the values themselves. What is no
/// number where the truth is one is infinitely far off.
static lw_status sum_errors(const lwi_accuracy *a, const lwi_tape *tape, double *error,
                            double *size)
{
    const size_t ninput = (size_t)tape->ninput, nslot = (size_t)tape->nslot;
    double *work = malloc((ninput + nslot + (size_t)a->noutput + 1) * sizeof *work);
    if (!work) {
        return LW_ERR_MEMORY;
    }
    double *result = work + ninput + nslot;
    memset(error, 0, (size_t)a->noutput * sizeof *error);
    memset(size, 0, (size_t)a->noutput * sizeof *size);
    for (int state = 0; state < STATES; ++state) {
        const lwi_wide *truth = a->truth + state * a->noutput;
        if (!is_known(a, truth)) {
            continue;
        }
        for (size_t k = 0; k < ninput; ++k) {
            work[k] = input_value(&tape->input[k], state);
        }
        const bool is_good = lwi_tape_run(tape, work, work + ninput, result) == LW_OK;
        for (int k = 0; k < a->noutput; ++k) {
            const double off = is_good ? (result[k] - truth[k].hi) - truth[k].lo : (double)NAN;
            error[k] += isfinite(off) ? off * off : (double)INFINITY;
            size[k] += truth[k].hi * truth[k].hi;
        }
    }
    free(work);
    return LW_OK;
}

void lwi_accuracy_free(lwi_accuracy *a)
{
    free(a->truth);
    free(a->limit);
    *a = (lwi_accuracy){0};
}

lw_status lwi_accuracy_make(lwi_accuracy *a, const lwi_graph *g, int noutput,
                            const lwi_output *output, const lwi_tape *plain)
{
    const size_t n = (size_t)noutput;
    *a = (lwi_accuracy){.noutput = noutput};
    a->truth = malloc((STATES * n + 1) * sizeof *a->truth);
    a->limit = malloc((n + 1) * sizeof *a->limit);
    double *size = malloc((n + 1) * sizeof *size);
    lw_status status = a->truth && a->limit && size ? find_truth(a, g, output) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = sum_errors(a, plain, a->limit, size);
    }
    for (int k = 0; k < noutput && status == LW_OK; ++k) {
        // Four times the plain error, and that is at least half a unit of the last place.
        a->limit[k] = 16.0 * fmax(a->limit[k], 0x1p-106 * size[k]);
    }
    free(size);
    if (status != LW_OK) {
        lwi_accuracy_free(a);
    }
    return status;
}

lw_status lwi_accuracy_check(const lwi_accuracy *a, const lwi_tape *tape, bool *is_accurate)
{
    double *error = malloc(2 * ((size_t)a->noutput + 1) * sizeof *error);
    lw_status status = error ? LW_OK : LW_ERR_MEMORY;
    *is_accurate = true;
    if (status == LW_OK) {
        status = sum_errors(a, tape, error, error + a->noutput);
    }
    for (int k = 0; k < a->noutput && status == LW_OK; ++k) {
        *is_accurate = *is_accurate && error[k] <= a->limit[k];
    }
    free(error);
    return status;
}
