// Where a frame can go, by sampling: positions side by side, counted in cells.

#include "mapping.h"

#include "../base/philox.h"
#include "../dyn/batch_job.h"
#include "../kin/joint_range.h"
#include "ellipsoid.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 28 };

/// All of them may fall into one cell.
static const long long MOST_SAMPLES = 0xffffffff;

lw_workspace_map_def lw_default_workspace_map_def(int frame)
{
    return (lw_workspace_map_def){
        .frame = frame, .cell = 0.05, .samples = 1000000, .seed = 1, .nroll = 12};
}

long long lw_workspace_map_find(const lw_workspace_map *map, lw_vec3 p)
{
    const double x = (p.x - map->low.x) / map->cell, y = (p.y - map->low.y) / map->cell,
                 z = (p.z - map->low.z) / map->cell;
    if (!(x >= 0.0 && x < map->n[0] && y >= 0.0 && y < map->n[1] && z >= 0.0 && z < map->n[2])) {
        return -1;
    }
    return ((long long)z * map->n[1] + (long long)y) * map->n[0] + (long long)x;
}

lw_vec3 lw_workspace_map_center(const lw_workspace_map *map, long long cell)
{
    const long long nx = map->n[0], ny = map->n[1];
    return lw_vec3_of(map->low.x + ((double)(cell % nx) + 0.5) * map->cell,
                      map->low.y + ((double)(cell / nx % ny) + 0.5) * map->cell,
                      map->low.z + ((double)(cell / nx / ny) + 0.5) * map->cell);
}

void lw_workspace_map_free(lw_workspace_map *map)
{
    if (map) {
        free(map->count);
        free(map->best);
        free(map->capability);
        free(map->reached);
        free(map->witness);
        *map = (lw_workspace_map){0};
    }
}

// --- Joints -----------------------------------------------------------------------------------

/// Whether a degree of freedom can move a body: it carries it, or a loop or a coupling could let
/// it.
static bool may_move(const lw_model *m, int dof, int body)
{
    if (m->nstep > 0) {
        return true;
    }
    for (int i = body; i >= 0; i = m->parent[i]) {
        if (m->v_start[i] <= m->v_tree[dof] && m->v_tree[dof] < m->v_start[i + 1]) {
            return true;
        }
    }
    return false;
}

static lw_status find_joints(lwi_mapping *w)
{
    const lw_model *m = w->m;
    for (int k = 0; k < m->nv; ++k) {
        const int q = lw_position_of_dof(m, k);
        if (q < 0 || !may_move(m, k, m->frame[w->def->frame].body)) {
            continue;
        }
        if (!lwi_joint_range(m, q, &w->low[w->njoint], &w->high[w->njoint])) {
            return LW_ERR_UNSUPPORTED;
        }
        w->joint[w->njoint++] = q;
    }
    return LW_OK;
}

// --- Samples ----------------------------------------------------------------------------------

static void draw_states(lwi_mapping *w, long long first, int count)
{
    const int nq = w->m->nq;
    for (int pair = 0; 2 * pair < w->njoint; ++pair) {
        const int a = 2 * pair, b = a + 1;
        for (int k = 0; k < count; ++k) {
            double u[2];
            double *q = w->q + (ptrdiff_t)k * nq;
            lwi_philox_pair(w->def->seed, (uint64_t)(first + k), (uint32_t)pair, 1, u);
            q[w->joint[a]] = w->low[a] + (w->high[a] - w->low[a]) * u[0];
            if (b < w->njoint) {
                q[w->joint[b]] = w->low[b] + (w->high[b] - w->low[b]) * u[1];
            }
        }
    }
}

static void pose_states(lwi_mapping *w, int count)
{
    const lw_model *m = w->m;
    for (int k = 0; k < count; ++k) {
        w->pose[k].p.x = (double)NAN;
    }
    if (w->batch) {
        lw_forward_position_batch(m, w->batch, count, w->q, 1, &w->def->frame, w->pose);
        return;
    }
    for (int k = 0; k < count; ++k) {
        lw_data_restart(w->d);
        if (lw_forward_position(m, w->d, w->q + (ptrdiff_t)k * m->nq) == LW_OK) {
            lw_frame_pose(m, w->d, w->def->frame, &w->pose[k]);
        }
    }
}

bool lwi_mapping_is_free(lwi_mapping *w, const double *q)
{
    lw_verdict verdict = LW_VERDICT_UNCERTAIN;
    return !w->collide || (lw_collide_check(w->collide, w->d, q, 0.0, &verdict, NULL) == LW_OK &&
                           verdict == LW_VERDICT_FREE);
}

