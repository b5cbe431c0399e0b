// Motions of a tool: the tool is on its path at every instant, limits are touched and never
// exceeded, and what cannot be followed is refused where it ends.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/tool_motion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, SAMPLES = 2000 };

typedef struct plan {
    lw_model *m;
    lw_data *d;
    lw_tool_motion_def def;
    lw_axis_limits limits[MOST];
    double force[MOST];
    lw_trajectory *t;
    lw_tool_motion_info info;
    lw_report *report;
    lw_status status;
} plan;

static plan plan_for(const char *model, const char *frame)
{
    plan p = {.m = shipped_model(model), .report = new_report()};
    p.d = new_data(p.m);
    p.def = lw_default_tool_motion_def(lw_find_frame(p.m, frame));
    CHECK(p.def.tool >= 0 && p.m->nv <= MOST);
    for (int k = 0; k < p.m->nv; ++k) {
        p.limits[k] = lw_dof_limits(p.m, k);
        p.force[k] = (double)INFINITY;
    }
    return p;
}

static void make(plan *p, const lw_tool_move *move, int nmove)
{
    lw_trajectory_destroy(p->t);
    lw_report_clear(p->report);
    p->def.limits = p->limits;
    p->def.force = p->force;
    p->def.move = move;
    p->def.nmove = nmove;
    p->status = lw_tool_motion_create(p->m, &p->def, &p->t, &p->info, p->report);
}

static bool made(plan *p, const lw_tool_move *move, int nmove)
{
    make(p, move, nmove);
    if (!CHECK_INT(p->status, LW_OK)) {
        print_diagnostics(p->report);
    }
    return p->status == LW_OK;
}

static void end(plan *p)
{
    lw_trajectory_destroy(p->t);
    lw_report_destroy(p->report);
    lw_data_destroy(p->d);
    lw_model_destroy(p->m);
}

static lw_pose down(double x, double y, double z) // the tool's z toward the ground
{
    return (lw_pose){{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}, {x, y, z}};
}

static lw_pose level(double x, double y, double z, double yaw)
{
    return (lw_pose){lw_rotation_rpy(0.0, 0.0, yaw), {x, y, z}};
}

static lw_pose turned(lw_pose X, lw_vec3 rotation_vector)
{
    const lw_mat3 R = lw_exp3(rotation_vector);
    X.R = lw_mul3(&X.R, &R);
    return X;
}

static lw_tool_move to(const lw_pose *X)
{
    return (lw_tool_move){.type = LW_TOOL_TO, .npose = 1, .pose = X};
}

static lw_tool_move line(const lw_pose *X, double blend)
{
    return (lw_tool_move){.type = LW_TOOL_LINE, .npose = 1, .pose = X, .blend = blend};
}

static lw_pose tool_at(const plan *p, double t)
{
    double q[MOST + 1];
    lw_pose X;
    CHECK(lw_trajectory_state(p->t, p->m, t, q, NULL, NULL) == LW_OK);
    CHECK(lw_pose_of_frame(p->m, p->d, q, p->def.tool, &X) == LW_OK);
    return X;
}

static double turn_between(const lw_mat3 *a, const lw_mat3 *b)
{
    const lw_mat3 back = lw_transpose3(a), R = lw_mul3(&back, b);
    return lw_norm3(lw_log3(&R));
}

static double distance_to_line(lw_vec3 x, lw_vec3 a, lw_vec3 b)
{
    return lw_norm3(lw_cross3(lw_sub3(x, a), lw_unit3(lw_sub3(b, a))));
}

// Velocities and accelerations are the derivatives of positions, at times between the knots too.
static void check_derivatives(const plan *p)
{
    const double T = lw_trajectory_duration(p->t), h = 1e-4;
    for (int i = 1; i < 200; ++i) {
        double q[3][MOST], v[3][MOST], a[MOST];
        const double t = T * i / 200.0;
        lw_trajectory_evaluate(p->t, t, q[1], v[1], a, NULL);
        lw_trajectory_evaluate(p->t, t - h, q[0], v[0], NULL, NULL);
        lw_trajectory_evaluate(p->t, t + h, q[2], v[2], NULL, NULL);
        for (int k = 0; k < p->m->nv; ++k) {
            // Central differences: h^2/6 of the third derivative of positions and velocities.
            CHECK_NEAR((q[2][k] - q[0][k]) / (2 * h), v[1][k], 1e-6);
            CHECK_NEAR((v[2][k] - v[0][k]) / (2 * h), a[k], 1e-4);
        }
    }
}

