// Friction that holds: joints rest to the last bit below the threshold, break loose at it, and slip
// as far as theory has it.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const slider =
    "<linkwork version=\"1\" name=\"slider\">\n<ground gravity=\"0 0 0\"/>\n"
    "<joint name=\"x\" type=\"prismatic\" from=\"ground\" to=\"a\" friction=\"5\"/>\n"
    "<link name=\"a\" mass=\"2\"/>\n</linkwork>\n";

// A force that grows by one newton a second.
static lw_status pull(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                      const double *v, double *tau, lw_force *f_ext)
{
    (void)context, (void)m, (void)d, (void)q, (void)v, (void)f_ext;
    tau[0] += t;
    return LW_OK;
}

static lw_sim *make_with(const lw_model *m, lw_method method, double ratio,
                         const lw_force_source *source)
{
    lw_sim_def def = lw_default_sim_def();
    def.method = method;
    def.step = 1e-3;
    def.sticks = true;
    def.static_friction = ratio;
    def.nsource = source ? 1 : 0;
    def.source = source;
    def.counts_work = true;
    lw_sim *sim = m ? new_sim(m, &def) : NULL;
    CHECK(sim);
    return sim;
}

static lw_sim *make(const lw_model *m, double ratio, const lw_force_source *source)
{
    return make_with(m, LW_METHOD_EULER, ratio, source);
}

