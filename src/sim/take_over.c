// A simulation goes on with another model: the mechanism after a part was attached, detached,
// removed or changed.
//
// What two bodies do that become one is a plastic impact. Let v0 be the rates of the new model that
// have the same names as before, and zero elsewhere; V- the velocity that each link had before, and
// V0 the one that v0 gives it. The impulses in the new joints do no work along the independent
// degrees of freedom of the new model, so momentum along these is conserved:
//
//   M v+ = sum over links of J' I V-  =  M v0 + sum over links of J' I (V- - V0)
//
// with M, J of the new model. That is forward dynamics under the momenta that v0 misses, at rest
// and without gravity. Only what is new, or moves otherwise than its joints, adds to the sum:
// rotors and rods move with their joints in v0. A velocity that the new model can have stays as it
// is, because it makes all terms vanish: detaching a part changes no velocity. The kinetic energy
// that is lost is half of the sum of (V- - V+)' I (V- - V+), never negative (Carnot).
#include "sim.h"

#include "../kin/closure.h"
#include "../kin/finite.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

typedef struct taking {
    lw_sim *from, *to;
    const lw_incoming *incoming;
    int nincoming;
    const double *tree_q; ///< of `from`
    double *q, *v;        ///< of `to`
} taking;

static int find_name(const char *const *name, int n, const char *wanted)
{
    int i = 0;
    while (i < n && strcmp(name[i], wanted) != 0) {
        ++i;
    }
    return i < n ? i : -1;
}

static int find_link(const lw_model *m, const char *name)
{
    int i = 0;
    while (i < m->nlink && strcmp(m->link[i].name, name) != 0) {
        ++i;
    }
    return i < m->nlink ? i : -1;
}

static int body_of_v(const lw_model *m, int v)
{
    int body = 0;
    while (m->v_start[body + 1] <= v) {
        ++body;
    }
    return body;
}

// Positions and rates that both models have; a dependent coordinate of one may be independent in
// the other.
static void map_coordinates(const taking *t)
{
    const lw_model *a = t->from->model, *b = t->to->model;
    const double *q = t->from->y, *v = t->from->y + a->nq, *tree_v = t->from->tree;
    memcpy(t->q, b->q_reference, (size_t)b->nq * sizeof *t->q);
    memset(t->v, 0, (size_t)b->nv * sizeof *t->v);
    for (int k = 0; k < b->nq; ++k) {
        const int i = find_name(a->position_name, a->nq, b->position_name[k]);
        t->q[k] = i >= 0 ? q[i] : t->q[k];
    }
    for (int k = 0; k < b->nv; ++k) {
        const int i = find_name(a->velocity_name, a->nv, b->velocity_name[k]);
        const int tree = i < 0 ? find_name(a->tree_velocity_name, a->tree_nv, b->velocity_name[k])
                               : a->v_tree[i];
        if (tree < 0) {
            continue;
        }
        const int body = body_of_v(a, tree), at = lw_position_of_dof(b, k);
        const bool is_scalar =
            a->v_start[body + 1] - a->v_start[body] == a->q_start[body + 1] - a->q_start[body];
        t->v[k] = i >= 0 ? v[i] : tree_v[tree];
        if (i < 0 && at >= 0 && is_scalar) {
            t->q[at] = t->tree_q[a->q_start[body] + tree - a->v_start[body]];
        }
    }
}

