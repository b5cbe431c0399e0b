#include "few.h"

#include "orientation.h"
#include "subproblem.h"

#include <math.h>
#include <string.h>

static lw_vec3 column_z(const lw_mat3 *R)
{
    return lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z);
}

// A unit vector across h.
static lw_vec3 some_normal(lw_vec3 h)
{
    const lw_vec3 e = fabs(h.x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0);
    return lw_unit3(lw_cross3(h, e));
}

static bool all_rotate(const lwi_arm *arm)
{
    for (int i = 0; i < arm->n; ++i) {
        if (arm->slides[i]) {
            return false;
        }
    }
    return true;
}

static void append(lwi_arm *arm, lw_vec3 h, lw_vec3 c)
{
    arm->slides[arm->n] = false;
    arm->h[arm->n] = h;
    arm->c[arm->n++] = c;
}

static void prepend(lwi_arm *arm, lw_vec3 h, lw_vec3 c)
{
    for (int i = arm->n++; i > 0; --i) {
        arm->slides[i] = arm->slides[i - 1];
        arm->h[i] = arm->h[i - 1];
        arm->c[i] = arm->c[i - 1];
    }
    arm->slides[0] = false;
    arm->h[0] = h;
    arm->c[0] = c;
}

// How many of the last axes meet in a point, three at most, and where.
static int wrist_of(const lwi_arm *arm, double angle, double reach, lw_vec3 *point)
{
    const int n = arm->n;
    lw_vec3 a, b;
    *point = arm->X_BT.p;
    if (n == 0 || arm->slides[n - 1]) {
        return 0;
    }
    *point = arm->c[n - 1];
    if (n == 1 || arm->slides[n - 2] || lwi_axis_angle(arm, n - 2, n - 1) < angle) {
        return 1;
    }
    double apart = lwi_axis_distance(arm, n - 2, n - 1, &a, &b);
    if (!(apart < reach)) {
        *point = b;
        return 1;
    }
    *point = lw_scale3(0.5, lw_add3(a, b));
    if (n == 2 || arm->slides[n - 3] || lwi_axis_angle(arm, n - 3, n - 2) < angle) {
        return 2;
    }
    const lw_vec3 d = lw_sub3(*point, arm->c[n - 3]);
    apart = lw_norm3(lw_cross3(arm->h[n - 3], d));
    if (!(apart < reach)) {
        return 2;
    }
    return 3;
}

// The largest wrist at either end that leaves at most three joints, all determined, to its point.
static bool find_wrist(lwi_few *few)
{
    const lwi_arm end[2] = {few->arm, lwi_arm_reversed(&few->arm)};
    lw_vec3 point[2];
    int most[2];
    for (int k = 0; k < 2; ++k) {
        most[k] = wrist_of(&end[k], few->angle, few->distance * few->scale, &point[k]);
    }
    for (int w = 3; w >= 0; --w) {
        for (int k = 0; k < 2; ++k) {
            const int before = few->arm.n - w;
            if (w > most[k] || before < 0 || before > 3 || (w == 0 && k == 1)) {
                continue;
            }
            few->reach = lwi_reach_of(&end[k], before, few->scale, few->angle, few->distance);
            if (few->reach.held > 0) {
                continue;
            }
            few->kind = LWI_FEW_WRIST;
            few->is_reversed = k == 1;
            few->arm = end[k];
            few->wrist = w;
            few->point = w == 0 ? few->arm.X_BT.p : point[k];
            if (w > 0 && w < most[k]) { // off the axes that are not part of it
                few->point = lw_add3(point[k], lw_scale3(0.5 * few->scale, end[k].h[before]));
            }
            return true;
        }
    }
    return false;
}

// Runs of parallel revolute axes: at most three, of which one may have more than one axis.
static bool find_runs(lwi_few *few)
{
    const lwi_arm *arm = &few->arm;
    int unknown = 0, previous = -1, start = -1;
    few->first = few->last = -1;
    for (int i = 0; i < arm->n; ++i) {
        if (arm->slides[i]) {
            ++unknown;
            continue;
        }
        const double off = previous >= 0 ? lwi_axis_angle(arm, previous, i) : 1.0;
        previous = i;
        if (off >= few->angle) {
            if (few->nrun == 3) {
                return false;
            }
            few->run[few->nrun++] = arm->h[i];
            start = i;
            continue;
        }
        if (few->first >= 0 && few->first != start) {
            return false; // a second group
        }
        few->first = start;
        few->last = i;
        ++unknown;
    }
    if (few->nrun == 0 || unknown > 3) {
        return false;
    }
    if (few->first < 0) {
        few->first = few->last = start;
    }
    few->kind = LWI_FEW_ORIENTATION;
    return true;
}

