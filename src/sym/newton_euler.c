// Newton and Euler's recursion, written out in body coordinates (Luh, Walker and Paul 1980), with
// the moments taken from the pseudo-inertia: where Sigma_zz is zero, which regrouping brings about
// for revolute joints, a body's moment costs 13 products instead of 22.
#include "body_axes.h"
#include "body_motion.h"
#include "planar.h"
#include "vector.h"

#include <stdlib.h>

/// U from angular velocity and acceleration.
static void spread(lwi_graph *g, lwi_body_motion *m)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m->U[4 * i] = lwi_neg(lwi_add_products(g, m->w[j], m->w[j], m->w[k], m->w[k]));
        const lwi_expr product = lwi_mul(g, m->w[i], m->w[j]);
        m->U[3 * i + j] = lwi_sub(g, product, m->dw[k]);
        m->U[3 * j + i] = lwi_add(g, product, m->dw[k]);
    }
}

/// The same where a joint turns about z: points on its axis move with the parent, so that the
/// column of z is the parent's, turned. This is made before the plain way, and is the cheaper one;
/// both give the same values.
static void spread_about_axis(lwi_graph *g, const lwi_robot_body *body,
                              const lwi_body_motion *parent, lwi_body_motion *m)
{
    const lwi_expr axis[3] = {body->R[2], body->R[5], body->R[8]};
    lwi_expr column[3], turned[3], dw[3];
    lwi_apply3(g, parent->U, axis, column);
    lwi_to_body(g, body, column, turned);
    lwi_apply_transposed3(g, body->R, parent->dw, dw);
    const lwi_expr xz = lwi_mul(g, m->w[0], m->w[2]), yz = lwi_mul(g, m->w[1], m->w[2]);
    m->dw[0] = lwi_sub(g, yz, turned[1]);
    m->dw[1] = lwi_sub(g, turned[0], xz);
    m->dw[2] = lwi_add(g, dw[2], body->a[0]);
}

/// The joint's own velocity and acceleration in body axes, angular and linear.
static void joint_rates(lwi_graph *g, const lwi_robot_body *body, const lwi_expr *rate,
                        lwi_expr w[3], lwi_expr v[3])
{
    for (int k = 0; k < 3; k++) {
        w[k] = v[k] = LWI_ZERO;
    }
    switch (body->type) {
    case LW_TREE_REVOLUTE:
        w[2] = rate[0];
        break;
    case LW_TREE_PRISMATIC:
        v[2] = rate[0];
        break;
    case LW_TREE_SCREW:
        w[2] = rate[0];
        v[2] = lwi_mul(g, body->lead, rate[0]);
        break;
    default:
        for (int k = 0; k < 3; k++) {
            w[k] = rate[k];
            v[k] = body->type == LW_TREE_FREE ? rate[3 + k] : LWI_ZERO;
        }
    }
}

static void move_outward(lwi_graph *g, const lwi_robot_body *body, const lwi_body_motion *parent,
                         lwi_body_motion *m)
{
    lwi_expr w[3], dw[3], jw[3], jv[3], jdw[3], ja[3], cross[3], spread_p[3], at[3], E[9];
    lwi_robot_pose(g, body, E, m->p);
    joint_rates(g, body, body->v, jw, jv);
    joint_rates(g, body, body->a, jdw, ja);
    lwi_to_body(g, body, parent->w, w);
    lwi_add3(g, w, jw, m->w);
    if (body->type == LW_TREE_REVOLUTE) {
        spread_about_axis(g, body, parent, m);
        spread(g, m);
    }
    // dw + w x jw + jdw
    lwi_to_body(g, body, parent->dw, dw);
    lwi_cross3(g, w, jw, cross);
    lwi_add3(g, dw, cross, m->dw);
    lwi_add3(g, m->dw, jdw, m->dw);
    spread(g, m);
    // E^T (a + U p) + 2 w x jv + jw x jv + ja, where rates of free joints are those of the body
    lwi_apply3(g, parent->U, m->p, spread_p);
    lwi_add3(g, parent->a, spread_p, at);
    lwi_to_body(g, body, at, m->a);
    lwi_expr turning[3];
    for (int k = 0; k < 3; k++) {
        turning[k] = lwi_add(g, w[k], m->w[k]);
    }
    lwi_cross3(g, turning, jv, cross);
    lwi_add3(g, m->a, cross, m->a);
    lwi_add3(g, m->a, ja, m->a);
}

