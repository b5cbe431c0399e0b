// Batches, LANES states at a time, for the table of kernels (model/kernels.h).
#ifndef LWI_KERNEL_BATCH_H
#define LWI_KERNEL_BATCH_H

#include "../kin/kernel_closure.h"
#include "batch_job.h"
#include "kernel_begin.h"
#include "kernel_poses.h"
#include "kernel_solve.h"

typedef struct worker {
    evaluation e;
    real *q, *v, *a, *tau; ///< of the tree
    real *slope, *curve;   ///< [nstep]
    pose3 *pose;           ///< [nbody]
    real *M;               ///< [tree_nv*tree_nv], or NULL where that is too large
} worker;

static inline size_t work_reals(const lw_model *m)
{
    return LWI_WORK_BODY * (size_t)m->nbody + LWI_WORK_DOF * (size_t)m->tree_nv +
           LWI_WORK_GENERAL * (size_t)m->kernel->ngeneral;
}

static inline size_t dense_reals(const lw_model *m)
{
    const size_t n = (size_t)m->tree_nv;
    return m->tree_nv <= LWI_BATCH_MOST_DENSE ? n * n : 0;
}

static size_t batch_size(const lw_model *m)
{
    return sizeof(real) * (work_reals(m) + dense_reals(m) + (size_t)m->tree_nq +
                           3 * (size_t)m->tree_nv + 2 * (size_t)m->nstep) +
           sizeof(pose3) * (size_t)m->nbody;
}

static inline void lay_out_worker(const lwi_batch_job *job, void *work, worker *w)
{
    const lw_model *m = job->model;
    char *next = work;
    begin(m, &job->settings, lwi_take(&next, (int)work_reals(m), sizeof(real)), &w->e);
    w->q = lwi_take(&next, m->tree_nq, sizeof(real));
    w->v = lwi_take(&next, m->tree_nv, sizeof(real));
    w->a = lwi_take(&next, m->tree_nv, sizeof(real));
    w->tau = lwi_take(&next, m->tree_nv, sizeof(real));
    w->slope = lwi_take(&next, m->nstep, sizeof(real));
    w->curve = lwi_take(&next, m->nstep, sizeof(real));
    w->pose = lwi_take(&next, m->nbody, sizeof(pose3));
    w->M = dense_reals(m) ? (real *)next : NULL;
}

/// Rows of `count` states become lanes; lanes without a state repeat the last one. `location` says
/// where number k of a row goes, NULL: to k.
static inline void load_rows(const double *rows, int length, int count, const int *location,
                             real *x)
{
    const double *row[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        row[lane] = rows + (ptrdiff_t)(lane < count ? lane : count - 1) * length;
    }
    int k = 0;
#if LWI_REAL_LANES == 4
    for (; k + LANES <= length && !location; k += LANES) {
        const square4 y = transposed((square4){load_lanes(&row[0][k]), load_lanes(&row[1][k]),
                                               load_lanes(&row[2][k]), load_lanes(&row[3][k])});
        x[k] = y.a;
        x[k + 1] = y.b;
        x[k + 2] = y.c;
        x[k + 3] = y.d;
    }
#endif
    for (; k < length; ++k) {
        real y = {0};
        for (int lane = 0; lane < LANES; ++lane) {
            y = real_set_lane(y, lane, row[lane][k]);
        }
        x[location ? location[k] : k] = y;
    }
}

/// Lanes become rows of `count` states.
static inline void store_rows(const real *x, int length, int count, const int *location,
                              double *rows)
{
    int k = 0;
#if LWI_REAL_LANES == 4
    for (; k + LANES <= length && count == LANES && !location; k += LANES) {
        const square4 y = transposed((square4){x[k], x[k + 1], x[k + 2], x[k + 3]});
        store_lanes(&rows[k], y.a);
        store_lanes(&rows[length + k], y.b);
        store_lanes(&rows[2 * (ptrdiff_t)length + k], y.c);
        store_lanes(&rows[3 * (ptrdiff_t)length + k], y.d);
    }
#endif
    for (; k < length; ++k) {
        const real y = x[location ? location[k] : k];
        for (int lane = 0; lane < count; ++lane) {
            rows[(ptrdiff_t)lane * length + k] = real_lane(y, lane);
        }
    }
}

