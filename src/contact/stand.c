// The pose of a vehicle on a terrain: least energy with no wheel in the ground.
//
// In the unknowns u (height, pitch and roll of the base, passive joints) the energy E is nearly
// linear, so its minimum is mostly a vertex: as many bounds hold as there are unknowns. Bounds are
// the gaps of the wheels and the limits of the joints. Newton's method solves for the gaps of the
// bounds that were active before. The forces that these carry are f with A' f = dE/du. Where one
// would have to pull, or another bound is not kept, a search begins (stand_search.c). A
// six-wheeled rocker-bogie has six unknowns: all wheels are active, and nothing changes unless one
// lifts.
//
// A wheel in a hollow touches in two places, and may rest on both while another one is in the air:
// a second contact is a second bound of that wheel, and a third one a third.
#include "stand.h"

#include "../math/least_norm.h"

#include <linkwork/kinematics.h>

#include <math.h>

static const double touching = 1e-9; ///< m; a wheel with a larger gap has lost contact

// --- Newton's method --------------------------------------------------------------------------

static double active_gap(const lw_wheels *w)
{
    double most = 0.0;
    for (int i = 0; i < w->nunknown; ++i) {
        most = fmax(most, fabs(w->gap[w->active[i]]));
    }
    return most;
}

// Whether other bounds are kept, and none of the active ones has to pull.
static lw_status check_active(standing *s, bool *is_right)
{
    lw_wheels *w = s->w;
    lw_status status = LW_OK;
    *is_right = true;
    for (int k = 0; k < s->m->nwheel && status == LW_OK; ++k) {
        status = lwi_stand_look(s, k);
    }
    status = status == LW_OK ? lwi_stand_gradient(s) : status;
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < w->nbound; ++k) {
        *is_right &= w->gap[k] >= -s->tolerance;
    }
    lwi_stand_forces(w);
    const double weight = fabs(w->gradient[0]);
    for (int i = 0; i < w->nunknown; ++i) {
        *is_right &= w->force[i] >= -1e-9 * weight;
    }
    return LW_OK;
}

static void newton_step(standing *s)
{
    lw_wheels *w = s->w;
    const int n = w->nunknown;
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum -= w->inverse[i * n + k] * w->gap[w->active[k]];
        }
        w->step[i] = sum;
        most = i > 0 ? fmax(most, fabs(sum)) : 0.0;
    }
    lwi_stand_move(s, w->step, most > 0.25 ? 0.25 / most : 1.0); // rad in one step
}

// From the active bounds of the last call; by a search where they are not the ones.
static lw_status solve(standing *s, int most)
{
    lw_wheels *w = s->w;
    double before = HUGE_VAL;
    lw_status status = lwi_stand_evaluate(s);
    for (; status == LW_OK && s->result->iterations < most; ++s->result->iterations) {
        bool has_side = false, is_right = false;
        for (int i = 0; i < w->nunknown; ++i) {
            has_side |= is_side(w, w->active[i]);
        }
        if (has_side || !lwi_stand_invert(w)) {
            break;
        }
        const double gap = active_gap(w);
        if (gap <= s->tolerance) {
            status = check_active(s, &is_right);
            if (status != LW_OK || is_right) {
                return status;
            }
            break;
        }
        if (gap > 0.5 * before) {
            break;
        }
        newton_step(s);
        before = gap;
        status = lwi_stand_evaluate(s);
    }
    return status == LW_OK ? lwi_stand_search(s, most) : status;
}

// From above: the base level, or along the ground below it, at the height where the first wheel
// touches.
static lw_status begin_cold(standing *s, bool is_level)
{
    lw_ground_point g = {.height = 0.0, .normal = {0.0, 0.0, 1.0}};
    lw_wheels *w = s->w;
    // Where the base is beyond the terrain, a wheel is too, which the evaluation finds, or all of
    // them are on it and determine the height.
    lw_terrain_at(s->terrain, s->pose.x, s->pose.y, &g);
    w->is_warm = false;
    w->active[0] = -1;
    s->pose.pitch = s->pose.roll = 0.0;
    if (!is_level) {
        const double c = cos(s->pose.heading), e = sin(s->pose.heading);
        s->pose.pitch = atan2(c * g.normal.x + e * g.normal.y, g.normal.z);
        s->pose.roll = asin(e * g.normal.x - c * g.normal.y);
    }
    s->pose.z += g.height;
    for (int pass = 0; pass < 2; ++pass) {
        const lw_status status = lwi_stand_evaluate(s);
        if (status != LW_OK) {
            return status;
        }
        double least = HUGE_VAL;
        for (int k = 0; k < s->m->nwheel; ++k) {
            least = fmin(least, w->gap[k] / w->contact[k].normal.z);
        }
        s->pose.z -= least;
        w->is_warm = false;
    }
    return LW_OK;
}

// A pose of least energy may be one below the ground, with the wheels up: that is none. Nor is one
// on its side by which a vehicle would go on: `least` is the cosine to the normal of the ground,
// which is that of a whole slope or of one stone below, or to the vertical.
static lw_status refuse_overturned(const standing *s, double least, lw_status status)
{
    const double p = s->pose.pitch, r = s->pose.roll, h = s->pose.heading;
    const lw_vec3 up = {cos(h) * sin(p) * cos(r) + sin(h) * sin(r),
                        sin(h) * sin(p) * cos(r) - cos(h) * sin(r), cos(p) * cos(r)};
    lw_ground_point g = {.normal = {0.0, 0.0, 1.0}};
    lw_terrain_at(s->terrain, s->pose.x, s->pose.y, &g);
    const bool is_upright = up.z > 0.0 && fmax(up.z, lw_dot3(up, g.normal)) > least;
    return status == LW_OK && !is_upright ? LW_ERR_SINGULAR : status;
}

