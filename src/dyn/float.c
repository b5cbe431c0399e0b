// The recursions in float. No double in this file.
#define LWI_REAL_FLOAT
#include "float_closure.h"
#include "float_springs.h"

#include "../kin/kernel_closure.h"
#include "kernel_poses.h"
#include "kernel_rods.h"
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

static lw_status tree_positions(const lw_model32 *m, lw_data32 *d, const float *q,
                                const float **tree_q)
{
    *tree_q = m->nstep > 0 ? d->q : q;
    return m->nstep > 0 ? lwi_close_positions32(m, d, q) : LW_OK;
}

static const float *tree_velocities(const lw_model32 *m, lw_data32 *d, const float *v)
{
    if (m->nstep == 0) {
        return v;
    }
    lwi_close_velocities32(m, d, v);
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

// Sines and cosines, from the closure where that has them.
static void find_tree_sines(const lw_model32 *m, const lw_data32 *d, const float *tree_q, tree *t)
{
    if (m->nplane_record == 0) {
        find_sines(t, tree_q);
        return;
    }
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        t->sine[i] = is_angle ? d->sine[b->q] : 0;
        t->cosine[i] = is_angle ? d->cosine[b->q] : 1;
    }
}

static void add_rods32(const lw_model32 *m, evaluation *e, const moving *world)
{
    for (int k = 0; k < m->nloop; ++k) {
        if (m->rod_mass[k] > 0) {
            add_rod(&e->tree, &m->loop[k], m->rod_mass[k], m->world_phi, world, e->moving,
                    e->force);
        }
    }
}

// Leaves the forces of springs in d->spring_tau; false where there are none.
static bool find_springs(const lw_model32 *m, lw_data32 *d, evaluation *e, const float *tree_q,
                         const float *tree_v)
{
    if (m->nspring == 0 || d->is_ideal) {
        return false;
    }
    find_tree_sines(m, d, tree_q, &e->tree);
    set_joints(&e->tree, tree_q);
    segment_poses(&e->tree, m->world_phi, d->pose);
    return lwi_find_spring_forces32(m, d, tree_q, tree_v);
}

// At tree positions that are closed.
static void closed_inverse(const lw_model32 *m, lw_data32 *d, const float *tree_q, const float *v,
                           const float *a, const lw_force32 *f_ext, float *tau)
{
    evaluation e;
    begin(m, d, &e);
    const float *const lanes[] = {(const float *)f_ext};
    const float *tree_v = tree_velocities(m, d, v), *tree_a = tree_accelerations(m, d, a);
    float *tree_tau = m->nstep > 0 ? d->tau : tau;
    const bool has_springs = find_springs(m, d, &e, tree_q, tree_v);
    find_tree_sines(m, d, tree_q, &e.tree);
    rnea_outward(&e.tree, tree_q, tree_v, tree_a, &e.world, e.moving, e.force);
    add_rods32(m, &e, &e.world);
    subtract_applied(&e, f_ext ? lanes : NULL);
    joint_forces(&e, tree_q, tree_v, tree_a, tree_tau);
    for (int k = 0; k < m->tree_nv && has_springs; ++k) {
        tree_tau[k] += d->spring_tau[k];
    }
    close_forces(m->nstep, m->step, d->rate, tree_tau);
    for (int k = 0; k < m->nv && m->nstep > 0; ++k) {
        tau[k] = tree_tau[m->v_tree[k]];
    }
}