/// Force and moment that the motion of a body asks for, less the load on it.
static void body_force(lwi_graph *g, const lwi_robot_body *body, const lwi_pseudo *mass,
                       lwi_body_motion *m)
{
    const lwi_pseudo P = *mass;
    lwi_expr Uh[3], across[3];
    lwi_apply3(g, m->U, P.h, Uh);
    lwi_cross3(g, P.h, m->a, across);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m->f[i] = lwi_add(g, lwi_mul(g, P.m, m->a[i]), Uh[i]);
        // (U S)_kj - (U S)_jk
        const lwi_expr Sij = P.S[lwi_pseudo_place(i, j)], Sik = P.S[lwi_pseudo_place(i, k)];
        const lwi_expr Sjk = P.S[lwi_pseudo_place(j, k)];
        lwi_expr sum = lwi_sub_products(g, m->U[3 * k + i], Sij, m->U[3 * j + i], Sik);
        sum = lwi_add(g, sum, lwi_mul(g, m->U[3 * k + j], P.S[j]));
        sum = lwi_sub(g, sum, lwi_mul(g, m->U[3 * j + k], P.S[k]));
        sum = lwi_add(g, sum, lwi_mul(g, lwi_sub(g, m->U[4 * k], m->U[4 * j]), Sjk));
        m->spin[i] = sum;
        m->rest[i] = lwi_sub(g, across[i], body->moment[i]);
        m->n[i] = lwi_add(g, m->rest[i], sum);
        m->f[i] = lwi_sub(g, m->f[i], body->force[i]);
    }
}

static bool is_loaded(const lwi_robot_body *body)
{
    bool is_some = false;
    for (int k = 0; k < 3; k++) {
        is_some = is_some || body->moment[k] != LWI_ZERO || body->force[k] != LWI_ZERO;
    }
    return is_some;
}

/// What a body at the end of a chain asks for, along the axes that its joint turns it against.
/// There the parent's motion is at hand and the parent wants force and moment, so that instead of
/// these vectors only the body's moments are turned; the recursion arrives at the same values.
static void end_force(lwi_graph *g, const lwi_robot *robot, const lwi_robot_body *body,
                      const lwi_body_motion *parent)
{
    if (body->type != LW_TREE_REVOLUTE || is_loaded(body)) {
        return;
    }
    const lwi_robot_body still = lwi_still_body(body);
    lwi_body_motion m = {0};
    const lwi_pseudo own = lwi_pseudo_of(g, body), turned = lwi_pseudo_turn(g, &own, body);
    const int thin = lwi_thin_axis(&own);
    move_outward(g, &still, parent, &m);
    if (robot->is_searched && thin >= 0) {
        lwi_thin_force(g, body, &own, thin, &m);
    }
    body_force(g, &still, &turned, &m);
}

/// What the force does about the parent's origin, from the arm in the body's own axes; there the
/// accelerations of a run want it too.
static void arm_from_body(lwi_graph *g, const lwi_robot_body *body, const lwi_body_motion *m)
{
    lwi_expr p[3], own[3], arm[3];
    lwi_to_body(g, body, body->p, p);
    lwi_cross3(g, p, m->f, own);
    lwi_to_parent(g, body, own, arm);
}

static void move_inward(lwi_graph *g, const lwi_robot_body *body, const lwi_body_motion *m,
                        lwi_body_motion *parent)
{
    lwi_expr f[3], n[3], arm[3];
    lwi_to_parent(g, body, m->f, f);
    lwi_to_parent(g, body, m->n, n);
    lwi_cross3(g, m->p, f, arm);
    lwi_add3(g, parent->f, f, parent->f);
    lwi_add3(g, parent->n, n, parent->n);
    lwi_add3(g, parent->n, arm, parent->n);
    lwi_add3(g, parent->rest, n, parent->rest);
    lwi_add3(g, parent->rest, arm, parent->rest);
}

