// Laws of simulation: orders of the methods, balance of energy, steps over jumps, and what is
// refused. Events, stops and controllers have files of their own.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "simulated.h"
#include "zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double swing(const lw_model *m, lw_method method, double step, double tolerance, double T)
{
    lw_sim_def def = lw_default_sim_def();
    def.method = method;
    def.step = step;
    def.relative = def.absolute = tolerance;
    lw_sim *sim = new_sim(m, &def);
    const double q0[1] = {1.2};
    CHECK(lw_sim_reset(sim, 0.0, q0, NULL) == LW_OK);
    CHECK(lw_sim_advance(sim, T) == LW_OK);
    CHECK(lw_sim_time(sim) == T);
    const double q = lw_sim_position(sim)[0];
    lw_sim_destroy(sim);
    return q;
}

TEST(fixed_steps_converge_with_their_order)
{
    lw_model *m = compile_text("pendulum", pendulum, NULL);
    const double exact = swing(m, LW_METHOD_DOPRI853, 0.0, 1e-14, 1.0);
    CHECK_NEAR(swing(m, LW_METHOD_DOPRI5, 0.0, 1e-12, 1.0), exact, 1e-10);
    static const struct {
        lw_method method;
        double step, order;
    } row[] = {{LW_METHOD_EULER, 1e-3, 1.0}, {LW_METHOD_RK4, 1e-2, 4.0}};
    for (int i = 0; i < 2; ++i) {
        const double coarse = swing(m, row[i].method, row[i].step, 1.0, 1.0) - exact;
        const double fine = swing(m, row[i].method, 0.5 * row[i].step, 1.0, 1.0) - exact;
        CHECK_NEAR(log2(fabs(coarse / fine)), row[i].order, 0.1);
    }
    lw_model_destroy(m);
}

