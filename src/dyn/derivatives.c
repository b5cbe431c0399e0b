// Derivatives of inverse dynamics by position, velocity and acceleration.
//
// After Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms (2018),
// and Singh, Russell and Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics using
// Spatial Vector Algebra (2022). Derived anew here, because joints of changing S, loads and a
// moving world are in it, and because the matrix B of the second paper has a simpler form.
//
// All vectors are along the axes of the world about one resting point (world.h). Let joint j carry
// the bodies l behind it, let p be its parent body, and let q move along degree of freedom k of j,
// which displaces all of them by S_k. A quantity that is fixed to them changes by S_k x; with
//
//   psi = v_p x S_k,   chi = a_p x S_k + v_p x psi
//
// velocity and acceleration of such a body change by
//
//   dv_l = psi + S_k x v_l,   da_l = chi + psi x v_l + S_k x a_l
//
// since v_l - v_p is fixed to the bodies behind j, and likewise, through Jacobi's identity, for
// a_l. The force f = I a + v x* I v on the body then changes by
//
//   df = S_k x* f + I chi + 2B psi,   2B m = m x* I v + v x* I m - I (v x m).
//
// A change of velocity v_k gives dv_l = S_k and da_l = eta + S_k x v_l, with eta = psi + v_j x S_k,
// hence df = I eta + 2B S_k. For one degree of freedom of constant S, eta = 2 psi.
//
// Add these over the bodies behind a joint i: I, B and f become those of the composite body, plain
// sums. With j on the way from i to the world, or j = i,
//
//   dtau_i/dq_j = S_i . (I_i chi_j + 2B_i psi_j)       (the rotation of S_i cancels that of f)
//   dtau_j/dq_i = S_j . (I_i chi_i + 2B_i psi_i + S_i x* f_i)    (for j = i as above)
//   dtau_i/dv_j = S_i . (I_i eta_j + 2B_i S_j)
//   dtau_j/dv_i = S_j . (I_i eta_i + 2B_i S_i)
//
// B of a particle of mass m at r with velocity u is the force m (w x u) acting at r, where w is the
// angular part of its argument; nothing of the linear part remains. (Write v x* I v as such a
// force, m w x u, differentiate, and use Jacobi's identity.) So B takes twelve numbers, which add
// over the particles: the momentum p, and the 3x3 matrix of r x (w x u) = (r.u 1 - u r') w. Over a
// rigid body with u = v + w x r the latter is, with first moment h and tensor T about the origin,
//
//   (v.h) 1 - v h' + [w]x T - tr(T)/2 [w]x,
//
// and v x* I v = B v. (The rows of model/records.h keep 2B and 2p.)
//
// A user joint has S(q). With D_k the part of dv_j that is due to the change of S itself, and E_k
// the same for a, psi gains D_k, chi gains E_k + (v_p + v_j) x D_k and the change of the bias, eta
// gains the derivative of the bias by v_k, and degrees of freedom of the joint itself feel
// (dS_i/dq_k) . f.
//
// A load along the axes of the world does not rotate with its body, so S_k x* f is too much for it:
// a force f at r and a moment t leave over r x (w x f) + w x t, and w x f (w the angular part of
// S_k), which has the form of B again.
//
// All of this is in tree coordinates, and the sweeps of kernel_derivatives.h compute it. Here are
// what acts within the joints, and the way to independent coordinates.

#include "arguments.h"
#include "fold_derivatives.h"
#include "friction.h"
#include "kernel_forces.h"
#include "rod_derivatives.h"
#include "spring_derivatives.h"
#include "spring_forces_tree.h"
#include "user.h"

#include <linkwork/derivatives.h>

#include <string.h>

// Force through the joint of a body, after the sweeps.
static lw_force force_through_joint(const lw_data *d, int i)
{
    const size_t stride = d->body_stride;
    const double *row = d->body_row + LWI_ROW_FORCE * stride + i;
    const lw_force f = {{row[0], row[stride], row[2 * stride]},
                        {row[3 * stride], row[4 * stride], row[5 * stride]}};
    return f;
}

// A user joint whose S changes: the change of S_j along degree of freedom k, times the force; to a
// row of dtau/dq.
static void add_user_terms(const lw_model *m, const lw_data *d, const double *q, int i, int j,
                           double *row)
{
    const lwi_segment *b = &m->kernel->segment[i];
    const lw_force f = force_through_joint(d, i);
    for (int k = 0; k < b->nv; ++k) {
        lw_motion rate[LW_MAX_DOF];
        lwi_user_motion_rate(&m->kernel->user[i], q + b->q, k, rate);
        row[b->v + k] += lwi_power(lwi_motion_to_world(&d->world[i], rate[j]), f);
    }
}

static int body_of(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return i;
}

static double active_friction_rate(const lw_data *d)
{
    return d->settings.is_frictionless ? 0.0 : d->settings.friction_rate;
}

