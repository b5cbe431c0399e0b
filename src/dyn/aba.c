// Forward dynamics: articulated bodies (kernel_aba_links.h), with fronts where closure steps make
// joints dependent (kernel_aba.h, kernel_fronts.h). Where rods with mass couple branches of the
// tree, or few degrees of freedom move many bodies: the mass matrix and its factors, in one
// recursion where it has at most three rows (kernel_columns.h), else in two.
#include <linkwork/dynamics.h>

#include "arguments.h"
#include "loop_forces.h"
#include "rods.h"
#include "spring_forces_tree.h"

#include <string.h>

// Forces of springs in independent coordinates, after a sweep of motion.
static void add_springs(const lw_model *m, lw_data *d, double *h)
{
    if (lwi_find_spring_forces(m, d, d->tree_q, d->tree_v)) {
        lwi_closure_transpose(m, d, d->spring_tau, 1, d->spring_tau);
        for (int k = 0; k < m->nv; ++k) {
            h[k] += d->spring_tau[k];
        }
    }
}

// h [nv] and M [nv*nv] in independent coordinates.
static lw_status find_equations(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const lw_force *f_ext, double *h, double *M)
{
    if (d->wide && d->kernels->lane->bias_and_mass) {
        if (lwi_needs_angles(m, d)) {
            lwi_closure_angles(m, d);
        }
        d->kernels->lane->bias_and_mass(m, d, f_ext, h, M);
        add_springs(m, d, h);
        return LW_OK;
    }
    lwi_tree_forces(m, d, q, v, NULL, f_ext, h);
    lwi_closure_transpose(m, d, h, 1, h);
    return lwi_mass_matrix(m, d, q, M);
}

// M a = tau - h in independent coordinates. Leaves the degree of freedom that moves no inertia, or
// -1, in d->singular_dof.
static lw_status solve_closed(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *tau, const lw_force *f_ext, double *a)
{
    if (!d->M) {
        return LW_ERR_LIMIT;
    }
    double *M = d->M, *h = d->tree_tau;
    const lw_status status = find_equations(m, d, q, v, f_ext, h, M);
    if (status != LW_OK) {
        return status;
    }
    d->singular_dof = d->kernels->lane->factor(&d->dofs, M);
    if (d->singular_dof >= 0) {
        return LW_ERR_SINGULAR;
    }
    for (int k = 0; k < m->nv; ++k) {
        a[k] = tau[k] - h[k];
    }
    d->kernels->lane->factor_solve(&d->dofs, M, 1.0, 1, a);
    return check_result(m, a);
}

// The independent degree of freedom of a tree velocity.
static int independent_of(const lw_model *m, int v)
{
    for (int k = 0; k < m->nv; ++k) {
        if (m->v_tree[k] == v) {
            return k;
        }
    }
    return -1;
}

// By articulated bodies with fronts: what a closure step couples costs no more than the bodies
// between.
static lw_status solve_by_fronts(const lw_model *m, lw_data *d, const double *tau,
                                 const lw_force *f_ext, double *a)
{
    double *tree = d->tree_tau;
    if (lwi_needs_angles(m, d)) {
        lwi_closure_angles(m, d);
    }
    if (lwi_find_spring_forces(m, d, d->tree_q, d->tree_v)) {
        for (int k = 0; k < m->tree_nv; ++k) {
            tree[k] = -d->spring_tau[k];
        }
    } else {
        memset(tree, 0, (size_t)m->tree_nv * sizeof *tree);
    }
    for (int k = 0; k < m->nv; ++k) {
        tree[m->v_tree[k]] += tau[k];
    }
    const int singular = d->kernels->forward_dynamics_closed(m, d, tree, f_ext, tree);
    d->singular_dof = singular < 0 ? -1 : independent_of(m, singular);
    if (singular >= 0) {
        return LW_ERR_SINGULAR;
    }
    for (int k = 0; k < m->nv; ++k) {
        a[k] = tree[m->v_tree[k]];
    }
    return check_result(m, a);
}

lw_status lwi_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *tau, const lw_force *f_ext, double *a)
{
    const lwi_fronts *fronts = m->kernel->program->fronts;
    const bool has_columns = d->wide && d->kernels->lane->bias_and_mass;
    if (fronts && fronts->is_sparse && d->nrod_mass == 0 && !has_columns) {
        return solve_by_fronts(m, d, tau, f_ext, a);
    }
    if (m->nstep > 0 || d->nrod_mass > 0) {
        return solve_closed(m, d, q, v, tau, f_ext, a);
    }
    if (lwi_find_spring_forces(m, d, q, v)) {
        for (int k = 0; k < m->nv; ++k) {
            d->spring_tau[k] = tau[k] - d->spring_tau[k];
        }
        tau = d->spring_tau;
    }
    d->singular_dof = d->kernels->forward_dynamics(m, d, q, v, tau, f_ext, a);
    return d->singular_dof >= 0 ? LW_ERR_SINGULAR : check_result(m, a);
}

lw_status lw_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *tau, const lw_force *f_ext, double *a)
{
    lw_status status = begin_state(m, d, q, v, tau);
    if (status != LW_OK || (!a && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    status = lwi_closure_motion(m, d, q, v, NULL);
    return status == LW_OK ? lwi_forward_dynamics(m, d, q, v, tau, f_ext, a) : status;
}
