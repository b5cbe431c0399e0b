// A motion through points without a rest at each.
//
// A cubic spline with continuous acceleration gives the velocity and the acceleration at each
// point; quintics join them, so that both ends can be at rest with no acceleration. Times between
// points are stretched where a limit is exceeded, leg by leg, and at last all together, until none
// is.

#include "move.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Work of one spline: nleg legs between nleg + 1 different points.
typedef struct spline {
    int n, nleg;
    double *point;    ///< [(nleg+1)*n]
    double *h;        ///< [nleg] times of the legs
    double *way;      ///< [nleg] of one coordinate
    double *velocity; ///< [nleg+1] of one coordinate at the points
    double *diagonal; ///< [nleg+1]
    lwi_piece *piece; ///< [nleg*n]
    double *block;
} spline;

static void destroy(spline *s)
{
    free(s->block);
    free(s->piece);
}

static bool allocate(spline *s, int n, int npoint)
{
    const size_t points = (size_t)npoint + 1;
    *s = (spline){.n = n};
    s->block = calloc(points * ((size_t)n + 4), sizeof *s->block);
    s->piece = calloc(points * (size_t)n, sizeof *s->piece);
    if (!s->block || !s->piece) {
        return false;
    }
    s->point = s->block;
    s->h = s->point + points * (size_t)n;
    s->velocity = s->h + points;
    s->diagonal = s->velocity + points;
    s->way = s->diagonal + points;
    return true;
}

static const double *point_of(const spline *s, int k)
{
    return s->point + (size_t)k * (size_t)s->n;
}

void lwi_spline_velocities(int nleg, const double *h, const double *way, int stride, bool rests,
                           double *velocity, double *diagonal)
{
    diagonal[0] = rests ? 1.0 : 2.0;
    velocity[0] = rests ? 0.0 : 3.0 * way[0] / h[0];
    for (int k = 1; k < nleg; ++k) {
        const double a = 1.0 / h[k - 1], b = 1.0 / h[k];
        diagonal[k] = 2.0 * (a + b);
        velocity[k] = 3.0 * (a * a * way[(k - 1) * stride] + b * b * way[k * stride]);
        if (k > 1 || !rests) {
            const double ratio = a / diagonal[k - 1], above = k > 1 ? a : 1.0;
            diagonal[k] -= ratio * above;
            velocity[k] -= ratio * velocity[k - 1];
        }
    }
    velocity[nleg] = 0.0;
    if (!rests) {
        const double above = nleg > 1 ? 1.0 / h[nleg - 1] : 1.0;
        velocity[nleg] = (3.0 * way[(nleg - 1) * stride] / h[nleg - 1] -
                          velocity[nleg - 1] / diagonal[nleg - 1]) /
                         (2.0 - above / diagonal[nleg - 1]);
    }
    for (int k = nleg - 1; k > 0; --k) {
        velocity[k] = (velocity[k] - velocity[k + 1] / h[k]) / diagonal[k];
    }
    velocity[0] = rests ? 0.0 : (velocity[0] - velocity[1]) / diagonal[0];
}

double lwi_spline_acceleration(int nleg, const double *h, const double *way, int stride,
                               const double *velocity, int k)
{
    if (k == 0 || k == nleg) {
        return 0.0;
    }
    return (6.0 * way[k * stride] / h[k] - 4.0 * velocity[k] - 2.0 * velocity[k + 1]) / h[k];
}

static double acceleration_at(const spline *s, int k)
{
    return lwi_spline_acceleration(s->nleg, s->h, s->way, 1, s->velocity, k);
}

