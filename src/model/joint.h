// What one joint of the tree does: the pose of its body in the parent, and its own motion. In
// double; the kernels of whole trees have their own, over any scalar.
#ifndef LWI_JOINT_H
#define LWI_JOINT_H

#include <linkwork/model.h>

#include "../math/quaternion.h"
#include "joint_frame.h"

/// X * (pose of the joint at the tree positions q): body i in whatever frame X places its joint.
static inline lw_pose joint_pose_after(const lw_model *m, int i, const double *q, const lw_pose *X)
{
    const lwi_segment *body = &m->kernel->segment[i];
    q += body->q;
    lw_pose Y = *X;
    lw_pose own;
    double s, c;
    switch (body->carrier) {
    case LW_TREE_REVOLUTE:
        sincos_real(q[0], &s, &c);
        Y.R = rotate_columns(&X->R, c, s);
        break;
    case LW_TREE_PRISMATIC:
        Y.p = lw_add3(X->p, lw_scale3(q[0], column_z(&X->R)));
        break;
    case LW_TREE_SCREW:
        sincos_real(q[0], &s, &c);
        Y.R = rotate_columns(&X->R, c, s);
        Y.p = lw_add3(X->p, lw_scale3(body->lead * q[0], column_z(&X->R)));
        break;
    case LW_TREE_SPHERICAL:
        own.R = quat_rotation(q);
        Y.R = lw_mul3(&X->R, &own.R);
        break;
    case LW_TREE_FREE:
        own.R = quat_rotation(q + 3);
        own.p = lw_vec3_of(q[0], q[1], q[2]);
        Y = lw_pose_mul(X, &own);
        break;
    default:
        m->kernel->user[i].pose(m->kernel->user[i].context, q, &own);
        Y = lw_pose_mul(X, &own);
        break;
    }
    return Y;
}

/// Motion of body i against its parent, in body coordinates: velocity, and acceleration of its
/// origin and of its rotation as seen from the parent. `a` may be NULL for none.
static inline void joint_motion(const lw_model *m, int i, const double *q, const double *v,
                                const double *a, lw_motion *velocity, lw_motion *acceleration)
{
    const lwi_segment *body = &m->kernel->segment[i];
    v += body->v;
    a = a ? a + body->v : NULL;
    const double a0 = a ? a[0] : 0.0;
    *velocity = (lw_motion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    *acceleration = *velocity;
    switch (body->carrier) {
    case LW_TREE_REVOLUTE:
        velocity->ang.z = v[0];
        acceleration->ang.z = a0;
        break;
    case LW_TREE_PRISMATIC:
        velocity->lin.z = v[0];
        acceleration->lin.z = a0;
        break;
    case LW_TREE_SCREW:
        velocity->ang.z = v[0];
        velocity->lin.z = body->lead * v[0];
        acceleration->ang.z = a0;
        acceleration->lin.z = body->lead * a0;
        break;
    case LW_TREE_FREE:
        velocity->lin = lw_vec3_of(v[3], v[4], v[5]);
        if (a) {
            acceleration->lin = lw_vec3_of(a[3], a[4], a[5]);
        }
        // fall through
    case LW_TREE_SPHERICAL:
        velocity->ang = lw_vec3_of(v[0], v[1], v[2]);
        if (a) {
            acceleration->ang = lw_vec3_of(a[0], a[1], a[2]);
        }
        break;
    default: {
        const lw_user_joint *user = &m->kernel->user[i];
        lw_motion S[LW_MAX_DOF];
        user->motion(user->context, q + body->q, S);
        if (user->bias) {
            user->bias(user->context, q + body->q, v, acceleration);
        }
        for (int k = 0; k < user->nv; ++k) {
            velocity->ang = lw_add3(velocity->ang, lw_scale3(v[k], S[k].ang));
            velocity->lin = lw_add3(velocity->lin, lw_scale3(v[k], S[k].lin));
            if (a) {
                acceleration->ang = lw_add3(acceleration->ang, lw_scale3(a[k], S[k].ang));
                acceleration->lin = lw_add3(acceleration->lin, lw_scale3(a[k], S[k].lin));
            }
        }
        break;
    }
    }
    // Components along axes that rotate: the origin's acceleration gains what the rotation adds.
    acceleration->lin = lw_add3(acceleration->lin, lw_cross3(velocity->ang, velocity->lin));
}

#endif
