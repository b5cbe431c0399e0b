// Gears of every type: the row that the compiler finds is that of the fundamental circuit equation
// (R21), the wheels do not slip where they touch, no direction of a joint matters (R23), and what
// passes through the teeth balances by hand.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two wheels on a carrier that turns itself about an axis of its own. What has a `touch` is checked
// for slip there; the point is in the carrier.
typedef struct pair {
    const char *type, *attributes;
    const char *location; ///< of the second joint on the carrier
    const char *axis;     ///< of the second joint there
    const char *frame[2];
    lw_vec3 touch;
    double ratio; ///< w2 / w1 against the carrier, along the axes as described; m for a rack
    bool slips;   ///< along the teeth, as a worm does, or does not touch, as with a belt
} pair;

static const pair pairs[] = {
    {"spur",
     "teeth=\"20 60\"",
     "0.08 0 0",
     "0 0 1",
     {"0 0 0", "0 0 0"},
     {0.02, 0, 0},
     -1.0 / 3,
     false},
    {"internal",
     "radii=\"0.02 0.06\"",
     "0.04 0 0",
     "0 0 1",
     {"0 0 0", "0 0 0"},
     {-0.02, 0, 0},
     1.0 / 3,
     false},
    {"bevel",
     "ratio=\"2\"",
     "0 0 0.1",
     "1 0 0",
     {"0 0 0.06", "0.08 0 0"},
     {0.02, 0, 0.06},
     0.5,
     false},
    {"worm", "teeth=\"2 50\"", "0 0.05 0", "1 0 0", {"0 0 0", "0 0 0"}, {0, 0.01, 0}, 0.04, true},
    {"worm",
     "teeth=\"2 50\" hand=\"left\"",
     "0 0.05 0",
     "1 0 0",
     {"0 0 0", "0 0 0"},
     {0, 0.01, 0},
     -0.04,
     true},
    {"rack", "radii=\"0.03\"", "0.03 0 0", "0 1 0", {"0 0 0", "0 0 0"}, {0.03, 0, 0}, 0.03, false},
    {"belt", "ratio=\"3\"", "0.3 0 0", "0 0 1", {"0 0 0", "0 0 0"}, {0, 0, 0}, 1.0 / 3, true},
    {"chain", "teeth=\"15 45\"", "0.3 0 0", "0 0 1", {"0 0 0", "0 0 0"}, {0, 0, 0}, 1.0 / 3, true},
};

// Bits of flips: the first axis, the second axis, the order of the first joint's ends, whose wheel
// then carries the carrier.
static lw_model *make_pair(const pair *p, int flips)
{
    char text[4000];
    const char *sign1 = flips & 1 ? "0 0 -1" : "0 0 1";
    char axis2[40];
    double x = 0, y = 0, z = 0;
    sscanf(p->axis, "%lf %lf %lf", &x, &y, &z);
    const double s = flips & 2 ? -1 : 1;
    snprintf(axis2, sizeof axis2, "%g %g %g", s * x, s * y, s * z);
    const bool is_rack = strcmp(p->type, "rack") == 0;
    const char *one = flips & 4 ? "wheel1" : "carrier", *other = flips & 4 ? "carrier" : "wheel1";
    snprintf(
        text, sizeof text,
        "<linkwork version=\"1\" name=\"pair\">\n<ground/>\n"
        "<joint name=\"base\" type=\"revolute\" from=\"ground\" to=\"%s\" xyz=\"0.3 0.2 0.1\" "
        "axis=\"1 2 3\"/>\n"
        "<link name=\"carrier\" mass=\"1\" inertia=\"1 1 1\"/>\n"
        "<joint name=\"one\" type=\"revolute\" from=\"%s\" to=\"%s\" axis=\"%s\"/>\n"
        "<link name=\"wheel1\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"w\" xyz=\"%s\"/></link>\n"
        "<joint name=\"two\" type=\"%s\" from=\"carrier\" to=\"wheel2\" xyz=\"%s\" axis=\"%s\" "
        "dependent=\"true\"/>\n"
        "<link name=\"wheel2\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"w\" xyz=\"%s\"/></link>\n"
        "<gear name=\"g\" type=\"%s\" first=\"wheel1.w\" second=\"wheel2.w\" %s/>\n</linkwork>\n",
        one, one, other, sign1, p->frame[0], is_rack ? "prismatic" : "revolute", p->location, axis2,
        p->frame[1], p->type, p->attributes);
    return compile_text("gears.xml", text, NULL);
}

