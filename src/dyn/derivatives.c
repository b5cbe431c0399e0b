// Derivatives of inverse dynamics by position, velocity and acceleration.
//
// After Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics
// Algorithms (2018), and Singh, Russell and Wensing, Efficient Analytical
// Derivatives of Rigid-Body Dynamics using Spatial Vector Algebra (2022).
// Derived anew here, because joints of changing S, loads and a moving world are
// in it, and because the matrix B of the second paper has a simpler form.
//
// All vectors are along the axes of the world about one resting point
// (world.h). Let joint j carry the bodies l behind it, let p be its parent
// body, and let q move along freedom k of j, which displaces all of them by
// S_k. A quantity that is fixed to them changes by S_k x; with
//
//   psi = v_p x S_k,   chi = a_p x S_k + v_p x psi
//
// velocity and acceleration of such a body change by
//
//   dv_l = psi + S_k x v_l,   da_l = chi + psi x v_l + S_k x a_l
//
// since v_l - v_p is fixed to the bodies behind j, and likewise, through
// Jacobi's identity, for a_l. The force f = I a + v x* I v on the body then
// changes by
//
//   df = S_k x* f + I chi + 2B psi,   2B m = m x* I v + v x* I m - I (v x m).
//
// A change of velocity v_k gives dv_l = S_k and da_l = eta + S_k x v_l, with
// eta = psi + v_j x S_k, hence df = I eta + 2B S_k. For one freedom of constant
// S, eta = 2 psi.
//
// Add these over the bodies behind a joint i: I, B and f become those of the
// composite body, plain sums. With j on the way from i to the world, or j = i,
//
//   dtau_i/dq_j = S_i . (I_i chi_j + 2B_i psi_j)       (the turn of S_i cancels
//   that of f) dtau_j/dq_i = S_j . (I_i chi_i + 2B_i psi_i + S_i x* f_i) (for j
//   = i as above) dtau_i/dv_j = S_i . (I_i eta_j + 2B_i S_j) dtau_j/dv_i = S_j
//   . (I_i eta_i + 2B_i S_i)
//
// B of a particle of mass m at r with velocity u is the force m (w x u) acting
// at r, where w is the angular part of its argument; nothing of the linear part
// remains. (Write v x* I v as such a force, m w x u, differentiate, and use
// Jacobi's identity.) So B takes twelve numbers, which add over the particles:
// the momentum p, and the 3x3 matrix of r x (w x u) = (r.u 1 - u r') w. Over a
// rigid body with u = v + w x r the latter is, with first moment h and tensor T
// about the origin,
//
//   (v.h) 1 - v h' + [w]x T - tr(T)/2 [w]x,
//
// and v x* I v = B v. Both lanes, by q and by v, go through the same matrices
// side by side.
//
// A user joint has S(q). With D_k the part of dv_j that is due to the change of
// S itself, and E_k the same for a, psi gains D_k, chi gains E_k + (v_p + v_j)
// x D_k and the change of the bias, eta gains the derivative of the bias by
// v_k, and freedoms of the joint itself feel (dS_i/dq_k) . f.
//
// A load along the axes of the world does not turn with its body, so S_k x* f
// is too much for it: a force f at r and a moment t leave over r x (w x f) + w
// x t, and w x f (w the angular part of S_k), which has the form of B again.

#include "../kin/closure.h"
#include "../kin/tangent.h"
#include "composite.h"
#include "factor.h"
#include "lift.h"
#include "rod_derivatives.h"
#include "user.h"

#include <linkwork/derivatives.h>

#include <string.h>

// --- Outward: columns -------------------------------------------------------------------------

static inline void finish_column(const lwi_world_body *P, const lwi_world_body *B, bool is_single,
                                 lwi_column *restrict column)
{
    const lw_motion psi = lwi_pair6_lane(&column->u, 0);
    const lw_motion S = lwi_column_S(column);
    const lw_motion chi =
        lwi_motion_add(lwi_motion_cross(&P->acc, S), lwi_motion_cross(&P->vel, psi));
    const lw_motion eta = lwi_motion_add(psi, is_single ? psi : lwi_motion_cross(&B->vel, S));
    column->w = lwi_pair6_of(chi, eta);
}

