// The shares of base parameters by name. Each is a homogeneous polynomial in the lengths of the
// mechanism, as a1^2 of a mass in a moment, or 2 a1 of a first moment: the elimination that finds
// its value is run for random lengths, and the factors of the terms are what fits all of them.
#include "../math/invert.h"
#include "base_parameters.h"
#include "symbols.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 10, MOST_BODIES = 12, MOST_LENGTHS = 16, SPARE = 3 };

// Shares that agree to this are the same: they come from eliminations of sixty columns.
static const double same = 1e-6;

// --- Terms ------------------------------------------------------------------------------------

int lwi_share_degree(int column, int parameter)
{
    // Mass, first moments, moments.
    const int a = column % KINDS, b = parameter % KINDS;
    return (a > 3 ? 2 : a > 0) - (b > 3 ? 2 : b > 0);
}

int lwi_share_terms(int nlength, int degree)
{
    return degree == 0 ? 1 : degree == 1 ? nlength : nlength * (nlength + 1) / 2;
}

void lwi_share_term(int nlength, int degree, int term, int length[2])
{
    length[0] = degree > 0 ? term : -1;
    length[1] = -1;
    if (degree == 2) {
        int first = 0;
        while (term >= nlength - first) {
            term -= nlength - first;
            ++first;
        }
        length[0] = first;
        length[1] = first + term;
    }
}

static double term_value(const lwi_base_shares *b, int degree, int term, const double *value)
{
    int length[2];
    double product = 1.0;
    lwi_share_term(b->nlength, degree, term, length);
    for (int i = 0; i < 2; ++i) {
        product *= length[i] >= 0 ? value[b->length[length[i]]] : 1.0;
    }
    return product;
}

// --- Samples ----------------------------------------------------------------------------------

typedef struct samples {
    int n;
    double *value; ///< [n * nsymbol]
    double *K;     ///< [n * rank * nparameter]
} samples;

// Deterministic lengths between a half and one and a half metres.
static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return 0.5 + (double)(*seed >> 11) / 9007199254740992.0;
}

// False where the combinations of other lengths are others: a special mechanism.
static bool take_samples(lwi_base_shares *b, samples *x, int *column, double *K, lw_status *status)
{
    const size_t size = (size_t)b->rank * (size_t)b->nparameter;
    uint64_t seed = 20260203;
    for (int k = 0; k < x->n; ++k) {
        double *value = x->value + (size_t)k * (size_t)b->d->nsymbol;
        int rank = 0;
        for (int i = 0; i < b->d->nsymbol; ++i) {
            value[i] = b->d->symbol[i].value;
        }
        for (int i = 0; i < b->nlength; ++i) {
            value[b->length[i]] = next(&seed);
        }
        *status = lwi_base_rows(b->d, value, &rank, column, K);
        if (*status != LW_OK || rank != b->rank ||
            memcmp(column, b->column, (size_t)rank * sizeof *column) != 0) {
            return false;
        }
        memcpy(x->K + (size_t)k * size, K, size * sizeof *K);
    }
    return true;
}

// --- Fit --------------------------------------------------------------------------------------

// Most factors are small whole numbers or halves.
static double snapped(double x)
{
    const double near = round(4.0 * x) / 4.0;
    return fabs(x - near) < same ? near : x;
}

static bool holds(const lwi_base_shares *b, int degree, const double *factor, const double *value,
                  double want)
{
    double sum = 0.0;
    for (int t = 0; t < lwi_share_terms(b->nlength, degree); ++t) {
        sum += factor[t] * term_value(b, degree, t, value);
    }
    return fabs(sum - want) <= same * fmax(1.0, fabs(want));
}

