// Single loops in space that have a closed form, recognised where they are closed: axes that all
// meet in one point (loop/spherical_loop.c), the linkages of Bennett and Bricard
// (loop/symmetric_loop.c), and one leg with one dependent joint (loop/single_leg.c).
#include "close.h"

#include "../loop/closed_form_loops.h"
#include "../math/denavit.h"
#include "../math/pi.h"
#include "../math/wide.h"
#include "../model/joint.h"

#include <string.h>

// What differs by more than the rounding of a file is left to Newton's method.
static const double same = 1e-9;

enum { MOST_AXES = 6 };

/// An axis of a loop, in the order in which one comes to it round the loop.
typedef struct ring_axis {
    lw_pose X;  ///< z along it, along the axes of the common body
    int q, v;   ///< tree coordinates; -1 of the closing joint
    int target; ///< of the step, or -1
    int sign;   ///< of the angle that this axis rotates by, going round, for z as it is
} ring_axis;

static ring_axis flipped(ring_axis a)
{
    static const lw_pose half = {{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}, {0, 0, 0}};
    a.X = lw_pose_mul(&a.X, &half);
    a.sign = -a.sign;
    return a;
}

// All axes of a loop at q: down its first branch, the closing joint, and up the second one. Returns
// how many there are; 0 where a joint is not revolute, or there are too many.
static int find_ring(const lwi_build *b, const lwi_loop *loop, const lwi_step *step,
                     const double *q, ring_axis ring[MOST_AXES])
{
    const int n0 = loop->npath[0], n = n0 + loop->npath[1] + 1;
    if (loop->is_rod || loop->type != LW_JOINT_REVOLUTE || n > MOST_AXES) {
        return 0;
    }
    for (int side = 0; side < 2; ++side) {
        lw_pose X = lw_pose_identity();
        for (int k = 0; k < loop->npath[side]; ++k) {
            const int i = loop->path[side][k];
            const lwi_built_body *body = &b->body[i];
            if (body->carrier != LW_TREE_REVOLUTE) {
                return 0;
            }
            X = joint_frame_after(&b->draft, i, &X);
            ring_axis *own = &ring[side == 0 ? k : n - 1 - k];
            *own = (ring_axis){X, body->q, body->v, -1, side == 0 ? 1 : -1};
            for (int t = 0; t < step->ntarget; ++t) {
                own->target = step->target[t] == body->v ? t : own->target;
            }
            X = joint_pose_after(&b->draft, i, q, &X);
        }
        if (side == 0) {
            ring[n0] = (ring_axis){lw_pose_mul(&X, &loop->X[0]), -1, -1, -1, 1};
        }
    }
    return n;
}

// --- Axes that meet ----------------------------------------------------------------------------

static double distance_from_axis(const lw_pose *X, lw_vec3 p)
{
    return lw_norm3(lw_cross3(lw_sub3(p, X->p), column_z(&X->R)));
}

// Whether all axes go through one point: where the first meets one that is not parallel to it.
static bool is_spherical(const ring_axis *ring, int n, double size)
{
    const lw_vec3 z = column_z(&ring[0].X.R);
    for (int k = 1; k < n; ++k) {
        const lw_vec3 z2 = column_z(&ring[k].X.R), normal = lw_cross3(z, z2);
        const double square = lw_dot3(normal, normal);
        if (square < 1e-4) {
            continue;
        }
        const lw_vec3 way = lw_sub3(ring[k].X.p, ring[0].X.p);
        const double along = lw_dot3(lw_cross3(way, z2), normal) / square;
        const lw_vec3 center = lw_add3(ring[0].X.p, lw_scale3(along, z));
        for (int i = 0; i < n; ++i) {
            if (distance_from_axis(&ring[i].X, center) > 1e-3 * same * size) {
                return false;
            }
        }
        return true;
    }
    return false;
}