static inline int last_freedom(const lwi_body *body, int i)
{
    return i < 0 ? -1 : body[i].v + body[i].nv - 1;
}

static void outward(const lw_model *m, lw_data *d, const lwi_state *at, const lw_force *f_ext)
{
    const lwi_world_body ground = lwi_world_ground(d);
    lwi_world_body root;
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_body *b = &m->kernel->body[i];
        const lwi_world_body *P = lwi_world_step(m, d, i, at, &ground, &root);
        const lwi_world_body *B = &d->world[i];
        for (int k = b->v; k < b->v + b->nv; ++k) {
            finish_column(P, B, b->nv == 1, &d->column[k]);
            d->column[k].before = k > b->v ? k - 1 : last_freedom(m->kernel->body, b->parent);
        }
        if (b->carrier == LW_TREE_USER) {
            lwi_user_columns(&m->kernel->user[i], at, b, P, B, &d->column[b->v]);
        }
    }
    lwi_composite_bodies(m, d, f_ext);
    if (m->nload > 0) {
        lwi_composite_loads(m, d);
    }
}

// --- Inward: pairs of freedoms ----------------------------------------------------------------

// Where the results go. With closure steps, every entry of the tree's matrices
// is added to that of the independent coordinates it depends on (lift.h), so
// that no matrix of the tree is kept.
typedef struct outputs {
    double *by_q, *by_v, *M; // [n*n] or null
    size_t n;
    const lwi_lift *lift; // null without closure steps
    const double *v, *a;  // independent
} outputs;

// Tree coordinates x = phi(y) give dx/dt = phi' dy/dt and d2x/dt2 = phi'
// d2y/dt2 + phi'' (dy/dt)^2, both of which depend on y; the force at y is phi'
// times the force at x.
static void add_lifted(const outputs *out, int row, int column, lwi_pair by, double mass)
{
    const lwi_lift *r = &out->lift[row], *c = &out->lift[column];
    const size_t at = (size_t)r->index * out->n + (size_t)c->index;
    const double v = out->v[c->index], a = out->a[c->index];
    const double v_by_q = c->second * v, a_by_q = c->second * a + c->third * v * v;
    if (out->by_q) {
        out->by_q[at] += r->first * (by[0] * c->first + by[1] * v_by_q + mass * a_by_q);
    }
    if (out->by_v) {
        out->by_v[at] += r->first * (by[1] * c->first + mass * 2.0 * v_by_q);
    }
    if (out->M) {
        out->M[at] += r->first * mass * c->first;
    }
}

static inline void put(const outputs *out, int row, int column, lwi_pair by, double mass,
                       bool has_mass)
{
    const size_t at = (size_t)row * out->n + (size_t)column;
    if (out->by_q) {
        out->by_q[at] = by[0];
    }
    if (out->by_v) {
        out->by_v[at] = by[1];
    }
    if (has_mass && out->M) {
        out->M[at] = mass;
    }
}

// Adds to an entry that has been put already.
static void put_more(const outputs *out, int row, int column, lwi_pair by, double mass)
{
    if (out->lift) {
        add_lifted(out, row, column, by, mass);
        return;
    }
    const size_t at = (size_t)row * out->n + (size_t)column;
    if (out->by_q) {
        out->by_q[at] += by[0];
    }
    if (out->by_v) {
        out->by_v[at] += by[1];
    }
    if (out->M) {
        out->M[at] += mass;
    }
}

// What freedom i makes of the motions of the freedoms before it, and what its
// own motion exerts on them.
typedef struct reach {
    lw_force IS;       // I S_i
    lw_vec3 BS;        // 2B' S_i, which has no linear part
    lw_vec3 load;      // the same of the loads
    lw_force f_q, f_v; // change of the composite force by q_i and by v_i
} reach;

