// Newton blocks: how fast they converge, how many iterations a motion takes, that the way to a
// configuration does not matter, and that branches are kept.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static lw_model *open_machine(const char *name)
{
    if (strcmp(name, "delta") == 0) {
        return iterated_delta();
    }
    if (strcmp(name, "bricard") == 0) {
        return iterated_linkage(name);
    }
    char path[512];
    snprintf(path, sizeof path, "%s/models/closed/%s.xml", LINKWORK_SOURCE_DIR, name);
    return compile_path(path, NULL);
}

typedef struct moving {
    const char *name;
    double reach; ///< of the swing of each degree of freedom about its reference, rad or m
    double speed; ///< greatest, rad/s or m/s
} moving;

// Speeds as of fast machines of the kind: a pick-and-place Delta turns its arms at 10 rad/s, a
// motion platform moves its legs at 1 m/s, and the wrist and the linkage turn as fast.
static const moving machines[] = {
    {"stewart", 0.07, 1.0}, {"delta", 0.4, 10.0}, {"agile_eye", 0.4, 10.0}, {"bricard", 0.8, 12.5}};

enum { NMACHINE = sizeof machines / sizeof *machines };

static void swing(const lw_model *m, const moving *k, double t, double *q)
{
    for (int i = 0; i < m->nv; ++i) {
        q[i] = m->q_reference[i] + k->reach * sin((1.0 - 0.1 * i) * k->speed / k->reach * t);
    }
}

