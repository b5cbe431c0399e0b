// Poses of all bodies in the world, over the scalar of real.h.
#ifndef LWI_KERNEL_POSES_H
#define LWI_KERNEL_POSES_H

#include "kernel_tree.h"

typedef struct pose3 {
    mat3 R;
    vec3 p;
} pose3;

/// A row of R_WB is the row of R_WP rotated into the body's axes.
LWI_INLINE pose3 pose_in_world(const pose3 *P, const segment *b, const placed_joint *j,
                               lwi_rotation_class how)
{
    return (pose3){{{rotate_in(b, j, P->R.row[0], how), rotate_in(b, j, P->R.row[1], how),
                     rotate_in(b, j, P->R.row[2], how)}},
                   add3(P->p, mul3(&P->R, offset_of(b, j, how)))};
}

/// Poses of the segments' frames. The joints are placed already.
/// @param world_phi cosine and sine of the world's rotation
/// @param pose      [nbody]
static inline void segment_poses(const tree *t, const number world_phi[2], pose3 *pose)
{
    const real zero = {0}, c = real_of(world_phi[0]), s = real_of(world_phi[1]);
    const pose3 world = {{{{c, -s, zero}, {s, c, zero}, {zero, zero, zero + 1}}},
                         {zero, zero, zero}};
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        const pose3 *P = b->parent < 0 ? &world : &pose[b->parent];
        pose3 *B = &pose[i];
        LWI_BY_ROTATION(b, how, *B = pose_in_world(P, b, j, how))
    }
}

/// The pose of a frame, from its pose X_BF in the body as the caller has the body.
static inline pose3 frame_pose(const segment *b, const pose3 *X_WS, const pose3 *X_BF)
{
    const real c = real_of(b->cos_phi), s = real_of(b->sin_phi);
    const vec3 *row = X_WS->R.row;
    const mat3 R_WB = {{rotate_z(c, s, row[0]), rotate_z(c, s, row[1]), rotate_z(c, s, row[2])}};
    return (pose3){mul33(&R_WB, &X_BF->R), add3(X_WS->p, mul3(&R_WB, X_BF->p))};
}

#endif
