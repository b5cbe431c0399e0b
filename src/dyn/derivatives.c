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

#include "../kin/closure.h"
#include "../kin/tangent.h"
#include "derivative_sweep.h"
#include "factor.h"
#include "friction.h"
#include "reduce_derivatives.h"
#include "rod_derivatives.h"
#include "spring_derivatives.h"
#include "spring_forces_tree.h"
#include "user.h"

#include <linkwork/derivatives.h>

// Force through the joint of a body, after the sweeps.
static lw_force joint_force(const lw_data *d, int i)
{
    const size_t stride = d->body_stride;
    const double *row = d->body_row + LWI_ROW_FORCE * stride + i;
    const lw_force f = {{row[0], row[stride], row[2 * stride]},
                        {row[3 * stride], row[4 * stride], row[5 * stride]}};
    return f;
}

// A user joint whose S changes: the change of S_j along degree of freedom k, times the force.
static void add_user_terms(const lw_model *m, const lw_data *d, const lwi_state *at, int i,
                           double *by_q)
{
    const lwi_segment *b = &m->kernel->segment[i];
    const lw_force f = joint_force(d, i);
    for (int k = 0; k < b->nv; ++k) {
        lw_motion rate[LW_MAX_DOF];
        lwi_user_motion_rate(&m->kernel->user[i], at->q + b->q, k, rate);
        for (int j = 0; j < b->nv; ++j) {
            const size_t entry = (size_t)(b->v + j) * (size_t)m->tree_nv + (size_t)(b->v + k);
            by_q[entry] += lwi_power(lwi_motion_to_world(&d->world[i], rate[j]), f);
        }
    }
}

static double active_friction_rate(const lw_data *d)
{
    return d->settings.is_frictionless ? 0.0 : d->settings.friction_rate;
}

// Damping, friction, stiffness and rotor inertia.
static void add_joint_terms(const lw_model *m, const lw_data *d, const double *v,
                            const lwi_matrices *out)
{
    const size_t n = (size_t)m->tree_nv;
    const double friction_rate = active_friction_rate(d);
    for (size_t k = 0; k < n; ++k) {
        const lwi_passive *passive = &m->kernel->passive[k];
        if (out->by_q && passive->q >= 0) {
            out->by_q[k * n + k] += passive->stiffness;
        }
        if (out->by_v) {
            out->by_v[k * n + k] +=
                passive->damping + passive->friction * lwi_coulomb_slope(v[k], friction_rate);
        }
        if (out->M) {
            out->M[k * n + k] += passive->rotor;
        }
    }
}

static void differentiate_tree(const lw_model *m, lw_data *d, const lwi_state *at,
                               const lw_force *f_ext, const lwi_matrices *out)
{
    d->kernels->lane->derivative_sweep(m, d, at, f_ext, out);
    for (int i = 0; m->kernel->user && out->by_q && i < m->nbody; ++i) {
        if (m->carrier[i] == LW_TREE_USER && m->kernel->user[i].bias) {
            add_user_terms(m, d, at, i, out->by_q);
        }
    }
    if (m->kernel->has_joint_forces && !d->settings.is_ideal) {
        add_joint_terms(m, d, at->v, out);
    }
    lwi_add_spring_derivatives(m, d, at->q, at->v, out->by_q, out->by_v);
}

// What acts within a degree of freedom.
static double passive_force(const lwi_passive *passive, double friction_rate, const lwi_state *at,
                            int k)
{
    const double v = at->v[k];
    const double friction = passive->friction * lwi_coulomb_share(friction_rate * v);
    const double stretch = passive->q < 0 ? 0.0 : at->q[passive->q] - passive->rest;
    return passive->rotor * at->a[k] + passive->damping * v + friction +
           passive->stiffness * stretch;
}

// Forces at all tree coordinates, after the sweeps.
static void take_forces(const lw_model *m, lw_data *d, const lwi_state *at)
{
    const bool is_ideal = !m->kernel->has_joint_forces || d->settings.is_ideal;
    const double friction_rate = active_friction_rate(d);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_force f = joint_force(d, i);
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            const double own =
                is_ideal ? 0.0 : passive_force(&m->kernel->passive[k], friction_rate, at, k);
            d->tree_tau[k] = lwi_power(lwi_row_motion(d, LWI_ROW_S, k), f) + own;
        }
    }
    if (lwi_find_spring_forces(m, d, at->q, at->v)) {
        lwi_add_spring_forces(m, d, d->tree_tau);
    }
}

// --- Through loops ----------------------------------------------------------------------------
//
// Tree velocities are G(q) v, accelerations G a + c(q, v), and tau = G' t for the forces t of the
// tree. So along a direction in which the independent state changes,
//
//   dtau = G' (dt/dx dx + dt/dv d(G v) + M d(G a + c)) + dG' t,
//
// where the changes of G v, G a + c and of the transposed sweep come from kin/tangent.h.

