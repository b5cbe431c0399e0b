// Trajectories: limits hold everywhere, ends are exact, what is said to be continuous is, and what
// cannot be done is refused.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3, SAMPLES = 4000 };

static const lw_axis_limits some_limits[N] = {
    {-3.0, 3.0, 1.5, 4.0, 40.0},
    {-2.0, 2.0, 0.7, 9.0, 25.0},
    {-9.0, 9.0, 6.0, 2.5, 100.0},
};

static lw_trajectory *make(const double *start, const lw_move *move, int nmove)
{
    const lw_trajectory_def def = {N, start, some_limits, NULL, nmove, move};
    lw_report *report = new_report();
    lw_trajectory *t = NULL;
    const lw_status status = lw_trajectory_create(&def, &t, report);
    if (!CHECK_INT(status, LW_OK)) {
        char *text = diagnostics_text(report);
        CHECK_TEXT(text, "");
        free(text);
    }
    lw_report_destroy(report);
    return t;
}

// Rounding of a polynomial's coefficients; everything else is exact.
static const double ROUNDING = 1e-11;

// All limits at many times, and that each derivative up to `order` is continuous: its change
// between two samples is at most that of the next derivative's limit (a jerk that is not limited by
// the profile counts with `jerk`).
static void check_limits(const lw_trajectory *t, int order, double jerk)
{
    double x[4][N], before[4][N];
    const double T = lw_trajectory_duration(t), step = T / SAMPLES;
    for (int s = 0; s <= SAMPLES; ++s) {
        CHECK(lw_trajectory_evaluate(t, s * step, x[0], x[1], x[2], x[3]) == LW_OK);
        for (int i = 0; i < N; ++i) {
            const lw_axis_limits *l = &some_limits[i];
            const double limit[4] = {0.0, l->velocity, l->acceleration, fmin(l->jerk, jerk)};
            CHECK(x[0][i] >= l->lower - ROUNDING && x[0][i] <= l->upper + ROUNDING);
            for (int k = 1; k <= (order >= 2 ? 3 : 2); ++k) {
                CHECK(fabs(x[k][i]) <= limit[k] * (1.0 + ROUNDING));
            }
            for (int k = 0; k <= order && s > 0; ++k) {
                CHECK(fabs(x[k][i] - before[k][i]) <= limit[k + 1] * step * (1.0 + 1e-9) + 1e-9);
            }
        }
        memcpy(before, x, sizeof x);
    }
}

static void check_rest(const lw_trajectory *t, double time, const double *point, int order)
{
    double x[4][N];
    CHECK(lw_trajectory_evaluate(t, time, x[0], x[1], x[2], x[3]) == LW_OK);
    for (int i = 0; i < N; ++i) {
        CHECK(x[0][i] == point[i]);
        for (int k = 1; k <= order; ++k) {
            CHECK_NEAR(x[k][i], 0.0, 1e-9);
        }
    }
}

static const double home[N] = {0.5, -1.0, 2.0};
static const double points[4 * N] = {-2.0, 1.5, 2.0, 2.5, 1.4, -8.0, 2.4, 1.3, -7.9, 0.0, 0.0, 0.0};

TEST(K02_K29_point_to_point_keeps_limits_and_ends_exactly)
{
    static const lw_profile profile[] = {LW_PROFILE_TRAPEZOID, LW_PROFILE_S_CURVE,
                                         LW_PROFILE_QUINTIC};
    for (int p = 0; p < 3; ++p) {
        for (int together = 0; together < 2; ++together) {
            for (int k = 0; k < 4; ++k) {
                check_case("profile %d, together %d, point %d", p, together, k);
                lw_move move = lw_default_move();
                move.profile = profile[p];
                move.together = together ? LW_SYNCHRONIZE_TIME : LW_SYNCHRONIZE_STRAIGHT;
                move.npoint = k + 1;
                move.point = points;
                lw_trajectory *t = make(home, &move, 1);
                const int order = profile[p] == LW_PROFILE_TRAPEZOID ? 1 : 2;
                check_limits(t, order, (double)INFINITY);
                check_rest(t, -1.0, home, 2);
                check_rest(t, 0.0, home, 1);
                check_rest(t, lw_trajectory_duration(t), points + k * N, 2);
                check_rest(t, 1e9, points + k * N, 2);
                lw_trajectory_destroy(t);
            }
        }
    }
}

