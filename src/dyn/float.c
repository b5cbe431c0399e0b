// The recursions in float. No double in this file.
#define LWI_REAL_FLOAT
#include "float_model.h"

#include "../kin/kernel_closure.h"
#include "kernel_poses.h"
#include "kernel_solve.h"
#include "kernel_work.h"

static bool all_finite(const float *x, int n)
{
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += 0 * x[k]; // zero, or not a number
    }
    return sum == 0;
}

static lw_status check_position(const lw_model32 *m, const lw_data32 *d, const float *q)
{
    if (!m || !d || d->model != m || (!q && m->nq > 0)) {
        return LW_ERR_ARGUMENT;
    }
    bool is_good = all_finite(q, m->nq);
    for (int k = 0; k < m->nquat; ++k) {
        const float *x = &q[m->quat[k]];
        const float length = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        is_good = is_good && length > 1e-30f && length < 1e30f;
    }
    return is_good ? LW_OK : LW_ERR_NUMBER;
}

static lw_status check_vector(const lw_model32 *m, const float *x)
{
    if (!x && m->nv > 0) {
        return LW_ERR_ARGUMENT;
    }
    return all_finite(x, m->nv) ? LW_OK : LW_ERR_NUMBER;
}

static lw_status check_state(const lw_model32 *m, const lw_data32 *d, const float *q,
                             const float *v, const float *x)
{
    lw_status status = check_position(m, d, q);
    if (status == LW_OK) {
        status = check_vector(m, v);
    }
    return status == LW_OK ? check_vector(m, x) : status;
}

static vec3 in_rotated_world(const lw_model32 *m, const float v[3])
{
    return rotate_back_z(m->world_phi[0], m->world_phi[1], vec3_of(v));
}

static void begin(const lw_model32 *m, const lw_data32 *d, evaluation *e)
{
    e->tree.nbody = m->nbody;
    e->tree.all_revolute = m->all_revolute;
    e->tree.segment = m->segment;
    e->tree.user = NULL;
    e->nv = m->tree_nv;
    e->passive = m->has_joint_forces && !d->is_ideal ? m->passive : NULL;
    e->friction_rate = d->friction_rate;
    e->nload = m->nload;
    e->load = m->load;
    lay_out_work(e, m->ngeneral, d->work);
    set_moving_world(
        in_rotated_world(m, d->base_rotation), in_rotated_world(m, d->base_rotation_rate),
        in_rotated_world(m, d->base_acceleration), in_rotated_world(m, d->gravity), &e->world);
}

// Tree coordinates: the caller's own, or in the data where there are closure steps.

static const float *tree_positions(const lw_model32 *m, lw_data32 *d, const float *q)
{
    if (m->nstep == 0) {
        return q;
    }
    for (int k = 0; k < m->nq; ++k) {
        d->q[m->q_tree[k]] = q[k];
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->step[s];
        close_step(step, &m->coefficient[step->first_coefficient], d->q, &d->rate[step->rate],
                   &d->bias[step->bias]);
    }
    return d->q;
}

static const float *tree_velocities(const lw_model32 *m, lw_data32 *d, const float *v)
{
    if (m->nstep == 0) {
        return v;
    }
    for (int k = 0; k < m->nv; ++k) {
        d->v[m->v_tree[k]] = v[k];
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->step[s];
        cross_step(step, &d->rate[step->rate], NULL, d->v);
        close_bias(step, d->v, &d->bias[step->bias]);
    }
    return d->v;
}

// NULL stands for zero, and is only passed where there are closure steps.
static const float *tree_accelerations(const lw_model32 *m, lw_data32 *d, const float *a)
{
    if (m->nstep == 0) {
        return a;
    }
    for (int k = 0; k < m->nv; ++k) {
        d->a[m->v_tree[k]] = a ? a[k] : 0;
    }
    close_accelerations(m->nstep, m->step, d->rate, d->bias, d->a);
    return d->a;
}

static void run_inverse(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                        const float *a, const lw_force32 *f_ext, float *tau)
{
    evaluation e;
    begin(m, d, &e);
    const float *const lanes[] = {(const float *)f_ext};
    const float *tree_q = tree_positions(m, d, q), *tree_v = tree_velocities(m, d, v);
    const float *tree_a = tree_accelerations(m, d, a);
    float *tree_tau = m->nstep > 0 ? d->tau : tau;
    inverse_dynamics(&e, tree_q, tree_v, tree_a, f_ext ? lanes : NULL, tree_tau);
    close_forces(m->nstep, m->step, d->rate, tree_tau);
    for (int k = 0; k < m->nv && m->nstep > 0; ++k) {
        tau[k] = tree_tau[m->v_tree[k]];
    }
}