static lw_status search_from_above(standing *s, bool is_level, int most)
{
    const lw_model *m = s->m;
    const int before = s->result->iterations;
    s->pose.z = m->q_reference[s->at + 2];
    for (int k = 0; k < s->w->nunknown - 3; ++k) {
        const int v = lw_position_of_dof(m, s->w->unknown[k]);
        s->q[v] = m->q_reference[v];
    }
    lw_status status = begin_cold(s, is_level);
    status = status == LW_OK ? lwi_stand_search(s, before + most) : status;
    return refuse_overturned(s, -1.0, status);
}

// --- The call ---------------------------------------------------------------------------------

// Forces of the bounds: those of the active ones. Where more hold than are needed, as on level
// ground without suspension, these are some of many: then the least forces, unless one pulls. Rows
// of bounds are overwritten.
static void find_loads(lw_wheels *w)
{
    const int n = w->nunknown;
    double *row = w->bound_row, *least = w->load + w->nbound;
    int count = 0;
    bool is_balanced = false, pulls = false;
    memset(w->load, 0, (size_t)w->nbound * sizeof *w->load);
    for (int i = 0; i < n; ++i) {
        is_balanced |= is_side(w, w->active[i]);
        if (!is_side(w, w->active[i])) {
            w->load[w->active[i]] = w->force[i];
        }
    }
    for (int bound = 0; bound < w->nbound && !is_balanced; ++bound) {
        if (fabs(w->gap[bound]) <= touching) {
            memmove(row + n * count++, bound_row(w, bound), (size_t)n * sizeof *row);
        }
    }
    if (count <= n) {
        return;
    }
    lwi_least_norm(count, n, n, row, w->gradient, least, 1);
    for (int i = 0; i < count; ++i) {
        pulls |= !(least[i] >= 0.0);
    }
    for (int bound = 0, i = 0; bound < w->nbound && !pulls; ++bound) {
        w->load[bound] = fabs(w->gap[bound]) <= touching ? least[i++] : 0.0;
    }
}

static void report_wheels(const standing *s, lw_wheel_stand *wheel)
{
    lw_wheels *w = s->w;
    lw_stand_result *result = s->result;
    result->least = HUGE_VAL;
    find_loads(w);
    for (int i = 0; i < w->nunknown; ++i) {
        result->nlimit += w->active[i] >= wheel_places(s->m) && !is_side(w, w->active[i]);
    }
    for (int k = 0; k < s->m->nwheel; ++k) {
        const int at = lwi_nearest_place(w, k);
        double load = 0.0;
        bool holds = false;
        for (int place = k; place < wheel_places(s->m); place += s->m->nwheel) {
            load += w->load[place];
            holds |= is_active(w, place);
        }
        const bool is_lost = !holds && w->gap[at] > touching;
        result->nlost += is_lost;
        result->least = fmin(result->least, w->gap[at]);
        result->gap = is_lost ? result->gap : fmax(result->gap, fabs(w->gap[at]));
        if (wheel) {
            wheel[k] = (lw_wheel_stand){w->contact[at], w->gap[at], load, is_lost};
        }
    }
}

lw_status lw_stand(const lw_model *m, lw_data *d, lw_wheels *wheels, const lw_terrain *terrain,
                   double x, double y, double heading, const lw_stand_options *options, double *q,
                   lw_wheel_stand *wheel, lw_stand_result *result)
{
    static const lw_stand_options usual = {0};
    const lw_stand_options *o = options ? options : &usual;
    if (!m || !d || !wheels || wheels->m != m || !terrain || !q || !result) {
        return LW_ERR_ARGUMENT;
    }
    *result = (lw_stand_result){.outside = -1};
    if (!isfinite(x) || !isfinite(y) || !isfinite(heading)) {
        return LW_ERR_NUMBER;
    }
    const int base = wheels->base;
    if (base < 0 || m->parent[base] >= 0 || m->carrier[base] != LW_TREE_FREE) {
        return LW_ERR_UNSUPPORTED;
    }
    const int at = m->joints[m->joint[base]].q;
    int first = 0;
    while (m->q_tree[first] != at) {
        ++first;
    }
    memcpy(wheels->trial, q, (size_t)m->nq * sizeof *q);
    const lw_mat3 R =
        lw_rotation_quat((lw_quat){q[first + 3], q[first + 4], q[first + 5], q[first + 6]});
    const lw_vec3 rpy = lw_rpy_of(&R);
    const bool is_cold = o->is_cold || !wheels->is_standing;
    standing s = {.m = m,
                  .d = d,
                  .w = wheels,
                  .terrain = terrain,
                  .tolerance = o->tolerance > 0.0 ? o->tolerance : 1e-11,
                  .q = wheels->trial,
                  .at = first,
                  .pose = {x, y, q[first + 2], heading, rpy.y, rpy.x},
                  .result = result};
    const int most = o->iterations > 0 ? o->iterations : 40;
    lw_status status = LW_ERR_NO_CONVERGENCE;
    if (!is_cold) {
        status = refuse_overturned(&s, 0.7, solve(&s, most));
    }
    for (int k = 0; k < 2 && (status == LW_ERR_NO_CONVERGENCE || status == LW_ERR_SINGULAR); ++k) {
        status = search_from_above(&s, k == 0, most);
    }
    wheels->is_standing = status == LW_OK;
    if (status == LW_OK) {
        memcpy(q, s.q, (size_t)m->nq * sizeof *q);
        report_wheels(&s, wheel);
    }
    return status;
}
