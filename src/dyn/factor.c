// Solving with the mass matrix, along the tree.
//
// Featherstone, Efficient Factorization of the Joint-Space Inertia Matrix for Branched Kinematic
// Trees (2005): factored from the tips to the root, M = L' D L fills no entry between branches, and
// D holds the articulated inertias of the degrees of freedom. The loops of kernel_factor.h follow
// parents instead of counting down, or stop where a branch ends; that is all there is to the
// sparsity.
//
// Closure steps couple degrees of freedom of different branches. The compile has then found a tree
// in which all that are coupled are on one path (compile/factor_tree.c), and the same loops follow
// that.

#include "arguments.h"
#include "derivative_sweep.h"

#include <linkwork/derivatives.h>

#include <string.h>

lw_status lw_mass_factor(const lw_model *m, lw_data *d, double *M)
{
    if (!m || !d || d->model != m || !M) {
        return LW_ERR_ARGUMENT;
    }
    d->singular_dof = d->kernels->lane->factor(&d->dofs, M);
    return d->singular_dof < 0 ? LW_OK : LW_ERR_SINGULAR;
}

lw_status lw_mass_solve(const lw_model *m, lw_data *d, const double *L, int ncolumn, double *X)
{
    if (!m || !d || d->model != m || !L || !X || ncolumn < 0) {
        return LW_ERR_ARGUMENT;
    }
    d->kernels->lane->factor_solve(&d->dofs, L, 1.0, ncolumn, X);
    return LW_OK;
}

lw_status lw_mass_inverse(const lw_model *m, lw_data *d, const double *L, double *inverse)
{
    if (!m || !d || d->model != m || !L || !inverse) {
        return LW_ERR_ARGUMENT;
    }
    if (inverse != L) {
        memcpy(inverse, L, (size_t)m->nv * (size_t)m->nv * sizeof *L);
    }
    d->kernels->lane->factor_invert(&d->dofs, inverse, d->tree_tau);
    return LW_OK;
}

void lwi_invert_deep(const lw_model *m, lw_data *d, double *inverse)
{
    const size_t n = (size_t)m->nv;
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t k = 0; k < n; ++k) {
        inverse[k * n + k] = 1.0;
    }
    d->kernels->lane->deep_solve(m, d, 1.0, m->nv, inverse);
}

// By the articulated bodies of a deep tree at rest; what acts on it does not matter.
static int invert_tree(const lw_model *m, lw_data *d, const double *q, double *inverse)
{
    const bool has_rotors = m->kernel->has_joint_forces && !d->settings.is_ideal;
    const size_t n = (size_t)m->nv;
    double *a = d->v_work, *drive = d->tree_tau, *rotor = d->tree_a;
    const lwi_state at = {q, d->tree_v, a};
    for (size_t k = 0; k < n; ++k) {
        a[k] = drive[k] = d->tree_v[k] = 0.0;
        rotor[k] = has_rotors ? m->kernel->passive[k].rotor : 0.0;
    }
    const int singular = d->kernels->lane->forward_columns(m, d, &at, NULL, rotor, drive, a);
    if (singular < 0) {
        lwi_invert_deep(m, d, inverse);
        for (size_t k = 0; k < n * n; ++k) {
            inverse[k] = k / n < k % n ? inverse[k % n * n + k / n] : inverse[k];
        }
    }
    return singular;
}

lw_status lw_inverse_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *inverse)
{
    lw_status status = check_position(m, d, q);
    if (status != LW_OK || (!inverse && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (lwi_is_plain_tree(m, d) && d->dofs.is_deep) {
        d->singular_dof = invert_tree(m, d, q, inverse);
        return d->singular_dof < 0 ? LW_OK : LW_ERR_SINGULAR;
    }
    status = lw_mass_matrix(m, d, q, inverse);
    status = status == LW_OK ? lw_mass_factor(m, d, inverse) : status;
    return status == LW_OK ? lw_mass_inverse(m, d, inverse, inverse) : status;
}

enum { MAX_ROW = 6 };

// J M^-1 J' = Y' D^-1 Y with Y = L'^-1 J'.
static void mobility_of(const lw_model *m, lw_data *d, const double *L, int nrow, const double *J,
                        double *mobility)
{
    const int n = m->nv;
    double *Y = d->tree_J;
    for (int k = 0; k < n; ++k) {
        for (int r = 0; r < nrow; ++r) {
            Y[k * nrow + r] = J[(size_t)r * (size_t)n + (size_t)k];
        }
    }
    d->kernels->lane->factor_half_solve(&d->dofs, L, nrow, Y);
    memset(mobility, 0, (size_t)(nrow * nrow) * sizeof *mobility);
    for (int k = 0; k < n; ++k) {
        const double inverse = 1.0 / L[(size_t)k * (size_t)n + (size_t)k];
        for (int r = 0; r < nrow; ++r) {
            for (int c = 0; c < nrow; ++c) {
                mobility[r * nrow + c] += inverse * Y[k * nrow + r] * Y[k * nrow + c];
            }
        }
    }
}

// The rows of a Jacobian have units of their own, so a pivot is compared with its own entry. The
// mobility carries the rounding of the factors: 1e-12 is above what they leave of an exact zero.
static bool invert_mobility(const lw_data *d, int n, double *A)
{
    static const double SMALLEST = 1e-12;
    int before[MAX_ROW], end[MAX_ROW];
    double diagonal[MAX_ROW];
    for (int k = 0; k < n; ++k) {
        before[k] = k - 1;
        end[k] = n;
        diagonal[k] = A[k * n + k];
    }
    const lwi_dof_tree chain = {n, before, end, false};
    if (d->kernels->lane->factor(&chain, A) >= 0) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        if (!(A[k * n + k] > SMALLEST * diagonal[k])) {
            return false;
        }
    }
    d->kernels->lane->factor_invert(&chain, A, diagonal);
    return true;
}

lw_status lw_operational_inertia(const lw_model *m, lw_data *d, const double *L, int nrow,
                                 const double *J, double *mobility, double *inertia)
{
    if (!m || !d || d->model != m || !L || !J || nrow < 1 || nrow > MAX_ROW) {
        return LW_ERR_ARGUMENT;
    }
    double A[MAX_ROW * MAX_ROW];
    const size_t size = (size_t)(nrow * nrow) * sizeof *A;
    mobility_of(m, d, L, nrow, J, A);
    if (mobility) {
        memcpy(mobility, A, size);
    }
    d->singular_dof = -1;
    if (!inertia) {
        return LW_OK;
    }
    if (!invert_mobility(d, nrow, A)) {
        return LW_ERR_SINGULAR;
    }
    memcpy(inertia, A, size);
    return LW_OK;
}