// The slowest coordinate takes the time that theory gives, and the others arrive with it.
TEST(K29_moves_are_as_short_as_the_limits_allow)
{
    const double start[N] = {0.0, 0.0, 0.0}, to[N] = {0.0, 1.4, 0.0};
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = to;
    static const double v = 0.7, a = 9.0, j = 25.0;
    const double want[3] = {
        1.4 / v + v / a,             // trapezoid
        1.4 / v + 2.0 * sqrt(v / j), // a is not reached: v < a^2 / j
        cbrt(60.0 * 1.4 / j),        // the largest of the three bounds
    };
    CHECK(want[2] < 1.875 * 1.4 / v);
    for (int p = 0; p < 3; ++p) {
        move.profile = (lw_profile)p;
        lw_trajectory *t = make(start, &move, 1);
        CHECK_NEAR(lw_trajectory_duration(t), p == 2 ? 1.875 * 1.4 / v : want[p], 1e-12);
        lw_trajectory_destroy(t);
    }
}

TEST(K29_straight_moves_are_straight)
{
    lw_move move = lw_default_move();
    move.profile = LW_PROFILE_S_CURVE;
    move.npoint = 1;
    move.point = points;
    lw_trajectory *t = make(home, &move, 1);
    for (int s = 0; s <= 100; ++s) {
        double q[N];
        lw_trajectory_evaluate(t, s * lw_trajectory_duration(t) / 100, q, NULL, NULL, NULL);
        const double share = (q[0] - home[0]) / (points[0] - home[0]);
        for (int i = 0; i < N; ++i) {
            CHECK_NEAR(q[i], home[i] + share * (points[i] - home[i]), 1e-13);
        }
    }
    lw_trajectory_destroy(t);
}

TEST(K29_splines_pass_their_points_within_limits)
{
    lw_move move = lw_default_move();
    move.type = LW_MOVE_THROUGH;
    move.npoint = 4;
    move.point = points;
    lw_trajectory *t = make(home, &move, 1);
    check_limits(t, 2, (double)INFINITY);
    check_rest(t, lw_trajectory_duration(t), points + 3 * N, 2);
    double nearest[3] = {9.0, 9.0, 9.0};
    for (int s = 0; s <= 50000; ++s) {
        double q[N];
        lw_trajectory_evaluate(t, s * lw_trajectory_duration(t) / 50000, q, NULL, NULL, NULL);
        for (int k = 0; k < 3; ++k) {
            const double *p = points + k * N;
            nearest[k] = fmin(nearest[k], hypot(q[0] - p[0], hypot(q[1] - p[1], q[2] - p[2])));
        }
    }
    for (int k = 0; k < 3; ++k) { // within the way of half a sample
        CHECK(nearest[k] < 1e-3);
    }
    // Somewhere a limit is reached: it is not slower than need be.
    double worst = 0.0;
    for (int s = 0; s <= SAMPLES; ++s) {
        double v[N], a[N], jerk[N];
        lw_trajectory_evaluate(t, s * lw_trajectory_duration(t) / SAMPLES, NULL, v, a, jerk);
        for (int i = 0; i < N; ++i) {
            worst = fmax(worst, fabs(v[i]) / some_limits[i].velocity);
            worst = fmax(worst, fabs(a[i]) / some_limits[i].acceleration);
            worst = fmax(worst, fabs(jerk[i]) / some_limits[i].jerk);
        }
    }
    CHECK(worst > 0.98);
    lw_trajectory_destroy(t);
}

