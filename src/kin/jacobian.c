// Jacobians of frames and of the centre of mass: one column a degree of freedom, from the joint's
// axis in the world and the arm from it to the point.
#include <linkwork/kinematics.h>

#include "../model/data.h"
#include "closure.h"
#include "finite.h"
#include "held_state.h"
#include "rod_ends.h"
#include "tree.h"
#include "unit.h"

#include <string.h>

// Column k of a 6 x n matrix stored row by row.
static inline void set_column(double *J, int n, int k, lw_vec3 ang, lw_vec3 lin)
{
    double *at = J + k;
    at[0] = ang.x;
    at[n] = ang.y;
    at[2 * n] = ang.z;
    at[3 * n] = lin.x;
    at[4 * n] = lin.y;
    at[5 * n] = lin.z;
}

// Columns of the degrees of freedom of body i for the point p_W, in world axes, or rotated into the
// axes of R where it is given.
static void set_columns(const lw_model *m, const lw_data *d, const double *tree_q, int i,
                        lw_vec3 p_W, const lw_mat3 *R, double *J)
{
    lw_motion S[LW_MAX_DOF];
    const int n = unit_motions(m, d, tree_q, i, S);
    const lw_vec3 arm = lw_sub3(p_W, d->X_WB[i].p);
    for (int k = 0; k < n; ++k) {
        lw_vec3 ang = S[k].ang;
        lw_vec3 lin = lw_add3(S[k].lin, lw_cross3(ang, arm));
        if (R) {
            ang = lw_rotate_back(R, ang);
            lin = lw_rotate_back(R, lin);
        }
        set_column(J, m->tree_nv, m->kernel->segment[i].v + k, ang, lin);
    }
}

// Those of the path that lwi_kernels.joint_columns does not set: all where the axes R_BF of a frame
// on its last body are given, else those of slides, screws and users.
static void set_other_columns(const lw_model *m, const lw_data *d, const double *tree_q, int n,
                              lw_vec3 p_W, const lw_mat3 *R_BF, double *J)
{
    lw_mat3 R_WF;
    if (R_BF) {
        R_WF = lw_mul3(&d->X_WB[d->path[0]].R, R_BF);
    }
    for (int k = n - 1; k >= 0; --k) {
        const int i = d->path[k], carrier = m->kernel->segment[i].carrier;
        if (R_BF || carrier == LW_TREE_PRISMATIC || carrier == LW_TREE_SCREW ||
            carrier == LW_TREE_USER) {
            set_columns(m, d, tree_q, i, p_W, R_BF ? &R_WF : NULL, J);
        }
    }
}

lw_status lw_frame_jacobian(const lw_model *m, lw_data *d, const double *q, int frame, lw_axes axes,
                            const lw_vec3 *point, double *J)
{
    if (!m || !d || d->model != m || frame < 0 || frame >= m->nframe_all || !J || (!q && m->nq) ||
        (axes != LW_IN_FRAME && axes != LW_IN_WORLD)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_begin_at(m, d, q) != LW_OK || !lwi_is_point(point)) {
        return LW_ERR_NUMBER;
    }
    const lw_frame_info *f = &m->frame[frame];
    const double *tree_q = lwi_closure_position_of_body(m, d, q, f->body);
    if (!tree_q || !lwi_closure_rates_of_body(m, d, f->body)) {
        return lwi_closure_status(d);
    }
    const int n = lwi_find_path(m, d, f->body);
    if (!d->held.has_poses) {
        d->kernels->path_poses(m, d, tree_q, n);
    }

    // With steps the columns of the tree are summed into those of the independent degrees of
    // freedom.
    double *tree_J = m->nstep ? d->tree_J : J;
    const bool is_plain = m->kernel->all_revolute && axes == LW_IN_WORLD;
    if (n < m->tree_nv || !is_plain) { // else every column is written
        memset(tree_J, 0, 6 * (size_t)m->tree_nv * sizeof *tree_J);
    }
    if (n > 0) {
        const lw_pose *X_WB = &d->X_WB[f->body];
        const lw_vec3 p_W =
            lw_pose_apply(X_WB, point ? lw_pose_apply(&f->X_BF, *point) : f->X_BF.p);
        if (axes == LW_IN_FRAME || !d->kernels->joint_columns(m, d, n, p_W, tree_J)) {
            set_other_columns(m, d, tree_q, n, p_W, axes == LW_IN_FRAME ? &f->X_BF.R : NULL,
                              tree_J);
        }
    }
    for (int r = 0; r < 6 && m->nstep; ++r) {
        lwi_closure_transpose(m, d, tree_J + r * m->tree_nv, 1, J + r * m->nv);
    }
    return LW_OK;
}

