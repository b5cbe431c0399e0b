#include "trajectory.h"

#include "../base/report.h"
#include "../model/kernel.h"
#include "move.h"
#include "profile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

lw_axis_limits lw_default_axis_limits(void)
{
    const double infinity = (double)INFINITY;
    const lw_axis_limits none = {-infinity, infinity, infinity, infinity, infinity};
    return none;
}

lw_axis_limits lw_dof_limits(const lw_model *m, int k)
{
    lw_axis_limits limits = lw_default_axis_limits();
    if (m && k >= 0 && k < m->nv) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        limits.lower = dof->lower;
        limits.upper = dof->upper;
        limits.velocity = dof->max_velocity;
        limits.acceleration = dof->max_acceleration;
    }
    return limits;
}

static lw_status check_definition(const lwi_builder *b)
{
    const lw_trajectory_def *def = b->def;
    for (int i = 0; i < def->n; ++i) {
        const lw_axis_limits *l = &def->limits[i];
        if (!(l->velocity > 0.0 && l->acceleration > 0.0 && l->jerk > 0.0) ||
            !(l->lower <= l->upper)) {
            return lwi_report_error(b->report, (lw_location){0}, LW_ERR_MOTION,
                                    "coordinate %d: limits must be positive, and the lower end "
                                    "below the upper one",
                                    i + 1);
        }
        if (!isfinite(def->start[i])) {
            return lwi_report_error(b->report, (lw_location){0}, LW_ERR_NUMBER,
                                    "coordinate %d: its start is not finite", i + 1);
        }
        if (!lwi_is_within(l, def->start[i])) {
            return lwi_report_error(b->report, (lw_location){0}, LW_ERR_MOTION,
                                    "coordinate %d: its start is outside of its limits", i + 1);
        }
    }
    return LW_OK;
}

// Workspace for the pieces that one track can need, and how many arcs there are.
static size_t count_pieces(const lw_trajectory_def *def, size_t *narc)
{
    size_t count = 1;
    *narc = 0;
    for (int i = 0; i < def->nmove; ++i) {
        const lw_move *move = &def->move[i];
        const size_t npoint = move->npoint > 0 ? (size_t)move->npoint : 0;
        count += move->type == LW_MOVE_TO ? LWI_PROFILE_PIECES * npoint : npoint + 1;
        *narc += move->type == LW_MOVE_ARC;
    }
    return count;
}

lw_trajectory *lwi_trajectory_allocate(int axes, size_t npiece, size_t narc, const double *start)
{
    const size_t n = (size_t)axes;
    lw_trajectory *t = calloc(1, sizeof *t);
    if (!t || npiece > SIZE_MAX / sizeof(lwi_piece) / (n + 1)) {
        free(t);
        return NULL;
    }
    t->n = axes;
    t->track = calloc(n + narc + 1, sizeof *t->track);
    t->arc = calloc(narc + 1, sizeof *t->arc);
    t->last = calloc(n + 1, sizeof *t->last);
    lwi_piece *piece = calloc(n * npiece + narc * LWI_PROFILE_PIECES + 1, sizeof *piece);
    if (!t->track || !t->arc || !t->last || !piece) {
        free(piece);
        free(t->track);
        free(t->arc);
        free(t->last);
        free(t);
        return NULL;
    }
    t->track[0].piece = piece; // the block of all
    for (size_t i = 1; i < n + narc; ++i) {
        t->track[i].piece = t->track[i - 1].piece + (i <= n ? npiece : LWI_PROFILE_PIECES);
    }
    memcpy(t->last, start, n * sizeof *t->last);
    return t;
}

lw_status lw_trajectory_create(const lw_trajectory_def *def, lw_trajectory **trajectory,
                               lw_report *report)
{
    if (trajectory) {
        *trajectory = NULL;
    }
    if (!def || !trajectory || def->n < 1 || !def->start || !def->limits || def->nmove < 0 ||
        (def->nmove > 0 && !def->move)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_builder b = {.def = def, .report = report};
    lw_status status = check_definition(&b);
    if (status != LW_OK) {
        return status;
    }
    size_t narc;
    const size_t npiece = count_pieces(def, &narc);
    b.trajectory = lwi_trajectory_allocate(def->n, npiece, narc, def->start);
    if (!b.trajectory) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_MEMORY, "%s",
                                lw_status_text(LW_ERR_MEMORY));
    }
    for (b.move = 0; b.move < def->nmove && status == LW_OK; ++b.move) {
        status = lwi_move_add(&b, &def->move[b.move]);
    }
    if (status != LW_OK) {
        lw_trajectory_destroy(b.trajectory);
        return status;
    }
    *trajectory = b.trajectory;
    return LW_OK;
}

