// The choice of dependent joints minds how well the loops determine them, at the reference and
// around it; it leaves driven joints independent wherever it can, and says what is poor.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A planar five-bar whose right arm is bent by `elbow` in the reference: nothing closes it there
// but the arms of the left side.
static void write_five_bar(double elbow, const char *right_mark, const char *more, char text[3000])
{
    const double left = 1.5707963267948966, right = 2.6179938779914944;
    const double x = 4.0 + cos(right) + 2.0 * cos(right + elbow);
    const double y = sin(right) + 2.0 * sin(right + elbow);
    const double dx = x - cos(left), dy = y - sin(left), length = hypot(dx, dy);
    snprintf(
        text, 3000,
        "<linkwork version='1' name='five'><ground/>"
        "<joint name='left' type='revolute' axis='0 0 1' from='ground' to='la' reference='%.17g'/>"
        "<link name='la' mass='1'/>"
        "<joint name='left_elbow' type='revolute' axis='0 0 1' from='la' to='lf' xyz='1 0 0' "
        "reference='%.17g'/><link name='lf' mass='1'/>"
        "<joint name='right' type='revolute' axis='0 0 1' from='ground' to='ra' xyz='4 0 0' "
        "reference='%.17g' %s/><link name='ra' mass='1'/>"
        "<joint name='right_elbow' type='revolute' axis='0 0 1' from='ra' to='rf' xyz='1 0 0' "
        "reference='%.17g' %s/><link name='rf' mass='1'/>"
        "<joint name='pin' type='revolute' axis='0 0 1' closing='true' from='lf' to='rf' "
        "xyz='%.17g 0 0'><after xyz='2 0 0'/></joint>%s</linkwork>",
        left, atan2(dy, dx) - left, right, right_mark, elbow, right_mark, length, more);
}

static bool is_independent(const lw_model *m, const char *name)
{
    return lw_find_velocity(m, name) >= 0;
}

