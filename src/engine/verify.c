// Engines against each other over random states.

#include "../math/largest.h"
#include "engine_inverse.h"
#include "verify_size.h"

#include <linkwork/dynamics.h>

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

/// Derivatives by q, v and a (or tau) have units of their own, and are matrices one after the
/// other: each is compared by its own size, or the largest would hide the others.
enum { MOST_PARTS = 3 };

static int part_count(lw_function which)
{
    return which == LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES ||
                   which == LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES
               ? MOST_PARTS
               : 1;
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
    double *M;         ///< [nv*nv]
    double *q, *v, *a, *tau;
    double *block;
    bool is_iterated;                            ///< a loop has no closed form
    double force;                                ///< usual generalised force of the random states
    double usual[LW_FUNCTION_COUNT][MOST_PARTS]; ///< size of results, part by part
} bench;

static bool both_have(const bench *b, int i, int k, lw_function which)
{
    return lw_engine_has(b->engine[i], which) && lw_engine_has(b->engine[k], which);
}

// Whether some engine iterates: equations do for legs and spherical loops too.
static bool is_iterated(const lw_model *m)
{
    bool is = false;
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_kind kind = m->step[i].kind;
        is = is || kind == LW_STEP_BLOCK || kind == LW_STEP_LEG || kind == LW_STEP_SPHERICAL;
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
    const lw_status status = lw_data_create(b->m, &b->d);
    b->status = calloc(n + 1, sizeof *b->status);
    b->block = calloc(n * b->largest + nv * nv + nq + 3 * nv + 1, sizeof *b->block);
    if (status != LW_OK || !b->status || !b->block) {
        return LW_ERR_MEMORY;
    }
    b->result = b->block;
    b->M = b->result + n * b->largest;
    b->q = b->M + nv * nv;
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
    static const double of_roots =
        1e-6; // of solutions that nearly meet half of the digits are left
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
                        .tolerance = options->tolerance > 0                ? options->tolerance
                                     : f == LW_FUNCTION_INVERSE_KINEMATICS ? of_roots
                                                                           : usual};
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

/// How many numbers a part of a result has.
static int part_size(const bench *b, lw_function which)
{
    return lw_function_size(b->m, which) / part_count(which);
}

// How large a part of a result is. Accelerations count by the forces that they take: a light wrist
// may swing far for next to nothing.
static double size_of(const bench *b, lw_function which, const double *x, bool has_mass)
{
    const int nv = b->m->nv;
    double most = 0;
    if (which != LW_FUNCTION_FORWARD_DYNAMICS || !has_mass) {
        return lwi_largest(x, part_size(b, which));
    }
    for (int i = 0; i < nv; ++i) {
        double whole = fabs(b->tau[i]);
        for (int k = 0; k < nv; ++k) {
            whole += fabs(b->M[(size_t)i * (size_t)nv + (size_t)k] * x[k]);
        }
        most = fmax(most, whole);
    }
    return most;
}

static double apart(const bench *b, lw_function which, const double *x, const double *y,
                    bool has_mass)
{
    const int nv = b->m->nv, n = has_mass ? nv : part_size(b, which);
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double own = has_mass ? 0 : x[i] - y[i];
        for (int k = 0; k < nv && has_mass; ++k) {
            own += b->M[(size_t)i * (size_t)nv + (size_t)k] * (x[k] - y[k]);
        }
        worst = fmax(worst, fabs(own));
    }
    return worst;
}

// The difference relative to the larger result at this state, but no less than the function's usual
// size: where weights happen to balance, what is left of them is rounding.
static double relative(bench *b, lw_function which, const double *x, const double *y, double *size)
{
    if (which == LW_FUNCTION_INVERSE_KINEMATICS) { // sets, whatever their order
        *size = 1;
        return lwi_solutions_apart(b->m, b->q, x, y);
    }
    const bool has_mass =
        which == LW_FUNCTION_FORWARD_DYNAMICS && lw_mass_matrix(b->m, b->d, b->q, b->M) == LW_OK;
    double worst = 0;
    for (int i = 0; i < part_count(which);
         ++i, x += part_size(b, which), y += part_size(b, which)) {
        double own = fmax(size_of(b, which, x, has_mass), size_of(b, which, y, has_mass));
        own = fmax(own, b->usual[which][i]);
        const double ratio = own > 0 ? apart(b, which, x, y, has_mass) / own : 0;
        if (i == 0 || ratio > worst) {
            worst = ratio;
            *size = own;
        }
    }
    return worst;
}

static bool is_open(lw_status status)
{
    return status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR;
}