// Adds the pieces of a part behind those of `t`.
static void append(lw_trajectory *t, const lw_trajectory *part)
{
    for (int i = 0; i < part->n + part->narc; ++i) {
        lwi_track *to = &t->track[i < part->n ? i : i + t->narc];
        for (int k = 0; k < part->track[i].npiece; ++k) {
            to->piece[to->npiece] = part->track[i].piece[k];
            to->piece[to->npiece++].start += t->duration;
        }
    }
    for (int k = 0; k < part->narc; ++k) {
        lwi_arc *arc = &t->arc[t->narc + k];
        *arc = part->arc[k];
        arc->begin += t->duration;
        arc->end += t->duration;
        arc->track += t->narc;
    }
    t->narc += part->narc;
    t->duration += part->duration;
    memcpy(t->last, part->last, (size_t)t->n * sizeof *t->last);
}

lw_trajectory *lwi_trajectory_join(int n, const double *start, lw_trajectory *const *part,
                                   int npart)
{
    size_t narc = 0, npiece = 0;
    for (int i = 0; i < npart; ++i) {
        int most = 0;
        for (int k = 0; k < n; ++k) {
            most = part[i]->track[k].npiece > most ? part[i]->track[k].npiece : most;
        }
        npiece += (size_t)most;
        narc += (size_t)part[i]->narc;
    }
    lw_trajectory *t = lwi_trajectory_allocate(n, npiece, narc, start);
    for (int i = 0; i < npart && t; ++i) {
        append(t, part[i]);
    }
    return t;
}

void lw_trajectory_destroy(lw_trajectory *trajectory)
{
    if (trajectory) {
        free(trajectory->track[0].piece);
        free(trajectory->track);
        free(trajectory->arc);
        free(trajectory->last);
        free(trajectory);
    }
}

int lw_trajectory_axes(const lw_trajectory *trajectory)
{
    return trajectory ? trajectory->n : 0;
}

double lw_trajectory_duration(const lw_trajectory *trajectory)
{
    return trajectory ? trajectory->duration : 0.0;
}