static void joint_force(lwi_graph *g, const lwi_robot_body *body, const lwi_body_motion *m,
                        lwi_expr *tau)
{
    switch (body->type) {
    case LW_TREE_REVOLUTE:
        tau[0] = m->n[2];
        break;
    case LW_TREE_PRISMATIC:
        tau[0] = m->f[2];
        break;
    case LW_TREE_SCREW:
        tau[0] = lwi_add(g, m->n[2], lwi_mul(g, body->lead, m->f[2]));
        break;
    default:
        for (int k = 0; k < lwi_robot_dofs(body->type); k++) {
            tau[k] = k < 3 ? m->n[k] : m->f[k - 3];
        }
    }
}

static bool is_end(const lwi_robot *robot, int i)
{
    for (int k = i + 1; k < robot->nbody; k++) {
        if (robot->body[k].parent == i) {
            return false;
        }
    }
    return true;
}

/// Whether a turn about z leaves a body with no more moments than it had, or with one more.
static bool is_full(const lwi_pseudo *P)
{
    const lwi_expr turning[5] = {P->h[0], P->h[1], P->S[3], P->S[4], P->S[5]};
    int zeros = 0;
    for (int k = 0; k < 5; k++) {
        zeros += turning[k] == LWI_ZERO;
    }
    return zeros <= 1;
}

void lwi_derive_inverse_dynamics(lwi_graph *g, const lwi_robot *robot, lwi_expr *tau)
{
    // The last one is the world.
    lwi_body_motion *all = calloc((size_t)robot->nbody + 1, sizeof *all);
    int nv = 0;
    for (int i = 0; i < robot->nbody; i++) {
        for (int k = 0; k < lwi_robot_dofs(robot->body[i].type); k++) {
            tau[nv++] = LWI_ZERO;
        }
    }
    if (!all) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return;
    }
    // What is derived first is where the search begins; it gives the same values.
    lwi_derive_planar(g, robot, tau);
    const lwi_run run = lwi_find_run(robot);
    lwi_body_motion *world = &all[robot->nbody];
    for (int k = 0; k < 3; k++) {
        world->a[k] = lwi_neg(robot->gravity[k]);
    }
    for (int i = 0; i < robot->nbody; i++) {
        const lwi_robot_body *body = &robot->body[i];
        const bool is_in_run = i >= run.first && i <= run.last;
        if (is_in_run) {
            lwi_turn_from_base(g, robot, all, run, i);
        }
        if (is_in_run && robot->is_searched) {
            lwi_run_acceleration(g, robot, all, run, i);
        }
        const lwi_body_motion *parent = body->parent < 0 ? world : &all[body->parent];
        move_outward(g, body, parent, &all[i]);
        if (is_in_run && all[i].u[2] == LWI_ZERO) {
            lwi_run_moments(g, robot, all, run, i);
        }
        const lwi_pseudo P = lwi_pseudo_of(g, body);
        const bool is_thin = robot->is_searched && lwi_thin_axis(&P) >= 0;
        if (is_end(robot, i) && (is_full(&P) || is_thin)) {
            end_force(g, robot, body, parent);
        }
        body_force(g, body, &P, &all[i]);
    }
    for (int i = robot->nbody; i-- > 0;) {
        const lwi_robot_body *body = &robot->body[i];
        if (run.last > run.first && i == run.last) {
            lwi_run_power(g, robot, all, run);
        }
        nv -= lwi_robot_dofs(body->type);
        joint_force(g, body, &all[i], tau + nv);
        if (robot->is_searched && body->type == LW_TREE_REVOLUTE) {
            arm_from_body(g, body, &all[i]);
        }
        move_inward(g, body, &all[i], body->parent < 0 ? world : &all[body->parent]);
        if (is_end(robot, i)) {
            end_force(g, robot, body, body->parent < 0 ? world : &all[body->parent]);
        }
    }
    free(all);
}