static inline void load_positions(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    load_rows(job->q + (ptrdiff_t)first * m->nq, m->nq, count, m->nstep ? m->q_tree : NULL, w->q);
    close_positions(m->nstep, m->kernel->program->step, m->kernel->program->coefficient, w->q,
                    w->slope, w->curve);
}

static inline void load_velocities(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    load_rows(job->v + (ptrdiff_t)first * m->nv, m->nv, count, m->nstep ? m->v_tree : NULL, w->v);
    close_velocities(m->nstep, m->kernel->program->step, w->slope, w->v);
}

static inline void external_of(const lwi_batch_job *job, int first, int count,
                               const double *f_ext[LANES])
{
    for (int lane = 0; lane < LANES; ++lane) {
        const ptrdiff_t state = first + (lane < count ? lane : count - 1);
        f_ext[lane] = job->f_ext ? (const double *)&job->f_ext[state * job->model->nbody] : NULL;
    }
}

static inline pose3 in_every_lane(const lw_pose *X)
{
    pose3 r;
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 row = X->R.row[k];
        r.R.row[k] = (vec3){real_of(row.x), real_of(row.y), real_of(row.z)};
    }
    r.p = (vec3){real_of(X->p.x), real_of(X->p.y), real_of(X->p.z)};
    return r;
}

static inline void run_poses(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    load_positions(job, first, count, w);
    place_joints(&w->e.tree, w->q);
    segment_poses(&w->e.tree, m->kernel->world_phi, w->pose);
    for (int k = 0; k < job->nframe; ++k) {
        const lw_frame_info *info = &m->frame[job->frame ? job->frame[k] : k];
        lw_pose *out = &job->poses[(ptrdiff_t)first * job->nframe + k];
        if (info->body < 0) {
            for (int lane = 0; lane < count; ++lane) {
                out[(ptrdiff_t)lane * job->nframe] = info->X_BF;
            }
            continue;
        }
        const pose3 X_BF = in_every_lane(&info->X_BF);
        const pose3 X = frame_pose(&m->kernel->segment[info->body], &w->pose[info->body], &X_BF);
        const vec3 *R = X.R.row;
        for (int lane = 0; lane < count; ++lane) {
            lw_pose *to = &out[(ptrdiff_t)lane * job->nframe];
            for (int r = 0; r < 3; ++r) {
                to->R.row[r] = lw_vec3_of(real_lane(R[r].x, lane), real_lane(R[r].y, lane),
                                          real_lane(R[r].z, lane));
            }
            to->p =
                lw_vec3_of(real_lane(X.p.x, lane), real_lane(X.p.y, lane), real_lane(X.p.z, lane));
        }
    }
}

/// Forces within the tree, for the accelerations in w->a, in independent coordinates at `place`.
static inline void tree_inverse(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    const double *f_ext[LANES];
    external_of(job, first, count, f_ext);
    close_accelerations(m->nstep, m->kernel->program->step, w->slope, w->curve, w->v, w->a);
    inverse_dynamics(&w->e, w->q, w->v, w->a, job->f_ext ? f_ext : NULL, w->tau);
    close_forces(m->nstep, m->kernel->program->step, w->slope, 1, w->tau);
}

static inline void run_inverse(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    const int *location = m->nstep ? m->v_tree : NULL;
    load_positions(job, first, count, w);
    load_velocities(job, first, count, w);
    load_rows(job->x + (ptrdiff_t)first * m->nv, m->nv, count, location, w->a);
    tree_inverse(job, first, count, w);
    store_rows(w->tau, m->nv, count, location, job->out + (ptrdiff_t)first * m->nv);
}

