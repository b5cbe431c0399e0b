// Forces at frames: on the way into a body, and through a joint, be it fixed.
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

static const lw_pose world = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

static const lw_pose *pose_of(const lw_data *d, int body)
{
    return body < 0 ? &world : &d->X_WB[body];
}

// The frame's pose against body `body`.
static lw_pose pose_at_body(const lw_model *m, const lw_data *d, int frame, int body)
{
    const lw_frame_info *info = &m->frame[frame];
    if (info->body == body) {
        return info->X_BF; // the world cancels before it can round
    }
    const lw_pose X_WF = lw_pose_mul(pose_of(d, info->body), &info->X_BF);
    const lw_pose X_BW = lw_pose_inverse(pose_of(d, body));
    return lw_pose_mul(&X_BW, &X_WF);
}

// Whether the way from `joint` to the world leads through `fixed`.
static bool is_behind(const lw_model *m, int joint, int fixed)
{
    while (joint >= 0 && joint != fixed) {
        joint = m->joints[joint].joint;
    }
    return joint >= 0;
}

// Motion of a body in inertial space along its own axes, gravity included: that in the world, and
// the world's own.
typedef struct motion {
    lw_vec3 w, wd, a;
} motion;

static motion motion_of(const lw_data *d, int body)
{
    const lw_motion rest = {{0, 0, 0}, {0, 0, 0}};
    const lw_motion vel = body < 0 ? rest : d->vel[body], acc = body < 0 ? rest : d->acc[body];
    const lw_pose *X = pose_of(d, body);
    const lw_vec3 rotation = d->settings.base_velocity.ang;
    const lw_vec3 rate = d->settings.base_acceleration.ang;
    const lw_vec3 w = lw_rotate_back(&X->R, rotation);
    const lw_vec3 up = lw_sub3(d->settings.base_acceleration.lin, d->settings.gravity);
    const lw_vec3 carried =
        lw_add3(up, lw_add3(lw_cross3(rate, X->p), lw_cross3(rotation, lw_cross3(rotation, X->p))));
    const motion r = {
        lw_add3(vel.ang, w),
        lw_add3(acc.ang, lw_add3(lw_rotate_back(&X->R, rate), lw_cross3(w, vel.ang))),
        lw_add3(lw_add3(acc.lin, lw_rotate_back(&X->R, carried)),
                lw_scale3(2.0, lw_cross3(w, vel.lin))),
    };
    return r;
}

// Force that a link needs for the motion of its body, about the body's origin.
static lw_force force_of_link(const lw_link_info *link, const lw_pose *X_BF, const motion *x)
{
    const lw_inertia own = {link->mass, {0, 0, 0}, link->tensor};
    const lw_pose X_BI = lw_pose_mul(X_BF, &link->X_FI);
    const lw_inertia I = lw_inertia_move(&X_BI, &own);
    const lw_vec3 h = I.first_moment;
    const lw_vec3 rotated = lw_add3(lw_cross3(x->wd, h), lw_cross3(x->w, lw_cross3(x->w, h)));
    const lw_vec3 spin =
        lw_add3(lw_sym3_mul(&I.tensor, x->wd), lw_cross3(x->w, lw_sym3_mul(&I.tensor, x->w)));
    const lw_force r = {lw_add3(spin, lw_cross3(h, x->a)),
                        lw_add3(lw_scale3(I.mass, x->a), rotated)};
    return r;
}

static lw_force force_of_load(const lw_load_info *load, const lw_mat3 *R_WB)
{
    const bool is_in_world = load->axes == LW_IN_WORLD;
    const lw_mat3 *R = &load->X_BF.R;
    const lw_vec3 f = is_in_world ? lw_rotate_back(R_WB, load->force) : lw_rotate(R, load->force);
    const lw_vec3 t = is_in_world ? lw_rotate_back(R_WB, load->torque) : lw_rotate(R, load->torque);
    const lw_force r = {lw_add3(t, lw_cross3(load->X_BF.p, f)), f};
    return r;
}

