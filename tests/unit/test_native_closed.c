// Rods, closing joints, gears and tables in files: every attribute is kept, and URDF says what it
// cannot hold.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include "parts/parts.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Not a machine that could move: a place for every attribute.
static const char *const every =
    "<linkwork version=\"1\" name=\"every\" angle=\"degree\">\n"
    "  <ground><frame name=\"g\" xyz=\"1 2 3\"/></ground>\n"
    "  <joint name=\"j\" type=\"revolute\" from=\"ground\" to=\"a\"/>\n"
    "  <link name=\"a\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"w\" xyz=\"0.1 0 0\"/></link>\n"
    "  <joint name=\"k\" type=\"prismatic\" from=\"ground\" to=\"b\" dependent=\"true\"/>\n"
    "  <link name=\"b\" mass=\"1\" inertia=\"1 1 1\"/>\n"
    "  <rod name=\"r1\" from=\"a.w\" to=\"b\"/>\n"
    "  <rod name=\"r2\" from=\"g\" to=\"joint:k\" length=\"0.3\" mass=\"0.7\" branch=\"-1\"/>\n"
    "  <rod name=\"r3\" from=\"g\" to=\"a\" branch=\"1\"/>\n"
    "  <joint name=\"c1\" type=\"revolute\" closing=\"true\" from=\"a.w\" to=\"g\" axis=\"1 2 3\" "
    "branch=\"other\" xyz=\"0.1 0.2 0.3\" rpy=\"10 20 30\"><after quat=\"0.5 0.5 0.5 "
    "0.5\"/></joint>\n"
    "  <joint name=\"c2\" type=\"screw\" closing=\"1\" from=\"a\" to=\"b\" pitch=\"0.01\" "
    "dh=\"10 0.2 30 0.4\"/>\n"
    "  <joint name=\"c3\" type=\"universal\" closing=\"true\" from=\"a\" to=\"b\" axis2=\"0 1 "
    "0\"/>\n"
    "  <joint name=\"c4\" type=\"revolute\" closing=\"true\" sides=\"points\" from=\"a\" to=\"b\" "
    "xyz=\"0.1 0 0\"><after xyz=\"0.2 0 0\"/></joint>\n"
    "  <joint name=\"c5\" type=\"spherical\" closing=\"true\" sides=\"reference\" from=\"a\" "
    "to=\"b\" xyz=\"0.1 0 0\"/>\n"
    "  <gear name=\"g1\" type=\"spur\" first=\"a\" second=\"b\" radii=\"0.1 0.25\"/>\n"
    "  <gear name=\"g2\" type=\"internal\" first=\"a.w\" second=\"b\" teeth=\"17 51\"/>\n"
    "  <gear name=\"g3\" type=\"bevel\" first=\"a\" second=\"b\" ratio=\"3.5\"/>\n"
    "  <gear name=\"g4\" type=\"worm\" first=\"a\" second=\"b\" teeth=\"1 40\" hand=\"left\"/>\n"
    "  <gear name=\"g5\" type=\"rack\" first=\"a\" second=\"b\" radii=\"0.02\"/>\n"
    "  <gear name=\"g6\" type=\"belt\" first=\"a\" second=\"b\" ratio=\"2\"/>\n"
    "  <gear name=\"g7\" type=\"chain\" first=\"a\" second=\"b\" radii=\"1 2\"/>\n"
    "  <coupling joint=\"k\" of=\"j\" table=\"0 0 90 0.25 180 0.75\"/>\n"
    "</linkwork>\n";

static char *save(const lw_mech *mech, lw_format format, lw_report *report)
{
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(lw_save_text(mech, format, &text, &size, report), LW_OK);
    return text;
}