static void make_pieces(spline *s)
{
    for (int axis = 0; axis < s->n; ++axis) {
        for (int k = 0; k < s->nleg; ++k) {
            s->way[k] = point_of(s, k + 1)[axis] - point_of(s, k)[axis];
        }
        lwi_spline_velocities(s->nleg, s->h, s->way, 1, true, s->velocity, s->diagonal);
        double start = 0.0;
        for (int k = 0; k < s->nleg; ++k) {
            const double from[3] = {point_of(s, k)[axis], s->velocity[k], acceleration_at(s, k)};
            const double to[3] = {point_of(s, k + 1)[axis], s->velocity[k + 1],
                                  acceleration_at(s, k + 1)};
            s->piece[k * s->n + axis] = lwi_piece_between(start, s->h[k], from, to);
            start += s->h[k];
        }
    }
}

// How much slower a leg must be for all limits: the largest of v/v_max, sqrt(a/a_max) and
// cbrt(jerk/jerk_max).
static double needed_stretch(const lwi_builder *b, const spline *s, int leg, int *axis)
{
    double worst = 0.0;
    for (int i = 0; i < s->n; ++i) {
        const lw_axis_limits *limits = &b->def->limits[i];
        const double limit[4] = {0.0, limits->velocity, limits->acceleration, limits->jerk};
        for (int order = 1; order <= 3; ++order) {
            double least, most;
            lwi_piece_range(&s->piece[leg * s->n + i], s->h[leg], order, &least, &most);
            const double ratio = fmax(-least, most) / limit[order];
            const double stretch = order == 1 ? ratio : order == 2 ? sqrt(ratio) : cbrt(ratio);
            if (stretch > worst) {
                worst = stretch;
                *axis = i;
            }
        }
    }
    return worst;
}

static double worst_stretch(const lwi_builder *b, const spline *s, int *axis)
{
    double worst = 0.0;
    for (int k = 0; k < s->nleg; ++k) {
        int i = 0;
        const double stretch = needed_stretch(b, s, k, &i);
        if (stretch > worst) {
            worst = stretch;
            *axis = i;
        }
    }
    return worst;
}

static void stretch_all(spline *s, double factor)
{
    for (int k = 0; k < s->nleg; ++k) {
        s->h[k] *= factor;
    }
    make_pieces(s);
}