static lw_motion velocity_at(const lw_model *m, const lw_data *d, const char *frame, lw_vec3 p)
{
    lw_motion V = {{0, 0, 0}, {0, 0, 0}};
    lw_pose X;
    const int f = lw_find_frame(m, frame);
    CHECK_INT(lw_frame_velocity(m, d, f, LW_IN_WORLD, &V), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, f, &X), LW_OK);
    V.lin = lw_add3(V.lin, lw_cross3(V.ang, lw_sub3(p, X.p)));
    return V;
}

static void check_pair(const pair *p, int flips)
{
    lw_model *m = make_pair(p, flips);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->nv, 2) && CHECK_INT(m->ngear, 1)) {
        // Turned against the carrier at the same rate, whichever way the joint points.
        const double speed = (flips & 1 ? -1 : 1) * (flips & 4 ? -1 : 1);
        const double q[2] = {0, 0}, v[2] = {0.7, speed};
        lw_pose X;
        CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "carrier"), &X), LW_OK);
        const lw_vec3 P = lw_pose_apply(&X, p->touch);
        const lw_motion c = velocity_at(m, d, "carrier", P), one = velocity_at(m, d, "wheel1", P),
                        two = velocity_at(m, d, "wheel2", P);
        const lw_vec3 w1 = lw_rotate_back(&X.R, lw_sub3(one.ang, c.ang));
        const lw_vec3 w2 = lw_rotate_back(&X.R, lw_sub3(two.ang, c.ang));
        const lw_vec3 s2 = lw_rotate_back(&X.R, lw_sub3(two.lin, c.lin));
        double x = 0, y = 0, z = 0;
        sscanf(p->axis, "%lf %lf %lf", &x, &y, &z);
        const lw_vec3 axis = lw_vec3_of(x, y, z);
        const bool is_rack = strcmp(p->type, "rack") == 0;
        CHECK_NEAR(w1.z, 1, 1e-14);
        CHECK_NEAR(lw_dot3(is_rack ? s2 : w2, axis), p->ratio, 1e-14);
        if (!p->slips) {
            CHECK_NEAR(lw_norm3(lw_sub3(one.lin, two.lin)), 0, 1e-14);
        }
        const lw_gear_info *gear = &m->gear[0];
        CHECK_TEXT(lw_gear_type_name(gear->type), p->type);
        CHECK_NEAR(fabs(gear->turn[0] / gear->turn[1]), fabs(p->ratio), 1e-14);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R16_R21_R23_every_type_of_gear_rolls_as_its_circuit_equation_says)
{
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        for (int flips = 0; flips < 8; ++flips) {
            check_case("%s %s, flips %d", pairs[k].type, pairs[k].attributes, flips);
            check_pair(&pairs[k], flips);
        }
    }
}

// Bevel wheels touch along the pitch line; their speeds there are equal (pairs above has the
// ratio).
TEST(R21_bevel_wheels_do_not_slip_on_their_pitch_line)
{
    // Axes z and x meet at (0, 0, 0.1); the first wheel's centre is 0.04 below, so its cone opens
    // with slope 1 / 2 toward +x: radius 0.02.
    lw_model *m = make_pair(&pairs[2], 0);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d)) {
        const double q[2] = {0, 0}, v[2] = {0, 1};
        lw_pose X;
        CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "carrier"), &X), LW_OK);
        for (int k = 1; k < 4; ++k) {
            const lw_vec3 P = lw_pose_apply(&X, lw_vec3_of(0.01 * k, 0, 0.1 - 0.02 * k));
            const lw_motion one = velocity_at(m, d, "wheel1", P),
                            two = velocity_at(m, d, "wheel2", P);
            CHECK_NEAR(lw_norm3(lw_sub3(one.lin, two.lin)), 0, 1e-15);
            CHECK(lw_norm3(one.lin) > 0.005);
        }
        CHECK_NEAR(m->gear[0].radius[0], 0.02, 1e-15);
        CHECK_NEAR(m->gear[0].radius[1], 0.04, 1e-15);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Sun, ring and carrier in every order of the tree and every direction of their joints: Willis'
