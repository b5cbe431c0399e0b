// Forward dynamics: articulated bodies (kernel_aba.h), or, where closure steps or rods with mass
// couple branches of the tree, the mass matrix and its factors.
#include <linkwork/dynamics.h>

#include "arguments.h"
#include "factor.h"
#include "loop_forces.h"
#include "recursions.h"
#include "rods.h"

// M a = tau - h in independent coordinates. Leaves the freedom that moves no inertia, or -1, in
// d->culprit.
static lw_status solve_closed(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *tau, const lw_force *f_ext, double *a)
{
    const lwi_recursions *run = lwi_get_recursions();
    const lw_status status = lwi_tree_forces(m, d, q, v, NULL, f_ext, d->tree_tau);
    if (status != LW_OK) {
        return status;
    }
    const double *tree_q = m->nstep > 0 ? d->tree_q : q;
    lwi_closure_transpose(m, d, d->tree_tau, 1, d->tree_tau);
    double *M = d->tree_M, *rest = d->tree_tau, *diagonal = d->tree_a;
    run->mass_matrix(m, d, tree_q, M);
    lwi_add_rod_masses(m, d, tree_q, M);
    lwi_closure_congruence(m, d, M, M);
    d->culprit = lwi_factor(m->nv, d->v_parent, M, diagonal);
    if (d->culprit >= 0) {
        return LW_ERR_SINGULAR;
    }
    for (int k = 0; k < m->nv; ++k) {
        a[k] = tau[k] - rest[k];
    }
    lwi_factor_solve(m->nv, d->v_parent, M, 1, a);
    return LW_OK;
}

lw_status lw_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *tau, const lw_force *f_ext, double *a)
{
    const lw_status status = check_state(m, d, q, v, tau);
    if (status != LW_OK || (!a && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (m->nstep > 0 || d->nheavy > 0) {
        return solve_closed(m, d, q, v, tau, f_ext, a);
    }
    d->culprit = lwi_get_recursions()->forward_dynamics(m, d, q, v, tau, f_ext, a);
    return d->culprit >= 0 ? LW_ERR_SINGULAR : LW_OK;
}
