#include "body_axes.h"

#include "vector.h"

#include <string.h>

int lwi_robot_dofs(lw_tree_joint type)
{
    return type == LW_TREE_FREE ? 6 : type == LW_TREE_SPHERICAL ? 3 : 1;
}

/// The rotation of a unit quaternion w, x, y, z.
static void quaternion_rotation(lwi_graph *g, const lwi_expr q[4], lwi_expr R[9])
{
    const lwi_expr two = lwi_number(g, 2.0);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const lwi_expr squares = lwi_add_products(g, q[1 + j], q[1 + j], q[1 + k], q[1 + k]);
        R[4 * i] = lwi_sub(g, LWI_ONE, lwi_mul(g, two, squares));
        const lwi_expr ij = lwi_mul(g, q[1 + i], q[1 + j]), wk = lwi_mul(g, q[0], q[1 + k]);
        R[3 * i + j] = lwi_mul(g, two, lwi_sub(g, ij, wk));
        R[3 * j + i] = lwi_mul(g, two, lwi_add(g, ij, wk));
    }
}

void lwi_joint_angle(lwi_graph *g, const lwi_robot_body *body, lwi_expr *c, lwi_expr *s)
{
    *c = body->is_turned ? body->turn[0] : lwi_cos(g, body->q[0]);
    *s = body->is_turned ? body->turn[3] : lwi_sin(g, body->q[0]);
}

lwi_robot_body lwi_still_body(const lwi_robot_body *body)
{
    lwi_robot_body still = *body;
    still.q[0] = LWI_ZERO;
    still.is_turned = false;
    return still;
}

/// The rotation of a joint with a quaternion.
static void joint_rotation(lwi_graph *g, const lwi_robot_body *body, const lwi_expr q[4],
                           lwi_expr R[9])
{
    if (body->is_turned) {
        memcpy(R, body->turn, sizeof body->turn);
    } else {
        quaternion_rotation(g, q, R);
    }
}

void lwi_robot_pose(lwi_graph *g, const lwi_robot_body *body, lwi_expr R[9], lwi_expr p[3])
{
    lwi_expr turn[9] = {LWI_ONE,  LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE,
                        LWI_ZERO, LWI_ZERO, LWI_ZERO, LWI_ONE};
    lwi_expr slide[3] = {LWI_ZERO, LWI_ZERO, LWI_ZERO};
    if (body->type == LW_TREE_REVOLUTE || body->type == LW_TREE_SCREW) {
        lwi_joint_angle(g, body, &turn[0], &turn[3]);
        turn[4] = turn[0];
        turn[1] = lwi_neg(turn[3]);
    }
    if (body->type == LW_TREE_PRISMATIC) {
        slide[2] = body->q[0];
    } else if (body->type == LW_TREE_SCREW) {
        slide[2] = lwi_mul(g, body->lead, body->q[0]);
    } else if (body->type == LW_TREE_FREE) {
        slide[0] = body->q[0];
        slide[1] = body->q[1];
        slide[2] = body->q[2];
        joint_rotation(g, body, body->q + 3, turn);
    } else if (body->type == LW_TREE_SPHERICAL) {
        joint_rotation(g, body, body->q, turn);
    }
    lwi_multiply3(g, body->R, turn, R);
    lwi_expr moved[3];
    lwi_apply3(g, body->R, slide, moved);
    lwi_add3(g, body->p, moved, p);
}

void lwi_to_body(lwi_graph *g, const lwi_robot_body *body, const lwi_expr x[3], lwi_expr out[3])
{
    if (lwi_robot_dofs(body->type) > 1) {
        lwi_expr E[9], p[3];
        lwi_robot_pose(g, body, E, p);
        lwi_apply_transposed3(g, E, x, out);
        return;
    }
    lwi_expr fixed[3];
    lwi_apply_transposed3(g, body->R, x, fixed);
    if (body->type == LW_TREE_PRISMATIC) {
        out[0] = fixed[0];
        out[1] = fixed[1];
    } else {
        lwi_expr c, s;
        lwi_joint_angle(g, body, &c, &s);
        out[0] = lwi_add_products(g, c, fixed[0], s, fixed[1]);
        out[1] = lwi_add_products(g, c, fixed[1], lwi_neg(s), fixed[0]);
    }
    out[2] = fixed[2];
}

void lwi_to_parent(lwi_graph *g, const lwi_robot_body *body, const lwi_expr x[3], lwi_expr out[3])
{
    if (lwi_robot_dofs(body->type) > 1) {
        lwi_expr E[9], p[3];
        lwi_robot_pose(g, body, E, p);
        lwi_apply3(g, E, x, out);
        return;
    }
    lwi_expr turned[3] = {x[0], x[1], x[2]};
    if (body->type != LW_TREE_PRISMATIC) {
        lwi_expr c, s;
        lwi_joint_angle(g, body, &c, &s);
        turned[0] = lwi_add_products(g, c, x[0], lwi_neg(s), x[1]);
        turned[1] = lwi_add_products(g, s, x[0], c, x[1]);
    }
    lwi_apply3(g, body->R, turned, out);
}
