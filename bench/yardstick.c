#include "yardstick.h"

static hand_link link_of(const lw_pose *X, const lw_inertia *inertia)
{
    const lw_vec3 c = lw_scale3(1.0 / inertia->mass, inertia->first_moment);
    const lw_sym3 *I = &inertia->tensor;
    const double m = inertia->mass;
    hand_link link = {.p = {X->p.x, X->p.y, X->p.z}, .mass = m, .center = {c.x, c.y, c.z}};
    for (int row = 0; row < 3; ++row) {
        link.R[3 * row] = X->R.row[row].x;
        link.R[3 * row + 1] = X->R.row[row].y;
        link.R[3 * row + 2] = X->R.row[row].z;
    }
    // The yardsticks want the tensor about the centre of mass.
    link.I[0] = I->xx - m * (c.y * c.y + c.z * c.z);
    link.I[1] = I->yy - m * (c.x * c.x + c.z * c.z);
    link.I[2] = I->zz - m * (c.x * c.x + c.y * c.y);
    link.I[3] = I->xy + m * c.x * c.y;
    link.I[4] = I->xz + m * c.x * c.z;
    link.I[5] = I->yz + m * c.y * c.z;
    return link;
}

bool hand_arm_of(const lw_model *m, hand_arm *arm)
{
    if (m->nbody != HAND_JOINTS || m->nstep != 0) {
        return false;
    }
    for (int i = 0; i < HAND_JOINTS; ++i) {
        if (m->parent[i] != i - 1 || m->carrier[i] != LW_TREE_REVOLUTE ||
            !(m->inertia[i].mass > 0.0)) {
            return false;
        }
        arm->link[i] = link_of(&m->X_PJ[i], &m->inertia[i]);
    }
    arm->gravity[0] = m->gravity.x;
    arm->gravity[1] = m->gravity.y;
    arm->gravity[2] = m->gravity.z;
    return true;
}
