// Stops of joints, and of those that loops and gears make dependent: impulses and holding forces go
// through the closure.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "simulated.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(stops_bounce_and_hold)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.has_stops = true;
    def.restitution = 0.5;
    lw_sim *sim = new_sim(m, &def);
    const double g = 9.81, fall = sqrt(2.0 / g);
    double t = fall, speed = g * fall;
    CHECK(lw_sim_reset(sim, 0.0, NULL, NULL) == LW_OK);
    for (int bounce = 0; bounce < 8; ++bounce) { // at the top of each hop
        speed *= 0.5;
        CHECK(lw_sim_advance(sim, t + speed / g) == LW_OK);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.5 * speed * speed / g, 1e-9);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 0.0, 1e-8);
        t += 2.0 * speed / g;
    }
    CHECK(lw_sim_advance(sim, 20.0) == LW_OK);
    CHECK(lw_sim_position(sim)[0] == 0.0);
    CHECK(lw_sim_velocity(sim)[0] == 0.0);
    CHECK(lw_sim_get_info(sim).events < 40);
    const double beyond[1] = {3.5};
    CHECK_INT(lw_sim_reset(sim, 0.0, beyond, NULL), LW_ERR_MOTION);
    CHECK(lw_sim_time(sim) == 20.0); // still where it was
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// A joint that begins at its limit has met its stop already, however fast it is.
TEST(stops_hold_joints_that_begin_there)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    static const lw_method methods[] = {LW_METHOD_EULER, LW_METHOD_RK4, LW_METHOD_DOPRI5,
                                        LW_METHOD_DOPRI853};
    const double g = 9.81, low[1] = {0.0}, high[1] = {3.0}, down[1] = {-5.0}, up[1] = {1000.0};
    for (int i = 0; i < 4; ++i) {
        lw_sim_def def = lw_default_sim_def();
        def.method = methods[i];
        def.has_stops = true;
        def.restitution = 0.5;
        lw_sim *sim = new_sim(m, &def);
        CHECK_INT(lw_sim_reset(sim, 0.0, low, down), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 2.5 / g), LW_OK);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.5 * 2.5 * 2.5 / g, i == 0 ? 5e-3 : 1e-9);
        CHECK_INT(lw_sim_reset(sim, 0.0, high, up), LW_OK);
        for (int k = 1; k <= 50; ++k) {
            CHECK_INT(lw_sim_step(sim, 0.5), LW_OK);
            CHECK(lw_sim_position(sim)[0] >= 0.0 && lw_sim_position(sim)[0] <= 3.0);
        }
        CHECK_INT(lw_sim_reset(sim, 0.0, low, NULL), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
        CHECK(lw_sim_position(sim)[0] == 0.0 && lw_sim_velocity(sim)[0] == 0.0);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// A ball whose bounces end within fewer steps than one. With Euler's method it bounced for ever:
// 15,424 times in 20 s.
TEST(every_method_brings_a_bouncing_joint_to_rest)
{
    lw_model *m = compile_text("ball",
                               "<linkwork version=\"1\" name=\"ball\"><ground/>"
                               "<joint name=\"z\" type=\"prismatic\" axis=\"0 0 1\" "
                               "from=\"ground\" to=\"b\" lower=\"0\" upper=\"10\" "
                               "friction=\"0.1\" reference=\"1\"/>"
                               "<link name=\"b\" mass=\"1\" inertia=\"1 1 1\"/></linkwork>",
                               NULL);
    static const lw_method methods[] = {LW_METHOD_EULER, LW_METHOD_RK4, LW_METHOD_DOPRI5,
                                        LW_METHOD_DOPRI853};
    for (int i = 0; i < 8; ++i) {
        lw_sim_def def = lw_default_sim_def();
        def.method = methods[i / 2];
        def.has_stops = def.counts_work = true;
        def.sticks = i % 2 == 1;
        def.restitution = 0.5;
        lw_sim *sim = new_sim(m, &def);
        check_case("method %d, sticks %d", i / 2, i % 2);
        CHECK_INT(lw_sim_advance(sim, 20.0), LW_OK);
        CHECK(lw_sim_position(sim)[0] == 0.0 && lw_sim_velocity(sim)[0] == 0.0);
        CHECK(lw_sim_get_info(sim).events >= 8 && lw_sim_get_info(sim).events < 40);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Two joints at once against their stops, each pushing the other through the masses.
TEST(stops_of_several_joints_hold_together)
{
    static const char arm[] =
        "<linkwork version=\"1\" name=\"arm\"><ground/>\n"
        "<joint name=\"one\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"upper\" "
        "lower=\"-0.4\" upper=\"0.4\"/><link name=\"upper\" mass=\"2\" center=\"0.5 0 0\" "
        "inertia=\"0.1 0.1 0.1\"><frame name=\"tip\" xyz=\"1 0 0\"/></link>\n"
        "<joint name=\"two\" type=\"revolute\" axis=\"0 1 0\" from=\"upper.tip\" to=\"fore\" "
        "lower=\"-0.5\" upper=\"0.5\"/><link name=\"fore\" mass=\"1\" center=\"0.4 0 0\" "
        "inertia=\"0.05 0.05 0.05\"/></linkwork>\n";
    lw_model *m = compile_text("arm", arm, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.has_stops = true;
    lw_sim *sim = new_sim(m, &def);
    for (int i = 1; i <= 200; ++i) {
        CHECK(lw_sim_advance(sim, 0.02 * i) == LW_OK);
        for (int k = 0; k < 2; ++k) {
            CHECK(fabs(lw_sim_position(sim)[k]) <= (k == 0 ? 0.4 : 0.5));
        }
    }
    CHECK(lw_sim_position(sim)[0] == 0.4 && lw_sim_position(sim)[1] == 0.5);
    CHECK(lw_sim_velocity(sim)[0] == 0.0 && lw_sim_velocity(sim)[1] == 0.0);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// --- Dependent joints --------------------------------------------------------------------------

#define PAIR(x_limit, y_limit)                                                                     \
    "<linkwork version=\"1\" name=\"pair\">\n<ground gravity=\"-3 0 0\"/>\n"                       \
    "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"a\" " x_limit "/>\n" \
    "<link name=\"a\" mass=\"2\"/>\n"                                                              \
    "<joint name=\"y\" type=\"prismatic\" axis=\"0 1 0\" from=\"ground\" to=\"b\" " y_limit "/>\n" \
    "<link name=\"b\" mass=\"1\"/>\n"                                                              \
    "<coupling joint=\"y\" of=\"x\" polynomial=\"0 -4\"/>\n</linkwork>\n"

static lw_sim *make(const lw_model *m, lw_method method, double restitution)
{
    lw_sim_def def = lw_default_sim_def();
    def.method = method;
    def.step = 1e-3;
    def.has_stops = true;
    def.restitution = restitution;
    def.counts_work = true;
    lw_sim *sim = m ? new_sim(m, &def) : NULL;
    CHECK(sim);
    return sim;
}

// A limit of 0.4 on y = -4 x is one of -0.1 on x: the same motion, hop for hop, and the same rest.
TEST(a_stop_of_a_coupled_joint_is_one_of_its_source)
{
    lw_model *own = compile_text("own.xml", PAIR("lower=\"-0.1\"", ""), NULL);
    lw_model *coupled = compile_text("coupled.xml", PAIR("", "upper=\"0.4\""), NULL);
    for (int method = LW_METHOD_RK4; method <= LW_METHOD_DOPRI853; ++method) {
        lw_sim *a = make(own, (lw_method)method, 0.5), *b = make(coupled, (lw_method)method, 0.5);
        for (int i = 1; i <= 40; ++i) {
            check_case("method %d, time %g", method, 0.1 * i);
            CHECK_INT(lw_sim_advance(a, 0.1 * i), LW_OK);
            CHECK_INT(lw_sim_advance(b, 0.1 * i), LW_OK);
            CHECK_NEAR(lw_sim_position(b)[0], lw_sim_position(a)[0], 1e-9);
            CHECK_NEAR(lw_sim_velocity(b)[0], lw_sim_velocity(a)[0], 1e-8);
        }
        CHECK(lw_sim_get_info(a).events > 5);
        // y is four times as fast as x, and bounces twice more until it is slow enough to rest.
        CHECK_INT(lw_sim_get_info(b).events, lw_sim_get_info(a).events + 2);
        CHECK_NEAR(lw_sim_position(b)[0], -0.1, 1e-12); // at rest
        CHECK_NEAR(lw_sim_velocity(b)[0], 0.0, 1e-12);
        CHECK_NEAR(lw_sim_get_info(b).lost, lw_sim_get_info(a).lost, 1e-9);
        lw_sim_destroy(a);
        lw_sim_destroy(b);
    }
    lw_model_destroy(own);
    lw_model_destroy(coupled);
}

// A piston that beats against a wall, elastically: within its limit, with the energy that it had.
TEST(a_piston_bounces_with_all_its_energy)
{
    lw_model *m = compile_text(
        "crank.xml",
        "<linkwork version=\"1\" name=\"crank\">\n<ground/>\n"
        "<joint name=\"crank\" type=\"revolute\" axis=\"0 -1 0\" from=\"ground\" to=\"crank\" "
        "reference=\"0.5\"/>\n<link name=\"crank\" mass=\"2\" center=\"0.02 0 0\" "
        "inertia=\"1e-3 3e-3 3e-3\"><frame name=\"pin\" xyz=\"0.05 0 0\"/></link>\n"
        "<joint name=\"piston\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"piston\" "
        "dependent=\"true\" reference=\"0.2\" upper=\"0.225\"/>\n"
        "<link name=\"piston\" mass=\"0.4\" inertia=\"2e-4 3e-4 3e-4\"/>\n"
        "<rod name=\"conrod\" from=\"crank.pin\" to=\"piston\" length=\"0.18\" mass=\"0.3\"/>\n"
        "</linkwork>\n",
        NULL);
    lw_sim *sim = make(m, LW_METHOD_DOPRI853, 1.0);
    lw_data *d = new_data(m);
    const double v0[1] = {-8.0};
    CHECK_INT(lw_sim_reset(sim, 0.0, NULL, v0), LW_OK);
    const double before = simulated_energy(m, sim);
    const int piston = lw_find_frame(m, "piston");
    for (int i = 1; i <= 200; ++i) {
        lw_pose X;
        CHECK_INT(lw_sim_advance(sim, 0.05 * i), LW_OK);
        CHECK(lw_forward_position(m, d, lw_sim_position(sim)) == LW_OK);
        CHECK(lw_frame_pose(m, d, piston, &X) == LW_OK);
        CHECK(X.p.x <= 0.225 + 1e-12);
        CHECK_NEAR(simulated_energy(m, sim), before, 1e-9);
    }
    CHECK(lw_sim_get_info(sim).events > 20);
    const double beyond[1] = {0.1}; // the piston would be at 0.229
    CHECK_INT(lw_sim_reset(sim, 0.0, beyond, NULL), LW_ERR_MOTION);
    lw_sim_destroy(sim);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A four-bar whose rocker, which depends on the crank, has limits.
static lw_model *four_bar(double lower, double upper)
{
    char text[2000];
    snprintf(text, sizeof text,
             "<linkwork version=\"1\" name=\"bars\">\n"
             "<ground><frame name=\"right\" xyz=\"0.4 0 0\"/></ground>\n"
             "<joint name=\"crank\" type=\"revolute\" axis=\"0 -1 0\" from=\"ground\" "
             "to=\"crank\" reference=\"1\"/><link name=\"crank\" mass=\"0.5\" "
             "center=\"0.05 0 0\" inertia=\"1e-5 5e-4 5e-4\"><frame name=\"tip\" xyz=\"0.1 0 0\"/>"
             "</link>\n<joint name=\"coupler\" type=\"revolute\" axis=\"0 -1 0\" "
             "from=\"crank.tip\" to=\"coupler\" dependent=\"true\" reference=\"-0.4\"/>"
             "<link name=\"coupler\" mass=\"1.2\" center=\"0.175 0 0\" "
             "inertia=\"1e-4 0.0125 0.0125\"><frame name=\"tip\" xyz=\"0.35 0 0\"/></link>\n"
             "<joint name=\"rocker\" type=\"revolute\" axis=\"0 -1 0\" from=\"ground.right\" "
             "to=\"rocker\" dependent=\"true\" reference=\"1.6\" lower=\"%.17g\" upper=\"%.17g\"/>"
             "<link name=\"rocker\" mass=\"1\" center=\"0.15 0 0\" "
             "inertia=\"1e-4 0.0075 0.0075\"><frame name=\"tip\" xyz=\"0.3 0 0\"/></link>\n"
             "<joint name=\"close\" type=\"revolute\" closing=\"true\" axis=\"0 -1 0\" "
             "from=\"coupler.tip\" to=\"rocker.tip\"/></linkwork>\n",
             lower, upper);
    return compile_text("bars.xml", text, NULL);
}

static double rocker_of(const lw_model *m, const double *q)
{
    lw_data *d = new_data(m);
    double tree_q[8] = {0};
    CHECK_INT(lw_tree_state(m, d, q, NULL, NULL, tree_q, NULL, NULL), LW_OK);
    lw_data_destroy(d);
    int i = 0;
    while (strcmp(m->tree_velocity_name[i], "rocker") != 0) {
        ++i;
    }
    return tree_q[i];
}

// A dependent joint that comes to rest at its stop holds the whole machine against its weight; its
// angle comes with turns, which must not matter.
TEST(a_dependent_joint_holds_the_machine)
{
    lw_model *loose = four_bar(-10.0, 10.0);
    const double begin = rocker_of(loose, loose->q_reference), turn = 6.283185307179586;
    lw_model_destroy(loose);
    for (int k = 0; k < 4; ++k) {
        const double center = begin + (k < 2 ? 0.0 : turn);
        const double v0[1] = {k % 2 == 0 ? 2.0 : -2.0};
        check_case("start %d", k);
        lw_model *m = four_bar(center - 0.05, center + 0.05);
        lw_sim *sim = make(m, LW_METHOD_DOPRI853, 0.3);
        CHECK_INT(lw_sim_reset(sim, 0.0, NULL, v0), LW_OK);
        for (int i = 1; i <= 60; ++i) {
            CHECK_INT(lw_sim_advance(sim, 0.05 * i), LW_OK);
            const double off = remainder(rocker_of(m, lw_sim_position(sim)) - begin, turn);
            CHECK(fabs(off) <= 0.05 + 1e-9);
        }
        CHECK_NEAR(lw_sim_velocity(sim)[0], 0.0, 1e-9);
        CHECK_NEAR(fabs(remainder(rocker_of(m, lw_sim_position(sim)) - begin, turn)), 0.05, 1e-9);
        lw_sim_destroy(sim);
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(stops_bounce_and_hold);
    RUN(stops_hold_joints_that_begin_there);
    RUN(every_method_brings_a_bouncing_joint_to_rest);
    RUN(stops_of_several_joints_hold_together);
    RUN(a_stop_of_a_coupled_joint_is_one_of_its_source);
    RUN(a_piston_bounces_with_all_its_energy);
    RUN(a_dependent_joint_holds_the_machine);
    return REPORT();
}
