// Derivatives of inverse dynamics by position, velocity and acceleration.
//
// After Carpentier and Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms (2018),
// and Singh, Russell and Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics using
// Spatial Vector Algebra (2022). Derived anew here, because joints of changing S, loads and a
// moving world are in it, and because the matrix B of the second paper has a simpler form.
//
// All vectors are along the axes of the world about one resting point (world.h). Let joint j carry
// the bodies l behind it, let p be its parent body, and let q move along freedom k of j, which
// displaces all of them by S_k. A quantity that is fixed to them changes by S_k x; with
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
// hence df = I eta + 2B S_k. For one freedom of constant S, eta = 2 psi.
//
// Add these over the bodies behind a joint i: I, B and f become those of the composite body, plain
// sums. With j on the way from i to the world, or j = i,
//
//   dtau_i/dq_j = S_i . (I_i chi_j + 2B_i psi_j)       (the turn of S_i cancels that of f)
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
// and v x* I v = B v. Both lanes, by q and by v, go through the same matrices side by side.
//
// A user joint has S(q). With D_k the part of dv_j that is due to the change of S itself, and E_k
// the same for a, psi gains D_k, chi gains E_k + (v_p + v_j) x D_k and the change of the bias, eta
// gains the derivative of the bias by v_k, and freedoms of the joint itself feel (dS_i/dq_k) . f.
//
// A load along the axes of the world does not turn with its body, so S_k x* f is too much for it: a
// force f at r and a moment t leave over r x (w x f) + w x t, and w x f (w the angular part of
// S_k), which has the form of B again.

#include "factor.h"
#include "lift.h"
#include "user.h"
#include "world.h"

#include <linkwork/derivatives.h>

#include <string.h>

