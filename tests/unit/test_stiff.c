// Implicit integration by SUNDIALS, against the library's own methods and closed forms.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#ifdef LINKWORK_HAS_STIFF
#include <linkwork/stiff.h>

#include <math.h>
#include <stddef.h>

// A light mass on a hard spring with a strong damper, on a heavy one that swings: two scales of
// time, 1e-6 and 1 s.
static const char stiff_text[] =
    "<linkwork version=\"1\" name=\"stiff\"><ground/>\n"
    "<joint name=\"swing\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"bob\" "
    "reference=\"1\"/><link name=\"bob\" mass=\"2\" center=\"0 0 -1\" inertia=\"0.1 0.1 0.1\"/>\n"
    "<joint name=\"slide\" type=\"prismatic\" axis=\"1 0 0\" from=\"bob\" to=\"mass\" "
    "stiffness=\"1e6\" damping=\"2e3\"/><link name=\"mass\" mass=\"0.001\"/></linkwork>\n";

// A degree of freedom without any inertia: a spring and a damper alone, q = exp(-k t / d).
static const char massless_text[] =
    "<linkwork version=\"1\" name=\"massless\"><ground gravity=\"0 0 0\"/>\n"
    "<joint name=\"slide\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"plate\" "
    "stiffness=\"10\" damping=\"2\"/><link name=\"plate\"/></linkwork>\n";

static lw_sim *begin(const lw_model *m, double accuracy)
{
    lw_sim_def def = lw_default_sim_def();
    def.relative = def.absolute = accuracy;
    def.counts_work = true;
    return new_sim(m, &def);
}

TEST(stiff_machines_take_few_steps)
{
    lw_model *m = compile_text("stiff", stiff_text, NULL);
    lw_sim *own = begin(m, 1e-10);
    CHECK(lw_sim_advance(own, 0.02) == LW_OK);
    const long own_steps = lw_sim_get_info(own).steps;
    for (int method = LW_STIFF_CVODE; method <= LW_STIFF_IDA; ++method) {
        check_case("method %d", method);
        lw_sim *sim = begin(m, 1e-9);
        lw_stiff *stiff = NULL;
        CHECK(lw_stiff_create(sim, (lw_stiff_method)method, &stiff) == LW_OK);
        CHECK_INT(lw_stiff_advance(stiff, 0.02), LW_OK);
        CHECK(lw_sim_time(sim) == 0.02);
        for (int k = 0; k < m->nq; ++k) { // an error of 1e-9 a step, over some hundred steps
            CHECK_NEAR(lw_sim_position(sim)[k], lw_sim_position(own)[k], 1e-6);
            CHECK_NEAR(lw_sim_velocity(sim)[k], lw_sim_velocity(own)[k], 1e-5);
        }
        CHECK(lw_sim_get_info(sim).steps < own_steps / 10);
        // The work is integrated with the rest: here what the damper takes.
        CHECK_NEAR(lw_sim_get_info(sim).work, lw_sim_get_info(own).work, 1e-6);
        lw_stiff_destroy(stiff);
        lw_sim_destroy(sim);
    }
    lw_sim_destroy(own);
    lw_model_destroy(m);
}