// equation z_s (w_s - w_c) + z_r (w_r - w_c) = 0, and the ratios of a set with one of them held.
static lw_model *make_planetary(int order, int flips, const char *attributes)
{
    static const char *const from[3][3] = {{"ground", "ground", "ground"},
                                           {"ground", "ground", "sun"},
                                           {"carrier", "ground", "ground"}};
    const char *axis[3];
    for (int k = 0; k < 3; ++k) {
        axis[k] = flips >> k & 1 ? "0 0 -1" : "0 0 1";
    }
    char text[3000];
    snprintf(
        text, sizeof text,
        "<linkwork version=\"1\" name=\"set\">\n<ground/>\n"
        "<joint name=\"s\" type=\"revolute\" from=\"%s\" to=\"sun\" axis=\"%s\"/>\n"
        "<link name=\"sun\" mass=\"1\" inertia=\"1 1 1\"/>\n"
        "<joint name=\"r\" type=\"revolute\" from=\"%s\" to=\"ring\" axis=\"%s\"/>\n"
        "<link name=\"ring\" mass=\"1\" inertia=\"1 1 1\"/>\n"
        "<joint name=\"c\" type=\"revolute\" from=\"%s\" to=\"carrier\" axis=\"%s\"/>\n"
        "<link name=\"carrier\" mass=\"1\" inertia=\"1 1 1\"/>\n"
        "<gear name=\"g\" type=\"planetary\" first=\"sun\" second=\"ring\" carrier=\"carrier\" "
        "%s/>\n</linkwork>\n",
        from[order][0], axis[0], from[order][1], axis[1], from[order][2], axis[2], attributes);
    return compile_text("gears.xml", text, NULL);
}

