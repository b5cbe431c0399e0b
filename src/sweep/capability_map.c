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
#include <string.h>

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

typedef struct solving {
    lwi_mapping *w;
    lw_ik *ik;
    lw_mat3 *R; ///< [norientation]
    int step;   ///< orientations that one solution stands for
} solving;

// Whether the last joint of the chain is the roll of the frame, and free.
static bool rolls_freely(const lwi_mapping *w, const lw_ik_info *info)
{
    const int last = info->njoint - 1, q = last >= 0 ? info->position[last] : -1;
    if (q < 0 || info->is_prismatic[last] || w->collide) {
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

// The first solution that counts; its q, or NULL.
static const double *solve(solving *s, lw_vec3 p, int orientation)
{
    const lw_ik_target target = {.X_BT = {s->R[orientation], p}};
    lw_ik_result result;
    if (lw_ik_solve(s->ik, &target, NULL, &result) != LW_OK) {
        return NULL;
    }
    for (int k = 0; k < result.nsolution; ++k) {
        const lw_ik_solution *x = &result.solution[k];
        if (x->is_exact && x->in_limits && x->is_same_assembly && lwi_mapping_is_free(s->w, x->q)) {
            return x->q;
        }
    }
    return NULL;
}

static void solve_cell(solving *s, long long cell)
{
    lw_workspace_map *map = s->w->map;
    const long long nx = map->n[0], ny = map->n[1];
    const lw_vec3 p = lw_vec3_of(map->low.x + ((double)(cell % nx) + 0.5) * map->cell,
                                 map->low.y + ((double)(cell / nx % ny) + 0.5) * map->cell,
                                 map->low.z + ((double)(cell / nx / ny) + 0.5) * map->cell);
    int reached = 0;
    for (int i = 0; i < map->norientation; i += s->step) {
        const double *q = solve(s, p, i);
        if (q && reached == 0) {
            memcpy(map->witness + cell * map->nq, q, (size_t)map->nq * sizeof *q);
        }
        reached += q ? s->step : 0;
    }
    map->capability[cell] = (float)reached / (float)map->norientation;
}

// Whether the origin of the frame can be as far from the axis of the first joint's base as this: a
// bound that needs no solution.
static bool is_near(const lw_ik_info *info, const lw_workspace_map *map, long long cell)
{
    const long long nx = map->n[0], ny = map->n[1];
    const double x = map->low.x + ((double)(cell % nx) + 0.5) * map->cell - info->point[0].x;
    const double y = map->low.y + ((double)(cell / nx % ny) + 0.5) * map->cell - info->point[0].y;
    const double z = map->low.z + ((double)(cell / nx / ny) + 0.5) * map->cell - info->point[0].z;
    return sqrt(x * x + y * y + z * z) <= 2.0 * info->length;
}

lw_status lwi_map_capability(lwi_mapping *w, lw_report *report)
{
    lw_workspace_map *map = w->map;
    const size_t cells = (size_t)map->n[0] * (size_t)map->n[1] * (size_t)map->n[2];
    lw_ik_def def = lw_default_ik_def(-1, w->def->frame);
    def.ignores_limits = w->def->ignores_limits;
    solving s = {.w = w, .step = 1};
    map->norientation = w->def->ndirection * w->def->nroll;
    map->nq = w->m->nq;
    s.R = calloc((size_t)map->norientation, sizeof *s.R);
    map->capability = calloc(cells, sizeof *map->capability);
    map->witness = calloc(cells * (size_t)(map->nq + 1), sizeof *map->witness);
    lw_status status = s.R && map->capability && map->witness
                           ? lw_ik_create(w->m, &def, &s.ik, report)
                           : LW_ERR_MEMORY;
    if (status == LW_OK) {
        const lw_ik_info *info = lw_ik_describe(s.ik);
        // A pose out of reach needs no nearest configuration, which would be searched for.
        s.ik->is_sampling = info->method != LW_IK_NUMERIC;
        s.step = rolls_freely(w, info) ? w->def->nroll : 1;
        for (int i = 0; i < map->norientation; ++i) {
            s.R[i] = lw_workspace_orientation(w->def->ndirection, w->def->nroll, i);
        }
        for (size_t cell = 0; cell < cells && !map->is_cancelled; ++cell) {
            if (is_near(info, map, (long long)cell)) {
                solve_cell(&s, (long long)cell);
            }
            map->is_cancelled = w->def->cancel && w->def->cancel(w->def->context);
        }
    }
    lw_ik_destroy(s.ik);
    free(s.R);
    return status;
}
