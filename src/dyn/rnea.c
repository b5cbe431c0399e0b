// Inverse dynamics, bias and gravity: recursive Newton-Euler between two closure sweeps. The
// recursion itself is in kernel_rnea.h.
#include <linkwork/dynamics.h>

#include "arguments.h"
#include "loop_forces.h"
#include "rods.h"
#include "spring_forces_tree.h"

// Forces of the tree go to the caller's array at once where there is no closure.
static double *tree_forces(const lw_model *m, lw_data *d, double *tau)
{
    return m->nstep > 0 ? d->tree_tau : tau;
}

static void close_forces(const lw_model *m, lw_data *d, double *tau)
{
    if (m->nstep > 0) {
        lwi_closure_transpose(m, d, d->tree_tau, 1, tau);
    }
}

void lwi_tree_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                     const double *a, const lw_force *f_ext, double *tree_tau)
{
    if (m->nstep > 0) {
        q = d->tree_q;
        v = d->tree_v;
        a = d->tree_a;
        if (lwi_needs_angles(m, d)) {
            lwi_closure_angles(m, d);
        }
    } else {
        q = q ? q : d->tree_q; // NULL stands for zero
        v = v ? v : d->tree_v;
        a = lwi_closure_acceleration(m, d, a);
    }
    const bool has_springs = lwi_find_spring_forces(m, d, q, v);
    d->kernels->inverse_dynamics(m, d, q, v, a, f_ext, d->nrod_mass > 0, tree_tau); // may be v
    if (has_springs) {
        lwi_add_spring_forces(m, d, tree_tau);
    }
}

lw_status lwi_sweep_and_tree_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *a, const lw_force *f_ext, double *tree_tau)
{
    const lw_status status = lwi_closure_motion(m, d, q, v, a);
    if (status == LW_OK) {
        lwi_tree_forces(m, d, q, v, a, f_ext, tree_tau);
        lwi_closure_angles(m, d);
    }
    return status;
}

lw_status lwi_inverse_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *a, const lw_force *f_ext, double *tau)
{
    lwi_tree_forces(m, d, q, v, a, f_ext, tree_forces(m, d, tau));
    close_forces(m, d, tau);
    return check_result(m, tau);
}

lw_status lw_inverse_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *a, const lw_force *f_ext, double *tau)
{
    lw_status status = begin_state(m, d, q, v, a);
    if (status != LW_OK || (!tau && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    status = lwi_closure_motion(m, d, q, v, a);
    if (status != LW_OK) {
        return status;
    }
    lwi_tree_forces(m, d, q, v, a, f_ext, tree_forces(m, d, tau));
    close_forces(m, d, tau);
    return check_result(m, tau);
}

lw_status lw_bias_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                         double *tau)
{
    lw_status status = begin_state(m, d, q, v, v);
    if (status != LW_OK || (!tau && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    status = lwi_closure_motion(m, d, q, v, NULL);
    return status == LW_OK ? lwi_inverse_dynamics(m, d, q, v, NULL, NULL, tau) : status;
}

lw_status lw_gravity_forces(const lw_model *m, lw_data *d, const double *q, double *tau)
{
    const lw_status status = begin_position(m, d, q);
    if (status != LW_OK || (!tau && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    const double *tree_q = lwi_closure_position(m, d, q);
    if (!tree_q || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    d->kernels->gravity_forces(m, d, tree_q, tree_forces(m, d, tau));
    lwi_add_rod_gravity(m, d, tree_q, tree_forces(m, d, tau));
    close_forces(m, d, tau);
    return check_result(m, tau);
}

lw_status lw_reaction_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                             const double *a, const lw_force *f_ext, lw_force *reaction)
{
    const lw_status status = check_state(m, d, q, v, a);
    if (status != LW_OK || (!reaction && m->nbody > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    const lw_force *f = f_ext;
    lw_status found = m->nspring > 0 ? lwi_apply_springs(m, d, q, v, f_ext, &f) : LW_OK;
    if (found != LW_OK) {
        return found;
    }
    found = m->nloop > 0 ? lwi_find_loop_forces(m, d, q, v, a, f_ext, NULL, NULL)
                         : lwi_sweep_and_tree_forces(m, d, q, v, a, f, d->tree_tau);
    if (found != LW_OK) {
        return found;
    }
    if (m->nloop > 0) {
        lwi_apply_loop_forces(m, d, q, v, a, f);
    }
    d->kernels->joint_wrenches(m, d, reaction);
    return LW_OK;
}
