// Drives that sit anywhere in a closed mechanism.
//
// The forces tau at the independent degrees of freedom that a motion needs come from inverse
// dynamics. Drives at other degrees of freedom of the tree move with dq_a = Psi' dq, and must do
// the same work:
//
//   Psi tau_a = tau
//
// (Paper 004, eq. 13 to 15, with two corrections: the dependent velocities follow from the
// independent ones, dq_v = Phi dq_u, which its eq. 13 has the other way round; and eq. 15 must
// read Psi tau_a = tau_ou, so that tau_a = Psi^+ tau_ou where it prints tau_a = Psi tau_ru.)
//
// The rank of Psi [nv * nactuator] decides. Its columns are turned into an orthonormal basis Q of
// what drives can do, the largest first; then Q' Psi tau_a = Q' tau has a shortest solution, which
// is exact where Q spans all, and of least squares where it does not.
#include <linkwork/dynamics.h>

#include "../math/largest.h"
#include "../math/least_norm.h"
#include "actuators.h"
#include "arguments.h"
#include "loop_forces.h"

#include <string.h>

// A column whose part across the others is below this share of the longest one is no new direction:
// rates of loops are good to about 1e-13 away from singular configurations.
static const double smallest_direction = 1e-10;

// More than rounding leaves of an exact solution, for forces of this size.
static const double smallest_residual = 1e-9;

static lw_status check_actuators(const lw_model *m, lw_data *d, int n, const int *dof,
                                 const double *weight, const double *force)
{
    if (n < 0 || n > m->tree_nv || (n > 0 && (!dof || !force))) {
        return LW_ERR_ARGUMENT;
    }
    double *seen = d->v_work;
    memset(seen, 0, (size_t)m->tree_nv * sizeof *seen);
    for (int k = 0; k < n; ++k) {
        if (dof[k] < 0 || dof[k] >= m->tree_nv || seen[dof[k]] != 0.0) {
            return LW_ERR_ARGUMENT;
        }
        seen[dof[k]] = 1.0;
        if (weight && !(weight[k] > 0.0 && 0.0 * weight[k] == 0.0)) {
            return LW_ERR_NUMBER;
        }
    }
    return LW_OK;
}

// The independent degree of freedom that a degree of freedom of the tree is, or -1.
static int independent_of(const lw_model *m, int dof)
{
    int found = m->nstep == 0 ? dof : -1;
    for (int i = 0; i < m->nv && found < 0; ++i) {
        found = m->v_tree[i] == dof ? i : found;
    }
    return found;
}

// A drive that sits at an independent degree of freedom moves that one and no other. False where
// one does not.
static bool own_forces(const lw_model *m, const double *tau, int n, const int *dof, double *force,
                       double *rest)
{
    memcpy(rest, tau, (size_t)m->nv * sizeof *rest);
    for (int k = 0; k < n; ++k) {
        const int own = independent_of(m, dof[k]);
        if (own < 0) {
            return false;
        }
        force[k] = tau[own];
        rest[own] = 0.0;
    }
    return true;
}

// How a drive must be stretched so that plain lengths are weighted ones.
static double scale_of(const double *weight, int k)
{
    return weight ? 1.0 / sqrt(weight[k]) : 1.0;
}

// Psi with scaled columns: a unit force at a degree of freedom of the tree, swept back.
static void fill_columns(const lw_model *m, lw_data *d, int n, const int *dof, const double *weight,
                         double *Psi)
{
    double *unit = d->tree_a;
    for (int k = 0; k < n; ++k) {
        memset(unit, 0, (size_t)m->tree_nv * sizeof *unit);
        unit[dof[k]] = scale_of(weight, k);
        lwi_closure_transpose(m, d, unit, 1, unit);
        for (int i = 0; i < m->nv; ++i) {
            Psi[i * n + k] = unit[i];
        }
    }
}

static double length_of(const double *A, int nrow, int stride, int k)
{
    double square = 0.0;
    for (int r = 0; r < nrow; ++r) {
        square += A[r * stride + k] * A[r * stride + k];
    }
    return sqrt(square);
}