TEST(a_line_is_followed_to_1e_9_at_every_instant_K29)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.4, -0.5, 0.3), b = turned(down(0.4, 0.5, 0.3), lw_vec3_of(0, 0.5, 1));
    const lw_tool_move move[] = {to(&a), line(&b, 0.0)};
    p.def.begins_anywhere = true;
    if (made(&p, move, 2)) {
        const double T = lw_trajectory_duration(p.t);
        double fastest = 0.0;
        lw_vec3 last = a.p;
        for (int i = 0; i <= SAMPLES; ++i) {
            const lw_pose X = tool_at(&p, T * i / SAMPLES);
            const double share = (X.p.y + 0.5) / 1.0;
            const lw_pose slerp = turned(a, lw_scale3(share, lw_vec3_of(0, 0.5, 1)));
            CHECK(distance_to_line(X.p, a.p, b.p) <= 1e-9);
            CHECK(turn_between(&slerp.R, &X.R) <= 1e-9);
            fastest = fmax(fastest, lw_norm3(lw_sub3(X.p, last)) / (T / SAMPLES));
            last = X.p;
        }
        CHECK_NEAR(fastest, 0.25, 1e-9);
        CHECK(p.info.npoint >= 1000 && p.info.deviation <= 1e-9 && p.info.end == LW_TOOL_COMPLETE);
        CHECK_NEAR(lw_norm3(lw_sub3(last, b.p)), 0.0, 1e-12);
        CHECK(p.info.nbranch == 8 && p.info.slowed == 1.0);
        check_derivatives(&p);
    }
    end(&p);
}

TEST(profiles_keep_speed_acceleration_and_jerk_of_the_tool)
{
    static const lw_profile profiles[] = {LW_PROFILE_TRAPEZOID, LW_PROFILE_S_CURVE,
                                          LW_PROFILE_QUINTIC};
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.4, -0.3, 0.3), b = down(0.4, 0.3, 0.3), c = down(0.4, 0.31, 0.3);
    const lw_tool_move move[] = {to(&a), line(&b, 0.0), line(&c, 0.0)};
    p.def.begins_anywhere = true;
    p.def.jerk = 8.0;
    for (int k = 0; k < 3; ++k) {
        p.def.profile = profiles[k];
        if (!made(&p, move, 3)) {
            continue;
        }
        const double T = lw_trajectory_duration(p.t), h = T / SAMPLES;
        double y[4], worst[3] = {0.0};
        for (int i = 0; i <= SAMPLES; ++i) {
            y[3] = tool_at(&p, i * h).p.y;
            if (i >= 3) {
                worst[0] = fmax(worst[0], fabs(y[3] - y[2]) / h);
                worst[1] = fmax(worst[1], fabs(y[3] - 2 * y[2] + y[1]) / (h * h));
                worst[2] = fmax(worst[2], fabs(y[3] - 3 * y[2] + 3 * y[1] - y[0]) / (h * h * h));
            }
            memmove(y, y + 1, 3 * sizeof *y);
        }
        // Differences are means of derivatives; the third one has the rounding of positions by h^3.
        // Positions are good to 1e-12 m, which a step of 1.5 ms makes 1e-9 m/s.
        CHECK(worst[0] <= 0.25 * (1.0 + 1e-8) && worst[0] > 0.249);
        CHECK(worst[1] <= 1.0 + 1e-6 && worst[1] > 0.85);
        CHECK(profiles[k] == LW_PROFILE_TRAPEZOID || worst[2] <= 8.0 + 1e-3);
    }
    end(&p);
}