static double difference(bench *b, lw_verify_pair *p, double *size)
{
    const lw_status s0 = b->status[p->engine[0]], s1 = b->status[p->engine[1]];
    const double *x = b->result + (size_t)p->engine[0] * b->largest;
    const double *y = b->result + (size_t)p->engine[1] * b->largest;
    if (s0 != LW_OK || s1 != LW_OK) {
        const bool is_one = s0 == LW_OK || s1 == LW_OK;
        const bool is_refused = is_one && b->is_iterated && (is_open(s0) || is_open(s1));
        p->nopen += is_open(s0) && is_open(s1);
        p->nrefused += is_refused;
        *size = b->usual[p->function][0];
        return is_one && !is_refused ? 1 : 0;
    }
    ++p->nanswered;
    return relative(b, p->function, x, y, size);
}

static void run_engines(bench *b, lw_function which)
{
    const lw_engine_state state = {b->m->nq, b->m->nv, b->q, b->v, b->a, b->tau};
    for (int i = 0; i < b->nengine; ++i) {
        // The numeric engine goes on from the last state, and a loop around a singular
        // configuration may end on another branch than the straight way: so all begin where
        // straight-line code does.
        lw_engine_restart(b->engine[i]);
        b->status[i] =
            lw_engine_run(b->engine[i], which, &state, b->result + (size_t)i * b->largest);
    }
}

static void compare(bench *b, lw_verification *w, lw_function which, bool is_first)
{
    const size_t numbers = (size_t)b->m->nq + 3 * (size_t)b->m->nv;
    run_engines(b, which);
    for (int i = 0; i < w->npair; ++i) {
        lw_verify_pair *p = &w->pair[i];
        if (p->function != which) {
            continue;
        }
        double size;
        const double worst = difference(b, p, &size);
        for (int k = 0; k < 2; ++k) {
            const lw_status status = b->status[p->engine[k]];
            p->status[k] = status != LW_OK ? status : p->status[k];
        }
        if (is_first || worst > p->worst) {
            p->worst = fmax(worst, p->worst);
            p->size = size;
            memcpy(w->state + (size_t)i * numbers, b->q, numbers * sizeof *b->q);
        }
    }
}

// --- Sizes ------------------------------------------------------------------------------------

enum { PILOTS = 9 };

// Torques of lw_random_state() are of a robot of human size; those of this machine may be anything.
static void random_state(bench *b, unsigned long long *seed)
{
    lw_random_state(b->m, b->d, seed, 1, b->q, b->v, b->a, b->tau);
    const double size = lwi_largest(b->tau, b->m->nv);
    for (int i = 0; i < b->m->nv && size > 0 && b->force > 0; ++i) {
        b->tau[i] *= b->force / size;
    }
}

// The usual size of a function's results: the middle one over some states, which neither a state
// near a singular configuration nor one in balance spoils.
static void find_usual(bench *b, lw_function which, unsigned long long seed)
{
    double size[MOST_PARTS][PILOTS] = {{0}};
    const int parts = part_count(which);
    for (int k = 0; k < PILOTS; ++k) {
        random_state(b, &seed);
        const bool has_mass = lw_mass_matrix(b->m, b->d, b->q, b->M) == LW_OK;
        run_engines(b, which);
        for (int i = 0; i < b->nengine * parts; ++i) {
            const int engine = i / parts, part = i % parts;
            const double *x = b->result + (size_t)engine * b->largest +
                              (size_t)part * (size_t)part_size(b, which);
            if (b->status[engine] == LW_OK) {
                size[part][k] = fmax(size[part][k], size_of(b, which, x, has_mass));
            }
        }
    }
    for (int i = 0; i < MOST_PARTS; ++i) {
        b->usual[which][i] = fmax(lwi_middle(PILOTS, size[i]), lwi_least_size(b->m, which, i));
    }
}

static void find_sizes(bench *b, unsigned long long seed)
{
    double force[PILOTS] = {0};
    for (int k = 0; k < PILOTS; ++k) {
        random_state(b, &seed);
        if (lw_inverse_dynamics(b->m, b->d, b->q, b->v, b->a, NULL, b->tau) == LW_OK) {
            force[k] = lwi_largest(b->tau, b->m->nv);
        }
    }
    b->force =
        fmax(lwi_middle(PILOTS, force), lwi_least_size(b->m, LW_FUNCTION_INVERSE_DYNAMICS, 0));
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        find_usual(b, (lw_function)f, seed);
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
    if (status == LW_OK) {
        find_sizes(&b, seed);
    }
    for (int i = 0; i < options->nstate && status == LW_OK; ++i) {
        random_state(&b, &seed);
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