static bool try_six(lwi_few *few, const lwi_arm *arm, int before)
{
    few->six = lwi_six_of(arm, few->angle, few->distance);
    if (few->six.kind == LWI_SIX_GENERAL) {
        return false;
    }
    few->kind = LWI_FEW_SIX;
    few->before = before;
    few->arm = *arm;
    return true;
}

// Five revolute joints become six by one at an end, where a class has it. It rotates by zero in
// exact solutions, which the caller finds by leaving it out.
static bool find_virtual(lwi_few *few)
{
    const lwi_arm *arm = &few->arm;
    lwi_arm behind = *arm, ahead = *arm;
    append(&behind, some_normal(arm->h[4]), arm->c[4]);
    prepend(&ahead, some_normal(arm->h[0]), arm->c[0]);
    return try_six(few, &behind, 0) || try_six(few, &ahead, 1);
}

// Six revolute joints by elimination, the last one virtual and not in line with anything.
static void use_elimination(lwi_few *few)
{
    lwi_arm *arm = &few->arm;
    if (arm->n == 5) {
        const lw_vec3 x = some_normal(arm->h[4]), y = lw_cross3(arm->h[4], x);
        append(arm, lw_unit3(lw_add3(x, lw_scale3(0.4, arm->h[4]))),
               lw_add3(arm->c[4], lw_scale3(0.3 * few->scale, y)));
    }
    few->kind = LWI_FEW_ELIMINATION;
}

// The way from the tip to the foot on the last axis, from there to the axis before, and so on.
// Prismatic joints have no place of their own.
static double length_of(const lwi_arm *arm)
{
    double length = 0.0;
    lw_vec3 p = arm->X_BT.p;
    for (int i = arm->n - 1; i >= 0; --i) {
        if (arm->slides[i]) {
            continue;
        }
        const double along = lw_dot3(arm->h[i], lw_sub3(p, arm->c[i]));
        const lw_vec3 foot = lw_add3(arm->c[i], lw_scale3(along, arm->h[i]));
        length += lw_norm3(lw_sub3(p, foot));
        p = foot;
    }
    return length > 0.0 ? length : 1.0;
}

void lwi_few_of(const lwi_arm *arm, lwi_ik_rows rows, double angle, double distance, lwi_few *few)
{
    memset(few, 0, sizeof *few);
    few->rows = rows;
    few->n = arm->n;
    few->arm = *arm;
    few->scale = length_of(arm);
    few->angle = angle;
    few->distance = distance;
    const int n = arm->n;
    if (rows == LWI_ROWS_POSITION) {
        few->reach = lwi_reach_of(arm, n < 3 ? n : 3, few->scale, angle, distance);
        few->kind = LWI_FEW_POSITION;
        return;
    }
    if (rows == LWI_ROWS_DIRECTION) {
        const lw_vec3 z = column_z(&arm->X_BT.R), d = lw_sub3(arm->X_BT.p, arm->c[n - 1]);
        few->spins = !arm->slides[n - 1] && lw_norm3(lw_cross3(z, arm->h[n - 1])) < angle &&
                     lw_norm3(lw_cross3(z, d)) < distance * few->scale;
        if (!few->spins && n < 6) {
            append(&few->arm, z, arm->X_BT.p);
        } else if (!few->spins) {
            return;
        }
    }
    if (few->arm.n > 6) {
        return;
    }
    const bool rotates = all_rotate(&few->arm);
    if (few->arm.n == 6 && rotates) {
        if (!try_six(few, &few->arm, 0)) {
            use_elimination(few);
        }
        return;
    }
    if (find_wrist(few) || (few->arm.n == 5 && rotates && find_virtual(few)) || find_runs(few)) {
        return;
    }
    if (few->arm.n == 5 && rotates) {
        use_elimination(few);
    }
    return;
}