// A path of three lines and an arc with blends of 5 cm and 2 cm.
static int corner_path(lw_pose X[6], lw_tool_move move[5], double speed)
{
    X[0] = down(0.4, -0.3, 0.2);
    X[1] = turned(down(0.4, 0.0, 0.4), lw_vec3_of(0.3, 0, 0.2));
    X[2] = turned(down(0.4, 0.3, 0.2), lw_vec3_of(0, 0.2, 0.5));
    X[3] = down(0.5, 0.3, 0.3);
    X[4] = down(0.6, 0.2, 0.3);
    X[5] = down(0.5, 0.1, 0.3);
    move[0] = to(&X[0]);
    move[1] = line(&X[1], 0.05);
    move[2] = line(&X[2], 0.02);
    move[3] = line(&X[3], 0.02);
    move[4] = (lw_tool_move){.type = LW_TOOL_CIRCLE, .npose = 2, .pose = &X[4]};
    for (int i = 1; i < 5; ++i) {
        move[i].speed = speed;
    }
    return 5;
}

TEST(blends_hold_their_corner_distance_and_are_tangent_continuous)
{
    plan p = plan_for("ur5_class.xml", "tool");
    lw_pose X[6];
    lw_tool_move move[5];
    p.def.begins_anywhere = true;
    if (made(&p, move, corner_path(X, move, 0.1))) {
        const double T = lw_trajectory_duration(p.t), h = T / (4 * SAMPLES);
        lw_vec3 last = X[0].p, direction = {0};
        double nearest = 1.0;
        for (int i = 1; i < 4 * SAMPLES; ++i) {
            const lw_vec3 x = tool_at(&p, i * h).p;
            const double to_corner = lw_norm3(lw_sub3(x, X[1].p));
            nearest = fmin(nearest, to_corner);
            if (to_corner > 0.05 && x.y < 0.0) {
                CHECK(distance_to_line(x, X[0].p, X[1].p) <= 1e-9);
            } else if (to_corner > 0.05 && lw_norm3(lw_sub3(x, X[2].p)) > 0.02 &&
                       x.x < 0.4 + 1e-9) {
                CHECK(distance_to_line(x, X[1].p, X[2].p) <= 1e-9);
            }
            const lw_vec3 step = lw_sub3(x, last);
            if (i > 4 && i < 4 * SAMPLES - 4) { // the direction never jumps
                const lw_vec3 now = lw_unit3(step);
                CHECK(i == 5 || lw_norm3(lw_sub3(now, direction)) < 0.02);
                direction = now;
            }
            last = x;
        }
        // The quintic's middle is 3/16 of |b - a| from the corner, for unit vectors a and b.
        const lw_vec3 a = lw_unit3(lw_sub3(X[1].p, X[0].p)), b = lw_unit3(lw_sub3(X[2].p, X[1].p));
        // Ramps between speeds that differ by a rounding would have no end of acceleration.
        for (int k = 0; k < 6; ++k) {
            p.limits[k].acceleration = 10.0;
        }
        CHECK(made(&p, move, 5) && p.info.slowed == 1.0);
        CHECK_NEAR(nearest, 0.05 * 3.0 / 16.0 * lw_norm3(lw_sub3(b, a)), 1e-6);
        check_derivatives(&p);
    }
    end(&p);
}

TEST(the_path_does_not_depend_on_speeds)
{
    plan p = plan_for("ur5_class.xml", "tool");
    lw_pose X[6];
    lw_tool_move move[5];
    static lw_vec3 slow[SAMPLES + 1];
    p.def.begins_anywhere = true;
    if (made(&p, move, corner_path(X, move, 0.05))) {
        const double T = lw_trajectory_duration(p.t);
        for (int i = 0; i <= SAMPLES; ++i) {
            slow[i] = tool_at(&p, T * i / SAMPLES).p;
        }
        for (int i = 1; i < 5; ++i) { // and each at a speed of its own
            move[i].speed = 0.1 * i;
        }
        made(&p, move, 5);
        const double U = lw_trajectory_duration(p.t);
        CHECK(U < 0.6 * T);
        for (int i = 1, k = 0; i < 100; ++i) {
            const lw_vec3 x = tool_at(&p, U * i / 100.0).p;
            while (k + 1 < SAMPLES &&
                   lw_norm3(lw_sub3(slow[k + 1], x)) < lw_norm3(lw_sub3(slow[k], x))) {
                ++k;
            }
            // Chords of 0.5 mm leave a curve with a radius of a centimetre by 3 um.
            CHECK(fmin(distance_to_line(x, slow[k], slow[k + 1]),
                       k > 0 ? distance_to_line(x, slow[k - 1], slow[k]) : 1.0) < 4e-6);
        }
    }
    end(&p);
}