// Gram and Schmidt with the longest rest first. Returns how many columns of Psi are now an
// orthonormal basis.
static int find_basis(int nrow, int n, double *Psi)
{
    double longest = 0.0;
    int rank = 0;
    for (; rank < n && rank < nrow; ++rank) {
        int best = rank;
        for (int k = rank; k < n; ++k) {
            best = length_of(Psi, nrow, n, k) > length_of(Psi, nrow, n, best) ? k : best;
        }
        const double length = length_of(Psi, nrow, n, best);
        longest = fmax(longest, length);
        if (!(length > smallest_direction * longest)) {
            break;
        }
        for (int r = 0; r < nrow && best != rank; ++r) {
            const double swap = Psi[r * n + rank];
            Psi[r * n + rank] = Psi[r * n + best];
            Psi[r * n + best] = swap;
        }
        lwi_orthogonal_column(nrow, n, Psi, rank, NULL, NULL);
        for (int k = rank + 1; k < n; ++k) {
            double share = 0.0;
            for (int r = 0; r < nrow; ++r) {
                share += Psi[r * n + rank] * Psi[r * n + k];
            }
            for (int r = 0; r < nrow; ++r) {
                Psi[r * n + k] -= share * Psi[r * n + rank];
            }
        }
    }
    return rank;
}

// Row j of Q' Psi is what the drives do where the mechanism moves along direction j of the basis.
static void fill_conditions(const lw_model *m, lw_data *d, int n, const int *dof,
                            const double *weight, const double *Q, int rank, double *A)
{
    double *motion = d->tree_a;
    for (int j = 0; j < rank; ++j) {
        for (int i = 0; i < m->nv; ++i) {
            motion[m->v_tree[i]] = Q[i * n + j];
        }
        lwi_closure_spread(m, d, motion);
        for (int k = 0; k < n; ++k) {
            A[k * rank + j] = scale_of(weight, k) * motion[dof[k]];
        }
    }
}

static int closed_forces(const lw_model *m, lw_data *d, const double *tau, int n, const int *dof,
                         const double *weight, double *force, double *rest)
{
    const int nv = m->nv;
    double *Q = d->split[0], *A = d->split[1], *c = d->v_work;
    fill_columns(m, d, n, dof, weight, Q);
    const int rank = find_basis(nv, n, Q);
    fill_conditions(m, d, n, dof, weight, Q, rank, A);
    for (int j = 0; j < rank; ++j) {
        c[j] = 0.0;
        for (int i = 0; i < nv; ++i) {
            c[j] += Q[i * n + j] * tau[i];
        }
    }
    lwi_least_norm(n, rank, rank, A, c, force, 1);
    for (int k = 0; k < n; ++k) {
        force[k] *= scale_of(weight, k);
    }
    // tau - Psi force, swept back once more.
    double *work = d->tree_a;
    memset(work, 0, (size_t)m->tree_nv * sizeof *work);
    for (int k = 0; k < n; ++k) {
        work[dof[k]] = force[k];
    }
    lwi_closure_transpose(m, d, work, 1, work);
    for (int i = 0; i < nv; ++i) {
        rest[i] = tau[i] - work[i];
    }
    return rank;
}

int lwi_split_forces(const lw_model *m, lw_data *d, const double *tau, int n, const int *dof,
                     const double *weight, double *force, double *rest)
{
    return own_forces(m, tau, n, dof, force, rest)
               ? n
               : closed_forces(m, d, tau, n, dof, weight, force, rest);
}

lw_status lw_actuator_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                             const double *a, const lw_force *f_ext, int nactuator, const int *dof,
                             const double *weight, double *force, int *rank, double *residual)
{
    lw_status status = check_state(m, d, q, v, a);
    if (status == LW_OK) {
        status = check_actuators(m, d, nactuator, dof, weight, force);
    }
    if (status == LW_OK && m->nstep > 0 && nactuator > d->nsplit) {
        status = LW_ERR_LIMIT;
    }
    if (status == LW_OK) {
        status = lwi_sweep_and_tree_forces(m, d, q, v, a, f_ext, d->tree_tau);
    }
    if (status != LW_OK) {
        return status;
    }
    const double size = lwi_largest(d->tree_tau, m->tree_nv);
    double left = 0.0;
    double *tau = d->tree_tau, *rest = d->tree_v;
    lwi_closure_transpose(m, d, tau, 1, tau);
    const int found = lwi_split_forces(m, d, tau, nactuator, dof, weight, force, rest);
    for (int i = 0; i < m->nv; ++i) {
        left = fmax(left, fabs(rest[i]));
    }
    for (int i = 0; i < m->nv && residual; ++i) {
        residual[i] = rest[i];
    }
    if (rank) {
        *rank = found;
    }
    d->singular_dof = -1;
    return left > smallest_residual * size ? LW_ERR_SINGULAR : LW_OK;
}