static bool is_independent(const lw_model *m, int v)
{
    int k = 0;
    while (k < m->nv && m->v_tree[k] != v) {
        ++k;
    }
    return k < m->nv;
}

/// Whether a joint depends on others, and has limits.
static bool is_watched(const lw_model *m, int body)
{
    const lw_dof *dof = &m->dof[m->v_start[body]];
    return m->v_start[body + 1] - m->v_start[body] == 1 &&
           (isfinite(dof->lower) || isfinite(dof->upper)) && !is_independent(m, m->v_start[body]);
}

void lwi_mapping_rest(const lw_model *m, lw_data *d, double *rest)
{
    lw_data_restart(d);
    if (lw_tree_state(m, d, m->q_reference, NULL, NULL, rest, NULL, NULL) != LW_OK) {
        for (int i = 0; i < m->tree_nq; ++i) {
            rest[i] = (double)NAN;
        }
    }
}

int lwi_mapping_beyond(const lw_model *m, lw_data *d, const double *q, const double *rest,
                       double *tree_q)
{
    if (m->nstep == 0) {
        return LWI_MAPPING_WITHIN;
    }
    if (lw_tree_state(m, d, q, NULL, NULL, tree_q, NULL, NULL) != LW_OK) {
        return LWI_MAPPING_OPEN;
    }
    for (int i = 0; i < m->nbody; ++i) {
        const double x = tree_q[m->q_start[i]];
        const lw_dof *dof = &m->dof[m->v_start[i]];
        if (!(x >= dof->lower - 1e-12 && x <= dof->upper + 1e-12) && x != rest[m->q_start[i]] &&
            is_watched(m, i)) {
            return i;
        }
    }
    return LWI_MAPPING_WITHIN;
}

static float measure(lwi_mapping *w, const double *q)
{
    double axis[6];
    int count;
    if (lwi_ellipsoid_axes(w->m, w->d, q, w->def->frame, w->def->ellipsoid, LWI_PART_TRANSLATION,
                           1.0, w->map->naxis, w->J, axis, &count) != LW_OK ||
        count == 0) {
        return 0.0F;
    }
    double product = axis[count - 1];
    for (int k = 0; k < count - 1 && w->def->ellipsoid != LW_ELLIPSOID_FORCE; ++k) {
        product *= axis[k];
    }
    return isfinite(product) ? (float)product : 0.0F; // no joint moves the frame: no ellipsoid
}

