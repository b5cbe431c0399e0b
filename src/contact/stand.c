// The pose of a vehicle on a terrain: least energy with no wheel in the ground.
//
// In the unknowns u (height, pitch and roll of the base, passive joints) the energy E is nearly
// linear, so its minimum is a vertex: as many bounds hold as there are unknowns. Bounds are the
// gaps of the wheels and the limits of the joints. Newton's method solves for the gaps of the
// active bounds. The forces that these carry are f with A' f = dE/du: a bound that would have to
// pull is let go, and the one that is then met first takes its place; a bound that is not kept
// takes the place of the one whose force vanishes first, as in the dual simplex method
// (C. E. Lemke, 1954). A six-wheeled rocker-bogie has six unknowns: all wheels are active, and
// nothing is exchanged unless one lifts.
//
// A wheel in a hollow touches in two places, and may rest on both while another one is in the air:
// where one is deeper than the contact that is followed, it is a second bound of that wheel.
#include "wheel_rows.h"
#include "wheel_touch.h"

#include "../kin/closure.h"
#include "../math/invert.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

// The base as it is tried.
typedef struct stance_pose {
    double x, y, z, heading, pitch, roll;
} stance_pose;

typedef struct standing {
    const lw_model *m;
    lw_data *d;
    lw_wheels *w;
    const lw_terrain *terrain;
    double tolerance;
    double *q; ///< of the trial
    int at;    ///< first position of the base in q
    stance_pose pose;
    lw_stand_result *result;
} standing;

// --- A trial ----------------------------------------------------------------------------------

// q of the base: roll about x, then pitch about y, then heading about z.
static void set_base(standing *s)
{
    const stance_pose *p = &s->pose;
    const double a = cos(0.5 * p->heading), b = sin(0.5 * p->heading), c = cos(0.5 * p->pitch);
    const double e = sin(0.5 * p->pitch), f = cos(0.5 * p->roll), g = sin(0.5 * p->roll);
    const double q[7] = {p->x,
                         p->y,
                         p->z,
                         a * c * f + b * e * g,
                         a * c * g - b * e * f,
                         a * e * f + b * c * g,
                         b * c * f - a * e * g};
    memcpy(s->q + s->at, q, sizeof q);
}

static double *bound_row(const lw_wheels *w, int bound)
{
    return w->bound_row + bound * w->nunknown;
}

static double *joint_of(const standing *s, int k)
{
    return &s->q[lw_position_of_dof(s->m, s->w->unknown[k])];
}

// The wheel of a bound that is a contact.
static int wheel_of(const standing *s, int bound)
{
    return bound % s->m->nwheel;
}

// The derivative of the gap of contact k: its velocity along the normal.
static void fill_wheel_row(standing *s, int k)
{
    const lw_model *m = s->m;
    lw_wheels *w = s->w;
    const lw_wheel_contact *at = &w->contact[k];
    const lw_pose *X = &s->d->X_WB[w->base];
    const lw_vec3 arm = lw_sub3(at->point, X->p), n = at->normal;
    const lw_vec3 across = lw_vec3_of(-sin(s->pose.heading), cos(s->pose.heading), 0.0);
    const lw_vec3 ahead = lw_vec3_of(X->R.row[0].x, X->R.row[1].x, X->R.row[2].x);
    const double *tree_q = m->nstep ? s->d->tree_q : s->q, *out = w->tree_row;
    double *row = bound_row(w, k);
    row[0] = n.z;
    row[1] = lw_dot3(n, lw_cross3(across, arm));
    row[2] = lw_dot3(n, lw_cross3(ahead, arm));
    lwi_wheel_row(s->d, w, tree_q, m->wheel[wheel_of(s, k)].body, at->point, n);
    w->tree_row[m->wheel[wheel_of(s, k)].axle] = 0.0;
    if (m->nstep) {
        lwi_closure_transpose(m, s->d, w->tree_row, 1, w->row);
        out = w->row;
    }
    for (int i = 3; i < w->nunknown; ++i) {
        row[i] = out[w->unknown[i - 3]];
    }
}

static lw_status touch_wheel(standing *s, int k, const double *start)
{
    lw_wheels *w = s->w;
    const int wheel = wheel_of(s, k);
    w->contact[k].center = w->contact[wheel].center;
    w->contact[k].axis = w->contact[wheel].axis;
    const lw_status status =
        lwi_touch(s->terrain, &s->m->wheel[wheel], start, &w->contact[k], &w->gap[k]);
    if (status == LW_ERR_ARGUMENT) {
        s->result->outside = wheel;
    }
    if (status == LW_OK) {
        w->touch[2 * k] = w->contact[k].point.x - w->contact[k].center.x;
        w->touch[2 * k + 1] = w->contact[k].point.y - w->contact[k].center.y;
        fill_wheel_row(s, k);
    }
    return status;
}