TEST(a_slider_breaks_loose_at_the_threshold)
{
    const lw_force_source source = {pull, NULL};
    const double ratio[] = {1.0, 1.4};
    lw_model *m = compile_text("slider.xml", slider, NULL);
    for (int k = 0; k < 2; ++k) {
        lw_sim *sim = make(m, ratio[k], &source);
        if (!sim) {
            break;
        }
        const double threshold = 5.0 * ratio[k];
        CHECK_INT(lw_sim_advance(sim, threshold - 0.002), LW_OK);
        CHECK(lw_sim_velocity(sim)[0] == 0.0 && lw_sim_position(sim)[0] == 0.0);
        CHECK_INT(lw_sim_advance(sim, threshold + 0.003), LW_OK);
        CHECK(lw_sim_velocity(sim)[0] > 0.0);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// What drives give is what was asked of them, however friction is brought in.
TEST(forces_are_told_without_friction)
{
    const lw_force_source source = {pull, NULL};
    lw_model *m = compile_text("slider.xml", slider, NULL);
    const double q = 0.0, speed[] = {0.0, 2e-4, -0.02, 1.0};
    for (int i = 0; i < 4 * 4 * 2 && m; ++i) {
        check_case("method %d, speed %g, sticks %d", i % 4, speed[i / 4 % 4], i / 16);
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)(i % 4);
        def.sticks = i / 16;
        def.static_friction = 1.4;
        def.nsource = 1;
        def.source = &source;
        lw_sim *sim = new_sim(m, &def);
        double tau = -1.0;
        CHECK(sim);
        CHECK_INT(lw_sim_reset(sim, 3.0, &q, &speed[i / 4 % 4]), LW_OK);
        CHECK_INT(lw_sim_forces(sim, NULL, &tau), LW_OK);
        CHECK(tau == 3.0);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// v(t) = v0 - F t / m until it rests, after v0^2 m / (2 F); an implicit step errs by one step.
TEST(a_slider_comes_to_rest_and_stays)
{
    lw_model *m = compile_text("slider.xml", slider, NULL);
    lw_sim *sim = make(m, 1.0, NULL);
    const double q = 0.0, v = 1.0;
    if (sim) {
        CHECK_INT(lw_sim_reset(sim, 0.0, &q, &v), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
        CHECK(lw_sim_velocity(sim)[0] == 0.0);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.2, 1e-3);
        CHECK_NEAR(lw_sim_get_info(sim).work, -1.0, 1e-12); // all that it had
        CHECK_NEAR(lw_sim_get_info(sim).lost, 1.0, 1e-12);
    }
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// Methods other than Euler's find the moments at which friction begins and ends to hold: until 5 s
// nothing moves, and then x = (t - 5)^3 / (6 m).
TEST(moments_of_breaking_loose_and_of_rest_are_found)
{
    const lw_force_source source = {pull, NULL};
    lw_model *m = compile_text("slider.xml", slider, NULL);
    for (int method = LW_METHOD_RK4; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim *sim = make_with(m, (lw_method)method, 1.0, &source);
        CHECK_INT(lw_sim_advance(sim, 4.9999), LW_OK);
        CHECK(lw_sim_velocity(sim)[0] == 0.0 && lw_sim_position(sim)[0] == 0.0);
        CHECK_INT(lw_sim_advance(sim, 6.5), LW_OK);
        CHECK_NEAR(lw_sim_position(sim)[0], 1.5 * 1.5 * 1.5 / 12.0, 1e-9);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 1.5 * 1.5 / 4.0, 1e-9);
        CHECK_NEAR(lw_sim_get_info(sim).lost, 5.0 * 1.5 * 1.5 * 1.5 / 12.0, 1e-8);
        lw_sim_destroy(sim);
        sim = make_with(m, (lw_method)method, 1.0, NULL);
        const double q = 0.0, v = 1.0;
        CHECK_INT(lw_sim_reset(sim, 0.0, &q, &v), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
        CHECK(lw_sim_velocity(sim)[0] == 0.0);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.2, 1e-12);
        CHECK_NEAR(lw_sim_get_info(sim).lost, 1.0, 1e-12);
        CHECK_INT(lw_sim_get_info(sim).events, 1);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// A force that pushes against the stop, and soon away from it.
static lw_status turn_round(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                            const double *v, double *tau, lw_force *f_ext)
{
    (void)context, (void)m, (void)d, (void)q, (void)v, (void)f_ext;
    tau[0] += 1e6 * (t - 1.0) - 300.0;
    return LW_OK;
}

// At its stop the slider is held by that, then by friction, and from 1.000305 s on by neither:
// x = 1e6 (t - 1.000305 s)^3 / (6 m). All of this happens within one step.
TEST(a_joint_leaves_its_stop_where_friction_breaks)
{
    const lw_force_source source = {turn_round, NULL};
    lw_model *m =
        compile_text("stop.xml",
                     "<linkwork version=\"1\" name=\"stop\">\n<ground gravity=\"0 0 0\"/>\n"
                     "<joint name=\"x\" type=\"prismatic\" from=\"ground\" to=\"a\" friction=\"5\""
                     " lower=\"0\" upper=\"1\"/>\n<link name=\"a\" mass=\"2\"/>\n</linkwork>\n",
                     NULL);
    for (int method = LW_METHOD_RK4; m && method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        def.step = 1e-3;
        def.has_stops = def.sticks = true;
        def.nsource = 1;
        def.source = &source;
        lw_sim *sim = new_sim(m, &def);
        CHECK(sim);
        CHECK_INT(lw_sim_reset(sim, 1.0, NULL, NULL), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 1.004305), LW_OK);
        CHECK_NEAR(lw_sim_position(sim)[0], 1e6 * 4e-3 * 4e-3 * 4e-3 / 12.0, 1e-12);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 1e6 * 4e-3 * 4e-3 / 4.0, 1e-12);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// A spring swings a mass that rubs: each half swing takes 2 F / k off, until the spring is too weak
// where the mass turns round. From 0.1 m: 0.075, 0.05, 0.025, and there it stays: 10 N hold.
TEST(a_swing_dies_by_equal_steps)
{
    lw_model *m = compile_text(
        "swing.xml",
        "<linkwork version=\"1\" name=\"swing\">\n<ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" from=\"ground\" to=\"a\" friction=\"5\"/>\n"
        "<link name=\"a\" mass=\"1\"/>\n"
        "<torsion name=\"s\" in=\"x\" stiffness=\"400\"/>\n</linkwork>\n",
        NULL);
    const double half = 3.14159265358979323846 / 20.0, q = 0.1, v = 0.0;
    for (int method = LW_METHOD_DOPRI5; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim *sim = make_with(m, (lw_method)method, 1.0, NULL);
        CHECK_INT(lw_sim_reset(sim, 0.0, &q, &v), LW_OK);
        double want = q;
        for (int swing = 1; swing <= 5; ++swing) {
            want = fabs(want) * 400.0 > 5.0 ? (want > 0.0 ? 0.025 - want : -0.025 - want) : want;
            CHECK_INT(lw_sim_advance(sim, swing * half), LW_OK);
            CHECK_NEAR(lw_sim_position(sim)[0], want, 1e-10);
        }
        CHECK_NEAR(fabs(want), 0.0, 0.0126);
        CHECK(lw_sim_velocity(sim)[0] == 0.0);
        CHECK_NEAR(lw_sim_get_info(sim).lost, 200.0 * (q * q - want * want), 1e-8);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// All joints of an arm held by friction that is stronger than its weight: it does not creep, though
// its joints couple strongly, and lets go where one force grows beyond.
TEST(an_arm_is_held_by_friction)
{
    lw_model *m = compile_text(
        "arm.xml",
        "<linkwork version=\"1\" name=\"arm\">\n<ground/>\n"
        "<joint name=\"a\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"A\" "
        "friction=\"40\"/><link name=\"A\" mass=\"2\" center=\"0.5 0 0\" inertia=\"0.01 0.1 0.1\">"
        "<frame name=\"t\" xyz=\"1 0 0\"/></link>\n"
        "<joint name=\"b\" type=\"revolute\" axis=\"0 1 0\" from=\"A.t\" to=\"B\" friction=\"5\"/>"
        "<link name=\"B\" mass=\"1\" center=\"0.3 0 0\" inertia=\"0.01 0.05 0.05\">"
        "<frame name=\"t\" xyz=\"0.6 0 0\"/></link>\n"
        "<joint name=\"c\" type=\"revolute\" axis=\"0 1 0\" from=\"B.t\" to=\"C\" friction=\"2\"/>"
        "<link name=\"C\" mass=\"0.01\" center=\"0.1 0 0\" inertia=\"1e-5 1e-5 "
        "1e-5\"/></linkwork>\n",
        NULL);
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim *sim = make_with(m, (lw_method)method, 1.0, NULL);
        CHECK_INT(lw_sim_advance(sim, 0.5), LW_OK);
        for (int k = 0; k < 3; ++k) {
            CHECK(lw_sim_velocity(sim)[k] == 0.0);
            CHECK(lw_sim_position(sim)[k] == m->q_reference[k]);
        }
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// A mass that a spring drags behind a heavy carriage of 1 mm/s. With friction that falls at once
// from Fs to Fc it slips by 2 (Fs - Fc) / k and sticks again.
TEST(stick_and_slip_have_the_known_stroke)
{
    lw_model *m = compile_text(
        "drag.xml",
        "<linkwork version=\"1\" name=\"drag\">\n<ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" from=\"ground\" to=\"a\" friction=\"5\"/>\n"
        "<link name=\"a\" mass=\"1\"/>\n"
        "<joint name=\"y\" type=\"prismatic\" from=\"ground\" to=\"b\"/>\n"
        "<link name=\"b\" mass=\"1e9\"/>\n"
        "<torsion name=\"s\" in=\"y\" out=\"x\" stiffness=\"400\" free=\"0\"/>\n</linkwork>\n",
        NULL);
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        def.step = 1e-4;
        def.sticks = true;
        def.static_friction = 2.0;
        def.stribeck_speed = 1e-4; // small against the speed of the slip, 0.25 m/s
        lw_sim *sim = m ? new_sim(m, &def) : NULL;
        if (!CHECK(sim)) {
            return;
        }
        const int x = lw_find_velocity(m, "x");
        double q[2] = {0}, v[2] = {0};
        q[1 - x] = 0.0249; // the threshold is at 10 N / 400 N/m
        v[1 - x] = 1e-3;
        CHECK_INT(lw_sim_reset(sim, 0.0, q, v), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 0.09), LW_OK);
        CHECK(lw_sim_position(sim)[x] == 0.0);
        CHECK_INT(lw_sim_advance(sim, 0.1 + 3.2 / 20.0 + 0.05), LW_OK); // half a period
        CHECK(lw_sim_velocity(sim)[x] == 0.0);
        CHECK_NEAR(lw_sim_position(sim)[x], 2.0 * 5.0 / 400.0, 0.02 * 0.025); // the carriage creeps
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Sliders of 2 and 1 kg with these frictions, of which the second goes three times as far as the
// first: one degree of freedom.
static lw_model *geared_sliders(int friction_x, int friction_y)
{
    char text[600];
    snprintf(text, sizeof text,
             "<linkwork version=\"1\" name=\"pair\">\n<ground gravity=\"0 0 0\"/>\n"
             "<joint name=\"x\" type=\"prismatic\" from=\"ground\" to=\"a\" friction=\"%d\"/>\n"
             "<link name=\"a\" mass=\"2\"/>\n"
             "<joint name=\"y\" type=\"prismatic\" from=\"ground\" to=\"b\" friction=\"%d\"/>\n"
             "<link name=\"b\" mass=\"1\"/>\n"
             "<coupling joint=\"y\" of=\"x\" polynomial=\"0 3\"/>\n</linkwork>\n",
             friction_x, friction_y);
    return compile_text("pair.xml", text, NULL);
}

// Friction at the dependent one holds the other.
TEST(friction_of_a_dependent_joint_holds)
{
    lw_model *m = geared_sliders(0, 5);
    const lw_force_source source = {pull, NULL};
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim *sim = make_with(m, (lw_method)method, 1.0, &source);
        CHECK_INT(lw_sim_advance(sim, 14.99), LW_OK); // three times 5 N
        CHECK_NEAR(lw_sim_velocity(sim)[0], 0.0, 1e-15);
        CHECK_INT(lw_sim_advance(sim, 15.1), LW_OK);
        CHECK(lw_sim_velocity(sim)[0] > 1e-4);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Two frictions on one degree of freedom, 5 N at x and three times 2 N at y: one of them is used up
// before the joint breaks loose at 11 N, which is one event and no chatter.
TEST(frictions_of_joints_that_move_together_add_up)
{
    lw_model *m = geared_sliders(5, 2);
    const lw_force_source source = {pull, NULL};
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim *sim = make_with(m, (lw_method)method, 1.0, &source);
        for (int i = 1; i <= 109; ++i) {
            CHECK_INT(lw_sim_advance(sim, 0.1 * i), LW_OK);
            CHECK_NEAR(lw_sim_position(sim)[0], 0.0, 1e-15);
        }
        CHECK_INT(lw_sim_advance(sim, 12.0), LW_OK); // 11 kg move, with a force that grows
        CHECK_NEAR(lw_sim_velocity(sim)[0], 0.5 / 11.0, method == LW_METHOD_EULER ? 1e-4 : 1e-9);
        CHECK(lw_sim_get_info(sim).events <= 3);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// The smooth law goes through the larger friction near rest: the steady force at a small speed.
TEST(smooth_friction_knows_stribeck)
{
    lw_model *m = compile_text("slider.xml", slider, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.static_friction = 1.5;
    def.stribeck_speed = 0.1;
    def.friction_speed = 1e-3;
    lw_sim *sim = m ? new_sim(m, &def) : NULL;
    const double q = 0.0, speed[] = {0.02, 0.1, 1.0};
    for (int k = 0; CHECK(sim) && k < 3; ++k) {
        double a;
        CHECK_INT(lw_sim_reset(sim, 0.0, &q, &speed[k]), LW_OK);
        CHECK_INT(lw_sim_forces(sim, &a, NULL), LW_OK);
        const double share = speed[k] / 0.1;
        CHECK_NEAR(a, -2.5 * (1.0 + 0.5 * exp(-share * share)), 1e-12);
    }
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// Springs, a damper, friction, a force and stops that bounce: what was fed less what was lost is
// stored, and what was fed is force times way.
TEST(the_balance_of_energy_closes)
{
    lw_model *m =
        compile_text("all.xml",
                     "<linkwork version=\"1\" name=\"all\">\n<ground/>\n"
                     "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"a\" "
                     "friction=\"0.5\" damping=\"0.2\" lower=\"-0.3\" upper=\"0.4\"/>\n"
                     "<link name=\"a\" mass=\"2\"/>\n"
                     "<joint name=\"j\" type=\"revolute\" axis=\"0 1 0\" from=\"a\" to=\"b\"/>\n"
                     "<link name=\"b\" mass=\"1\" center=\"0 0 -0.3\" inertia=\"0.1 0.1 0.1\"/>\n"
                     "<torsion name=\"s\" in=\"x\" stiffness=\"90\" damping=\"0.3\"/>\n"
                     "<load name=\"l\" at=\"a\" force=\"3 0 0\" axes=\"world\"/>\n</linkwork>\n",
                     NULL);
    lw_sim_def def = lw_default_sim_def();
    def.counts_work = def.has_stops = true;
    def.restitution = 0.6;
    def.static_friction = 1.3;
    def.friction_speed = 0.01;
    lw_sim *sim = m ? new_sim(m, &def) : NULL;
    if (!CHECK(sim)) {
        return;
    }
    const int x = lw_find_velocity(m, "x");
    double q[2] = {0}, v[2] = {0}, stored[2] = {0, 0};
    v[x] = 4.0;
    v[1 - x] = 2.0;
    CHECK_INT(lw_sim_reset(sim, 0.0, q, v), LW_OK);
    for (int when = 0; when < 2; ++when) {
        double kinetic = (double)NAN, potential = (double)NAN;
        CHECK_INT(lw_kinetic_energy(m, lw_sim_data(sim), lw_sim_position(sim), lw_sim_velocity(sim),
                                    &kinetic),
                  LW_OK);
        CHECK_INT(lw_potential_energy(m, lw_sim_data(sim), lw_sim_position(sim), &potential),
                  LW_OK);
        stored[when] = kinetic + potential;
        if (when == 0) {
            CHECK_INT(lw_sim_advance(sim, 1.5), LW_OK);
        }
    }
    const lw_sim_info info = lw_sim_get_info(sim);
    CHECK(info.events >= 1 && info.lost > 5.0);
    // The work does not govern the steps, which friction makes uneven.
    CHECK_NEAR(info.work, stored[1] - stored[0], 1e-7);
    CHECK_NEAR(info.work + info.lost, 3.0 * lw_sim_position(sim)[x], 1e-7);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// Without a potential the steps of Euler's method change the kinetic energy by exactly what their
// forces do over the mean of both velocities: nothing is left over, however long they are.
TEST(the_balance_of_energy_closes_over_long_steps_of_Euler)
{
    const lw_force_source source = {pull, NULL};
    lw_model *m = compile_text("slider.xml", slider, NULL);
    lw_sim *sim = make(m, 1.2, &source);
    double kinetic = (double)NAN;
    CHECK_INT(lw_sim_advance(sim, 9.0), LW_OK);
    CHECK(lw_kinetic_energy(m, lw_sim_data(sim), lw_sim_position(sim), lw_sim_velocity(sim),
                            &kinetic) == LW_OK);
    const lw_sim_info info = lw_sim_get_info(sim);
    CHECK(kinetic > 5.0 && info.lost > 10.0);
    CHECK_NEAR(info.work, kinetic, 1e-11); // roundings of 9000 steps
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

TEST(bad_friction_is_refused)
{
    lw_model *m = compile_text("slider.xml", slider, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.static_friction = 0.5;
    CHECK(lw_sim_size(m, &def) == 0);
    def = lw_default_sim_def();
    def.stribeck_speed = 0.0;
    CHECK(lw_sim_size(m, &def) == 0);
    def = lw_default_sim_def();
    def.static_friction = 1.2;
    def.friction_speed = 0.0;
    CHECK(lw_sim_size(m, &def) == 0);
    def.static_friction = (double)NAN;
    CHECK(lw_sim_size(m, &def) == 0);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(a_slider_breaks_loose_at_the_threshold);
    RUN(forces_are_told_without_friction);
    RUN(a_slider_comes_to_rest_and_stays);
    RUN(moments_of_breaking_loose_and_of_rest_are_found);
    RUN(a_joint_leaves_its_stop_where_friction_breaks);
    RUN(a_swing_dies_by_equal_steps);
    RUN(an_arm_is_held_by_friction);
    RUN(stick_and_slip_have_the_known_stroke);
    RUN(friction_of_a_dependent_joint_holds);
    RUN(frictions_of_joints_that_move_together_add_up);
    RUN(smooth_friction_knows_stribeck);
    RUN(the_balance_of_energy_closes);
    RUN(the_balance_of_energy_closes_over_long_steps_of_Euler);
    RUN(bad_friction_is_refused);
    return REPORT();
}
