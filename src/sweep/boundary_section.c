// A mechanism that moves a point, as seen from a plane.

#include "boundary_section.h"

#include "../base/philox.h"
#include "../kin/joint_range.h"
#include "../math/pi.h"
#include "mapping.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *lwi_trace_add(lwi_trace *t)
{
    if (t->count == t->space) {
        const int space = 2 * t->space + 64;
        double *larger = realloc(t->at, (size_t)space * LWI_TRACE_WIDTH * sizeof *larger);
        if (!larger) {
            return NULL;
        }
        t->at = larger;
        t->space = space;
    }
    return t->at + (ptrdiff_t)t->count++ * LWI_TRACE_WIDTH;
}

const double *lwi_trace_point(const lwi_trace *t, int i)
{
    return t->at + (ptrdiff_t)i * LWI_TRACE_WIDTH;
}

void lwi_trace_reverse(lwi_trace *t)
{
    double keep[LWI_TRACE_WIDTH];
    for (int a = 0, b = t->count - 1; a < b; ++a, --b) {
        double *x = t->at + (ptrdiff_t)a * LWI_TRACE_WIDTH;
        double *y = t->at + (ptrdiff_t)b * LWI_TRACE_WIDTH;
        memcpy(keep, x, sizeof keep);
        memcpy(x, y, sizeof keep);
        memcpy(y, keep, sizeof keep);
    }
}

double lwi_polyline_distance(const double *point, int n, int width, const double p[2], double *at)
{
    double least = 1e300;
    for (int k = 0; k + 1 < n; ++k) {
        const double *y = point + (ptrdiff_t)k * width, *z = y + width;
        const double ux = z[0] - y[0], uy = z[1] - y[1], uu = ux * ux + uy * uy;
        double s = uu > 0.0 ? ((p[0] - y[0]) * ux + (p[1] - y[1]) * uy) / uu : 0.0;
        s = fmin(fmax(s, 0.0), 1.0);
        const double x = y[0] + s * ux - p[0], v = y[1] + s * uy - p[1], gap = x * x + v * v;
        if (gap < least) {
            least = gap;
            if (at) {
                *at = k + s;
            }
        }
    }
    return sqrt(least);
}

double lwi_section_share(lwi_section *s)
{
    double u[2];
    lwi_philox_pair(s->def->seed, s->drawn++, 0, 2, u);
    return u[0];
}

/// Where the dependent joints are: halves of their ranges off the middle of these. False where
/// loops do not close.
static bool find_dependent(lwi_section *s, const double *q, double *value)
{
    const lw_model *m = s->m;
    if (lw_tree_state(m, s->d, q, NULL, NULL, s->tree_q, NULL, NULL) != LW_OK) {
        return false;
    }
    for (int k = 0; k < s->ndependent; ++k) {
        const lw_dof *dof = &m->dof[m->v_start[s->body[k]]];
        const double x = s->tree_q[m->q_start[s->body[k]]];
        value[k] = (2.0 * x - dof->lower - dof->upper) / (dof->upper - dof->lower);
    }
    return true;
}

/// How fast the dependent joint of a body goes where degree of freedom k does. NAN at a singular
/// configuration.
static double rate_of(lwi_section *s, const double *q, int k, int body)
{
    s->v[k] = 1.0;
    const lw_status status = lw_tree_state(s->m, s->d, q, s->v, NULL, NULL, s->tree_v, NULL);
    s->v[k] = 0.0;
    return status == LW_OK ? s->tree_v[s->m->v_start[body]] : (double)NAN;
}

/// The rows of dependent joints.
static bool place_dependent(lwi_section *s, const double *q, const double *x, double *p, double *J)
{
    enum { N = LWI_BOUNDARY_JOINTS };
    const int first = s->rows - s->ndependent;
    double value[LWI_BOUNDARY_DEPENDENT];
    bool is_good = find_dependent(s, q, value);
    for (int k = 0; k < s->ndependent && is_good; ++k) {
        const lw_dof *dof = &s->m->dof[s->m->v_start[s->body[k]]];
        const double scale = 2.0 * s->size / (dof->upper - dof->lower);
        p[first + k] = s->size * (value[k] - x[s->nmoving + k]);
        for (int i = 0; i < s->njoint && J && is_good; ++i) {
            J[(first + k) * N + i] = i < s->nmoving ? scale * rate_of(s, q, s->dof[i], s->body[k])
                                     : i == s->nmoving + k ? -s->size
                                                           : 0.0;
            is_good = isfinite(J[(first + k) * N + i]);
        }
    }
    return is_good;
}