// Follows the second contact of a wheel, until it is the first again.
static lw_status touch_again(standing *s, int wheel, const double *start)
{
    lw_wheels *w = s->w;
    const int second = s->m->nwheel + wheel;
    const lw_status status = touch_wheel(s, second, start);
    const lw_vec3 apart = lw_sub3(w->contact[second].point, w->contact[wheel].point);
    if (status != LW_OK || lw_norm3(apart) < 1e-3 * s->m->wheel[wheel].radius) {
        w->gap[second] = HUGE_VAL;
        for (int i = 0; i < w->nunknown; ++i) {
            w->active[i] = w->active[i] == second ? wheel : w->active[i];
        }
    }
    return status;
}

// Gaps and rows of all bounds at the trial.
static lw_status evaluate(standing *s)
{
    lw_wheels *w = s->w;
    const int nwheel = s->m->nwheel;
    set_base(s);
    lw_status status = lw_forward_position(s->m, s->d, s->q);
    if (status == LW_OK && !lwi_closure_rates(s->m, s->d)) {
        status = lwi_closure_status(s->d);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_place_wheels(s->d, w);
    for (int k = 0; k < 2 * nwheel && status == LW_OK; ++k) {
        const lw_vec3 center = w->contact[wheel_of(s, k)].center;
        const double start[2] = {center.x + w->touch[2 * k], center.y + w->touch[2 * k + 1]};
        if (k < nwheel) {
            status = touch_wheel(s, k, w->is_warm ? start : NULL);
        } else if (!w->is_warm) {
            w->gap[k] = HUGE_VAL;
        } else if (isfinite(w->gap[k])) {
            status = touch_again(s, k - nwheel, start);
        }
    }
    w->is_warm = status == LW_OK;
    for (int k = 0; k < w->nunknown - 3; ++k) {
        const lw_dof *dof = &s->m->dof[s->m->v_tree[w->unknown[k]]];
        const double q = *joint_of(s, k);
        for (int side = 0; side < 2; ++side) {
            const int bound = 2 * (nwheel + k) + side;
            double *row = bound_row(w, bound);
            memset(row, 0, (size_t)w->nunknown * sizeof *row);
            row[3 + k] = side ? -1.0 : 1.0;
            w->gap[bound] = side ? dof->upper - q : q - dof->lower;
        }
    }
    return status;
}

// dE/du, N and N m.
static lw_status find_gradient(standing *s)
{
    lw_wheels *w = s->w;
    lw_vec3 center;
    const lw_status status = lw_center_of_mass(s->m, s->d, s->q, &center, w->center_J);
    if (status != LW_OK) {
        return status;
    }
    const lw_pose *X = &s->d->X_WB[w->base];
    const lw_vec3 weight = lw_scale3(-s->m->mass, s->m->gravity), arm = lw_sub3(center, X->p);
    const lw_vec3 across = lw_vec3_of(-sin(s->pose.heading), cos(s->pose.heading), 0.0);
    const lw_vec3 ahead = lw_vec3_of(X->R.row[0].x, X->R.row[1].x, X->R.row[2].x);
    w->gradient[0] = weight.z;
    w->gradient[1] = lw_dot3(weight, lw_cross3(across, arm));
    w->gradient[2] = lw_dot3(weight, lw_cross3(ahead, arm));
    for (int i = 3; i < w->nunknown; ++i) {
        const double *J = w->center_J + w->unknown[i - 3];
        const int nv = s->m->nv;
        w->gradient[i] = weight.x * J[0] + weight.y * J[nv] + weight.z * J[2 * nv];
    }
    return LW_OK;
}

// --- Active bounds ----------------------------------------------------------------------------

static bool is_active(const lw_wheels *w, int bound)
{
    for (int i = 0; i < w->nunknown; ++i) {
        if (w->active[i] == bound) {
            return true;
        }
    }
    return false;
}

static bool invert_active(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        memcpy(w->matrix + i * n, bound_row(w, w->active[i]), (size_t)n * sizeof *w->matrix);
    }
    return lwi_invert(n, w->matrix, w->inverse, 1e-9);
}

