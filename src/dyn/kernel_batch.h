// Batches, LANES states at a time, for the table of kernels (model/kernels.h).
#ifndef LWI_KERNEL_BATCH_H
#define LWI_KERNEL_BATCH_H

#include "../kin/closure.h"
#include "../kin/kernel_closure_lanes.h"
#include "batch_job.h"
#include "kernel_begin.h"
#include "kernel_poses.h"
#include "kernel_rods.h"
#include "kernel_roots.h"
#include "kernel_rows.h"
#include "kernel_solve.h"

/// LANES entries of a matrix side by side, as the structure of the tree has them: also side by side
/// in the rows of kernel_roots.h, or not.
typedef enum matrix_part { PART_ZERO, PART_ROW, PART_USED, PART_END } matrix_part;

typedef struct worker {
    evaluation e;
    real *q, *v, *a, *tau; ///< of the tree
    real *x;               ///< [nv]
    closure_lanes closure;
    pose3 *pose; ///< [nbody]
    real *M;     ///< [tree_nv*tree_nv], or NULL where that is too large
    real *rows;  ///< [tree_nv*tree_nv+1] of the tree's matrix (kernel_roots.h), and at last a zero
    int *place;  ///< [tree_nv*tree_nv] of the entries of this matrix
    char *part;  ///< [tree_nv*tree_nv/LANES+1] a matrix_part for LANES of them
    int *nentry; ///< in `rows`; 0 until the places are known, which is once
    bool has_rods; ///< with mass
    lw_data *d;    ///< that closes loops one state after the other, or NULL
} worker;

static inline bool is_marked(bits failed, int lane)
{
    return is_any(bits_set_lane((bits){0}, lane, ~(uint64_t)0) & failed);
}

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
    return LWI_ALIGN +
           sizeof(real) * (work_reals(m) + 2 * dense_reals(m) + 1 + closure_lane_reals(m) +
                           (size_t)m->tree_nq + 3 * (size_t)m->tree_nv + (size_t)m->nv) +
           sizeof(pose3) * (size_t)m->nbody + dense_reals(m) * sizeof(int) +
           dense_reals(m) / LANES + 1;
}

static inline void lay_out_worker(const lwi_batch_job *job, void *work, lw_data *d, worker *w)
{
    const lw_model *m = job->model;
    w->d = d;
    w->nentry = work;
    char *next = (char *)work + LWI_ALIGN;
    begin(m, &job->settings, lwi_take(&next, (int)work_reals(m), sizeof(real)), &w->e);
    w->q = lwi_take(&next, m->tree_nq, sizeof(real));
    w->v = lwi_take(&next, m->tree_nv, sizeof(real));
    w->a = lwi_take(&next, m->tree_nv, sizeof(real));
    w->tau = lwi_take(&next, m->tree_nv, sizeof(real));
    w->x = lwi_take(&next, m->nv, sizeof(real));
    lay_out_closure(m, &next, &w->closure);
    w->pose = lwi_take(&next, m->nbody, sizeof(pose3));
    const int dense = (int)dense_reals(m);
    w->M = dense ? lwi_take(&next, dense, sizeof(real)) : NULL;
    w->rows = lwi_take(&next, dense + 1, sizeof(real));
    w->place = lwi_take(&next, dense, sizeof(int));
    w->part = next;
    w->has_rods = false;
    for (int k = 0; k < m->nloop; ++k) {
        w->has_rods = w->has_rods || m->loop[k].mass > 0.0;
    }
}

/// What LANES entries from `place` on are.
static inline matrix_part part_of(const int *place, int zero)
{
    int used = 0, apart = 0;
    for (int k = 0; k < LANES; ++k) {
        used |= place[k] ^ zero;
        apart |= place[k] ^ (place[0] + k * (int)sizeof(real));
    }
    return used == 0 ? PART_ZERO : apart == 0 ? PART_ROW : PART_USED;
}

/// Not inline: it would take registers of others in batch_run().
static __attribute__((noinline)) void begin_mass(const lw_model *m, worker *w)
{
    const int n = m->tree_nv, count = n * n, zero = count * (int)sizeof(real);
    *w->nentry = place_rows(&w->e.tree, n, zero, w->place);
    w->rows[count] = (real){0};
    for (int k = 0; k + LANES <= count; k += LANES) {
        w->part[k / LANES] = (char)part_of(&w->place[k], zero);
    }
    w->part[count / LANES] = PART_END;
}

LWI_INLINE const real *entry_at(const real *rows, int place)
{
    return (const real *)(const void *)((const char *)rows + place);
}