bool lwi_section_place(lwi_section *s, const double *x, double p[LWI_BOUNDARY_ROWS], double *J)
{
    const lw_boundary_def *def = s->def;
    lw_pose X;
    for (int i = 0; i < s->nmoving; ++i) {
        s->q[s->joint[i]] = x[i];
    }
    lw_data_restart(s->d);
    // A position and its derivatives share what lw_set_state() finds.
    const bool is_held = J && lw_set_state(s->m, s->d, s->q, NULL) == LW_OK;
    const double *q = is_held ? lw_held_position(s->d) : s->q;
    if ((J && !is_held) || lw_forward_position(s->m, s->d, q) != LW_OK ||
        lw_frame_pose(s->m, s->d, def->frame, &X) != LW_OK) {
        return false;
    }
    const lw_vec3 r = lw_sub3(X.p, def->origin), axis[3] = {def->u, def->v, s->normal};
    for (int k = 0; k < 3; ++k) {
        p[k] = lw_dot3(axis[k], r);
    }
    const int nv = s->m->nv;
    if (J && lw_frame_jacobian(s->m, s->d, q, def->frame, LW_IN_WORLD, NULL, s->J) != LW_OK) {
        return false;
    }
    for (int i = 0; i < s->njoint && J; ++i) {
        const double *c = s->J + (ptrdiff_t)3 * nv + (i < s->nmoving ? s->dof[i] : 0);
        const lw_vec3 column = i < s->nmoving ? lw_vec3_of(c[0], c[nv], c[2 * (ptrdiff_t)nv])
                                              : lw_vec3_of(0.0, 0.0, 0.0);
        for (int k = 0; k < 3; ++k) {
            J[k * LWI_BOUNDARY_JOINTS + i] = lw_dot3(axis[k], column);
        }
    }
    return s->ndependent == 0 || place_dependent(s, q, x, p, J);
}

bool lwi_section_follow(lwi_section *s, double *x)
{
    double value[LWI_BOUNDARY_DEPENDENT];
    if (s->ndependent == 0) {
        return true;
    }
    for (int i = 0; i < s->nmoving; ++i) {
        s->q[s->joint[i]] = x[i];
    }
    lw_data_restart(s->d);
    bool is_there = find_dependent(s, s->q, value);
    for (int k = 0; k < s->ndependent; ++k) {
        x[s->nmoving + k] = is_there ? fmin(fmax(value[k], -1.0), 1.0) : 0.0;
        is_there = is_there && fabs(value[k]) <= 1.0;
    }
    return is_there;
}

void lwi_section_joints(lwi_section *s, const double *q, double *x)
{
    for (int i = 0; i < s->nmoving; ++i) {
        x[i] = q[s->joint[i]];
    }
    lwi_section_follow(s, x);
}

double lwi_section_clip(const lwi_section *s, int i, double x)
{
    return s->is_full[i] ? x : fmin(fmax(x, s->low[i]), s->high[i]);
}

void lwi_section_draw(lwi_section *s, double *x)
{
    for (int i = 0; i < s->nmoving; ++i) {
        x[i] = s->low[i] + (s->high[i] - s->low[i]) * lwi_section_share(s);
    }
    lwi_section_follow(s, x);
}

enum { SAMPLES = 64 };

/// Marks the degrees of freedom that move the point, as random configurations have it: of a closed
/// mechanism the tree does not tell.
static lw_status find_moving(lwi_section *s, bool *moves)
{
    const lw_model *m = s->m;
    double most = 0.0, low, high;
    int seen = 0;
    for (int n = 0; n < 2 * SAMPLES; ++n) {
        for (int k = 0; k < m->nv; ++k) {
            const int q = lw_position_of_dof(m, k);
            if (q >= 0 && lwi_joint_range(m, q, &low, &high)) {
                s->q[q] = low + (high - low) * lwi_section_share(s);
            }
        }
        lw_data_restart(s->d);
        if (lw_frame_jacobian(m, s->d, s->q, s->def->frame, LW_IN_WORLD, NULL, s->J) != LW_OK) {
            continue;
        }
        ++seen;
        for (int i = 3 * m->nv; i < 6 * m->nv; ++i) {
            const double rate = fabs(s->J[i]);
            most = fmax(most, rate);
            moves[i % m->nv] = moves[i % m->nv] || (n >= SAMPLES && rate > 1e-9 * most);
        }
    }
    for (int k = 0; k < m->nv; ++k) { // a range of no length holds the joint
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        moves[k] = moves[k] && !(dof->lower == dof->upper);
    }
    memcpy(s->q, m->q_reference, (size_t)m->nq * sizeof *s->q);
    return seen > 0 ? LW_OK : LW_ERR_LOOP_OPEN;
}