// change = (dt/dx) dx + (dt/dv) dv + M da; dx null for a change of velocity.
static void tree_change(const lw_model *m, const lw_data *d, const double *dx)
{
    const lwi_tangent *t = &d->tangent;
    const size_t n = (size_t)m->tree_nv;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (size_t j = 0; j < n; ++j) {
            sum += (dx ? t->by_q[i * n + j] * dx[j] : 0.0) +
                   t->by_v[i * n + j] * lwi_tangent_rate(t->v[j]) +
                   d->tree_M[i * n + j] * lwi_tangent_rate(t->a[j]);
        }
        t->change[i] = sum;
    }
}

// A column of the result: the rate of the transposed sweep.
static void put_tangent(const lw_model *m, const lw_data *d, int k, double *A)
{
    const lwi_tangent *t = &d->tangent;
    for (int i = 0; i < m->tree_nv; ++i) {
        t->tau[i] = lwi_complex_of(d->tree_tau[i], LWI_TANGENT_STEP * t->change[i]);
    }
    lwi_tangent_transpose(m, d, t->tau);
    for (int i = 0; i < m->nv; ++i) {
        A[i * m->nv + k] = lwi_tangent_rate(t->tau[m->v_tree[i]]);
    }
}

static lw_status close_derivatives(const lw_model *m, lw_data *d, const lwi_state *at,
                                   const lw_force *f_ext, const double *v, const double *a,
                                   const lwi_matrices *want)
{
    lwi_tangent *t = &d->tangent;
    const lwi_matrices tree = {t->by_q, t->by_v, d->tree_M};
    differentiate_tree(m, d, at, f_ext, &tree);
    take_forces(m, d, at);
    lwi_add_rod_derivatives(m, d, at->q, t->by_q, t->by_v, d->tree_M, d->tree_tau);
    for (int k = 0; k < m->nv; ++k) {
        lwi_closure_column(m, d, k, t->along);
        if (want->by_q) {
            if (!lwi_tangent_along_position(m, d, t->along, v, a)) {
                return LW_ERR_SINGULAR;
            }
            tree_change(m, d, t->along);
            put_tangent(m, d, k, want->by_q);
        }
        if (want->by_v) {
            if (!lwi_tangent_along_velocity(m, d, t->along, a)) {
                return LW_ERR_SINGULAR;
            }
            tree_change(m, d, NULL);
            put_tangent(m, d, k, want->by_v);
        }
    }
    if (want->M) {
        lwi_closure_congruence(m, d, d->tree_M, want->M);
    }
    return LW_OK;
}

lw_status lw_inverse_dynamics_derivatives(const lw_model *m, lw_data *d, const double *q,
                                          const double *v, const double *a, const lw_force *f_ext,
                                          double *dtau_dq, double *dtau_dv, double *M)
{
    lwi_state at;
    const lw_status status = lwi_bring_state(m, d, q, v, a, &at);
    if (status != LW_OK) {
        return status;
    }
    if (!d->is_dense) {
        return LW_ERR_LIMIT;
    }
    const lwi_matrices out = {dtau_dq, dtau_dv, M};
    if (d->tangent.q) {
        return close_derivatives(m, d, &at, f_ext, v, a, &out);
    }
    if (m->nstep == 0) {
        differentiate_tree(m, d, &at, f_ext, &out);
        return LW_OK;
    }
    const lwi_matrices tree = {d->tree_C, d->tree_D, d->tree_M};
    differentiate_tree(m, d, &at, f_ext, &tree);
    take_forces(m, d, &at);
    lwi_reduce_derivatives(m, d, &tree);
    lwi_reduce_copy(m, tree.by_q, dtau_dq);
    lwi_reduce_copy(m, tree.by_v, dtau_dv);
    lwi_reduce_copy(m, tree.M, M);
    return LW_OK;
}

// X = -M^-1 X
static void solve_negative(const lw_model *m, const lw_data *d, const double *L, double *X)
{
    if (!X) {
        return;
    }
    const size_t n = (size_t)m->nv;
    lwi_factor_solve(m->nv, d->v_parent, L, m->nv, X);
    for (size_t k = 0; k < n * n; ++k) {
        X[k] = -X[k];
    }
}

lw_status lw_forward_dynamics_derivatives(const lw_model *m, lw_data *d, const double *q,
                                          const double *v, const double *tau, const lw_force *f_ext,
                                          double *a, double *da_dq, double *da_dv, double *da_dtau)
{
    if (!m || !d || d->model != m || !da_dtau) {
        return LW_ERR_ARGUMENT;
    }
    double *motion = a ? a : d->v_work;
    lw_status status = lw_forward_dynamics(m, d, q, v, tau, f_ext, motion);
    if (status != LW_OK) {
        return status;
    }
    status = lw_inverse_dynamics_derivatives(m, d, q, v, motion, f_ext, da_dq, da_dv, da_dtau);
    if (status != LW_OK) {
        return status;
    }
    d->singular_dof = lwi_factor(m->nv, d->v_parent, da_dtau, d->tree_tau);
    if (d->singular_dof >= 0) {
        return LW_ERR_SINGULAR;
    }
    solve_negative(m, d, da_dtau, da_dq);
    solve_negative(m, d, da_dtau, da_dv);
    lwi_factor_invert(m->nv, d->v_parent, da_dtau);
    return LW_OK;
}
