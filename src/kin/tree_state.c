// The coordinates of the tree, dependent ones too, at a state of the independent ones.
#include <linkwork/kinematics.h>

#include "../model/data.h"
#include "closure.h"
#include "finite.h"

#include <string.h>

static void copy(double *to, const double *from, int n)
{
    if (to && n > 0) {
        memcpy(to, from, (size_t)n * sizeof *to);
    }
}

lw_status lw_tree_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                        const double *a, double *tree_q, double *tree_v, double *tree_a)
{
    if (!m || !d || d->model != m || (m->nq > 0 && !q) || (m->nv > 0 && (tree_v || tree_a) && !v) ||
        (m->nv > 0 && tree_a && !a)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    const bool has_v = tree_v || tree_a;
    const lw_status status = lwi_check_position(m, q);
    if (status != LW_OK || (has_v && !lwi_all_finite(v, m->nv)) ||
        (tree_a && !lwi_all_finite(a, m->nv))) {
        return LW_ERR_NUMBER;
    }
    // All sweeps come first, so that a failure leaves the outputs as they were.
    const double *full_q = lwi_closure_position(m, d, q);
    const double *full_v = full_q && has_v ? lwi_closure_velocity(m, d, v) : full_q;
    const double *full_a = full_v && tree_a ? lwi_closure_acceleration(m, d, a) : full_v;
    if (m->nstep > 0 && !full_a) {
        return lwi_closure_status(d);
    }
    copy(tree_q, full_q, m->tree_nq);
    copy(tree_v, full_v, m->tree_nv);
    copy(tree_a, full_a, m->tree_nv);
    return LW_OK;
}
