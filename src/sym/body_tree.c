#include "body_tree.h"

lwi_mat lwi_quaternion_rotation(lwi_graph *g, const lwi_expr q[4])
{
    lwi_expr square[4], two = LWI_ZERO;
    for (int i = 0; i < 4; ++i) {
        square[i] = lwi_mul(g, q[i], q[i]);
        two = lwi_add(g, two, square[i]);
    }
    two = lwi_div(g, lwi_number(g, 2.0), two);
    lwi_mat R;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const lwi_expr ij = lwi_mul(g, q[1 + i], q[1 + j]), wk = lwi_mul(g, q[0], q[1 + k]);
        R.row[i].e[i] = lwi_add(g, square[1 + j], square[1 + k]);
        R.row[i].e[j] = lwi_sub(g, ij, wk);
        R.row[j].e[i] = lwi_add(g, ij, wk);
    }
    for (int r = 0; r < 3; ++r) {
        R.row[r] = vec_scale(g, two, R.row[r]);
        R.row[r].e[r] = lwi_sub(g, LWI_ONE, R.row[r].e[r]);
    }
    return R;
}

void lwi_joint_angle(lwi_graph *g, const lwi_sym_body *body, lwi_expr *c, lwi_expr *s)
{
    const bool is_given = body->q[0] == LWI_UNKNOWN;
    *c = is_given ? body->c : lwi_cos(g, body->q[0]);
    *s = is_given ? body->s : lwi_sin(g, body->q[0]);
}

lwi_sym_body lwi_unrotated(const lwi_sym_body *body)
{
    lwi_sym_body still = *body;
    still.q[0] = LWI_ZERO;
    return still;
}

lwi_frame lwi_body_pose_at(lwi_graph *g, const lwi_sym_body *body, lwi_expr c, lwi_expr s)
{
    lwi_mat J = mat_identity();
    lwi_vec slide = vec_zero();
    switch (body->type) {
    case LW_TREE_REVOLUTE:
        J = mat_about_z(c, s);
        break;
    case LW_TREE_PRISMATIC:
        slide.z = body->q[0];
        break;
    case LW_TREE_SCREW:
        J = mat_about_z(c, s);
        slide.z = lwi_mul(g, body->lead, body->q[0]);
        break;
    default:
        J = body->J;
        if (body->type == LW_TREE_FREE) {
            slide = vec_of(body->q[0], body->q[1], body->q[2]);
        }
    }
    const lwi_frame own = {J, slide};
    return frame_mul(g, &body->rest, &own);
}

static bool is_rotating(const lwi_sym_body *body)
{
    return body->type == LW_TREE_REVOLUTE || body->type == LW_TREE_SCREW;
}

lwi_frame lwi_body_pose(lwi_graph *g, const lwi_sym_body *body)
{
    lwi_expr c = LWI_ONE, s = LWI_ZERO;
    if (is_rotating(body)) {
        lwi_joint_angle(g, body, &c, &s);
    }
    return lwi_body_pose_at(g, body, c, s);
}

lwi_vec lwi_to_body(lwi_graph *g, const lwi_sym_body *body, lwi_vec x)
{
    if (body->nv > 1) {
        const lwi_frame X = lwi_body_pose(g, body);
        return mat_apply_t(g, &X.R, x);
    }
    const lwi_vec fixed = mat_apply_t(g, &body->rest.R, x);
    if (body->type == LW_TREE_PRISMATIC) {
        return fixed;
    }
    lwi_expr c, s;
    lwi_joint_angle(g, body, &c, &s);
    x = fixed;
    x.x = lwi_add_products(g, c, fixed.x, s, fixed.y);
    x.y = lwi_sub_products(g, c, fixed.y, s, fixed.x);
    return x;
}

lwi_vec lwi_to_parent(lwi_graph *g, const lwi_sym_body *body, lwi_vec x)
{
    if (body->nv > 1) {
        const lwi_frame X = lwi_body_pose(g, body);
        return mat_apply(g, &X.R, x);
    }
    lwi_vec rotated = x;
    if (body->type != LW_TREE_PRISMATIC) {
        lwi_expr c, s;
        lwi_joint_angle(g, body, &c, &s);
        rotated.x = lwi_sub_products(g, c, x.x, s, x.y);
        rotated.y = lwi_add_products(g, s, x.x, c, x.y);
    }
    return mat_apply(g, &body->rest.R, rotated);
}

lwi_twist lwi_joint_twist(lwi_graph *g, const lwi_sym_body *body, const lwi_expr *rate)
{
    lwi_twist out = {vec_zero(), vec_zero()};
    if (!rate) {
        return out;
    }
    if (body->nv > 1) {
        out.ang = vec_of(rate[0], rate[1], rate[2]);
    } else if (body->type != LW_TREE_PRISMATIC) {
        out.ang.z = rate[0];
    }
    if (body->type == LW_TREE_FREE) {
        out.lin = vec_of(rate[3], rate[4], rate[5]);
    } else if (body->type == LW_TREE_PRISMATIC) {
        out.lin.z = rate[0];
    } else if (body->type == LW_TREE_SCREW) {
        out.lin.z = lwi_mul(g, body->lead, rate[0]);
    }
    return out;
}

void lwi_joint_force(lwi_graph *g, const lwi_sym_body *body, lwi_vec moment, lwi_vec force,
                     lwi_expr *tau)
{
    for (int k = 0; k < body->nv && body->nv > 1; ++k) {
        tau[k] = k < 3 ? moment.e[k] : force.e[k - 3];
    }
    if (body->type == LW_TREE_SCREW) {
        tau[0] = lwi_add(g, moment.z, lwi_mul(g, body->lead, force.z));
    } else if (body->nv == 1) {
        tau[0] = body->type == LW_TREE_PRISMATIC ? force.z : moment.z;
    }
}