// The first bounds, in the order of gaps, whose rows are independent. False where there are too
// few: the wheels cannot hold the base.
static bool begin_active(lw_wheels *w)
{
    const int n = w->nunknown;
    int found = 0;
    double *basis = w->matrix, *x = w->step;
    memset(w->force, 0, (size_t)n * sizeof *w->force);
    for (int i = 0; i < n; ++i) {
        w->active[i] = -1;
    }
    for (int tried = 0; tried < w->nbound && found < n; ++tried) {
        int best = -1; // wheels first, then the nearest limits
        for (int k = 0; k < w->nbound; ++k) {
            const bool is_first = best < 0 || w->gap[k] < w->gap[best];
            const bool is_wheel = k < 2 * w->m->nwheel;
            if (w->bound_row[k * n] < 1e8 && isfinite(w->gap[k]) &&
                (best < 0 || (is_first && is_wheel == (best < 2 * w->m->nwheel)))) {
                best = k;
            }
        }
        if (best < 0) {
            break;
        }
        memcpy(x, bound_row(w, best), (size_t)n * sizeof *x);
        w->bound_row[best * n] += 1e9; // is tried: the next evaluation writes the row again
        double before = 0.0, after = 0.0;
        for (int i = 0; i < n; ++i) {
            before += x[i] * x[i];
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int b = 0; b < found; ++b) {
                double share = 0.0;
                for (int i = 0; i < n; ++i) {
                    share += basis[b * n + i] * x[i];
                }
                for (int i = 0; i < n; ++i) {
                    x[i] -= share * basis[b * n + i];
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            after += x[i] * x[i];
        }
        if (after > 1e-8 * before) {
            for (int i = 0; i < n; ++i) {
                basis[found * n + i] = x[i] / sqrt(after);
            }
            w->active[found++] = best;
        }
    }
    return found == n;
}

// Forces of the active bounds: A' f = dE/du.
static void find_forces(lw_wheels *w)
{
    const int n = w->nunknown;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += w->inverse[k * n + i] * w->gradient[k];
        }
        w->force[i] = sum;
    }
}

// A bound that is not kept takes the place of the active one whose force vanishes first.
static bool take_in(lw_wheels *w, int bound)
{
    const int n = w->nunknown;
    const double *row = bound_row(w, bound);
    int leaves = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        double share = 0.0;
        for (int k = 0; k < n; ++k) {
            share += w->inverse[k * n + i] * row[k];
        }
        if (share > 1e-9 && fmax(w->force[i], 0.0) / share < least) {
            least = fmax(w->force[i], 0.0) / share;
            leaves = i;
        }
    }
    if (leaves >= 0) {
        w->active[leaves] = bound;
    }
    return leaves >= 0;
}

// Lets an active bound go, and takes in the one that is met first then.
static bool let_go(lw_wheels *w, int i)
{
    const int n = w->nunknown;
    int enters = -1;
    double least = HUGE_VAL;
    for (int bound = 0; bound < w->nbound; ++bound) {
        double rate = 0.0;
        const double *row = bound_row(w, bound);
        for (int k = 0; k < n; ++k) {
            rate += row[k] * w->inverse[k * n + i];
        }
        if (!is_active(w, bound) && rate < -1e-9 && isfinite(w->gap[bound]) &&
            fmax(w->gap[bound], 0.0) / -rate < least) {
            least = fmax(w->gap[bound], 0.0) / -rate;
            enters = bound;
        }
    }
    if (enters >= 0) {
        w->active[i] = enters;
    }
    return enters >= 0;
}

// --- Newton's method --------------------------------------------------------------------------

static void step(standing *s, double share)
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
    share *= most > 0.25 ? 0.25 / most : 1.0; // rad in one step
    s->pose.z += share * w->step[0];
    s->pose.pitch += share * w->step[1];
    s->pose.roll += share * w->step[2];
    for (int i = 3; i < n; ++i) {
        *joint_of(s, i - 3) += share * w->step[i];
    }
}

static double active_gap(const lw_wheels *w)
{
    double most = 0.0;
    for (int i = 0; i < w->nunknown; ++i) {
        most = fmax(most, fabs(w->gap[w->active[i]]));
    }
    return most;
}

// Whether the wheels touch where they are deepest. A place that is deeper than the contact that is
// followed takes its place, or is a second contact where that one is active.
static lw_status find_jumps(standing *s, bool *has_jumped)
{
    lw_wheels *w = s->w;
    const int nwheel = s->m->nwheel;
    *has_jumped = false;
    for (int k = 0; k < nwheel; ++k) {
        double start[2];
        const double deepest = fmin(w->gap[k], w->gap[nwheel + k]);
        if (!lwi_touch_jumps(s->terrain, &s->m->wheel[k], &w->contact[k], deepest, 1e-9, start)) {
            continue;
        }
        const lw_status status =
            is_active(w, k) ? touch_again(s, k, start) : touch_wheel(s, k, start);
        if (status != LW_OK) {
            return status;
        }
        *has_jumped |= fmin(w->gap[k], w->gap[nwheel + k]) < deepest - s->tolerance;
        s->result->changes += fmin(w->gap[k], w->gap[nwheel + k]) < deepest - s->tolerance;
    }
    return LW_OK;
}