TEST(a_five_bar_near_its_dead_centre_moves)
{
    static const double elbows[] = {0.0, 1e-8, -1e-5, 1e-3, -0.02};
    for (int k = 0; k < 5; ++k) {
        char text[3000];
        write_five_bar(elbows[k], "", "", text);
        check_case("elbow %g", elbows[k]);
        lw_model *m = compile_text("five.xml", text, NULL);
        lw_data *d = m ? new_data(m) : NULL;
        if (!CHECK(d != NULL)) {
            continue;
        }
        CHECK(is_independent(m, "left") && is_independent(m, "right"));
        CHECK(m->step[0].condition < 100.0 && m->step[0].condition_near < 100.0);
        for (int way = 0; way < 4; ++way) {
            const double q[2] = {m->q_reference[0] + (way & 1 ? 0.05 : -0.05),
                                 m->q_reference[1] + (way & 2 ? 0.05 : -0.05)};
            CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// Its sine is 0.09 in the reference, which is good, but 0.04 a little way from there.
TEST(the_choice_is_judged_around_the_reference)
{
    char text[3000];
    write_five_bar(0.09, "", "", text);
    lw_model *m = compile_text("five.xml", text, NULL);
    if (CHECK(m != NULL)) {
        CHECK(is_independent(m, "left") && is_independent(m, "right"));
    }
    lw_model_destroy(m);
}

// Slides and angles are compared by the size of the mechanism, not by the metre.
TEST(a_poor_choice_is_reported_with_the_better_one)
{
    char text[3000];
    write_five_bar(1e-6, "dependent='true'", "", text);
    char *diagnostics = diagnostics_of_text("five.xml", text);
    CHECK_HAS(diagnostics, "warning: loop \"pin\" is close to a singular configuration");
    CHECK_HAS(diagnostics, "\"left_elbow\"");
    CHECK_HAS(diagnostics, "as dependent joints would do better");
    free(diagnostics);
    write_five_bar(0.5, "dependent='true'", "", text);
    diagnostics = diagnostics_of_text("five.xml", text);
    CHECK_TEXT(diagnostics, "");
    free(diagnostics);
}

static const char *const wishbone =
    "<linkwork version='1' name='wishbone'><ground><frame name='rack' xyz='0.12 0.2 0.2'/></ground>"
    "<joint name='jl' type='revolute' from='ground' to='lower' axis='1 0 0' xyz='0 0.2 0.15'/>"
    "<link name='lower' mass='3'/>"
    "<joint name='jball' type='spherical' from='lower' to='upright' xyz='0 0.4 0'/>"
    "<link name='upright' mass='8' inertia='1 1 1'><frame name='arm' xyz='0.13 0 0.06'/></link>"
    "<joint name='ju' type='revolute' from='ground' to='upper' axis='1 0 0' xyz='0 0.25 0.4'/>"
    "<link name='upper' mass='2'/>"
    "<joint name='top' type='spherical' closing='true' from='upper' to='upright' xyz='0 0.3 0'>"
    "<after xyz='0 -0.05 0.25'/></joint><rod name='tie' from='rack' "
    "to='upright.arm'/>%s</linkwork>";

TEST(a_ball_joint_is_dependent_before_a_driven_one)
{
    char text[3000];
    snprintf(text, sizeof text, wishbone, "<drive name='motor' out='jl'/>");
    lw_model *m = compile_text("wishbone.xml", text, NULL);
    if (CHECK(m != NULL)) {
        CHECK_INT(m->nv, 1);
        CHECK(is_independent(m, "jl"));
    }
    lw_model_destroy(m);
}

// Without a drive both arms would come before the ball joint, and leave a part of it.
TEST(a_ball_joint_that_scalars_leave_in_part_goes_before_them)
{
    char text[3000];
    snprintf(text, sizeof text, wishbone, "");
    lw_model *m = compile_text("wishbone.xml", text, NULL);
    if (CHECK(m != NULL)) {
        CHECK_INT(m->nv, 1);
        CHECK(is_independent(m, "jl"));
    }
    lw_model_destroy(m);
}

TEST(a_ball_joint_that_is_determined_in_part_is_named_with_a_cure)
{
    // The link between two balls spins, and carries a wheel, so that this is no idle rotation: two
    // of three.
    char *diagnostics = diagnostics_of_text(
        "ball.xml",
        "<linkwork version='1' name='balls'><ground><frame name='far' xyz='1 0 0'/></ground>"
        "<joint name='ball' type='spherical' from='ground' to='link'/><link name='link' mass='1'/>"
        "<joint name='axle' type='revolute' axis='0 1 0' from='link' to='wheel'/>"
        "<link name='wheel' mass='1'/>"
        "<joint name='end' type='spherical' closing='true' from='link' to='ground.far' "
        "xyz='1 0 0'/></linkwork>");
    CHECK_HAS(diagnostics, "error: the loops determine joint \"ball\" only in part");
    CHECK_HAS(diagnostics,
              "replace it by three revolute joints, about x, y and z, one after another, "
              "and mark dependent of these the ones about y and about z");
    free(diagnostics);
}

static const char loose_wishbone[] =
    "<linkwork version='1' name='wishbone'><ground/>"
    "<joint name='jl' type='revolute' from='ground' to='lower' axis='1 0 0' xyz='0 0.2 0.15'/>"
    "<link name='lower' mass='3'/>%s<link name='upright' mass='8' inertia='1 1 1'/>"
    "<joint name='ju' type='revolute' from='ground' to='upper' axis='1 0 0' xyz='0 0.25 0.4' %s/>"
    "<link name='upper' mass='2'/>"
    "<joint name='top' type='spherical' closing='true' from='upper' to='upright' xyz='0 0.3 0'>"
    "<after xyz='0 -0.05 0.25'/></joint><joint name='axle' type='revolute' axis='0 1 0' "
    "from='upright' to='wheel' xyz='0 0.05 0.1'/><link name='wheel' mass='15' inertia='1 1 1'/>"
    "<drive name='motor' out='jl'/></linkwork>";

// Without a tie rod the upright and its wheel turn about the line between its balls, nearly z. Then
// the drive is not to blame, and what the message says is what helps.
TEST(the_cure_for_a_ball_joint_that_is_determined_in_part_works)
{
    char text[3000];
    snprintf(text, sizeof text, loose_wishbone,
             "<joint name='jball' type='spherical' from='lower' to='upright' xyz='0 0.4 0'/>", "");
    char *diagnostics = diagnostics_of_text("loose.xml", text);
    CHECK_HAS(diagnostics,
              "mark dependent of these the ones about x and about y, and besides \"ju\"");
    CHECK(!strstr(diagnostics, "jl"));
    free(diagnostics);
    snprintf(text, sizeof text, loose_wishbone,
             "<joint name='x' type='revolute' axis='1 0 0' from='lower' to='one' xyz='0 0.4 0' "
             "dependent='true'/><link name='one'/><joint name='y' type='revolute' axis='0 1 0' "
             "from='one' to='two' dependent='true'/><link name='two'/>"
             "<joint name='z' type='revolute' axis='0 0 1' from='two' to='upright'/>",
             "dependent='true'");
    diagnostics = diagnostics_of_text("cured.xml", text);
    CHECK_TEXT(diagnostics, "");
    free(diagnostics);
    lw_model *m = compile_text("cured.xml", text, NULL);
    if (CHECK(m != NULL)) {
        CHECK_INT(m->nv, 3);
        CHECK(is_independent(m, "jl") && is_independent(m, "z") && is_independent(m, "axle"));
    }
    lw_model_destroy(m);
}

TEST(a_driven_joint_that_has_to_be_dependent_is_a_warning)
{
    char text[3000];
    write_five_bar(0.5, "", "<drive name='a' out='left'/><drive name='b' out='right'/>", text);
    char *diagnostics = diagnostics_of_text("five.xml", text);
    CHECK(!strstr(diagnostics, "warning"));
    free(diagnostics);
    write_five_bar(0.5, "",
                   "<drive name='a' out='left'/><drive name='b' out='right'/>"
                   "<drive name='c' out='left_elbow'/>",
                   text);
    diagnostics = diagnostics_of_text("five.xml", text);
    CHECK_HAS(diagnostics, "has a drive, but has to be dependent");
    free(diagnostics);
}

TEST(a_reference_that_moved_far_to_close_is_a_warning)
{
    const char *const four_bar =
        "<linkwork version='1' name='four' angle='degree'><ground/>"
        "<joint name='crank' type='revolute' axis='0 1 0' from='ground' to='crank' "
        "reference='-57'/><link name='crank' mass='1'/>"
        "<joint name='coupler' type='revolute' axis='0 1 0' from='crank' to='coupler' "
        "xyz='0.1 0 0' dependent='true'/><link name='coupler' mass='1'/>"
        "<joint name='rocker' type='revolute' axis='0 1 0' from='ground' to='rocker' "
        "xyz='0.4 0 0' dependent='true' reference='%s'/><link name='rocker' mass='1'/>"
        "<joint name='pin' type='revolute' axis='0 1 0' closing='true' from='coupler' "
        "to='rocker' xyz='0.35 0 0'><after xyz='0.3 0 0'/></joint></linkwork>";
    char text[2000];
    snprintf(text, sizeof text, four_bar, "-30");
    char *diagnostics = diagnostics_of_text("four.xml", text);
    CHECK_HAS(diagnostics, "warning: joint \"rocker\": its loops do not close near its reference: "
                           "-0.5236 rad (-30 deg) is given");
    CHECK(!strstr(diagnostics, "coupler")); // nothing is given for it
    free(diagnostics);
    snprintf(text, sizeof text, four_bar, "-95");
    diagnostics = diagnostics_of_text("four.xml", text);
    CHECK_TEXT(diagnostics, "");
    free(diagnostics);
}

// A limit of effort marks a joint as one that something moves: passive joints are dependent first.
TEST(joints_with_a_limit_of_effort_stay_independent_before_passive_ones)
{
    for (int has_effort = 0; has_effort < 2; ++has_effort) {
        char text[3000];
        write_five_bar(1.0, has_effort ? "max_force='10'" : "", "", text);
        lw_model *m = compile_text("five.xml", text, NULL);
        if (CHECK(m && m->nv == 2)) {
            CHECK(is_independent(m, has_effort ? "right" : "left"));
            CHECK(is_independent(m, has_effort ? "right_elbow" : "left_elbow"));
        }
        lw_model_destroy(m);
    }
}

// At the reference they are those of the compile; a rod across a slide has the inverse of the
// cosine between the two; and a linkage compiled elsewhere has there what this one has.
TEST(K27_condition_numbers_follow_the_configuration)
{
    static const char *const name[] = {"palletiser", "delta",   "stewart",     "excavator",
                                       "bricard",    "ankle",   "watt",        "planetary",
                                       "agile_eye",  "andrews", "slider_crank"};
    double condition[40];
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        char path[60];
        snprintf(path, sizeof path, "closed/%s.xml", name[i]);
        check_case("%s", name[i]);
        lw_model *m = shipped_model(path);
        lw_data *d = m ? new_data(m) : NULL;
        if (d && CHECK(m->nstep <= 40)) {
            CHECK_INT(lw_step_conditions(m, d, m->q_reference, condition), LW_OK);
            for (int k = 0; k < m->nstep; ++k) { // loops close there to 1e-12 only
                const double wanted = m->step[k].condition;
                CHECK_NEAR(condition[k], wanted, 1e-9 * wanted);
            }
            CHECK_INT(lw_step_conditions(m, d, m->q_reference, NULL), LW_ERR_ARGUMENT);
        }
        if (d && strcmp(name[i], "slider_crank") == 0) {
            for (double q = -3.0; q < 3.0; q += 0.5) {
                CHECK_INT(lw_step_conditions(m, d, &q, condition), LW_OK);
                CHECK_NEAR(condition[0], 1.0 / sqrt(1.0 - pow(0.05 * sin(q) / 0.18, 2)), 1e-12);
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    lw_model *here = shipped_model("closed/four_bar.xml");
    lw_model *there =
        shipped_model_with("closed/four_bar.xml", "reference=\"1\"", "reference=\"0.4\"");
    lw_data *d = here ? new_data(here) : NULL;
    if (d && there) {
        const double q = 0.4;
        CHECK_INT(lw_step_conditions(here, d, &q, condition), LW_OK);
        CHECK_NEAR(condition[0], there->step[0].condition, 1e-9);
        CHECK(fabs(condition[0] - here->step[0].condition) > 0.1);
    }
    lw_data_destroy(d);
    lw_model_destroy(here);
    lw_model_destroy(there);
}

int main(void)
{
    RUN(K27_condition_numbers_follow_the_configuration);
    RUN(joints_with_a_limit_of_effort_stay_independent_before_passive_ones);
    RUN(a_five_bar_near_its_dead_centre_moves);
    RUN(the_choice_is_judged_around_the_reference);
    RUN(a_poor_choice_is_reported_with_the_better_one);
    RUN(a_ball_joint_is_dependent_before_a_driven_one);
    RUN(a_ball_joint_that_scalars_leave_in_part_goes_before_them);
    RUN(a_ball_joint_that_is_determined_in_part_is_named_with_a_cure);
    RUN(the_cure_for_a_ball_joint_that_is_determined_in_part_works);
    RUN(a_driven_joint_that_has_to_be_dependent_is_a_warning);
    RUN(a_reference_that_moved_far_to_close_is_a_warning);
    return REPORT();
}
