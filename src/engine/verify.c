// Engines against each other over random states.

#include <linkwork/dynamics.h>
#include <linkwork/engine.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lw_verification {
    int npair;
    lw_verify_pair *pair;
    double *state; ///< [npair] q, v, a, tau of each
};

lw_verify_options lw_default_verify_options(void)
{
    return (lw_verify_options){.nstate = 100, .seed = 1};
}

/// What a comparison works in.
typedef struct bench {
    const lw_model *m;
    lw_data *d;
    int nengine;
    lw_engine *const *engine;
    size_t largest;    ///< numbers of the largest result
    double *result;    ///< [nengine * largest]
    lw_status *status; ///< [nengine]
    double *M, *force; ///< [nv*nv], [nv]
    double *q, *v, *a, *tau;
    double *block;
    bool is_iterated; ///< a loop has no closed form
} bench;

static bool both_have(const bench *b, int i, int k, lw_function which)
{
    return lw_engine_has(b->engine[i], which) && lw_engine_has(b->engine[k], which);
}

static bool is_iterated(const lw_model *m)
{
    bool is = false;
    for (int i = 0; i < m->nstep; ++i) {
        is = is || m->step[i].kind == LW_STEP_BLOCK;
    }
    return is;
}

// --- Memory -----------------------------------------------------------------------------------

static lw_status open_bench(bench *b, int nengine, lw_engine *const *engine)
{
    b->m = nengine > 0 ? lw_engine_model(engine[0]) : NULL;
    b->nengine = nengine;
    b->engine = engine;
    for (int i = 0; i < nengine; ++i) {
        if (!engine[i] || lw_engine_model(engine[i]) != b->m) {
            return LW_ERR_ARGUMENT;
        }
        for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
            const size_t size = (size_t)lw_function_size(b->m, (lw_function)f);
            b->largest =
                lw_engine_has(engine[i], (lw_function)f) && size > b->largest ? size : b->largest;
        }
    }
    if (!b->m) {
        return LW_ERR_ARGUMENT;
    }
    const size_t nq = (size_t)b->m->nq, nv = (size_t)b->m->nv, n = (size_t)nengine;
    b->is_iterated = is_iterated(b->m);
    b->d = lw_data_create(b->m);
    b->status = calloc(n + 1, sizeof *b->status);
    b->block = calloc(n * b->largest + nv * nv + nq + 4 * nv + 1, sizeof *b->block);
    if (!b->d || !b->status || !b->block) {
        return LW_ERR_MEMORY;
    }
    b->result = b->block;
    b->M = b->result + n * b->largest;
    b->force = b->M + nv * nv;
    b->q = b->force + nv;
    b->v = b->q + nq;
    b->a = b->v + nv;
    b->tau = b->a + nv;
    return LW_OK;
}

static void close_bench(bench *b)
{
    lw_data_destroy(b->d);
    free(b->status);
    free(b->block);
}

static lw_status open_pairs(const bench *b, const lw_verify_options *options, lw_verification *w)
{
    static const double usual = 1e-9; // forty thousand roundings; closed loops end below 1e-11
    const size_t nq = (size_t)b->m->nq, nv = (size_t)b->m->nv, one = nq + 3 * nv;
    const size_t most = (size_t)b->nengine * (size_t)b->nengine * LW_FUNCTION_COUNT;
    w->pair = calloc(most + 1, sizeof *w->pair);
    if (!w->pair) {
        return LW_ERR_MEMORY;
    }
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        for (int i = 0; i < b->nengine; ++i) {
            for (int k = i + 1; k < b->nengine; ++k) {
                if (both_have(b, i, k, (lw_function)f)) {
                    w->pair[w->npair++] = (lw_verify_pair){
                        .engine = {i, k},
                        .function = (lw_function)f,
                        .tolerance = options->tolerance > 0 ? options->tolerance : usual};
                }
            }
        }
    }
    w->state = calloc((size_t)w->npair * one + 1, sizeof *w->state);
    if (!w->state) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < w->npair; ++i) {
        const double *at = w->state + (size_t)i * one;
        w->pair[i].state =
            (lw_engine_state){b->m->nq, b->m->nv, at, at + nq, at + nq + nv, at + nq + 2 * nv};
    }
    return LW_OK;
}

// --- Comparing --------------------------------------------------------------------------------

static double relative(const double *x, const double *y, int n)
{
    double worst = 0, size = 1;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
    }
    return worst / size;
}

// Accelerations by the forces that they differ by: a light wrist may swing far for next to nothing.
static double missing_force(bench *b, const double *x, const double *y)
{
    const int nv = b->m->nv;
    double worst = 0, size = 1;
    if (lw_mass_matrix(b->m, b->d, b->q, b->M) != LW_OK) {
        return relative(x, y, nv);
    }
    for (int i = 0; i < nv; ++i) {
        double force = 0, whole = fabs(b->tau[i]);
        for (int k = 0; k < nv; ++k) {
            const double M = b->M[(size_t)i * (size_t)nv + (size_t)k];
            force += M * (x[k] - y[k]);
            whole += fabs(M * x[k]);
        }
        worst = fmax(worst, fabs(force));
        size = fmax(size, whole);
    }
    return worst / size;
}