TEST(R19_three_iterations_a_millisecond)
{
    for (int k = 0; k < NMACHINE; ++k) {
        lw_model *m = open_machine(machines[k].name);
        lw_data *d = m ? new_data(m) : NULL;
        int most = 0, total = 0;
        enum { STEPS = 2000 };
        for (int s = 0; s < STEPS && d; ++s) {
            double q[MOST];
            check_case("%s, %d ms", machines[k].name, s);
            swing(m, &machines[k], 1e-3 * s, q);
            CHECK_INT(lw_forward_position(m, d, q), LW_OK);
            const int own = lw_data_iterations(d);
            most = own > most ? own : most;
            total += own;
        }
        check_case("%s", machines[k].name);
        printf("%s: %d iterations a millisecond at most, %.2f on average\n", machines[k].name, most,
               (double)total / STEPS);
        CHECK(most >= 1);
        CHECK(most <= 3);
        CHECK(total > STEPS); // it does iterate
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// With k iterations allowed the gap that is left is the error after k of them. Each is at most a
// constant times the square of the one before; the constant is the curvature of the machine, and
// the last gaps are rounding.
TEST(R18_each_iteration_squares_the_error)
{
    for (int k = 0; k < NMACHINE; ++k) {
        lw_model *m = open_machine(machines[k].name);
        int squares = 0;
        for (int n = 0; n < 20 && m; ++n) {
            double q[MOST], gap[6] = {0};
            for (int i = 0; i < m->nv; ++i) {
                q[i] = m->q_reference[i] + check_random(-0.2, 0.2) * fmin(1.0, machines[k].reach);
            }
            for (int allowed = 1; allowed < 6; ++allowed) {
                lw_data *d = new_data(m); // starts from the reference
                CHECK_INT(lw_data_limit_iterations(d, allowed), LW_OK);
                const lw_status status = lw_forward_position(m, d, q);
                CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN);
                CHECK(lw_data_iterations(d) <= allowed);
                gap[allowed] = lw_data_failure(d, LW_ERR_LOOP_OPEN).gap;
                lw_data_destroy(d);
            }
            for (int i = 1; i < 5; ++i) {
                check_case("%s, state %d, gap %g after %g", machines[k].name, n, gap[i + 1],
                           gap[i]);
                if (gap[i] > 1e-6 && gap[i] < 0.05) {
                    CHECK(gap[i + 1] < 20.0 * gap[i] * gap[i] + 1e-13);
                    ++squares;
                }
            }
        }
        check_case("%s", machines[k].name);
        CHECK(squares > 10);
        lw_model_destroy(m);
    }
}

static double apart(const lw_model *m, const lw_data *d, const lw_data *e)
{
    double worst = 0.0;
    for (int f = 0; f < m->nframe; ++f) {
        lw_pose X, Y;
        lw_frame_pose(m, d, f, &X);
        lw_frame_pose(m, e, f, &Y);
        const lw_pose back = lw_pose_inverse(&X), Z = lw_pose_mul(&back, &Y);
        worst = fmax(worst, lw_norm3(Z.p) + lw_norm3(lw_log3(&Z.R)));
    }
    return worst;
}

// One data has seen a thousand other configurations, open ones among them; the other is new.
TEST(R19_calls_before_do_not_matter)
{
    for (int k = 0; k < NMACHINE; ++k) {
        lw_model *m = open_machine(machines[k].name);
        lw_data *d = m ? new_data(m) : NULL;
        double worst = 0.0;
        for (int n = 0; n < 1000 && d; ++n) {
            double q[MOST];
            const double reach = (n % 10 == 9 ? 5.0 : 1.0) * fmin(machines[k].reach, 1.0);
            for (int i = 0; i < m->nv; ++i) {
                q[i] = m->q_reference[i] + check_random(-reach, reach);
            }
            const lw_status status = lw_forward_position(m, d, q);
            if (n % 10 == 9) {
                continue; // perhaps out of reach
            }
            lw_data *fresh = new_data(m);
            check_case("%s, %d", machines[k].name, n);
            CHECK_INT(status, LW_OK);
            CHECK_INT(lw_forward_position(m, fresh, q), LW_OK);
            worst = fmax(worst, apart(m, d, fresh));
            lw_data_destroy(fresh);
        }
        check_case("%s", machines[k].name);
        CHECK_NEAR(worst, 0.0,
                   1e-10); // residuals of 1e-14, and lost digits near singular configurations
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// A four-bar closed by a ball joint, so that Newton must solve it, beside the same closed by a
// hinge, which stays on its branch by construction. Strides of any length end on the same branch.
static lw_model *four_bar(lw_joint_type closing)
{
    lw_mech *mech = new_mech("four-bar");
    const lw_vec3 Z = {0.0, 0.0, 1.0};
    const char *link[] = {"base", "crank", "coupler", "follower"};
    const double at[] = {0.0, 0.3, 0.8}, reference[] = {1.0, -0.45, 1.3};
    for (int i = 0; i < 4; ++i) {
        zoo_link(mech, link[i], 1.0, lw_vec3_of(0.1, 0.0, 0.0));
    }
    const char *from[] = {"base.b", "crank.b", "base.b"}, *joint[] = {"j1", "j2", "j3"};
    for (int i = 0; i < 3; ++i) {
        lw_joint_def def = zoo_joint_def(joint[i], LW_JOINT_REVOLUTE, Z);
        def.before = lw_placement_xyz(at[i], 0.0, 0.0);
        def.dependent = i > 0;
        def.dof[0].reference = reference[i];
        zoo_hang(mech, &def, from[i], link[1 + i]);
    }
    zoo_frame(mech, "coupler", "tip", lw_placement_xyz(0.9, 0.0, 0.0));
    zoo_frame(mech, "follower", "tip", lw_placement_xyz(0.7, 0.0, 0.0));
    zoo_close(mech, "j4", closing, Z, "coupler.tip", "follower.tip");
    return closed_model(mech);
}

TEST(D21_R20_strides_of_any_length_keep_the_branch)
{
    lw_model *ball = four_bar(LW_JOINT_SPHERICAL), *hinge = four_bar(LW_JOINT_REVOLUTE);
    if (CHECK(ball && hinge)) {
        CHECK_INT((int)ball->step[0].kind, (int)LW_STEP_BLOCK);
        CHECK_INT((int)hinge->step[0].kind, (int)LW_STEP_PLANAR);
        lw_data *d = new_data(ball), *e = new_data(hinge);
        for (int n = 0; n < 3000; ++n) {
            const double q = check_random(-6.0, 6.0);
            lw_pose X, Y;
            check_case("stride %d to %g", n, q);
            CHECK_INT(lw_forward_position(ball, d, &q), LW_OK);
            CHECK_INT(lw_forward_position(hinge, e, &q), LW_OK);
            lw_frame_pose(ball, d, lw_find_frame(ball, "follower.tip"), &X);
            lw_frame_pose(hinge, e, lw_find_frame(hinge, "follower.tip"), &Y);
            CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-12);
        }
        lw_data_destroy(d);
        lw_data_destroy(e);
    }
    lw_model_destroy(ball);
    lw_model_destroy(hinge);
}

// Configurations of the Delta robot between which the determinant changes its sign twice: Newton's
// method contracts from one to an assembly of the other whose platform is rotated, which that of a
// Delta robot never is. Short steps lead there; a stride is refused at the first singular
// configuration, and so is one from the reference.
TEST(D21_R20_a_stride_does_not_change_the_branch_where_the_determinant_keeps_its_sign)
{
    const double from[3] = {0.8637, 0.6111, -1.9275}, to[3] = {1.5357, 1.2524, -1.4745};
    lw_model *m = open_machine("delta");
    lw_data *d = new_data(m);
    if (CHECK(d)) {
        const int frame = lw_find_frame(m, "platform.tool");
        for (int steps = 1; steps <= 1000; steps *= 10) {
            lw_pose X;
            lw_status status = LW_OK;
            lw_data_restart(d);
            CHECK_INT(lw_forward_position(m, d, from), LW_OK);
            for (int k = 1; k <= steps && status == LW_OK; ++k) {
                double q[3];
                for (int i = 0; i < 3; ++i) {
                    q[i] = from[i] + (to[i] - from[i]) * k / steps;
                }
                check_case("step %d of %d", k, steps);
                status = lw_forward_position(m, d, q);
                if (status == LW_OK) {
                    lw_frame_pose(m, d, frame, &X);
                    CHECK_NEAR(lw_norm3(lw_log3(&X.R)), 0.0, 1e-9);
                }
            }
            CHECK_INT(status, steps < 100 ? LW_ERR_SINGULAR : LW_OK);
            CHECK(steps > 1 || (lw_data_failure(d, LW_ERR_LOOP_OPEN).followed > 0.5 &&
                                lw_data_failure(d, LW_ERR_LOOP_OPEN).followed < 0.8));
        }
        CHECK_NEAR(lw_data_failure(d, LW_ERR_LOOP_OPEN).followed, 1.0, 0.0);
        lw_data_restart(d);
        CHECK_INT(lw_forward_position(m, d, to), LW_ERR_SINGULAR);
        CHECK(lw_data_failure(d, LW_ERR_LOOP_OPEN).followed > 0.9 &&
              lw_data_failure(d, LW_ERR_LOOP_OPEN).followed < 1.0);
        // So far it is, and no further.
        double q[3];
        const double reached = lw_data_failure(d, LW_ERR_LOOP_OPEN).followed;
        for (int k = -1; k <= 1; k += 2) {
            for (int i = 0; i < 3; ++i) {
                q[i] = m->q_reference[i] + (reached + 1e-4 * k) * (to[i] - m->q_reference[i]);
            }
            lw_data_restart(d);
            CHECK_INT(lw_forward_position(m, d, q), k < 0 ? LW_OK : LW_ERR_SINGULAR);
        }
    }
    CHECK_NEAR(lw_data_failure(NULL, LW_ERR_LOOP_OPEN).followed, 1.0, 0.0);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// One crank moves two four-bars, each a block of its own: the path of either begins where both were
// closed last.
TEST(D21_R20_strides_of_blocks_with_a_common_source_keep_the_branch)
{
    static const char text[] =
        "<linkwork version=\"1\" name=\"twins\"><ground/>\n"
        "<joint name=\"crank\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"crank\" "
        "reference=\"1\"/>\n"
        "<link name=\"crank\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"left\" xyz=\"0.3 0 0\"/>"
        "<frame name=\"right\" xyz=\"-0.3 0 0\"/></link>\n"
        "<joint name=\"c1\" type=\"revolute\" axis=\"0 0 1\" from=\"crank.left\" to=\"c1\" "
        "dependent=\"true\" reference=\"-0.45\"/>\n"
        "<link name=\"c1\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"tip\" xyz=\"0.9 0 "
        "0\"/></link>\n"
        "<joint name=\"f1\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" xyz=\"0.8 0 0\" "
        "to=\"f1\" dependent=\"true\" reference=\"1.3\"/>\n"
        "<link name=\"f1\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"tip\" xyz=\"0.7 0 "
        "0\"/></link>\n"
        "<joint name=\"c2\" type=\"revolute\" axis=\"0 0 1\" from=\"crank.right\" to=\"c2\" "
        "dependent=\"true\" reference=\"2.69\"/>\n"
        "<link name=\"c2\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"tip\" xyz=\"0.9 0 "
        "0\"/></link>\n"
        "<joint name=\"f2\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" xyz=\"-0.8 0 0\" "
        "to=\"f2\" dependent=\"true\" reference=\"-1.84\"/>\n"
        "<link name=\"f2\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"tip\" xyz=\"0.7 0 "
        "0\"/></link>\n"
        "<joint name=\"k1\" type=\"%s\" closing=\"true\" %s from=\"c1.tip\" to=\"f1.tip\"/>\n"
        "<joint name=\"k2\" type=\"%s\" closing=\"true\" %s from=\"c2.tip\" to=\"f2.tip\"/>\n"
        "</linkwork>\n";
    const char *type[] = {"spherical", "revolute"}, *axis[] = {"", "axis=\"0 0 1\""};
    lw_model *m[2];
    lw_data *d[2];
    for (int k = 0; k < 2; ++k) {
        char own[sizeof text + 64];
        snprintf(own, sizeof own, text, type[k], axis[k], type[k], axis[k]);
        m[k] = compile_text("twins.xml", own, NULL);
        d[k] = new_data(m[k]);
    }
    if (CHECK(d[0] && d[1])) {
        CHECK_INT(m[0]->nstep, 2);
        CHECK_INT((int)m[0]->step[1].kind, (int)LW_STEP_BLOCK);
        CHECK_INT((int)m[1]->step[1].kind, (int)LW_STEP_PLANAR);
        int most = 0;
        for (int n = 0; n < 2000; ++n) {
            const double q = n < 1000 ? 1.0 + 0.01 * n : check_random(-6.0, 6.0);
            check_case("stride %d to %g", n, q);
            for (int k = 0; k < 2; ++k) {
                CHECK_INT(lw_forward_position(m[k], d[k], &q), LW_OK);
            }
            for (int k = 1; k <= 2; ++k) {
                lw_pose X, Y;
                const char *name = k == 1 ? "f1.tip" : "f2.tip";
                lw_frame_pose(m[0], d[0], lw_find_frame(m[0], name), &X);
                lw_frame_pose(m[1], d[1], lw_find_frame(m[1], name), &Y);
                CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-12);
            }
            most = n < 1000 && lw_data_iterations(d[0]) > most ? lw_data_iterations(d[0]) : most;
        }
        CHECK(most <= 4);
    }
    for (int k = 0; k < 2; ++k) {
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
}

// A plate that slides along y of a body which goes anywhere, by a planar joint that a cylindrical
// one guides: more conditions than it has degrees of freedom, so that no determinant tells its
// branches apart. A rod to the ground gives its place. One long stride ends where many short ones
// do.
TEST(D21_R20_strides_of_over_constrained_blocks_keep_the_branch)
{
    lw_model *m = compile_text(
        "guided.xml",
        "<linkwork version=\"1\" name=\"guided\">\n"
        "<ground><frame name=\"eye\" xyz=\"-0.3 0.1 0.2\"/></ground>\n"
        "<joint name=\"float\" type=\"free\" from=\"ground\" to=\"body\"/>\n"
        "<link name=\"body\" mass=\"3\" inertia=\"1 1 1\"/>\n"
        "<joint name=\"face\" type=\"planar\" from=\"body\" to=\"plate\" dependent=\"true\"/>\n"
        "<link name=\"plate\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"lug\" xyz=\"0 0.4 "
        "0\"/></link>\n"
        "<joint name=\"guide\" type=\"cylindrical\" axis=\"0 1 0\" closing=\"true\" "
        "from=\"body\" to=\"plate\"/>\n"
        "<rod name=\"rod\" from=\"ground.eye\" to=\"plate.lug\"/></linkwork>\n",
        NULL);
    int answered = 0;
    for (int n = 0; n < 300 && m; ++n) {
        double q[7], at[7];
        for (int i = 0; i < 7; ++i) {
            q[i] = m->q_reference[i] + check_random(-0.6, 0.6);
        }
        lw_data *stride = new_data(m), *walk = new_data(m);
        lw_status status = LW_OK;
        for (int k = 1; k <= 200 && status == LW_OK; ++k) {
            for (int i = 0; i < 7; ++i) {
                at[i] = m->q_reference[i] + k / 200.0 * (q[i] - m->q_reference[i]);
            }
            status = lw_forward_position(m, walk, at);
        }
        check_case("stride %d", n);
        if (status == LW_OK && CHECK_INT(lw_forward_position(m, stride, q), LW_OK)) {
            ++answered;
            CHECK_NEAR(apart(m, stride, walk), 0.0, 1e-9);
        }
        lw_data_destroy(stride);
        lw_data_destroy(walk);
    }
    CHECK(answered > 100);
    lw_model_destroy(m);
}

// A hexapod and beside it an arm and a four-bar, on one base: what a frame does not depend on is
// not touched, be it open or at rest.
static lw_model *three_in_one(void)
{
    lw_mech *mech = closed_zoo_find("hexapod")->build(false);
    const lw_vec3 Z = {0.0, 0.0, 1.0};
    const char *link[] = {"arm", "crank", "coupler", "follower"};
    const char *joint[] = {"shoulder", "j1", "j2", "j3"};
    const char *from[] = {"base.b", "base.b", "crank.b", "base.b"};
    const double at[] = {0.0, 0.0, 0.3, 0.8}, reference[] = {0.0, 1.0, -0.45, 1.3};
    for (int i = 0; i < 4; ++i) {
        lw_joint_def def = zoo_joint_def(joint[i], LW_JOINT_REVOLUTE, Z);
        zoo_link(mech, link[i], 1.0, lw_vec3_of(0.1, 0.0, 0.0));
        def.before = lw_placement_xyz(at[i], 0.0, 0.0);
        def.dependent = i > 1;
        def.dof[0].reference = reference[i];
        zoo_hang(mech, &def, from[i], link[i]);
    }
    zoo_frame(mech, "coupler", "tip", lw_placement_xyz(0.9, 0.0, 0.0));
    zoo_frame(mech, "follower", "tip", lw_placement_xyz(0.7, 0.0, 0.0));
    zoo_close(mech, "j4", LW_JOINT_REVOLUTE, Z, "coupler.tip", "follower.tip");
    return closed_model(mech);
}

TEST(C25_a_frame_needs_only_its_own_loops)
{
    lw_model *m = three_in_one();
    lw_data *d = m ? new_data(m) : NULL, *e = m ? new_data(m) : NULL;
    if (CHECK(d && e)) {
        double q[MOST], J[6 * MOST], whole[6 * MOST];
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        q[lw_find_position(m, "shoulder")] = 0.3;
        q[lw_find_position(m, "j1")] = 1.4;
        q[lw_find_position(m, "p0")] = 0.05;
        static const char *const frame[] = {"arm", "follower.tip", "platform", "base"};
        static const bool is_iterated[] = {false, false, true, false};
        for (int k = 0; k < 4; ++k) {
            check_case("%s", frame[k]);
            const int f = lw_find_frame(m, frame[k]);
            lw_pose X, Y;
            CHECK_INT(lw_pose_of_frame(m, d, q, f, &X), LW_OK);
            CHECK_INT(lw_data_iterations(d) > 0, is_iterated[k]);
            CHECK_INT(lw_forward_position(m, e, q), LW_OK);
            CHECK_INT(lw_frame_pose(m, e, f, &Y), LW_OK);
            CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-14);
            // A new data each: nothing is left over from other frames. All columns by velocities.
            lw_data *fresh = new_data(m);
            CHECK_INT(lw_frame_jacobian(m, fresh, q, f, LW_IN_WORLD, NULL, J), LW_OK);
            for (int i = 0; i < m->nv; ++i) {
                double v[MOST] = {0.0};
                lw_motion u;
                v[i] = 1.0;
                CHECK_INT(lw_forward_velocity(m, e, q, v), LW_OK);
                lw_frame_velocity(m, e, f, LW_IN_WORLD, &u);
                const double column[6] = {u.ang.x, u.ang.y, u.ang.z, u.lin.x, u.lin.y, u.lin.z};
                for (int r = 0; r < 6; ++r) {
                    CHECK_NEAR(J[r * m->nv + i], column[r], 1e-12);
                }
            }
            lw_data_destroy(fresh);
        }
        // The hexapod out of reach: its platform cannot tell, the others do.
        for (int i = 0; i < 6; ++i) {
            const char *slider[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
            q[lw_find_position(m, slider[i])] = i % 2 ? 5.0 : -5.0;
        }
        CHECK_INT(lw_forward_position(m, d, q), LW_ERR_LOOP_OPEN);
        for (int k = 0; k < 4; ++k) {
            check_case("%s", frame[k]);
            lw_pose X;
            const int f = lw_find_frame(m, frame[k]);
            const lw_status wanted = is_iterated[k] ? LW_ERR_LOOP_OPEN : LW_OK;
            CHECK_INT(lw_pose_of_frame(m, d, q, f, &X), wanted);
            CHECK_INT(lw_frame_jacobian(m, d, q, f, LW_IN_WORLD, NULL, whole), wanted);
        }
    }
    lw_data_destroy(d);
    lw_data_destroy(e);
    lw_model_destroy(m);
}

TEST(iterations_are_bounded_and_counted)
{
    lw_model *m = open_machine("stewart"), *tree = open_machine("four_bar");
    lw_data *d = m ? new_data(m) : NULL, *e = tree ? new_data(tree) : NULL;
    if (CHECK(d && e)) {
        CHECK_INT(lw_data_limit_iterations(NULL, 3), LW_ERR_ARGUMENT);
        CHECK_INT(lw_data_limit_iterations(d, -1), LW_ERR_ARGUMENT);
        CHECK_INT(lw_data_iterations(NULL), 0);
        double q[MOST];
        for (int i = 0; i < m->nv; ++i) {
            q[i] = m->q_reference[i] + (i % 2 ? 3.0 : -3.0); // far out of reach
        }
        CHECK_INT(lw_forward_position(m, d, q), LW_ERR_LOOP_OPEN);
        const lw_failure failure = lw_data_failure(d, LW_ERR_LOOP_OPEN);
        CHECK(failure.loop >= 0 && failure.gap > 0.01);
        CHECK(lw_data_iterations(d) <= 500);
        // The next call starts from where it was good.
        CHECK_INT(lw_forward_position(m, d, m->q_reference), LW_OK);
        CHECK(lw_data_iterations(d) <= 1);
        CHECK_INT(lw_data_limit_iterations(d, 7), LW_OK);
        CHECK_INT(lw_forward_position(m, d, q), LW_ERR_LOOP_OPEN);
        CHECK_INT(lw_data_iterations(d), 7);
        CHECK_INT(lw_forward_position(tree, e, tree->q_reference), LW_OK);
        CHECK_INT(lw_data_iterations(e), 0);
    }
    lw_data_destroy(d);
    lw_data_destroy(e);
    lw_model_destroy(m);
    lw_model_destroy(tree);
}

// A chain in space of revolute joints and a slide, of any shape, from the ground and back to it,
// where a prismatic joint closes it: five conditions for five dependent joints.
static lw_model *random_chain(unsigned seed, const lw_pose *X_end)
{
    enum { LONG = 6 };
    const lw_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lw_mech *mech = new_mech("chain");
    const lw_ground_def ground = lw_default_ground_def();
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    check_seed(seed);
    char from[16] = "ground.b", link[8], joint[8];
    for (int i = 0; i < LONG; ++i) {
        snprintf(link, sizeof link, "l%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        zoo_link(mech, link, 1.0, lw_vec3_of(0.1, 0.0, 0.0));
        lw_joint_def def =
            zoo_joint_def(joint, i == 3 ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE, axes[i % 3]);
        double x[6];
        for (int k = 0; k < 6; ++k) {
            x[k] = k < 3 ? check_random(-0.4, 0.4) : check_random(-3.0, 3.0);
        }
        def.before = lw_placement_rpy(lw_vec3_of(x[0], x[1], x[2]), lw_vec3_of(x[3], x[4], x[5]));
        def.dependent = X_end && i > 0;
        def.dof[0].reference = check_random(-0.4, 0.4);
        zoo_hang(mech, &def, from, link);
        snprintf(from, sizeof from, "%s.b", link);
    }
    if (X_end) {
        lw_joint_def last = zoo_joint_def("last", LW_JOINT_PRISMATIC, axes[seed % 3]);
        last.closing = true;
        last.after = lw_placement_of_pose(X_end);
        CHECK(lw_add_joint(mech, &last).index >= 0);
        zoo_join(mech, from, "last.a");
        zoo_join(mech, "ground.b", "last.b");
    }
    return closed_model(mech);
}

// Steps of Newton's method may contract from afar to the branch beyond a singular configuration. A
// stride ends where small steps lead, or is refused.
TEST(D21_strides_past_a_dead_centre_do_not_change_the_branch)
{
    int count = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        lw_model *open = random_chain(seed, NULL);
        lw_data *o = open ? new_data(open) : NULL;
        lw_pose X_end;
        CHECK_INT(lw_pose_of_frame(open, o, open->q_reference, lw_find_frame(open, "l5"), &X_end),
                  LW_OK);
        lw_model *m = random_chain(seed, &X_end);
        lw_data *d = m ? new_data(m) : NULL;
        const int frame = m ? lw_find_frame(m, "l2") : -1;
        for (int n = 1; n <= 200 && CHECK(d) && m->nv == 1; ++n) {
            const double q = m->q_reference[0] + (seed % 2 ? 0.002 : -0.002) * n;
            lw_pose X, Y;
            check_case("seed %u, step %d", seed, n);
            if (lw_pose_of_frame(m, d, &q, frame, &X) != LW_OK) {
                break;
            }
            lw_data *fresh = n % 20 == 0 ? new_data(m) : NULL;
            if (fresh && lw_pose_of_frame(m, fresh, &q, frame, &Y) == LW_OK) {
                CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0,
                           1e-9); // lost digits at singular configurations
                ++count;
            }
            lw_data_destroy(fresh);
        }
        lw_data_destroy(d);
        lw_data_destroy(o);
        lw_model_destroy(m);
        lw_model_destroy(open);
    }
    check_case("all");
    CHECK(count > 300);
}

int main(void)
{
    RUN(R19_three_iterations_a_millisecond);
    RUN(R18_each_iteration_squares_the_error);
    RUN(R19_calls_before_do_not_matter);
    RUN(D21_R20_strides_of_any_length_keep_the_branch);
    RUN(D21_R20_a_stride_does_not_change_the_branch_where_the_determinant_keeps_its_sign);
    RUN(D21_R20_strides_of_blocks_with_a_common_source_keep_the_branch);
    RUN(D21_R20_strides_of_over_constrained_blocks_keep_the_branch);
    RUN(D21_strides_past_a_dead_centre_do_not_change_the_branch);
    RUN(C25_a_frame_needs_only_its_own_loops);
    RUN(iterations_are_bounded_and_counted);
    return REPORT();
}