// A free joint that is new takes the pose that the first link of its body had. Whatever precedes it
// is where the coordinates above put it.
static lw_status place_free_bodies(const taking *t)
{
    const lw_model *a = t->from->model, *b = t->to->model;
    lw_status status = LW_OK;
    for (int k = 0; k < b->nq && status == LW_OK; ++k) {
        const int tree = b->q_tree[k];
        int body = 0;
        while (b->q_start[body + 1] <= tree) {
            ++body;
        }
        const bool is_new = find_name(a->position_name, a->nq, b->position_name[k]) < 0;
        if (b->carrier[body] != LW_TREE_FREE || b->q_start[body] != tree || !is_new) {
            continue;
        }
        int link = 0;
        while (link < b->nlink && b->frame[b->link[link].frame].body != body) {
            ++link;
        }
        const int old = link < b->nlink ? find_link(a, b->link[link].name) : -1;
        if (old < 0) {
            continue;
        }
        lw_pose X_WL, X_WP = lw_pose_identity();
        status = lw_frame_pose(a, t->from->data, a->link[old].frame, &X_WL);
        if (status == LW_OK && b->parent[body] >= 0) {
            const lw_joint_info *joint = &b->joints[b->joint[body]];
            status = lw_pose_of_frame(b, t->to->data, t->q, joint->frame_a, &X_WP);
        } else {
            X_WP = b->X_PJ[body];
        }
        const lw_pose X_LB = lw_pose_inverse(&b->frame[b->link[link].frame].X_BF);
        const lw_pose back = lw_pose_inverse(&X_WP), X_WB = lw_pose_mul(&X_WL, &X_LB);
        const lw_pose X = lw_pose_mul(&back, &X_WB);
        const lw_quat r = lw_quat_of(&X.R);
        const double value[7] = {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z};
        memcpy(t->q + k, value, sizeof value);
    }
    return status;
}

// The velocity of a link before, along the axes of the world, at its origin.
static lw_motion velocity_before(const taking *t, const char *name)
{
    const lw_model *a = t->from->model;
    lw_motion before = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const int old = find_link(a, name);
    if (old >= 0) {
        lw_frame_velocity(a, t->from->data, a->link[old].frame, LW_IN_WORLD, &before);
    }
    for (int i = 0; i < t->nincoming && old < 0; ++i) {
        before = strcmp(t->incoming[i].link, name) == 0 ? t->incoming[i].velocity : before;
    }
    return before;
}

// Momentum of a link that moves with V, along the axes of the world, about the origin of its frame.
static lw_force momentum_of(const lw_link_info *link, const lw_mat3 *R, const lw_motion *V)
{
    const lw_mat3 R_WI = lw_mul3(R, &link->X_FI.R);
    const lw_sym3 I = lw_sym3_rotate(&R_WI, &link->tensor);
    const lw_vec3 c = lw_rotate(R, link->X_FI.p), w = V->ang;
    const lw_vec3 p = lw_scale3(link->mass, lw_add3(V->lin, lw_cross3(w, c)));
    const lw_vec3 spin = {I.xx * w.x + I.xy * w.y + I.xz * w.z,
                          I.xy * w.x + I.yy * w.y + I.yz * w.z,
                          I.xz * w.x + I.yz * w.y + I.zz * w.z};
    return (lw_force){lw_add3(spin, lw_cross3(c, p)), p};
}

static double power_of(const lw_force *f, const lw_motion *V)
{
    return lw_dot3(f->ang, V->ang) + lw_dot3(f->lin, V->lin);
}

// Adds what v0 misses of the momenta to f_ext, and of the kinetic energy to *energy.
static lw_status add_momenta(const taking *t, double *energy, lw_take_over *result)
{
    static const double rounding = 1e-12; // of velocities that two models give the same link
    lw_sim *to = t->to;
    const lw_model *b = to->model, *a = t->from->model;
    memset(to->f_ext, 0, (size_t)b->nbody * sizeof *to->f_ext);
    for (int i = 0; i < b->nlink; ++i) {
        const lw_link_info *link = &b->link[i];
        const int old = find_link(a, link->name);
        lw_motion V0;
        lw_pose X;
        lw_frame_velocity(b, to->data, link->frame, LW_IN_WORLD, &V0);
        lw_frame_pose(b, to->data, link->frame, &X);
        if (old >= 0) {
            lw_pose X_old;
            lw_frame_pose(a, t->from->data, a->link[old].frame, &X_old);
            result->shift = fmax(result->shift, lw_norm3(lw_sub3(X.p, X_old.p)));
        }
        const lw_motion before = velocity_before(t, link->name);
        const lw_motion missed = {lw_sub3(before.ang, V0.ang), lw_sub3(before.lin, V0.lin)};
        if (b->frame[link->frame].body < 0 ||
            lw_norm3(missed.ang) + lw_norm3(missed.lin) <=
                rounding * (lw_norm3(before.ang) + lw_norm3(before.lin))) {
            continue;
        }
        const lw_force p = momentum_of(link, &X.R, &missed);
        const lw_force p_before = momentum_of(link, &X.R, &before);
        const lw_force p0 = momentum_of(link, &X.R, &V0);
        *energy += 0.5 * (power_of(&p_before, &before) - power_of(&p0, &V0));
        const lw_status status =
            lw_add_force_at_frame(b, to->data, link->frame, LW_IN_WORLD, &p, to->f_ext);
        if (status != LW_OK) {
            return status;
        }
        ++result->nimpact;
    }
    return LW_OK;
}

