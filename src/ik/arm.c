#include "arm.h"

lw_pose lwi_arm_pose(const lwi_arm *arm, const lwi_angle *q)
{
    lw_vec3 p = arm->X_BT.p;
    lw_mat3 R = lw_transpose3(&arm->X_BT.R); // rows are the columns of the rotation
    for (int i = arm->n - 1; i >= 0; --i) {
        if (arm->slides[i]) {
            p = lw_add3(p, lw_scale3(q[i].s, arm->h[i]));
            continue;
        }
        p = lw_add3(arm->c[i], lwi_rotate_about(arm->h[i], q[i], lw_sub3(p, arm->c[i])));
        for (int k = 0; k < 3; ++k) {
            R.row[k] = lwi_rotate_about(arm->h[i], q[i], R.row[k]);
        }
    }
    const lw_pose X = {lw_transpose3(&R), p};
    return X;
}

lwi_arm lwi_arm_reversed(const lwi_arm *arm)
{
    const lw_pose X_TB = lw_pose_inverse(&arm->X_BT);
    lwi_arm r = {.n = arm->n, .X_BT = X_TB};
    for (int i = 0; i < arm->n; ++i) {
        const int k = arm->n - 1 - i;
        r.slides[i] = arm->slides[k];
        r.h[i] = lw_scale3(-1.0, lw_rotate(&X_TB.R, arm->h[k]));
        r.c[i] = lw_pose_apply(&X_TB, arm->c[k]);
    }
    return r;
}