// The largest shares of velocity, acceleration, jerk and force that a motion takes.
static void shares(const plan *p, double share[4])
{
    const double T = lw_trajectory_duration(p->t);
    double q[MOST], v[MOST], a[MOST], jerk[MOST], tau[MOST];
    memset(share, 0, 4 * sizeof *share);
    for (int i = 0; i < 20 * SAMPLES; ++i) {
        lw_trajectory_evaluate(p->t, T * i / (20.0 * SAMPLES), q, v, a, jerk);
        lw_inverse_dynamics(p->m, p->d, q, v, a, NULL, tau);
        for (int k = 0; k < p->m->nv; ++k) {
            share[0] = fmax(share[0], fabs(v[k]) / p->limits[k].velocity);
            share[1] = fmax(share[1], fabs(a[k]) / p->limits[k].acceleration);
            share[2] = fmax(share[2], fabs(jerk[k]) / p->limits[k].jerk);
            share[3] = fmax(share[3], fabs(tau[k]) / p->force[k]);
        }
    }
}

TEST(slowing_touches_a_limit_and_exceeds_none)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.3, -0.5, 0.3), b = down(0.3, 0.5, 0.3);
    const lw_tool_move move[] = {to(&a), line(&b, 0.0)};
    p.def.begins_anywhere = true;
    p.def.speed = 1.5;
    p.def.acceleration = 8.0;
    for (int k = 0; k < 6; ++k) {
        p.limits[k] = lw_default_axis_limits();
    }
    made(&p, move, 2);
    const double T = lw_trajectory_duration(p.t);
    const lw_vec3 middle = tool_at(&p, 0.3 * T).p;
    for (int kind = 0; kind < 4; ++kind) {
        double share[4];
        for (int k = 0; k < 6; ++k) {
            p.limits[k] = lw_default_axis_limits();
            p.force[k] = kind == 3 ? (k < 3 ? 40.0 : 8.0) : (double)INFINITY;
            p.limits[k].velocity = kind == 0 ? 0.8 : (double)INFINITY;
            p.limits[k].acceleration = kind == 1 ? 1.5 : (double)INFINITY;
            p.limits[k].jerk = kind == 2 ? 10.0 : (double)INFINITY;
        }
        if (made(&p, move, 2)) {
            shares(&p, share);
            CHECK(p.info.slowed > 1.01);
            CHECK_NEAR(lw_trajectory_duration(p.t), T * p.info.slowed, 1e-12 * T * p.info.slowed);
            // Between two of the samples, and of the knots, a force may be a little larger.
            CHECK_NEAR(share[kind], 1.0, kind == 3 ? 1e-5 : 1e-4);
            CHECK(kind == 3 || share[kind] <= 1.0 + 1e-12);
            // Exactly the same path, at the times that are as much later.
            CHECK(lw_norm3(lw_sub3(tool_at(&p, 0.3 * T * p.info.slowed).p, middle)) < 1e-12);
            CHECK(strstr(diagnostic_with(p.report, "[motion-slowed]"), "move 2 takes"));
        }
    }
    end(&p);
}