static bool is_open(lw_status status)
{
    return status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR;
}

static double difference(bench *b, lw_verify_pair *p)
{
    const lw_status s0 = b->status[p->engine[0]], s1 = b->status[p->engine[1]];
    const double *x = b->result + (size_t)p->engine[0] * b->largest;
    const double *y = b->result + (size_t)p->engine[1] * b->largest;
    if (s0 != LW_OK || s1 != LW_OK) {
        const bool is_one = s0 == LW_OK || s1 == LW_OK;
        const bool is_refused = is_one && b->is_iterated && (is_open(s0) || is_open(s1));
        p->nopen += is_open(s0) && is_open(s1);
        p->nrefused += is_refused;
        return is_one && !is_refused ? 1 : 0;
    }
    ++p->nanswered;
    return p->function == LW_FUNCTION_FORWARD_DYNAMICS
               ? missing_force(b, x, y)
               : relative(x, y, lw_function_size(b->m, p->function));
}

static void compare(bench *b, lw_verification *w, lw_function which, bool is_first)
{
    const lw_engine_state state = {b->m->nq, b->m->nv, b->q, b->v, b->a, b->tau};
    const lw_engine_state reference = {b->m->nq, b->m->nv, b->m->q_reference, b->v, b->a, b->tau};
    const size_t numbers = (size_t)b->m->nq + 3 * (size_t)b->m->nv;
    for (int i = 0; i < b->nengine; ++i) {
        if (b->is_iterated) {
            // The numeric engine goes on from the last state, and a loop around a dead centre may
            // end on another branch than the straight way: so all begin where straight-line code
            // does.
            lw_engine_run(b->engine[i], which, &reference, b->result + (size_t)i * b->largest);
        }
        b->status[i] =
            lw_engine_run(b->engine[i], which, &state, b->result + (size_t)i * b->largest);
    }
    for (int i = 0; i < w->npair; ++i) {
        lw_verify_pair *p = &w->pair[i];
        if (p->function != which) {
            continue;
        }
        const double worst = difference(b, p);
        for (int k = 0; k < 2; ++k) {
            const lw_status status = b->status[p->engine[k]];
            p->status[k] = status != LW_OK ? status : p->status[k];
        }
        if (is_first || worst > p->worst) {
            p->worst = fmax(worst, p->worst);
            memcpy(w->state + (size_t)i * numbers, b->q, numbers * sizeof *b->q);
        }
    }
}

lw_status lw_verify(int nengine, lw_engine *const *engine, const lw_verify_options *options,
                    lw_verification **verification)
{
    const lw_verify_options plain = lw_default_verify_options();
    if (!verification) {
        return LW_ERR_ARGUMENT;
    }
    *verification = NULL;
    options = options ? options : &plain;
    if (!engine || options->nstate < 1 || !(options->tolerance >= 0)) {
        return LW_ERR_ARGUMENT;
    }
    bench b = {0};
    lw_verification *w = calloc(1, sizeof *w);
    lw_status status = w ? open_bench(&b, nengine, engine) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = open_pairs(&b, options, w);
    }
    unsigned long long seed = options->seed;
    for (int i = 0; i < options->nstate && status == LW_OK; ++i) {
        lw_random_state(b.m, b.d, &seed, 1, b.q, b.v, b.a, b.tau);
        for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
            compare(&b, w, (lw_function)f, i == 0);
        }
    }
    for (int i = 0; status == LW_OK && i < w->npair; ++i) {
        w->pair[i].worst = w->pair[i].nanswered == 0 ? 1 : w->pair[i].worst;
    }
    close_bench(&b);
    if (status != LW_OK) {
        lw_verification_destroy(w);
        w = NULL;
    }
    *verification = w;
    return status;
}

void lw_verification_destroy(lw_verification *verification)
{
    if (verification) {
        free(verification->pair);
        free(verification->state);
        free(verification);
    }
}

int lw_verification_count(const lw_verification *verification)
{
    return verification ? verification->npair : 0;
}

lw_verify_pair lw_verification_pair(const lw_verification *verification, int i)
{
    return verification && i >= 0 && i < verification->npair ? verification->pair[i]
                                                             : (lw_verify_pair){0};
}

bool lw_verification_agrees(const lw_verification *verification)
{
    for (int i = 0; verification && i < verification->npair; ++i) {
        if (!(verification->pair[i].worst <= verification->pair[i].tolerance)) {
            return false;
        }
    }
    return verification != NULL;
}
