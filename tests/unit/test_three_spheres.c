// Platforms on three pairs of parallel rods, in closed form.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/engine.h>
#include <linkwork/kinematics.h>
#include <linkwork/symbolic.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

// Three carriages on rails in different directions, two rods each: the platform does not rotate,
// whichever way the rails go. `sloping` tilts them; the first rod has `length`.
static lw_model *carriages(double sloping, double length, const char *branch)
{
    char text[8192];
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "<linkwork version='1' name='carriages'><ground/><joint name='platform' type='free' "
        "from='ground' to='platform' dependent='true'><dof name='vz' reference='-0.7'/></joint>"
        "<link name='platform' mass='1'>");
    for (int i = 0; i < 6; ++i) {
        const double c = cos(2.0943951023931953 * (i / 2)), s = sin(2.0943951023931953 * (i / 2));
        const double k = i % 2 ? 0.05 : -0.05;
        n += (size_t)snprintf(text + n, sizeof text - n, "<frame name='p%d' xyz='%.17g %.17g 0'/>",
                              i, 0.06 * c - k * s, 0.06 * s + k * c);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "</link>");
    for (int i = 0; i < 6; ++i) {
        const double c = cos(2.0943951023931953 * (i / 2)), s = sin(2.0943951023931953 * (i / 2));
        const double k = i % 2 ? 0.05 : -0.05;
        if (i % 2 == 0) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<joint name='c%d' type='prismatic' axis='%.17g %.17g 1' "
                                  "from='ground' to='carriage%d'/>",
                                  i / 2, sloping * c, sloping * s, i / 2);
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<link name='carriage%d' mass='1'><frame name='e0' "
                                  "xyz='%.17g %.17g 0'/>",
                                  i / 2, 0.36 * c - k * s, 0.36 * s + k * c);
        } else {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<frame name='e1' xyz='%.17g %.17g 0'/></link>", 0.36 * c - k * s,
                                  0.36 * s + k * c);
        }
    }
    for (int i = 0; i < 6; ++i) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<rod name='r%d' from='carriage%d.e%d' to='platform.p%d' "
                              "length='%.17g' %s/>",
                              i, i / 2, i % 2, i, i == 0 ? length : 0.8, i == 0 ? branch : "");
    }
    snprintf(text + n, sizeof text - n, "</linkwork>");
    return compile_text("carriages.xml", text, NULL);
}

static void draw(const lw_model *m, double reach, double *q)
{
    for (int i = 0; i < m->nv; ++i) {
        q[i] = m->q_reference[i] + check_random(-reach, reach);
    }
}

// All rods keep their lengths, both of each pair, and no iteration finds that.
static void check_closure(lw_model *m, double reach)
{
    lw_data *d = m ? new_data(m) : NULL;
    double worst = 0.0;
    int closed = 0;
    if (!CHECK(d) || !CHECK_INT((int)m->step[0].kind, (int)LW_STEP_SPHERES)) {
        return;
    }
    for (int n = 0; n < 10000; ++n) {
        double q[MOST], gap;
        draw(m, reach, q);
        const lw_status status = lw_loop_gap(m, d, q, &gap);
        CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN);
        if (status == LW_OK) {
            worst = fmax(worst, gap);
            ++closed;
        }
        CHECK(status != LW_OK || lw_data_iterations(d) == 0);
    }
    CHECK(closed > 9000);
    CHECK_NEAR(worst, 0.0, 2e-15); // metres
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D19_D28_rotary_and_linear_deltas_close_without_iteration)
{
    check_closure(shipped_model("closed/delta.xml"), 0.6);
    check_closure(carriages(0.0, 0.8, ""), 0.1);
    check_closure(carriages(0.7, 0.8, ""), 0.1);
}

// One rod a hair longer leaves the platform to Newton's method, which knows nothing of spheres.
static void compare_with_newton(lw_model *closed, lw_model *iterated, double reach, double near)
{
    lw_data *d = new_data(closed), *e = new_data(iterated);
    CHECK_INT((int)closed->step[0].kind, (int)LW_STEP_SPHERES);
    CHECK_INT((int)iterated->step[0].kind, (int)LW_STEP_BLOCK);
    for (int n = 0; n < 500 && d && e; ++n) {
        double q[MOST], v[MOST], a[MOST], x[2][3][32];
        draw(closed, reach, q);
        for (int i = 0; i < closed->nv; ++i) {
            v[i] = check_random(-2.0, 2.0);
            a[i] = check_random(-2.0, 2.0);
        }
        CHECK_INT(lw_tree_state(closed, d, q, v, a, x[0][0], x[0][1], x[0][2]), LW_OK);
        CHECK_INT(lw_tree_state(iterated, e, q, v, a, x[1][0], x[1][1], x[1][2]), LW_OK);
        for (int i = 0; i < closed->tree_nq; ++i) {
            CHECK_NEAR(x[0][0][i], x[1][0][i], near);
        }
        for (int i = 0; i < closed->tree_nv; ++i) {
            CHECK_NEAR(x[0][1][i], x[1][1][i], 100.0 * near);
            CHECK_NEAR(x[0][2][i], x[1][2][i], 10000.0 * near);
        }
    }
    lw_data_destroy(d);
    lw_data_destroy(e);
    lw_model_destroy(closed);
    lw_model_destroy(iterated);
}

