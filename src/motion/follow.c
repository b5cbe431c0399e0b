// Joint positions along a section, on the branch on which they begin: Newton's method from knot to
// knot, with first and second derivatives by the parameter from the same factors. Between knots
// joints follow quintics with these derivatives; half-way they are compared with the path.
//
// The start of Newton's method is the quintic of the interval before, drawn out. What Newton's
// method has to correct is therefore next to nothing; where it is not, the step is made of
// smaller ones, and a path that cannot be followed by any is at its end.

#include "planner.h"

#include <linkwork/kinematics.h>

#include "../ik/numeric.h"
#include "../math/pi.h"
#include "follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, FINEST = 1024, NEWTON = 10 };

static const double SLACK = 1e-9;      ///< of limits, rad or m
static const double SINGULAR = 1e-6;   ///< share of a column that is independent of the others
static const double CONVERGED = 1e-12; ///< rad, and m over the length of the arm

/// Columns of the active joints, as Q R, rows weighted; rows that the task lacks are zero.
typedef struct factors {
    int n, first;                        ///< rows from `first` on count
    double weight;                       ///< of lengths
    double Q[ROWS][ROWS], R[ROWS][ROWS]; ///< Q[k] is column k, as R[k]
    double
        independent; ///< the least share of a column that the ones before do not have; 0 at first
} factors;

static double dot(const double a[ROWS], const double b[ROWS])
{
    double sum = 0.0;
    for (int r = 0; r < ROWS; ++r) {
        sum += a[r] * b[r];
    }
    return sum;
}

// Gram and Schmidt's orthogonalization; a column that loses much is made orthogonal twice.
static void factorize(factors *f)
{
    f->independent = 1.0;
    for (int k = 0; k < f->n; ++k) {
        double *x = f->Q[k];
        const double whole = dot(x, x);
        double left = whole, before = 8.0 * whole;
        for (int j = 0; j < k; ++j) {
            f->R[k][j] = 0.0;
        }
        for (int pass = 0; pass < 2 && left < 0.25 * before; ++pass) {
            for (int j = 0; j < k; ++j) {
                const double share = dot(f->Q[j], x);
                f->R[k][j] += share;
                for (int r = 0; r < ROWS; ++r) {
                    x[r] -= share * f->Q[j][r];
                }
            }
            before = left;
            left = dot(x, x);
        }
        const double length = sqrt(left), share = whole > 0.0 ? sqrt(left / whole) : 0.0;
        f->R[k][k] = length;
        f->independent = share < f->independent ? share : f->independent;
        for (int r = 0; r < ROWS && length > 0.0; ++r) {
            x[r] /= length;
        }
    }
}

// x [n] of the least squares problem for a motion b.
static void solve(const factors *f, lw_motion motion, double *x)
{
    const double w = f->weight, a = f->first == 3 ? 0.0 : 1.0;
    const double b[ROWS] = {a * motion.ang.x, a * motion.ang.y, a * motion.ang.z,
                            w * motion.lin.x, w * motion.lin.y, w * motion.lin.z};
    for (int k = 0; k < f->n; ++k) {
        x[k] = dot(f->Q[k], b);
    }
    for (int k = f->n - 1; k >= 0; --k) {
        x[k] /= f->R[k][k];
        for (int j = 0; j < k; ++j) {
            x[j] -= f->R[k][j] * x[k];
        }
    }
}

static lw_status jacobian(lwi_planner *p, int frame, factors *f)
{
    const lw_status status = lw_frame_jacobian(p->m, p->d, p->at, frame, LW_IN_WORLD, NULL, p->J);
    for (int r = 0; r < ROWS && status == LW_OK; ++r) {
        const double weight = r < f->first ? 0.0 : r < 3 ? 1.0 : f->weight;
        for (int k = 0; k < f->n; ++k) {
            f->Q[k][r] = p->J[r * p->m->nv + p->active[k].v] * weight;
        }
    }
    if (status == LW_OK) {
        factorize(f);
    }
    return status == LW_OK && !(f->independent > SINGULAR) ? LW_ERR_SINGULAR : status;
}