static void make_spherical(lwi_build *b, const lwi_loop *loop, lwi_step *step, const double *q)
{
    int found = 0;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < loop->npath[side]; ++k) {
            const int v = b->body[loop->path[side][k]].v;
            if (v != step->target[0] && v != step->target[1]) {
                continue;
            }
            *(found ? &step->side2 : &step->side) = side;
            *(found ? &step->at2 : &step->at) = k;
            ++found;
        }
    }
    step->kind = LW_STEP_SPHERICAL;
    step->branch = lwi_spherical_branch(&b->draft, loop, step, q);
    step->motion = b->nleg_motion;
    b->nleg_motion += loop->npath[0] + loop->npath[1] + 1;
}

// --- Bennett and Bricard -----------------------------------------------------------------------

/// A linkage as Denavit and Hartenberg's parameters: row k leads from axis k to axis k + 1, and its
/// theta is the angle at axis k + 1.
typedef struct linkage {
    int n;
    ring_axis axis[MOST_AXES];
    lwi_denavit row[MOST_AXES];
} linkage;

// Rotates axes by half a turn where that makes the sines of all twists positive, or positive and
// negative in turn; false where that cannot be.
static bool orient(linkage *l)
{
    const bool is_turn = l->n == 6;
    for (int k = 0; k < l->n; ++k) {
        ring_axis *next = &l->axis[(k + 1) % l->n];
        const lw_pose X = lwi_denavit_toward(&l->axis[k].X, &next->X);
        const lw_vec3 twist = lw_cross3(column_z(&X.R), column_z(&next->X.R));
        const lw_vec3 x = {X.R.row[0].x, X.R.row[1].x, X.R.row[2].x};
        const double sine = lw_dot3(twist, x) * (is_turn && k % 2 ? -1.0 : 1.0);
        if (k + 1 < l->n && sine < 0.0) {
            *next = flipped(*next);
        } else if (sine < 0.0) {
            return false;
        }
    }
    return true;
}

// Whether the rows are those of a linkage that moves, to `same`.
static bool fits(linkage *l, double size)
{
    lw_pose X[MOST_AXES];
    for (int k = 0; k < l->n; ++k) {
        X[k] = lwi_denavit_toward(&l->axis[k].X, &l->axis[(k + 1) % l->n].X);
    }
    for (int k = 0; k < l->n; ++k) {
        l->row[k] = lwi_denavit_row(&X[k], &X[(k + 1) % l->n], 0.0);
    }
    const int period = l->n == 4 ? 2 : 1;
    for (int k = 0; k < l->n; ++k) {
        const lwi_denavit *own = &l->row[k], *like = &l->row[(k + period) % l->n];
        const double sign = l->n == 6 ? -1.0 : 1.0;
        if (!(own->a > same * size) || fabs(own->a - like->a) > same * size ||
            fabs(own->d) > same * size || fabs(own->alpha - sign * like->alpha) > same ||
            !(fabs(sin(own->alpha)) > same)) {
            return false;
        }
    }
    const lwi_denavit *one = &l->row[0], *two = &l->row[1];
    return l->n == 6 || (fabs(one->a * sin(two->alpha) - two->a * sin(one->alpha)) < same * size &&
                         fabs(one->alpha - two->alpha) > 1e-3);
}

// The coefficients of a step for a linkage whose source is axis `at`; `other` takes the other sign
// of its constant.
static void fill_coefficients(const linkage *l, const lwi_step *step, int at, bool is_other,
                              const double *q, double *out)
{
    const int n = l->n;
    const ring_axis *source = &l->axis[at];
    const double one = l->row[at].alpha, two = l->row[(at + 1) % n].alpha;
    const double x = l->row[(at + n - 1) % n].theta;
    // tan(x/2) tan(y/2) = k is tan((y + pi)/2) = -tan(x/2) / k.
    double sum, difference, cosine, ignored;
    lwi_rounded_sincos(0.5 * (two + one), &sum, &ignored);
    lwi_rounded_sincos(0.5 * (two - one), &difference, &ignored);
    lwi_rounded_sincos(one, &ignored, &cosine);
    const double constant = n == 4 ? -difference / sum : cosine;
    out[0] = n;
    out[1] = is_other ? -constant : constant;
    out[2] = source->sign;
    out[3] = x - source->sign * q[source->q];
    for (int i = 1; i < n; ++i) {
        const ring_axis *own = &l->axis[(at + i) % n];
        if (own->target < 0) {
            continue;
        }
        const double opposite = n == 4 && i >= 2 ? -1.0 : 1.0; // x, y, -x, -y
        double *target = &out[4 + 3 * own->target];
        const double theta = l->row[(at + i + n - 1) % n].theta;
        target[0] = i % 2;
        target[1] = own->sign * opposite;
        // Seen from where the linkage stands: its own angle, less what the law gives there.
        target[2] = q[own->q] - own->sign * theta;
        target[2] -= n == 4 && i % 2 ? own->sign * opposite * 0.5 * LWI_TWO_PI : 0.0;
    }
    (void)step;
}