/// The mass matrices of LANES states of a tree.
static inline void store_tree_mass(const worker *w, int length, double *out)
{
    const real zero = {0}, *const rows = w->rows;
    const int *place = w->place, *end = place + length;
    const char *part = w->part;
    while (*part != PART_END) {
        for (; *part == PART_USED; ++part, place += LANES, out += LANES) {
            real x[LANES];
            for (int k = 0; k < LANES; ++k) {
                x[k] = *entry_at(rows, place[k]);
            }
            store_columns(x, length, out);
        }
        for (; *part == PART_ROW; ++part, place += LANES, out += LANES) {
            store_columns(entry_at(rows, *place), length, out);
        }
        for (; *part == PART_ZERO; ++part, place += LANES, out += LANES) {
            for (int lane = 0; lane < LANES; ++lane) {
                memcpy(out + (ptrdiff_t)lane * length, &zero, sizeof zero);
            }
        }
    }
    for (; place < end; ++place, ++out) {
        const real x = *entry_at(rows, *place);
        for (int lane = 0; lane < LANES; ++lane) {
            out[(ptrdiff_t)lane * length] = real_lane(x, lane);
        }
    }
}

/// The same without the states that are marked.
static inline void store_good_rows(const real *x, int length, int count, bits failed, double *rows)
{
    if (__builtin_expect(!is_any(failed), 1)) {
        store_rows(x, length, count, NULL, rows);
        return;
    }
    for (int lane = 0; lane < count; ++lane) {
        for (int k = 0; k < length && !is_marked(failed, lane); ++k) {
            rows[(ptrdiff_t)lane * length + k] = real_lane(x[k], lane);
        }
    }
}

/// The first state that is marked, or -1.
static inline int first_failed(bits failed, int first, int count)
{
    int state = -1;
    if (__builtin_expect(!is_any(failed), 1)) {
        return state;
    }
    for (int lane = count - 1; lane >= 0; --lane) {
        state = is_marked(failed, lane) ? first + lane : state;
    }
    return state;
}

/// Zero in the lanes that are marked.
static inline void clear_failed(bits failed, int n, real *x)
{
    if (__builtin_expect(is_any(failed), 0)) {
        for (int k = 0; k < n; ++k) {
            x[k] = select_real(failed, (real){0}, x[k]);
        }
    }
}

static inline void put_lane(const double *row, int length, int lane, real *x)
{
    double *at = (double *)x + lane;
    for (int k = 0; k < length; ++k) {
        at[k * LANES] = row[k];
    }
}

/// Closes the states one after the other, and leaves what the closure in lanes would.
static inline void close_one_by_one(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    const lwi_program *program = m->kernel->program;
    lw_data *d = w->d;
    bool is_closed = false;
    w->closure.plane.failed = (bits){0};
    for (int lane = 0; lane < LANES; ++lane) {
        const ptrdiff_t state = first + lane;
        if (lane < count) { // else the last one again
            const double *q = job->q + state * m->nq, *v = job->v ? job->v + state * m->nv : NULL;
            is_closed = job->kind == LWI_BATCH_POSES
                            ? lwi_closure_position(m, d, q) != NULL
                            : lwi_closure_motion(m, d, q, v, NULL) == LW_OK;
        }
        if (!is_closed) {
            w->closure.plane.failed = bits_set_lane(w->closure.plane.failed, lane, ~(uint64_t)0);
            continue;
        }
        lwi_closure_angles(m, d);
        put_lane(d->tree_q, m->tree_nq, lane, w->q);
        if (job->kind != LWI_BATCH_POSES) {
            put_lane(d->tree_v, m->tree_nv, lane, w->v);
            put_lane(d->rate, program->nrate, lane, w->closure.K);
            put_lane(d->rate_bias, program->nbias, lane, w->closure.bias);
        }
    }
}

static inline void load_positions(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    if (w->d) {
        close_one_by_one(job, first, count, w);
        return;
    }
    load_rows(job->q + (ptrdiff_t)first * m->nq, m->nq, count, m->nstep ? m->q_tree : NULL, w->q);
    if (m->nstep > 0) {
        close_positions(m, w->q, &w->closure);
    }
}

static inline void load_velocities(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    if (w->d) {
        return; // with the positions
    }
    load_rows(job->v + (ptrdiff_t)first * m->nv, m->nv, count, m->nstep ? m->v_tree : NULL, w->v);
    if (m->nstep > 0) {
        close_velocities(m, w->v, &w->closure);
    }
}

/// Sines of all joints: those of the closure steps, where these have found them.
static inline void find_tree_sines(const lw_model *m, const worker *w)
{
    const tree *t = &w->e.tree;
    if (!has_planes(m) || w->d) {
        find_sines(t, w->q);
        return;
    }
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        t->sine[i] = is_angle ? w->closure.plane.sine[b->q] : real_of(0.0);
        t->cosine[i] = is_angle ? w->closure.plane.cosine[b->q] : real_of(1.0);
    }
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