// How far p->at is from a pose, and the motion e that leads there.
static lw_status error_at(lwi_planner *p, int frame, const factors *f, const lw_pose *X,
                          lw_motion *motion, double *error)
{
    lw_pose now;
    double e[ROWS];
    const lw_status status = lw_pose_of_frame(p->m, p->d, p->at, frame, &now);
    *error = 0.0;
    if (status == LW_OK) {
        lwi_pose_error(&now, X, f->first == 3 ? LWI_ROWS_POSITION : LWI_ROWS_POSE, e);
        for (int r = 0; r < ROWS; ++r) {
            const double own = e[r] * (r < 3 ? 1.0 : f->weight);
            *error += own * own;
        }
        *error = sqrt(*error);
        *motion = (lw_motion){{e[0], e[1], e[2]}, {e[3], e[4], e[5]}};
    }
    return status;
}

static void correct(lwi_planner *p, const factors *f, lw_motion e)
{
    double x[ROWS];
    solve(f, e, x);
    for (int k = 0; k < f->n; ++k) {
        p->at[p->active[k].q] += x[k];
    }
}

// Moves p->at to the pose, by Newton's method. An error that is next to nothing is corrected by the
// factors of the knot before, which leave of it what the Jacobian has changed since: that needs
// no look.
static lw_status reach(lwi_planner *p, int frame, factors *f, const lw_pose *X)
{
    lw_motion e;
    double error = 0.0;
    lw_status status = LW_OK;
    for (int i = 0; i < NEWTON; ++i) {
        status = error_at(p, frame, f, X, &e, &error);
        if (status != LW_OK || error <= CONVERGED) {
            return status;
        }
        if (i == 0 && error < 100.0 * CONVERGED && f->independent > SINGULAR) {
            correct(p, f, e);
            return LW_OK;
        }
        status = jacobian(p, frame, f);
        if (status != LW_OK) {
            return status;
        }
        correct(p, f, e);
    }
    return error < 100.0 * CONVERGED ? LW_OK : LW_ERR_NO_CONVERGENCE;
}

// Positions of p->at and their derivatives by the parameter, into a knot.
static lw_status derive(lwi_planner *p, int frame, factors *f, const lwi_path_point *x,
                        double *knot)
{
    const int n = f->n;
    lw_motion rate;
    lw_status status = jacobian(p, frame, f);
    if (status != LW_OK) {
        return status;
    }
    solve(f, x->d1, knot + n);
    memset(p->v, 0, (size_t)p->m->nv * sizeof *p->v);
    for (int k = 0; k < n; ++k) {
        knot[k] = p->at[p->active[k].q];
        p->v[p->active[k].v] = knot[n + k];
    }
    status =
        lw_frame_jacobian_rate_times_v(p->m, p->d, p->at, p->v, frame, LW_IN_WORLD, NULL, &rate);
    const lw_motion b = {lw_sub3(x->d2.ang, rate.ang), lw_sub3(x->d2.lin, rate.lin)};
    if (status == LW_OK) {
        solve(f, b, knot + 2 * n);
    }
    return status;
}

// --- Limits -----------------------------------------------------------------------------------

static lw_status at_limit(lwi_planner *p, int dof)
{
    p->info.end = LW_TOOL_JOINT_LIMIT;
    p->info.dof = dof;
    return LW_ERR_MOTION;
}

// Whether some number of whole revolutions has all that was followed within the limits.
static bool has_turn(const lwi_active *a)
{
    const double low = ceil((a->limits.lower - SLACK - a->least) / LWI_TWO_PI);
    return low <= floor((a->limits.upper + SLACK - a->most) / LWI_TWO_PI) || isinf(low);
}

