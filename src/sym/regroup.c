// Base parameters: what a body shares with its parent, moved there. No rank is computed; the
// joint's symmetry says what it cannot feel.
#include "parallel_axes.h"
#include "pseudo.h"

/// What of a body the joint moves into itself, as seen from the parent whatever q is.
static lwi_pseudo shared_part(const lwi_pseudo *P, lw_tree_joint type)
{
    lwi_pseudo part = {.m = LWI_ZERO};
    if (type == LW_TREE_REVOLUTE) {
        part.m = P->m;
        part.h[2] = P->h[2];
        part.S[2] = P->S[2];
    } else if (type == LW_TREE_PRISMATIC) {
        for (int k = 0; k < 6; k++) {
            part.S[k] = P->S[k];
        }
    }
    return part;
}

static lwi_pseudo without(lwi_graph *g, const lwi_pseudo *P, const lwi_pseudo *part)
{
    lwi_pseudo minus = {.m = lwi_neg(part->m)};
    for (int k = 0; k < 6; k++) {
        minus.S[k] = lwi_neg(part->S[k]);
    }
    for (int k = 0; k < 3; k++) {
        minus.h[k] = lwi_neg(part->h[k]);
    }
    return lwi_pseudo_add(g, P, &minus);
}

static int children_of(const lwi_robot *robot, int i)
{
    int n = 0;
    for (int k = i + 1; k < robot->nbody; k++) {
        n += robot->body[k].parent == i;
    }
    return n;
}

/// Moves the origin of a body along its axis: another place on the body, the same joint.
static void slide_origin(lwi_graph *g, lwi_robot *robot, int i, lwi_expr by)
{
    static const lwi_expr one[9] = {LWI_ONE,  LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE,
                                    LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE};
    lwi_robot_body *body = &robot->body[i];
    const lwi_expr back[3] = {LWI_ZERO, LWI_ZERO, lwi_neg(by)};
    const lwi_pseudo P = lwi_pseudo_of(g, body);
    const lwi_pseudo moved = lwi_pseudo_move(g, &P, one, back);
    lwi_pseudo_store(g, &moved, body);
    body->moment[0] = lwi_add(g, body->moment[0], lwi_mul(g, by, body->force[1]));
    body->moment[1] = lwi_sub(g, body->moment[1], lwi_mul(g, by, body->force[0]));
    for (int k = 0; k < 3; k++) {
        body->p[k] = lwi_add(g, body->p[k], lwi_mul(g, body->R[3 * k + 2], by));
    }
    for (int k = i + 1; k < robot->nbody; k++) {
        if (robot->body[k].parent == i) {
            robot->body[k].p[2] = lwi_sub(g, robot->body[k].p[2], by);
        }
    }
}

/// How far a body lies from its parent along its own axis.
static lwi_expr along_axis(lwi_graph *g, const lwi_robot_body *body)
{
    lwi_expr along = LWI_ZERO;
    for (int k = 0; k < 3; k++) {
        along = lwi_add(g, along, lwi_mul(g, body->R[3 * k + 2], body->p[k]));
    }
    return along;
}

/// Whether a body belongs to a run of parallel axes.
static bool is_in_run(const lwi_robot *robot, int i)
{
    if (robot->body[i].parent >= 0 && lwi_is_parallel(&robot->body[i])) {
        return true;
    }
    for (int k = i + 1; k < robot->nbody; k++) {
        if (robot->body[k].parent == i && lwi_is_parallel(&robot->body[k])) {
            return true;
        }
    }
    return false;
}

/// Offsets along the axes of a parallel run go outward, to what hangs on its last body: there they
/// meet, and cost once what each would cost. Those of last bodies are dropped.
static void slide_outward(lwi_graph *g, lwi_robot *robot)
{
    for (int i = 0; i < robot->nbody; i++) {
        const lwi_robot_body *body = &robot->body[i];
        const int children = children_of(robot, i);
        if (body->type == LW_TREE_REVOLUTE &&
            (children == 0 || (children == 1 && is_in_run(robot, i)))) {
            slide_origin(g, robot, i, lwi_neg(along_axis(g, body)));
        }
    }
}

void lwi_robot_regroup(lwi_graph *g, lwi_robot *robot)
{
    slide_outward(g, robot);
    for (int i = robot->nbody; i-- > 0;) {
        lwi_robot_body *body = &robot->body[i];
        const lwi_pseudo P = lwi_pseudo_of(g, body);
        const lwi_pseudo part = shared_part(&P, body->type);
        const lwi_pseudo rest = without(g, &P, &part);
        lwi_pseudo_store(g, &rest, body);
        if (body->parent >= 0) {
            lwi_robot_body *parent = &robot->body[body->parent];
            const lwi_pseudo moved = lwi_pseudo_move(g, &part, body->R, body->p);
            const lwi_pseudo own = lwi_pseudo_of(g, parent);
            const lwi_pseudo sum = lwi_pseudo_add(g, &own, &moved);
            lwi_pseudo_store(g, &sum, parent);
        }
    }
}