TEST(K29_splines_keep_given_times)
{
    const double time[4] = {9.0, 19.0, 21.0, 30.0};
    lw_move move = lw_default_move();
    move.type = LW_MOVE_THROUGH;
    move.npoint = 4;
    move.point = points;
    move.time = time;
    lw_trajectory *t = make(home, &move, 1);
    for (int k = 0; k < 4; ++k) {
        double q[N];
        lw_trajectory_evaluate(t, time[k], q, NULL, NULL, NULL);
        for (int i = 0; i < N; ++i) {
            CHECK_NEAR(q[i], points[k * N + i], 1e-15);
        }
    }
    check_limits(t, 2, (double)INFINITY);
    lw_trajectory_destroy(t);
}

TEST(K29_arcs_are_round_and_keep_limits)
{
    lw_move move[2] = {lw_default_move(), lw_default_move()};
    for (int p = 0; p < 3; ++p) {
        check_case("profile %d", p);
        move[0].type = LW_MOVE_ARC;
        move[0].profile = (lw_profile)p;
        move[0].center[0] = 1.0;
        move[0].center[1] = -0.5;
        move[0].angle = -7.0;
        move[1].type = LW_MOVE_WAIT;
        move[1].duration = 0.5;
        lw_trajectory *t = make(home, move, 2);
        check_limits(t, p == 0 ? 1 : 2, (double)INFINITY);
        const double radius = hypot(home[0] - 1.0, home[1] + 0.5);
        for (int s = 0; s <= 200; ++s) {
            double q[N];
            lw_trajectory_evaluate(t, s * lw_trajectory_duration(t) / 200, q, NULL, NULL, NULL);
            CHECK_NEAR(hypot(q[0] - 1.0, q[1] + 0.5), radius, 1e-14);
            CHECK(q[2] == home[2]);
        }
        double q[N];
        lw_trajectory_evaluate(t, 1e3, q, NULL, NULL, NULL);
        const double end = atan2(home[1] + 0.5, home[0] - 1.0) - 7.0;
        CHECK_NEAR(q[0], 1.0 + radius * cos(end), 1e-14);
        CHECK_NEAR(q[1], -0.5 + radius * sin(end), 1e-14);
        lw_trajectory_destroy(t);
    }
}

TEST(K29_derivatives_are_those_of_the_position)
{
    lw_move move[3] = {lw_default_move(), lw_default_move(), lw_default_move()};
    move[0].npoint = 1;
    move[0].point = points + 3 * N;
    move[1].type = LW_MOVE_ARC;
    move[1].center[0] = 0.5;
    move[1].angle = 2.0;
    move[2].type = LW_MOVE_THROUGH;
    move[2].npoint = 4;
    move[2].point = points;
    lw_trajectory *t = make(home, move, 3);
    const double h = 1e-5;
    for (int s = 1; s < 300; ++s) {
        const double time = s * lw_trajectory_duration(t) / 300;
        double x[4][N], low[4][N], high[4][N];
        lw_trajectory_evaluate(t, time, x[0], x[1], x[2], x[3]);
        lw_trajectory_evaluate(t, time - h, low[0], low[1], low[2], low[3]);
        lw_trajectory_evaluate(t, time + h, high[0], high[1], high[2], high[3]);
        for (int i = 0; i < N; ++i) {
            for (int k = 0; k < 2; ++k) { // central differences: h^2 of the jerk, h of its jumps
                CHECK_NEAR((high[k][i] - low[k][i]) / (2.0 * h), x[k + 1][i], 100.0 * h);
            }
        }
    }
    lw_trajectory_destroy(t);
}

TEST(K29_durations_are_kept_exactly)
{
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = points;
    move.duration = 20.0;
    for (int p = 0; p < 3; ++p) {
        move.profile = (lw_profile)p;
        lw_trajectory *t = make(home, &move, 1);
        CHECK(lw_trajectory_duration(t) == 20.0);
        check_limits(t, p == 0 ? 1 : 2, (double)INFINITY);
        check_rest(t, 20.0, points, 2);
        lw_trajectory_destroy(t);
    }
}