// Constants are known up to whole turns: those that leave the linkage where it stands.
static void count_turns(lwi_build *b, const lwi_program *program, lwi_step *step,
                        const lwi_loop_work *work, const double *reference, double *q,
                        double *coefficient)
{
    lwi_closure_fault fault;
    memcpy(q, reference, (size_t)b->tree_nq * sizeof *q);
    lwi_symmetric_position(&b->draft, program, step, work, q, &fault);
    for (int t = 0; t < step->ntarget; ++t) {
        const int at = step->target_q[t];
        coefficient[4 + 3 * t + 2] +=
            LWI_TWO_PI * floor((reference[at] - q[at]) / LWI_TWO_PI + 0.5);
    }
}

// Whether the law keeps the loop closed where it stands, and elsewhere.
static bool holds(lwi_build *b, const lwi_program *program, const lwi_step *step,
                  const lwi_loop_work *work, const double *reference, double *q)
{
    static const double away[] = {0.0, 0.05, -0.3, 0.7, -1.1};
    const lwi_loop *loop = &program->loop[step->loop[0]];
    for (int k = 0; k < 5; ++k) {
        lwi_closure_fault fault;
        double row[LWI_MOST_ROWS];
        memcpy(q, reference, (size_t)b->tree_nq * sizeof *q);
        q[step->source_q[0]] += away[k];
        const lw_status status = lwi_symmetric_position(&b->draft, program, step, work, q, &fault);
        if (status != LW_OK && k < 2) {
            return false;
        }
        lwi_loop_residual(&b->draft, loop, q, row);
        double moved = 0.0; // another assembly closes as well
        for (int t = 0; t < step->ntarget && k == 0; ++t) {
            moved = fmax(moved, fabs(q[step->target_q[t]] - reference[step->target_q[t]]));
        }
        if (status == LW_OK &&
            !(lwi_loop_relative_residual(loop, row) < 1e-2 * same && moved < 1e-6)) {
            return false;
        }
    }
    return true;
}

static lw_status find_symmetric(lwi_build *b, const lwi_program *program, lwi_step *step,
                                const lwi_loop_work *work, const ring_axis *ring, int n, double *q)
{
    linkage l = {.n = n};
    memcpy(l.axis, ring, (size_t)n * sizeof *ring);
    const lwi_loop *loop = &program->loop[step->loop[0]];
    if ((n != 4 && n != 6) || step->nsource != 1 || step->ntarget != n - 2 || !orient(&l) ||
        !fits(&l, loop->size)) {
        return LW_OK;
    }
    int at = 0;
    while (at < n && l.axis[at].v != step->source[0]) {
        ++at;
    }
    double *coefficient = lwi_arena_take(b->arena, (size_t)(4 + 3 * (n - 2)), sizeof *coefficient);
    double *reference = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *reference);
    if (!coefficient || !reference) {
        return lwi_build_no_memory(b);
    }
    memcpy(reference, q, (size_t)b->tree_nq * sizeof *q);
    step->coefficient = coefficient;
    bool is_found = false;
    for (int guess = 0; guess < 4 && at < n && !is_found; ++guess) {
        fill_coefficients(&l, step, at, guess % 2, reference, coefficient);
        step->branch = n == 4 ? 0 : guess < 2 ? 1 : -1;
        count_turns(b, program, step, work, reference, q, coefficient);
        is_found = holds(b, program, step, work, reference, q);
    }
    memcpy(q, reference, (size_t)b->tree_nq * sizeof *q);
    step->kind = is_found ? LW_STEP_SYMMETRIC : step->kind;
    step->ncoefficient = is_found ? 4 + 3 * (n - 2) : 0;
    step->branch = is_found ? step->branch : 0;
    return LW_OK;
}