// Halving the tolerance by a thousand must pay: and between steps the state is as good as at them.
TEST(states_within_a_step_are_as_good_as_at_its_ends)
{
    lw_model *m = compile_text("pendulum", pendulum, NULL);
    static const struct {
        lw_method method;
        double tolerance, good;
    } row[] = {{LW_METHOD_DOPRI5, 1e-9, 1e-7},
               {LW_METHOD_DOPRI853, 1e-9, 1e-7},
               {LW_METHOD_RK4, 1.0, 1e-6}};
    for (int i = 0; i < 3; ++i) {
        check_case("method %d", (int)row[i].method);
        lw_sim_def def = lw_default_sim_def();
        def.method = row[i].method;
        def.relative = def.absolute = row[i].tolerance;
        def.step = row[i].method == LW_METHOD_RK4 ? 1e-2 : 0.0;
        lw_sim *sim = new_sim(m, &def);
        const double q0[1] = {1.2};
        lw_sim_reset(sim, 0.0, q0, NULL);
        while (lw_sim_time(sim) < 0.7) {
            CHECK(lw_sim_step(sim, 10.0) == LW_OK);
        }
        for (int k = 0; k <= 4; ++k) {
            const double begin = lw_sim_get_info(sim).begin;
            const double t = begin + 0.25 * k * (lw_sim_time(sim) - begin);
            double q[1], v[1];
            CHECK(lw_sim_interpolate(sim, t, q, v) == LW_OK);
            CHECK_NEAR(q[0], swing(m, LW_METHOD_DOPRI853, 0.0, 1e-13, t), row[i].good);
        }
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// --- Balance of energy ------------------------------------------------------------------------

static lw_status push(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                      const double *v, double *tau, lw_force *f_ext)
{
    (void)context;
    (void)d;
    (void)q;
    for (int k = 0; k < m->nv; ++k) {
        tau[k] += 0.3 * sin(3.0 * t + k) - 0.1 * v[k];
    }
    for (int i = 0; i < m->nbody; ++i) {
        f_ext[i].lin.x += 0.2 * cos(t);
        f_ext[i].ang.z += 0.1;
    }
    return LW_OK;
}

// What is fed is what is stored: for every kind of joint, with loads, dampers, springs, rotors,
// couplings, and outer forces.
TEST(energy_grows_by_the_work_that_is_done)
{
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        check_case("%s", zoo_name((zoo_kind)kind));
        lw_model *m = zoo_model((zoo_kind)kind);
        const lw_force_source source = {push, NULL};
        lw_sim_def def = lw_default_sim_def();
        def.counts_work = true;
        def.nsource = 1;
        def.source = &source;
        lw_sim *sim = new_sim(m, &def);
        const double before = simulated_energy(m, sim);
        CHECK_INT(lw_sim_advance(sim, 0.3), LW_OK);
        const double work = lw_sim_get_info(sim).work;
        CHECK(fabs(work) > 1e-6);
        CHECK_NEAR(simulated_energy(m, sim) - before - work, 0.0,
                   1e-9 * (1.0 + fabs(work) + fabs(before)));
        lw_sim_destroy(sim);
        lw_model_destroy(m);
    }
}

TEST(free_body_keeps_its_momentum)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_sim_def def = lw_default_sim_def();
    lw_sim *sim = new_sim(m, &def);
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.gravity = lw_vec3_of(0.0, 0.0, 0.0);
    options.is_ideal = true;
    lw_set_dynamics_options(lw_sim_data(sim), &options);
    double q[64], v[64], a[64];
    zoo_state(m, q, v, a);
    CHECK(lw_sim_reset(sim, 0.0, q, v) == LW_OK);
    lw_force before, after;
    lw_momentum(m, lw_sim_data(sim), lw_sim_position(sim), lw_sim_velocity(sim), &before);
    CHECK(lw_sim_advance(sim, 2.0) == LW_OK);
    lw_momentum(m, lw_sim_data(sim), lw_sim_position(sim), lw_sim_velocity(sim), &after);
    CHECK_NEAR(lw_norm3(lw_sub3(before.ang, after.ang)), 0.0, 1e-9);
    CHECK_NEAR(lw_norm3(lw_sub3(before.lin, after.lin)), 0.0, 1e-9);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// --- Where forces jump ------------------------------------------------------------------------

static lw_status jump(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                      const double *v, double *tau, lw_force *f_ext)
{
    (void)context;
    (void)d;
    (void)q;
    (void)v;
    (void)f_ext;
    tau[0] += m->mass * (9.81 + (t >= 0.3 ? 5.0 : 0.0) - (t >= 0.7 ? 5.0 : 0.0));
    return LW_OK;
}

// A force that is switched on and off: known velocities, and no end in ever smaller steps.
TEST(steps_go_over_jumps_of_forces)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    for (int method = LW_METHOD_DOPRI5; method <= LW_METHOD_DOPRI853; ++method) {
        const lw_force_source source = {jump, NULL};
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        def.nsource = 1;
        def.source = &source;
        lw_sim *sim = new_sim(m, &def);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 5.0 * 0.4, 1e-10); // 5 m/s^2 over some 1e-12 s
        CHECK(lw_sim_get_info(sim).steps < 2000);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// The same with its times told: each step is as smooth as without a force.
TEST(steps_end_at_breaks)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double breaks[] = {0.3, 0.7, 5.0};
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        const lw_force_source source = {jump, NULL};
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        def.step = method < LW_METHOD_DOPRI5 ? 7e-3 : 0.0; // which does not divide the times
        def.nsource = 1;
        def.source = &source;
        def.nbreak = 3;
        def.breaks = breaks;
        lw_sim *sim = new_sim(m, &def);
        double a = 0.0;
        CHECK_INT(lw_sim_advance(sim, 0.3), LW_OK);
        CHECK_INT(lw_sim_forces(sim, &a, NULL), LW_OK);
        CHECK_NEAR(a, 5.0, 1e-12); // from now on
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 5.0 * 0.4, 1e-14);
        CHECK(lw_sim_get_info(sim).steps < 160 && lw_sim_get_info(sim).rejected == 0);
        lw_sim_destroy(sim);
    }
    const double bad[] = {0.7, 0.3};
    lw_sim_def def = lw_default_sim_def();
    def.nbreak = 2;
    def.breaks = bad;
    CHECK(new_sim(m, &def) == NULL);
    def.breaks = NULL;
    CHECK(new_sim(m, &def) == NULL);
    lw_model_destroy(m);
}

