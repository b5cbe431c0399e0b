// Batches: checks, shares of the work, and which engine does them.
#include "batch_job.h"

#include <linkwork/kinematics.h>

#include "../base/arena.h"
#include "../kin/finite.h"
#include "../model/failure.h"
#include "../model/kernel.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

/// States of one task: enough that handing it out costs nothing beside it.
enum { BLOCK = 64 };

typedef struct worker_state {
    void *work;    ///< of the engine
    lw_data *data; ///< where something is done for one state after the other, else NULL
    int failed;    ///< first state in question, or -1
} worker_state;

struct lw_batch {
    const lw_model *model;
    const lwi_kernels *kernels;
    lw_batch_runner runner;
    lwi_settings settings;
    const char *single;        ///< why states do not go side by side, or NULL
    const char *singly_closed; ///< the same of their closure
    int failed;
    worker_state *worker; ///< [nworker]
    const lwi_batch_job *job;
};

int lw_batch_lanes(void)
{
    return lwi_select_kernels()->batch->lanes;
}

const char *lw_batch_engine(void)
{
    return lwi_select_kernels()->name;
}

static void run_here(void *context, int nblock, int nworker, lw_batch_task *task, void *argument)
{
    (void)context;
    (void)nworker;
    for (int block = 0; block < nblock; ++block) {
        task(argument, block, 0);
    }
}

// What makes all of a batch go one state after the other: springs, and many columns of mass
// matrices with rods. NULL where nothing does.
static const char *single_part(const lw_model *m)
{
    enum { MOST_COLUMNS = 16 };
    const char *part = m->nspring > 0 ? "springs" : NULL;
    for (int k = 0; k < m->nloop && !part; ++k) {
        part = m->loop[k].mass > 0.0 && m->nv > MOST_COLUMNS ? "rods with mass" : NULL;
    }
    return part;
}

// What is closed one state after the other; what follows then goes side by side.
static const char *singly_closed_part(const lw_model *m)
{
    const lwi_program *program = m->kernel->program;
    const char *part = NULL;
    for (int s = 0; s < m->nstep && !part; ++s) {
        const lwi_step *step = &program->step[s];
        const bool is_plain = step->kind == LW_STEP_LINEAR || step->kind == LW_STEP_FUNCTION;
        const bool is_law = step->kind == LW_STEP_FUNCTION && step->law != LW_LAW_POLYNOMIAL;
        const bool is_spatial =
            !is_plain && !(step->nloop > 0 && program->loop[step->loop[0]].plane);
        part = is_law ? "laws of couplings" : is_spatial ? "loops in space" : NULL;
    }
    return part;
}

const char *lw_batch_one_by_one(const lw_batch *b)
{
    return !b ? NULL : b->single ? b->single : b->singly_closed;
}

static bool create_worker(lw_batch *b, worker_state *w)
{
    const size_t size = b->kernels->batch->size(b->model) + LWI_ALIGN;
    w->work = aligned_alloc(LWI_ALIGN, size / LWI_ALIGN * LWI_ALIGN);
    if (w->work) {
        memset(w->work, 0, LWI_ALIGN);
    }
    if (b->model->tree_nv > LWI_BATCH_MOST_DENSE || b->single || b->singly_closed) {
        return lw_data_create(b->model, &w->data) == LW_OK && w->work;
    }
    return w->work != NULL;
}

lw_status lw_batch_create(const lw_model *m, const lw_batch_runner *runner, lw_batch **batch)
{
    return lwi_batch_create_with(m, runner, lwi_select_kernels(), batch);
}

lw_status lwi_batch_create_with(const lw_model *m, const lw_batch_runner *runner,
                                const lwi_kernels *kernels, lw_batch **batch)
{
    if (batch) {
        *batch = NULL;
    }
    if (!m || !batch || (runner && (runner->nworker < 1 || !runner->run))) {
        return LW_ERR_ARGUMENT;
    }
    lw_batch *b = calloc(1, sizeof *b);
    if (!b) {
        return LW_ERR_MEMORY;
    }
    b->model = m;
    b->kernels = kernels;
    b->runner = runner ? *runner : (lw_batch_runner){1, run_here, NULL};
    b->failed = -1;
    b->single = single_part(m);
    b->singly_closed = singly_closed_part(m);
    lwi_settings_of(m, NULL, &b->settings);
    b->worker = calloc((size_t)b->runner.nworker, sizeof *b->worker);
    bool is_good = b->worker != NULL;
    for (int k = 0; k < b->runner.nworker && is_good; ++k) {
        is_good = create_worker(b, &b->worker[k]);
    }
    if (!is_good) {
        lw_batch_destroy(b);
        return LW_ERR_MEMORY;
    }
    *batch = b;
    return LW_OK;
}