lw_status lwi_plan_limits(lwi_planner *p)
{
    const lw_model *m = p->m;
    for (int k = 0; k < p->n; ++k) {
        lwi_active *a = &p->active[k];
        const double x = p->at[a->q];
        a->least = fmin(a->least, x);
        a->most = fmax(a->most, x);
        if (a->is_periodic ? !has_turn(a)
                           : x < a->limits.lower - SLACK || x > a->limits.upper + SLACK) {
            return at_limit(p, m->v_tree[a->v]);
        }
    }
    if (m->nstep == 0) {
        return LW_OK;
    }
    const lw_status status = lw_tree_state(m, p->d, p->at, NULL, NULL, p->tree_q, NULL, NULL);
    for (int i = 0; i < m->nbody && status == LW_OK; ++i) {
        const int v = m->v_start[i];
        if (m->v_start[i + 1] - v == 1) {
            const double x = p->tree_q[m->q_start[i]];
            if (x < m->dof[v].lower - SLACK || x > m->dof[v].upper + SLACK) {
                return at_limit(p, v);
            }
        }
    }
    return status;
}

// --- From knot to knot ------------------------------------------------------------------------

static double largest_change(const lwi_planner *p, const double *from, const double *to)
{
    double most = 0.0;
    for (int k = 0; k < p->n; ++k) {
        most = fmax(most, fabs(to[p->active[k].q] - from[k]));
    }
    return most;
}

// What ends the path at u, behind which Newton's method does not lead. At the end of the reach the
// configuration becomes singular too; so it is looked whether there are solutions a little later.
static lw_status end_of_path(lwi_planner *p, int frame, const lwi_segment *s, double u, double h)
{
    // The solver may be that of another tool on the same link.
    const lw_pose *X_BF = &p->m->frame[frame].X_BF, *X_BG = &p->m->frame[p->ik_frame].X_BF;
    const lw_pose back = lw_pose_inverse(X_BF), X_FG = lw_pose_mul(&back, X_BG);
    p->info.end = LW_TOOL_SINGULAR;
    for (int i = 0; i <= 4; i += 2) {
        lwi_path_point x;
        lw_ik_result found;
        lwi_segment_at(s, fmin(u + i * h, s->end), &x);
        const lw_ik_target target = {.X_BT = lw_pose_mul(&x.X, &X_FG)};
        if (lw_ik_solve(p->ik, &target, p->at, &found) == LW_OK &&
            (found.nsolution == 0 || !found.solution[0].is_exact)) {
            p->info.end = LW_TOOL_OUT_OF_REACH;
        }
    }
    return LW_ERR_MOTION;
}

// From one knot to the next: in one step from the positions in p->at, or in more and more small
// ones. *reached is how far of the way it got.
static lw_status step(lwi_planner *p, int frame, const lwi_segment *s, double from, double to,
                      factors *f, const double *last, double *next, double *reached)
{
    const int n = f->n;
    double predicted[ROWS], before[3 * ROWS];
    lwi_path_point x;
    for (int k = 0; k < n; ++k) {
        predicted[k] = p->at[p->active[k].q];
    }
    for (int parts = 1; parts <= FINEST; parts *= 2) {
        const double h = (to - from) / parts;
        lw_status status = LW_OK;
        memcpy(before, last, 3 * (size_t)n * sizeof *before);
        *reached = from;
        for (int i = 0; i < parts && status == LW_OK; ++i) {
            const double u = i + 1 < parts ? from + (i + 1) * h : to;
            for (int k = 0; k < n; ++k) {
                if (parts > 1) {
                    predicted[k] = before[k] + h * (before[n + k] + 0.5 * h * before[2 * n + k]);
                }
                p->at[p->active[k].q] = predicted[k];
            }
            lwi_segment_at(s, u, &x);
            status = reach(p, frame, f, &x.X);
            if (status == LW_OK && largest_change(p, predicted, p->at) >
                                       0.1 * largest_change(p, before, p->at) + 1e-6) {
                status = LW_ERR_NO_CONVERGENCE; // perhaps on another branch
            }
            if (status == LW_OK) {
                status = derive(p, frame, f, &x, next);
            }
            if (status == LW_OK) {
                memcpy(before, next, 3 * (size_t)n * sizeof *before);
                *reached = u;
            }
        }
        if (status == LW_OK) {
            return LW_OK;
        }
        if (status == LW_ERR_MEMORY || status == LW_ERR_ARGUMENT) {
            return status;
        }
    }
    for (int k = 0; k < n; ++k) {
        p->at[p->active[k].q] = before[k];
    }
    return end_of_path(p, frame, s, to, to - from);
}