TEST(circles_and_splines_pass_their_points)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose X[] = {down(0.3, -0.2, 0.3),
                         down(0.5, 0.0, 0.3),
                         down(0.3, 0.2, 0.3),
                         turned(down(0.4, 0.3, 0.4), lw_vec3_of(0.2, 0, 0.4)),
                         turned(down(0.5, 0.2, 0.5), lw_vec3_of(0, 0.3, 1.0)),
                         down(0.4, 0.0, 0.4)};
    const lw_tool_move move[] = {to(&X[0]),
                                 {.type = LW_TOOL_CIRCLE, .npose = 2, .pose = &X[1]},
                                 {.type = LW_TOOL_SPLINE, .npose = 3, .pose = &X[3]}};
    p.def.begins_anywhere = true;
    if (made(&p, move, 3)) {
        const double T = lw_trajectory_duration(p.t);
        double to_point[6], last_way = 0.0;
        lw_vec3 last = X[0].p;
        for (int k = 0; k < 6; ++k) {
            to_point[k] = 1.0;
        }
        for (int i = 0; i <= 10 * SAMPLES; ++i) {
            const lw_pose now = tool_at(&p, T * i / (10.0 * SAMPLES));
            for (int k = 0; k < 6; ++k) {
                const double d = lw_norm3(lw_sub3(now.p, X[k].p)) +
                                 (k == 1 ? 0.0 : turn_between(&now.R, &X[k].R));
                to_point[k] = fmin(to_point[k], d);
            }
            const double way = lw_norm3(lw_sub3(now.p, last));
            CHECK(way * 10 * SAMPLES / T <= 0.25 * (1.0 + 1e-6));
            CHECK(fabs(way - last_way) * 1e2 * SAMPLES * SAMPLES / (T * T) < 1.0 + 1e-3);
            if (to_point[2] > 1e-3) {
                CHECK_NEAR(hypot(now.p.x - 0.3, now.p.y), 0.2, 1e-9);
            }
            last = now.p;
            last_way = way;
        }
        for (int k = 0; k < 6; ++k) {
            CHECK(to_point[k] < 2e-4); // a sample is 0.1 mm and 0.1 mrad long
        }
        check_derivatives(&p);
    }
    end(&p);
}

TEST(times_of_a_spline_are_kept_unless_limits_forbid)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose X[] = {down(0.4, -0.2, 0.3), down(0.5, 0.0, 0.3), down(0.4, 0.2, 0.3)};
    const double time[] = {1.0, 2.5};
    const lw_tool_move move[] = {to(&X[0]),
                                 {.type = LW_TOOL_SPLINE, .npose = 2, .pose = &X[1], .time = time}};
    p.def.begins_anywhere = true;
    if (made(&p, move, 2)) {
        CHECK_NEAR(lw_trajectory_duration(p.t), 2.5, 1e-14);
        CHECK(lw_norm3(lw_sub3(tool_at(&p, 1.0).p, X[1].p)) < 1e-12);
        check_derivatives(&p);
    }
    p.limits[0].velocity = 0.2;
    if (made(&p, move, 2)) {
        CHECK(p.info.slowed > 1.5);
        CHECK(lw_norm3(lw_sub3(tool_at(&p, p.info.slowed).p, X[1].p)) < 1e-12);
    }
    end(&p);
}

TEST(the_branch_is_one_on_which_the_whole_path_is_feasible)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.4, -0.5, 0.3), b = down(0.4, 0.5, 0.3);
    const lw_tool_move move[] = {to(&a), line(&b, 0.0)};
    double start[MOST], q[MOST];
    p.def.begins_anywhere = true;
    made(&p, move, 2);
    lw_trajectory_evaluate(p.t, 0.0, start, NULL, NULL, NULL);
    for (int k = 0; k < 3; ++k) { // forbid what that branch needs at its end: another is taken
        lw_trajectory_evaluate(p.t, lw_trajectory_duration(p.t), q, NULL, NULL, NULL);
        if (start[k] < q[k]) {
            p.limits[k].upper = 0.5 * (start[k] + q[k]);
        } else {
            p.limits[k].lower = 0.5 * (start[k] + q[k]);
        }
        if (made(&p, move, 2)) {
            const double T = lw_trajectory_duration(p.t);
            for (int i = 0; i <= 100; ++i) {
                lw_trajectory_evaluate(p.t, T * i / 100.0, q, NULL, NULL, NULL);
                for (int j = 0; j < 6; ++j) {
                    CHECK(q[j] >= p.limits[j].lower - 1e-8 && q[j] <= p.limits[j].upper + 1e-8);
                }
            }
            CHECK(lw_norm3(lw_sub3(tool_at(&p, T).p, b.p)) < 1e-9);
            lw_trajectory_evaluate(p.t, 0.0, start, NULL, NULL, NULL);
        }
    }
    for (int k = 0; k < 6; ++k) { // whole revolutions: within any limits of more than a turn
        p.limits[k] = lw_dof_limits(p.m, k);
        p.limits[k].lower = 3.0;
        p.limits[k].upper = 3.0 + 7.5;
    }
    if (made(&p, move, 2)) {
        for (int i = 0; i <= 100; ++i) {
            lw_trajectory_evaluate(p.t, lw_trajectory_duration(p.t) * i / 100.0, q, NULL, NULL,
                                   NULL);
            for (int j = 0; j < 6; ++j) {
                CHECK(q[j] >= 3.0 - 1e-8 && q[j] <= 10.5 + 1e-8);
            }
        }
    }
    end(&p);
}