// Threads share the cells: sums and largest values do not depend on their order.
static void raise_to(float *cell, float value)
{
    float old;
    __atomic_load(cell, &old, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange(cell, &old, &value, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
    }
}

static void count_states(lwi_mapping *w, int count)
{
    lw_workspace_map *map = w->map;
    for (int k = 0; k < count; ++k) {
        const double *q = w->q + (ptrdiff_t)k * w->m->nq;
        const long long at = lw_workspace_map_find(map, w->pose[k].p);
        if (at < 0 || lwi_mapping_beyond(w->m, w->d, q, w->rest, w->tree_q) != LWI_MAPPING_WITHIN ||
            !lwi_mapping_is_free(w, q)) {
            ++w->failed;
            continue;
        }
        __atomic_fetch_add(&map->count[at], 1, __ATOMIC_RELAXED);
        if (map->best) {
            raise_to(&map->best[at], measure(w, q));
        }
    }
    w->samples += count;
}

// --- The map ----------------------------------------------------------------------------------

static void run_here(void *context, int nblock, int nworker, lw_batch_task *task, void *argument)
{
    (void)context;
    (void)nworker;
    for (int i = 0; i < nblock; ++i) {
        task(argument, i, 0);
    }
}

static bool is_cancelled(lwi_mapping_pass *pass)
{
    const lw_workspace_map_def *def = pass->worker[0].def;
    if (!__atomic_load_n(&pass->is_cancelled, __ATOMIC_RELAXED) && def->cancel &&
        def->cancel(def->context)) {
        __atomic_store_n(&pass->is_cancelled, true, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&pass->is_cancelled, __ATOMIC_RELAXED);
}

static void run_task(void *argument, int block, int worker)
{
    lwi_mapping_pass *pass = argument;
    const lw_workspace_map_def *def = pass->worker[0].def;
    if (!is_cancelled(pass)) {
        pass->work(&pass->worker[worker], block);
        is_cancelled(pass); // the block may have ended early
    }
    const int done = __atomic_add_fetch(&pass->done, 1, __ATOMIC_RELAXED);
    if (worker == 0 && def->progress) {
        def->progress(def->context, (double)done / pass->nblock);
    }
}

void lwi_mapping_run(lwi_mapping *worker, int nblock, void (*work)(lwi_mapping *w, int block))
{
    const lw_batch_runner *runner = worker[0].def->runner;
    lwi_mapping_pass pass = {.worker = worker, .nblock = nblock, .work = work};
    if (runner) {
        runner->run(runner->context, nblock, runner->nworker, run_task, &pass);
    } else {
        run_here(NULL, nblock, 1, run_task, &pass);
    }
    worker[0].map->is_cancelled = pass.is_cancelled;
}

// A box round the frame's reach: the joints' own lengths bound it for trees; for others a sample
// does, and a cell of margin. Points outside are counted as failed, and enlarge nothing.
static lw_status place_cells(lwi_mapping *w)
{
    lw_workspace_map *map = w->map;
    double low[3] = {(double)INFINITY, (double)INFINITY, (double)INFINITY}, high[3];
    for (int i = 0; i < 3; ++i) {
        high[i] = -low[i];
    }
    for (int part = 0; part < 64; ++part) {
        draw_states(w, (long long)part * LWI_SWEEP_CHUNK, LWI_SWEEP_CHUNK);
        for (int k = 0; k < LWI_SWEEP_CHUNK; k += 2) { // limits of joints: where boundaries are
            for (int j = 0; j < w->njoint; ++j) {
                double *q = &w->q[(ptrdiff_t)k * w->m->nq + w->joint[j]];
                const double middle = 0.5 * (w->low[j] + w->high[j]);
                const double share = fabs(*q - middle) / (w->high[j] - w->low[j]);
                *q = share < 0.2 ? *q : *q < middle ? w->low[j] : w->high[j];
            }
        }
        pose_states(w, LWI_SWEEP_CHUNK);
        for (int k = 0; k < LWI_SWEEP_CHUNK; ++k) {
            const double p[3] = {w->pose[k].p.x, w->pose[k].p.y, w->pose[k].p.z};
            for (int i = 0; i < 3 && isfinite(p[0]); ++i) {
                low[i] = fmin(low[i], p[i]);
                high[i] = fmax(high[i], p[i]);
            }
        }
    }
    if (!isfinite(low[0])) {
        return LW_ERR_LOOP_OPEN;
    }
    double cells = 1.0;
    for (int i = 0; i < 3; ++i) {
        // Random samples miss the rim by a part of the size.
        const double margin = 0.08 * (high[i] - low[i]) + 1e-9;
        low[i] = floor((low[i] - margin) / w->def->cell);
        high[i] = ceil((high[i] + margin) / w->def->cell);
        map->n[i] = high[i] - low[i] < 1e6 ? (int)(high[i] - low[i]) : 1000000;
        cells *= high[i] - low[i];
    }
    map->cell = w->def->cell;
    map->low = lw_vec3_of(low[0] * map->cell, low[1] * map->cell, low[2] * map->cell);
    return cells <= MOST_CELLS ? LW_OK : LW_ERR_LIMIT;
}

static lw_status open_mapping(lwi_mapping *w, lw_report *report)
{
    const lw_model *m = w->m;
    const lwi_kernels *kernels =
        w->def->mode == LW_SWEEP_EXACT ? lwi_kernels_generic : lwi_select_kernels();
    bool has_blocks = false;
    for (int i = 0; i < m->nstep; ++i) {
        has_blocks = has_blocks || m->step[i].kind == LW_STEP_BLOCK;
    }
    w->low = calloc((size_t)m->nv + 1, 2 * sizeof *w->low);
    w->high = w->low ? w->low + m->nv : NULL;
    w->joint = calloc((size_t)m->nv + 1, sizeof *w->joint);
    w->q = calloc((size_t)LWI_SWEEP_CHUNK * (size_t)(m->nq + 1), sizeof *w->q);
    w->pose = calloc(LWI_SWEEP_CHUNK, sizeof *w->pose);
    w->J = calloc(lwi_ellipsoid_space(m), sizeof *w->J);
    w->rest = calloc((size_t)m->tree_nq + 1, 2 * sizeof *w->rest);
    w->tree_q = w->rest ? w->rest + m->tree_nq : NULL;
    lw_status status = w->low && w->joint && w->q && w->pose && w->J && w->rest
                           ? lw_data_create(m, &w->d)
                           : LW_ERR_MEMORY;
    if (status == LW_OK) {
        w->d->kernels = kernels;
        lwi_mapping_rest(m, w->d, w->rest);
        for (int i = 0; i < m->nbody; ++i) {
            w->has_dependent_limits = w->has_dependent_limits || is_watched(m, i);
        }
        status = has_blocks ? LW_OK : lwi_batch_create_with(m, NULL, kernels, &w->batch);
    }
    if (status == LW_OK && w->def->checks_contact) {
        // Links that overlap wherever they are would leave nothing of the workspace.
        const lw_pair_search search = {.samples = 1000, .seed = 1};
        status = lw_collide_create(m, &w->collide, report);
        status = status == LW_OK ? lw_collide_search_pairs(w->collide, w->d, &search) : status;
    }
    for (int k = 0; k < LWI_SWEEP_CHUNK && status == LW_OK; ++k) {
        memcpy(w->q + (ptrdiff_t)k * m->nq, m->q_reference, (size_t)m->nq * sizeof *w->q);
    }
    return status;
}

static void close_mapping(lwi_mapping *w)
{
    lw_collide_destroy(w->collide);
    lw_batch_destroy(w->batch);
    lw_data_destroy(w->d);
    free(w->low);
    free(w->joint);
    free(w->q);
    free(w->pose);
    free(w->J);
    free(w->rest);
}

enum { BLOCK = 64 * LWI_SWEEP_CHUNK };

static void sample_block(lwi_mapping *w, int block)
{
    const long long first = (long long)block * BLOCK;
    for (long long at = first; at < w->def->samples && at < first + BLOCK; at += LWI_SWEEP_CHUNK) {
        const long long left = w->def->samples - at;
        const int count = left < LWI_SWEEP_CHUNK ? (int)left : LWI_SWEEP_CHUNK;
        draw_states(w, at, count);
        pose_states(w, count);
        count_states(w, count);
    }
}

static lw_status sample(lwi_mapping *worker, int nworker)
{
    lw_workspace_map *map = worker->map;
    const lw_workspace_map_def *def = worker->def;
    const size_t cells = (size_t)map->n[0] * (size_t)map->n[1] * (size_t)map->n[2];
    map->count = calloc(cells, sizeof *map->count);
    map->best = def->has_measure ? calloc(cells, sizeof *map->best) : NULL;
    if (!map->count || (def->has_measure && !map->best)) {
        return LW_ERR_MEMORY;
    }
    lwi_mapping_run(worker, (int)((def->samples + BLOCK - 1) / BLOCK), sample_block);
    for (int k = 0; k < nworker; ++k) {
        map->samples += worker[k].samples;
        map->failed += worker[k].failed;
    }
    return LW_OK;
}

lw_status lw_workspace_map_create(const lw_model *m, const lw_workspace_map_def *def,
                                  lw_workspace_map *map, lw_report *report)
{
    if (!map) {
        return LW_ERR_ARGUMENT;
    }
    *map = (lw_workspace_map){0};
    const int nworker = def && def->runner ? def->runner->nworker : 1;
    if (!m || !def || def->frame < 0 || def->frame >= m->nframe_all || !(def->cell > 0.0) ||
        !isfinite(def->cell) || def->samples < 0 || def->samples > MOST_SAMPLES ||
        def->ndirection < 0 || (def->ndirection > 0 && def->nroll < 1) || nworker < 1) {
        return LW_ERR_ARGUMENT;
    }
    lwi_mapping *worker = calloc((size_t)nworker, sizeof *worker);
    lw_status status = worker ? LW_OK : LW_ERR_MEMORY;
    for (int k = 0; k < nworker && status == LW_OK; ++k) {
        worker[k] = (lwi_mapping){.m = m, .def = def, .map = map};
        status = open_mapping(&worker[k], report);
        status = status == LW_OK ? find_joints(&worker[k]) : status;
    }
    map->hash = lw_model_hash(m);
    status = status == LW_OK ? place_cells(worker) : status;
    if (status == LW_OK && def->has_measure) {
        const int rank = lwi_ellipsoid_rank(m, worker->d, def->frame, LWI_PART_TRANSLATION, 1.0,
                                            worker->q, worker->J);
        map->naxis = rank < 3 ? rank : 3;
    }
    status = status == LW_OK ? sample(worker, nworker) : status;
    if (status == LW_OK && def->ndirection > 0 && !map->is_cancelled) {
        status = lwi_map_capability(worker, nworker, report);
    }
    for (int k = 0; k < nworker && worker; ++k) {
        close_mapping(&worker[k]);
    }
    free(worker);
    return status;
}
