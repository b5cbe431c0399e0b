#include "yardstick.h"

void center_of(const lw_inertia *inertia, lw_vec3 *center, lw_sym3 *tensor)
{
    const double m = inertia->mass;
    const lw_vec3 c = lw_scale3(1.0 / m, inertia->first_moment);
    *center = c;
    *tensor = inertia->tensor;
    tensor->xx -= m * (c.y * c.y + c.z * c.z);
    tensor->yy -= m * (c.x * c.x + c.z * c.z);
    tensor->zz -= m * (c.x * c.x + c.y * c.y);
    tensor->xy += m * c.x * c.y;
    tensor->xz += m * c.x * c.z;
    tensor->yz += m * c.y * c.z;
}

hand_link hand_link_of(const lw_model *m, int body)
{
    const lw_pose *X = &m->X_PJ[body];
    const lw_inertia *inertia = &m->inertia[body];
    lw_vec3 c;
    lw_sym3 I;
    center_of(inertia, &c, &I);
    const lw_vec3 *R = X->R.row;
    return (hand_link){
        .R = {R[0].x, R[0].y, R[0].z, R[1].x, R[1].y, R[1].z, R[2].x, R[2].y, R[2].z},
        .p = {X->p.x, X->p.y, X->p.z},
        .mass = inertia->mass,
        .center = {c.x, c.y, c.z},
        .I = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz},
    };
}

bool hand_arm_of(const lw_model *m, hand_arm *arm)
{
    if (m->nbody < HAND_JOINTS || m->nbody > HAND_MOST_JOINTS || m->nstep != 0) {
        return false;
    }
    arm->joints = m->nbody;
    for (int i = 0; i < m->nbody; ++i) {
        if (m->parent[i] != i - 1 || m->carrier[i] != LW_TREE_REVOLUTE ||
            !(m->inertia[i].mass > 0.0)) {
            return false;
        }
        arm->link[i] = hand_link_of(m, i);
    }
    arm->gravity[0] = m->gravity.x;
    arm->gravity[1] = m->gravity.y;
    arm->gravity[2] = m->gravity.z;
    return true;
}
