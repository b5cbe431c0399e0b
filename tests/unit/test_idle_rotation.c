// Legs between two ball joints: their rotation about themselves is held, and changes nothing else.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// The same platform on universal and on ball joints: poses, and forces that balance gravity, are
// the same, because a rotation of a leg about itself lifts no mass that lies on its line.
TEST(R17_ball_joints_below_are_as_good_as_universal_joints)
{
    lw_model *m[2] = {shipped_model("closed/stewart.xml"), shipped_model("closed/stewart_sps.xml")};
    lw_data *d[2] = {new_data(m[0]), new_data(m[1])};
    check_seed(3);
    double apart = 0.0, force = 0.0;
    for (int n = 0; n < 200; ++n) {
        double q[6], tau[2][6];
        lw_pose X[2];
        for (int i = 0; i < 6; ++i) {
            q[i] = 0.679 + check_random(-0.04, 0.04);
        }
        for (int k = 0; k < 2; ++k) {
            CHECK_INT(m[k]->nv, 6);
            CHECK_INT(lw_forward_position(m[k], d[k], q), LW_OK);
            lw_frame_pose(m[k], d[k], lw_find_frame(m[k], "tool"), &X[k]);
            CHECK_INT(lw_gravity_forces(m[k], d[k], q, tau[k]), LW_OK);
        }
        const lw_pose back = lw_pose_inverse(&X[0]), Y = lw_pose_mul(&back, &X[1]);
        apart = fmax(apart, lw_norm3(Y.p) + lw_norm3(lw_log3(&Y.R)));
        for (int i = 0; i < 6; ++i) {
            force = fmax(force, fabs(tau[1][i] - tau[0][i]));
        }
    }
    CHECK_NEAR(apart, 0.0, 1e-12); // both blocks end below 1e-14, times their condition number
    CHECK_NEAR(force, 0.0, 1e-10); // of 16 N
    for (int k = 0; k < 2; ++k) {
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
}

// A crank, a coupler between ball joints, which may carry something, and a rocker.
static lw_model *coupler(const char *along, const char *beside, lw_report *report)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<linkwork version='1' name='rssr'><ground><frame name='right' xyz='0.5 0.1 0'/></ground>"
        "<joint name='crank' type='revolute' axis='0 0 1' from='ground' to='crank' "
        "max_force='1'/><link name='crank' mass='1' inertia='0.01 0.01 0.01'>"
        "<frame name='tip' xyz='0 0.1 0'/></link>"
        "<joint name='ball' type='spherical' from='crank.tip' to='coupler' dependent='true'/>"
        "<link name='coupler' mass='1' inertia='0.01 0.01 0.01'>"
        "<frame name='tip' xyz='%s'/></link>%s"
        "<joint name='rocker' type='revolute' axis='0 1 0' from='ground.right' to='rocker' "
        "dependent='true'/><link name='rocker' mass='1' inertia='0.01 0.01 0.01'>"
        "<frame name='tip' xyz='0 0 0.3'/></link>"
        "<joint name='end' type='spherical' closing='true' from='coupler.tip' "
        "to='rocker.tip'/></linkwork>",
        along, beside);
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    if (CHECK_INT(lw_load_text("rssr.xml", text, strlen(text), NULL, &mech, report), LW_OK)) {
        lw_compile(mech, NULL, &m, report);
    }
    lw_mech_destroy(mech);
    return m;
}

static int count_of(const lw_report *report, lw_diagnostic_code code)
{
    int n = 0;
    for (int i = 0; i < lw_report_count(report); ++i) {
        n += lw_report_diagnostic(report, i).code == code;
    }
    return n;
}

TEST(R17_idle_rotation_of_a_coupler_is_held_along_any_axis)
{
    static const char *const along[] = {"0.5 0 0.3", "0 -0.58309518948453 0", "0.1 0.2 0.53851648"};
    double first[2] = {0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        check_case("coupler along %s", along[k]);
        lw_report *report = new_report();
        lw_model *m = coupler(along[k], "", report);
        lw_data *d = m ? new_data(m) : NULL;
        if (CHECK(d != NULL)) {
            CHECK_INT(m->nv, 1);
            CHECK_INT(count_of(report, LW_DIAG_ROTATION_HELD), 1);
            const double q = 0.3;
            lw_pose X;
            CHECK_INT(lw_forward_position(m, d, &q), LW_OK);
            lw_frame_pose(m, d, lw_find_frame(m, "rocker.tip"), &X);
            first[0] = k == 0 ? X.p.x : first[0];
            first[1] = k == 0 ? X.p.z : first[1];
            CHECK_NEAR(X.p.x, first[0], 1e-7); // lengths as they are written
            CHECK_NEAR(X.p.z, first[1], 1e-7);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
        lw_report_destroy(report);
    }
}

TEST(R17_rotation_that_moves_something_is_not_held)
{
    lw_report *report = new_report();
    lw_model *m = coupler("0.5 0 0.3",
                          "<joint name='arm' type='revolute' axis='0 1 0' from='coupler' to='arm'/>"
                          "<link name='arm' mass='1' inertia='0.01 0.01 0.01'/>",
                          report);
    CHECK(m == NULL);
    CHECK_INT(count_of(report, LW_DIAG_ROTATION_HELD), 0);
    CHECK(lw_report_errors(report) > 0);
    lw_model_destroy(m);
    lw_report_destroy(report);
}

int main(void)
{
    RUN(R17_ball_joints_below_are_as_good_as_universal_joints);
    RUN(R17_idle_rotation_of_a_coupler_is_held_along_any_axis);
    RUN(R17_rotation_that_moves_something_is_not_held);
    return REPORT();
}