/// Whether the point leaves the plane, and how far it goes.
static lw_status look_around(lwi_section *s)
{
    double leaves = 0.0, x[LWI_BOUNDARY_JOINTS], p[LWI_BOUNDARY_ROWS];
    double J[LWI_BOUNDARY_ROWS * LWI_BOUNDARY_JOINTS], low[3], high[3];
    int seen = 0;
    for (int n = 0; n < SAMPLES; ++n) {
        lwi_section_draw(s, x);
        if (!lwi_section_place(s, x, p, J)) {
            continue;
        }
        for (int i = 0; i < s->njoint; ++i) {
            leaves = fmax(leaves, fabs(J[2 * LWI_BOUNDARY_JOINTS + i]));
        }
        for (int k = 0; k < 3; ++k) {
            low[k] = seen == 0 ? p[k] : fmin(low[k], p[k]);
            high[k] = seen == 0 ? p[k] : fmax(high[k], p[k]);
        }
        ++seen;
    }
    if (seen == 0) {
        return LW_ERR_LOOP_OPEN;
    }
    s->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    s->is_planar = leaves < 1e-10 * s->size && fabs(p[2]) < 1e-9 * s->size;
    s->rows = s->is_planar ? 2 : 3;
    return LW_OK;
}

/// Configurations with the point in the plane, from random ones by Newton's method.
static lw_status fill_pool(lwi_section *s)
{
    enum { N = LWI_BOUNDARY_JOINTS, POOL = 4000, STEPS = 8 };
    double x[N], p[LWI_BOUNDARY_ROWS], J[LWI_BOUNDARY_ROWS * N];
    s->pool.count = 0;
    for (int n = 0; n < POOL; ++n) {
        lwi_section_draw(s, x);
        bool is_good = lwi_section_place(s, x, p, J);
        for (int it = 0; it < STEPS && is_good && !s->is_planar && p[2] != 0.0; ++it) {
            double sum = 1e-12 * s->size * s->size;
            for (int i = 0; i < s->njoint; ++i) {
                sum += J[2 * N + i] * J[2 * N + i];
            }
            for (int i = 0; i < s->njoint; ++i) {
                x[i] -= J[2 * N + i] * p[2] / sum;
                x[i] = lwi_section_clip(s, i, x[i]);
            }
            is_good = lwi_section_place(s, x, p, J);
        }
        if (!is_good || !(fabs(p[2]) < 1e-3 * s->size) || !lwi_section_follow(s, x)) {
            continue;
        }
        double *at = lwi_trace_add(&s->pool);
        if (!at) {
            return LW_ERR_MEMORY;
        }
        memcpy(at, p, 2 * sizeof *at);
        memcpy(at + 2, x, sizeof x);
    }
    return LW_OK;
}

