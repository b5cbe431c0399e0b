// Kinematics of random machines against independent computations: products of exponentials, high
// order differences, and identities between the functions themselves.
#include "check.h"
#include "load_text.h"
#include "model/data.h"
#include "objects.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200, MACHINES = 40 };

typedef struct machine {
    lw_model *m;
    lw_data *d;
    double q[MOST], v[MOST], a[MOST];
} machine;

static bool make(machine *x, unsigned long long seed)
{
    random_mech_options options = random_mech_default();
    options.njoint = 2 + (int)(seed % 12);
    options.chain = 0.3 + 0.1 * (double)(seed % 7);
    options.coupled = 0.2 * (double)(seed % 5); // up to chains of laws
    if (seed % 4 == 0) {
        options.types = RANDOM_TYPE(LW_JOINT_REVOLUTE) | RANDOM_TYPE(LW_JOINT_SCREW);
    }
    x->m = random_model(seed, &options);
    x->d = x->m ? new_data(x->m) : NULL;
    check_case("random machine %d", (int)seed);
    if (!CHECK(x->d != NULL) || !CHECK(x->m->tree_nq < MOST)) {
        return false;
    }
    random_state(x->m, x->q, x->v, x->a);
    return true;
}

static void destroy(machine *x)
{
    lw_data_destroy(x->d);
    lw_model_destroy(x->m);
}

static int any_frame(const lw_model *m)
{
    return (int)check_random(0, m->nframe_all);
}

static double distance(const lw_pose *X, const lw_pose *Y)
{
    double sum = lw_norm3(lw_sub3(X->p, Y->p));
    for (int i = 0; i < 3; ++i) {
        sum += lw_norm3(lw_sub3(X->R.row[i], Y->R.row[i]));
    }
    return sum;
}

static double motion_distance(const lw_motion *a, const lw_motion *b)
{
    return lw_norm3(lw_sub3(a->ang, b->ang)) + lw_norm3(lw_sub3(a->lin, b->lin));
}

// --- Product of exponentials ------------------------------------------------------------------

// exp of a twist of unit rate times q, by Rodrigues and the integral of the turning: not a line of
// it is the library's.
static lw_pose exponential(lw_motion twist, double q)
{
    const double n = lw_norm3(twist.ang);
    lw_pose X = lw_pose_identity();
    if (n < 1e-12) {
        X.p = lw_scale3(q, twist.lin);
        return X;
    }
    const lw_vec3 w = lw_scale3(1 / n, twist.ang), u = lw_scale3(1 / n, twist.lin);
    const double t = n * q;
    const lw_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lw_mat3 columns;
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 we = lw_cross3(w, e[k]);
        columns.row[k] =
            lw_add3(e[k], lw_add3(lw_scale3(sin(t), we), lw_scale3(1 - cos(t), lw_cross3(w, we))));
    }
    X.R = lw_transpose3(&columns);
    const lw_vec3 wu = lw_cross3(w, u);
    X.p = lw_add3(lw_scale3(t, u),
                  lw_add3(lw_scale3(1 - cos(t), wu), lw_scale3(t - sin(t), lw_cross3(w, wu))));
    return X;
}

