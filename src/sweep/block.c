// Blocks of cases: the pure function that every driver calls.

#include "ellipsoid.h"

#include "../dyn/batch_job.h"
#include "../model/data.h"
#include "../model/kernels.h"

#include <linkwork/batch.h>
#include <linkwork/io.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What a worker has of a structure.
typedef struct worker_structure {
    lw_mech *mech;   ///< its own, where parts vary
    lw_model *model; ///< likewise: of the last case
    lw_data *data;
    lw_batch *batch; ///< or null
    double *q;       ///< [CHUNK*nq]
    double *J;       ///< [6*nv]
} worker_structure;

struct lw_sweep_worker {
    const lw_sweep *sweep;
    worker_structure *structure;
    double *value; ///< [ninput][CHUNK]
    lw_pose *pose; ///< [CHUNK*nframe]
    bool (*cancel)(void *context);
    void *context;
};

static const lwi_kernels *kernels_of(const lw_sweep *s)
{
    return s->info.mode == LW_SWEEP_EXACT ? lwi_kernels_generic : lwi_select_kernels();
}

static lw_status make_data(const lw_sweep *s, const lw_model *m, lw_data **d)
{
    const lw_status status = lw_data_create(m, d);
    if (status == LW_OK) {
        (*d)->kernels = kernels_of(s);
    }
    return status;
}

lw_compile_options lwi_sweep_options(const lw_sweep *s)
{
    lw_compile_options options = lw_default_compile_options();
    options.level = s->level;
    options.nlevel = s->nlevel;
    return options;
}

static lw_status open_structure(const lw_sweep *s, int k, worker_structure *w)
{
    const lwi_structure *from = &s->structure[k];
    const lw_model *m = from->model;
    w->q = calloc((size_t)LWI_SWEEP_CHUNK * (size_t)(m->nq + 1), sizeof *w->q);
    w->J = calloc(lwi_ellipsoid_space(m), sizeof *w->J);
    lw_status status = w->q && w->J ? make_data(s, m, &w->data) : LW_ERR_MEMORY;
    if (status == LW_OK && s->has_poses && from->has_lanes && !s->changes_model) {
        status = lwi_batch_create_with(m, NULL, kernels_of(s), &w->batch);
    }
    if (status == LW_OK && s->changes_model) {
        // Descriptions are not shared by threads: each worker reads its own, and sees that it is
        // still the same.
        const lw_compile_options options = lwi_sweep_options(s);
        status = lw_load_file(from->path, NULL, &w->mech, NULL);
        if (status == LW_OK) {
            status = lw_compile(w->mech, &options, &w->model, NULL);
        }
        if (status == LW_OK && lw_model_hash(w->model) != lw_model_hash(m)) {
            status = LW_ERR_MODEL;
        }
    }
    return status;
}

lw_status lw_sweep_worker_create(const lw_sweep *s, lw_sweep_worker **worker)
{
    if (worker) {
        *worker = NULL;
    }
    if (!s || !worker) {
        return LW_ERR_ARGUMENT;
    }
    lw_sweep_worker *w = calloc(1, sizeof *w);
    if (!w) {
        return LW_ERR_MEMORY;
    }
    w->sweep = s;
    w->structure = calloc((size_t)s->info.nstructure, sizeof *w->structure);
    w->value = calloc((size_t)LWI_SWEEP_CHUNK * (size_t)(s->info.ninput + 1), sizeof *w->value);
    w->pose = calloc((size_t)LWI_SWEEP_CHUNK * (size_t)(s->nframe + 1), sizeof *w->pose);
    lw_status status = w->structure && w->value && w->pose ? LW_OK : LW_ERR_MEMORY;
    for (int k = 0; k < s->info.nstructure && status == LW_OK; ++k) {
        status = open_structure(s, k, &w->structure[k]);
    }
    if (status != LW_OK) {
        lw_sweep_worker_destroy(w);
        return status;
    }
    *worker = w;
    return LW_OK;
}

void lw_sweep_worker_destroy(lw_sweep_worker *w)
{
    if (!w) {
        return;
    }
    for (int k = 0; k < w->sweep->info.nstructure && w->structure; ++k) {
        worker_structure *x = &w->structure[k];
        lw_batch_destroy(x->batch);
        lw_data_destroy(x->data);
        lw_model_destroy(x->model);
        lw_mech_destroy(x->mech);
        free(x->q);
        free(x->J);
    }
    free(w->structure);
    free(w->value);
    free(w->pose);
    free(w);
}

