// Mass matrix, velocity forces and gravity forces apart, after Uicker and Kahn, but with composite
// bodies: everything outward of joint l moves as one when joints l and before move, so that its
// pseudo-inertia in the frame of l gives all elements whose last joint is l.
//
// With joints k before or at l, the acceleration that belongs to v[k] v[l] is that of the screw k
// times the screw l, in the frame of l; its moment is -z x (Sigma w_k) for joints that turn.
// C[i][k][l] for i beyond l is -C[l][k][i]: the mass matrix between two joints does not hang on
// joints before both.
#include "body_axes.h"
#include "parallel_axes.h"
#include "pseudo.h"
#include "vector.h"

#include <stdlib.h>

/// A screw: angular velocity, and velocity of the frame's origin.
typedef struct screw {
    lwi_expr w[3], v[3];
} screw;

typedef struct link {
    lwi_pseudo P;   ///< of all that it carries
    lwi_expr a[3];  ///< of the frame against gravity
    lwi_expr turns; ///< 1 or 0: the joint's own screw
    lwi_expr slides;
} link;

static void set_joint(const lwi_robot_body *body, link *l)
{
    l->turns = body->type == LW_TREE_PRISMATIC ? LWI_ZERO : LWI_ONE;
    l->slides = body->type == LW_TREE_PRISMATIC ? LWI_ONE
                : body->type == LW_TREE_SCREW   ? body->lead
                                                : LWI_ZERO;
}

/// A screw seen from a body, known from its parent.
static void carry_screw(lwi_graph *g, const lwi_robot_body *body, const screw *from, screw *to)
{
    lwi_expr E[9], p[3], across[3], at[3];
    lwi_robot_pose(g, body, E, p);
    lwi_cross3(g, from->w, p, across);
    lwi_add3(g, from->v, across, at);
    lwi_to_body(g, body, from->w, to->w);
    lwi_to_body(g, body, at, to->v);
}

static lwi_expr power(lwi_graph *g, const screw *s, const lwi_expr N[3], const lwi_expr F[3])
{
    const lwi_expr turning = lwi_dot3(g, s->w, N), moving = lwi_dot3(g, s->v, F);
    return lwi_add(g, turning, moving);
}

/// Moment and force of the composite body for a unit acceleration of its joint.
static void own_wrench(lwi_graph *g, const link *l, lwi_expr N[3], lwi_expr F[3])
{
    const lwi_pseudo *P = &l->P;
    const lwi_expr spin[3] = {lwi_neg(P->S[4]), lwi_neg(P->S[5]), lwi_add(g, P->S[0], P->S[1])};
    const lwi_expr arm[3] = {lwi_neg(P->h[1]), P->h[0], LWI_ZERO};
    for (int k = 0; k < 3; k++) {
        N[k] = lwi_sub_products(g, l->turns, spin[k], l->slides, arm[k]);
        F[k] = lwi_mul(g, l->turns, arm[k]);
    }
    F[2] = lwi_add(g, F[2], lwi_mul(g, l->slides, P->m));
}

/// The same for the acceleration of screw k times the joint's own.
static void pair_wrench(lwi_graph *g, const link *l, const screw *k, lwi_expr N[3], lwi_expr F[3])
{
    const lwi_pseudo *P = &l->P;
    const lwi_expr column_x[3] = {P->S[0], P->S[3], P->S[4]};
    const lwi_expr column_y[3] = {P->S[3], P->S[1], P->S[5]};
    const lwi_expr along = lwi_dot3(g, k->w, P->h);
    const lwi_expr a[3] = {lwi_mul(g, l->slides, k->w[1]), lwi_neg(lwi_mul(g, l->slides, k->w[0])),
                           LWI_ZERO};
    lwi_expr across[3];
    lwi_cross3(g, P->h, a, across);
    N[0] = lwi_mul(g, l->turns, lwi_dot3(g, column_y, k->w));
    N[1] = lwi_neg(lwi_mul(g, l->turns, lwi_dot3(g, column_x, k->w)));
    N[2] = LWI_ZERO;
    for (int i = 0; i < 3; i++) {
        const lwi_expr along_z = i == 2 ? along : LWI_ZERO;
        const lwi_expr U = lwi_sub(g, along_z, lwi_mul(g, k->w[2], P->h[i]));
        F[i] = lwi_add_products(g, l->turns, U, P->m, a[i]);
        N[i] = lwi_add(g, N[i], across[i]);
    }
}

/// All elements whose last joint is l: `seen` are the screws of the joints before it, in its frame.
static void fill_elements(lwi_graph *g, const lwi_robot *robot, int l, const link *own,
                          const screw *seen, lwi_expr *H, lwi_expr *C, lwi_expr *gravity)
{
    const int n = robot->nbody;
    lwi_expr N[3], F[3];
    own_wrench(g, own, N, F);
    for (int i = l; i >= 0; i = robot->body[i].parent) {
        H[i * n + l] = H[l * n + i] = power(g, &seen[i], N, F);
    }
    if (gravity) {
        gravity[l] = lwi_dot3(g, own->a, F);
    }
    for (int k = l; C && k >= 0; k = robot->body[k].parent) {
        pair_wrench(g, own, &seen[k], N, F);
        for (int i = l; i >= 0; i = robot->body[i].parent) {
            const lwi_expr value = i == l ? LWI_ZERO : power(g, &seen[i], N, F);
            C[(i * n + k) * n + l] = C[(i * n + l) * n + k] = value;
            // The same with l and i exchanged, where i is at k or beyond.
            if (i < l && i >= k) {
                C[(l * n + k) * n + i] = C[(l * n + i) * n + k] = lwi_neg(value);
            }
        }
    }
}

