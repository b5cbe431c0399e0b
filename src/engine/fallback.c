// An engine of several: each is verified first, and where one fails the next one answers.

#include <linkwork/engine.h>

#include "../base/report.h"

#include <stdlib.h>

typedef struct fallback {
    lw_engine **engine; ///< [count] verified, in order of preference; borrowed
    int count;
} fallback;

// What no engine can answer is the state's fault, not the engine's.
static bool is_lost(lw_status status)
{
    return status == LW_ERR_UNSUPPORTED || status == LW_ERR_NUMBER || status == LW_ERR_FILE ||
           status == LW_ERR_NO_CONVERGENCE;
}

static lw_status run(void *self, lw_function which, const lw_engine_state *state, double *result)
{
    const fallback *f = self;
    lw_status status = LW_ERR_UNSUPPORTED;
    for (int i = 0; i < f->count && is_lost(status); ++i) {
        status = lw_engine_run(f->engine[i], which, state, result);
    }
    return status;
}

static void restart(void *self)
{
    const fallback *f = self;
    for (int i = 0; i < f->count; ++i) {
        lw_engine_restart(f->engine[i]);
    }
}

static void destroy(void *self)
{
    fallback *f = self;
    free(f->engine);
    free(f);
}

// Whether an engine agrees with the one that is trusted, in all functions that both have.
static lw_status verify(lw_engine *engine, lw_engine *trusted, const lw_verify_options *options,
                        bool *agrees, lw_report *report)
{
    lw_engine *const pair[2] = {engine, trusted};
    lw_verification *v = NULL;
    const lw_status status = lw_verify(2, pair, options, &v);
    *agrees = status == LW_OK && lw_verification_agrees(v) && lw_verification_count(v) > 0;
    for (int i = 0; status == LW_OK && i < lw_verification_count(v); ++i) {
        const lw_verify_pair p = lw_verification_pair(v, i);
        if (!(p.worst <= p.tolerance)) {
            lwi_report_warning(report, (lw_location){0}, LW_DIAG_ENGINE_REJECTED,
                               "engine %s differs from %s in %s by %.3g and is not used",
                               lw_engine_name(engine), lw_engine_name(trusted),
                               lw_function_name(p.function), p.worst);
        }
    }
    if (status == LW_OK && lw_verification_count(v) == 0) {
        lwi_report_warning(report, (lw_location){0}, LW_DIAG_ENGINE_REJECTED,
                           "engine %s has no function that %s has, and is not used",
                           lw_engine_name(engine), lw_engine_name(trusted));
    }
    lw_verification_destroy(v);
    return status;
}

static lw_status fill(fallback *f, int n, lw_engine *const *engine,
                      const lw_verify_options *options, lw_report *report)
{
    lw_status status = LW_OK;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        bool agrees = true;
        if (i + 1 < n) {
            status = verify(engine[i], engine[n - 1], options, &agrees, report);
        }
        if (agrees) {
            f->engine[f->count++] = engine[i];
        }
    }
    return status;
}

lw_status lw_engine_fallback(int n, lw_engine *const *engine, const lw_verify_options *options,
                             lw_engine **chosen, lw_report *report)
{
    if (chosen) {
        *chosen = NULL;
    }
    if (n < 1 || !engine || !chosen) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < n; ++i) {
        if (!engine[i] || lw_engine_model(engine[i]) != lw_engine_model(engine[0])) {
            return LW_ERR_ARGUMENT;
        }
    }
    fallback *f = calloc(1, sizeof *f);
    lw_engine **kept = calloc((size_t)n, sizeof *kept);
    lw_status status = f && kept ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        f->engine = kept;
        status = fill(f, n, engine, options, report);
    }
    if (status == LW_OK) {
        lw_engine_def def = {.name = lw_engine_name(f->engine[0]),
                             .run = run,
                             .self = f,
                             .destroy = destroy,
                             .restart = restart};
        for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
            for (int k = 0; k < f->count; ++k) {
                def.functions |= lw_engine_has(f->engine[k], (lw_function)i) ? 1u << i : 0;
            }
        }
        status = lw_engine_create(lw_engine_model(engine[0]), NULL, &def, chosen);
    }
    if (status != LW_OK) {
        free(kept);
        free(f);
    }
    return status;
}
