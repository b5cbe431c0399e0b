// The mass matrix: composite rigid bodies (kernel_links.h), or folded by the rates of the closure
// (kernel_crba.h).
#include <linkwork/dynamics.h>

#include "arguments.h"
#include "loop_forces.h"
#include "rods.h"

#include <string.h>

// Column by column, from inverse dynamics at rest without gravity: where few degrees of freedom
// move a deep tree. What loads and springs of joints need is the same in all columns.
static void mass_by_columns(const lw_model *m, lw_data *d, double *M)
{
    const size_t n = (size_t)m->tree_nv, nv = (size_t)m->nv;
    double *v = d->tree_J, *a = v + n, *tau = a + n, *rest = tau + n;
    const lwi_settings settings = d->settings;
    d->settings = (lwi_settings){.is_ideal = settings.is_ideal};
    memset(v, 0, 2 * n * sizeof *v);
    d->kernels->inverse_dynamics(m, d, d->tree_q, v, a, NULL, true, rest);
    for (size_t k = 0; k < nv; ++k) {
        memset(a, 0, n * sizeof *a);
        a[m->v_tree[k]] = 1.0;
        lwi_closure_spread(m, d, a);
        d->kernels->inverse_dynamics(m, d, d->tree_q, v, a, NULL, true, tau);
        for (size_t i = 0; i < n; ++i) {
            tau[i] -= rest[i];
        }
        lwi_closure_transpose(m, d, tau, 1, M + k * nv);
    }
    d->settings = settings;
}

static lw_status find_mass_matrix(const lw_model *m, lw_data *d, const double *q, bool is_upper,
                                  double *M)
{
    if (is_unplanned(m)) {
        return LW_ERR_LIMIT;
    }
    const double *tree_q = m->nstep > 0 ? d->tree_q : q;
    lwi_closure_angles(m, d);
    if (m->nstep > 0 && m->kernel->program->fronts->has_few_columns) {
        mass_by_columns(m, d, M);
        return LW_OK;
    }
    d->kernels->mass_matrix(m, d, tree_q, is_upper && d->nrod_mass == 0, M);
    lwi_add_rod_masses(m, d, tree_q, M);
    return LW_OK;
}

lw_status lwi_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M)
{
    return find_mass_matrix(m, d, q, false, M);
}

static lw_status close_mass_matrix(const lw_model *m, lw_data *d, const double *q, bool is_upper,
                                   double *M)
{
    const lw_status status = begin_position(m, d, q);
    if (status != LW_OK || (!M && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (!lwi_closure_position(m, d, q) || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    return find_mass_matrix(m, d, q, is_upper, M);
}

lw_status lw_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M)
{
    return close_mass_matrix(m, d, q, false, M);
}

lw_status lw_mass_matrix_upper(const lw_model *m, lw_data *d, const double *q, double *M)
{
    return close_mass_matrix(m, d, q, true, M);
}