TEST(a_path_is_refused_where_reach_limit_or_singularity_ends_it)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.4, -0.2, 0.3), b = down(0.4, 0.2, 0.3), far = down(1.4, 0.2, 0.3);
    const lw_pose near = down(0.4, -0.05, 0.3), over = down(-0.4, -0.05, 0.3);
    const lw_tool_move reach[] = {to(&a), line(&b, 0.0), line(&far, 0.0)};
    p.def.begins_anywhere = true;
    make(&p, reach, 3);
    CHECK(p.status == LW_ERR_MOTION && p.t == NULL && p.info.end == LW_TOOL_OUT_OF_REACH);
    CHECK(p.info.move == 2 && p.info.position > 0.7 && p.info.position < 1.0);
    CHECK_HAS(diagnostic_with(p.report, "move 3"), "on the best of 8 branches: the tool is out of");
    const lw_tool_move across[] = {to(&near), line(&over, 0.0)};
    make(&p, across, 2); // past the axis of the first joint, nearer than the arm can fold
    CHECK(p.status == LW_ERR_MOTION);
    CHECK(p.info.end == LW_TOOL_OUT_OF_REACH || p.info.end == LW_TOOL_SINGULAR);
    CHECK(p.info.position > 0.1 && p.info.position < 0.5);
    for (int k = 0; k < 6; ++k) {
        p.limits[k].lower = k == 0 ? -0.2 : p.limits[k].lower;
        p.limits[k].upper = k == 0 ? 0.2 : p.limits[k].upper;
    }
    const lw_tool_move turn[] = {to(&a), line(&b, 0.0)};
    make(&p, turn, 2);
    CHECK(p.status == LW_ERR_MOTION && p.info.end == LW_TOOL_JOINT_LIMIT && p.info.dof == 0);
    CHECK_HAS(diagnostic_with(p.report, "move"), "\"shoulder_pan\" would leave its limits");
    p.limits[0] = lw_dof_limits(p.m, 0);
    p.force[1] = 5.0; // less than gravity takes
    make(&p, turn, 2);
    CHECK(p.status == LW_ERR_MOTION && p.info.end == LW_TOOL_JOINT_FORCE && p.info.dof == 1);
    end(&p);
}

TEST(closed_mechanisms_follow_lines)
{
    plan p = plan_for("closed/palletiser.xml", "flange");
    const lw_pose a = level(1.5, -0.6, 1.0, 0.3), b = level(1.7, 0.6, 1.2, -0.4);
    const lw_tool_move move[] = {to(&a), line(&b, 0.0)};
    p.def.begins_anywhere = true;
    if (made(&p, move, 2)) {
        const double T = lw_trajectory_duration(p.t);
        for (int i = 0; i <= 500; ++i) {
            const lw_pose X = tool_at(&p, T * i / 500.0);
            CHECK(distance_to_line(X.p, a.p, b.p) <= 1e-9);
            CHECK(fabs(X.R.row[2].z - 1.0) < 1e-12);
        }
        check_derivatives(&p);
    }
    const lw_pose tilted = turned(b, lw_vec3_of(0.1, 0, 0));
    const lw_tool_move tilt[] = {to(&a), line(&tilted, 0.0)};
    make(&p, tilt, 2);
    CHECK(p.status == LW_ERR_MOTION && p.info.end == LW_TOOL_OUT_OF_REACH);
    end(&p);
    p = plan_for("closed/delta.xml", "platform");
    const lw_pose c = level(0.0, 0.0, -0.5, 0.0), e = level(0.05, 0.05, -0.48, 0.0);
    const lw_tool_move up[] = {line(&c, 0.0), line(&e, 0.02), line(&c, 0.0)};
    for (int task = 0; task < 2; ++task) {
        p.def.task = task ? LW_IK_POSITION : LW_IK_POSE;
        if (made(&p, up, 3)) {
            CHECK(lw_norm3(lw_sub3(tool_at(&p, 1e9).p, c.p)) < 1e-9);
        }
    }
    end(&p);
}

