#include "derived.h"

#include "engine_inverse.h"

#include <linkwork/model.h>

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
    d->model = m;
    d->frame = options->frame;
    if ((options->functions & 1u << LW_FUNCTION_INVERSE_KINEMATICS) != 0 &&
        lw_data_create(m, &d->data) != LW_OK) {
        return LW_ERR_MEMORY;
    }
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

lw_status lwi_derived_pose(const lwi_derived *d, const double *q, double X[12])
{
    return lwi_inverse_pose(d->model, d->data, d->frame, q, X);
}

lw_status lwi_derived_run(lwi_derived *d, lw_function which, const lw_engine_state *state,
                          double *result)
{
    double X[12];
    if (which == LW_FUNCTION_INVERSE_KINEMATICS) {
        const lw_status status = lwi_derived_pose(d, state->q, X);
        return status != LW_OK
                   ? status
                   : lw_derivation_run(d->of[which], which, X, NULL, NULL, 0, NULL, result);
    }
    const bool is_forward =
        which == LW_FUNCTION_FORWARD_DYNAMICS || which == LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES;
    const double *a = is_forward ? state->tau : state->a;
    return lw_derivation_run(d->of[which], which, state->q, state->v, a, 0, NULL, result);
}

void lwi_derived_free(lwi_derived *d)
{
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        lw_derivation_destroy(d->of[i]);
    }
    lw_data_destroy(d->data);
}
