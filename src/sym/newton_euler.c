// Newton and Euler's recursion, written out in body coordinates (Luh, Walker and Paul 1980), with
// the moments taken from the pseudo-inertia: where Sigma_zz is zero, which regrouping brings about
// for revolute joints, a body's moment costs 13 products instead of 22.
#include "planar.h"
#include "pseudo.h"
#include "turn.h"
#include "vector.h"

#include <stdlib.h>

/// How a body moves, in its own coordinates.
typedef struct motion {
    lwi_expr w[3];  ///< angular velocity
    lwi_expr dw[3]; ///< angular acceleration
    lwi_expr U[9];  ///< dw x + w x w x: the acceleration of a point r is a + U r
    lwi_expr a[3];  ///< of the origin, gravity taken off
    lwi_expr E[9];  ///< the body's axes in those of the parent
    lwi_expr p[3];  ///< the body's origin there
    lwi_expr f[3], n[3];
    lwi_expr rest[3]; ///< n without the moment of the body's own Sigma
    lwi_expr spin[3]; ///< that moment
    lwi_expr u[3];    ///< the axis of the base, for bodies of a parallel run
} motion;

/// U from angular velocity and acceleration.
static void spread(lwi_graph *g, motion *m)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m->U[4 * i] =
            lwi_neg(lwi_add(g, lwi_mul(g, m->w[j], m->w[j]), lwi_mul(g, m->w[k], m->w[k])));
        const lwi_expr product = lwi_mul(g, m->w[i], m->w[j]);
        m->U[3 * i + j] = lwi_sub(g, product, m->dw[k]);
        m->U[3 * j + i] = lwi_add(g, product, m->dw[k]);
    }
}

/// The same where a joint turns about z: points on its axis move with the parent, so that the
/// column of z is the parent's, turned. This is made before the plain way, and is the cheaper one;
/// both give the same values.
static void spread_about_axis(lwi_graph *g, const lwi_robot_body *body, const motion *parent,
                              motion *m)
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

static void move_outward(lwi_graph *g, const lwi_robot_body *body, const motion *parent, motion *m)
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
static void body_force(lwi_graph *g, const lwi_robot_body *body, const lwi_pseudo *mass, motion *m)
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
        lwi_expr sum =
            lwi_sub(g, lwi_mul(g, m->U[3 * k + i], Sij), lwi_mul(g, m->U[3 * j + i], Sik));
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
static void end_force(lwi_graph *g, const lwi_robot_body *body, const motion *parent)
{
    if (body->type != LW_TREE_REVOLUTE || is_loaded(body)) {
        return;
    }
    const lwi_robot_body still = lwi_still_body(body);
    motion m = {0};
    const lwi_pseudo own = lwi_pseudo_of(g, body), turned = lwi_pseudo_turn(g, &own, body);
    move_outward(g, &still, parent, &m);
    body_force(g, &still, &turned, &m);
}

static void move_inward(lwi_graph *g, const lwi_robot_body *body, const motion *m, motion *parent)
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

static void joint_force(lwi_graph *g, const lwi_robot_body *body, const motion *m, lwi_expr *tau)
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
        for (int k = 0; k < lwi_robot_freedoms(body->type); k++) {
            tau[k] = k < 3 ? m->n[k] : m->f[k - 3];
        }
    }
}

static bool is_parallel(const lwi_robot_body *body)
{
    return body->type == LW_TREE_REVOLUTE && body->R[2] == LWI_ZERO && body->R[5] == LWI_ZERO &&
           body->R[6] == LWI_ZERO && body->R[7] == LWI_ZERO;
}