/// The mass matrix in independent coordinates, at the beginning of w->M.
static inline void closed_mass(const lw_model *m, worker *w)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    place_joints(&w->e.tree, w->q);
    mass_matrix(&w->e, NULL, w->M);
    if (m->nstep == 0) {
        return;
    }
    close_matrix(m->nstep, m->kernel->program->step, w->slope, n, w->M);
    for (size_t i = 0; i < k; ++i) {
        for (size_t j = 0; j < k; ++j) {
            w->M[i * k + j] = w->M[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[j]];
        }
    }
}

static inline void run_mass(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    const int length = m->nv * m->nv;
    load_positions(job, first, count, w);
    closed_mass(m, w);
    store_rows(w->M, length, count, NULL, job->out + (ptrdiff_t)first * length);
}

/// M a = tau - h, where closure steps couple branches. The result is at the beginning of w->a.
static inline bits solve_closed(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    int singular_dof;
    for (int k = 0; k < m->tree_nv; ++k) {
        w->a[k] = (real){0};
    }
    tree_inverse(job, first, count, w);
    load_rows(job->x + (ptrdiff_t)first * m->nv, m->nv, count, NULL, w->a);
    for (int k = 0; k < m->nv; ++k) {
        w->a[k] -= w->tau[m->v_tree[k]];
    }
    closed_mass(m, w);
    return solve_dense(m->nv, w->M, w->a, &singular_dof);
}

static inline int run_forward(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    bits is_singular;
    load_positions(job, first, count, w);
    load_velocities(job, first, count, w);
    if (m->nstep > 0) {
        is_singular = solve_closed(job, first, count, w);
    } else {
        const double *f_ext[LANES];
        external_of(job, first, count, f_ext);
        load_rows(job->x + (ptrdiff_t)first * m->nv, m->nv, count, NULL, w->tau);
        forward_dynamics(&w->e, w->q, w->v, w->tau, job->f_ext ? f_ext : NULL, w->a, &is_singular);
    }
    int failed = -1;
    if (__builtin_expect(is_any(is_singular), 0)) {
        for (int k = 0; k < m->nv; ++k) {
            w->a[k] = select_real(is_singular, (real){0}, w->a[k]);
        }
        for (int lane = count - 1; lane >= 0; --lane) {
            failed = is_any(bits_set_lane((bits){0}, lane, ~(uint64_t)0) & is_singular)
                         ? first + lane
                         : failed;
        }
    }
    store_rows(w->a, m->nv, count, NULL, job->out + (ptrdiff_t)first * m->nv);
    return failed;
}

static int batch_run(const lwi_batch_job *job, int first, int count, void *work)
{
    worker w;
    lay_out_worker(job, work, &w);
    int failed = -1;
    for (int done = 0; done < count; done += LANES) {
        const int at = first + done, rest = count - done, now = rest < LANES ? rest : LANES;
        switch (job->kind) {
        case LWI_BATCH_POSES:
            run_poses(job, at, now, &w);
            break;
        case LWI_BATCH_INVERSE:
            run_inverse(job, at, now, &w);
            break;
        case LWI_BATCH_MASS:
            run_mass(job, at, now, &w);
            break;
        case LWI_BATCH_FORWARD: {
            const int bad = run_forward(job, at, now, &w);
            failed = failed < 0 ? bad : failed;
            break;
        }
        }
    }
    return failed;
}

static bool all_finite(const double *x, size_t n)
{
    enum { CHAINS = 4 }; // additions that need not wait for each other
    real sum[CHAINS] = {{0}};
    size_t k = 0;
    for (; k + CHAINS * LANES <= n; k += CHAINS * LANES) {
        for (size_t c = 0; c < CHAINS; ++c) {
            real y;
            memcpy(&y, &x[k + c * LANES], sizeof y);
            sum[c] += 0 * y; // zero, or not a number
        }
    }
    double rest = 0.0;
    for (; k < n; ++k) {
        rest += 0.0 * x[k];
    }
    const real all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (int lane = 0; lane < LANES; ++lane) {
        rest += real_lane(all, lane);
    }
    return rest == 0.0;
}

#endif