/// Poses of one frame in LANES states, which are `stride` poses apart.
static inline void store_frame_poses(const pose3 *X, ptrdiff_t stride, lw_pose *out)
{
    enum { NUMBERS = sizeof *X / sizeof(real) }; // as those of lw_pose
    _Static_assert((int)NUMBERS == (int)(sizeof *out / sizeof(double)), "rows, then the origin");
    const real *x = &X->R.row[0].x;
    double *to = &out->R.row[0].x;
    for (int k = 0; k < NUMBERS; k += LANES) {
        const int at = k + LANES <= NUMBERS ? k : NUMBERS - LANES;
        store_columns(x + at, stride * NUMBERS, to + at);
    }
}

/// The same in one state.
static inline lw_pose pose_in_lane(const pose3 *X, int lane)
{
    lw_pose r;
    for (int k = 0; k < 3; ++k) {
        const vec3 *R = &X->R.row[k];
        r.R.row[k] =
            lw_vec3_of(real_lane(R->x, lane), real_lane(R->y, lane), real_lane(R->z, lane));
    }
    r.p = lw_vec3_of(real_lane(X->p.x, lane), real_lane(X->p.y, lane), real_lane(X->p.z, lane));
    return r;
}

static __attribute__((noinline)) int run_poses(const lwi_batch_job *job, int first, int count,
                                               worker *w)
{
    const lw_model *m = job->model;
    load_positions(job, first, count, w);
    find_tree_sines(m, w);
    set_joints(&w->e.tree, w->q);
    segment_poses(&w->e.tree, m->kernel->world_phi, w->pose);
    const bool is_whole = count == LANES && !is_any(w->closure.plane.failed);
    lw_pose *out = &job->poses[(ptrdiff_t)first * job->nframe];
    for (int k = 0; k < job->nframe; ++k, ++out) {
        const lw_frame_info *info = &m->frame[job->frame ? job->frame[k] : k];
        const pose3 X_BF = in_every_lane(&info->X_BF);
        const pose3 X = info->body < 0 ? X_BF
                                       : frame_pose(&m->kernel->segment[info->body],
                                                    &w->pose[info->body], &X_BF);
        if (is_whole) {
            store_frame_poses(&X, job->nframe, out);
            continue;
        }
        for (int lane = 0; lane < count; ++lane) {
            if (!is_marked(w->closure.plane.failed, lane)) {
                out[(ptrdiff_t)lane * job->nframe] = pose_in_lane(&X, lane);
            }
        }
    }
    return first_failed(w->closure.plane.failed, first, count);
}

/// Forces within the tree, for the accelerations in w->a, in independent coordinates at `place`.
static inline void tree_inverse(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    const lwi_step *step = m->kernel->program->step;
    const double *f_ext[LANES];
    external_of(job, first, count, f_ext);
    close_accelerations(m->nstep, step, w->closure.K, w->closure.bias, w->a);
    find_tree_sines(m, w);
    rnea_outward(&w->e.tree, w->q, w->v, w->a, &w->e.world, w->e.moving, w->e.force);
    if (w->has_rods) {
        add_rods(&w->e.tree, m, &w->e.world, w->e.moving, w->e.force);
    }
    subtract_applied(&w->e, job->f_ext ? f_ext : NULL);
    joint_forces(&w->e, w->q, w->v, w->a, w->tau);
    close_forces(m->nstep, step, w->closure.K, w->tau);
}

static inline int run_inverse(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    const int *location = m->nstep ? m->v_tree : NULL;
    load_positions(job, first, count, w);
    load_velocities(job, first, count, w);
    load_rows(job->x + (ptrdiff_t)first * m->nv, m->nv, count, location, w->a);
    tree_inverse(job, first, count, w);
    clear_failed(w->closure.plane.failed, m->tree_nv, w->tau);
    store_rows(w->tau, m->nv, count, location, job->out + (ptrdiff_t)first * m->nv);
    return first_failed(w->closure.plane.failed, first, count);
}

/// The mass matrix by the forces that unit accelerations need, for rods with mass, which composite
/// bodies do not contain. Velocities are lost.
static inline void mass_by_columns(const lw_model *m, worker *w)
{
    const lwi_step *step = m->kernel->program->step;
    const int n = m->tree_nv, nv = m->nv;
    moving still;
    memset(&still, 0, sizeof still);
    memset(w->v, 0, (size_t)n * sizeof *w->v);
    for (int k = 0; k < nv; ++k) {
        memset(w->a, 0, (size_t)n * sizeof *w->a);
        w->a[m->v_tree[k]] = real_of(1.0);
        close_accelerations(m->nstep, step, w->closure.K, NULL, w->a);
        rnea_outward(&w->e.tree, w->q, w->v, w->a, &still, w->e.moving, w->e.force);
        add_rods(&w->e.tree, m, &still, w->e.moving, w->e.force);
        rnea_inward(&w->e.tree, w->e.force, w->tau);
        for (int i = 0; i < n && w->e.passive; ++i) {
            w->tau[i] += w->e.passive[i].rotor * w->a[i];
        }
        close_forces(m->nstep, step, w->closure.K, w->tau);
        for (int i = 0; i < nv; ++i) {
            w->M[i * nv + k] = w->tau[m->v_tree[i]];
        }
    }
}