// What the solvers share.
typedef struct solving {
    const lwi_few *few;
    lw_pose X;                      // target in the order of `arm`
    lwi_angle seed[LWI_ARM_JOINTS]; // likewise, virtual joints at zero
    const lwi_angle *given;         // the seed in the order of the chain
    lwi_candidates *out;
} solving;

// Writes a candidate in the order of the chain, without virtual joints.
static void keep(solving *s, const lwi_angle *q, const lwi_candidate *labels)
{
    const lwi_few *few = s->few;
    lwi_candidate *to = lwi_next_candidate(s->out);
    *to = *labels;
    to->undetermined = 0;
    for (int i = 0; i < few->n; ++i) {
        const int at = i + few->before, k = few->is_reversed ? few->arm.n - 1 - at : at;
        to->q[i] = q[k];
        to->undetermined |= (labels->undetermined >> k & 1u) << i;
    }
    if (few->spins) {
        to->q[few->n - 1] = s->given[few->n - 1];
        to->undetermined |= 1u << (few->n - 1);
    }
}

static lw_vec3 move_by(const lwi_arm *arm, int i, lwi_angle q, lw_vec3 p)
{
    return arm->slides[i]
               ? lw_add3(p, lw_scale3(q.s, arm->h[i]))
               : lw_add3(arm->c[i], lwi_rotate_about(arm->h[i], q, lw_sub3(p, arm->c[i])));
}

static void solve_position(solving *s)
{
    const lwi_few *few = s->few;
    const int n = few->reach.n;
    lwi_reach_solution r[LWI_REACH_SOLUTIONS];
    lwi_angle q[LWI_ARM_JOINTS];
    lw_vec3 tip = few->arm.X_BT.p;
    for (int i = few->n - 1; i >= n; --i) {
        tip = move_by(&few->arm, i, s->seed[i], tip);
    }
    const int count = lwi_reach_solve(&few->reach, tip, s->X.p, s->seed, r);
    memcpy(q, s->seed, sizeof q);
    for (int i = 0; i < count; ++i) {
        memcpy(q, r[i].q, (size_t)n * sizeof *q);
        const lwi_candidate labels = {.shoulder = r[i].shoulder,
                                      .elbow = r[i].elbow,
                                      .undetermined =
                                          r[i].undetermined | ((1u << few->n) - (1u << n))};
        keep(s, q, &labels);
    }
}

// (R1 .. Rn)' M for the revolute ones of the first n joints.
static lw_mat3 rotation_left(const lwi_arm *arm, int n, const lwi_angle *q, const lw_mat3 *M)
{
    lw_mat3 column = lw_transpose3(M);
    for (int i = 0; i < n; ++i) {
        const lwi_angle back = {-q[i].s, q[i].c};
        for (int k = 0; k < 3 && !arm->slides[i]; ++k) {
            column.row[k] = lwi_rotate_about(arm->h[i], back, column.row[k]);
        }
    }
    return lw_transpose3(&column);
}

// The point is on the first axis, so that its position leaves that joint open; with a wrist of two
// axes the orientation gives it: R1 Rb Rc = R R23', b and c the wrist's axes behind joints 2 and 3.
static void solve_on_axis(solving *s, const lw_pose *Y, const lwi_reach_solution *r)
{
    const lwi_arm *arm = &s->few->arm;
    const int n = s->few->reach.n;
    const lwi_arm middle = {.n = n - 1,
                            .slides = {arm->slides[1], arm->slides[2]},
                            .h = {arm->h[1], arm->h[2]},
                            .X_BT = lw_pose_identity()};
    const lw_pose R23 = lwi_arm_pose(&middle, r->q + 1);
    const lw_vec3 h[3] = {arm->h[0], lw_rotate(&R23.R, arm->h[n]),
                          lw_rotate(&R23.R, arm->h[n + 1])};
    const lwi_angle seed[3] = {s->seed[0], s->seed[n], s->seed[n + 1]};
    const lw_mat3 back = lw_transpose3(&R23.R), M = lw_mul3(&Y->R, &back);
    lwi_angle q[LWI_ARM_JOINTS], w[2][3];
    unsigned free;
    memcpy(q, r->q, (size_t)n * sizeof *q);
    const int count = lwi_orientation_solve(h, 3, &M, seed, w, &free);
    for (int k = 0; k < count; ++k) {
        const lwi_candidate labels = {.shoulder = (signed char)(count < 2 ? 0
                                                                : k == 0  ? 1
                                                                          : -1),
                                      .elbow = r->elbow,
                                      .undetermined = (r->undetermined & ~1u) | free};
        q[0] = w[k][0];
        q[n] = w[k][1];
        q[n + 1] = w[k][2];
        keep(s, q, &labels);
    }
}