TEST(K02_what_closes_loops_is_read_as_it_is_written)
{
    lw_mech *mech = load_checked("every.xml", every);
    if (!mech) {
        return;
    }
    const double degree = 3.14159265358979323846 / 180.0;
    const lw_rod_def *rod[4] = {NULL};
    int nrod = 0;
    for (int i = 0; i < mech->part.count && nrod < 4; ++i) {
        if (mech->part.at[i].kind == LW_PART_ROD) {
            rod[nrod++] = as_rod(&mech->part.at[i]);
        }
    }
    CHECK_INT(nrod, 3);
    CHECK(rod[1]->length == 0.3 && rod[1]->mass == 0.7);
    CHECK_INT(rod[0]->branch, 0);
    CHECK_INT(rod[1]->branch, -1);
    CHECK_INT(rod[2]->branch, 1);
    const lw_joint_def *c1 =
        as_joint(&mech->part.at[lw_find_part(mech, "c1", LW_PART_JOINT).index]);
    CHECK(c1->closing);
    CHECK_NEAR(c1->before.value[5], 30.0 * degree, 1e-15);
    CHECK_INT(c1->after.form, LW_PLACEMENT_QUAT);
    CHECK_INT(mech->gear.count, 7);
    for (int i = 0; i < mech->gear.count; ++i) {
        CHECK_INT(mech->gear.at[i].type, i);
        CHECK_INT(mech->gear.at[i].hand, i == LW_GEAR_WORM ? -1 : 1);
    }
    CHECK(mech->gear.at[0].size[1] == 0.25 && mech->gear.at[1].size[0] == 17);
    CHECK(mech->gear.at[2].size[0] == 1 && mech->gear.at[2].size[1] == 3.5);
    CHECK(mech->gear.at[4].size[0] == 0.02);
    CHECK_INT(mech->coupling.at[0].law, LW_LAW_TABLE);
    CHECK_INT(mech->coupling.at[0].ncoefficient, 6);
    CHECK_NEAR(mech->coupling.at[0].coefficient[2], 90.0 * degree, 1e-15);
    CHECK(mech->coupling.at[0].coefficient[3] == 0.25);
    lw_mech_destroy(mech);
}

// Written, read and written again, a file stays the same; and so does each definition in it.
TEST(C39_what_closes_loops_comes_back_to_the_last_bit)
{
    lw_mech *mech = load_checked("every.xml", every);
    char *first = save(mech, LW_FORMAT_LINKWORK, NULL);
    lw_mech *again = load_checked("every.xml", first);
    char *second = save(again, LW_FORMAT_LINKWORK, NULL);
    CHECK_TEXT(second, first);
    for (int i = 0; i < mech->gear.count && again; ++i) {
        check_case("gear %d", i);
        CHECK(memcmp(mech->gear.at[i].size, again->gear.at[i].size, 2 * sizeof(double)) == 0);
        CHECK_INT(again->gear.at[i].hand, mech->gear.at[i].hand);
        CHECK_TEXT(again->gear.at[i].wheel[0], mech->gear.at[i].wheel[0]);
    }
    for (int i = 0; i < mech->part.count && again; ++i) {
        const lwi_part *a = &mech->part.at[i], *b = &again->part.at[i];
        check_case("%s", a->name);
        CHECK_TEXT(b->name, a->name);
        CHECK_INT(b->feeder.part.index, a->feeder.part.index);
        CHECK_INT(b->feeder2.part.index, a->feeder2.part.index);
        CHECK_INT(b->feeder2.index, a->feeder2.index);
    }
    CHECK(memcmp(mech->coupling.at[0].coefficient, again->coupling.at[0].coefficient,
                 6 * sizeof(double)) == 0);
    free(first);
    free(second);
    lw_mech_destroy(again);
    lw_mech_destroy(mech);
}