void lw_sweep_worker_cancel(lw_sweep_worker *worker, bool (*cancel)(void *context), void *context)
{
    if (worker) {
        worker->cancel = cancel;
        worker->context = context;
    }
}

// --- One case ---------------------------------------------------------------------------------

// The model of a case whose parts vary. On failure that of the plan stays in use.
static lw_status change_model(const lw_sweep *s, int k, worker_structure *w, const double *value)
{
    const lw_compile_options options = lwi_sweep_options(s);
    lw_status status = LW_OK;
    for (int i = 0; i < s->info.ninput && status == LW_OK; ++i) {
        if (s->input[i].kind == LWI_INPUT_PARAMETER) {
            status =
                lw_set_parameter(w->mech, s->input[i].name, value[(size_t)i * LWI_SWEEP_CHUNK]);
        }
    }
    lw_model *m = NULL;
    lw_data *d = NULL;
    status = status == LW_OK ? lw_compile(w->mech, &options, &m, NULL) : status;
    if (status == LW_OK && (m->nq != s->structure[k].model->nq ||
                            m->nframe_all != s->structure[k].model->nframe_all)) {
        status = LW_ERR_MODEL;
    }
    status = status == LW_OK ? make_data(s, m, &d) : status;
    if (status != LW_OK) {
        lw_model_destroy(m);
        return status;
    }
    lw_data_destroy(w->data);
    lw_model_destroy(w->model);
    w->model = m;
    w->data = d;
    return LW_OK;
}

static lw_status pose_case(const lw_sweep *s, const lwi_structure *x, const lwi_case *c,
                           lw_pose *pose)
{
    if (!s->has_poses) {
        return LW_OK;
    }
    const lw_status status = lw_forward_position(c->m, c->d, c->q);
    for (int f = 0; f < s->nframe && status == LW_OK; ++f) {
        lw_frame_pose(c->m, c->d, x->frame[f], &pose[f]);
    }
    return status;
}

// A failed case has no measures; one that is not finite is such a failure.
static void finish_row(const lw_sweep *s, lw_status status, double *row)
{
    for (int k = 1; k < s->info.ncolumn && status == LW_OK; ++k) {
        status = isfinite(row[k]) ? status : LW_ERR_NUMBER;
    }
    row[0] = status;
    for (int i = 0; i < s->nmeasure && status != LW_OK; ++i) {
        const lwi_measure *x = &s->measure[i];
        for (int k = 0; k < x->ncolumn; ++k) {
            if (x->kind != LWI_MEASURE_INPUTS && x->kind != LWI_MEASURE_Q) {
                row[x->column + k] = (double)NAN;
            }
        }
    }
}

/// Computes case k of a chunk; poses are there already where has_poses.
static lw_status run_case(lw_sweep_worker *w, int structure, int k, bool has_poses, double *row)
{
    const lw_sweep *s = w->sweep;
    worker_structure *x = &w->structure[structure];
    lw_pose *pose = w->pose + (ptrdiff_t)k * s->nframe;
    const lwi_structure *from = &s->structure[structure];
    lw_status status = LW_OK;
    if (s->changes_model) {
        status = change_model(s, structure, x, w->value + k);
    } else if (from->model->nstep > 0) {
        lw_data_restart(x->data); // Newton blocks begin where they were last
    }
    const lwi_case c = {s->changes_model ? x->model : from->model,
                        x->data,
                        x->q + (ptrdiff_t)k * from->model->nq,
                        pose,
                        w->value + k,
                        structure,
                        x->J,
                        w->cancel,
                        w->context};
    if (status == LW_OK && !has_poses) {
        status = pose_case(s, from, &c, pose);
    }
    // What varies is known also of a case that fails.
    const lw_status measured = status == LW_OK ? lwi_measure_case(s, &c, row) : status;
    if (status == LW_OK && measured == LW_OK && s->has_run) {
        bool starts_at_q = false;
        for (int i = 0; i < s->info.ninput; ++i) {
            starts_at_q = starts_at_q || s->input[i].kind == LWI_INPUT_POSITION;
        }
        return lwi_measure_run(s, &c, starts_at_q, row);
    }
    return measured;
}

// --- Chunks and blocks ------------------------------------------------------------------------

static void fill_positions(const lw_sweep *s, const lwi_structure *from, const double *value,
                           int count, double *q)
{
    const int nq = from->model->nq;
    for (int k = 0; k < count; ++k) {
        memcpy(q + (ptrdiff_t)k * nq, from->model->q_reference, (size_t)nq * sizeof *q);
    }
    for (int i = 0; i < s->info.ninput; ++i) {
        const int at = from->position[i];
        for (int k = 0; k < count && at >= 0; ++k) {
            q[(ptrdiff_t)k * nq + at] = value[(size_t)i * LWI_SWEEP_CHUNK + (size_t)k];
        }
    }
}

