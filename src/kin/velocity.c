// Velocities and accelerations, outward through the tree in body axes.
//
// With w, v the angular velocity of a body and the velocity of its origin, al, a their
// accelerations, p the body's origin in its parent P, and index J for the motion that the joint
// adds:
//
//   w  = R' w_P + w_J                v = R' (v_P + w_P x p) + v_J
//   al = R' al_P + R' w_P x w_J + al_J
//   a  = R' (a_P + al_P x p + w_P x (w_P x p)) + 2 R' w_P x v_J + a_J
#include <linkwork/kinematics.h>

#include "../model/data.h"
#include "../model/joint.h"
#include "closure.h"
#include "finite.h"
#include "held_state.h"
#include "tree.h"

static const lw_motion at_rest = {{0, 0, 0}, {0, 0, 0}};

void lwi_tree_motion(const lw_model *m, lw_data *d, const double *tree_q, const double *tree_v,
                     const double *tree_a)
{
    const lw_pose one = lw_pose_identity();
    d->held.has_poses = false; // these are others in the last digits
    for (int i = 0; i < m->nbody; ++i) {
        const int p = m->parent[i];
        const lw_pose X_PB = joint_pose_after(m, i, tree_q, &m->X_PJ[i]);
        const lw_motion *vel_P = p < 0 ? &at_rest : &d->vel[p];
        const lw_motion *acc_P = p < 0 ? &at_rest : &d->acc[p];
        lw_motion vel_J, acc_J;
        joint_motion(m, i, tree_q, tree_v, tree_a, &vel_J, &acc_J);

        d->X_WB[i] = lw_pose_mul(p < 0 ? &one : &d->X_WB[p], &X_PB);
        const lw_vec3 w_x_p = lw_cross3(vel_P->ang, X_PB.p);
        const lw_vec3 w = lw_rotate_back(&X_PB.R, vel_P->ang);
        d->vel[i].ang = lw_add3(w, vel_J.ang);
        d->vel[i].lin = lw_add3(lw_rotate_back(&X_PB.R, lw_add3(vel_P->lin, w_x_p)), vel_J.lin);
        if (!tree_a) {
            continue;
        }
        d->acc[i].ang = lw_add3(lw_rotate_back(&X_PB.R, acc_P->ang),
                                lw_add3(lw_cross3(w, vel_J.ang), acc_J.ang));
        const lw_vec3 carried = lw_add3(
            acc_P->lin, lw_add3(lw_cross3(acc_P->ang, X_PB.p), lw_cross3(vel_P->ang, w_x_p)));
        d->acc[i].lin = lw_add3(lw_rotate_back(&X_PB.R, carried),
                                lw_add3(lw_scale3(2.0, lw_cross3(w, vel_J.lin)), acc_J.lin));
    }
}

