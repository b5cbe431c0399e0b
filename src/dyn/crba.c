// The mass matrix: composite rigid bodies, and the congruence of the closure. The recursion itself
// is in kernel_crba.h.
#include <linkwork/dynamics.h>

#include "arguments.h"
#include "loop_forces.h"
#include "rods.h"

#include <string.h>

lw_status lwi_mass_by_columns(const lw_model *m, lw_data *d, const double *q, double *M)
{
    const size_t n = (size_t)m->nv;
    const lwi_settings settings = d->settings;
    d->settings = (lwi_settings){.is_ideal = settings.is_ideal};
    // Springs and loads act at rest too.
    lw_status status = lwi_sweep_and_tree_forces(m, d, q, NULL, NULL, NULL, d->tree_tau);
    if (status == LW_OK) {
        lwi_closure_transpose(m, d, d->tree_tau, 1, d->v_work);
    }
    for (size_t k = 0; k < n && status == LW_OK; ++k) {
        double *row = M + k * n;
        memset(row, 0, n * sizeof *row);
        row[k] = 1.0;
        status = lwi_sweep_and_tree_forces(m, d, q, NULL, row, NULL, d->tree_tau);
        lwi_closure_transpose(m, d, d->tree_tau, 1, row);
        for (size_t i = 0; i < n; ++i) {
            row[i] -= d->v_work[i];
        }
    }
    d->settings = settings;
    return status;
}

void lwi_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *tree_M, double *M)
{
    const double *tree_q = m->nstep > 0 ? d->tree_q : q;
    lwi_closure_angles(m, d);
    d->kernels->mass_matrix(m, d, tree_q, tree_M);
    lwi_add_rod_masses(m, d, tree_q, tree_M);
    if (m->nstep > 0) {
        lwi_closure_congruence(m, d, tree_M, M);
    }
}

lw_status lw_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M)
{
    const lw_status status = check_position(m, d, q);
    if (status != LW_OK || (!M && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (!d->is_dense) {
        return lwi_mass_by_columns(m, d, q, M);
    }
    if (!lwi_closure_position(m, d, q) || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    lwi_mass_matrix(m, d, q, m->nstep > 0 ? d->tree_M : M, M);
    return LW_OK;
}