/// Inputs of rows that fail before anything is measured.
static void put_known(const lw_sweep *s, const lw_sweep_worker *w, int structure, int k,
                      double *row)
{
    const lwi_structure *from = &s->structure[structure];
    for (int i = 0; i < s->nmeasure; ++i) {
        const lwi_measure *x = &s->measure[i];
        double *out = row + x->column;
        if (x->kind == LWI_MEASURE_Q) {
            memcpy(out, w->structure[structure].q + (ptrdiff_t)k * from->model->nq,
                   (size_t)x->ncolumn * sizeof *out);
        } else if (x->kind == LWI_MEASURE_INPUTS) {
            if (s->info.nstructure > 1) {
                *out++ = structure;
            }
            for (int j = 0; j < s->info.ninput; ++j) {
                out[j] = w->value[(size_t)j * LWI_SWEEP_CHUNK + (size_t)k];
            }
        }
    }
}

static void run_chunk(lw_sweep_worker *w, int structure, int count, double *out)
{
    const lw_sweep *s = w->sweep;
    const lwi_structure *from = &s->structure[structure];
    worker_structure *x = &w->structure[structure];
    fill_positions(s, from, w->value, count, x->q);
    for (int k = 0; k < count && x->batch; ++k) {
        w->pose[(ptrdiff_t)k * s->nframe].p.x = (double)NAN; // a batch leaves poses that fail
    }
    if (x->batch) {
        lw_forward_position_batch(from->model, x->batch, count, x->q, s->nframe, from->frame,
                                  w->pose);
    }
    for (int k = 0; k < count; ++k) {
        double *row = out + (ptrdiff_t)k * s->info.ncolumn;
        const bool has_poses = x->batch && !isnan(w->pose[(ptrdiff_t)k * s->nframe].p.x);
        const lw_status status = run_case(w, structure, k, has_poses, row);
        if (status != LW_OK) {
            put_known(s, w, structure, k, row);
        }
        finish_row(s, status, row);
    }
}

lw_status lw_sweep_block(const lw_sweep *s, lw_sweep_worker *w, long long block, double *out)
{
    if (!s || !w || w->sweep != s || !out || block < 0 || block >= s->info.blocks) {
        return LW_ERR_ARGUMENT;
    }
    const long long first = block * s->info.block;
    const long long last =
        s->info.cases - first < s->info.block ? s->info.cases : first + s->info.block;
    const int most = s->has_run || s->changes_model ? 1 : LWI_SWEEP_CHUNK;
    for (long long at = first; at < last;) {
        if (w->cancel && w->cancel(w->context)) {
            return LW_ERR_BUSY;
        }
        long long end;
        const int structure = lwi_sweep_structure(s, at, &end);
        end = end < last ? end : last;
        const int count = end - at < most ? (int)(end - at) : most;
        lwi_sweep_draw(s, structure, at, count, w->value);
        double *rows = out + (at - first) * s->info.ncolumn;
        run_chunk(w, structure, count, rows);
        if (s->has_run && rows[0] == LW_ERR_BUSY) {
            return LW_ERR_BUSY;
        }
        at += count;
    }
    return LW_OK;
}

lw_status lw_sweep_case(const lw_sweep *s, lw_sweep_worker *w, long long number, double *input,
                        double *out, lw_failure *failure)
{
    if (!s || !w || w->sweep != s || !out || number < 0 || number >= s->info.cases) {
        return LW_ERR_ARGUMENT;
    }
    long long end;
    const int structure = lwi_sweep_structure(s, number, &end);
    lwi_sweep_draw(s, structure, number, 1, w->value);
    run_chunk(w, structure, 1, out);
    for (int i = 0; i < s->info.ninput && input; ++i) {
        input[i] = w->value[(size_t)i * LWI_SWEEP_CHUNK];
    }
    if (failure) {
        *failure = lw_data_failure(w->structure[structure].data, (lw_status)(int)out[0]);
    }
    return LW_OK;
}

lw_status lw_sweep_evaluate(const lw_sweep *s, lw_sweep_worker *w, const double *input, double *out)
{
    if (!s || !w || w->sweep != s || !input || !out) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < s->info.ninput; ++i) {
        w->value[(size_t)i * LWI_SWEEP_CHUNK] = input[i];
    }
    run_chunk(w, 0, 1, out);
    return LW_OK;
}