// Damping, friction, stiffness and rotor inertia, in rows of degree of freedom k.
static void add_joint_terms(const lw_model *m, const lw_data *d, const double *v, int k,
                            const lwi_matrices *row)
{
    const lwi_passive *p = &m->kernel->passive[k];
    if (row->by_q && p->q >= 0) {
        row->by_q[k] += p->stiffness;
    }
    if (row->by_v) {
        row->by_v[k] += p->damping + p->friction * lwi_coulomb_slope(v[k], active_friction_rate(d));
    }
    if (row->M) {
        row->M[k] += p->rotor;
    }
}

// What the sweep leaves out of row k.
static void add_own_terms(const lw_model *m, const lw_data *d, const lwi_state *at, int k,
                          const lwi_matrices *row)
{
    const int i = m->kernel->user ? body_of(m, k) : -1;
    if (i >= 0 && row->by_q && m->carrier[i] == LW_TREE_USER && m->kernel->user[i].bias) {
        add_user_terms(m, d, at->q, i, k - m->v_start[i], row->by_q);
    }
    if (m->kernel->has_joint_forces && !d->settings.is_ideal) {
        add_joint_terms(m, d, at->v, k, row);
    }
}

static lwi_matrices row_of(const lwi_matrices *A, size_t n, int k)
{
    const size_t at = (size_t)k * n;
    return (lwi_matrices){.by_q = A->by_q ? A->by_q + at : NULL,
                          .by_v = A->by_v ? A->by_v + at : NULL,
                          .M = A->M ? A->M + at : NULL};
}

static void add_ties(const lw_model *m, lw_data *d, const lwi_state *at, const lwi_matrices *out)
{
    lwi_add_spring_derivatives(m, d, at->q, at->v, out);
    lwi_add_rod_derivatives(m, d, out);
}

static void differentiate_tree(const lw_model *m, lw_data *d, const lwi_state *at,
                               const lwi_matrices *out)
{
    d->kernels->lane->derivative_pairs(m, d, out);
    if (!m->kernel->user && (!m->kernel->has_joint_forces || d->settings.is_ideal)) {
        return;
    }
    for (int k = 0; k < m->tree_nv; ++k) {
        const lwi_matrices row = row_of(out, (size_t)m->tree_nv, k);
        add_own_terms(m, d, at, k, &row);
    }
}

// --- With closure steps -----------------------------------------------------------------------

typedef struct row_taker {
    const lwi_state *at;
    const lwi_matrices *out;
} row_taker;

static void take_row(const lw_model *m, lw_data *d, int k, const lwi_matrices *row)
{
    const row_taker *taker = row->taker;
    add_own_terms(m, d, taker->at, k, row);
    lwi_fold_row(m, d, k, row, taker->out);
}

// Forces of the tree, from the rows of the sweep.
static void find_tree_forces(const lw_model *m, lw_data *d, const lwi_state *at)
{
    const bool has_joint_forces = m->kernel->has_joint_forces && !d->settings.is_ideal;
    for (int i = 0; i < m->nbody; ++i) {
        const lw_force f = force_through_joint(d, i);
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            d->tree_tau[k] = lwi_power(lwi_row_motion(d, LWI_ROW_S, k), f);
            if (has_joint_forces) {
                const lwi_passive *p = &m->kernel->passive[k];
                d->tree_tau[k] += p->rotor * at->a[k] +
                                  passive_force(p, active_friction_rate(d), at->q, at->v[k]);
            }
        }
    }
    if (lwi_find_spring_forces(m, d, at->q, at->v)) {
        lwi_add_spring_forces(m, d, d->tree_tau);
    }
}

static lw_status close_derivatives(const lw_model *m, lw_data *d, const lwi_state *at,
                                   const lwi_matrices *want)
{
    if (want->by_q && m->kernel->program->fronts->is_bent) {
        find_tree_forces(m, d, at);
    }
    if (!lwi_begin_fold(m, d, at, want)) {
        return LW_ERR_SINGULAR;
    }
    const row_taker taker = {at, want};
    double *row = d->fronts.row;
    const lwi_matrices rows = {
        .by_q = row,
        .by_v = row + d->dof_stride,
        .M = row + 2 * d->dof_stride,
        .take = take_row,
        .taker = &taker,
    };
    d->kernels->lane->derivative_pairs(m, d, &rows);
    return LW_OK;
}

lw_status lw_inverse_dynamics_derivatives(const lw_model *m, lw_data *d, const double *q,
                                          const double *v, const double *a, const lw_force *f_ext,
                                          double *dtau_dq, double *dtau_dv, double *M)
{
    lwi_state at;
    lw_status status = lwi_bring_state(m, d, q, v, a, &at);
    if (status != LW_OK) {
        return status;
    }
    if (is_unplanned(m)) {
        return LW_ERR_LIMIT;
    }
    const lwi_matrices out = {.by_q = dtau_dq, .by_v = dtau_dv, .M = M};
    d->kernels->lane->derivative_columns(m, d, &at, f_ext);
    if (m->nstep > 0) {
        status = close_derivatives(m, d, &at, &out);
    } else {
        differentiate_tree(m, d, &at, &out);
    }
    if (status == LW_OK) {
        add_ties(m, d, &at, &out);
    }
    return status;
}

