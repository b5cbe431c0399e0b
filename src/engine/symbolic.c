// Derived equations as an engine: each function's operations, one after the other.

#include <linkwork/engine.h>

#include "../base/report.h"

#include <stdlib.h>

// A derivation a function: one that cannot be derived leaves the others alone.
typedef struct symbolic {
    lw_derivation *derivation[LW_FUNCTION_COUNT];
} symbolic;

static lw_status compute(void *self, lw_function which, const lw_engine_state *state,
                         double *result)
{
    symbolic *s = self;
    const double *a = which == LW_FUNCTION_FORWARD_DYNAMICS ? state->tau : state->a;
    return lw_derivation_run(s->derivation[which], which, state->q, state->v, a, 0, NULL, result);
}

static void destroy(void *self)
{
    symbolic *s = self;
    for (int i = 0; s && i < LW_FUNCTION_COUNT; ++i) {
        lw_derivation_destroy(s->derivation[i]);
    }
    free(s);
}

lw_status lw_engine_symbolic(const lw_model *m, const lw_engine_options *options, lw_report *report,
                             lw_engine **engine)
{
    if (!m || !engine) {
        return LW_ERR_ARGUMENT;
    }
    *engine = NULL;
    const lw_engine_options plain = lw_default_engine_options(m);
    options = options ? options : &plain;
    symbolic *s = calloc(1, sizeof *s);
    if (!s) {
        return LW_ERR_MEMORY;
    }
    lw_engine_def def = {.name = "symbolic", .run = compute, .self = s, .destroy = destroy};
    lw_derive_options derive = lw_default_derive_options();
    derive.cost = options->cost;
    derive.effort = options->effort;
    derive.is_ideal = options->is_ideal;
    derive.is_apart = true;
    derive.frame = options->frame;
    lw_status status = LW_OK;
    // Options that make no sense are nothing that one machine has and another has not.
    bool is_stopped = false;
    for (int i = 0; i < LW_FUNCTION_COUNT && !is_stopped; ++i) {
        if ((options->functions & 1u << i) != 0) {
            derive.functions = 1u << i;
            status = lw_derive(m, &derive, report, &s->derivation[i]);
            is_stopped = status == LW_ERR_MEMORY || status == LW_ERR_ARGUMENT;
            if (status == LW_OK) {
                def.functions |= 1u << i;
            } else {
                lwi_report_note(report, (lw_place){0}, "%s is left out: %s",
                                lw_function_name((lw_function)i), lw_status_text(status));
            }
        }
    }
    status = is_stopped ? status : lw_engine_create(m, options, &def, engine);
    if (status != LW_OK) {
        destroy(s);
    }
    return status;
}
