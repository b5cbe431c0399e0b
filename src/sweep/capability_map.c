// Where a frame can go, by inverse kinematics of each cell's centre for many orientations.
//
// Directions are a Fibonacci spiral over the sphere. Where the last joint rotates about the frame's
// own z axis by a whole revolution, all rolls of a direction are reached or none: one is solved.

#include "mapping.h"

#include "../ik/solve.h"
#include "../math/pi.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>

lw_mat3 lw_workspace_orientation(int ndirection, int nroll, int i)
{
    const double golden = LWI_PI * (3.0 - sqrt(5.0));
    const int direction = i / nroll;
    const double z = 1.0 - (2.0 * direction + 1.0) / ndirection;
    const double r = sqrt(1.0 - z * z), phi = golden * direction;
    const lw_vec3 k = lw_vec3_of(r * cos(phi), r * sin(phi), z);
    const lw_vec3 side = fabs(k.z) < 0.9 ? lw_vec3_of(0.0, 0.0, 1.0) : lw_vec3_of(1.0, 0.0, 0.0);
    const lw_vec3 across = lw_cross3(side, k);
    const lw_vec3 x = lw_scale3(1.0 / sqrt(lw_dot3(across, across)), across);
    const lw_vec3 y = lw_cross3(k, x);
    const double roll = LWI_TWO_PI * (i % nroll) / nroll, c = cos(roll), s = sin(roll);
    const lw_vec3 a = lw_add3(lw_scale3(c, x), lw_scale3(s, y));
    const lw_vec3 b = lw_sub3(lw_scale3(c, y), lw_scale3(s, x));
    return (lw_mat3){{{a.x, b.x, k.x}, {a.y, b.y, k.y}, {a.z, b.z, k.z}}};
}

/// What one worker solves with.
typedef struct lwi_map_solving {
    lw_ik *ik;
    const lw_ik_info *info;
    const lw_mat3 *R; ///< [norientation]
    double *wound;    ///< [nq] a solution with other revolutions
    int step;         ///< orientations that one solution stands for
} lwi_map_solving;

// Whether the last joint of the chain is the roll of the frame, and free.
static bool rolls_freely(const lwi_mapping *w, const lw_ik_info *info)
{
    const int last = info->njoint - 1, q = last >= 0 ? info->position[last] : -1;
    if (q < 0 || info->is_prismatic[last] || w->collide || w->has_dependent_limits) {
        return false;
    }
    double low = -LWI_PI, high = LWI_PI;
    for (int j = 0; j < w->njoint; ++j) {
        if (w->joint[j] == q) {
            low = w->low[j];
            high = w->high[j];
        }
    }
    const lw_vec3 z =
        lw_vec3_of(info->X_BT.R.row[0].z, info->X_BT.R.row[1].z, info->X_BT.R.row[2].z);
    const lw_vec3 off = lw_cross3(z, info->axis[last]);
    const lw_vec3 arm = lw_cross3(lw_sub3(info->X_BT.p, info->point[last]), info->axis[last]);
    return high - low >= LWI_TWO_PI - 1e-9 && lw_dot3(off, off) < 1e-20 &&
           lw_dot3(arm, arm) < 1e-20;
}

/// Whether a configuration counts that inverse kinematics has within the limits of its joints.
static bool counts(lwi_mapping *w, const double *q)
{
    if (w->has_dependent_limits && !w->def->ignores_limits) {
        lw_data_restart(w->d);
        if (lwi_mapping_beyond(w->m, w->d, q, w->rest, w->tree_q) != LWI_MAPPING_WITHIN) {
            return false;
        }
    }
    return lwi_mapping_is_free(w, q);
}

// The first solution that counts; its q, or NULL. Another revolution of a joint is another place of
// those that depend on it.
static const double *solve(lwi_mapping *w, lw_vec3 p, int orientation)
{
    const lw_ik_target target = {.X_BT = {w->solving->R[orientation], p}};
    lw_ik_result result;
    if (lw_ik_solve(w->solving->ik, &target, NULL, &result) != LW_OK) {
        return NULL;
    }
    for (int k = 0; k < result.nsolution; ++k) {
        const lw_ik_solution *x = &result.solution[k];
        if (!x->is_exact || !x->in_limits || !x->is_same_assembly) {
            continue;
        }
        if (counts(w, x->q)) {
            return x->q;
        }
        for (long n = 0; w->has_dependent_limits &&
                         lw_ik_next_winding(w->solving->ik, k, &n, w->solving->wound);) {
            if (counts(w, w->solving->wound)) {
                return w->solving->wound;
            }
        }
    }
    return NULL;
}