TEST(sequences_have_waits_tools_overrides_and_moves_of_joints)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.4, -0.2, 0.3), b = down(0.4, 0.2, 0.3), c = down(0.5, 0.2, 0.3);
    const double q[] = {0.5, -1.2, 1.4, -1.0, -1.5, 0.2};
    lw_move joints = lw_default_move();
    joints.npoint = 1;
    joints.point = q;
    for (int k = 0; k < 6; ++k) {
        p.limits[k].velocity = 1.0;
        p.limits[k].acceleration = 4.0;
    }
    const int flange = lw_find_frame(p.m, "wrist_3");
    lw_pose d = c;
    const lw_tool_move move[] = {
        {.type = LW_TOOL_JOINTS, .joints = &joints},
        to(&a),
        line(&b, 0.0),
        {.type = LW_TOOL_WAIT, .duration = 0.5},
        {.type = LW_TOOL_OVERRIDE, .factor = 0.5},
        line(&c, 0.0),
        {.type = LW_TOOL_CHANGE, .frame = flange},
        line(&d, 0.0),
    };
    d.p.x -= 0.2;
    if (made(&p, move, 8)) {
        double x[MOST], v[MOST];
        const double T = lw_trajectory_duration(p.t);
        bool rests = false, passes = false;
        for (int i = 0; i <= SAMPLES; ++i) {
            lw_trajectory_evaluate(p.t, T * i / SAMPLES, x, v, NULL, NULL);
            double speed = 0.0, away = 0.0;
            for (int k = 0; k < 6; ++k) {
                speed = fmax(speed, fabs(v[k]));
                away = fmax(away, fabs(x[k] - q[k]));
            }
            CHECK(speed <= 1.0 + 1e-12);
            passes |= away < 1e-2;
            rests |= speed == 0.0 && lw_norm3(lw_sub3(tool_at(&p, T * i / SAMPLES).p, b.p)) < 1e-9;
        }
        CHECK(rests && passes);
        p.def.tool = flange;
        CHECK(lw_norm3(lw_sub3(tool_at(&p, T).p, d.p)) < 1e-9);
    }
    end(&p);
}

TEST(the_same_bits_come_out_of_every_run)
{
    plan p = plan_for("ur5_class.xml", "tool"), r = plan_for("ur5_class.xml", "tool");
    lw_pose X[6];
    lw_tool_move move[5];
    const int count = corner_path(X, move, 0.1);
    p.def.begins_anywhere = r.def.begins_anywhere = true;
    if (made(&p, move, count) && made(&r, move, count)) {
        for (int i = 0; i <= 100; ++i) {
            double a[2][MOST];
            const double t = lw_trajectory_duration(p.t) * i / 100.0;
            lw_trajectory_evaluate(p.t, t, a[0], NULL, NULL, NULL);
            lw_trajectory_evaluate(r.t, t, a[1], NULL, NULL, NULL);
            CHECK(memcmp(a[0], a[1], 6 * sizeof(double)) == 0);
        }
    }
    end(&p);
    end(&r);
}

static void refused(plan *p, lw_tool_move *move, int nmove, lw_status status, const char *text)
{
    for (int i = 0; i < nmove; ++i) {
        move[i].location = (lw_location){"weld.xml", i + 10, 5};
    }
    make(p, move, nmove);
    CHECK_INT(p->status, status);
    CHECK(p->t == NULL);
    if (!CHECK_HAS(diagnostic_with(p->report, "weld.xml"), text)) {
        print_diagnostics(p->report);
    }
}