static lw_status take_joints(lwi_section *s, const bool *moves)
{
    const lw_model *m = s->m;
    s->nmoving = 0;
    for (int k = 0; k < m->nv; ++k) {
        const int q = lw_position_of_dof(m, k), i = s->nmoving;
        if (!moves[k]) {
            continue;
        }
        if (i == LWI_BOUNDARY_MOVING) {
            return LW_ERR_LIMIT;
        }
        if (q < 0 || !lwi_joint_range(m, q, &s->low[i], &s->high[i])) {
            return LW_ERR_UNSUPPORTED;
        }
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const bool has_limits = isfinite(dof->lower) && isfinite(dof->upper);
        // A range of a revolution or more has no ends, but that of a slide has, and where other
        // joints depend on it, another revolution is another place.
        s->is_full[i] = !has_limits;
        if (has_limits && s->ndependent == 0 && dof->upper - dof->lower >= LWI_TWO_PI - 1e-9) {
            for (int b = 0; b < m->nbody; ++b) {
                if (m->v_start[b] == m->v_tree[k]) {
                    s->is_full[i] = m->carrier[b] == LW_TREE_REVOLUTE;
                }
            }
        }
        if (s->is_full[i]) {
            s->low[i] = -LWI_PI;
            s->high[i] = LWI_PI;
        }
        s->joint[i] = q;
        s->dof[i] = k;
        ++s->nmoving;
    }
    for (int k = 0; k < s->ndependent; ++k) {
        s->low[s->nmoving + k] = -1.0;
        s->high[s->nmoving + k] = 1.0;
        s->is_full[s->nmoving + k] = false;
    }
    s->njoint = s->nmoving + s->ndependent;
    return LW_OK;
}

/// Takes a dependent joint that is beyond its limits somewhere in the pool, with all joints that it
/// depends on. *is_done where there is none.
static lw_status take_dependent(lwi_section *s, bool *moves, bool *is_done)
{
    const lw_model *m = s->m;
    int body = LWI_MAPPING_WITHIN;
    for (int n = 0; n < s->pool.count && body == LWI_MAPPING_WITHIN; ++n) {
        for (int i = 0; i < s->nmoving; ++i) {
            s->q[s->joint[i]] = lwi_trace_point(&s->pool, n)[2 + i];
        }
        lw_data_restart(s->d);
        body = lwi_mapping_beyond(m, s->d, s->q, s->rest, s->tree_q);
        for (int k = 0; k < s->ndependent; ++k) {
            body = body == s->body[k] ? LWI_MAPPING_WITHIN : body; // by rounding
        }
    }
    *is_done = body == LWI_MAPPING_WITHIN;
    if (*is_done) {
        return LW_OK;
    }
    if (body == LWI_MAPPING_OPEN || !isfinite(m->dof[m->v_start[body]].lower) ||
        !isfinite(m->dof[m->v_start[body]].upper)) {
        return LW_ERR_UNSUPPORTED;
    }
    if (s->ndependent == LWI_BOUNDARY_DEPENDENT) {
        return LW_ERR_LIMIT;
    }
    for (int k = 0; k < m->nv; ++k) {
        moves[k] = moves[k] || fabs(rate_of(s, s->q, k, body)) > 1e-9;
    }
    s->body[s->ndependent++] = body;
    ++s->rows;
    return take_joints(s, moves);
}

lw_status lwi_section_open(lwi_section *s, const lw_model *m, const lw_boundary_def *def)
{
    *s = (lwi_section){.m = m, .def = def};
    s->normal = lw_cross3(def->u, def->v);
    s->q = calloc((size_t)m->nq + 1, sizeof *s->q);
    s->J = calloc((size_t)6 * (size_t)(m->nv + 1), sizeof *s->J);
    s->v = calloc((size_t)m->nv + 1, sizeof *s->v);
    s->tree_q = calloc((size_t)m->tree_nq + 1, 2 * sizeof *s->tree_q);
    s->rest = s->tree_q ? s->tree_q + m->tree_nq : NULL;
    s->tree_v = calloc((size_t)m->tree_nv + 1, sizeof *s->tree_v);
    bool *moves = calloc((size_t)m->nv + 1, sizeof *moves);
    const bool has_memory = s->q && s->J && s->v && s->tree_q && s->tree_v && moves;
    lw_status status = has_memory ? lw_data_create(m, &s->d) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        memcpy(s->q, m->q_reference, (size_t)m->nq * sizeof *s->q);
        lwi_mapping_rest(m, s->d, s->rest);
        status = find_moving(s, moves);
    }
    status = status == LW_OK ? take_joints(s, moves) : status;
    status = status == LW_OK ? look_around(s) : status;
    for (bool is_done = false; status == LW_OK && !is_done;) {
        status = fill_pool(s);
        status = status == LW_OK ? take_dependent(s, moves, &is_done) : status;
    }
    free(moves);
    return status;
}

void lwi_section_close(lwi_section *s)
{
    lw_data_destroy(s->d);
    free(s->pool.at);
    free(s->q);
    free(s->J);
    free(s->v);
    free(s->tree_q);
    free(s->tree_v);
}