void lw_batch_destroy(lw_batch *b)
{
    if (!b) {
        return;
    }
    for (int k = 0; k < b->runner.nworker && b->worker; ++k) {
        free(b->worker[k].work);
        lw_data_destroy(b->worker[k].data);
    }
    free(b->worker);
    free(b);
}

lw_status lw_batch_set_options(lw_batch *b, const lw_dynamics_options *options)
{
    return b ? lwi_settings_of(b->model, options, &b->settings) : LW_ERR_ARGUMENT;
}

lw_failure lw_batch_failure(const lw_batch *b, lw_status status)
{
    lw_failure failure = lwi_failure_of(status);
    failure.state = b && status != LW_OK ? b->failed : -1;
    return failure;
}

static lw_status pose_single(const lwi_batch_job *job, int state, lw_data *d)
{
    const lw_model *m = job->model;
    const lw_status status = lw_forward_position(m, d, job->q + (ptrdiff_t)state * m->nq);
    for (int k = 0; k < job->nframe && status == LW_OK; ++k) {
        lw_frame_pose(m, d, job->frame ? job->frame[k] : k,
                      &job->poses[(ptrdiff_t)state * job->nframe + k]);
    }
    return status;
}

// One state by the functions for one state.
static lw_status run_single(const lwi_batch_job *job, int state, lw_data *d)
{
    const lw_model *m = job->model;
    const ptrdiff_t nv = m->nv;
    const double *q = job->q + (ptrdiff_t)state * m->nq;
    if (job->kind == LWI_BATCH_POSES) {
        return pose_single(job, state, d);
    }
    if (job->kind == LWI_BATCH_MASS) {
        return lw_mass_matrix(m, d, q, job->out + state * nv * nv);
    }
    double *a = job->out + state * nv;
    const double *v = job->v + state * nv, *x = job->x + state * nv;
    const lw_force *f_ext = job->f_ext ? job->f_ext + (ptrdiff_t)state * m->nbody : NULL;
    const lw_status status = job->kind == LWI_BATCH_INVERSE
                                 ? lw_inverse_dynamics(m, d, q, v, x, f_ext, a)
                                 : lw_forward_dynamics(m, d, q, v, x, f_ext, a);
    for (int k = 0; k < m->nv && status != LW_OK; ++k) {
        a[k] = 0.0;
    }
    return status;
}

static int run_one_by_one(const lwi_batch_job *job, int first, int count, lw_data *d)
{
    int failed = -1;
    d->settings = job->settings;
    for (int k = first + count - 1; k >= first; --k) {
        failed = run_single(job, k, d) == LW_OK ? failed : k;
    }
    return failed;
}

static void run_block(void *argument, int block, int worker)
{
    lw_batch *b = argument;
    const lwi_batch_job *job = b->job;
    worker_state *w = &b->worker[worker];
    const int first = block * BLOCK;
    const int count = job->n - first < BLOCK ? job->n - first : BLOCK;
    const bool has_matrix =
        job->kind == LWI_BATCH_MASS || (job->kind == LWI_BATCH_FORWARD && job->model->nstep > 0);
    const bool is_too_large = has_matrix && job->model->tree_nv > LWI_BATCH_MOST_DENSE;
    const int failed =
        b->single || is_too_large
            ? run_one_by_one(job, first, count, w->data)
            : b->kernels->batch->run(job, first, count, w->work, b->singly_closed ? w->data : NULL);
    if (failed >= 0 && (w->failed < 0 || failed < w->failed)) {
        w->failed = failed;
    }
}

static lw_status run_job(lw_batch *b, const lwi_batch_job *job)
{
    for (int k = 0; k < b->runner.nworker; ++k) {
        b->worker[k].failed = -1;
    }
    b->job = job;
    b->runner.run(b->runner.context, (job->n - 1) / BLOCK + 1, b->runner.nworker, run_block, b);
    b->job = NULL;
    for (int k = 0; k < b->runner.nworker; ++k) {
        const int failed = b->worker[k].failed;
        if (failed >= 0 && (b->failed < 0 || failed < b->failed)) {
            b->failed = failed;
        }
    }
    return b->failed < 0 ? LW_OK : LW_ERR_SINGULAR;
}

