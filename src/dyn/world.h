// Motion of all bodies along the axes of the world, about one point: the origin of the root that
// carries a body, where it is at this moment.
//
// An algorithm that adds up whole subtrees, or that meets every pair of joints on one path, is
// cheapest where nothing has to be moved between frames. Common axes do that, and so does a common
// point; the root's origin rather than the world's keeps the numbers small for a mechanism that has
// driven a kilometre.
#ifndef LWI_WORLD_H
#define LWI_WORLD_H

#include "../math/spatial.h"
#include "../model/data.h"
#include "../model/joint_frame.h"

#include <linkwork/dynamics.h>

/// From body coordinates.
static inline lw_motion lwi_motion_to_world(const lwi_world_body *B, lw_motion x_B)
{
    lw_motion r;
    r.ang = lw_rotate(&B->X.R, x_B.ang);
    r.lin = lw_add3(lw_rotate(&B->X.R, x_B.lin), lw_cross3(B->X.p, r.ang));
    return r;
}

/// To body coordinates.
static inline lw_motion lwi_motion_to_body(const lwi_world_body *B, lw_motion x)
{
    lw_motion r;
    r.ang = lw_rotate_back(&B->X.R, x.ang);
    r.lin = lw_rotate_back(&B->X.R, lw_add3(x.lin, lw_cross3(x.ang, B->X.p)));
    return r;
}

/// From body coordinates.
static inline lw_force lwi_force_to_world(const lwi_world_body *B, lw_force f_B)
{
    lw_force r;
    r.lin = lw_rotate(&B->X.R, f_B.lin);
    r.ang = lw_add3(lw_rotate(&B->X.R, f_B.ang), lw_cross3(B->X.p, r.lin));
    return r;
}

/// The tree coordinates of a state.
typedef struct lwi_state {
    const double *q, *v, *a;
} lwi_state;

/// Checks the arguments that all functions share, and brings a state to tree coordinates.
lw_status lwi_bring_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                          const double *a, lwi_state *at);

/// The world itself as a body: its motion, and gravity as an upward acceleration.
void lwi_world_ground(const lw_data *d, lwi_world_body *ground);

/// Makes world[i] and S of its joint from the parent's, for any joint. Parents come first. Returns
/// the parent's motion about the origin of i's root.
/// @param ground what lwi_world_ground() gave
/// @param root   buffer for the ground as seen from a root's origin
const lwi_world_body *lwi_world_any_joint(const lw_model *m, lw_data *d, int i, const lwi_state *at,
                                          const lwi_world_body *ground, lwi_world_body *root);

/// The ground as seen from a root that is at p: its motion there, and its origin relative to p.
static inline void lwi_world_root(const lwi_world_body *ground, lw_vec3 p, lwi_world_body *root)
{
    root->X.R = ground->X.R;
    root->X.p = lw_scale3(-1.0, p);
    root->vel.ang = ground->vel.ang;
    root->vel.lin = lw_add3(ground->vel.lin, lw_cross3(ground->vel.ang, p));
    root->acc.ang = ground->acc.ang;
    root->acc.lin = lw_add3(ground->acc.lin, lw_cross3(ground->acc.ang, p));
}

/// S of a rotation about an axis through the body's origin.
static inline lw_motion lwi_rotation_about(const lw_pose *X, lw_vec3 axis)
{
    const lw_motion S = {axis, lw_cross3(X->p, axis)};
    return S;
}

#endif