// Axes and points of all joints are read off at q = 0; the pose at q is then exp(S1 q1) ... exp(Sn
// qn) M.
TEST(C48_R15_poses_are_the_product_of_exponentials)
{
    for (unsigned long long seed = 1; seed <= MACHINES; ++seed) {
        random_mech_options options = random_mech_default();
        options.types = RANDOM_SCALAR_TYPES & ~RANDOM_TYPE(LW_JOINT_USER);
        options.coupled = 0;
        options.njoint = 1 + (int)(seed % 10);
        lw_model *m = random_model(seed, &options);
        lw_data *d = new_data(m);
        check_case("random machine %d", (int)seed);
        double zero[MOST] = {0}, q[MOST];
        random_state(m, q, NULL, NULL);
        CHECK_INT(lw_forward_position(m, d, zero), LW_OK);
        lw_motion twist[MOST];
        for (int i = 0; i < m->nbody; ++i) {
            const lw_pose *X = &d->X_WB[i];
            const lw_vec3 z = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z};
            const lw_motion about = {z, lw_cross3(X->p, z)}, along = {{0, 0, 0}, z};
            twist[i] = m->carrier[i] == LW_TREE_PRISMATIC ? along : about;
            if (m->carrier[i] == LW_TREE_SCREW) {
                twist[i].lin = lw_add3(twist[i].lin, lw_scale3(m->lead[i], z));
            }
        }
        for (int f = 0; f < m->nframe_all; ++f) {
            lw_pose want, got;
            CHECK_INT(lw_forward_position(m, d, zero), LW_OK);
            CHECK_INT(lw_frame_pose(m, d, f, &want), LW_OK);
            for (int i = m->frame[f].body; i >= 0; i = m->parent[i]) {
                const lw_pose step = exponential(twist[i], q[m->q_start[i]]);
                want = lw_pose_mul(&step, &want);
            }
            CHECK_INT(lw_pose_of_frame(m, d, q, f, &got), LW_OK);
            CHECK_NEAR(distance(&got, &want), 0, 3e-14); // ten joints, arms of some metres
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The planar arm of every textbook.
TEST(D32_a_planar_arm_is_where_the_sines_say)
{
    lw_mech *mech = new_mech("planar");
    static const char *const joint[] = {"j1", "j2", "j3"}, *const link[] = {"l1", "l2", "l3"};
    static const double length[] = {0.5, 0.4, 0.3};
    lw_port port = {{-1}, -1};
    for (int k = 0; k < 3; ++k) {
        lw_joint_def j = lw_default_joint_def();
        j.name = joint[k];
        j.type = LW_JOINT_REVOLUTE;
        lw_link_def l = lw_default_link_def();
        l.name = link[k];
        l.b = lw_placement_xyz(length[k], 0, 0);
        const lw_part jp = lw_add_joint(mech, &j), lp = lw_add_link(mech, &l);
        if (k) {
            lw_connect(mech, port, lw_port_of(mech, jp, "a"));
        }
        lw_connect(mech, lw_port_of(mech, jp, "b"), lw_port_of(mech, lp, "a"));
        port = lw_port_of(mech, lp, "b");
        if (k == 2) {
            lw_add_frame(mech, lp, "tip", &l.b, (lw_location){0});
        }
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = new_data(m);
    const double q[3] = {0.3, -0.8, 1.1}, v[3] = {1, -2, 0.5};
    const double s1 = q[0], s2 = q[0] + q[1], s3 = q[0] + q[1] + q[2];
    double J[18];
    lw_pose X;
    const int tip = lw_find_frame(m, "tip");
    CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, tip, &X), LW_OK);
    CHECK_NEAR(X.p.x, 0.5 * cos(s1) + 0.4 * cos(s2) + 0.3 * cos(s3), 1e-15);
    CHECK_NEAR(X.p.y, 0.5 * sin(s1) + 0.4 * sin(s2) + 0.3 * sin(s3), 1e-15);
    CHECK_NEAR(X.R.row[0].x, cos(s3), 1e-15);
    CHECK_NEAR(X.R.row[1].x, sin(s3), 1e-15);
    CHECK_INT(lw_frame_jacobian(m, d, q, tip, LW_IN_WORLD, NULL, J), LW_OK);
    CHECK_NEAR(J[9], -0.5 * sin(s1) - 0.4 * sin(s2) - 0.3 * sin(s3), 1e-15);
    CHECK_NEAR(J[10], -0.4 * sin(s2) - 0.3 * sin(s3), 1e-15);
    CHECK_NEAR(J[11], -0.3 * sin(s3), 1e-15);
    CHECK_NEAR(J[12], 0.5 * cos(s1) + 0.4 * cos(s2) + 0.3 * cos(s3), 1e-15);
    CHECK_NEAR(J[6] + J[7] + J[8], 3, 0);
    CHECK_NEAR(J[0] + J[4] + J[15], 0, 0);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(C23_C42_relative_poses_of_random_frames)
{
    for (unsigned long long seed = 1; seed <= MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        CHECK_INT(lw_forward_position(x.m, x.d, x.q), LW_OK);
        for (int k = 0; k < 20; ++k) {
            const int F = any_frame(x.m), G = any_frame(x.m);
            lw_pose X_WF, X_WG, X_FG, X_GF;
            lw_frame_pose(x.m, x.d, F, &X_WF);
            lw_frame_pose(x.m, x.d, G, &X_WG);
            CHECK_INT(lw_relative_pose(x.m, x.d, F, G, &X_FG), LW_OK);
            CHECK_INT(lw_relative_pose(x.m, x.d, G, F, &X_GF), LW_OK);
            const lw_pose back = lw_pose_mul(&X_WF, &X_FG), one = lw_pose_mul(&X_FG, &X_GF);
            const lw_pose unit = lw_pose_identity();
            CHECK_NEAR(distance(&back, &X_WG), 0, 3e-14);
            CHECK_NEAR(distance(&one, &unit), 0, 3e-14);
        }
        // All at once, one by one, and alone from q give the same numbers.
        lw_pose *all = calloc((size_t)x.m->nframe, sizeof *all);
        CHECK_INT(lw_frame_poses(x.m, x.d, all), LW_OK);
        for (int f = 0; f < x.m->nframe; ++f) {
            lw_pose X;
            CHECK_INT(lw_frame_pose(x.m, x.d, f, &X), LW_OK);
            CHECK(memcmp(&X, &all[f], sizeof X) == 0);
        }
        free(all);
        destroy(&x);
    }
}

// --- Differences ------------------------------------------------------------------------------

// Position after time t along q + v t + a t^2/2, where quaternions move by body velocities that
// change at the rate a. The product of two turns stands for the integral up to terms of third
// order in t.
static void move(const machine *x, double t, double *q)
{
    double step[MOST];
    for (int i = 0; i < x->m->nv; ++i) {
        step[i] = x->v[i] + 0.5 * x->a[i] * t;
    }
    CHECK_INT(lw_integrate(x->m, x->q, step, t, q), LW_OK);
}

// First derivative of a pose along the motion by central differences of the sixth order: turning
// as the part of R' dR that is skew, in the axes of the frame.
static lw_motion slope_of(const machine *x, int frame, double h)
{
    static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    lw_pose X0, X[2];
    double q[MOST];
    lw_motion sum = {{0, 0, 0}, {0, 0, 0}};
    CHECK_INT(lw_pose_of_frame(x->m, x->d, x->q, frame, &X0), LW_OK);
    for (int k = 0; k < 3; ++k) {
        for (int side = 0; side < 2; ++side) {
            move(x, (side ? 1 : -1) * (k + 1) * h, q);
            CHECK_INT(lw_pose_of_frame(x->m, x->d, q, frame, &X[side]), LW_OK);
        }
        const lw_mat3 back = lw_transpose3(&X0.R);
        const lw_mat3 A = lw_mul3(&back, &X[1].R), B = lw_mul3(&back, &X[0].R);
        const lw_vec3 skew = {A.row[2].y - B.row[2].y, A.row[0].z - B.row[0].z,
                              A.row[1].x - B.row[1].x};
        sum.ang = lw_add3(sum.ang, lw_scale3(weight[k] / h, skew));
        sum.lin = lw_add3(sum.lin, lw_scale3(weight[k] / h, lw_sub3(X[1].p, X[0].p)));
    }
    return sum;
}

TEST(D32_velocities_are_the_slopes_of_poses)
{
    for (unsigned long long seed = 1; seed <= MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        memset(x.a, 0, sizeof x.a);
        for (int k = 0; k < 3; ++k) {
            const int frame = any_frame(x.m);
            const lw_motion slope = slope_of(&x, frame, 2e-3);
            lw_motion in_frame, in_world;
            lw_pose X;
            CHECK_INT(lw_forward_velocity(x.m, x.d, x.q, x.v), LW_OK);
            CHECK_INT(lw_frame_velocity(x.m, x.d, frame, LW_IN_FRAME, &in_frame), LW_OK);
            CHECK_INT(lw_frame_velocity(x.m, x.d, frame, LW_IN_WORLD, &in_world), LW_OK);
            CHECK_INT(lw_frame_pose(x.m, x.d, frame, &X), LW_OK);
            // h^6 times the seventh derivative, (rates of 20)^7 / 140 at worst.
            const double scale = 1 + lw_norm3(slope.ang) + lw_norm3(slope.lin);
            CHECK_NEAR(lw_norm3(lw_sub3(slope.ang, in_frame.ang)), 0, 1e-8 * scale);
            CHECK_NEAR(lw_norm3(lw_sub3(slope.lin, in_world.lin)), 0, 1e-8 * scale);
            // D14: data in the frame's own axes is the world's, turned back.
            const lw_motion turned = {lw_rotate(&X.R, in_frame.ang), lw_rotate(&X.R, in_frame.lin)};
            CHECK_NEAR(motion_distance(&turned, &in_world), 0, 1e-13 * scale);
        }
        destroy(&x);
    }
}

// Velocity of a frame in world axes at time t of the motion.
static lw_motion velocity_after(const machine *x, int frame, double t)
{
    double q[MOST], v[MOST];
    lw_motion velocity = {{0, 0, 0}, {0, 0, 0}};
    move(x, t, q);
    for (int i = 0; i < x->m->nv; ++i) {
        v[i] = x->v[i] + x->a[i] * t;
    }
    CHECK_INT(lw_forward_velocity(x->m, x->d, q, v), LW_OK);
    CHECK_INT(lw_frame_velocity(x->m, x->d, frame, LW_IN_WORLD, &velocity), LW_OK);
    return velocity;
}

TEST(D32_accelerations_are_the_slopes_of_velocities)
{
    const double h = 1e-4; // where the way of a quaternion is known to h^3 only
    for (unsigned long long seed = 1; seed <= MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const int frame = any_frame(x.m);
            const lw_motion p1 = velocity_after(&x, frame, h), m1 = velocity_after(&x, frame, -h);
            const lw_motion p2 = velocity_after(&x, frame, 2 * h);
            const lw_motion m2 = velocity_after(&x, frame, -2 * h);
            lw_motion slope, acc;
            slope.ang = lw_sub3(lw_scale3(8, lw_sub3(p1.ang, m1.ang)), lw_sub3(p2.ang, m2.ang));
            slope.lin = lw_sub3(lw_scale3(8, lw_sub3(p1.lin, m1.lin)), lw_sub3(p2.lin, m2.lin));
            slope.ang = lw_scale3(1 / (12 * h), slope.ang);
            slope.lin = lw_scale3(1 / (12 * h), slope.lin);
            CHECK_INT(lw_forward_acceleration(x.m, x.d, x.q, x.v, x.a), LW_OK);
            CHECK_INT(lw_frame_acceleration(x.m, x.d, frame, LW_IN_WORLD, &acc), LW_OK);
            const double scale = 1 + lw_norm3(slope.ang) + lw_norm3(slope.lin);
            CHECK_NEAR(motion_distance(&slope, &acc), 0, 1e-6 * scale);

            lw_motion in_frame;
            lw_pose X;
            CHECK_INT(lw_frame_acceleration(x.m, x.d, frame, LW_IN_FRAME, &in_frame), LW_OK);
            CHECK_INT(lw_frame_pose(x.m, x.d, frame, &X), LW_OK);
            const lw_motion turned = {lw_rotate(&X.R, in_frame.ang), lw_rotate(&X.R, in_frame.lin)};
            CHECK_NEAR(motion_distance(&turned, &acc), 0, 1e-13 * scale);
        }
        destroy(&x);
    }
}

// --- Jacobians --------------------------------------------------------------------------------

static lw_motion times(const double *J, const double *v, int n)
{
    double r[6] = {0};
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < n; ++k) {
            r[i] += J[i * n + k] * v[k];
        }
    }
    return (lw_motion){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

TEST(D35_jacobians_times_v_are_velocities)
{
    for (unsigned long long seed = 1; seed <= 2 * MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        for (int k = 0; k < 6; ++k) {
            const int frame = any_frame(x.m);
            const lw_axes axes = k % 2 ? LW_IN_WORLD : LW_IN_FRAME;
            const lw_vec3 point = {0.3, -0.1 * k, 0.2};
            double J[6 * MOST];
            lw_motion want, at_point;
            lw_pose X;
            CHECK_INT(lw_forward_velocity(x.m, x.d, x.q, x.v), LW_OK);
            CHECK_INT(lw_frame_velocity(x.m, x.d, frame, axes, &want), LW_OK);
            CHECK_INT(lw_frame_pose(x.m, x.d, frame, &X), LW_OK);
            const lw_vec3 arm = axes == LW_IN_WORLD ? lw_rotate(&X.R, point) : point;
            at_point = want;
            at_point.lin = lw_add3(want.lin, lw_cross3(want.ang, arm));

            CHECK_INT(lw_frame_jacobian(x.m, x.d, x.q, frame, axes, NULL, J), LW_OK);
            CHECK_INT(lw_data_stage(x.d), LW_STAGE_NONE);
            const lw_motion got = times(J, x.v, x.m->nv);
            CHECK_NEAR(motion_distance(&got, &want), 0, 1e-12); // sums of some dozens of terms
            CHECK_INT(lw_frame_jacobian(x.m, x.d, x.q, frame, axes, &point, J), LW_OK);
            const lw_motion moved = times(J, x.v, x.m->nv);
            CHECK_NEAR(motion_distance(&moved, &at_point), 0, 1e-12);
        }
        destroy(&x);
    }
}

// The acceleration of a frame is J a + dJ/dt v.
TEST(D35_the_rate_of_the_jacobian_times_v_completes_the_acceleration)
{
    for (unsigned long long seed = 1; seed <= 2 * MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        for (int k = 0; k < 4; ++k) {
            const int frame = any_frame(x.m);
            const lw_axes axes = k % 2 ? LW_IN_WORLD : LW_IN_FRAME;
            double J[6 * MOST];
            lw_motion acc, rate;
            CHECK_INT(lw_forward_acceleration(x.m, x.d, x.q, x.v, x.a), LW_OK);
            CHECK_INT(lw_frame_acceleration(x.m, x.d, frame, axes, &acc), LW_OK);
            CHECK_INT(lw_frame_jacobian(x.m, x.d, x.q, frame, axes, NULL, J), LW_OK);
            CHECK_INT(lw_frame_jacobian_rate_times_v(x.m, x.d, x.q, x.v, frame, axes, NULL, &rate),
                      LW_OK);
            CHECK_INT(lw_data_stage(x.d), LW_STAGE_ACCELERATION);
            lw_motion sum = times(J, x.a, x.m->nv);
            sum.ang = lw_add3(sum.ang, rate.ang);
            sum.lin = lw_add3(sum.lin, rate.lin);
            const double scale = 1 + lw_norm3(acc.lin) + lw_norm3(acc.ang);
            CHECK_NEAR(motion_distance(&sum, &acc), 0, 1e-12 * scale);
        }
        destroy(&x);
    }
}

// Every entry by central differences of the fourth order along the motion; times v it is the
// acceleration that v causes by itself.
TEST(D35_the_rate_of_the_jacobian)
{
    static const double share[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const int side[4] = {-2, -1, 1, 2};
    const double h = 1e-3;
    for (unsigned long long seed = 1; seed <= 2 * MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        const int frame = any_frame(x.m), n = 6 * x.m->nv;
        const lw_axes axes = seed % 2 ? LW_IN_WORLD : LW_IN_FRAME;
        const lw_vec3 point = {0.1, -0.2, 0.3};
        double rate[6 * MOST], J[6 * MOST], q[MOST + 1], sum[6 * MOST] = {0};
        lw_motion want;
        lw_pose X;
        CHECK_INT(lw_frame_jacobian_rate(x.m, x.d, x.q, x.v, frame, axes, &point, rate), LW_OK);
        CHECK_INT(lw_data_stage(x.d), LW_STAGE_NONE);
        CHECK_INT(lw_pose_of_frame(x.m, x.d, x.q, frame, &X), LW_OK);
        CHECK_INT(lw_frame_jacobian_rate_times_v(x.m, x.d, x.q, x.v, frame, axes, &point, &want),
                  LW_OK);
        const lw_motion moved = times(rate, x.v, x.m->nv);
        const double scale = 1 + lw_norm3(want.lin) + lw_norm3(want.ang);
        CHECK_NEAR(motion_distance(&moved, &want), 0, 1e-12 * scale);
        for (int k = 0; k < 4; ++k) {
            CHECK_INT(lw_integrate(x.m, x.q, x.v, side[k] * h, q), LW_OK);
            CHECK_INT(lw_frame_jacobian(x.m, x.d, q, frame, LW_IN_WORLD, &point, J), LW_OK);
            for (int i = 0; i < n; ++i) {
                sum[i] += share[k] / h * J[i];
            }
        }
        for (int k = 0; k < x.m->nv; ++k) {
            lw_motion column = {{sum[k], sum[n / 6 + k], sum[n / 3 + k]},
                                {sum[n / 2 + k], sum[2 * n / 3 + k], sum[5 * n / 6 + k]}};
            const lw_motion own = {{rate[k], rate[n / 6 + k], rate[n / 3 + k]},
                                   {rate[n / 2 + k], rate[2 * n / 3 + k], rate[5 * n / 6 + k]}};
            if (axes == LW_IN_FRAME) {
                column.ang = lw_rotate_back(&X.R, column.ang);
                column.lin = lw_rotate_back(&X.R, column.lin);
            }
            CHECK_NEAR(motion_distance(&own, &column), 0, 1e-7 * scale);
        }
        destroy(&x);
    }
}

// Each column by moving one degree of freedom alone, central differences of the fourth order.
TEST(D35_columns_of_the_jacobian_by_differences)
{
    const double h = 1e-3;
    for (unsigned long long seed = 1; seed <= MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        const int frame = any_frame(x.m);
        double J[6 * MOST];
        CHECK_INT(lw_frame_jacobian(x.m, x.d, x.q, frame, LW_IN_WORLD, NULL, J), LW_OK);
        for (int k = 0; k < x.m->nv; ++k) {
            lw_pose X[4];
            static const double at[] = {-2, -1, 1, 2};
            for (int i = 0; i < 4; ++i) {
                double unit[MOST] = {0}, q[MOST];
                unit[k] = 1;
                CHECK_INT(lw_integrate(x.m, x.q, unit, at[i] * h, q), LW_OK);
                CHECK_INT(lw_pose_of_frame(x.m, x.d, q, frame, &X[i]), LW_OK);
            }
            const lw_vec3 slope =
                lw_scale3(1 / (12 * h),
                          lw_sub3(lw_scale3(8, lw_sub3(X[2].p, X[1].p)), lw_sub3(X[3].p, X[0].p)));
            const lw_vec3 column = {J[3 * x.m->nv + k], J[4 * x.m->nv + k], J[5 * x.m->nv + k]};
            CHECK_NEAR(lw_norm3(lw_sub3(slope, column)), 0, 1e-9 * (1 + lw_norm3(column)));
        }
        destroy(&x);
    }
}

TEST(D35_the_centre_of_mass_and_its_jacobian)
{
    for (unsigned long long seed = 1; seed <= MACHINES; ++seed) {
        machine x;
        if (!make(&x, seed)) {
            continue;
        }
        double J[3 * MOST];
        lw_vec3 center, ahead, behind;
        CHECK_INT(lw_center_of_mass(x.m, x.d, x.q, &center, J), LW_OK);
        CHECK_INT(lw_data_stage(x.d), LW_STAGE_POSITION);
        // From the links as they were described, one by one.
        double mass = 0;
        lw_vec3 moment = {0, 0, 0};
        for (int i = 0; i < x.m->nlink; ++i) {
            const lw_link_info *link = &x.m->link[i];
            lw_pose X;
            if (x.m->frame[link->frame].body >= 0) {
                CHECK_INT(lw_frame_pose(x.m, x.d, link->frame, &X), LW_OK);
                mass += link->mass;
                moment = lw_add3(moment, lw_scale3(link->mass, lw_pose_apply(&X, link->X_FI.p)));
            }
        }
        CHECK_NEAR(lw_norm3(lw_sub3(center, lw_scale3(1 / mass, moment))), 0, 1e-14);

        const double h = 1e-5;
        double q[MOST];
        CHECK_INT(lw_integrate(x.m, x.q, x.v, h, q), LW_OK);
        CHECK_INT(lw_center_of_mass(x.m, x.d, q, &ahead, NULL), LW_OK);
        CHECK_INT(lw_integrate(x.m, x.q, x.v, -h, q), LW_OK);
        CHECK_INT(lw_center_of_mass(x.m, x.d, q, &behind, NULL), LW_OK);
        const lw_vec3 slope = lw_scale3(1 / (2 * h), lw_sub3(ahead, behind));
        lw_vec3 velocity = {0, 0, 0};
        for (int k = 0; k < x.m->nv; ++k) {
            const lw_vec3 column = {J[k], J[x.m->nv + k], J[2 * x.m->nv + k]};
            velocity = lw_add3(velocity, lw_scale3(x.v[k], column));
        }
        CHECK_NEAR(lw_norm3(lw_sub3(slope, velocity)), 0, 1e-7 * (1 + lw_norm3(velocity)));
        destroy(&x);
    }
}

int main(void)
{
    RUN(C48_R15_poses_are_the_product_of_exponentials);
    RUN(D32_a_planar_arm_is_where_the_sines_say);
    RUN(C23_C42_relative_poses_of_random_frames);
    RUN(D32_velocities_are_the_slopes_of_poses);
    RUN(D32_accelerations_are_the_slopes_of_velocities);
    RUN(D35_jacobians_times_v_are_velocities);
    RUN(D35_the_rate_of_the_jacobian_times_v_completes_the_acceleration);
    RUN(D35_the_rate_of_the_jacobian);
    RUN(D35_columns_of_the_jacobian_by_differences);
    RUN(D35_the_centre_of_mass_and_its_jacobian);
    return REPORT();
}
