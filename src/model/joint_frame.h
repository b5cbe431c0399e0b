// Placing frames and rotating them about z, in double; joint.h is made of it.
#ifndef LWI_JOINT_FRAME_H
#define LWI_JOINT_FRAME_H

#include "kernel.h"

/// R * Rz(angle), the cosine and sine given: a plane rotation of the first two columns.
static inline lw_mat3 rotate_columns(const lw_mat3 *R, double c, double s)
{
    lw_mat3 T;
    for (int r = 0; r < 3; ++r) {
        const lw_vec3 row = R->row[r];
        T.row[r].x = c * row.x + s * row.y;
        T.row[r].y = c * row.y - s * row.x;
        T.row[r].z = row.z;
    }
    return T;
}

static inline lw_vec3 column_z(const lw_mat3 *R)
{
    return lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z);
}

/// The joint frame of body i at rest, in the frame in which X_WP places the parent.
static inline lw_pose joint_frame_after(const lw_model *m, int i, const lw_pose *X_WP)
{
    const lw_pose *X_PJ = &m->X_PJ[i];
    lw_pose X = *X_WP;
    X.p = lw_pose_apply(X_WP, X_PJ->p);
    if (!m->kernel->segment[i].is_shifted) {
        X.R = lw_mul3(&X_WP->R, &X_PJ->R);
    }
    return X;
}

#endif
