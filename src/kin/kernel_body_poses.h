// Poses of bodies and columns of Jacobians, for the table of kernels (model/kernels.h).
//
// The chain from body to body is one product of matrices long: the rotation of a joint is put on
// its placement first, L = R_PJ Rz(q), which does not wait for the parent. Sines and cosines of all
// joints are found before, side by side; where the model has closure steps, by the closure sweep.
#ifndef LWI_KERNEL_BODY_POSES_H
#define LWI_KERNEL_BODY_POSES_H

#include "../math/kernel_sincos.h"
#include "../model/data.h"
#include "../model/joint.h"

static inline void place_revolute(const lw_pose *X_PJ, double s, double c, const lw_pose *X_WP,
                                  lw_pose *X_WB)
{
    const lw_vec3 *R = X_PJ->R.row, p = X_PJ->p;
    const double L[9] = {c * R[0].x + s * R[0].y, c * R[0].y - s * R[0].x, R[0].z,
                         c * R[1].x + s * R[1].y, c * R[1].y - s * R[1].x, R[1].z,
                         c * R[2].x + s * R[2].y, c * R[2].y - s * R[2].x, R[2].z};
    double *out_p = &X_WB->p.x;
    const double *in_p = &X_WP->p.x;
    for (int r = 0; r < 3; ++r) {
        const lw_vec3 w = X_WP->R.row[r];
        X_WB->R.row[r].x = w.x * L[0] + w.y * L[3] + w.z * L[6];
        X_WB->R.row[r].y = w.x * L[1] + w.y * L[4] + w.z * L[7];
        X_WB->R.row[r].z = w.x * L[2] + w.y * L[5] + w.z * L[8];
        out_p[r] = in_p[r] + (w.x * p.x + w.y * p.y + w.z * p.z);
    }
}

static void place_other(const lw_model *m, int i, const double *tree_q, const lw_pose *X_WP,
                        lw_pose *X_WB)
{
    const lw_pose X_WJ = joint_frame_after(m, i, X_WP);
    *X_WB = joint_pose_after(m, i, tree_q, &X_WJ);
}

static const lw_pose ground = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

// Angles of revolute joints; of others nothing, whose sine is not read.
static inline double angle_of(const lwi_segment *body, const double *tree_q)
{
    return body->carrier == LW_TREE_REVOLUTE ? tree_q[body->q] : 0.0;
}

// Sines and cosines of the joints.
typedef struct rotations {
    const double *sine, *cosine;
    bool by_position; ///< of the joint in tree_q; else one after the other
} rotations;

static inline rotations rotations_of_closure(const lw_data *d)
{
    return (rotations){d->loop_work.sine, d->loop_work.cosine, true};
}

static inline rotations find_rotations(const lw_model *m, lw_data *d, const double *tree_q)
{
    if (m->nstep > 0) {
        return rotations_of_closure(d);
    }
    const lwi_segment *body = m->kernel->segment;
    const double *angle = tree_q; // one each, in the order of the bodies
    if (!m->kernel->all_revolute) {
        for (int i = 0; i < m->nbody; ++i) {
            d->angle[i] = angle_of(&body[i], tree_q);
        }
        angle = d->angle;
    }
    LWI_SINCOS(m->nbody, angle, d->sine, d->cosine);
    return (rotations){d->sine, d->cosine, false};
}

static void tree_poses(const lw_model *m, lw_data *d, const double *tree_q)
{
    const lwi_segment *body = m->kernel->segment;
    const rotations t = find_rotations(m, d, tree_q);
    lw_pose *X_WB = d->X_WB;
    for (int i = 0; i < m->nbody; ++i) {
        const lw_pose *X_WP = body[i].parent < 0 ? &ground : &X_WB[body[i].parent];
        if (body[i].carrier == LW_TREE_REVOLUTE) {
            const int at = t.by_position ? body[i].q : i;
            place_revolute(&m->X_PJ[i], t.sine[at], t.cosine[at], X_WP, &X_WB[i]);
        } else {
            place_other(m, i, tree_q, X_WP, &X_WB[i]);
        }
    }
}

static void path_poses(const lw_model *m, lw_data *d, const double *tree_q, int n)
{
    const lwi_segment *body = m->kernel->segment;
    rotations t = rotations_of_closure(d);
    if (m->nstep == 0) {
        for (int k = 0; k < n; ++k) {
            d->angle[k] = angle_of(&body[d->path[k]], tree_q);
        }
        LWI_SINCOS(n, d->angle, d->sine, d->cosine);
        t = (rotations){d->sine, d->cosine, false};
    }
    const lw_pose *X_WP = &ground;
    for (int k = n - 1; k >= 0; --k) {
        const int i = d->path[k];
        lw_pose *X_WB = &d->X_WB[i];
        if (body[i].carrier == LW_TREE_REVOLUTE) {
            const int at = t.by_position ? body[i].q : k;
            place_revolute(&m->X_PJ[i], t.sine[at], t.cosine[at], X_WP, X_WB);
        } else {
            place_other(m, i, tree_q, X_WP, X_WB);
        }
        X_WP = X_WB;
    }
}

static void revolute_columns(const lw_model *m, const lw_data *d, int n, lw_vec3 p_W, double *J)
{
    const int stride = m->tree_nv;
    for (int k = 0; k < n; ++k) {
        const lwi_segment *body = &m->kernel->segment[d->path[k]];
        const lw_pose *X = &d->X_WB[d->path[k]];
        if (body->carrier != LW_TREE_REVOLUTE) {
            continue;
        }
        const lw_vec3 z = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z};
        const lw_vec3 arm = {p_W.x - X->p.x, p_W.y - X->p.y, p_W.z - X->p.z};
        double *at = J + body->v;
        at[0] = z.x;
        at[stride] = z.y;
        at[2 * stride] = z.z;
        at[3 * stride] = z.y * arm.z - z.z * arm.y;
        at[4 * stride] = z.z * arm.x - z.x * arm.z;
        at[5 * stride] = z.x * arm.y - z.y * arm.x;
    }
}

static void frame_poses(const lw_model *m, const lw_data *d, int first, int n, lw_pose *X_WF)
{
    for (int i = 0; i < n; ++i) {
        const lw_frame_info *f = &m->frame[first + i];
        if (f->body < 0) {
            X_WF[i] = f->X_BF;
            continue;
        }
        const lw_pose *X_WB = &d->X_WB[f->body];
        const lw_mat3 *R = &f->X_BF.R;
        const lw_vec3 p = f->X_BF.p;
        lw_pose *out = &X_WF[i];
        double *out_p = &out->p.x;
        const double *in_p = &X_WB->p.x;
        for (int r = 0; r < 3; ++r) {
            const lw_vec3 w = X_WB->R.row[r];
            out->R.row[r].x = w.x * R->row[0].x + w.y * R->row[1].x + w.z * R->row[2].x;
            out->R.row[r].y = w.x * R->row[0].y + w.y * R->row[1].y + w.z * R->row[2].y;
            out->R.row[r].z = w.x * R->row[0].z + w.y * R->row[1].z + w.z * R->row[2].z;
            out_p[r] = in_p[r] + (w.x * p.x + w.y * p.y + w.z * p.z);
        }
    }
}

#endif