// --- One leg -----------------------------------------------------------------------------------

static void make_leg(lwi_build *b, const lwi_loop *loop, lwi_step *step, const double *q)
{
    const int target = step->reduced->target[0];
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < loop->npath[side]; ++k) {
            if (b->body[loop->path[side][k]].v == target) {
                step->side = side;
                step->at = k;
            }
        }
    }
    // The residual grows with the joint on one branch, and shrinks on the other.
    const int i = loop->path[step->side][step->at];
    const lwi_torn_leg *leg = step->reduced->legs->leg;
    const int n = step->side == leg->side ? leg->swivel : loop->npath[step->side];
    const lw_pose X = lwi_branch_pose(&b->draft, loop, step->side, 0, step->at, q);
    const lw_pose J = joint_frame_after(&b->draft, i, &X);
    const lw_pose E = lwi_branch_pose(&b->draft, loop, step->side, 0, n, q);
    const int other = 1 - step->side;
    const int m = other == leg->side ? leg->swivel : loop->npath[other];
    const lw_pose O = lwi_branch_pose(&b->draft, loop, other, 0, m, q);
    const lw_vec3 end[2] = {
        lw_pose_apply(&E, step->side == leg->side ? leg->foot_point : leg->tip_point),
        lw_pose_apply(&O, other == leg->side ? leg->foot_point : leg->tip_point)};
    const lw_vec3 z = column_z(&J.R), d = lw_sub3(end[0], end[1]);
    const bool is_revolute = b->body[i].carrier == LW_TREE_REVOLUTE;
    const lw_vec3 move = is_revolute ? lw_cross3(z, lw_sub3(end[0], J.p)) : z;
    const double rate = lw_dot3(d, move);
    // Of A cos q + B sin q + C it is -A sin q + B cos q, negative for the angle beyond atan2(B, A).
    step->branch = (is_revolute ? rate < 0.0 : rate > 0.0) ? 1 : -1;
    step->kind = LW_STEP_LEG;
}

static bool has_scalar_unknown(const lwi_build *b, const lwi_step *torn)
{
    const lw_tree_joint carrier = b->body[torn->target_body[0]].carrier;
    return torn->ntarget == 1 && (carrier == LW_TREE_REVOLUTE || carrier == LW_TREE_PRISMATIC) &&
           torn->legs->leg[0].swivel >= 0;
}

lw_status lwi_find_spatial_loop(lwi_build *b, const lwi_program *program, lwi_step *step, int named,
                                const lwi_loop_work *work, double *q)
{
    ring_axis ring[MOST_AXES];
    lw_status status = LW_OK;
    if (step->nloop != 1 || step->ngear > 0 || step->kind != LW_STEP_BLOCK) {
        return LW_OK;
    }
    const lwi_loop *loop = &program->loop[step->loop[0]];
    const int n = find_ring(b, loop, step, q, ring);
    if (step->reduced) {
        if (has_scalar_unknown(b, step->reduced)) {
            make_leg(b, loop, step, q);
        }
    } else if (n > 0 && step->ntarget == 2 && is_spherical(ring, n, loop->size)) {
        make_spherical(b, loop, step, q);
    } else if (n > 0) {
        status = find_symmetric(b, program, step, work, ring, n, q);
    }
    if (step->kind != LW_STEP_BLOCK && step->branch != 0 && named != 0) {
        step->branch = named == LW_BRANCH_OTHER ? -step->branch : named;
    }
    return status;
}