// Positions one step on from `now`: by the quintic through the knot before, h back, or by Taylor's
// polynomial where there is none near enough.
static void predict(lwi_planner *p, const double *now, double h, double on)
{
    const int n = p->n;
    const double *last = now - 3 * n;
    const bool has_last = h > 0.0 && on < 3.0 * h;
    for (int k = 0; k < n; ++k) {
        const double to[3] = {now[k], now[n + k], now[2 * n + k]};
        double x[4] = {to[0] + on * (to[1] + 0.5 * on * to[2])};
        if (has_last) {
            const double from[3] = {last[k], last[n + k], last[2 * n + k]};
            const lwi_piece piece = lwi_piece_between(0.0, h, from, to);
            lwi_piece_at(&piece, h + on, x);
        }
        p->at[p->active[k].q] = x[0];
    }
}

static void ends_at(lwi_planner *p, const lwi_section *section, const lwi_span *span, double u)
{
    double way = section->begin;
    p->info.move = p->segment[span->segment].move;
    for (int k = section->first; k < span->segment; ++k) {
        way += (p->segment[k].end - p->segment[k].begin) * p->segment[k].scale;
    }
    p->info.position =
        way + (u - p->segment[span->segment].begin) * p->segment[span->segment].scale;
}

static lw_status follow_spans(lwi_planner *p, lwi_section *section, factors *f)
{
    int at = 0;
    double h = 0.0; // of the parameter, in the interval before
    for (int i = 0; i < section->nspan; ++i) {
        const lwi_span *span = &section->span[i];
        const lwi_segment *s = &p->segment[span->segment];
        double from = span->u.c[0];
        for (int k = 0; k < span->count; ++k, ++at) {
            double x[4], reached = from;
            double *now = lwi_knot(p, section, at), *next = lwi_knot(p, section, at + 1);
            lwi_piece_at(&span->u, span->duration * (k + 1) / span->count, x);
            const double to = k + 1 < span->count || i + 1 == section->nspan ||
                                      section->span[i + 1].segment == span->segment
                                  ? fmin(x[0], s->end)
                                  : s->end;
            predict(p, now, h, to - from);
            lw_status status = step(p, section->frame, s, from, to, f, now, next, &reached);
            if (status == LW_OK) {
                status = lwi_plan_limits(p);
            }
            if (status != LW_OK) {
                ends_at(p, section, span, reached);
                return status;
            }
            h = to - from;
            from = to;
        }
    }
    return LW_OK;
}

// --- Sections ---------------------------------------------------------------------------------

lwi_interval lwi_interval_of(const lwi_span *span, int k)
{
    lwi_interval at = {.h = span->duration / span->count};
    lwi_piece_at(&span->u, at.h * k, at.from);
    lwi_piece_at(&span->u, at.h * (k + 1), at.to);
    return at;
}

void lwi_interval_state(const lwi_planner *p, const double *knot, const double u[4], int i,
                        double x[3])
{
    const int n = p->n;
    x[0] = knot[i];
    x[1] = knot[n + i] * u[1];
    x[2] = knot[2 * n + i] * u[1] * u[1] + knot[n + i] * u[2];
}

lwi_piece lwi_interval_piece(const lwi_planner *p, const double *knot, const lwi_interval *at,
                             int i)
{
    double from[3], to[3];
    lwi_interval_state(p, knot, at->from, i, from);
    lwi_interval_state(p, knot + 3 * p->n, at->to, i, to);
    return lwi_piece_between(0.0, at->h, from, to);
}