TEST(R22_R23_a_planetary_gear_follows_willis)
{
    for (int k = 0; k < 3 * 8; ++k) {
        check_case("order %d, flips %d", k / 8, k % 8);
        lw_model *m = make_planetary(k / 8, k % 8, "teeth=\"20 52\"");
        lw_data *d = m ? new_data(m) : NULL;
        if (CHECK(d) && CHECK_INT(m->nv, 2)) {
            const double q[2] = {0, 0}, v[2] = {1.3, -0.4};
            const lw_vec3 origin = {0, 0, 0};
            CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
            const double s = velocity_at(m, d, "sun", origin).ang.z;
            const double r = velocity_at(m, d, "ring", origin).ang.z;
            const double c = velocity_at(m, d, "carrier", origin).ang.z;
            CHECK_NEAR(20 * (s - c) + 52 * (r - c), 0, 1e-13);
            CHECK(fabs(s) + fabs(r) + fabs(c) > 0.1);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The same set with planets as links has the same row, and with the ring held a ratio of 3.6.
TEST(R21_a_planetary_gear_is_the_set_with_planets)
{
    lw_model *m =
        compile_text("gears.xml",
                     "<linkwork version=\"1\" name=\"set\">\n<ground/>\n"
                     "<joint name=\"s\" type=\"revolute\" from=\"ground\" to=\"sun\"/>\n"
                     "<link name=\"sun\" mass=\"1\" inertia=\"1 1 1\"/>\n"
                     "<link name=\"ring\" at=\"ground\"/>\n"
                     "<joint name=\"c\" type=\"revolute\" from=\"ground\" to=\"carrier\"/>\n"
                     "<link name=\"carrier\" mass=\"1\" inertia=\"1 1 1\"/>\n"
                     "<joint name=\"p\" type=\"revolute\" from=\"carrier\" to=\"planet\" "
                     "xyz=\"0.036 0 0\"/>\n"
                     "<link name=\"planet\" mass=\"1\" inertia=\"1 1 1\"/>\n"
                     "<gear name=\"g\" type=\"planetary\" first=\"sun\" second=\"ring\" "
                     "carrier=\"carrier\" teeth=\"20 52\"/>\n"
                     "<gear name=\"a\" type=\"spur\" first=\"sun\" second=\"planet\" "
                     "teeth=\"20 16\"/>\n"
                     "<gear name=\"b\" type=\"internal\" first=\"planet\" second=\"ring\" "
                     "teeth=\"16 52\"/>\n</linkwork>\n",
                     NULL);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->nv, 1)) {
        const double q = 0, v = 1;
        const lw_vec3 origin = {0, 0, 0};
        CHECK_INT(lw_forward_velocity(m, d, &q, &v), LW_OK);
        const double s = velocity_at(m, d, "sun", origin).ang.z;
        const double c = velocity_at(m, d, "carrier", origin).ang.z;
        CHECK_NEAR(s / c, 1 + 52.0 / 20, 1e-13);
        CHECK_NEAR(m->gear[1].radius[0], 0.02, 1e-16); // from the distance of the axes
        CHECK_NEAR(m->gear[2].radius[1], 0.052, 1e-16);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A weight of 3 kg on an arm of 0.5 m hangs on the wheel of 60 teeth; the motor holds it through
// the pinion of 20. Axes 0.08 m apart: radii 0.02 and 0.06. By hand: the arm needs 3 g 0.5 about y,
// the teeth push with that over 0.06 m, the motor bears a third of it.
TEST(R21_force_at_the_teeth_balances_by_hand)
{
    static const char *const sizes[] = {"teeth=\"20 60\"", "radii=\"0.02 0.06\"", "ratio=\"3\""};
    for (int k = 0; k < 3; ++k) {
        char text[2000];
        check_case("%s", sizes[k]);
        snprintf(
            text, sizeof text,
            "<linkwork version=\"1\" name=\"crane\">\n<ground/>\n"
            "<joint name=\"motor\" type=\"revolute\" from=\"ground\" to=\"pinion\" axis=\"0 1 "
            "0\"/>\n<link name=\"pinion\" mass=\"0.1\" inertia=\"1e-5 2e-5 1e-5\"/>\n"
            "<joint name=\"drum\" type=\"revolute\" from=\"ground\" to=\"wheel\" axis=\"0 1 0\" "
            "xyz=\"0.08 0 0\" dependent=\"true\"/>\n"
            "<link name=\"wheel\" mass=\"3\" center=\"0.5 0 0\" inertia=\"0.1 0.2 0.1\"/>\n"
            "<gear name=\"mesh\" type=\"spur\" first=\"pinion\" second=\"wheel\" %s/>\n"
            "</linkwork>\n",
            sizes[k]);
        lw_model *m = compile_text("gears.xml", text, NULL);
        lw_data *d = m ? new_data(m) : NULL;
        if (CHECK(d)) {
            const double q = 0, v = 0, a = 0, load = 3 * 9.81 * 0.5; // about -y
            double moment, force, tau, coupling[2];
            CHECK_INT(lw_gear_forces(m, d, &q, &v, &a, NULL, &moment, &force), LW_OK);
            CHECK_INT(lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau), LW_OK);
            CHECK_INT(lw_loop_forces(m, d, &q, &v, &a, NULL, NULL, NULL, coupling), LW_OK);
            CHECK_NEAR(fabs(force), load / 0.06, 1e-11);
            CHECK_NEAR(moment, force * 0.02, 1e-13);
            CHECK_NEAR(moment, -tau, 1e-13);        // the motor holds what the teeth do to it
            CHECK_NEAR(moment, coupling[0], 1e-13); // and so says the sweep
            CHECK_NEAR(moment * m->gear[0].turn[1] / m->gear[0].turn[0], coupling[1], 1e-13);
            // Accelerated: the teeth also move the wheel, 0.2 + 3 * 0.25 kg m^2 about its axis.
            const double speedup = 1.5;
            CHECK_INT(lw_gear_forces(m, d, &q, &v, &speedup, NULL, &moment, &force), LW_OK);
            CHECK_NEAR(force * 0.06, -load + (0.2 + 3 * 0.25) * -speedup / 3, 1e-11);
            CHECK_INT(lw_gear_forces(m, d, &q, &v, &a, NULL, NULL, &force), LW_ERR_ARGUMENT);
            CHECK_INT(lw_gear_forces(m, d, &q, &v, &a, NULL, &moment, NULL), LW_OK);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The ring of a planetary set is held: it bears the carrier's load less what the sun gives.
TEST(R21_moments_of_a_planetary_gear_balance)
{
    lw_model *m = make_planetary(0, 0, "radii=\"0.02 0.052\"");
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d)) {
        const double q[2] = {0, 0}, v[2] = {0.3, 0.2}, a[2] = {1.5, -2.5};
        double moment, force, coupling[3];
        CHECK_INT(lw_gear_forces(m, d, q, v, a, NULL, &moment, &force), LW_OK);
        CHECK_INT(lw_loop_forces(m, d, q, v, a, NULL, NULL, NULL, coupling), LW_OK);
        CHECK_NEAR(moment, coupling[0], 1e-13);           // sun
        CHECK_NEAR(moment * 52 / 20, coupling[1], 1e-13); // ring: the same rim force
        CHECK_NEAR(coupling[0] + coupling[1] + coupling[2], 0, 1e-12);
        CHECK_NEAR(force, moment / 0.02, 1e-12);
        CHECK(fabs(moment) > 0.1);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static const struct {
    const char *gear, *diagnostic;
} bad[] = {
    {"first=\"sun\" second=\"ring\" teeth=\"20 52\"",
     "gear \"g\": a planetary gear names its carrier"},
    {"first=\"sun\" second=\"ring\" carrier=\"arms\" teeth=\"20 52\"",
     "gears.xml:9:1: error: gear \"g\": there is no link \"arms\"; did you mean \"arm\"?"},
    {"first=\"sun\" second=\"side\" carrier=\"arm\" teeth=\"20 52\"",
     "gears.xml:9:1: error: gear \"g\" between \"sun\" and \"side\": sun, ring and carrier do not "
     "rotate about one axis"},
    {"first=\"sun\" second=\"arm\" carrier=\"arm\" teeth=\"20 52\"", "the ring is on the carrier"},
};

TEST(R22_bad_planetary_gears_are_refused_at_their_place)
{
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char text[2000];
        lw_mech *mech = NULL;
        lw_model *m = NULL;
        lw_report *report = new_report();
        check_case("%s", bad[k].gear);
        snprintf(
            text, sizeof text,
            "<linkwork version=\"1\" name=\"set\">\n<ground/>\n"
            "<joint name=\"s\" type=\"revolute\" from=\"ground\" to=\"sun\"/>\n"
            "<link name=\"sun\" mass=\"1\" inertia=\"1 1 1\"/>\n"
            "<joint name=\"c\" type=\"revolute\" from=\"ground\" to=\"arm\"/>\n"
            "<link name=\"arm\" mass=\"1\" inertia=\"1 1 1\"/><link name=\"ring\" at=\"ground\"/>\n"
            "<joint name=\"x\" type=\"revolute\" from=\"ground\" to=\"side\" xyz=\"1 0 0\"/>\n"
            "<link name=\"side\" mass=\"1\" inertia=\"1 1 1\"/>\n"
            "<gear name=\"g\" type=\"planetary\" %s/>\n</linkwork>\n",
            bad[k].gear);
        if (lw_load_text("gears.xml", text, strlen(text), NULL, &mech, report) == LW_OK) {
            CHECK(lw_compile(mech, NULL, &m, report) != LW_OK);
        }
        char *diagnostics = diagnostics_text(report);
        CHECK_HAS(diagnostics, bad[k].diagnostic);
        free(diagnostics);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
        lw_report_destroy(report);
    }
}

TEST(wheels_whose_radii_do_not_fit_their_distance_get_a_warning)
{
    for (int fits = 0; fits < 2; ++fits) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<linkwork version='1' name='wheels'><ground/>"
                 "<joint name='one' type='revolute' axis='0 0 1' from='ground' to='small'/>"
                 "<link name='small' mass='1' inertia='1 1 1'/>"
                 "<joint name='two' type='revolute' axis='0 0 1' from='ground' to='large' "
                 "xyz='%s 0 0'/><link name='large' mass='1' inertia='1 1 1'/>"
                 "<gear name='mesh' type='spur' first='small' second='large' radii='0.02 0.06'/>"
                 "</linkwork>",
                 fits ? "0.08" : "0.1");
        char *diagnostics = diagnostics_of_text("wheels.xml", text);
        const char *warning = "warning: gear \"mesh\": the axes are 0.1 m apart";
        CHECK(!strstr(diagnostics, "error:"));
        CHECK((strstr(diagnostics, warning) != NULL) == !fits);
        free(diagnostics);
    }
}

int main(void)
{
    RUN(wheels_whose_radii_do_not_fit_their_distance_get_a_warning);
    RUN(R16_R21_R23_every_type_of_gear_rolls_as_its_circuit_equation_says);
    RUN(R21_bevel_wheels_do_not_slip_on_their_pitch_line);
    RUN(R22_R23_a_planetary_gear_follows_willis);
    RUN(R21_a_planetary_gear_is_the_set_with_planets);
    RUN(R21_force_at_the_teeth_balances_by_hand);
    RUN(R21_moments_of_a_planetary_gear_balance);
    RUN(R22_bad_planetary_gears_are_refused_at_their_place);
    return REPORT();
}
