// Derivatives of forces by a number of the description, over models in which it differs.
#include <linkwork/derivatives.h>

#include "../model/variation.h"
#include "arguments.h"

#include <string.h>

lw_status lw_force_sensitivity(const lw_model *m, lw_data *d, lw_variation *variation,
                               const double *q, const double *v, const double *a,
                               const lw_force *f_ext, double *dtau)
{
    static const double central[LWI_SIDES] = {-1.0 / 60, 9.0 / 60,  -45.0 / 60,
                                              45.0 / 60, -9.0 / 60, 1.0 / 60};
    static const double forward[LWI_SIDES] = {-137.0 / 60, 5, -5, 10.0 / 3, -5.0 / 4, 1.0 / 5};
    if (!m || !d || d->model != m || !variation || variation->model != m || (!dtau && m->nv > 0)) {
        return LW_ERR_ARGUMENT;
    }
    const double *share = variation->is_forward ? forward : central;
    lwi_drop_results(d);
    memset(dtau, 0, (size_t)m->nv * sizeof *dtau);
    for (int i = 0; i < LWI_SIDES; ++i) {
        variation->data[i]->settings = d->settings;
        const lw_status status = lw_inverse_dynamics(variation->side[i], variation->data[i], q, v,
                                                     a, f_ext, variation->tau);
        if (status != LW_OK) {
            return status;
        }
        for (int k = 0; k < m->nv; ++k) {
            dtau[k] += share[i] * variation->tau[k] / variation->step;
        }
    }
    return LW_OK;
}