static inline lwi_pair dot(lw_vec3 a, lwi_pair3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lwi_pair3 cross(lw_vec3 a, lwi_pair3 b)
{
    const lwi_pair3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static inline lwi_pair3 apply_matrix(const lw_mat3 *A, lwi_pair3 b)
{
    const lwi_pair3 r = {dot(A->row[0], b), dot(A->row[1], b), dot(A->row[2], b)};
    return r;
}

static inline lwi_pair3 apply_tensor(const lw_sym3 *S, lwi_pair3 b)
{
    const lwi_pair3 r = {S->xx * b.x + S->xy * b.y + S->xz * b.z,
                         S->xy * b.x + S->yy * b.y + S->yz * b.z,
                         S->xz * b.x + S->yz * b.y + S->zz * b.z};
    return r;
}

static inline void reach_of(const lwi_composite *C, const lwi_column *column, reach *r)
{
    const lw_motion S = lwi_column_S(column);
    const lw_vec3 h = C->first_moment;
    const lwi_pair6 *u = &column->u, *w = &column->w;
    r->IS.ang = lw_add3(lw_sym3_mul(&C->tensor, S.ang), lw_cross3(h, S.lin));
    r->IS.lin = lwi_axpy3(C->mass, S.lin, lw_cross3(S.ang, h));
    r->BS = lw_add3(lw_rotate_back(&C->B, S.ang), lw_cross3(C->p2, S.lin));

    const lwi_pair3 h_w = cross(h, w->ang), p_w = cross(C->p2, u->ang);
    lwi_pair6 f;
    f.ang = lwi_pair3_add(lwi_pair3_add(apply_tensor(&C->tensor, w->ang), cross(h, w->lin)),
                          apply_matrix(&C->B, u->ang));
    f.lin.x = C->mass * w->lin.x - h_w.x - p_w.x;
    f.lin.y = C->mass * w->lin.y - h_w.y - p_w.y;
    f.lin.z = C->mass * w->lin.z - h_w.z - p_w.z;
    const lw_motion by_q = lwi_pair6_lane(&f, 0), by_v = lwi_pair6_lane(&f, 1);

    const lw_vec3 turned = lw_add3(lw_cross3(S.ang, C->f.ang), lw_cross3(S.lin, C->f.lin));
    r->f_q.ang = lw_add3(by_q.ang, turned);
    r->f_q.lin = lw_add3(by_q.lin, lw_cross3(S.ang, C->f.lin));
    r->f_v.ang = by_v.ang;
    r->f_v.lin = by_v.lin;
}

static void reach_loads(const lwi_load_sum *sum, const lwi_column *column, reach *r)
{
    const lw_motion S = lwi_column_S(column);
    r->load = lw_add3(lw_rotate_back(&sum->L, S.ang), lw_cross3(sum->f, S.lin));
    r->f_q.ang = lw_add3(r->f_q.ang, lw_rotate(&sum->L, S.ang));
    r->f_q.lin = lw_add3(r->f_q.lin, lw_cross3(S.ang, sum->f));
}

// dtau_i/dq_j and dtau_i/dv_j for j before i, or of the same joint.
static inline lwi_pair effect_on_i(const reach *r, const lwi_column *j, bool has_loads)
{
    lwi_pair sum = dot(r->BS, j->u.ang) + dot(r->IS.ang, j->w.ang) + dot(r->IS.lin, j->w.lin);
    if (has_loads) {
        sum[0] += lw_dot3(r->load, lwi_column_S(j).ang);
    }
    return sum;
}

// dtau_j/dq_i and dtau_j/dv_i for j before i. Both products run along their
// vectors, two entries at a time.
static inline lwi_pair effect_on_j(const lwi_pair *S_j, const lwi_pair *f_q, const lwi_pair *f_v)
{
    const lwi_pair by_q = S_j[0] * f_q[0] + S_j[1] * f_q[1] + S_j[2] * f_q[2];
    const lwi_pair by_v = S_j[0] * f_v[0] + S_j[1] * f_v[1] + S_j[2] * f_v[2];
    const lwi_pair even = {by_q[0], by_v[0]}, odd = {by_q[1], by_v[1]};
    return even + odd;
}

static inline void in_a_row(lw_force f, lwi_pair *row)
{
    row[0] = (lwi_pair){f.ang.x, f.ang.y};
    row[1] = (lwi_pair){f.ang.z, f.lin.x};
    row[2] = (lwi_pair){f.lin.y, f.lin.z};
}

// What the inner loop has to do, known when it is compiled.
typedef enum task {
    PLAIN,      // derivatives by q and v, put where they belong
    WITH_MASS,  // the mass matrix too
    WITH_LOADS, // and loads along the axes of the world
    EVERYTHING  // and closure steps
} task;

static inline void emit(const outputs *out, int row, int column, lwi_pair by, double mass,
                        task goal)
{
    if (goal == EVERYTHING && out->lift) {
        add_lifted(out, row, column, by, mass);
    } else {
        put(out, row, column, by, mass, goal >= WITH_MASS);
    }
}

// All pairs of the freedoms of body i with each other and with those before
// them.
static inline void pair_up(const lw_model *m, const lw_data *d, const outputs *out, int i,
                           task goal)
{
    const lwi_body *b = &m->kernel->body[i];
    const lwi_column *column = d->column;
    const bool has_loads = goal == WITH_LOADS || (goal == EVERYTHING && m->nload > 0);
    for (int k = b->v; k < b->v + b->nv; ++k) {
        reach r;
        reach_of(&d->composite[i], &column[k], &r);
        if (has_loads) {
            reach_loads(&d->load_sum[i], &column[k], &r);
        }
        for (int j = b->v; j < b->v + b->nv; ++j) {
            const double mass = goal >= WITH_MASS ? lwi_power(lwi_column_S(&column[j]), r.IS) : 0.0;
            emit(out, k, j, effect_on_i(&r, &column[j], has_loads), mass, goal);
        }
        lwi_pair f_q[3], f_v[3];
        in_a_row(r.f_q, f_q);
        in_a_row(r.f_v, f_v);
        for (int j = column[b->v].before; j >= 0; j = column[j].before) {
            const double mass = goal >= WITH_MASS ? lwi_power(lwi_column_S(&column[j]), r.IS) : 0.0;
            emit(out, k, j, effect_on_i(&r, &column[j], has_loads), mass, goal);
            emit(out, j, k, effect_on_j(column[j].S, f_q, f_v), mass, goal);
        }
    }
}

// A user joint whose S changes: the change of S_j along freedom k, times the
// force.
static void add_user_terms(const lw_model *m, const lw_data *d, const lwi_state *at, int i,
                           const outputs *out)
{
    const lwi_body *b = &m->kernel->body[i];
    for (int k = 0; k < b->nv; ++k) {
        lw_motion rate[LW_MAX_FREEDOM];
        lwi_user_motion_rate(&m->kernel->user[i], at->q + b->q, k, rate);
        for (int j = 0; j < b->nv; ++j) {
            const lw_motion turned = lwi_motion_to_world(&d->world[i], rate[j]);
            const lwi_pair by = {lwi_power(turned, d->composite[i].f), 0.0};
            put_more(out, b->v + j, b->v + k, by, 0.0);
        }
    }
}

static void inward(const lw_model *m, lw_data *d, const lwi_state *at, const outputs *out)
{
    const bool has_loads = m->nload > 0;
    const task what = out->lift ? EVERYTHING : has_loads ? WITH_LOADS : out->M ? WITH_MASS : PLAIN;
    for (int i = m->nbody - 1; i >= 0; --i) {
        const lwi_body *b = &m->kernel->body[i];
        switch (what) {
        case PLAIN:
            pair_up(m, d, out, i, PLAIN);
            break;
        case WITH_MASS:
            pair_up(m, d, out, i, WITH_MASS);
            break;
        case WITH_LOADS:
            pair_up(m, d, out, i, WITH_LOADS);
            break;
        default:
            pair_up(m, d, out, i, EVERYTHING);
            break;
        }
        if (b->carrier == LW_TREE_USER && m->kernel->user[i].bias) {
            add_user_terms(m, d, at, i, out);
        }
        for (int k = b->v; k < b->v + b->nv; ++k) {
            d->tree_tau[k] = lwi_power(lwi_column_S(&d->column[k]), d->composite[i].f);
        }
        if (b->parent >= 0) {
            lwi_composite_add(&d->composite[b->parent], &d->composite[i]);
            if (has_loads) {
                lwi_load_sum_add(&d->load_sum[b->parent], &d->load_sum[i]);
            }
        }
    }
}

// --- Joints -----------------------------------------------------------------------------------

// Damping, stiffness and rotor inertia of the freedoms; friction only as a
// force, since it is constant but where a velocity changes sign.
static void add_joint_terms(const lw_model *m, lw_data *d, const lwi_state *at, const outputs *out)
{
    for (int k = 0; k < m->tree_nv; ++k) {
        const lwi_passive *passive = &m->kernel->passive[k];
        const double stiffness = passive->q < 0 ? 0.0 : passive->stiffness;
        const double stretch = passive->q < 0 ? 0.0 : at->q[passive->q] - passive->rest;
        const lwi_pair by = {stiffness, passive->damping};
        put_more(out, k, k, by, passive->rotor);

        const double v = at->v[k];
        const double friction = v > 0.0 ? passive->friction : v < 0.0 ? -passive->friction : 0.0;
        d->tree_tau[k] +=
            passive->rotor * at->a[k] + passive->damping * v + friction + stiffness * stretch;
    }
}

// The lever phi' by which a force at a tree coordinate acts on the independent
// one changes too.
static void add_lever_terms(const lw_model *m, const lw_data *d, const outputs *out)
{
    for (int k = 0; k < m->tree_nv && out->by_q; ++k) {
        const lwi_lift *lift = &out->lift[k];
        const size_t at = (size_t)lift->index * out->n + (size_t)lift->index;
        out->by_q[at] += lift->second * d->tree_tau[k];
    }
}

// --- The functions ----------------------------------------------------------------------------

static void clear(double *A, size_t n)
{
    if (A) {
        memset(A, 0, n * n * sizeof *A);
    }
}

// The derivatives of the tree, or, with simple steps, those of the independent coordinates.
static void differentiate(const lw_model *m, lw_data *d, const lwi_state *at, const outputs *out)
{
    clear(out->by_q, out->n);
    clear(out->by_v, out->n);
    clear(out->M, out->n);
    inward(m, d, at, out);
    if (m->kernel->has_joint_forces && !lw_get_dynamics_options(d).is_ideal) {
        add_joint_terms(m, d, at, out);
    }
    if (out->lift) {
        add_lever_terms(m, d, out);
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
                                   const outputs *want)
{
    lwi_tangent *t = &d->tangent;
    const outputs tree = {t->by_q, t->by_v, d->tree_M, (size_t)m->tree_nv, NULL, NULL, NULL};
    differentiate(m, d, at, &tree);
    lwi_add_rod_derivatives(m, d, at->q, t->by_q, t->by_v, d->tree_M, d->tree_tau);
    for (int k = 0; k < m->nv; ++k) {
        lwi_closure_column(m, d, k, t->along);
        if (want->by_q) {
            if (!lwi_tangent_along_position(m, d, t->along, want->v, want->a)) {
                return LW_ERR_SINGULAR;
            }
            tree_change(m, d, t->along);
            put_tangent(m, d, k, want->by_q);
        }
        if (want->by_v) {
            if (!lwi_tangent_along_velocity(m, d, t->along, want->a)) {
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
    const outputs out = {dtau_dq, dtau_dv, M, (size_t)m->nv, m->nstep ? d->lift : NULL, v, a};
    outward(m, d, &at, f_ext);
    if (d->tangent.q) {
        return close_derivatives(m, d, &at, &out);
    }
    if (m->nstep > 0) {
        lwi_lift_coordinates(m, d);
    }
    differentiate(m, d, &at, &out);
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
    d->culprit = lwi_factor(m->nv, d->v_parent, da_dtau, d->tree_tau);
    if (d->culprit >= 0) {
        return LW_ERR_SINGULAR;
    }
    solve_negative(m, d, da_dtau, da_dq);
    solve_negative(m, d, da_dtau, da_dv);
    lwi_factor_invert(m->nv, d->v_parent, da_dtau);
    return LW_OK;
}