/// Where body i of a run that begins with `first` is, along axes that do not turn with the first
/// joint: its origin, and a joint that turns by its absolute angle.
static lwi_robot_body place_in_run(lwi_graph *g, const lwi_robot *robot, int first, int i,
                                   lwi_expr r[3])
{
    lwi_robot_body turning = robot->body[first];
    r[0] = r[1] = r[2] = LWI_ZERO;
    for (int k = first + 1; k <= i; k++) {
        const lwi_expr *p = robot->body[k].p;
        lwi_expr c, s;
        lwi_joint_angle(g, &turning, &c, &s);
        r[0] = lwi_add(g, r[0], lwi_sub_products(g, c, p[0], s, p[1]));
        r[1] = lwi_add(g, r[1], lwi_add_products(g, s, p[0], c, p[1]));
        r[2] = lwi_add(g, r[2], p[2]);
        turning.q[0] = lwi_add(g, turning.q[0], robot->body[k].q[0]);
    }
    return turning;
}

/// The composite body of a run of parallel joints, without the turn of the first: each body by its
/// absolute angle, and moved to where it then is. The recursion below arrives at the same values.
static void compose_run(lwi_graph *g, const lwi_robot *robot, int first, const link *links)
{
    static const lwi_expr one[9] = {LWI_ONE,  LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE,
                                    LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE};
    const int last = lwi_end_of_run(robot, first);
    lwi_pseudo sum = {.m = LWI_ZERO};
    for (int i = last; i >= first; i--) {
        lwi_expr r[3];
        const lwi_robot_body turning = place_in_run(g, robot, first, i, r);
        const lwi_pseudo P = i == last ? links[i].P : lwi_pseudo_of(g, &robot->body[i]);
        const lwi_pseudo turned = lwi_pseudo_turn(g, &P, &turning);
        const lwi_pseudo moved = lwi_pseudo_move(g, &turned, one, r);
        sum = lwi_pseudo_add(g, &sum, &moved);
    }
}

static void compose(lwi_graph *g, const lwi_robot *robot, link *links)
{
    for (int i = 0; i < robot->nbody; i++) {
        links[i].P = lwi_pseudo_of(g, &robot->body[i]);
        set_joint(&robot->body[i], &links[i]);
    }
    for (int i = robot->nbody; i-- > 0;) {
        const lwi_robot_body *body = &robot->body[i];
        const bool goes_on = body->parent >= 0 && lwi_end_of_run(robot, body->parent) >= i;
        if (robot->is_searched && !goes_on && lwi_end_of_run(robot, i) > i) {
            compose_run(g, robot, i, links);
        }
        if (body->parent >= 0) {
            const lwi_pseudo moved = lwi_pseudo_to_parent(g, &links[i].P, body);
            links[body->parent].P = lwi_pseudo_add(g, &links[body->parent].P, &moved);
        }
    }
}

/// The screws of the joints before l and the acceleration against gravity, seen from a body: l
/// itself, or l without the turn of its joint, where the composite body is turned instead.
static void see_joints(lwi_graph *g, const lwi_robot *robot, const lwi_robot_body *body, int l,
                       const link *links, const screw *seen, link *to, screw *own)
{
    const screw *before =
        seen + (size_t)(body->parent < 0 ? 0 : body->parent) * (size_t)robot->nbody;
    lwi_expr rest[3];
    for (int k = 0; k < 3; k++) {
        rest[k] = body->parent < 0 ? lwi_neg(robot->gravity[k]) : links[body->parent].a[k];
    }
    lwi_to_body(g, body, rest, to->a);
    for (int i = body->parent; i >= 0; i = robot->body[i].parent) {
        carry_screw(g, body, before + i, own + i);
    }
    own[l].w[2] = to->turns;
    own[l].v[2] = to->slides;
}

void lwi_derive_elements(lwi_graph *g, const lwi_robot *robot, lwi_expr *H, lwi_expr *C,
                         lwi_expr *gravity)
{
    const size_t n = (size_t)robot->nbody;
    link *links = calloc(n + 1, sizeof *links);
    screw *seen = calloc(n * n + 1, sizeof *seen);
    for (size_t k = 0; k < n * n * n; k++) {
        if (k < n * n) {
            H[k] = LWI_ZERO;
        }
        if (C) {
            C[k] = LWI_ZERO;
        }
    }
    if (!links || !seen) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        goto done;
    }
    compose(g, robot, links);
    for (int l = 0; l < robot->nbody; l++) {
        screw *own = seen + (size_t)l * n;
        if (robot->body[l].type == LW_TREE_REVOLUTE) {
            const lwi_robot_body still = lwi_still_body(&robot->body[l]);
            link turned = links[l];
            turned.P = lwi_pseudo_turn(g, &links[l].P, &robot->body[l]);
            see_joints(g, robot, &still, l, links, seen, &turned, own);
            fill_elements(g, robot, l, &turned, own, H, C, gravity);
        }
        see_joints(g, robot, &robot->body[l], l, links, seen, &links[l], own);
        fill_elements(g, robot, l, &links[l], own, H, C, gravity);
    }

done:
    free(seen);
    free(links);
}
