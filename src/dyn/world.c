// The outward pass: poses, velocities and accelerations of all bodies, in world axes.

#include "world.h"

#include "../model/joint.h"
#include "arguments.h"

lw_status lwi_bring_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                          const double *a, lwi_state *at)
{
    const lw_status status = check_state(m, d, q, v, a);
    if (status != LW_OK) {
        return status;
    }
    at->v = lwi_closure_state(m, d, q, v);
    if (!at->v) {
        return lwi_closure_status(d);
    }
    at->q = m->nstep > 0 || !q ? d->tree_q : q;
    at->a = lwi_closure_acceleration(m, d, a);
    return LW_OK;
}

void lwi_world_ground(const lw_data *d, lwi_world_body *ground)
{
    const lwi_settings *o = &d->settings;
    ground->X = lw_pose_identity();
    ground->vel = o->base_velocity;
    ground->acc = o->base_acceleration;
    // The spatial acceleration of a point lacks the part that is due to the point's own motion.
    const lw_vec3 own = lw_cross3(o->base_velocity.ang, o->base_velocity.lin);
    ground->acc.lin = lw_sub3(lw_sub3(ground->acc.lin, own), o->gravity);
}

static inline lw_motion sliding(lw_vec3 axis)
{
    const lw_motion S = {{0, 0, 0}, axis};
    return S;
}

// S of each degree of freedom.
static void motions(const lw_model *m, int i, const double *q, const lwi_world_body *B,
                    lw_motion *S)
{
    const lwi_segment *b = &m->kernel->segment[i];
    const lw_mat3 axes = lw_transpose3(&B->X.R);
    const lw_vec3 *axis = axes.row;
    switch (b->carrier) {
    case LW_TREE_PRISMATIC:
        S[0] = sliding(axis[2]);
        break;
    case LW_TREE_SCREW:
        S[0] = lwi_motion_axpy(b->lead, sliding(axis[2]), lwi_rotation_about(&B->X, axis[2]));
        break;
    case LW_TREE_SPHERICAL:
    case LW_TREE_FREE:
        for (int k = 0; k < 3; ++k) {
            S[k] = lwi_rotation_about(&B->X, axis[k]);
        }
        for (int k = 3; k < b->nv; ++k) {
            S[k] = sliding(axis[k - 3]);
        }
        break;
    case LW_TREE_USER:
        m->kernel->user[i].motion(m->kernel->user[i].context, q, S);
        for (int k = 0; k < b->nv; ++k) {
            S[k] = lwi_motion_to_world(B, S[k]);
        }
        break;
    default:
        S[0] = lwi_rotation_about(&B->X, axis[2]);
        break;
    }
}

const lwi_world_body *lwi_world_any_joint(const lw_model *m, lw_data *d, int i, const lwi_state *at,
                                          const lwi_world_body *ground, lwi_world_body *root)
{
    const lwi_segment *b = &m->kernel->segment[i];
    lwi_world_body *B = &d->world[i];
    const lwi_world_body *P = b->parent < 0 ? ground : &d->world[b->parent];

    const lw_pose X = joint_frame_after(m, i, &P->X);
    B->X = joint_pose_after(m, i, at->q, &X);
    if (b->parent < 0) {
        lwi_world_root(ground, B->X.p, root);
        B->X.p = lw_vec3_of(0, 0, 0);
        P = root;
    }
    B->vel = P->vel;
    B->acc = P->acc;
    const double *q = at->q + b->q;
    lw_motion *S = &d->S[b->v];
    motions(m, i, q, B, S);
    for (int k = 0; k < b->nv; ++k) {
        const double v = at->v[b->v + k];
        B->vel = lwi_motion_axpy(v, S[k], B->vel);
        B->acc = lwi_motion_axpy(at->a[b->v + k], S[k], B->acc);
        B->acc = lwi_motion_axpy(v, lwi_motion_cross(&P->vel, S[k]), B->acc);
    }
    if (b->carrier == LW_TREE_USER && m->kernel->user[i].bias) {
        lw_motion bias;
        m->kernel->user[i].bias(m->kernel->user[i].context, q, at->v + b->v, &bias);
        B->acc = lwi_motion_add(B->acc, lwi_motion_to_world(B, bias));
    }
    return P;
}