TEST(dofs_without_inertia_follow_from_forces)
{
    lw_model *m = compile_text("massless", massless_text, NULL);
    lw_sim *sim = begin(m, 1e-9);
    lw_stiff *stiff = NULL;
    const double q0[1] = {1.0}, v0[1] = {-5.0};
    CHECK(lw_sim_reset(sim, 0.0, q0, v0) == LW_OK);
    CHECK_INT(lw_sim_advance(sim, 0.1), LW_ERR_SINGULAR);
    CHECK(lw_stiff_create(sim, LW_STIFF_IDA, &stiff) == LW_OK);
    CHECK_INT(lw_stiff_advance(stiff, 0.4), LW_OK);
    CHECK_NEAR(lw_sim_position(sim)[0], exp(-2.0), 1e-6);
    CHECK_NEAR(lw_sim_velocity(sim)[0], -5.0 * exp(-2.0), 1e-5);
    // The velocity follows from the forces, whatever is given for it; nobody needs accelerations to
    // be told the forces.
    double tau = 1.0;
    CHECK(lw_sim_reset(sim, 0.0, q0, NULL) == LW_OK);
    CHECK_INT(lw_sim_forces(sim, NULL, &tau), LW_OK);
    CHECK(tau == 0.0);
    CHECK_INT(lw_stiff_advance(stiff, 0.4), LW_OK);
    CHECK_NEAR(lw_sim_position(sim)[0], exp(-2.0), 1e-6);
    CHECK_NEAR(lw_sim_velocity(sim)[0], -5.0 * exp(-2.0), 1e-5);
    lw_stiff_destroy(stiff);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

static lw_status count_up(void *context, const lw_model *m, lw_data *d, long step, double t,
                          const double *q, const double *v, double *tau)
{
    (void)context;
    (void)m;
    (void)d;
    (void)t;
    (void)q;
    (void)v;
    tau[0] = (double)step;
    return LW_OK;
}

// Loops hold, and samples are held, as with the methods of the library.
TEST(closed_machines_and_samples)
{
    lw_model *m = shipped_model("closed/four_bar.xml");
    const lw_sampler sampler = {0.05, 0.02, count_up, NULL};
    lw_sim_def def = lw_default_sim_def();
    def.sampler = &sampler;
    lw_sim *own = new_sim(m, &def);
    CHECK(lw_sim_advance(own, 0.33) == LW_OK);
    def.relative = def.absolute = 1e-10;
    lw_sim *sim = new_sim(m, &def);
    lw_stiff *stiff = NULL;
    double gap = 1.0;
    CHECK(lw_stiff_create(sim, LW_STIFF_CVODE, &stiff) == LW_OK);
    CHECK_INT(lw_stiff_advance(stiff, 0.33), LW_OK);
    CHECK_NEAR(lw_sim_position(sim)[0], lw_sim_position(own)[0], 1e-6);
    CHECK(lw_loop_gap(m, lw_sim_data(sim), lw_sim_position(sim), &gap) == LW_OK);
    CHECK_NEAR(gap, 0.0, 1e-12);
    lw_stiff_destroy(stiff);
    lw_sim_destroy(sim);
    lw_sim_destroy(own);
    lw_model_destroy(m);
}

static const char hopper_text[] =
    "<linkwork version=\"1\" name=\"hopper\"><ground/>\n"
    "<joint name=\"lift\" type=\"prismatic\" axis=\"0 0 1\" from=\"ground\" to=\"mass\" "
    "lower=\"0\" upper=\"3\" reference=\"1\"/>\n<link name=\"mass\" mass=\"2\"/></linkwork>\n";

static double height(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                     const double *v)
{
    (void)m, (void)d, (void)t, (void)v;
    return q[0] - *(const double *)context;
}

// Hops of known height between stops, and a terminal event on the way, which are found on the
// polynomials of the methods.
TEST(events_and_stops_are_found)
{
    lw_model *m = compile_text("hopper", hopper_text, NULL);
    double level = 0.2;
    const lw_event event = {height, 1, true, NULL, &level};
    const double g = 9.81, fall = sqrt(2.0 / g), speed = 0.5 * g * fall;
    for (int method = LW_STIFF_CVODE; method <= LW_STIFF_IDA; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.relative = def.absolute = 1e-10;
        def.has_stops = true;
        def.restitution = 0.5;
        def.nevent = 1;
        def.event = &event;
        lw_sim *sim = new_sim(m, &def);
        lw_stiff *stiff = NULL;
        CHECK(lw_stiff_create(sim, (lw_stiff_method)method, &stiff) == LW_OK);
        CHECK_INT(lw_stiff_advance(stiff, 10.0), LW_OK);
        // Upward through 0.2 m on the first hop, which goes up to 0.25 m.
        const double rise = (speed - sqrt(speed * speed - 2.0 * g * level)) / g;
        CHECK_INT(lw_sim_get_info(sim).event, 0);
        CHECK_NEAR(lw_sim_time(sim), fall + rise, 1e-8);
        CHECK_NEAR(lw_sim_position(sim)[0], level, 1e-8);
        CHECK_INT(lw_stiff_advance(stiff, 10.0), LW_OK); // it happens once
        CHECK(lw_sim_time(sim) == 10.0);
        CHECK(lw_sim_position(sim)[0] == 0.0 && lw_sim_velocity(sim)[0] == 0.0);
        double q = 1.0;
        CHECK_INT(lw_sim_reset(sim, 0.0, &q, NULL), LW_OK);
        CHECK_INT(lw_stiff_advance(stiff, fall + rise), LW_OK); // and again from the begin
        CHECK_NEAR(lw_sim_position(sim)[0], level, 1e-8);
        lw_stiff_destroy(stiff);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

static lw_status switched(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                          const double *v, double *tau, lw_force *f_ext)
{
    (void)context, (void)m, (void)d, (void)q, (void)v, (void)f_ext;
    tau[0] += t >= 0.3 ? 20.0 : 0.0;
    return LW_OK;
}

// A force that is switched on at a break, and friction that holds until then.
TEST(breaks_and_sticking_friction)
{
    lw_model *m = compile_text(
        "slider",
        "<linkwork version=\"1\" name=\"slider\">\n<ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" from=\"ground\" to=\"a\" friction=\"5\"/>\n"
        "<link name=\"a\" mass=\"2\"/>\n</linkwork>\n",
        NULL);
    const lw_force_source source = {switched, NULL};
    const double when = 0.3;
    for (int method = LW_STIFF_CVODE; method <= LW_STIFF_IDA; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.relative = def.absolute = 1e-10;
        def.sticks = true;
        def.nsource = 1;
        def.source = &source;
        def.nbreak = 1;
        def.breaks = &when;
        lw_sim *sim = new_sim(m, &def);
        lw_stiff *stiff = NULL;
        CHECK(lw_stiff_create(sim, (lw_stiff_method)method, &stiff) == LW_OK);
        CHECK_INT(lw_stiff_advance(stiff, 0.3), LW_OK);
        CHECK(lw_sim_position(sim)[0] == 0.0);
        CHECK_INT(lw_stiff_advance(stiff, 0.8), LW_OK);
        CHECK_NEAR(lw_sim_velocity(sim)[0], 15.0 / 2.0 * 0.5, 1e-9);
        CHECK_NEAR(lw_sim_position(sim)[0], 15.0 / 4.0 * 0.25, 1e-9);
        CHECK(lw_sim_get_info(sim).steps < 200);
        lw_stiff_destroy(stiff);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

static lw_status fail_late(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                           const double *v, double *tau, lw_force *f_ext)
{
    (void)context, (void)m, (void)d, (void)q, (void)v, (void)f_ext;
    tau[0] = t > 0.1 ? (double)NAN : 0.0;
    return LW_OK;
}

// Steps that cannot go on end, and do not shrink forever.
TEST(forces_that_are_no_numbers_end_a_run)
{
    lw_model *m = compile_text("stiff", stiff_text, NULL);
    const lw_force_source source = {fail_late, NULL};
    lw_sim_def def = lw_default_sim_def();
    def.relative = def.absolute = 1e-8;
    def.nsource = 1;
    def.source = &source;
    for (int method = LW_STIFF_CVODE; method <= LW_STIFF_IDA; ++method) {
        lw_sim *sim = new_sim(m, &def);
        lw_stiff *stiff = NULL;
        CHECK_INT(lw_stiff_create(sim, (lw_stiff_method)method, &stiff), LW_OK);
        lw_status status = LW_OK;
        for (int i = 0; i < 100000 && status == LW_OK; ++i) {
            status = lw_stiff_step(stiff, 1.0);
        }
        CHECK_INT(status, LW_ERR_NUMBER);
        CHECK(lw_sim_time(sim) <= 0.1 && isfinite(lw_sim_position(sim)[0]));
        lw_stiff_destroy(stiff);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// A row of output may stand a rounding behind a break.
TEST(steps_of_a_rounding_are_made)
{
    lw_model *m = compile_text("stiff", stiff_text, NULL);
    const double breaks[1] = {3 * 0.1 - 5.551115123125783e-17};
    lw_sim_def def = lw_default_sim_def();
    def.relative = def.absolute = 1e-8;
    def.nbreak = 1;
    def.breaks = breaks;
    for (int method = LW_STIFF_CVODE; method <= LW_STIFF_IDA; ++method) {
        lw_sim *sim = new_sim(m, &def);
        lw_stiff *stiff = NULL;
        CHECK_INT(lw_stiff_create(sim, (lw_stiff_method)method, &stiff), LW_OK);
        for (int i = 1; i <= 5; ++i) {
            CHECK_INT(lw_stiff_advance(stiff, i * 0.1), LW_OK);
            CHECK(lw_sim_time(sim) == i * 0.1);
        }
        lw_stiff_destroy(stiff);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

TEST(what_is_not_possible_is_refused)
{
    lw_model *m = compile_text("stiff", stiff_text, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.sticks = true;
    def.method = LW_METHOD_EULER; // whose friction acts over its own steps
    lw_sim *sim = new_sim(m, &def);
    lw_stiff *stiff = NULL;
    CHECK_INT(lw_stiff_create(sim, LW_STIFF_CVODE, &stiff), LW_ERR_UNSUPPORTED);
    CHECK_INT(lw_stiff_create(NULL, LW_STIFF_CVODE, &stiff), LW_ERR_ARGUMENT);
    CHECK_INT(lw_stiff_advance(NULL, 1.0), LW_ERR_ARGUMENT);
    lw_stiff_destroy(NULL);
    lw_sim_destroy(sim);
    sim = begin(m, 1e-8);
    CHECK(lw_stiff_create(sim, LW_STIFF_CVODE, &stiff) == LW_OK);
    CHECK_INT(lw_stiff_advance(stiff, (double)NAN), LW_ERR_NUMBER);
    CHECK_INT(lw_stiff_advance(stiff, -1.0), LW_ERR_ARGUMENT);
    CHECK_INT(lw_stiff_advance(stiff, 0.0), LW_OK);
    lw_stiff_destroy(stiff);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(stiff_machines_take_few_steps);
    RUN(dofs_without_inertia_follow_from_forces);
    RUN(closed_machines_and_samples);
    RUN(events_and_stops_are_found);
    RUN(breaks_and_sticking_friction);
    RUN(forces_that_are_no_numbers_end_a_run);
    RUN(steps_of_a_rounding_are_made);
    RUN(what_is_not_possible_is_refused);
    return REPORT();
}

#else

TEST(stiff_machines)
{
    check_skip("SUNDIALS was not found (libsundials-dev)");
}

int main(void)
{
    RUN(stiff_machines);
    return REPORT();
}

#endif