// How far the tool is from its path half-way between knots; spans that are too far off are to have
// twice the knots. False where none is.
static lw_status compare_halfway(lwi_planner *p, lwi_section *section, const factors *f,
                                 bool *is_finer)
{
    const double *knot = section->knot;
    *is_finer = false;
    for (int i = 0; i < section->nspan; ++i) {
        lwi_span *span = &section->span[i];
        double worst = 0.0;
        for (int k = 0; k < span->count; ++k, knot += 3 * p->n) {
            const lwi_interval at = lwi_interval_of(span, k);
            lw_motion e;
            double u[4], error;
            for (int j = 0; j < p->n; ++j) { // the middle of the quintic
                double a[3], b[3];
                lwi_interval_state(p, knot, at.from, j, a);
                lwi_interval_state(p, knot + 3 * p->n, at.to, j, b);
                p->at[p->active[j].q] = 0.5 * (a[0] + b[0]) + at.h * (5.0 / 32.0) * (a[1] - b[1]) +
                                        at.h * at.h / 64.0 * (a[2] + b[2]);
            }
            lwi_path_point point;
            lwi_piece_at(&span->u, at.h * (k + 0.5), u);
            lwi_segment_at(&p->segment[span->segment], u[0], &point);
            const lw_status status = error_at(p, section->frame, f, &point.X, &e, &error);
            if (status != LW_OK) {
                return status;
            }
            worst = fmax(worst, fmax(error, error / f->weight));
        }
        if (worst > p->def->tolerance) {
            *is_finer = true;
            span->count *= 2;
        }
        p->info.deviation = fmax(p->info.deviation, worst);
    }
    return LW_OK;
}

static lw_status take_knots(lwi_planner *p, lwi_section *section)
{
    enum { MOST_KNOTS = 1 << 21 };
    double count = 1.0;
    for (int i = 0; i < section->nspan; ++i) {
        count += section->span[i].count;
    }
    if (count > MOST_KNOTS) {
        return LW_ERR_LIMIT;
    }
    section->nknot = (int)count;
    if (section->nknot > section->space) {
        free(section->knot);
        section->space = section->nknot;
        section->knot = calloc((size_t)section->space * 3 * (size_t)p->n, sizeof *section->knot);
        if (!section->knot) {
            section->space = 0;
            return LW_ERR_MEMORY;
        }
    }
    return LW_OK;
}

static factors factors_for(const lwi_planner *p)
{
    const lw_ik_info *info = lw_ik_describe(p->ik);
    const bool is_position = p->def->task == LW_IK_POSITION;
    return (factors){.n = p->n,
                     .first = is_position ? 3 : 0,
                     .weight = info->length > 0.0 ? 1.0 / info->length : 1.0};
}

static lw_status first_knot(lwi_planner *p, lwi_section *section, factors *f)
{
    const lwi_segment *s = &p->segment[section->first];
    lwi_path_point x;
    lwi_segment_at(s, s->begin, &x);
    lw_status status = reach(p, section->frame, f, &x.X);
    if (status == LW_OK) {
        status = derive(p, section->frame, f, &x, section->knot);
    }
    if (status == LW_OK) {
        status = lwi_plan_limits(p);
    } else {
        status = end_of_path(p, section->frame, s, s->begin, 0.0);
    }
    if (status != LW_OK) {
        ends_at(p, section, &section->span[0], s->begin);
    }
    return status;
}

lw_status lwi_plan_follow(lwi_planner *p, lwi_section *section)
{
    enum { ROUNDS = 8 };
    factors f = factors_for(p);
    double start[ROWS], end[ROWS];
    lw_status status = LW_OK;
    for (int k = 0; k < p->n; ++k) {
        start[k] = p->at[p->active[k].q];
    }
    bool is_finer = true;
    for (int round = 0; round < ROUNDS && is_finer; ++round) {
        const double before = p->info.deviation;
        status = take_knots(p, section);
        for (int k = 0; k < p->n; ++k) {
            p->at[p->active[k].q] = start[k];
        }
        status = status == LW_OK ? first_knot(p, section, &f) : status;
        status = status == LW_OK ? follow_spans(p, section, &f) : status;
        for (int k = 0; k < p->n; ++k) {
            end[k] = p->at[p->active[k].q];
        }
        if (status == LW_OK) {
            status = compare_halfway(p, section, &f, &is_finer);
        }
        if (status != LW_OK) {
            return status;
        }
        p->info.deviation = is_finer ? before : p->info.deviation;
    }
    for (int k = 0; k < p->n; ++k) {
        p->at[p->active[k].q] = end[k];
    }
    if (is_finer) {
        p->info.end = LW_TOOL_SINGULAR;
        ends_at(p, section, &section->span[0], p->segment[section->first].begin);
        return LW_ERR_MOTION;
    }
    p->info.npoint += section->nknot;
    return LW_OK;
}
