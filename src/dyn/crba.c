// The mass matrix: composite rigid bodies, and the congruence of the closure. The recursion itself
// is in kernel_crba.h.
#include <linkwork/dynamics.h>

#include "arguments.h"
#include "recursions.h"
#include "rods.h"

lw_status lw_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M)
{
    const lw_status status = check_position(m, d, q);
    if (status != LW_OK || (!M && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    const double *tree_q = lwi_closure_position(m, d, q);
    if (!tree_q || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    double *tree_M = m->nstep > 0 ? d->tree_M : M;
    lwi_get_recursions()->mass_matrix(m, d, tree_q, tree_M);
    lwi_add_rod_masses(m, d, tree_q, tree_M);
    if (m->nstep > 0) {
        lwi_closure_congruence(m, d, d->tree_M, M);
    }
    return LW_OK;
}
