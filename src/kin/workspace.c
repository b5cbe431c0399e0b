// The points that a frame reaches, by sampling.

#include <linkwork/workspace.h>

#include "../base/splitmix.h"
#include "joint_range.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 100000000 };

/// A joint that is sampled.
typedef struct range {
    int position; ///< in q
    double low, high;
} range;

// Limits come up more often than by chance: the boundary of a workspace is mostly there.
static double pick(const range *r, unsigned long long *seed)
{
    const double kind = lwi_random_share(seed);
    return kind < 0.15   ? r->low
           : kind < 0.30 ? r->high
                         : r->low + (r->high - r->low) * lwi_random_share(seed);
}

// The joints to sample. Spherical and free ones have no limits that would bound them.
static lw_status find_ranges(const lw_model *m, const bool *is_held, range *list, int *count,
                             int *unlimited)
{
    for (int k = 0; k < m->nv; ++k) {
        const int q = lw_position_of_dof(m, k);
        if (q < 0 || (is_held && is_held[q])) {
            continue;
        }
        range r = {.position = q};
        if (!lwi_joint_range(m, q, &r.low, &r.high)) {
            *unlimited = q;
            return LW_ERR_ARGUMENT;
        }
        list[(*count)++] = r;
    }
    return LW_OK;
}

static void add_point(lw_workspace *w, lw_vec3 p)
{
    const double out = hypot(p.x, p.y);
    if (w->count == 0) {
        w->low = w->high = p;
        w->farthest = w->nearest = out;
    }
    w->low = lw_vec3_of(fmin(w->low.x, p.x), fmin(w->low.y, p.y), fmin(w->low.z, p.z));
    w->high = lw_vec3_of(fmax(w->high.x, p.x), fmax(w->high.y, p.y), fmax(w->high.z, p.z));
    w->farthest = fmax(w->farthest, out);
    w->nearest = fmin(w->nearest, out);
    w->point[w->count++] = p;
}

static lw_status visit(lw_workspace *w, const lw_model *m, lw_data *d,
                       const lw_workspace_options *o, double *q, const range *list, int nrange)
{
    unsigned long long seed = o->seed;
    for (int i = 0; i < o->samples; ++i) {
        if (o->cancel && o->cancel(o->context)) {
            w->is_cancelled = true;
            break;
        }
        for (int k = 0; k < nrange; ++k) {
            q[list[k].position] = pick(&list[k], &seed);
        }
        lw_pose X;
        lw_status status = lw_forward_position(m, d, q);
        if (status == LW_ERR_LOOP_OPEN) {
            ++w->nopen;
            continue;
        }
        if (status == LW_OK) {
            status = lw_frame_pose(m, d, o->frame, &X);
        }
        if (status != LW_OK) {
            return status;
        }
        add_point(w, X.p);
    }
    return w->count > 0 || w->is_cancelled ? LW_OK : LW_ERR_LOOP_OPEN;
}

lw_workspace_options lw_default_workspace_options(int frame)
{
    return (lw_workspace_options){.frame = frame, .samples = 100000, .seed = 1};
}

lw_status lw_workspace_sample(const lw_model *m, lw_data *d, const lw_workspace_options *o,
                              lw_workspace *w)
{
    if (!w) {
        return LW_ERR_ARGUMENT;
    }
    *w = (lw_workspace){.unlimited = -1};
    if (!m || !d || !o || o->frame < 0 || o->frame >= m->nframe_all || o->samples < 1 ||
        o->samples > MOST_SAMPLES) {
        return LW_ERR_ARGUMENT;
    }
    int nrange = 0;
    double *q = calloc((size_t)m->nq + 1, sizeof *q);
    range *list = calloc((size_t)m->nv + 1, sizeof *list);
    w->point = calloc((size_t)o->samples, sizeof *w->point);
    lw_status status = q && list && w->point ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        memcpy(q, o->q ? o->q : m->q_reference, (size_t)m->nq * sizeof *q);
        status = find_ranges(m, o->is_held, list, &nrange, &w->unlimited);
    }
    if (status == LW_OK) {
        status = visit(w, m, d, o, q, list, nrange);
    }
    free(q);
    free(list);
    return status;
}

void lw_workspace_free(lw_workspace *workspace)
{
    if (workspace) {
        free(workspace->point);
        *workspace = (lw_workspace){.unlimited = -1};
    }
}