static void add(lw_force *sum, double sign, lw_force f)
{
    sum->ang = lw_add3(sum->ang, lw_scale3(sign, f.ang));
    sum->lin = lw_add3(sum->lin, lw_scale3(sign, f.lin));
}

// What the parts of a body on one side of a fixed joint need: links and the bodies attached to
// them, less their loads.
static lw_force needs_of_side(const lw_model *m, const lw_data *d, const lw_force *reaction,
                              int body, int fixed, bool behind)
{
    const lw_pose *X_WB = pose_of(d, body);
    const motion x = motion_of(d, body);
    lw_force sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < m->nlink; ++k) {
        const lw_frame_info *frame = &m->frame[m->link[k].frame];
        if (frame->body == body && is_behind(m, m->link[k].joint, fixed) == behind) {
            add(&sum, 1.0, force_of_link(&m->link[k], &frame->X_BF, &x));
        }
    }
    for (int i = 0; i < m->nbody; ++i) {
        if (m->parent[i] == body && is_behind(m, m->joint[i], fixed) == behind) {
            const lw_pose X_BW = lw_pose_inverse(X_WB);
            const lw_pose X_BC = lw_pose_mul(&X_BW, &d->X_WB[i]);
            const lw_vec3 f = lw_rotate(&X_BC.R, reaction[i].lin);
            const lw_vec3 t = lw_rotate(&X_BC.R, reaction[i].ang);
            add(&sum, 1.0, (lw_force){lw_add3(t, lw_cross3(X_BC.p, f)), f});
        }
    }
    for (int k = 0; k < m->nload; ++k) {
        const lw_load_info *load = &m->load[k];
        if (load->body == body && is_behind(m, load->joint, fixed) == behind) {
            add(&sum, -1.0, force_of_load(load, &X_WB->R));
        }
    }
    return sum;
}

// The force through a fixed joint, about the origin of its body: what the joint of the body brings
// less what the parts before the fixed joint need. On the world there is no joint to bring it.
static lw_force force_through_fixed(const lw_model *m, const lw_data *d, const lw_force *reaction,
                                    int body, int fixed)
{
    if (body < 0) {
        return needs_of_side(m, d, reaction, body, fixed, true);
    }
    lw_force force = reaction[body];
    add(&force, -1.0, needs_of_side(m, d, reaction, body, fixed, false));
    return force;
}

lw_status lw_reaction_at_frame(const lw_model *m, const lw_data *d, const lw_force *reaction,
                               int joint, int frame, lw_axes axes, lw_force *force)
{
    if (!is_frame(m, d, frame) || joint < 0 || joint >= m->njoint || (!reaction && m->nbody > 0) ||
        !force) {
        return LW_ERR_ARGUMENT;
    }
    const lw_joint_info *info = &m->joints[joint];
    const bool is_fixed = info->nbody == 0;
    if (d->stage < (is_fixed ? LW_STAGE_ACCELERATION : LW_STAGE_POSITION)) {
        return LW_ERR_STAGE;
    }
    // Of a joint that was split, the last body is the one on the side of port b; the others have no
    // mass.
    const int body = is_fixed ? m->frame[info->frame_b].body : info->body + info->nbody - 1;
    const lw_force whole =
        is_fixed ? force_through_fixed(m, d, reaction, body, joint) : reaction[body];
    const lw_pose X_BF = pose_at_body(m, d, frame, body);
    const lw_vec3 lin = whole.lin;
    const lw_vec3 ang = lw_sub3(whole.ang, lw_cross3(X_BF.p, lin));
    if (axes == LW_IN_WORLD) {
        force->lin = lw_rotate(&pose_of(d, body)->R, lin);
        force->ang = lw_rotate(&pose_of(d, body)->R, ang);
    } else {
        force->lin = lw_rotate_back(&X_BF.R, lin);
        force->ang = lw_rotate_back(&X_BF.R, ang);
    }
    return LW_OK;
}
