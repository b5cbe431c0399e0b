// Poses of bodies and columns of Jacobians, for the table of kernels (model/kernels.h).
//
// Axes are kept in registers of four (quad.h) from a body to the next one that it carries, and
// stored as rows. Sines and cosines of all joints are found before, side by side; where the model
// has closure steps, by the closure sweep.
#ifndef LWI_KERNEL_BODY_POSES_H
#define LWI_KERNEL_BODY_POSES_H

#include "../math/kernel_sincos.h"
#include "../math/quad_pose.h"
#include "../model/data.h"
#include "../model/joint.h"

/// Behind a free or a spherical joint at q.
LWI_INLINE quad_frame ball_after(const quad_frame *P, const lw_pose *X_PJ, bool is_free,
                                 const double *q)
{
    const quad_frame f = pose_behind(P, X_PJ, false);
    lw_pose own = {quat_rotation(is_free ? q + 3 : q), {0, 0, 0}};
    if (is_free) {
        own.p = (lw_vec3){q[0], q[1], q[2]};
    }
    return pose_behind(&f, &own, false);
}

static const lw_pose ground = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

static void place_other(const lw_model *m, int i, const double *tree_q, lw_pose *X_WB)
{
    const int parent = m->kernel->segment[i].parent;
    const lw_pose X_WJ = joint_frame_after(m, i, parent < 0 ? &ground : &X_WB[parent]);
    X_WB[i] = joint_pose_after(m, i, tree_q, &X_WJ);
}

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

/// What is read for each body, where the compiler cannot know that poses do not overwrite it.
typedef struct pose_sweep {
    const lw_model *m;
    const lwi_segment *body;
    const lw_pose *X_PJ;
    const double *tree_q, *sine, *cosine;
    lw_pose *X_WB;
} pose_sweep;

LWI_INLINE pose_sweep begin_poses(const lw_model *m, lw_data *d, const double *tree_q, rotations t)
{
    return (pose_sweep){m, m->kernel->segment, m->X_PJ, tree_q, t.sine, t.cosine, d->X_WB};
}

/// Body i, whose sine is the one at `at`. f has the parent's frame before and its own after.
LWI_INLINE void place_body(const pose_sweep *w, int i, int at, quad_frame *f)
{
    const lwi_segment *b = &w->body[i];
    const lw_pose *X_PJ = &w->X_PJ[i];
    if (__builtin_expect(b->carrier == LW_TREE_REVOLUTE, 1)) {
        if (b->is_shifted) {
            *f = revolute_after(f, X_PJ, true, w->sine[at], w->cosine[at]);
        } else {
            *f = revolute_after(f, X_PJ, false, w->sine[at], w->cosine[at]);
        }
    } else if (b->carrier == LW_TREE_FREE || b->carrier == LW_TREE_SPHERICAL) {
        *f = ball_after(f, X_PJ, b->carrier == LW_TREE_FREE, w->tree_q + b->q);
    } else {
        place_other(w->m, i, w->tree_q, w->X_WB);
        *f = load_pose(&w->X_WB[i]);
        return;
    }
    store_pose(f, &w->X_WB[i]);
}

static void tree_poses(const lw_model *m, lw_data *d, const double *tree_q)
{
    const bool is_held = tree_q == d->held.q; // of a tree, with its sines
    const rotations t =
        is_held ? (rotations){d->held.sine, d->held.cosine, false} : find_rotations(m, d, tree_q);
    const pose_sweep w = begin_poses(m, d, tree_q, t);
    const int n = m->nbody;
    quad_frame f = load_pose(&ground);
    for (int i = 0; i < n; ++i) {
        const int parent = w.body[i].parent;
        if (parent != i - 1) {
            f = load_pose(parent < 0 ? &ground : &w.X_WB[parent]);
        }
        place_body(&w, i, t.by_position ? w.body[i].q : i, &f);
    }
}

static void path_poses(const lw_model *m, lw_data *d, const double *tree_q, int n)
{
    const lwi_segment *body = m->kernel->segment;
    const int *path = d->path;
    rotations t = {d->sine, d->cosine, false}; // the world's child first
    if (m->nstep > 0 || n == m->nbody) {
        t = find_rotations(m, d, tree_q);
    } else {
        double *angle = d->angle;
        for (int k = 0; k < n; ++k) {
            angle[n - 1 - k] = angle_of(&body[path[k]], tree_q);
        }
        LWI_SINCOS(n, d->angle, d->sine, d->cosine);
    }
    const pose_sweep w = begin_poses(m, d, tree_q, t);
    quad_frame f = load_pose(&ground);
    int at = 0;
    for (const int *i = path + n; i > path; ++at) {
        --i;
        place_body(&w, *i, t.by_position ? body[*i].q : at, &f);
    }
}

LWI_INLINE void put_column(lw_vec3 z, lw_vec3 arm, double *at, size_t stride)
{
    at[0] = z.x;
    at[stride] = z.y;
    at[2 * stride] = z.z;
    at[3 * stride] = z.y * arm.z - z.z * arm.y;
    at[4 * stride] = z.z * arm.x - z.x * arm.z;
    at[5 * stride] = z.x * arm.y - z.y * arm.x;
}

static inline void put_ball_columns(const lw_pose *X, lw_vec3 arm, bool is_free, double *at,
                                    size_t stride)
{
    const lw_vec3 *R = X->R.row;
    put_column((lw_vec3){R[0].x, R[1].x, R[2].x}, arm, at, stride);
    put_column((lw_vec3){R[0].y, R[1].y, R[2].y}, arm, at + 1, stride);
    put_column((lw_vec3){R[0].z, R[1].z, R[2].z}, arm, at + 2, stride);
    for (size_t r = 0; r < 3 && is_free; ++r) {
        double *row = at + (3 + r) * stride + 3;
        row[0] = R[r].x;
        row[1] = R[r].y;
        row[2] = R[r].z;
    }
}

static bool joint_columns(const lw_model *m, const lw_data *d, int n, lw_vec3 p_W, double *J)
{
    const size_t stride = (size_t)m->tree_nv;
    const lwi_segment *segment = m->kernel->segment;
    const lw_pose *X_WB = d->X_WB;
    bool is_all = true;
    for (const int *i = d->path, *end = i + n; i < end; ++i) {
        const lwi_segment *body = &segment[*i];
        const lw_pose *X = &X_WB[*i];
        const lw_vec3 arm = {p_W.x - X->p.x, p_W.y - X->p.y, p_W.z - X->p.z};
        double *at = J + body->v;
        if (body->carrier == LW_TREE_REVOLUTE) {
            put_column(column_z(&X->R), arm, at, stride);
        } else if (body->carrier == LW_TREE_FREE || body->carrier == LW_TREE_SPHERICAL) {
            put_ball_columns(X, arm, body->carrier == LW_TREE_FREE, at, stride);
        } else {
            is_all = false;
        }
    }
    return is_all;
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