TEST(D24_R17_positions_rates_and_bias_are_those_of_newtons_method)
{
    compare_with_newton(
        shipped_model("closed/delta.xml"),
        shipped_model_with("closed/delta.xml", "length=\"0.7\"", "length=\"0.70000000001\""), 0.4,
        1e-9);
    compare_with_newton(carriages(0.7, 0.8, ""), carriages(0.7, 0.80000000001, ""), 0.1, 1e-9);
}

static double height(lw_model *m)
{
    lw_pose X = lw_pose_identity();
    lw_data *d = m ? new_data(m) : NULL;
    double gap = 1.0;
    if (CHECK(d)) {
        CHECK_INT(lw_loop_gap(m, d, m->q_reference, &gap), LW_OK);
        CHECK_NEAR(gap, 0.0, 1e-14);
        CHECK_INT(lw_pose_of_frame(m, d, m->q_reference, lw_find_frame(m, "platform.p0"), &X),
                  LW_OK);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    return X.p.z;
}

// The two branches mirror each other in the plane of the carriages.
TEST(D21_both_branches_can_be_named)
{
    const double below = height(carriages(0.0, 0.8, ""));
    CHECK_NEAR(below, -sqrt(0.64 - 0.09), 1e-14);
    CHECK_NEAR(height(carriages(0.0, 0.8, "branch='other'")), -below, 1e-14);
    const double one = height(carriages(0.0, 0.8, "branch='1'"));
    CHECK_NEAR(fabs(one), -below, 1e-14);
    CHECK_NEAR(height(carriages(0.0, 0.8, "branch='-1'")), -one, 1e-14);
}

// One carriage goes up until its rods hang straight and taut: the platform ends there by a gap that
// a fall of the other two would close.
// Equations of a mechanism that must agree with the algorithms, without an iteration in them.
static void check_equations(lw_model *m)
{
    static const unsigned all = 1u << LW_FUNCTION_POSES | 1u << LW_FUNCTION_JACOBIAN |
                                1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX |
                                1u << LW_FUNCTION_CORIOLIS_MATRIX |
                                1u << LW_FUNCTION_FORWARD_DYNAMICS;
    lw_engine *engine[2] = {NULL};
    lw_verification *v = NULL;
    lw_report *report = NULL;
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = all;
    options.frame = m->nframe - 1;
    CHECK_INT(lw_report_create(&report), LW_OK);
    CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], report), LW_OK);
    for (int i = 0; i < lw_report_count(report); ++i) {
        CHECK(lw_report_diagnostic(report, i).code != LW_DIAG_NEWTON_LOOP);
    }
    const lw_verify_options how = {.nstate = 100, .seed = 3, .tolerance = 1e-11};
    CHECK_INT(lw_verify(2, engine, &how, &v), LW_OK);
    CHECK_INT(lw_verification_count(v), 6);
    CHECK(lw_verification_agrees(v));
    for (int i = 0; i < lw_verification_count(v); ++i) {
        CHECK_INT(lw_verification_pair(v, i).nrefused, 0);
    }
    lw_verification_destroy(v);
    lw_report_destroy(report);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

TEST(D24_equations_have_the_closed_form_too)
{
    check_equations(shipped_model("closed/delta.xml"));
    for (int branch = 0; branch < 2; ++branch) {
        check_equations(carriages(0.3, 0.8, branch ? "branch='-1'" : "branch='1'"));
    }
}

TEST(D22_R20_rods_that_cannot_reach_are_named_with_their_gap)
{
    lw_model *m = carriages(0.0, 0.8, "");
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d)) {
        return;
    }
    double before = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double q[3] = {1.6 + 0.1 * k, 0.0, 0.0};
        CHECK_INT(lw_forward_position(m, d, q), LW_ERR_LOOP_OPEN);
        const lw_failure failure = lw_data_failure(d, LW_ERR_LOOP_OPEN);
        CHECK(failure.loop >= 0 && failure.gap > before && failure.gap < 0.2);
        before = failure.gap;
    }
    // Back within reach it is on its branch.
    lw_pose X;
    CHECK_INT(lw_pose_of_frame(m, d, m->q_reference, lw_find_frame(m, "platform.p0"), &X), LW_OK);
    CHECK_NEAR(X.p.z, -sqrt(0.64 - 0.09), 1e-14);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Rods in one plane: with rails towards the middle the carriages stand where the rods lie flat, and
// nothing determines on which side the platform leaves.
TEST(R20_a_flat_platform_is_singular)
{
    lw_model *m = carriages(0.7, 0.8, "");
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d)) {
        return;
    }
    double v[3] = {1.0, 1.0, 1.0}, inside[3], flat[3];
    const double out = (0.8 - 0.3) / 0.7 * sqrt(1.0 + 0.49); // along a rail, to a radius of 0.8 m
    for (int i = 0; i < 3; ++i) {
        flat[i] = out * (1.0 - 1e-15);
        inside[i] = out * (1.0 - 1e-3);
    }
    CHECK_INT(lw_forward_velocity(m, d, inside, v), LW_OK);
    CHECK_INT(lw_forward_velocity(m, d, flat, v), LW_ERR_SINGULAR);
    const lw_failure failure = lw_data_failure(d, LW_ERR_SINGULAR);
    CHECK(failure.loop >= 0 && failure.tree_dof >= 0);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D19_D28_rotary_and_linear_deltas_close_without_iteration);
    RUN(D24_R17_positions_rates_and_bias_are_those_of_newtons_method);
    RUN(D21_both_branches_can_be_named);
    RUN(D24_equations_have_the_closed_form_too);
    RUN(D22_R20_rods_that_cannot_reach_are_named_with_their_gap);
    RUN(R20_a_flat_platform_is_singular);
    return REPORT();
}