static inline lwi_pair3 add(lwi_pair3 a, lwi_pair3 b)
{
    const lwi_pair3 r = {a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

static inline lwi_pair3 cross(lw_vec3 a, lwi_pair3 b)
{
    const lwi_pair3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static inline lwi_pair dot(lw_vec3 a, lwi_pair3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
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

// --- Outward: one body by itself --------------------------------------------------------------

// R T R', as lw_sym3_rotate(), which is not inline.
static inline lw_sym3 turned_tensor(const lw_mat3 *R, const lw_sym3 *T)
{
    const lw_vec3 a = lw_sym3_mul(T, R->row[0]);
    const lw_vec3 b = lw_sym3_mul(T, R->row[1]);
    const lw_vec3 c = lw_sym3_mul(T, R->row[2]);
    const lw_sym3 r = {lw_dot3(R->row[0], a), lw_dot3(R->row[1], b), lw_dot3(R->row[2], c),
                       lw_dot3(R->row[0], b), lw_dot3(R->row[0], c), lw_dot3(R->row[1], c)};
    return r;
}

// Mass, first moment and tensor of a body about the common point. Moving the origin by o adds
// 2 (o.k) 1 - o k' - k o' to the tensor, where k = h + m/2 o.
static inline void take_inertia(const lwi_body *b, const lwi_world_body *B, lwi_composite *C)
{
    const lw_sym3 T = {b->I[0], b->I[1], b->I[2], b->I[3], b->I[4], b->I[5]};
    const lw_sym3 turned = turned_tensor(&B->X.R, &T);
    const lw_vec3 o = B->X.p;
    const lw_vec3 h = lw_rotate(&B->X.R, lw_vec3_of(b->h[0], b->h[1], b->h[2]));
    const lw_vec3 k = lwi_axpy3(0.5 * b->mass, o, h);
    const double xx = o.x * k.x, yy = o.y * k.y, zz = o.z * k.z;
    C->mass = b->mass;
    C->first_moment = lwi_axpy3(b->mass, o, h);
    C->tensor.xx = turned.xx + 2.0 * (yy + zz);
    C->tensor.yy = turned.yy + 2.0 * (xx + zz);
    C->tensor.zz = turned.zz + 2.0 * (xx + yy);
    C->tensor.xy = turned.xy - (o.x * k.y + o.y * k.x);
    C->tensor.xz = turned.xz - (o.x * k.z + o.z * k.x);
    C->tensor.yz = turned.yz - (o.y * k.z + o.z * k.y);
}

// B, twice the momentum, and the force that the body's own motion needs.
static inline void take_motion(const lwi_world_body *B, lwi_composite *C)
{
    const lw_vec3 w = B->vel.ang, v = B->vel.lin, h = C->first_moment;
    const lw_sym3 *T = &C->tensor;
    const double vh = lw_dot3(v, h);
    const lw_vec3 t = lw_scale3(0.5 * (T->xx + T->yy + T->zz), w);
    const lw_vec3 p = lwi_axpy3(C->mass, v, lw_cross3(w, h));
    lw_mat3 A; // (v.h) 1 - v h' + [w]x T - [t]x
    A.row[0] = lw_vec3_of(vh - v.x * h.x + w.y * T->xz - w.z * T->xy,
                          t.z - v.x * h.y + w.y * T->yz - w.z * T->yy,
                          w.y * T->zz - w.z * T->yz - v.x * h.z - t.y);
    A.row[1] = lw_vec3_of(w.z * T->xx - w.x * T->xz - v.y * h.x - t.z,
                          vh - v.y * h.y + w.z * T->xy - w.x * T->yz,
                          t.x - v.y * h.z + w.z * T->xz - w.x * T->zz);
    A.row[2] = lw_vec3_of(t.y - v.z * h.x + w.x * T->xy - w.y * T->xx,
                          w.x * T->yy - w.y * T->xy - v.z * h.y - t.x,
                          vh - v.z * h.z + w.x * T->yz - w.y * T->xz);

    const lw_vec3 al = B->acc.ang, a = B->acc.lin;
    C->f.ang = lw_add3(lw_add3(lw_sym3_mul(T, al), lw_cross3(h, a)), lw_rotate(&A, w));
    C->f.lin = lw_add3(lwi_axpy3(C->mass, a, lw_cross3(al, h)), lw_cross3(w, p));
    for (int k = 0; k < 3; ++k) {
        C->B.row[k] = lw_scale3(2.0, A.row[k]);
    }
    C->p2 = lw_scale3(2.0, p);
}

static inline void finish_column(const lwi_world_body *P, const lwi_world_body *B, bool is_single,
                                 lwi_column *column)
{
    const lw_motion psi = lwi_pair6_lane(&column->u, 0);
    const lw_motion S = lwi_column_S(column);
    const lw_motion chi =
        lwi_motion_add(lwi_motion_cross(&P->acc, S), lwi_motion_cross(&P->vel, psi));
    const lw_motion eta = lwi_motion_add(psi, is_single ? psi : lwi_motion_cross(&B->vel, S));
    column->w = lwi_pair6_of(chi, eta);
}

static void outward(const lw_model *m, lw_data *d, const lwi_state *at, const lw_force *f_ext)
{
    const lwi_world_body ground = lwi_world_ground(d);
    lwi_world_body root = ground;
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_body *b = &m->kernel->body[i];
        const lwi_world_body *P = lwi_world_step(m, d, i, at, &ground, &root);
        const lwi_world_body *B = &d->world[i];
        for (int k = b->v; k < b->v + b->nv; ++k) {
            finish_column(P, B, b->nv == 1, &d->column[k]);
        }
        if (b->carrier == LW_TREE_USER) {
            lwi_user_columns(&m->kernel->user[i], at, b, P, B, &d->column[b->v]);
        }
        lwi_composite *C = &d->composite[i];
        take_inertia(b, B, C);
        take_motion(B, C);
        if (f_ext) {
            const lw_force f = lwi_force_to_world(B, f_ext[i]);
            C->f.ang = lw_sub3(C->f.ang, f.ang);
            C->f.lin = lw_sub3(C->f.lin, f.lin);
        }
    }
}

// --- Loads ------------------------------------------------------------------------------------

static void add_world_load(lwi_load_sum *sum, lw_vec3 r, lw_vec3 f, lw_vec3 t)
{
    const double rf = lw_dot3(r, f);
    sum->L.row[0] =
        lw_add3(sum->L.row[0], lw_vec3_of(rf - f.x * r.x, t.z - f.x * r.y, -t.y - f.x * r.z));
    sum->L.row[1] =
        lw_add3(sum->L.row[1], lw_vec3_of(-t.z - f.y * r.x, rf - f.y * r.y, t.x - f.y * r.z));
    sum->L.row[2] =
        lw_add3(sum->L.row[2], lw_vec3_of(t.y - f.z * r.x, -t.x - f.z * r.y, rf - f.z * r.z));
    sum->f = lw_add3(sum->f, f);
}

static void take_loads(const lw_model *m, lw_data *d)
{
    memset(d->load_sum, 0, (size_t)m->nbody * sizeof *d->load_sum);
    for (int k = 0; k < m->nload; ++k) {
        const lw_load_info *load = &m->load[k];
        if (load->body < 0) {
            continue;
        }
        const lwi_world_body *B = &d->world[load->body];
        const lw_vec3 r = lw_pose_apply(&B->X, load->X_BF.p);
        lw_vec3 f = load->force, t = load->torque;
        if (load->axes == LW_IN_WORLD) {
            add_world_load(&d->load_sum[load->body], r, f, t);
        } else {
            f = lw_rotate(&B->X.R, lw_rotate(&load->X_BF.R, f));
            t = lw_rotate(&B->X.R, lw_rotate(&load->X_BF.R, t));
        }
        lw_force *sum = &d->composite[load->body].f;
        sum->ang = lw_sub3(sum->ang, lw_add3(t, lw_cross3(r, f)));
        sum->lin = lw_sub3(sum->lin, f);
    }
}

// --- Inward: pairs of freedoms ----------------------------------------------------------------

// Where the results go. With closure steps, every entry of the tree's matrices is added to that of
// the independent coordinates it depends on (lift.h), so that no matrix of the tree is kept.
typedef struct outputs {
    double *by_q, *by_v, *M; // [n*n] or null
    size_t n;
    const lwi_lift *lift; // null without closure steps
    const double *v, *a;  // independent
} outputs;

// Tree coordinates x = phi(y) give dx/dt = phi' dy/dt and d2x/dt2 = phi' d2y/dt2 + phi'' (dy/dt)^2,
// both of which depend on y; the force at y is phi' times the force at x.
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

static inline void put(const outputs *out, int row, int column, lwi_pair by, double mass)
{
    const size_t at = (size_t)row * out->n + (size_t)column;
    if (out->by_q) {
        out->by_q[at] = by[0];
    }
    if (out->by_v) {
        out->by_v[at] = by[1];
    }
    if (out->M) {
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

// What freedom i makes of the motions of the freedoms before it, and what its own motion exerts on
// them.
typedef struct reach {
    lw_force IS;  // I S_i
    lw_vec3 BS;   // 2B' S_i, which has no linear part
    lw_vec3 load; // the same of the loads
    lwi_pair6 f;  // change of the composite force by q_i and by v_i
} reach;

static inline void reach_of(const lwi_composite *C, const lwi_column *column, reach *r)
{
    const lw_motion S = lwi_column_S(column);
    const lw_vec3 h = C->first_moment;
    const lwi_pair6 *u = &column->u, *w = &column->w;
    r->IS.ang = lw_add3(lw_sym3_mul(&C->tensor, S.ang), lw_cross3(h, S.lin));
    r->IS.lin = lwi_axpy3(C->mass, S.lin, lw_cross3(S.ang, h));
    r->BS = lw_add3(lw_rotate_back(&C->B, S.ang), lw_cross3(C->p2, S.lin));

    const lwi_pair3 h_w = cross(h, w->ang), p_w = cross(C->p2, u->ang);
    r->f.ang =
        add(add(apply_tensor(&C->tensor, w->ang), cross(h, w->lin)), apply_matrix(&C->B, u->ang));
    r->f.lin.x = C->mass * w->lin.x - h_w.x - p_w.x;
    r->f.lin.y = C->mass * w->lin.y - h_w.y - p_w.y;
    r->f.lin.z = C->mass * w->lin.z - h_w.z - p_w.z;

    const lw_vec3 none = {0, 0, 0};
    const lw_vec3 turned = lw_add3(lw_cross3(S.ang, C->f.ang), lw_cross3(S.lin, C->f.lin));
    r->f.ang = add(r->f.ang, lwi_pair3_of(turned, none));
    r->f.lin = add(r->f.lin, lwi_pair3_of(lw_cross3(S.ang, C->f.lin), none));
}

static void reach_loads(const lwi_load_sum *sum, const lwi_column *column, reach *r)
{
    const lw_motion S = lwi_column_S(column);
    const lw_vec3 none = {0, 0, 0};
    r->load = lw_add3(lw_rotate_back(&sum->L, S.ang), lw_cross3(sum->f, S.lin));
    r->f.ang = add(r->f.ang, lwi_pair3_of(lw_rotate(&sum->L, S.ang), none));
    r->f.lin = add(r->f.lin, lwi_pair3_of(lw_cross3(S.ang, sum->f), none));
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

// dtau_j/dq_i and dtau_j/dv_i for j before i.
static inline lwi_pair effect_on_j(const reach *r, lw_motion S_j)
{
    return dot(S_j.ang, r->f.ang) + dot(S_j.lin, r->f.lin);
}

// All pairs of the freedoms of body i with each other and with those before them.
static inline void pair_up(const lw_model *m, const lw_data *d, const outputs *out, int i,
                           bool has_loads)
{
    const lwi_body *body = m->kernel->body, *b = &body[i];
    const lwi_column *column = d->column;
    for (int k = b->v; k < b->v + b->nv; ++k) {
        reach r;
        reach_of(&d->composite[i], &column[k], &r);
        if (has_loads) {
            reach_loads(&d->load_sum[i], &column[k], &r);
        }
        for (int j = b->v; j < b->v + b->nv; ++j) {
            const double mass = lwi_power(lwi_column_S(&column[j]), r.IS);
            const lwi_pair by = effect_on_i(&r, &column[j], has_loads);
            (out->lift ? add_lifted : put)(out, k, j, by, mass);
        }
        for (int p = b->parent; p >= 0; p = body[p].parent) {
            for (int j = body[p].v; j < body[p].v + body[p].nv; ++j) {
                const lw_motion S_j = lwi_column_S(&column[j]);
                const double mass = lwi_power(S_j, r.IS);
                const lwi_pair on_i = effect_on_i(&r, &column[j], has_loads);
                const lwi_pair on_j = effect_on_j(&r, S_j);
                (out->lift ? add_lifted : put)(out, k, j, on_i, mass);
                (out->lift ? add_lifted : put)(out, j, k, on_j, mass);
            }
        }
    }
}

static inline void add_composite(lwi_composite *P, const lwi_composite *C)
{
    P->mass += C->mass;
    P->first_moment = lw_add3(P->first_moment, C->first_moment);
    P->tensor.xx += C->tensor.xx;
    P->tensor.yy += C->tensor.yy;
    P->tensor.zz += C->tensor.zz;
    P->tensor.xy += C->tensor.xy;
    P->tensor.xz += C->tensor.xz;
    P->tensor.yz += C->tensor.yz;
    for (int k = 0; k < 3; ++k) {
        P->B.row[k] = lw_add3(P->B.row[k], C->B.row[k]);
    }
    P->p2 = lw_add3(P->p2, C->p2);
    P->f.ang = lw_add3(P->f.ang, C->f.ang);
    P->f.lin = lw_add3(P->f.lin, C->f.lin);
}

static void add_load_sum(lwi_load_sum *P, const lwi_load_sum *C)
{
    for (int k = 0; k < 3; ++k) {
        P->L.row[k] = lw_add3(P->L.row[k], C->L.row[k]);
    }
    P->f = lw_add3(P->f, C->f);
}

// A user joint whose S changes: the change of S_j along freedom k, times the force.
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
    for (int i = m->nbody - 1; i >= 0; --i) {
        const lwi_body *b = &m->kernel->body[i];
        if (has_loads) {
            pair_up(m, d, out, i, true);
        } else {
            pair_up(m, d, out, i, false);
        }
        if (b->carrier == LW_TREE_USER && m->kernel->user[i].bias) {
            add_user_terms(m, d, at, i, out);
        }
        for (int k = b->v; k < b->v + b->nv; ++k) {
            d->tree_tau[k] = lwi_power(lwi_column_S(&d->column[k]), d->composite[i].f);
        }
        if (b->parent >= 0) {
            add_composite(&d->composite[b->parent], &d->composite[i]);
            if (has_loads) {
                add_load_sum(&d->load_sum[b->parent], &d->load_sum[i]);
            }
        }
    }
}

// --- Joints -----------------------------------------------------------------------------------

// Damping, stiffness and rotor inertia of the freedoms; friction only as a force, since it is
// constant but where a velocity changes sign.
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

// The lever phi' by which a force at a tree coordinate acts on the independent one changes too.
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
    if (m->nload > 0) {
        take_loads(m, d);
    }
    if (m->nstep > 0 && !lwi_lift_coordinates(m, d)) {
        return LW_ERR_UNSUPPORTED;
    }
    clear(dtau_dq, out.n);
    clear(dtau_dv, out.n);
    clear(M, out.n);
    inward(m, d, &at, &out);
    if (m->kernel->has_joint_forces && !lw_get_dynamics_options(d).is_ideal) {
        add_joint_terms(m, d, &at, &out);
    }
    if (m->nstep > 0) {
        add_lever_terms(m, d, &out);
    }
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