TEST(K29_moves_of_no_distance_take_no_time)
{
    double twice[2 * N];
    memcpy(twice, home, sizeof home);
    memcpy(twice + N, home, sizeof home);
    lw_move move[4] = {lw_default_move(), lw_default_move(), lw_default_move(), lw_default_move()};
    move[0].npoint = 2;
    move[0].point = twice;
    move[1].type = LW_MOVE_THROUGH;
    move[1].npoint = 2;
    move[1].point = twice;
    move[2].type = LW_MOVE_ARC;
    move[2].angle = 0.0;
    move[3].npoint = 0;
    lw_trajectory *t = make(home, move, 4);
    CHECK(lw_trajectory_duration(t) == 0.0);
    check_rest(t, 0.0, home, 3);
    lw_trajectory_destroy(t);
    t = make(home, NULL, 0);
    check_rest(t, 1.0, home, 3);
    lw_trajectory_destroy(t);
    // Nearly none is no reason for numbers that are not finite.
    twice[0] += 1e-16;
    twice[N] += 1e-15;
    t = make(home, move, 4);
    check_limits(t, 2, (double)INFINITY);
    lw_trajectory_destroy(t);
}

static void refused(const lw_axis_limits *limits, const double *start, const lw_move *move,
                    lw_status want, const char *say)
{
    const lw_trajectory_def def = {N, start, limits, NULL, 1, move};
    lw_report *report = new_report();
    lw_trajectory *t = (lw_trajectory *)&def;
    CHECK_INT(lw_trajectory_create(&def, &t, report), want);
    CHECK(t == NULL);
    char *text = diagnostics_text(report);
    CHECK_HAS(text, say);
    free(text);
    lw_report_destroy(report);
}

// Where a duration is given, a profile needs no limit that it does not reach: what it can do is
// only bounded by the limits that there are.
TEST(K29_durations_need_no_other_limits)
{
    static const lw_profile profile[] = {LW_PROFILE_TRAPEZOID, LW_PROFILE_S_CURVE};
    static const double start[1] = {0.0}, end[1] = {3.0};
    lw_axis_limits limits = lw_default_axis_limits();
    limits.velocity = 2.0;
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = end;
    const lw_trajectory_def def = {1, start, &limits, NULL, 1, &move};
    for (int i = 0; i < 2 * 2 * 40; ++i) {
        move.profile = profile[i % 2];
        move.together = i / 2 % 2 == 0 ? LW_SYNCHRONIZE_STRAIGHT : LW_SYNCHRONIZE_TIME;
        move.duration = 1.5 + 1.5 * pow(2.0, 3 - i / 4); // 1.5 s is the least, and not reached
        lw_trajectory *t = NULL;
        CHECK_INT(lw_trajectory_create(&def, &t, NULL), LW_OK);
        for (int k = 0; k <= 1000 && t; ++k) {
            double v[1] = {(double)NAN};
            CHECK_INT(lw_trajectory_evaluate(t, move.duration * k / 1000, NULL, v, NULL, NULL),
                      LW_OK);
            CHECK(fabs(v[0]) <= limits.velocity * (1.0 + ROUNDING));
        }
        lw_trajectory_destroy(t);
        move.duration = 1.5 * (1.0 - 1e-9);
        CHECK_INT(lw_trajectory_create(&def, &t, NULL), LW_ERR_MOTION);
    }
}

TEST(K29_coordinates_rest_before_the_begin)
{
    lw_move move = lw_default_move();
    move.type = LW_MOVE_ARC;
    move.center[0] = 0.0;
    move.center[1] = -1.0;
    move.angle = 2.0;
    for (int nmove = 0; nmove <= 1; ++nmove) {
        lw_trajectory *t = make(home, &move, nmove);
        double x[4][N];
        CHECK_INT(lw_trajectory_evaluate(t, -1.0, x[0], x[1], x[2], x[3]), LW_OK);
        for (int i = 0; i < N; ++i) {
            CHECK_NEAR(x[0][i], home[i], 1e-15);
            CHECK(x[1][i] == 0.0 && x[2][i] == 0.0 && x[3][i] == 0.0);
        }
        lw_trajectory_destroy(t);
    }
}