lw_status lw_inverse_dynamics32(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                                const float *a, const lw_force32 *f_ext, float *tau)
{
    const lw_status status = check_state(m, d, q, v, a);
    if (status != LW_OK || (!tau && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    run_inverse(m, d, q, v, a, f_ext, tau);
    return LW_OK;
}

static void run_mass(const lw_model32 *m, lw_data32 *d, const float *q, float *M)
{
    evaluation e;
    begin(m, d, &e);
    place_joints(&e.tree, tree_positions(m, d, q));
    mass_matrix(&e, NULL, m->nstep > 0 ? d->M : M);
    if (m->nstep == 0) {
        return;
    }
    const size_t n = (size_t)m->tree_nv, nv = (size_t)m->nv;
    close_matrix(m->nstep, m->step, d->rate, n, d->M);
    for (size_t i = 0; i < nv; ++i) {
        for (size_t k = 0; k < nv; ++k) {
            M[i * nv + k] = d->M[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[k]];
        }
    }
}

lw_status lw_mass_matrix32(const lw_model32 *m, lw_data32 *d, const float *q, float *M)
{
    const lw_status status = check_position(m, d, q);
    if (status != LW_OK || (!M && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    run_mass(m, d, q, M);
    return LW_OK;
}

// M a = tau - h, where closure steps couple branches. `a` is written only where there is an answer.
static int solve_closed(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                        const float *tau, const lw_force32 *f_ext, float *a)
{
    int singular_dof = -1;
    run_inverse(m, d, q, v, NULL, f_ext, d->a);
    for (int k = 0; k < m->nv; ++k) {
        d->tau[k] = tau[k] - d->a[k];
    }
    run_mass(m, d, q, d->M); // a smaller matrix at the beginning of the larger one
    if (solve_dense(m->nv, d->M, d->tau, &singular_dof)) {
        return singular_dof;
    }
    for (int k = 0; k < m->nv; ++k) {
        a[k] = d->tau[k];
    }
    return -1;
}

static int run_forward(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                       const float *tau, const lw_force32 *f_ext, float *a)
{
    evaluation e;
    begin(m, d, &e);
    bits singular;
    const float *const lanes[] = {(const float *)f_ext};
    return forward_dynamics(&e, q, v, tau, f_ext ? lanes : NULL, a, &singular);
}

lw_status lw_forward_dynamics32(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                                const float *tau, const lw_force32 *f_ext, float *a)
{
    const lw_status status = check_state(m, d, q, v, tau);
    if (status != LW_OK || (!a && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    d->singular_dof = m->nstep > 0 ? solve_closed(m, d, q, v, tau, f_ext, a)
                                   : run_forward(m, d, q, v, tau, f_ext, a);
    return d->singular_dof < 0 ? LW_OK : LW_ERR_SINGULAR;
}

lw_status lw_forward_position32(const lw_model32 *m, lw_data32 *d, const float *q, int nframe,
                                const int *frame, lw_pose32 *X_WF)
{
    const lw_status status = check_position(m, d, q);
    if (status != LW_OK || nframe < 0 || nframe > m->nframe || (!X_WF && nframe > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    for (int k = 0; k < nframe && frame; ++k) {
        if (frame[k] < 0 || frame[k] >= m->nframe) {
            return LW_ERR_ARGUMENT;
        }
    }
    evaluation e;
    begin(m, d, &e);
    pose3 *pose = d->pose;
    place_joints(&e.tree, tree_positions(m, d, q));
    segment_poses(&e.tree, m->world_phi, pose);
    for (int k = 0; k < nframe; ++k) {
        const lwi_frame32 *from = &m->frame[frame ? frame[k] : k];
        if (from->body < 0) {
            X_WF[k] = from->X_BF;
            continue;
        }
        const float *R = from->X_BF.R;
        const pose3 X_BF = {{{vec3_of(R), vec3_of(R + 3), vec3_of(R + 6)}}, vec3_of(from->X_BF.p)};
        const pose3 X = frame_pose(&m->segment[from->body], &pose[from->body], &X_BF);
        for (int r = 0; r < 3; ++r) {
            X_WF[k].R[3 * r] = X.R.row[r].x;
            X_WF[k].R[3 * r + 1] = X.R.row[r].y;
            X_WF[k].R[3 * r + 2] = X.R.row[r].z;
        }
        X_WF[k].p[0] = X.p.x;
        X_WF[k].p[1] = X.p.y;
        X_WF[k].p[2] = X.p.z;
    }
    return LW_OK;
}