// v += M^-1 J' f_ext. What else acts at rest, springs and loads, is in both answers.
static lw_status apply_momenta(const taking *t)
{
    lw_sim *to = t->to;
    const lw_model *b = to->model;
    const lw_dynamics_options kept = lw_get_dynamics_options(to->data);
    lw_dynamics_options still = kept;
    const lw_motion rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    still.gravity = lw_vec3_of(0.0, 0.0, 0.0);
    still.base_velocity = still.base_acceleration = rest;
    lw_set_dynamics_options(to->data, &still);
    memset(to->tree, 0, (size_t)b->nv * sizeof *to->tree);
    lw_status status = lw_forward_dynamics(b, to->data, t->q, to->tree, to->tree, to->f_ext, to->a);
    if (status == LW_OK) {
        status = lw_forward_dynamics(b, to->data, t->q, to->tree, to->tree, NULL, to->tau);
    }
    for (int k = 0; k < b->nv && status == LW_OK; ++k) {
        t->v[k] += to->a[k] - to->tau[k];
    }
    lw_set_dynamics_options(to->data, &kept);
    return status;
}

static lw_status check_incoming(const lw_incoming *incoming, int n)
{
    if (n < 0 || (n > 0 && !incoming)) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < n; ++i) {
        const lw_motion *v = &incoming[i].velocity;
        if (!incoming[i].link) {
            return LW_ERR_ARGUMENT;
        }
        if (!lwi_is_point(&v->ang) || !lwi_is_point(&v->lin)) {
            return LW_ERR_NUMBER;
        }
    }
    return LW_OK;
}

lw_status lw_sim_take_over(lw_sim *sim, lw_sim *from, const lw_incoming *incoming, int nincoming,
                           lw_take_over *result)
{
    lw_take_over own = {0};
    if (!sim || !from || sim == from) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status given = check_incoming(incoming, nincoming);
    if (given != LW_OK) {
        return given;
    }
    const lw_model *a = from->model, *b = sim->model;
    taking t = {from, sim, incoming, nincoming, NULL, sim->q_try, sim->dy_try};
    const double *q = from->y, *v = from->y + a->nq;
    lw_status status = lw_tree_state(a, from->data, q, v, NULL, NULL, from->tree, NULL);
    status = status == LW_OK ? lw_forward_velocity(a, from->data, q, v) : status;
    t.tree_q = status == LW_OK ? lwi_closure_position(a, from->data, q) : NULL;
    if (!t.tree_q) {
        return status != LW_OK ? status : lwi_closure_status(from->data);
    }
    map_coordinates(&t);
    status = place_free_bodies(&t);
    status = status == LW_OK ? lw_forward_velocity(b, sim->data, t.q, t.v) : status;
    double before = 0.0, after = 0.0;
    status = status == LW_OK ? add_momenta(&t, &before, &own) : status;
    double moving = 0.0;
    status = status == LW_OK ? lw_kinetic_energy(b, sim->data, t.q, t.v, &moving) : status;
    if (status == LW_OK && own.nimpact > 0) {
        status = apply_momenta(&t);
    }
    status = status == LW_OK ? lw_kinetic_energy(b, sim->data, t.q, t.v, &after) : status;
    status = status == LW_OK ? lw_sim_reset(sim, from->t, t.q, t.v) : status;
    own.energy_lost = own.nimpact > 0 ? before + moving - after : 0.0;
    if (result && status == LW_OK) {
        *result = own;
    }
    return status;
}
