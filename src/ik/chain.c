#include "chain.h"

#include <string.h>

// Adds a body to the chain. X is the pose of the side of the joint that is nearer to the base, at
// zero position of the joints before, and becomes that of the other side.
static lw_status add_body(const lw_model *m, int i, bool is_up, const double *tree_q,
                          lwi_chain *chain, lw_pose *X)
{
    lwi_arm *arm = &chain->arm;
    lw_pose step = m->X_PJ[i];
    const bool is_axis = m->carrier[i] == LW_TREE_REVOLUTE || m->carrier[i] == LW_TREE_PRISMATIC;
    if (!is_axis) {
        lw_pose joint = lw_pose_identity();
        const double *q = tree_q + m->q_start[i];
        if (m->carrier[i] == LW_TREE_FREE) {
            joint.p = lw_vec3_of(q[0], q[1], q[2]);
            q += 3;
        } else if (m->carrier[i] != LW_TREE_SPHERICAL) {
            return LW_ERR_UNSUPPORTED;
        }
        const lw_quat quat = {q[0], q[1], q[2], q[3]};
        joint.R = lw_rotation_quat(quat);
        ++chain->nheld;
        step = lw_pose_mul(&step, &joint);
    }
    if (is_up) {
        step = lw_pose_inverse(&step);
    } else {
        *X = lw_pose_mul(X, &step);
    }
    if (is_axis) { // z of the body's own frame, which the joint leaves where it is
        if (arm->n == LWI_ARM_JOINTS) {
            return LW_ERR_LIMIT;
        }
        const lw_vec3 z = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z};
        chain->X_BL = arm->n == 0 ? *X : chain->X_BL;
        chain->X_FT = *X; // completed at the tip
        chain->is_held_inside |= arm->n > 0 && chain->nheld > chain->nheld_before;
        chain->nheld_before = chain->nheld;
        chain->body[arm->n] = i;
        arm->slides[arm->n] = m->carrier[i] == LW_TREE_PRISMATIC;
        arm->h[arm->n] = lw_scale3(is_up ? -1.0 : 1.0, z);
        arm->c[arm->n] = X->p;
        ++arm->n;
    }
    if (is_up) {
        *X = lw_pose_mul(X, &step);
    }
    return LW_OK;
}

lw_status lwi_chain_find(const lw_model *m, int base, int tip, const double *tree_q,
                         lwi_chain *chain, int *body)
{
    const int first = base < 0 ? -1 : m->frame[base].body, last = m->frame[tip].body;
    int common = first;
    // Bodies are numbered depth first: an ancestor of `last` has it in its subtree.
    while (common >= 0 && !(common <= last && last < m->subtree_end[common])) {
        common = m->parent[common];
    }
    memset(chain, 0, sizeof *chain);
    lw_pose X = base < 0 ? lw_pose_identity() : lw_pose_inverse(&m->frame[base].X_BF);
    lw_status status = LW_OK;
    for (int i = first; i != common && status == LW_OK; i = m->parent[i]) {
        *body = i;
        status = add_body(m, i, true, tree_q, chain, &X);
    }
    for (int from = common; from != last && status == LW_OK;) {
        int next = last; // the child of `from` that leads to the tip
        while (m->parent[next] != from) {
            next = m->parent[next];
        }
        *body = next;
        status = add_body(m, next, false, tree_q, chain, &X);
        from = next;
    }
    if (status == LW_OK && chain->arm.n == 0) {
        status = LW_ERR_ARGUMENT;
    }
    chain->arm.X_BT = lw_pose_mul(&X, &m->frame[tip].X_BF);
    const lw_pose back = lw_pose_inverse(&chain->X_FT);
    chain->X_FT = lw_pose_mul(&back, &chain->arm.X_BT);
    return status;
}