int lw_trajectory_breaks(const lw_trajectory *trajectory, double *time, int capacity)
{
    int count = 0;
    double last = 0.0;
    while (trajectory && last < trajectory->duration) {
        double next = trajectory->duration; // the first start of a piece behind the last
        for (int i = 0; i < trajectory->n + trajectory->narc; ++i) {
            const lwi_track *track = &trajectory->track[i];
            int low = 0, high = track->npiece;
            while (low < high) {
                const int middle = low + (high - low) / 2;
                if (track->piece[middle].start > last) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            while (low < track->npiece && track->piece[low].is_smooth) {
                ++low;
            }
            next = low < track->npiece ? fmin(next, track->piece[low].start) : next;
        }
        if (time && count < capacity) {
            time[count] = next;
        }
        ++count;
        last = next;
    }
    return count;
}

// --- Evaluation -------------------------------------------------------------------------------

// The last piece that has begun.
static int piece_of(const lwi_track *track, double t)
{
    int low = 0, high = track->npiece;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (track->piece[middle].start <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void track_at(const lwi_track *track, double t, double x[4])
{
    const lwi_piece *piece = &track->piece[piece_of(track, t)];
    lwi_piece_at(piece, t - piece->start, x);
}

static double track_speed(const lwi_track *track, double from, double to)
{
    double speed = 0.0;
    for (int k = piece_of(track, from); k < track->npiece; ++k) {
        lwi_piece piece = track->piece[k];
        const double begin = fmax(from, piece.start);
        const double end = k + 1 < track->npiece ? fmin(to, track->piece[k + 1].start) : to;
        if (piece.start >= to) {
            break;
        }
        for (int i = 0; i < LWI_DEGREE; ++i) { // powers of the time since `begin`
            for (int j = LWI_DEGREE - 1; j >= i; --j) {
                piece.c[j] += (begin - piece.start) * piece.c[j + 1];
            }
        }
        double least, most;
        lwi_piece_range(&piece, end - begin, 1, &least, &most);
        speed = fmax(speed, fmax(-least, most));
    }
    return speed;
}

void lwi_trajectory_speeds(const lw_trajectory *trajectory, double from, double to, double *speed)
{
    for (int i = 0; i < trajectory->n; ++i) {
        speed[i] = track_speed(&trajectory->track[i], from, to);
    }
    for (int k = 0; k < trajectory->narc; ++k) {
        const lwi_arc *arc = &trajectory->arc[k];
        const double begin = fmax(from, arc->begin), end = fmin(to, arc->end);
        for (int axis = 0; axis < 2 && begin < end; ++axis) {
            double *s = &speed[arc->axis[axis]];
            *s = fmax(*s, arc->radius * track_speed(&trajectory->track[arc->track], begin, end));
        }
    }
}

static void put(double *const out[4], int i, const double x[4])
{
    for (int k = 0; k < 4; ++k) {
        if (out[k]) {
            out[k][i] = x[k];
        }
    }
}

static void arc_at(const lw_trajectory *trajectory, const lwi_arc *arc, double t,
                   double *const out[4])
{
    double f[4];
    track_at(&trajectory->track[arc->track], t, f);
    const double c = cos(f[0]), s = sin(f[0]);
    for (int k = 0; k < 2; ++k) {
        const double along = arc->radius * (k == 0 ? c : s); // f(angle)
        const double across = arc->radius * (k == 0 ? -s : c);
        const double x[4] = {
            arc->center[k] + along,
            across * f[1],
            across * f[2] - along * f[1] * f[1],
            across * (f[3] - f[1] * f[1] * f[1]) - 3.0 * along * f[1] * f[2],
        };
        put(out, arc->axis[k], x);
    }
}

lw_status lw_trajectory_evaluate(const lw_trajectory *trajectory, double t, double *q, double *v,
                                 double *a, double *jerk)
{
    if (!trajectory) {
        return LW_ERR_ARGUMENT;
    }
    if (isnan(t)) {
        return LW_ERR_NUMBER;
    }
    double *const out[4] = {q, v, a, jerk};
    const bool is_before = t < 0.0;
    t = is_before ? 0.0 : t;
    const bool is_over = t >= trajectory->duration;
    for (int i = 0; i < trajectory->n; ++i) {
        double x[4] = {trajectory->last[i], 0.0, 0.0, 0.0};
        if (!is_over) {
            track_at(&trajectory->track[i], t, x);
        }
        put(out, i, x);
    }
    for (int k = 0; k < trajectory->narc; ++k) {
        const lwi_arc *arc = &trajectory->arc[k];
        if (t >= arc->begin && t < arc->end) {
            arc_at(trajectory, arc, t, out);
        }
    }
    for (int k = 1; k < 4 && is_before; ++k) { // at rest
        if (out[k]) {
            memset(out[k], 0, (size_t)trajectory->n * sizeof(double));
        }
    }
    return LW_OK;
}

lw_status lw_trajectory_state(const lw_trajectory *trajectory, const lw_model *m, double t,
                              double *q, double *v, double *a)
{
    if (!trajectory || !m || !q || trajectory->n != m->nv) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lw_trajectory_evaluate(trajectory, t, q, v, a, NULL); // nq >= nv
    if (status != LW_OK || m->nq == m->nv) {
        return status;
    }
    for (int k = m->nv - 1; k >= 0; --k) { // downward: the place in q is never before that in v
        const int i = lw_position_of_dof(m, k);
        if (i >= 0) {
            q[i] = q[k];
        } else {
            if (v) {
                v[k] = 0.0;
            }
            if (a) {
                a[k] = 0.0;
            }
        }
    }
    for (int i = 0; i < m->kernel->nquat; ++i) {
        const lwi_quat_at *at = &m->kernel->quat[i];
        const int first = at->q - (m->carrier[at->body] == LW_TREE_FREE ? 3 : 0);
        for (int k = first; k < at->q + 4; ++k) {
            q[k] = m->q_reference[k];
        }
    }
    return LW_OK;
}