static void solve_wrist(solving *s, const lw_pose *Y)
{
    const lwi_few *few = s->few;
    const int n = few->reach.n;
    lwi_reach_solution r[LWI_REACH_SOLUTIONS];
    lwi_angle q[LWI_ARM_JOINTS], w[2][3];
    const int count =
        lwi_reach_solve(&few->reach, few->point, lw_pose_apply(Y, few->point), s->seed, r);
    memcpy(q, s->seed, sizeof q);
    for (int i = 0; i < count; ++i) {
        unsigned free;
        if (few->wrist == 2 && (r[i].undetermined & 1u) && !few->arm.slides[0]) {
            solve_on_axis(s, Y, &r[i]);
            continue;
        }
        memcpy(q, r[i].q, (size_t)n * sizeof *q);
        const lw_mat3 W = rotation_left(&few->arm, n, q, &Y->R);
        const int nw = lwi_orientation_solve(few->arm.h + n, few->wrist, &W, s->seed + n, w, &free);
        for (int k = 0; k < nw; ++k) {
            memcpy(q + n, w[k], (size_t)few->wrist * sizeof *q);
            const lwi_candidate labels = {.shoulder = r[i].shoulder,
                                          .elbow = r[i].elbow,
                                          .wrist = (signed char)(nw < 2   ? 0
                                                                 : k == 0 ? 1
                                                                          : -1),
                                          .undetermined = r[i].undetermined | free << n};
            keep(s, q, &labels);
        }
    }
}

static lwi_angle sum_of(lwi_angle a, lwi_angle b, double sign)
{
    return (lwi_angle){a.s * b.c + sign * a.c * b.s, a.c * b.c - sign * a.s * b.s};
}

// Prismatic joints outside of the group move along known directions, as if they came first; then
// the joints of the group carry a point of its last axis.
static lwi_reach group_of(solving *s, const lw_pose *Y, const lwi_angle *q, int joint[3],
                          lw_vec3 *tip, lw_vec3 *goal)
{
    const lwi_few *few = s->few;
    const lwi_arm *arm = &few->arm;
    lwi_arm chain = {.n = 0};
    lw_pose A = lw_pose_identity(); // of the joints before, prismatic joints at zero
    for (int i = 0; i < few->first; ++i) {
        if (arm->slides[i]) {
            joint[chain.n] = i;
            chain.slides[chain.n] = true;
            chain.h[chain.n++] = lw_rotate(&A.R, arm->h[i]);
            continue;
        }
        const lwi_arm one = {
            .n = 1, .h = {arm->h[i]}, .c = {arm->c[i]}, .X_BT = lw_pose_identity()};
        const lw_pose E = lwi_arm_pose(&one, &q[i]);
        A = lw_pose_mul(&A, &E);
    }
    lw_pose B = *Y; // of the joints up to i, prismatic joints behind at zero
    for (int i = arm->n - 1; i > few->last; --i) {
        if (arm->slides[i]) {
            joint[chain.n] = i;
            chain.slides[chain.n] = true;
            chain.h[chain.n++] = lw_rotate(&B.R, arm->h[i]);
            continue;
        }
        const lwi_arm one = {
            .n = 1, .h = {arm->h[i]}, .c = {arm->c[i]}, .X_BT = lw_pose_identity()};
        lw_pose E = lwi_arm_pose(&one, &q[i]);
        E = lw_pose_inverse(&E);
        B = lw_pose_mul(&B, &E);
    }
    for (int i = few->first; i < few->last; ++i) {
        joint[chain.n] = i;
        chain.slides[chain.n] = arm->slides[i];
        chain.h[chain.n] = lw_rotate(&A.R, arm->h[i]);
        chain.c[chain.n++] = lw_pose_apply(&A, arm->c[i]);
    }
    *tip = lw_pose_apply(&A, arm->c[few->last]);
    *goal = lw_pose_apply(&B, arm->c[few->last]);
    return lwi_reach_of(&chain, chain.n, few->scale, few->angle, few->distance);
}

