// Small motions about a state of rest.

#include <linkwork/linearize.h>

#include "../kin/finite.h"
#include "../math/eigen.h"
#include "../model/data.h"

#include <math.h>
#include <string.h>

lw_status lw_linearize(const lw_model *m, lw_data *d, const double *q, const double *tau,
                       double *residual, double *A, double *B)
{
    if (!m || !d || !q || !A || !B || m->nv == 0) {
        return LW_ERR_ARGUMENT;
    }
    const size_t n = (size_t)m->nv, row = 2 * n;
    double *zero = A, *force = A + n, *a = A + 2 * n; // A has space: 4 n^2 >= 3 n
    if (n == 1) {
        a = B; // one degree of freedom: four numbers in A, two in B
    }
    memset(zero, 0, n * sizeof *zero);
    lw_status status = LW_OK;
    if (tau) {
        memcpy(force, tau, n * sizeof *force);
    } else {
        status = lw_inverse_dynamics(m, d, q, zero, zero, NULL, force);
    }
    if (status == LW_OK) {
        status = lw_forward_dynamics(m, d, q, zero, force, NULL, a);
    }
    if (status != LW_OK) {
        return status;
    }
    if (residual) {
        *residual = 0.0;
        for (size_t k = 0; k < n; ++k) {
            *residual = fmax(*residual, fabs(a[k]));
        }
    }
    // The two blocks of A are made one after the other in its last rows, where neither touches the
    // forces at its start: for one degree of freedom these rows begin behind them too.
    double *block = B + n * n, *part = A + 2 * n * n; // B: its lower half is M^-1 at the end
    const bool is_frictionless = d->settings.is_frictionless;
    d->settings.is_frictionless = true; // its slope at rest is that of the smoothing
    status = lw_forward_dynamics_derivatives(m, d, q, zero, force, NULL, NULL, part, part + n * n,
                                             block);
    d->settings.is_frictionless = is_frictionless;
    if (status != LW_OK) {
        return status;
    }
    // Spread them: row k of the lower half is (da/dq, da/dv). The first block is copied to B's
    // upper half, which is zero in the end.
    memcpy(B, part, n * n * sizeof *B);
    double *lower = A + row * n;
    for (size_t k = 0; k < n; ++k) {
        const double *by_v = part + n * n + k * n; // stands behind where row k is written
        memmove(lower + k * row + n, by_v, n * sizeof *lower);
        memcpy(lower + k * row, B + k * n, n * sizeof *lower);
    }
    memset(A, 0, row * n * sizeof *A);
    memset(B, 0, n * n * sizeof *B);
    for (size_t k = 0; k < n; ++k) {
        A[k * row + n + k] = 1.0;
    }
    return LW_OK;
}

lw_status lw_eigenvalues(int n, double *A, double *re, double *im)
{
    if (n < 0 || (n > 0 && (!A || !re || !im))) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < n; ++i) {
        if (!lwi_all_finite(A + (size_t)i * (size_t)n, n)) {
            return LW_ERR_NUMBER;
        }
    }
    return lwi_eigenvalues(n, A, re, im) ? LW_OK : LW_ERR_NO_CONVERGENCE;
}