// A mass in a backlash: uniform motion, then half a swing. Steps end where the force bends, so that
// few have to be tried twice.
TEST(steps_end_where_springs_bend)
{
    static const char text[] =
        "<linkwork version=\"1\" name=\"loose\"><ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"a\"/>\n"
        "<link name=\"a\" mass=\"1\"/>\n"
        "<torsion name=\"play\" in=\"x\" stiffness=\"400\" backlash=\"0.2\"/>\n</linkwork>\n";
    lw_model *m = compile_text("loose", text, NULL);
    const double v0[1] = {2.0}, pi = 3.14159265358979323846;
    for (int method = LW_METHOD_DOPRI5; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        lw_sim *sim = new_sim(m, &def);
        CHECK_INT(lw_sim_reset(sim, 0.0, NULL, v0), LW_OK);
        // A quarter of the play's ways, then half a period of 20 rad/s at each end.
        const double way = 0.1 / 2.0, swing = pi / 20.0;
        CHECK_INT(lw_sim_advance(sim, 4.0 * way + 2.0 * swing), LW_OK);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.0, 1e-11);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 2.0, 1e-11);
        CHECK_INT(lw_sim_get_info(sim).events, 0);
        CHECK(lw_sim_get_info(sim).rejected <= 8); // 60 and more where steps go across
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// --- What goes wrong --------------------------------------------------------------------------

static lw_status no_number(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                           const double *v, double *tau, lw_force *f_ext)
{
    (void)context;
    (void)m;
    (void)d;
    (void)q;
    (void)v;
    (void)f_ext;
    tau[0] += t > 0.5 ? (double)NAN : 0.0;
    return LW_OK;
}