TEST(bad_moves_are_named_where_they_are)
{
    plan p = plan_for("ur5_class.xml", "tool");
    const lw_pose a = down(0.4, -0.2, 0.3), b = down(0.4, 0.2, 0.3), c = down(0.4, 0.2, 0.35);
    lw_pose bad = b, other = b;
    bad.p.z = (double)NAN;
    other.R.row[0].x = 2.0;
    const lw_pose half = turned(b, lw_vec3_of(3.14159265, 0, 0)),
                  spun = turned(b, lw_vec3_of(1, 0, 0));
    const double time[] = {1.0, 1.0};
    const lw_pose two[] = {b, c}, same[] = {b, b};
    p.def.begins_anywhere = true;
    lw_tool_move move[3] = {to(&a), line(&b, 0.1), line(&c, 0.0)};
    refused(&p, move, 3, LW_ERR_ARGUMENT,
            "weld.xml:11:5: error: move 2: its blend of 0.1 m is larger than the 0.05 m");
    move[1] = line(&a, 0.0);
    refused(&p, move, 3, LW_ERR_ARGUMENT, "weld.xml:11:5: error: move 2: it has no length");
    move[1] = line(&b, 0.1);
    refused(&p, move, 2, LW_ERR_ARGUMENT, "its blend needs a line, circle or spline behind it");
    move[1] = line(&bad, 0.0);
    refused(&p, move, 2, LW_ERR_NUMBER, "a pose is not finite");
    move[1] = line(&other, 0.0);
    refused(&p, move, 2, LW_ERR_ARGUMENT, "a pose is no rotation");
    move[1] = line(&half, 0.0);
    refused(&p, move, 2, LW_ERR_ARGUMENT, "rotates the tool by half a revolution");
    move[1] = line(&b, 0.01);
    move[2] = line(&spun, 0.0);
    refused(&p, move, 3, LW_ERR_ARGUMENT, "a blend needs a way");
    move[1] = (lw_tool_move){.type = LW_TOOL_SPLINE, .npose = 2, .pose = two, .time = time};
    refused(&p, move, 2, LW_ERR_NUMBER, "that of pose 2 is not");
    move[1] = (lw_tool_move){.type = LW_TOOL_SPLINE, .npose = 2, .pose = same};
    refused(&p, move, 2, LW_ERR_ARGUMENT, "pose 2 is the same as the one before");
    move[1] = (lw_tool_move){.type = LW_TOOL_CIRCLE, .npose = 2, .pose = same};
    refused(&p, move, 2, LW_ERR_ARGUMENT, "on a line");
    move[1] = (lw_tool_move){.type = LW_TOOL_OVERRIDE};
    refused(&p, move, 2, LW_ERR_NUMBER, "its factor is 0");
    move[1] = (lw_tool_move){.type = LW_TOOL_CHANGE, .frame = lw_find_frame(p.m, "forearm")};
    refused(&p, move, 2, LW_ERR_UNSUPPORTED, "is not fixed to the link of");
    move[1] = (lw_tool_move){.type = LW_TOOL_WAIT, .duration = -1.0};
    refused(&p, move, 2, LW_ERR_NUMBER, "its duration is negative");
    move[1] = (lw_tool_move){.type = (lw_tool_move_type)99};
    refused(&p, move, 2, LW_ERR_ARGUMENT, "it is of no known type");
    p.def.speed = 0.0;
    make(&p, move, 1);
    CHECK(p.status == LW_ERR_NUMBER);
    lw_trajectory *t = NULL;
    CHECK(lw_tool_motion_create(NULL, &p.def, &t, NULL, NULL) == LW_ERR_ARGUMENT);
    CHECK(lw_tool_motion_create(p.m, &p.def, NULL, NULL, NULL) == LW_ERR_ARGUMENT);
    end(&p);
}

int main(void)
{
    RUN(a_line_is_followed_to_1e_9_at_every_instant_K29);
    RUN(profiles_keep_speed_acceleration_and_jerk_of_the_tool);
    RUN(blends_hold_their_corner_distance_and_are_tangent_continuous);
    RUN(the_path_does_not_depend_on_speeds);
    RUN(slowing_touches_a_limit_and_exceeds_none);
    RUN(circles_and_splines_pass_their_points);
    RUN(times_of_a_spline_are_kept_unless_limits_forbid);
    RUN(the_branch_is_one_on_which_the_whole_path_is_feasible);
    RUN(a_path_is_refused_where_reach_limit_or_singularity_ends_it);
    RUN(closed_mechanisms_follow_lines);
    RUN(sequences_have_waits_tools_overrides_and_moves_of_joints);
    RUN(the_same_bits_come_out_of_every_run);
    RUN(bad_moves_are_named_where_they_are);
    return REPORT();
}
