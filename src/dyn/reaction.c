// Forces at frames: on the way into a body, and through a joint.
#include <linkwork/dynamics.h>

#include "../model/data.h"

static bool is_frame(const lw_model *m, const lw_data *d, int frame)
{
    return m && d && d->model == m && frame >= 0 && frame < m->nframe_all;
}

lw_status lw_add_force_at_frame(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                                const lw_force *force, lw_force *f_ext)
{
    if (!is_frame(m, d, frame) || !force || (!f_ext && m->nbody > 0)) {
        return LW_ERR_ARGUMENT;
    }
    if (axes == LW_IN_WORLD && d->stage < LW_STAGE_POSITION) {
        return LW_ERR_STAGE;
    }
    const lw_frame_info *info = &m->frame[frame];
    if (info->body < 0) {
        return LW_OK;
    }
    const bool is_in_world = axes == LW_IN_WORLD;
    const lw_mat3 *R_WB = &d->X_WB[info->body].R;
    const lw_vec3 lin =
        is_in_world ? lw_rotate_back(R_WB, force->lin) : lw_rotate(&info->X_BF.R, force->lin);
    const lw_vec3 ang =
        is_in_world ? lw_rotate_back(R_WB, force->ang) : lw_rotate(&info->X_BF.R, force->ang);
    lw_force *sum = &f_ext[info->body];
    sum->lin = lw_add3(sum->lin, lin);
    sum->ang = lw_add3(sum->ang, lw_add3(ang, lw_cross3(info->X_BF.p, lin)));
    return LW_OK;
}

// The frame's pose against body `body`.
static lw_pose pose_at_body(const lw_model *m, const lw_data *d, int frame, int body)
{
    const lw_frame_info *info = &m->frame[frame];
    if (info->body == body) {
        return info->X_BF; // the world cancels before it can round
    }
    const lw_pose X_WF =
        info->body < 0 ? info->X_BF : lw_pose_mul(&d->X_WB[info->body], &info->X_BF);
    const lw_pose X_BW = lw_pose_inverse(&d->X_WB[body]);
    return lw_pose_mul(&X_BW, &X_WF);
}

lw_status lw_reaction_at_frame(const lw_model *m, const lw_data *d, const lw_force *reaction,
                               int joint, int frame, lw_axes axes, lw_force *force)
{
    if (!is_frame(m, d, frame) || joint < 0 || joint >= m->njoint || !reaction || !force) {
        return LW_ERR_ARGUMENT;
    }
    if (d->stage < LW_STAGE_POSITION) {
        return LW_ERR_STAGE;
    }
    // Of a joint that was split, the last body is the one on the side of port b; the others have no
    // mass.
    const lw_joint_info *info = &m->joints[joint];
    if (info->nbody == 0) {
        return LW_ERR_UNSUPPORTED;
    }
    const int body = info->body + info->nbody - 1;
    const lw_pose X_BF = pose_at_body(m, d, frame, body);
    const lw_vec3 lin = reaction[body].lin;
    const lw_vec3 ang = lw_sub3(reaction[body].ang, lw_cross3(X_BF.p, lin));
    if (axes == LW_IN_WORLD) {
        force->lin = lw_rotate(&d->X_WB[body].R, lin);
        force->ang = lw_rotate(&d->X_WB[body].R, ang);
    } else {
        force->lin = lw_rotate_back(&X_BF.R, lin);
        force->ang = lw_rotate_back(&X_BF.R, ang);
    }
    return LW_OK;
}