// Whether the active bounds are the right ones; else they are changed. LW_ERR_SINGULAR where the
// base tips over all of them.
static lw_status check_active(standing *s, bool *is_right)
{
    lw_wheels *w = s->w;
    int deepest = -1, pulls = -1;
    *is_right = true;
    for (int k = 0; k < w->nbound; ++k) {
        if (!is_active(w, k) && w->gap[k] < -s->tolerance &&
            (deepest < 0 || w->gap[k] < w->gap[deepest])) {
            deepest = k;
        }
    }
    const lw_status status = find_gradient(s);
    if (status != LW_OK) {
        return status;
    }
    find_forces(w);
    const double weight = fabs(w->gradient[0]);
    for (int i = 0; i < w->nunknown; ++i) {
        if (w->force[i] < -1e-9 * weight && (pulls < 0 || w->force[i] < w->force[pulls])) {
            pulls = i;
        }
    }
    if (deepest < 0 && pulls < 0) {
        return LW_OK;
    }
    *is_right = false;
    ++s->result->changes;
    const bool is_changed = deepest >= 0 ? take_in(w, deepest) : let_go(w, pulls);
    return is_changed ? LW_OK : LW_ERR_SINGULAR;
}

// From above: the base level, at the height where the first wheel touches.
static lw_status begin_cold(standing *s)
{
    lw_ground_point g;
    lw_wheels *w = s->w;
    if (!lw_terrain_at(s->terrain, s->pose.x, s->pose.y, &g)) {
        return LW_ERR_ARGUMENT;
    }
    w->is_warm = false;
    s->pose.pitch = s->pose.roll = 0.0;
    s->pose.z += g.height;
    for (int pass = 0; pass < 2; ++pass) {
        const lw_status status = evaluate(s);
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

static lw_status solve(standing *s, bool is_cold, int most)
{
    lw_wheels *w = s->w;
    double before = HUGE_VAL;
    int worse = 0;
    lw_status status = is_cold ? begin_cold(s) : LW_OK;
    if (status == LW_OK) {
        status = evaluate(s);
    }
    if (status == LW_OK && is_cold) {
        status = begin_active(w) ? evaluate(s) : LW_ERR_SINGULAR;
    }
    for (; status == LW_OK && s->result->iterations < most; ++s->result->iterations) {
        bool is_right = true, has_jumped = false;
        if (!invert_active(w)) {
            return LW_ERR_SINGULAR;
        }
        const double gap = active_gap(w);
        if (gap <= s->tolerance) {
            status = find_jumps(s, &has_jumped);
            if (status == LW_OK) {
                status = check_active(s, &is_right);
                if (status != LW_OK || (is_right && !has_jumped)) {
                    return status;
                }
            }
            if (status != LW_OK || !invert_active(w)) {
                return status != LW_OK ? status : LW_ERR_SINGULAR;
            }
        }
        // Newton's method between two contacts of a wheel may go to and fro: half steps then, as
        // long as full ones do not help.
        const bool is_new = has_jumped || !is_right;
        worse = is_new ? 0 : worse + (gap > 0.5 * before);
        step(s, worse > 3 && gap > 0.9 * before ? 0.5 : 1.0);
        before = is_new ? HUGE_VAL : gap;
        status = evaluate(s);
    }
    return status == LW_OK ? LW_ERR_NO_CONVERGENCE : status;
}

// --- The call ---------------------------------------------------------------------------------

static void report_wheels(const standing *s, lw_wheel_stand *wheel)
{
    const lw_wheels *w = s->w;
    lw_stand_result *result = s->result;
    result->least = HUGE_VAL;
    for (int i = 0; i < w->nunknown; ++i) {
        result->nlimit += w->active[i] >= 2 * s->m->nwheel;
    }
    for (int k = 0; k < s->m->nwheel; ++k) {
        const int second = s->m->nwheel + k;
        const int at = w->gap[second] < w->gap[k] ? second : k;
        const bool is_lost = !is_active(w, k) && !is_active(w, second) && w->gap[at] > 1e-9;
        double load = 0.0;
        for (int i = 0; i < w->nunknown; ++i) {
            load += w->active[i] == k || w->active[i] == second ? w->force[i] : 0.0;
        }
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
    lw_status status = is_cold ? LW_ERR_NO_CONVERGENCE : solve(&s, false, most);
    if (status == LW_ERR_NO_CONVERGENCE || status == LW_ERR_SINGULAR) { // from above
        const int before = result->iterations;
        s.pose.z = m->q_reference[first + 2];
        for (int k = 0; k < wheels->nunknown - 3; ++k) {
            const int v = lw_position_of_dof(m, wheels->unknown[k]);
            s.q[v] = m->q_reference[v];
        }
        status = solve(&s, true, before + most);
    }
    wheels->is_standing = status == LW_OK;
    if (status == LW_OK) {
        memcpy(q, s.q, (size_t)m->nq * sizeof *q);
        report_wheels(&s, wheel);
    }
    return status;
}