static void note_witness(lw_workspace_map *map, long long cell, int direction, const double *q)
{
    const long long stride = (map->ndirection + 7) / 8;
    map->reached[cell * stride + direction / 8] |= (unsigned char)(1u << (direction % 8));
    float *to = map->witness +
                (cell * map->nwitness + (map->nwitness > 1 ? direction : 0)) * (long long)map->nq;
    for (int i = 0; i < map->nq; ++i) {
        to[i] = (float)q[i];
    }
}

static void solve_cell(lwi_mapping *w, long long cell, lw_vec3 p)
{
    lw_workspace_map *map = w->map;
    const int nroll = w->def->nroll;
    int reached = 0, noted = -1;
    for (int i = 0; i < map->norientation; i += w->solving->step) {
        // Of a redundant arm a row takes seconds.
        if (i % nroll == 0 && w->def->cancel && w->def->cancel(w->def->context)) {
            break;
        }
        const double *q = solve(w, p, i);
        if (q && i / nroll != noted) {
            noted = i / nroll;
            note_witness(map, cell, noted, q);
        }
        reached += q ? w->solving->step : 0;
    }
    map->capability[cell] = (float)reached / (float)map->norientation;
}

// A row of cells. Those that are further from the base of the first joint than the arm is long need
// no solution.
static void solve_row(lwi_mapping *w, int row)
{
    const lw_ik_info *info = w->solving->info;
    for (long long i = 0; i < w->map->n[0]; ++i) {
        const long long cell = (long long)row * w->map->n[0] + i;
        const lw_vec3 p = lw_workspace_map_center(w->map, cell);
        if (lw_norm3(lw_sub3(p, info->point[0])) <= 2.0 * info->length) {
            solve_cell(w, cell, p);
        }
    }
}

static lw_status open_solving(lwi_mapping *w, lwi_map_solving *s, lw_report *report)
{
    lw_ik_def def = lw_default_ik_def(-1, w->def->frame);
    def.ignores_limits = w->def->ignores_limits;
    s->wound = calloc((size_t)w->m->nq + 1, sizeof *s->wound);
    const lw_status status = s->wound ? lw_ik_create(w->m, &def, &s->ik, report) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        s->info = lw_ik_describe(s->ik);
        // A pose out of reach needs no nearest configuration, which would be searched for.
        s->ik->is_sampling = s->info->method != LW_IK_NUMERIC;
        s->step = rolls_freely(w, s->info) ? w->def->nroll : 1;
    }
    w->solving = s;
    return status;
}

// Witnesses of all directions, where that is less than 1 GB. Cells that are not reached are not
// touched, and need no memory.
static bool make_room(lw_workspace_map *map, const lwi_mapping *w)
{
    const size_t cells = (size_t)map->n[0] * (size_t)map->n[1] * (size_t)map->n[2];
    map->ndirection = w->def->ndirection;
    map->norientation = w->def->ndirection * w->def->nroll;
    map->nq = w->m->nq;
    map->nwitness = lwi_map_witnesses(cells, map->ndirection, map->nq);
    map->capability = calloc(cells, sizeof *map->capability);
    map->reached = calloc(cells, ((size_t)map->ndirection + 7) / 8);
    map->witness =
        calloc(cells * (size_t)map->nwitness, (size_t)(map->nq + 1) * sizeof *map->witness);
    return map->capability && map->reached && map->witness;
}

lw_status lwi_map_capability(lwi_mapping *worker, int nworker, lw_report *report)
{
    lw_workspace_map *map = worker->map;
    const lw_workspace_map_def *def = worker->def;
    const int count = def->ndirection * def->nroll;
    lwi_map_solving *s = calloc((size_t)nworker, sizeof *s);
    lw_mat3 *R = calloc((size_t)count, sizeof *R);
    lw_status status = s && R && make_room(map, worker) ? LW_OK : LW_ERR_MEMORY;
    for (int i = 0; i < count && status == LW_OK; ++i) {
        R[i] = lw_workspace_orientation(def->ndirection, def->nroll, i);
    }
    for (int k = 0; k < nworker && status == LW_OK; ++k) {
        s[k].R = R;
        status = open_solving(&worker[k], &s[k], k == 0 ? report : NULL);
    }
    if (status == LW_OK) {
        lwi_mapping_run(worker, map->n[1] * map->n[2], solve_row);
    }
    for (int k = 0; k < nworker && s; ++k) {
        lw_ik_destroy(s[k].ik);
        free(s[k].wound);
    }
    free(s);
    free(R);
    return status;
}
