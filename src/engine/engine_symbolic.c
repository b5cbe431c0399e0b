// Derived equations as an engine: each function's operations, one after the other.

#include "derived.h"

#include <stdlib.h>

static lw_status compute(void *self, lw_function which, const lw_engine_state *state,
                         double *result)
{
    return lwi_derived_run(self, which, state, result);
}

static void destroy(void *self)
{
    lwi_derived_free(self);
    free(self);
}

lw_status lw_engine_symbolic(const lw_model *m, const lw_engine_options *options,
                             lw_engine **engine, lw_report *report)
{
    if (!m || !engine) {
        return LW_ERR_ARGUMENT;
    }
    *engine = NULL;
    const lw_engine_options plain = lw_default_engine_options(m);
    options = options ? options : &plain;
    lwi_derived *d = calloc(1, sizeof *d);
    if (!d) {
        return LW_ERR_MEMORY;
    }
    lw_status status = lwi_derive_each(m, options, report, d);
    if (status == LW_OK) {
        const lw_engine_def def = {.name = "symbolic",
                                   .functions = lwi_derived_functions(d),
                                   .run = compute,
                                   .self = d,
                                   .destroy = destroy};
        status = lw_engine_create(m, options, &def, engine);
    }
    if (status != LW_OK) {
        destroy(d);
    }
    return status;
}