TEST(urdf_lists_what_closes_loops_as_lost)
{
    lw_mech *mech = load_checked("every.xml", every);
    lw_report *report = new_report();
    char *text = save(mech, LW_FORMAT_URDF, report);
    char *diagnostics = diagnostics_text(report);
    CHECK_HAS(diagnostics, "lost: rod \"r1\", URDF has no loops");
    CHECK_HAS(diagnostics, "lost: closing joint \"c1\", URDF has no loops");
    CHECK_HAS(diagnostics, "lost: gear \"g7\", URDF has none");
    CHECK_HAS(diagnostics, "lost: coupling of \"k\", URDF has linear ones only");
    CHECK(strstr(text, "c1") == NULL);
    free(diagnostics);
    free(text);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

// The branch of a closing joint: by the reference, the other one, and by number; the two are mirror
// images in the line from the crank's pin to the rocker's, so the pins they meet at differ by hand.
static double rocker_angle(const char *branch, int *number)
{
    char text[2000];
    snprintf(text, sizeof text,
             "<linkwork version=\"1\" name=\"four_bar\">\n<ground/>\n"
             "<joint name=\"crank\" type=\"revolute\" from=\"ground\" to=\"crank\"/>\n"
             "<link name=\"crank\" mass=\"1\" inertia=\"1 1 1\"/>\n"
             "<joint name=\"coupler\" type=\"revolute\" from=\"crank\" to=\"coupler\" "
             "xyz=\"3 0 0\" dependent=\"true\"/>\n"
             "<link name=\"coupler\" mass=\"1\" inertia=\"1 1 1\"/>\n"
             "<joint name=\"rocker\" type=\"revolute\" from=\"ground\" to=\"rocker\" "
             "xyz=\"11 0 0\" dependent=\"true\" reference=\"2\"/>\n"
             "<link name=\"rocker\" mass=\"1\" inertia=\"1 1 1\"/>\n"
             "<joint name=\"pin\" type=\"revolute\" closing=\"true\" %s from=\"coupler\" "
             "to=\"rocker\" xyz=\"5 0 0\"><after xyz=\"5 0 0\"/></joint>\n</linkwork>\n",
             branch);
    lw_mech *mech = load_checked("every.xml", text);
    lw_model *m = NULL;
    double angle = (double)NAN;
    lw_pose X;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_data *d = m ? new_data(m) : NULL;
    const double q = 0.0;
    if (CHECK(d) && CHECK_INT(lw_forward_position(m, d, &q), LW_OK) &&
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "rocker"), &X), LW_OK)) {
        angle = atan2(X.R.row[1].x, X.R.row[0].x);
        *number = m->step[0].branch;
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    return angle;
}

TEST(D21_the_branch_of_a_closing_joint_is_named)
{
    // From (3, 0) to (11, 0) with two bars of 5: they meet at (7, 3) or (7, -3).
    const double up = atan2(3.0, -4.0);
    int number = 0, other = 0, same = 0;
    CHECK_NEAR(rocker_angle("", &number), up, 1e-14);
    CHECK_NEAR(rocker_angle("branch=\"reference\"", &same), up, 1e-14);
    CHECK_NEAR(rocker_angle("branch=\"other\"", &other), -up, 1e-14);
    CHECK(same == number && other == -number);
    CHECK_NEAR(rocker_angle(number > 0 ? "branch=\"1\"" : "branch=\"-1\"", &same), up, 1e-14);
    CHECK_NEAR(rocker_angle(number > 0 ? "branch=\"-1\"" : "branch=\"1\"", &same), -up, 1e-14);
}