static void solve_orientation(solving *s, const lw_pose *Y)
{
    const lwi_few *few = s->few;
    const lwi_arm *arm = &few->arm;
    lwi_angle run[2][3], start[3] = {{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}}, q[LWI_ARM_JOINTS];
    unsigned free;
    // The angle of a run in the seed is that of its first joint; only a free run reads it.
    for (int i = 0, k = 0; i < arm->n && k < few->nrun; ++i) {
        if (!arm->slides[i] && !(i > few->first && i <= few->last)) {
            start[k++] = s->seed[i];
        }
    }
    const int nw = lwi_orientation_solve(few->run, few->nrun, &Y->R, start, run, &free);
    memcpy(q, s->seed, sizeof q);
    for (int k = 0; k < nw; ++k) {
        lwi_angle total = {0.0, 1.0};
        for (int i = 0, j = 0; i < arm->n; ++i) {
            if (arm->slides[i] || (i > few->first && i <= few->last)) {
                continue;
            }
            if (i == few->first) {
                total = run[k][j];
            }
            q[i] = run[k][j++];
        }
        int joint[3];
        lw_vec3 tip, goal;
        lwi_reach_solution r[LWI_REACH_SOLUTIONS];
        lwi_angle seed[3];
        const lwi_reach reach = group_of(s, Y, q, joint, &tip, &goal);
        for (int i = 0; i < reach.n; ++i) {
            seed[i] = s->seed[joint[i]];
        }
        const int count = lwi_reach_solve(&reach, tip, goal, seed, r);
        for (int i = 0; i < count; ++i) {
            lwi_candidate labels = {.shoulder = r[i].shoulder,
                                    .elbow = r[i].elbow,
                                    .wrist = (signed char)(nw < 2   ? 0
                                                           : k == 0 ? 1
                                                                    : -1)};
            lwi_angle last = total;
            for (int j = 0; j < reach.n; ++j) {
                q[joint[j]] = r[i].q[j];
                labels.undetermined |= (r[i].undetermined >> j & 1u) << joint[j];
                if (!arm->slides[joint[j]]) {
                    const double sign = lw_dot3(arm->h[joint[j]], arm->h[few->first]);
                    last = sum_of(last, r[i].q[j], sign > 0.0 ? -1.0 : 1.0);
                }
            }
            const bool is_along = lw_dot3(arm->h[few->last], arm->h[few->first]) > 0.0;
            q[few->last] = is_along ? last : (lwi_angle){-last.s, last.c};
            keep(s, q, &labels);
        }
    }
}

// Takes the candidates of a chain with virtual joints; those joints are left out.
static void keep_all(solving *s, const lwi_candidates *list)
{
    for (int i = 0; i < list->count; ++i) {
        keep(s, list->at[i].q, &list->at[i]);
    }
}

void lwi_few_solve(const lwi_few *few, const lw_pose *X, const lwi_angle *seed, lwi_role role,
                   lwi_elimination *work, lwi_candidates *out)
{
    solving s = {.few = few, .given = seed, .out = out, .X = *X};
    const int n = few->arm.n;
    out->count = 0;
    if (few->is_reversed) {
        s.X = lw_pose_inverse(X);
    }
    for (int i = 0; i < n; ++i) {
        const int k = (few->is_reversed ? n - 1 - i : i) - few->before;
        s.seed[i] = k >= 0 && k < few->n ? seed[k] : (lwi_angle){0.0, 1.0};
    }
    const lw_pose back = lw_pose_inverse(&few->arm.X_BT), Y = lw_pose_mul(&s.X, &back);
    switch (few->kind) {
    case LWI_FEW_NONE:
        break;
    case LWI_FEW_POSITION:
        solve_position(&s);
        break;
    case LWI_FEW_WRIST:
        solve_wrist(&s, &Y);
        break;
    case LWI_FEW_ORIENTATION:
        solve_orientation(&s, &Y);
        break;
    case LWI_FEW_SIX:
        lwi_six_solve(&few->six, &s.X, s.seed, &work->inner);
        keep_all(&s, &work->inner);
        break;
    case LWI_FEW_ELIMINATION:
        lwi_eliminate(&few->arm, &s.X, role, work, &work->inner);
        keep_all(&s, &work->inner);
        break;
    }
}