// All shares of one degree.
static lw_status fit_degree(lwi_base_shares *b, const samples *x, int degree)
{
    const int n = lwi_share_terms(b->nlength, degree);
    const size_t square = (size_t)n * (size_t)n, size = (size_t)b->rank * (size_t)b->nparameter;
    double *A = malloc((2 * square + 1) * sizeof *A), *inverse = A ? A + square : NULL;
    if (!A) {
        return LW_ERR_MEMORY;
    }
    for (int k = 0; k < n; ++k) {
        const double *value = x->value + (size_t)k * (size_t)b->d->nsymbol;
        for (int t = 0; t < n; ++t) {
            A[k * n + t] = term_value(b, degree, t, value);
        }
    }
    const bool is_there = lwi_invert(n, A, inverse, 1e-9);
    for (size_t i = 0; i < size && is_there; ++i) {
        const int r = (int)(i / (size_t)b->nparameter), c = (int)(i % (size_t)b->nparameter);
        if (lwi_share_degree(b->column[r], c) != degree) {
            continue;
        }
        double *factor = b->factor + i * (size_t)b->nterm;
        for (int t = 0; t < n; ++t) {
            for (int k = 0; k < n; ++k) {
                factor[t] += inverse[t * n + k] * x->K[(size_t)k * size + i];
            }
            factor[t] = snapped(factor[t]);
        }
        bool is_same = true;
        for (int k = 0; k < x->n; ++k) {
            const double *value = x->value + (size_t)k * (size_t)b->d->nsymbol;
            is_same = is_same && holds(b, degree, factor, value, x->K[(size_t)k * size + i]);
        }
        b->is_named[i] = (char)is_same;
    }
    free(A);
    return LW_OK;
}

static lw_status find_names(lwi_base_shares *b)
{
    const size_t size = (size_t)b->rank * (size_t)b->nparameter;
    samples x = {.n = b->nterm + SPARE};
    const size_t n = (size_t)b->nparameter;
    lwi_arena arena = {0};
    int *column = lwi_arena_take(&arena, n + 1, sizeof *column);
    double *K = lwi_arena_take(&arena, n * n + 1, sizeof *K);
    x.value = lwi_arena_take(&arena, (size_t)x.n * (size_t)b->d->nsymbol + 1, sizeof *x.value);
    x.K = lwi_arena_take(&arena, (size_t)x.n * size + 1, sizeof *x.K);
    b->factor = lwi_arena_take(&b->arena, size * (size_t)b->nterm + 1, sizeof *b->factor);
    lw_status status = column && K && x.value && x.K && b->factor ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK && take_samples(b, &x, column, K, &status)) {
        for (int degree = 0; degree < 3 && status == LW_OK; ++degree) {
            status = fit_degree(b, &x, degree);
        }
    }
    lwi_arena_free(&arena);
    return status;
}

lw_status lwi_find_base_shares(const lw_model *m, bool is_symbolic, lwi_base_shares *b)
{
    *b = (lwi_base_shares){.nparameter = KINDS * m->nbody};
    const size_t n = (size_t)b->nparameter;
    b->column = lwi_arena_take(&b->arena, n + 1, sizeof *b->column);
    b->K = lwi_arena_take(&b->arena, n * n + 1, sizeof *b->K);
    b->is_named = lwi_arena_take(&b->arena, n * n + 1, 1);
    lw_status status = b->column && b->K && b->is_named ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lwi_derive_regressor(m, is_symbolic, NULL, &b->d);
    }
    if (status == LW_OK) {
        status = lwi_base_rows(b->d, NULL, &b->rank, b->column, b->K);
    }
    if (status != LW_OK || !is_symbolic || m->nloop > 0 || m->nbody > MOST_BODIES) {
        return status;
    }
    b->length = lwi_arena_take(&b->arena, (size_t)b->d->nsymbol + 1, sizeof *b->length);
    if (!b->length) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < b->d->nsymbol; ++i) {
        if (lwi_is_length(&b->d->symbol[i])) {
            b->length[b->nlength++] = i;
        }
    }
    b->nterm = lwi_share_terms(b->nlength, 2) + 1;
    return b->nlength <= MOST_LENGTHS ? find_names(b) : LW_OK;
}

void lwi_base_shares_free(lwi_base_shares *b)
{
    lw_derivation_destroy(b->d);
    lwi_arena_free(&b->arena);
}