// A four-bar whose rocker has other axes than the rest. Fills tree positions at a crank of -0.8.
static bool four_bar_at(const char *references, const char *sides, const char *after, double q[3])
{
    char text[2000];
    double coupler = 0.4, rocker = -1.6;
    sscanf(references, "%lf %lf", &coupler, &rocker);
    snprintf(text, sizeof text,
             "<linkwork version='1' name='four'><ground/>"
             "<joint name='crank' type='revolute' axis='0 1 0' from='ground' to='crank' "
             "reference='-1'/><link name='crank' mass='1'/>"
             "<joint name='coupler' type='revolute' axis='0 1 0' from='crank' to='coupler' "
             "xyz='0.1 0 0' dependent='true' reference='%.17g'/><link name='coupler' mass='1'/>"
             "<joint name='rocker' type='revolute' axis='0 0 -1' from='ground' to='rocker' "
             "xyz='0.4 0 0' rpy='1.5707963267948966 0 0' dependent='true' reference='%.17g'/>"
             "<link name='rocker' mass='1'/>"
             "<joint name='pin' type='revolute' axis='0 1 0' closing='true' from='coupler' "
             "to='rocker' xyz='0.35 0 0' %s>%s</joint></linkwork>",
             coupler, rocker, sides, after);
    lw_model *m = compile_text("four.xml", text, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    const double crank = -0.8;
    const bool is_good =
        d && CHECK_INT(lw_tree_state(m, d, &crank, NULL, NULL, q, NULL, NULL), LW_OK);
    lw_data_destroy(d);
    lw_model_destroy(m);
    return is_good;
}

TEST(a_closing_joint_is_given_by_frames_or_points_or_the_reference)
{
    double wanted[3], q[3];
    char closed[80];
    if (!CHECK(four_bar_at("0.4 -1.6", "", "<after xyz='0.3 0 0' rpy='-1.5707963267948966 0 0'/>",
                           wanted)) ||
        !CHECK(four_bar_at("0.4 -1.6", "sides='points'", "<after xyz='0.3 0 0'/>", q))) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(q[k], wanted[k], 1e-12);
    }
    // Closed at a crank of -1 by these, which a crank of length 0.1 and the bars give.
    const double x = 0.4 - 0.1 * cos(-1.0), z = 0.1 * sin(-1.0), d = hypot(x, z);
    const double alpha = acos((0.35 * 0.35 + d * d - 0.09) / (2 * 0.35 * d));
    const double beta = acos((0.09 + d * d - 0.35 * 0.35) / (2 * 0.3 * d));
    const double toward = atan2(-z, x); // about y
    for (int way = -1; way <= 1; way += 2) {
        const double coupler = toward + way * alpha + 1.0;
        const double rocker = toward + 3.14159265358979312 - way * beta;
        snprintf(closed, sizeof closed, "%.17g %.17g", coupler,
                 remainder(rocker, 6.28318530717958648));
        if (fabs(coupler - wanted[1]) > 0.5) {
            continue; // the other branch
        }
        CHECK(four_bar_at(closed, "sides='reference'", "", q));
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(remainder(q[k] - wanted[k], 6.28318530717958648), 0.0, 1e-12);
        }
    }
}

TEST(a_side_that_the_reference_gives_has_no_placement)
{
    char *diagnostics = diagnostics_of_text(
        "bad.xml",
        "<linkwork version='1' name='bad'><ground/>"
        "<joint name='a' type='revolute' from='ground' to='a'/><link name='a' mass='1'/>"
        "<joint name='b' type='revolute' from='ground' to='b' xyz='1 0 0' sides='points'/>"
        "<link name='b' mass='1'/>"
        "<joint name='c' type='spherical' closing='true' sides='reference' from='a' to='b'>"
        "<after xyz='1 0 0'/></joint></linkwork>");
    CHECK_HAS(diagnostics, "joint \"b\": only a joint that closes a loop has sides");
    CHECK_HAS(diagnostics, "joint \"c\": its other side follows from the reference configuration");
    free(diagnostics);
}

TEST(a_closing_joint_without_axis_is_named)
{
    char *diagnostics = diagnostics_of_text(
        "four.xml",
        "<linkwork version='1' name='four'><ground/>"
        "<joint name='crank' type='revolute' axis='0 1 0' from='ground' to='crank' "
        "reference='-1'/><link name='crank' mass='1'/>"
        "<joint name='coupler' type='revolute' axis='0 1 0' from='crank' to='coupler' "
        "xyz='0.1 0 0' dependent='true' reference='0.4'/><link name='coupler' mass='1'/>"
        "<joint name='rocker' type='revolute' axis='0 1 0' from='ground' to='rocker' "
        "xyz='0.4 0 0' dependent='true' reference='-1.6'/><link name='rocker' mass='1'/>"
        "<joint name='pin' type='revolute' closing='true' from='coupler' to='rocker' "
        "xyz='0.35 0 0'><after xyz='0.3 0 0'/></joint></linkwork>");
    CHECK_HAS(diagnostics,
              "warning: closing joint \"pin\" has the axis (0, 0, 1), as where none is");
    free(diagnostics);
}

int main(void)
{
    RUN(a_closing_joint_is_given_by_frames_or_points_or_the_reference);
    RUN(a_side_that_the_reference_gives_has_no_placement);
    RUN(a_closing_joint_without_axis_is_named);
    RUN(K02_what_closes_loops_is_read_as_it_is_written);
    RUN(C39_what_closes_loops_comes_back_to_the_last_bit);
    RUN(urdf_lists_what_closes_loops_as_lost);
    RUN(D21_the_branch_of_a_closing_joint_is_named);
    return REPORT();
}