// By value: -0 is the same place as 0.
static bool is_same_point(const spline *s, const double *a, const double *b)
{
    for (int i = 0; i < s->n; ++i) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

// Points that differ from the one before; the first is where the move begins.
static void gather_points(lwi_builder *b, const lw_move *move, spline *s)
{
    const size_t size = (size_t)s->n * sizeof(double);
    memcpy(s->point, b->trajectory->last, size);
    for (int k = 0; k < move->npoint; ++k) {
        const double *point = move->point + (size_t)k * (size_t)s->n;
        if (move->time || !is_same_point(s, point_of(s, s->nleg), point)) {
            ++s->nleg;
            memcpy(s->point + (size_t)s->nleg * (size_t)s->n, point, size);
        }
    }
}

static lw_status given_times(lwi_builder *b, const lw_move *move, spline *s)
{
    double before = 0.0;
    for (int k = 0; k < s->nleg; ++k) {
        if (!isfinite(move->time[k]) || !(move->time[k] > before)) {
            return lwi_move_error(b, -1, LW_ERR_NUMBER,
                                  "its times must be finite, positive and increasing");
        }
        s->h[k] = move->time[k] - before;
        before = move->time[k];
    }
    make_pieces(s);
    int axis = 0;
    if (worst_stretch(b, s, &axis) > 1.0 + 1e-12) {
        return lwi_move_error(b, axis, LW_ERR_MOTION, "its times are too short for the limits");
    }
    return LW_OK;
}

// The time that a leg takes at the largest velocity, or from rest at half the acceleration.
static double first_time(const lwi_builder *b, const spline *s, int leg)
{
    double time = 0.0;
    for (int i = 0; i < s->n; ++i) {
        const double way = fabs(point_of(s, leg + 1)[i] - point_of(s, leg)[i]);
        const lw_axis_limits *limits = &b->def->limits[i];
        time = fmax(time, way / limits->velocity);
        time = fmax(time, sqrt(0.5 * way / limits->acceleration));
        time = fmax(time, cbrt(way / limits->jerk));
    }
    return time;
}

static lw_status shortest_times(lwi_builder *b, spline *s, double duration)
{
    for (int k = 0; k < s->nleg; ++k) {
        s->h[k] = first_time(b, s, k);
        if (!(s->h[k] > 0.0)) {
            if (!(duration > 0.0)) {
                return lwi_move_error(b, -1, LW_ERR_MOTION,
                                      "a move needs a limit of velocity, acceleration or jerk");
            }
            s->h[k] = duration / s->nleg;
        }
    }
    make_pieces(s);
    int axis = 0;
    // More rounds gain less than a part in a hundred.
    for (int round = 0; round < 12 && worst_stretch(b, s, &axis) > 1.0; ++round) {
        for (int k = 0; k < s->nleg; ++k) {
            s->piece[k * s->n].start = needed_stretch(b, s, k, &axis);
        }
        for (int k = 0; k < s->nleg; ++k) {
            s->h[k] *= fmin(fmax(s->piece[k * s->n].start, 1.0), 1.5);
        }
        make_pieces(s);
    }
    double total = 0.0, factor = worst_stretch(b, s, &axis);
    for (int k = 0; k < s->nleg; ++k) {
        total += s->h[k];
    }
    if (duration > 0.0) {
        if (duration < total * factor * (1.0 - 1e-12)) {
            return lwi_move_error(b, axis, LW_ERR_MOTION,
                                  "its duration is too short for the limits");
        }
        factor = duration / total;
    }
    stretch_all(s, factor);
    return LW_OK;
}

// Between its points a spline may swing beyond them.
static lw_status check_positions(lwi_builder *b, const spline *s)
{
    for (int k = 0; k < s->nleg; ++k) {
        for (int i = 0; i < s->n; ++i) {
            double least, most;
            lwi_piece_range(&s->piece[k * s->n + i], s->h[k], 0, &least, &most);
            const double margin = 1e-12 * fmax(fabs(least), fabs(most));
            if (least < b->def->limits[i].lower - margin ||
                most > b->def->limits[i].upper + margin) {
                return lwi_move_error(b, i, LW_ERR_MOTION,
                                      "between two points it leaves the limits of position");
            }
            if (!isfinite(least) || !isfinite(most)) {
                return lwi_move_error(b, i, LW_ERR_NUMBER, "its numbers are too large");
            }
        }
    }
    return LW_OK;
}

static void append(lw_trajectory *t, const spline *s)
{
    for (int i = 0; i < s->n; ++i) {
        for (int k = 0; k < s->nleg; ++k) {
            lwi_piece piece = s->piece[k * s->n + i];
            piece.start += t->duration;
            lwi_track_add(&t->track[i], &piece);
        }
        t->last[i] = point_of(s, s->nleg)[i];
    }
    const lwi_piece *end = &s->piece[(s->nleg - 1) * s->n];
    t->duration += end->start + s->h[s->nleg - 1];
}

lw_status lwi_spline_add(lwi_builder *b, const lw_move *move)
{
    spline s;
    lw_status status = LW_ERR_MEMORY;
    if (!allocate(&s, b->trajectory->n, move->npoint)) {
        lwi_move_error(b, -1, status, lw_status_text(status));
        goto done;
    }
    gather_points(b, move, &s);
    if (s.nleg == 0) { // it is there already
        for (int i = 0; i < s.n; ++i) {
            lwi_track_hold(b->trajectory, i);
        }
        b->trajectory->duration += move->duration;
        status = LW_OK;
        goto done;
    }
    status = move->time ? given_times(b, move, &s) : shortest_times(b, &s, move->duration);
    if (status == LW_OK) {
        status = check_positions(b, &s);
    }
    if (status == LW_OK) {
        append(b->trajectory, &s);
    }

done:
    destroy(&s);
    return status;
}
