#include "derived.h"

lw_status lwi_derive_each(const lw_model *m, const lw_engine_options *options, lw_report *report,
                          lwi_derived *d)
{
    lw_derive_options derive = lw_default_derive_options();
    derive.cost = options->cost;
    derive.effort = options->effort;
    derive.is_ideal = options->is_ideal;
    derive.is_frictionless = options->is_frictionless;
    derive.friction_speed = options->friction_speed;
    derive.is_apart = true;
    derive.frame = options->frame;
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        if ((options->functions & 1u << i) == 0) {
            continue;
        }
        derive.functions = 1u << i;
        const lw_status status = lw_derive(m, &derive, &d->of[i], report);
        if (status == LW_ERR_MEMORY || status == LW_ERR_ARGUMENT) {
            return status;
        }
        if (status != LW_OK) {
            lw_report_add(report, LW_NOTE, LW_OK, LW_DIAG_FUNCTION_OMITTED, (lw_location){0, 0, 0},
                          "%s is left out: %s", lw_function_name((lw_function)i),
                          lw_status_text(status));
        }
    }
    return LW_OK;
}

unsigned lwi_derived_functions(const lwi_derived *d)
{
    unsigned functions = 0;
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        functions |= d->of[i] ? 1u << i : 0;
    }
    return functions;
}

lw_status lwi_derived_run(lwi_derived *d, lw_function which, const lw_engine_state *state,
                          double *result)
{
    const double *a = which == LW_FUNCTION_FORWARD_DYNAMICS ? state->tau : state->a;
    return lw_derivation_run(d->of[which], which, state->q, state->v, a, 0, NULL, result);
}

void lwi_derived_free(lwi_derived *d)
{
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        lw_derivation_destroy(d->of[i]);
    }
}