static bool are_quaternions_good(const lwi_batch_job *job)
{
    const lw_model *m = job->model;
    for (int k = 0; k < job->n && m->kernel->nquat > 0; ++k) {
        if (!lwi_quaternions_are_good(m, job->q + (ptrdiff_t)k * m->nq)) {
            return false;
        }
    }
    return true;
}

// Only called where something is wrong.
static int first_bad_state(const lwi_batch_job *job)
{
    const lw_model *m = job->model;
    for (int k = 0; k < job->n; ++k) {
        const ptrdiff_t at = (ptrdiff_t)k * m->nv;
        if (lwi_check_position(m, job->q + (ptrdiff_t)k * m->nq) != LW_OK ||
            (job->v && !lwi_all_finite(job->v + at, m->nv)) ||
            (job->x && !lwi_all_finite(job->x + at, m->nv))) {
            return k;
        }
    }
    return -1;
}

static lw_status check_and_run(lw_batch *b, lwi_batch_job *job)
{
    const lw_model *m = job->model;
    const size_t n = (size_t)job->n, nq = n * (size_t)m->nq, nv = n * (size_t)m->nv;
    b->failed = -1;
    if (job->n == 0) {
        return LW_OK;
    }
    if (!b->kernels->batch->all_finite(job->q, nq) ||
        (job->v && !b->kernels->batch->all_finite(job->v, nv)) ||
        (job->x && !b->kernels->batch->all_finite(job->x, nv)) || !are_quaternions_good(job)) {
        b->failed = first_bad_state(job);
        return LW_ERR_NUMBER;
    }
    job->settings = b->settings;
    return run_job(b, job);
}

static bool is_batch_of(const lw_model *m, const lw_batch *b, int n, const double *q)
{
    return m && b && b->model == m && n >= 0 && (q || n == 0 || m->nq == 0);
}

lw_status lw_forward_position_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                    int nframe, const int *frame, lw_pose *X_WF)
{
    if (!is_batch_of(m, b, n, q) || nframe < 0 || nframe > m->nframe_all ||
        (!X_WF && n > 0 && nframe > 0)) {
        return LW_ERR_ARGUMENT;
    }
    for (int k = 0; k < nframe && frame; ++k) {
        if (frame[k] < 0 || frame[k] >= m->nframe_all) {
            return LW_ERR_ARGUMENT;
        }
    }
    lwi_batch_job job = {.kind = LWI_BATCH_POSES,
                         .model = m,
                         .n = n,
                         .q = q,
                         .nframe = nframe,
                         .frame = frame,
                         .poses = X_WF};
    return check_and_run(b, &job);
}

lw_status lw_inverse_dynamics_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                    const double *v, const double *a, const lw_force *f_ext,
                                    double *tau)
{
    if (!is_batch_of(m, b, n, q) || ((!v || !a || !tau) && n > 0 && m->nv > 0)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_batch_job job = {.kind = LWI_BATCH_INVERSE,
                         .model = m,
                         .n = n,
                         .q = q,
                         .v = v,
                         .x = a,
                         .f_ext = f_ext,
                         .out = tau};
    return check_and_run(b, &job);
}

lw_status lw_mass_matrix_batch(const lw_model *m, lw_batch *b, int n, const double *q, double *M)
{
    if (!is_batch_of(m, b, n, q) || (!M && n > 0 && m->nv > 0)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_batch_job job = {.kind = LWI_BATCH_MASS, .model = m, .n = n, .q = q, .out = M};
    return check_and_run(b, &job);
}

lw_status lw_forward_dynamics_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                    const double *v, const double *tau, const lw_force *f_ext,
                                    double *a)
{
    if (!is_batch_of(m, b, n, q) || ((!v || !tau || !a) && n > 0 && m->nv > 0)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_batch_job job = {.kind = LWI_BATCH_FORWARD,
                         .model = m,
                         .n = n,
                         .q = q,
                         .v = v,
                         .x = tau,
                         .f_ext = f_ext,
                         .out = a};
    return check_and_run(b, &job);
}