/// The rows of the tree's matrix.
static inline void tree_rows(const lw_model *m, worker *w)
{
    find_tree_sines(m, w);
    frame_in_root *frame = (frame_in_root *)(void *)w->e.moving;
    roots_outward(&w->e.tree, w->q, frame);
    roots_mass_matrix(&w->e.tree, frame, w->e.composite, w->e.column, w->e.passive,
                      w->rows + *w->nentry);
}

/// The mass matrix in independent coordinates, at the beginning of w->M.
static inline void closed_mass(const lw_model *m, worker *w)
{
    const size_t n = (size_t)m->tree_nv, k = (size_t)m->nv;
    if (w->has_rods) {
        find_tree_sines(m, w);
        mass_by_columns(m, w);
        return;
    }
    tree_rows(m, w);
    for (size_t i = 0; i < n * n; ++i) {
        w->M[i] = *entry_at(w->rows, w->place[i]);
    }
    close_matrix(m->nstep, m->kernel->program->step, w->closure.K, n, w->M);
    for (size_t i = 0; i < k && m->nstep > 0; ++i) {
        for (size_t j = 0; j < k; ++j) {
            w->M[i * k + j] = w->M[(size_t)m->v_tree[i] * n + (size_t)m->v_tree[j]];
        }
    }
}

/// Likewise not inline.
static __attribute__((noinline)) int run_mass(const lwi_batch_job *job, int first, int count,
                                              worker *w)
{
    const lw_model *m = job->model;
    const int length = m->nv * m->nv;
    load_positions(job, first, count, w);
    if (m->nstep == 0 && !w->has_rods && count == LANES) {
        tree_rows(m, w);
        store_tree_mass(w, length, job->out + (ptrdiff_t)first * length);
        return -1;
    }
    closed_mass(m, w);
    store_good_rows(w->M, length, count, w->closure.plane.failed,
                    job->out + (ptrdiff_t)first * length);
    return first_failed(w->closure.plane.failed, first, count);
}

/// M x = tau - h, where closure steps couple branches.
static inline bits solve_closed(const lwi_batch_job *job, int first, int count, worker *w)
{
    const lw_model *m = job->model;
    int singular_dof;
    for (int k = 0; k < m->tree_nv; ++k) {
        w->a[k] = (real){0};
    }
    tree_inverse(job, first, count, w);
    load_rows(job->x + (ptrdiff_t)first * m->nv, m->nv, count, NULL, w->x);
    for (int k = 0; k < m->nv; ++k) {
        w->x[k] -= w->tau[m->v_tree[k]];
    }
    closed_mass(m, w);
    return solve_dense(m->nv, w->M, w->x, &singular_dof);
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
        forward_dynamics(&w->e, w->q, w->v, w->tau, job->f_ext ? f_ext : NULL, w->x, &is_singular);
    }
    is_singular |= w->closure.plane.failed;
    clear_failed(is_singular, m->nv, w->x);
    store_rows(w->x, m->nv, count, NULL, job->out + (ptrdiff_t)first * m->nv);
    return first_failed(is_singular, first, count);
}

static int batch_run(const lwi_batch_job *job, int first, int count, void *work, lw_data *d)
{
    worker w;
    lay_out_worker(job, work, d, &w);
    const bool is_closed = job->model->nstep > 0;
    if (*w.nentry == 0 &&
        (job->kind == LWI_BATCH_MASS || (job->kind == LWI_BATCH_FORWARD && is_closed))) {
        begin_mass(job->model, &w);
    }
    int failed = -1;
    for (int done = 0; done < count; done += LANES) {
        const int at = first + done, rest = count - done, now = rest < LANES ? rest : LANES;
        int bad = -1;
        switch (job->kind) {
        case LWI_BATCH_POSES:
            bad = run_poses(job, at, now, &w);
            break;
        case LWI_BATCH_INVERSE:
            bad = run_inverse(job, at, now, &w);
            break;
        case LWI_BATCH_MASS:
            bad = run_mass(job, at, now, &w);
            break;
        case LWI_BATCH_FORWARD:
            bad = run_forward(job, at, now, &w);
            break;
        }
        failed = failed < 0 ? bad : failed;
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
