// Poses in registers of four (quad.h): from a body to the next one, and as rows in memory.
#ifndef LWI_QUAD_POSE_H
#define LWI_QUAD_POSE_H

#include <linkwork/math.h>

#include "quad.h"

/// Behind the pose X in P, whose rotation may be the identity.
LWI_INLINE quad_frame pose_behind(const quad_frame *P, const lw_pose *X, bool is_shifted)
{
    const lw_vec3 *R = X->R.row;
    quad_frame f = *P;
    if (!is_shifted) {
        f.x = along_frame(P, R[0].x, R[1].x, R[2].x);
        f.y = along_frame(P, R[0].y, R[1].y, R[2].y);
        f.z = along_frame(P, R[0].z, R[1].z, R[2].z);
    }
    f.o = add4(f.o, along_frame(P, X->p.x, X->p.y, X->p.z));
    return f;
}

LWI_INLINE quad_frame revolute_after(const quad_frame *P, const lw_pose *X_PJ, bool is_shifted,
                                     double s, double c)
{
    quad_frame f = pose_behind(P, X_PJ, is_shifted);
    turn_axes(c, s, &f.x, &f.y);
    return f;
}

LWI_INLINE void store_pose(const quad_frame *f, lw_pose *X)
{
    store_frame_rows(f, &X->R.row[0].x);
}

LWI_INLINE quad_frame load_pose(const lw_pose *X)
{
    const lw_vec3 *R = X->R.row;
    return (quad_frame){quad_with(R[0].x, R[1].x, R[2].x), quad_with(R[0].y, R[1].y, R[2].y),
                        quad_with(R[0].z, R[1].z, R[2].z), quad_with(X->p.x, X->p.y, X->p.z)};
}

LWI_INLINE quad quad_of_vec3(lw_vec3 v)
{
    return quad_with(v.x, v.y, v.z);
}

#endif