lw_status lw_forward_velocity(const lw_model *m, lw_data *d, const double *q, const double *v)
{
    if (!m || !d || d->model != m || ((!q || !v) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    d->stage = LW_STAGE_NONE;
    const lw_status status = lwi_begin_at(m, d, q);
    if (status != LW_OK || !lwi_all_finite(v, m->nv)) {
        return LW_ERR_NUMBER;
    }
    const double *tree_q = lwi_closure_position(m, d, q);
    const double *tree_v = tree_q ? lwi_closure_velocity(m, d, v) : NULL;
    if (!tree_v) {
        return lwi_closure_status(d);
    }
    lwi_tree_motion(m, d, tree_q, tree_v, NULL);
    d->stage = LW_STAGE_VELOCITY;
    return LW_OK;
}

// With a null for zero accelerations.
static lw_status forward_acceleration(const lw_model *m, lw_data *d, const double *q,
                                      const double *v, const double *a)
{
    d->stage = LW_STAGE_NONE;
    const lw_status status = lwi_begin_at(m, d, q);
    if (status != LW_OK || !lwi_all_finite(v, m->nv) || (a && !lwi_all_finite(a, m->nv))) {
        return LW_ERR_NUMBER;
    }
    const double *tree_q = lwi_closure_position(m, d, q);
    const double *tree_v = tree_q ? lwi_closure_velocity(m, d, v) : NULL;
    if (!tree_v) {
        return lwi_closure_status(d);
    }
    lwi_tree_motion(m, d, tree_q, tree_v, lwi_closure_acceleration(m, d, a));
    d->stage = LW_STAGE_ACCELERATION;
    return LW_OK;
}

lw_status lw_forward_acceleration(const lw_model *m, lw_data *d, const double *q, const double *v,
                                  const double *a)
{
    if (!m || !d || d->model != m || ((!q || !v || !a) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    return forward_acceleration(m, d, q, v, a);
}

// Velocity of a point fixed to a body, in body axes.
static lw_motion velocity_at(const lw_motion *vel, lw_vec3 p)
{
    return (lw_motion){vel->ang, lw_add3(vel->lin, lw_cross3(vel->ang, p))};
}

static lw_motion acceleration_at(const lw_motion *vel, const lw_motion *acc, lw_vec3 p)
{
    const lw_vec3 rotation =
        lw_add3(lw_cross3(acc->ang, p), lw_cross3(vel->ang, lw_cross3(vel->ang, p)));
    return (lw_motion){acc->ang, lw_add3(acc->lin, rotation)};
}

// From body axes to those of the frame or of the world.
static lw_motion along(const lw_data *d, const lw_frame_info *f, lw_axes axes,
                       const lw_motion *motion)
{
    lw_motion r;
    if (axes == LW_IN_WORLD) {
        r.ang = lw_rotate(&d->X_WB[f->body].R, motion->ang);
        r.lin = lw_rotate(&d->X_WB[f->body].R, motion->lin);
    } else {
        r.ang = lw_rotate_back(&f->X_BF.R, motion->ang);
        r.lin = lw_rotate_back(&f->X_BF.R, motion->lin);
    }
    return r;
}

static lw_status check(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                       const lw_motion *out)
{
    if (!m || !d || d->model != m || frame < 0 || frame >= m->nframe_all || !out ||
        (axes != LW_IN_FRAME && axes != LW_IN_WORLD)) {
        return LW_ERR_ARGUMENT;
    }
    return LW_OK;
}

lw_status lw_frame_velocity(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                            lw_motion *velocity)
{
    const lw_status status = check(m, d, frame, axes, velocity);
    if (status != LW_OK || d->stage < LW_STAGE_VELOCITY) {
        return status != LW_OK ? status : LW_ERR_STAGE;
    }
    const lw_frame_info *f = &m->frame[frame];
    *velocity = at_rest;
    if (f->body >= 0) {
        const lw_motion own = velocity_at(&d->vel[f->body], f->X_BF.p);
        *velocity = along(d, f, axes, &own);
    }
    return LW_OK;
}

static lw_motion acceleration_of(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                                 lw_vec3 p_BF)
{
    const lw_frame_info *f = &m->frame[frame];
    if (f->body < 0) {
        return at_rest;
    }
    const lw_motion own = acceleration_at(&d->vel[f->body], &d->acc[f->body], p_BF);
    return along(d, f, axes, &own);
}

lw_status lw_frame_acceleration(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                                lw_motion *acceleration)
{
    const lw_status status = check(m, d, frame, axes, acceleration);
    if (status != LW_OK || d->stage < LW_STAGE_ACCELERATION) {
        return status != LW_OK ? status : LW_ERR_STAGE;
    }
    *acceleration = acceleration_of(m, d, frame, axes, m->frame[frame].X_BF.p);
    return LW_OK;
}

lw_status lw_frame_jacobian_rate_times_v(const lw_model *m, lw_data *d, const double *q,
                                         const double *v, int frame, lw_axes axes,
                                         const lw_vec3 *point, lw_motion *rate)
{
    lw_status status = check(m, d, frame, axes, rate);
    if (status != LW_OK || ((!q || !v) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    status = lwi_is_point(point) ? forward_acceleration(m, d, q, v, NULL) : LW_ERR_NUMBER;
    if (status != LW_OK) {
        d->stage = LW_STAGE_NONE;
        return status;
    }
    const lw_pose *X_BF = &m->frame[frame].X_BF;
    *rate = acceleration_of(m, d, frame, axes, point ? lw_pose_apply(X_BF, *point) : X_BF->p);
    return LW_OK;
}