lw_status lw_inverse_dynamics32(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                                const float *a, const lw_force32 *f_ext, float *tau)
{
    lw_status status = check_state(m, d, q, v, a);
    if (status != LW_OK || (!tau && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    const float *tree_q;
    status = tree_positions(m, d, q, &tree_q);
    if (status == LW_OK) {
        closed_inverse(m, d, tree_q, v, a, f_ext, tau);
    }
    return status;
}

// The mass matrix by the forces that unit accelerations need, for rods with mass, which composite
// bodies do not contain. Velocities are lost.
static void mass_by_columns(const lw_model32 *m, lw_data32 *d, evaluation *e, const float *tree_q,
                            float *M)
{
    const int n = m->tree_nv, nv = m->nv;
    moving still;
    memset(&still, 0, sizeof still);
    memset(d->v, 0, (size_t)n * sizeof *d->v);
    find_tree_sines(m, d, tree_q, &e->tree);
    for (int k = 0; k < nv; ++k) {
        memset(d->a, 0, (size_t)n * sizeof *d->a);
        d->a[m->v_tree[k]] = 1;
        close_accelerations(m->nstep, m->step, d->rate, NULL, d->a);
        rnea_outward(&e->tree, tree_q, d->v, d->a, &still, e->moving, e->force);
        add_rods32(m, e, &still);
        rnea_inward(&e->tree, e->force, d->tau);
        for (int i = 0; i < n && e->passive; ++i) {
            d->tau[i] += e->passive[i].rotor * d->a[i];
        }
        close_forces(m->nstep, m->step, d->rate, d->tau);
        for (int i = 0; i < nv; ++i) {
            M[i * nv + k] = d->tau[m->v_tree[i]];
        }
    }
}

// At tree positions that are closed. `M` may be d->M: a smaller matrix at its beginning.
static void closed_mass(const lw_model32 *m, lw_data32 *d, const float *tree_q, float *M)
{
    evaluation e;
    begin(m, d, &e);
    if (m->has_rods) {
        mass_by_columns(m, d, &e, tree_q, M);
        return;
    }
    find_tree_sines(m, d, tree_q, &e.tree);
    set_joints(&e.tree, tree_q);
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
    lw_status status = check_position(m, d, q);
    if (status != LW_OK || (!M && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    const float *tree_q;
    status = tree_positions(m, d, q, &tree_q);
    if (status == LW_OK) {
        closed_mass(m, d, tree_q, M);
    }
    return status;
}

// M a = tau - h, where closure steps couple branches. `a` is written only where there is an answer.
static lw_status solve_closed(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                              const float *tau, const lw_force32 *f_ext, float *a)
{
    const float *tree_q;
    const lw_status status = tree_positions(m, d, q, &tree_q);
    if (status != LW_OK) {
        return status;
    }
    closed_inverse(m, d, tree_q, v, NULL, f_ext, d->x);
    for (int k = 0; k < m->nv; ++k) {
        d->x[k] = tau[k] - d->x[k];
    }
    closed_mass(m, d, tree_q, d->M);
    if (solve_dense(m->nv, d->M, d->x, &d->singular_dof)) {
        return LW_ERR_SINGULAR;
    }
    memcpy(a, d->x, (size_t)m->nv * sizeof *a);
    return LW_OK;
}

static int run_forward(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                       const float *tau, const lw_force32 *f_ext, float *a)
{
    evaluation e;
    begin(m, d, &e);
    bits singular;
    const float *const lanes[] = {(const float *)f_ext};
    if (find_springs(m, d, &e, q, v)) {
        for (int k = 0; k < m->nv; ++k) {
            d->spring_tau[k] = tau[k] - d->spring_tau[k];
        }
        tau = d->spring_tau;
    }
    return forward_dynamics(&e, q, v, tau, f_ext ? lanes : NULL, a, &singular);
}

lw_status lw_forward_dynamics32(const lw_model32 *m, lw_data32 *d, const float *q, const float *v,
                                const float *tau, const lw_force32 *f_ext, float *a)
{
    const lw_status status = check_state(m, d, q, v, tau);
    if (status != LW_OK || (!a && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    d->singular_dof = -1;
    if (m->nstep > 0) {
        return solve_closed(m, d, q, v, tau, f_ext, a);
    }
    d->singular_dof = run_forward(m, d, q, v, tau, f_ext, a);
    return d->singular_dof < 0 ? LW_OK : LW_ERR_SINGULAR;
}

lw_status lw_forward_position32(const lw_model32 *m, lw_data32 *d, const float *q, int nframe,
                                const int *frame, lw_pose32 *X_WF)
{
    lw_status status = check_position(m, d, q);
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
    const float *tree_q;
    status = tree_positions(m, d, q, &tree_q);
    if (status != LW_OK) {
        return status;
    }
    find_tree_sines(m, d, tree_q, &e.tree);
    set_joints(&e.tree, tree_q);
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