// A reference beyond a stop is no state to begin from; another one is.
TEST(simulations_wait_for_a_state_that_can_be)
{
    static const char text[] =
        "<linkwork version=\"1\" name=\"far\"><ground/>\n"
        "<joint name=\"lift\" type=\"prismatic\" axis=\"0 0 1\" from=\"ground\" to=\"mass\" "
        "lower=\"1\" upper=\"3\"/><link name=\"mass\" mass=\"2\"/></linkwork>\n";
    lw_model *m = compile_text("far", text, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.has_stops = true;
    lw_sim *sim = new_sim(m, &def);
    const double q[1] = {2.0};
    CHECK(lw_sim_position(sim)[0] == 0.0 && lw_sim_velocity(sim)[0] == 0.0);
    CHECK_INT(lw_sim_step(sim, 1.0), LW_ERR_MOTION);
    CHECK_INT(lw_sim_reset(sim, 0.0, q, NULL), LW_OK);
    CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

static lw_status do_nothing(void *context, const lw_model *m, lw_data *d, long step, double t,
                            const double *q, const double *v, double *tau)
{
    (void)context, (void)m, (void)d, (void)step, (void)t, (void)q, (void)v, (void)tau;
    return LW_OK;
}

// Steps and periods that are less than a rounding of the time would never arrive.
TEST(steps_that_do_not_move_time_are_told)
{
    lw_model *m = compile_text("pendulum", pendulum, NULL);
    const lw_sampler sampler = {1e-20, 0.0, do_nothing, NULL};
    for (int i = 0; i < 3; ++i) {
        lw_sim_def def = lw_default_sim_def();
        def.method = i == 0 ? LW_METHOD_EULER : LW_METHOD_RK4;
        def.step = i < 2 ? 1e-20 : 1e-3;
        def.sampler = i < 2 ? NULL : &sampler;
        lw_sim *sim = new_sim(m, &def);
        CHECK_INT(lw_sim_reset(sim, 1.0, NULL, NULL), LW_OK);
        CHECK_INT(lw_sim_step(sim, 2.0), LW_ERR_NO_CONVERGENCE);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

TEST(bad_definitions_and_states_are_refused)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double nan[1] = {(double)NAN};
    lw_sim_def def = lw_default_sim_def(), bad = def;
    CHECK(new_sim(NULL, &def) == NULL);
    CHECK(new_sim(m, NULL) == NULL);
    bad.absolute = 0.0;
    CHECK(new_sim(m, &bad) == NULL);
    bad = def;
    bad.step = -1.0;
    CHECK(new_sim(m, &bad) == NULL);
    bad = def;
    bad.method = (lw_method)(LW_METHOD_DOPRI853 + 1);
    CHECK(new_sim(m, &bad) == NULL);
    bad = def;
    bad.min_step = (double)INFINITY;
    CHECK(new_sim(m, &bad) == NULL);
    bad = def;
    bad.restitution = 1.5;
    CHECK(new_sim(m, &bad) == NULL);
    bad = def;
    bad.nevent = 1;
    CHECK(new_sim(m, &bad) == NULL);
    const lw_sampler never = {0.0, 0.0, do_nothing, NULL};
    bad = def;
    bad.sampler = &never;
    CHECK(new_sim(m, &bad) == NULL);
    lw_sim *sim = new_sim(m, &def);
    CHECK_INT(lw_sim_reset(sim, 0.0, nan, NULL), LW_ERR_NUMBER);
    CHECK_INT(lw_sim_reset(sim, (double)NAN, NULL, NULL), LW_ERR_NUMBER);
    CHECK_INT(lw_sim_step(sim, (double)INFINITY), LW_ERR_NUMBER);
    CHECK_INT(lw_sim_step(sim, -1.0), LW_ERR_ARGUMENT);
    CHECK_INT(lw_sim_step(NULL, 1.0), LW_ERR_ARGUMENT);
    lw_sim_destroy(sim);
    // A source that gives no number stops it, before its time.
    const lw_force_source source = {no_number, NULL};
    def.nsource = 1;
    def.source = &source;
    sim = new_sim(m, &def);
    CHECK_INT(lw_sim_advance(sim, 1.0), LW_ERR_NUMBER);
    CHECK(lw_sim_time(sim) <= 0.5 && isfinite(lw_sim_position(sim)[0]));
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// A five-bar that falls beyond its reach: a status, and a state that is still good.
TEST(machines_that_cannot_close_stop_with_a_status)
{
    lw_model *m = shipped_model("closed/five_bar.xml");
    lw_sim_def def = lw_default_sim_def();
    def.method = LW_METHOD_RK4;
    lw_sim *sim = new_sim(m, &def);
    const double v0[2] = {3.0, -3.0};
    CHECK(lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
    const lw_status status = lw_sim_advance(sim, 10.0);
    CHECK(status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR);
    CHECK(lw_sim_time(sim) > 0.0 && lw_sim_time(sim) < 10.0);
    lw_data *d = new_data(m);
    CHECK(lw_forward_position(m, d, lw_sim_position(sim)) == LW_OK);
    lw_data_destroy(d);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// The same five-bar comes to where its elbows may bend either way: steps that are too long to feel
// it do not go on with the wrong ones.
TEST(no_step_leaps_over_a_dead_centre)
{
    lw_model *m = shipped_model("closed/five_bar.xml");
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        for (int k = 1; k <= 8; ++k) {
            check_case("method %d, step %d", method, k);
            lw_sim_def def = lw_default_sim_def();
            def.method = (lw_method)method;
            def.step = 1e-3 * k;
            def.relative = def.absolute = 1e-6;
            lw_sim *sim = new_sim(m, &def);
            const double v0[2] = {-1.0, 1.0};
            CHECK(lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
            const lw_status status = lw_sim_advance(sim, 2.0);
            CHECK(status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
            CHECK_NEAR(lw_sim_time(sim), 0.80, 0.03); // Euler is off by some steps
            CHECK(lw_data_failure(lw_sim_data(sim), LW_ERR_LOOP_OPEN).loop >= 0);
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
}

// The palletiser falls until a rod is in line with its link: both assemblies meet there, so that
// positions go on without a leap in the wrong one, and only rates and energy would tell.
TEST(no_step_folds_over_at_a_dead_centre)
{
    lw_model *m = shipped_model("closed/palletiser.xml");
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        for (int k = 1; k <= 5; ++k) {
            check_case("method %d, step %d", method, k);
            lw_sim_def def = lw_default_sim_def();
            def.method = (lw_method)method;
            def.step = 3e-4 * k;
            def.relative = def.absolute = 1e-8;
            lw_sim *sim = new_sim(m, &def);
            CHECK_INT(lw_sim_advance(sim, 2.0), LW_ERR_SINGULAR);
            CHECK_NEAR(lw_sim_time(sim), 0.6027, 4e-3); // Euler is off by two steps
            const int loop = lw_data_failure(lw_sim_data(sim), LW_ERR_LOOP_OPEN).loop;
            CHECK_TEXT(loop >= 0 ? m->loop[loop].name : "", "LCD");
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
}

// A crank whose tip passes the axis of the lever that a rod of the lever's length ties to it. The
// direction to the tip turns by half a turn there, and with it the closed form of the lever, whose
// rates before and behind are alike, because both are long: only its position tells that a step
// went over.
TEST(no_step_leaps_over_the_axis_of_a_lever)
{
    lw_model *m = compile_text(
        "over.xml",
        "<linkwork version=\"1\" name=\"over\">\n"
        "<ground/><joint name=\"crank\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" "
        "to=\"crank\" reference=\"-0.5\"/>\n"
        "<link name=\"crank\" mass=\"1\" inertia=\"1 1 1\"><frame name=\"tip\" xyz=\"1 0 "
        "0\"/></link>\n"
        "<joint name=\"lever\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" xyz=\"1 0 0\" "
        "to=\"lever\" dependent=\"true\" reference=\"0.1\"/>\n"
        "<link name=\"lever\" mass=\"1e-3\" inertia=\"1e-3 1e-3 1e-3\"><frame name=\"tip\" "
        "xyz=\"50 0 "
        "0\"/></link>\n"
        "<rod name=\"rod\" from=\"crank.tip\" to=\"lever.tip\" length=\"50\"/></linkwork>\n",
        NULL);
    for (int k = 0; k < 3 && CHECK(m); ++k) {
        check_case("step %d", k);
        lw_sim_def def = lw_default_sim_def();
        def.method = LW_METHOD_RK4;
        def.step = 0.013 + 0.002 * k;
        lw_sim *sim = new_sim(m, &def);
        const double v0 = 1.0;
        CHECK_INT(lw_sim_reset(sim, 0.0, NULL, &v0), LW_OK);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_ERR_SINGULAR);
        CHECK_NEAR(lw_sim_time(sim), 0.5, 0.02);
        CHECK_INT(lw_data_failure(lw_sim_data(sim), LW_ERR_LOOP_OPEN).loop, 0);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// A crank that turns by a third of a radian a step is no leap.
TEST(coarse_steps_are_no_leaps)
{
    static const char *const name[] = {"closed/four_bar.xml", "closed/slider_crank.xml",
                                       "closed/stephenson.xml", "closed/andrews.xml"};
    for (int k = 0; k < 4; ++k) {
        check_case("%s", name[k]);
        lw_model *m = shipped_model(name[k]);
        lw_sim_def def = lw_default_sim_def();
        def.method = LW_METHOD_RK4;
        def.step = 0.01;
        lw_sim *sim = new_sim(m, &def);
        const double v0[1] = {30.0};
        CHECK(m->nv == 1 && lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
        lw_sim_destroy(sim);
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(fixed_steps_converge_with_their_order);
    RUN(states_within_a_step_are_as_good_as_at_its_ends);
    RUN(energy_grows_by_the_work_that_is_done);
    RUN(free_body_keeps_its_momentum);
    RUN(steps_go_over_jumps_of_forces);
    RUN(steps_end_at_breaks);
    RUN(steps_end_where_springs_bend);
    RUN(simulations_wait_for_a_state_that_can_be);
    RUN(steps_that_do_not_move_time_are_told);
    RUN(bad_definitions_and_states_are_refused);
    RUN(machines_that_cannot_close_stop_with_a_status);
    RUN(no_step_leaps_over_a_dead_centre);
    RUN(no_step_folds_over_at_a_dead_centre);
    RUN(no_step_leaps_over_the_axis_of_a_lever);
    RUN(coarse_steps_are_no_leaps);
    return REPORT();
}