// Mass and first moment, in the world, of each body with all that it carries.
static void sum_subtrees(const lw_model *m, lw_data *d)
{
    for (int i = 0; i < m->nbody; ++i) {
        const lw_inertia *inertia = &m->inertia[i];
        const lw_vec3 h = lw_rotate(&d->X_WB[i].R, inertia->first_moment);
        d->subtree[i].mass = inertia->mass;
        d->subtree[i].moment = lw_add3(h, lw_scale3(inertia->mass, d->X_WB[i].p));
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const int p = m->parent[i];
        if (p >= 0) {
            d->subtree[p].mass += d->subtree[i].mass;
            d->subtree[p].moment = lw_add3(d->subtree[p].moment, d->subtree[i].moment);
        }
    }
}

// A degree of freedom of body i moves the centre of what it carries, and the whole by its share of
// the mass.
static void set_center_columns(const lw_model *m, lw_data *d, const double *tree_q, double total,
                               double *tree_J)
{
    const int n = m->tree_nv;
    for (int i = 0; i < m->nbody; ++i) {
        lw_motion S[LW_MAX_DOF];
        const int nv = unit_motions(m, d, tree_q, i, S);
        const lwi_subtree *sub = &d->subtree[i];
        const lw_vec3 arm = lw_sub3(sub->moment, lw_scale3(sub->mass, d->X_WB[i].p));
        for (int k = 0; k < nv; ++k) {
            const lw_vec3 lin = lw_scale3(
                1.0 / total, lw_add3(lw_cross3(S[k].ang, arm), lw_scale3(sub->mass, S[k].lin)));
            double *at = tree_J + m->kernel->segment[i].v + k;
            at[0] = lin.x;
            at[n] = lin.y;
            at[2 * n] = lin.z;
        }
    }
}

// A rod's centre is midway between its ends.
static void add_rod_columns(const lw_model *m, lw_data *d, const double *tree_q, double total,
                            double *tree_J)
{
    const int n = 3 * m->tree_nv;
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (!lwi_has_rod_mass(m, k)) {
            continue;
        }
        const lwi_rod_ends rod = lwi_rod_at(m, d, k, 0);
        lwi_rod_jacobian(m, d, tree_q, &rod, d->rod_J);
        for (int i = 0; i < n; ++i) {
            tree_J[i] += rod.mass / (2 * total) * (d->rod_J[i] + d->rod_J[n + i]);
        }
    }
}

lw_status lw_center_of_mass(const lw_model *m, lw_data *d, const double *q, lw_vec3 *center,
                            double *J)
{
    if (!center) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lw_forward_position(m, d, q);
    if (status != LW_OK) {
        return status;
    }
    sum_subtrees(m, d);
    double total = 0.0;
    lw_vec3 moment = {0.0, 0.0, 0.0};
    for (int i = 0; i < m->nbody; i = m->kernel->segment[i].subtree_end) {
        total += d->subtree[i].mass;
        moment = lw_add3(moment, d->subtree[i].moment);
    }
    lw_vec3 of_rods;
    total += lwi_rod_moment(m, d, &of_rods);
    moment = lw_add3(moment, of_rods);
    if (!(total > 0.0)) {
        return LW_ERR_SINGULAR;
    }
    if (J) {
        if (!lwi_closure_rates(m, d)) {
            d->stage = LW_STAGE_NONE;
            return lwi_closure_status(d);
        }
        double *tree_J = m->nstep ? d->tree_J : J;
        lwi_closure_angles(m, d);
        set_center_columns(m, d, m->nstep ? d->tree_q : q, total, tree_J);
        add_rod_columns(m, d, m->nstep ? d->tree_q : q, total, tree_J);
        for (int r = 0; r < 3 && m->nstep; ++r) {
            lwi_closure_transpose(m, d, tree_J + r * m->tree_nv, 1, J + r * m->nv);
        }
    }
    *center = lw_scale3(1.0 / total, moment);
    return LW_OK;
}