// What is left of tau by springs and what acts within the joints, to d->tree_tau; and rotor
// inertias, to d->tree_a. False where there are none.
static bool find_drives(const lw_model *m, lw_data *d, const lwi_state *at, const double *tau)
{
    const bool has_joint_forces = m->kernel->has_joint_forces && !d->settings.is_ideal;
    const bool has_springs = lwi_find_spring_forces(m, d, at->q, at->v);
    for (int k = 0; k < m->nv; ++k) {
        d->tree_tau[k] = has_springs ? tau[k] - d->spring_tau[k] : tau[k];
        if (has_joint_forces) {
            const lwi_passive *p = &m->kernel->passive[k];
            d->tree_tau[k] -= passive_force(p, active_friction_rate(d), at->q, at->v[k]);
            d->tree_a[k] = p->rotor;
        }
    }
    return has_joint_forces;
}

// Of a tree: accelerations come from the same rows as the derivatives. d->v_work gets the
// accelerations, M their factors.
static lw_status differentiate_forward(const lw_model *m, lw_data *d, lwi_state *at,
                                       const double *tau, const lw_force *f_ext,
                                       const lwi_matrices *out)
{
    double *a = d->v_work;
    memset(a, 0, (size_t)m->nv * sizeof *a);
    at->a = a;
    const double *rotor = find_drives(m, d, at, tau) ? d->tree_a : NULL;
    d->singular_dof = d->kernels->lane->forward_columns(m, d, at, f_ext, rotor, d->tree_tau, a);
    if (d->singular_dof >= 0) {
        return LW_ERR_SINGULAR;
    }
    const lw_status status = check_result(m, a);
    if (status == LW_OK) {
        const lwi_matrices change = {
            .by_q = out->by_q, .by_v = out->by_v, .L = d->dofs.is_deep ? NULL : out->M};
        differentiate_tree(m, d, at, &change);
        add_ties(m, d, at, &change);
    }
    return status;
}

// The same in two steps: accelerations first.
static lw_status differentiate_closed(const lw_model *m, lw_data *d, const lwi_state *at,
                                      const double *tau, const lw_force *f_ext,
                                      const lwi_matrices *out)
{
    double *a = d->v_work;
    lw_status status = lw_forward_dynamics(m, d, at->q, at->v, tau, f_ext, a);
    if (status != LW_OK) {
        return status;
    }
    status =
        lw_inverse_dynamics_derivatives(m, d, at->q, at->v, a, f_ext, out->by_q, out->by_v, out->M);
    if (status != LW_OK) {
        return status;
    }
    d->singular_dof = d->kernels->lane->factor(&d->dofs, out->M);
    return d->singular_dof >= 0 ? LW_ERR_SINGULAR : LW_OK;
}

// -M^-1 times derivatives of inverse dynamics, and the inverse: M has the factors.
static void solve_shallow(const lw_model *m, lw_data *d, const lwi_matrices *out)
{
    const lwi_lane_kernels *lane = d->kernels->lane;
    double *const X[] = {out->by_q, out->by_v};
    const bool is_small = m->nv >= LWI_LEAST_SMALL && m->nv <= LWI_MOST_SMALL;
    for (int k = 0; k < 2 && !is_small; ++k) {
        if (X[k]) {
            lane->factor_solve(&d->dofs, out->M, -1.0, m->nv, X[k]);
        }
    }
    lane->factor_invert(&d->dofs, out->M, d->tree_tau);
    for (int k = 0; k < 2 && is_small; ++k) {
        if (X[k]) {
            lane->small_product(m->nv, out->M, X[k]);
        }
    }
}

// The same by the articulated bodies of a deep tree.
static void solve_deep(const lw_model *m, lw_data *d, const lwi_matrices *out)
{
    const lwi_lane_kernels *lane = d->kernels->lane;
    double *const X[] = {out->by_q, out->by_v};
    for (int k = 0; k < 2; ++k) {
        if (X[k]) {
            lane->deep_solve(m, d, -1.0, m->nv, X[k]);
        }
    }
    lwi_invert_deep(m, d, out->M);
}

lw_status lw_forward_dynamics_derivatives(const lw_model *m, lw_data *d, const double *q,
                                          const double *v, const double *tau, const lw_force *f_ext,
                                          double *a, double *da_dq, double *da_dv, double *da_dtau)
{
    if (!da_dtau) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = check_state(m, d, q, v, tau);
    if (status != LW_OK) {
        return status;
    }
    const bool is_tree = lwi_is_plain_tree(m, d);
    const lwi_matrices out = {.by_q = da_dq, .by_v = da_dv, .M = da_dtau};
    lwi_state at = {q, v, NULL};
    status = is_tree ? differentiate_forward(m, d, &at, tau, f_ext, &out)
                     : differentiate_closed(m, d, &at, tau, f_ext, &out);
    if (status != LW_OK) {
        return status;
    }
    if (is_tree && d->dofs.is_deep) {
        solve_deep(m, d, &out);
    } else {
        solve_shallow(m, d, &out);
    }
    if (a) {
        memcpy(a, d->v_work, (size_t)m->nv * sizeof *a);
    }
    return LW_OK;
}