// Programs write -0 where they mean 0.
TEST(K29_splines_know_a_point_by_its_value)
{
    static const double start[N] = {0.0, -0.0, 0.0};
    static const double way[4 * N] = {-0.0, 0.0, 0.0, 1.0,  1.0,  1.0,
                                      0.0,  0.0, 0.0, -0.0, -0.0, 0.0};
    lw_move move = lw_default_move();
    move.type = LW_MOVE_THROUGH;
    move.npoint = 4;
    move.point = way;
    lw_trajectory *t = make(start, &move, 1);
    CHECK(t && lw_trajectory_duration(t) > 0.0);
    lw_trajectory_destroy(t);
}

TEST(K02_impossible_motions_are_refused)
{
    lw_axis_limits limits[N];
    memcpy(limits, some_limits, sizeof limits);
    double to[2 * N] = {0.0, 0.0, 9.5, 0.0, 0.0, 0.0};
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = to;
    refused(limits, home, &move, LW_ERR_MOTION, "move 1, coordinate 3: a point is outside");
    to[2] = (double)NAN;
    refused(limits, home, &move, LW_ERR_NUMBER, "a point is not finite");
    to[2] = 0.0;
    move.duration = 0.1;
    refused(limits, home, &move, LW_ERR_MOTION, "duration is too short");
    move.duration = -1.0;
    refused(limits, home, &move, LW_ERR_NUMBER, "duration is negative");
    move.duration = 0.0;
    limits[1].velocity = -1.0;
    refused(limits, home, &move, LW_ERR_MOTION, "limits must be positive");
    limits[1] = lw_default_axis_limits();
    refused(limits, home, &move, LW_ERR_MOTION, "needs a limit");
    move.profile = LW_PROFILE_TRAPEZOID;
    limits[1].velocity = 1.0;
    refused(limits, home, &move, LW_ERR_MOTION, "a trapezoid needs a limit of the acceleration");
    limits[1] = some_limits[1];
    limits[0].lower = 1.0;
    refused(limits, home, &move, LW_ERR_MOTION, "start is outside");
    limits[0] = some_limits[0];
    move.type = LW_MOVE_THROUGH;
    const double time[2] = {2.0, 1.0};
    move.npoint = 2;
    move.time = time;
    refused(limits, home, &move, LW_ERR_NUMBER, "increasing");
    const double short_time[2] = {0.1, 0.2};
    move.time = short_time;
    refused(limits, home, &move, LW_ERR_MOTION, "times are too short");
    move.type = LW_MOVE_ARC;
    move.angle = 6.0;
    move.center[0] = 2.0;
    refused(limits, home, &move, LW_ERR_MOTION, "leaves the limits of position");
    move.center[0] = home[0];
    move.center[1] = home[1];
    refused(limits, home, &move, LW_ERR_ARGUMENT, "its own centre");
    move.axis[1] = 0;
    refused(limits, home, &move, LW_ERR_ARGUMENT, "two different coordinates");
    CHECK_INT(lw_trajectory_create(NULL, NULL, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_trajectory_evaluate(NULL, 0.0, NULL, NULL, NULL, NULL), LW_ERR_ARGUMENT);
    lw_trajectory_destroy(NULL);
}

// A spline that swings beyond its points is refused where that leaves the limits.
TEST(K02_splines_that_swing_too_far_are_refused)
{
    const double to[3 * N] = {2.9, 0.0, 0.0, 2.9, 2.0, 0.0, 0.0, 0.0, 0.0};
    lw_move move = lw_default_move();
    move.type = LW_MOVE_THROUGH;
    move.npoint = 3;
    move.point = to;
    refused(some_limits, home, &move, LW_ERR_MOTION, "between two points it leaves the limits");
}

// Degrees of freedom of free and spherical joints are left alone.
TEST(K29_trajectories_of_machines_with_quaternions)
{
    lw_model *m = zoo_model(ZOO_FREE);
    double start[64] = {0.0}, to[64], q[80], v[64], a[64];
    lw_axis_limits limits[64];
    for (int k = 0; k < m->nv; ++k) {
        limits[k] = lw_default_axis_limits();
        limits[k].velocity = 1.0;
        to[k] = 0.01 * (k + 1);
    }
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = to;
    const lw_trajectory_def def = {m->nv, start, limits, m->velocity_name, 1, &move};
    lw_trajectory *t;
    CHECK(lw_trajectory_create(&def, &t, NULL) == LW_OK);
    CHECK(lw_trajectory_state(t, m, 1e3, q, v, a) == LW_OK);
    int moved = 0;
    for (int k = 0; k < m->nv; ++k) {
        const int i = lw_position_of_dof(m, k);
        if (i >= 0) {
            ++moved;
            CHECK(q[i] == to[k]);
            CHECK_TEXT(m->position_name[i], m->velocity_name[k]);
        }
    }
    CHECK(moved > 0 && moved < m->nv);
    const int w = lw_find_position(m, m->position_name[3]);
    CHECK(q[w] == m->q_reference[w]);
    CHECK(lw_forward_position(m, NULL, q) == LW_ERR_ARGUMENT);
    lw_trajectory_destroy(t);
    lw_model_destroy(m);
}

// A trapezoid has corners where it ends to speed up and begins to brake; two joints with profiles
// of their own have both.
TEST(K29_breaks_are_where_derivatives_jump)
{
    const double from[1] = {0.0}, to[1] = {1.0};
    lw_axis_limits limits = lw_default_axis_limits();
    limits.velocity = 1.0;
    limits.acceleration = 4.0;
    lw_move move = lw_default_move();
    move.profile = LW_PROFILE_TRAPEZOID;
    move.npoint = 1;
    move.point = to;
    const lw_trajectory_def def = {1, from, &limits, NULL, 1, &move};
    lw_trajectory *t = NULL;
    double time[4] = {0.0};
    CHECK_INT(lw_trajectory_create(&def, &t, NULL), LW_OK);
    CHECK_INT(lw_trajectory_breaks(t, NULL, 0), 3);
    CHECK_INT(lw_trajectory_breaks(t, time, 2), 3);
    CHECK_NEAR(time[0], 0.25, 1e-12);
    CHECK_NEAR(time[1], 1.0, 1e-12);
    CHECK(time[2] == 0.0); // no room for it
    CHECK_INT(lw_trajectory_breaks(t, time, 4), 3);
    CHECK(time[2] == lw_trajectory_duration(t));
    CHECK_INT(lw_trajectory_breaks(NULL, time, 4), 0);
    lw_trajectory_destroy(t);
}

int main(void)
{
    RUN(K02_K29_point_to_point_keeps_limits_and_ends_exactly);
    RUN(K29_moves_are_as_short_as_the_limits_allow);
    RUN(K29_straight_moves_are_straight);
    RUN(K29_splines_pass_their_points_within_limits);
    RUN(K29_splines_keep_given_times);
    RUN(K29_arcs_are_round_and_keep_limits);
    RUN(K29_derivatives_are_those_of_the_position);
    RUN(K29_durations_are_kept_exactly);
    RUN(K29_moves_of_no_distance_take_no_time);
    RUN(K29_durations_need_no_other_limits);
    RUN(K29_coordinates_rest_before_the_begin);
    RUN(K29_splines_know_a_point_by_its_value);
    RUN(K02_impossible_motions_are_refused);
    RUN(K02_splines_that_swing_too_far_are_refused);
    RUN(K29_trajectories_of_machines_with_quaternions);
    RUN(K29_breaks_are_where_derivatives_jump);
    return REPORT();
}