static int only_child(const lwi_robot *robot, int i)
{
    int child = -1;
    for (int k = i + 1; k < robot->nbody; k++) {
        if (robot->body[k].parent == i) {
            if (child >= 0) {
                return -1;
            }
            child = k;
        }
    }
    return child;
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

/// The first run of parallel axes above a base that turns about another direction.
typedef struct group {
    int base;        ///< the last joint before it
    int first, last; ///< its bodies; first is greater where there is no run of two or more
} group;

static group find_group(const lwi_robot *robot)
{
    const group none = {0, 1, 0};
    if (robot->nbody == 0 || robot->body[0].type != LW_TREE_REVOLUTE) {
        return none;
    }
    int base = 0;
    while (only_child(robot, base) == base + 1 && is_parallel(&robot->body[base + 1])) {
        base++;
    }
    if (only_child(robot, base) != base + 1 || robot->body[base + 1].type != LW_TREE_REVOLUTE ||
        robot->body[base + 1].is_turned) {
        return none;
    }
    int last = base + 1;
    while (only_child(robot, last) == last + 1 && is_parallel(&robot->body[last + 1]) &&
           robot->body[last + 1].R[0] == LWI_ONE && robot->body[last + 1].R[8] == LWI_ONE &&
           !robot->body[last + 1].is_turned) {
        last++;
    }
    return last > base + 1 ? (group){base, base + 1, last} : none;
}

/// The turn of a vector by the sum of the angles of a run of parallel joints.
static void turn_by_sum(lwi_graph *g, lwi_expr angle, const lwi_expr x[3], lwi_expr out[3])
{
    const lwi_expr s = lwi_sin(g, angle), c = lwi_cos(g, angle);
    out[0] = lwi_add(g, lwi_mul(g, c, x[0]), lwi_mul(g, s, x[1]));
    out[1] = lwi_sub(g, lwi_mul(g, c, x[1]), lwi_mul(g, s, x[0]));
    out[2] = x[2];
}

/// The motion of one body of a parallel run from that of the base, by its absolute angle. Made
/// before the recursion, which arrives at the same values.
static void turn_from_base(lwi_graph *g, const lwi_robot *robot, const motion *all, group run,
                           int i, motion *m)
{
    const lwi_robot_body *first = &robot->body[run.first];
    const motion *base = &all[run.base];
    const lwi_expr along[3] = {first->R[2], first->R[5], first->R[8]};
    const lwi_expr up[3] = {LWI_ZERO, LWI_ZERO, LWI_ONE};
    lwi_expr column[3], fixed[3], out[3], angle = LWI_ZERO;
    for (int k = run.first; k <= i; k++) {
        angle = lwi_add(g, angle, robot->body[k].q[0]);
    }
    lwi_apply_transposed3(g, first->R, up, fixed);
    turn_by_sum(g, angle, fixed, m->u);
    lwi_apply3(g, base->U, along, column);
    lwi_apply_transposed3(g, first->R, column, fixed);
    turn_by_sum(g, angle, fixed, out);
    lwi_apply_transposed3(g, first->R, base->w, fixed);
    turn_by_sum(g, angle, fixed, out);
}

/// What the Sigma of a body of a parallel run asks for about its own axis, and about that of the
/// base where it alone turns everything: as Lagrange would have it, from the moment of inertia J
/// about the base's axis u, which hangs on one absolute angle, and the product K with the body's
/// axis.
///
///     about z: I_zz a + G w_base^2 - K dw_base
///     about u: J dw_base - 2 G w_base w - K a - K' w^2
static void group_moments(lwi_graph *g, const lwi_robot_body *body, const motion *base,
                          const motion *m, const lwi_expr u[3])
{
    const lwi_pseudo P = lwi_pseudo_of(g, body);
    const lwi_expr xx = lwi_mul(g, u[0], u[0]), xy = lwi_mul(g, u[0], u[1]);
    const lwi_expr difference = lwi_sub(g, P.S[0], P.S[1]);
    const lwi_expr turned = lwi_sub(g, LWI_ONE, lwi_add(g, xx, xx));
    const lwi_expr J =
        lwi_sub(g, lwi_sub(g, lwi_add(g, P.S[0], P.S[2]), lwi_mul(g, difference, xx)),
                lwi_mul(g, lwi_add(g, P.S[3], P.S[3]), xy));
    const lwi_expr G = lwi_add(g, lwi_mul(g, difference, xy), lwi_mul(g, P.S[3], turned));
    const lwi_expr K = lwi_add(g, lwi_mul(g, P.S[4], u[0]), lwi_mul(g, P.S[5], u[1]));
    const lwi_expr K2 = lwi_sub(g, lwi_mul(g, P.S[4], u[1]), lwi_mul(g, P.S[5], u[0]));
    const lwi_expr w0 = base->w[2], a0 = base->dw[2], w = m->w[2], a = m->dw[2];
    const lwi_expr about_z = lwi_sub(g, lwi_mul(g, G, lwi_mul(g, w0, w0)), lwi_mul(g, K, a0));
    lwi_add(g, about_z, lwi_mul(g, lwi_add(g, P.S[0], P.S[1]), a));
    const lwi_expr rates = lwi_mul(g, w, lwi_add(g, w0, w0));
    const lwi_expr about_u = lwi_sub(g, lwi_mul(g, J, a0), lwi_mul(g, G, rates));
    const lwi_expr by_own = lwi_add(g, lwi_mul(g, K, a), lwi_mul(g, K2, lwi_mul(g, w, w)));
    lwi_sub(g, about_u, by_own);
}

/// The moment about the axis of the base joint, from the power of the bodies of a parallel run when
/// it alone turns. Of their moments only one component is felt there, which their absolute angles
/// give at once; carrying all components from body to body costs more.
static void turn_base(lwi_graph *g, const lwi_robot *robot, const motion *all, group run)
{
    lwi_expr power = all[run.base].n[2];
    lwi_expr v[3] = {LWI_ZERO, LWI_ZERO, LWI_ZERO};
    const lwi_expr *w = (const lwi_expr[3]){LWI_ZERO, LWI_ZERO, LWI_ONE};
    for (int i = run.first; i <= run.last; i++) {
        const lwi_robot_body *body = &robot->body[i];
        lwi_expr across[3], at[3];
        lwi_cross3(g, w, body->p, across);
        lwi_add3(g, v, across, at);
        lwi_to_body(g, body, at, v);
        w = all[i].u;
        power = lwi_add(g, power, lwi_dot3(g, w, all[i].rest));
        power = lwi_add(g, power, lwi_dot3(g, v, all[i].f));
        power = lwi_add(g, power, lwi_dot3(g, w, all[i].spin));
    }
}

void lwi_derive_inverse_dynamics(lwi_graph *g, const lwi_robot *robot, lwi_expr *tau)
{
    // The last one is the world.
    motion *all = calloc((size_t)robot->nbody + 1, sizeof *all);
    int nv = 0;
    for (int i = 0; i < robot->nbody; i++) {
        for (int k = 0; k < lwi_robot_freedoms(robot->body[i].type); k++) {
            tau[nv++] = LWI_ZERO;
        }
    }
    if (!all) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return;
    }
    // What is derived first is where the search begins; it gives the same values.
    lwi_derive_planar(g, robot, tau);
    const group run = find_group(robot);
    motion *world = &all[robot->nbody];
    for (int k = 0; k < 3; k++) {
        world->a[k] = lwi_neg(robot->gravity[k]);
    }
    for (int i = 0; i < robot->nbody; i++) {
        const lwi_robot_body *body = &robot->body[i];
        const bool is_in_run = i >= run.first && i <= run.last;
        if (is_in_run) {
            turn_from_base(g, robot, all, run, i, &all[i]);
        }
        const motion *parent = body->parent < 0 ? world : &all[body->parent];
        move_outward(g, body, parent, &all[i]);
        if (is_in_run && all[i].u[2] == LWI_ZERO) {
            group_moments(g, body, &all[run.base], &all[i], all[i].u);
        }
        const lwi_pseudo P = lwi_pseudo_of(g, body);
        if (is_end(robot, i) && is_full(&P)) {
            end_force(g, body, parent);
        }
        body_force(g, body, &P, &all[i]);
    }
    for (int i = robot->nbody; i-- > 0;) {
        const lwi_robot_body *body = &robot->body[i];
        if (run.last > run.first && i == run.last) {
            turn_base(g, robot, all, run);
        }
        nv -= lwi_robot_freedoms(body->type);
        joint_force(g, body, &all[i], tau + nv);
        move_inward(g, body, &all[i], body->parent < 0 ? world : &all[body->parent]);
        if (is_end(robot, i)) {
            end_force(g, body, body->parent < 0 ? world : &all[body->parent]);
        }
    }
    free(all);
}
