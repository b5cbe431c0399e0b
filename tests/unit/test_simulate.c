// Laws of simulation: orders of the methods, balance of energy, events, samples, controllers, and
// what is refused.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A pendulum, and a mass on a vertical slide between two stops.
static const char pendulum[] =
    "<linkwork version=\"1\" name=\"pendulum\"><ground/>\n"
    "<joint name=\"turn\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"bob\"/>\n"
    "<link name=\"bob\" mass=\"2\" center=\"0 0 -0.5\" inertia=\"0.01 0.01 0.01\"/></linkwork>\n";
static const char hopper[] =
    "<linkwork version=\"1\" name=\"hopper\"><ground/>\n"
    "<joint name=\"lift\" type=\"prismatic\" axis=\"0 0 1\" from=\"ground\" to=\"mass\" "
    "lower=\"0\" upper=\"3\" reference=\"1\"/>\n"
    "<link name=\"mass\" mass=\"2\"/></linkwork>\n";

static double swing(const lw_model *m, lw_method method, double step, double tolerance, double T)
{
    lw_sim_def def = lw_default_sim_def();
    def.method = method;
    def.step = step;
    def.relative = def.absolute = tolerance;
    lw_sim *sim = lw_sim_create(m, &def);
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
        lw_sim *sim = lw_sim_create(m, &def);
        const double q0[1] = {1.2};
        lw_sim_reset(sim, 0.0, q0, NULL);
        while (lw_sim_time(sim) < 0.7) {
            CHECK(lw_sim_step(sim, 10.0) == LW_OK);
        }
        for (int k = 0; k <= 4; ++k) {
            const double begin = lw_sim_get_info(sim).begin;
            const double t = begin + 0.25 * k * (lw_sim_time(sim) - begin);
            double q[1], v[1];
            CHECK(lw_sim_at(sim, t, q, v) == LW_OK);
            CHECK_NEAR(q[0], swing(m, LW_METHOD_DOPRI853, 0.0, 1e-13, t), row[i].good);
        }
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// --- Balance of energy ------------------------------------------------------------------------

static double energy(const lw_model *m, lw_sim *sim)
{
    double kinetic = (double)NAN, potential = (double)NAN;
    const double *q = lw_sim_position(sim), *v = lw_sim_velocity(sim);
    CHECK(lw_kinetic_energy(m, lw_sim_data(sim), q, v, &kinetic) == LW_OK);
    CHECK(lw_potential_energy(m, lw_sim_data(sim), q, &potential) == LW_OK);
    return kinetic + potential;
}

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
        lw_sim *sim = lw_sim_create(m, &def);
        const double before = energy(m, sim);
        CHECK_INT(lw_sim_advance(sim, 0.3), LW_OK);
        const double work = lw_sim_get_info(sim).work;
        CHECK(fabs(work) > 1e-6);
        CHECK_NEAR(energy(m, sim) - before - work, 0.0, 1e-9 * (1.0 + fabs(work) + fabs(before)));
        lw_sim_destroy(sim);
        lw_model_destroy(m);
    }
}

TEST(free_body_keeps_its_momentum)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_sim_def def = lw_default_sim_def();
    lw_sim *sim = lw_sim_create(m, &def);
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

// --- Events and stops -------------------------------------------------------------------------

static double height_above(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                           const double *v)
{
    (void)m;
    (void)d;
    (void)t;
    (void)v;
    return q[0] - *(const double *)context;
}

TEST(events_are_found_where_they_happen)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    double level = 0.25;
    lw_event event = {height_above, -1, true, NULL, &level};
    for (int method = LW_METHOD_RK4; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        def.nevent = 1;
        def.event = &event;
        def.step = method == LW_METHOD_RK4 ? 0.01 : 0.0;
        lw_sim *sim = lw_sim_create(m, &def);
        const double v0[1] = {2.0};
        lw_sim_reset(sim, 0.0, NULL, v0);
        CHECK(lw_sim_advance(sim, 10.0) == LW_OK);
        CHECK_INT(lw_sim_get_info(sim).event, 0);
        // Free fall is a polynomial of degree two, which every method solves exactly.
        const double g = 9.81, want = (2.0 + sqrt(4.0 + 2.0 * g * 0.75)) / g;
        CHECK_NEAR(lw_sim_time(sim), want, 1e-12);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.25, 1e-12);
        // It goes on from there, and does not meet the same event again.
        CHECK(lw_sim_advance(sim, want + 0.1) == LW_OK);
        CHECK_INT(lw_sim_get_info(sim).event, -1);
        CHECK_INT(lw_sim_get_info(sim).events, 1);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Value of an event that is a polynomial of the time: with roots close to each other, a whole step
// may go over two of them.
typedef struct roots {
    double first, second, seen[4];
    int count;
} roots;

static double between_roots(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                            const double *v)
{
    const roots *r = context;
    (void)m, (void)d, (void)q, (void)v;
    return (t - r->first) * (t - r->second);
}

static lw_status note(void *context, const lw_model *m, lw_data *d, double t, double *q, double *v)
{
    roots *r = context;
    (void)m, (void)d, (void)q, (void)v;
    if (r->count < 4) {
        r->seen[r->count] = t;
    }
    ++r->count;
    return LW_OK;
}

TEST(two_roots_within_one_step_are_both_found)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    static const double width[] = {0.05, 1e-3, 1e-5, 1e-8};
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        for (int k = 0; k < 12; ++k) {
            const int direction = k / 4 - 1;
            check_case("method %d, direction %d, width %g", method, direction, width[k % 4]);
            roots r = {.first = 0.6137, .second = 0.6137 + width[k % 4]};
            const lw_event event = {between_roots, direction, false, note, &r};
            lw_sim_def def = lw_default_sim_def();
            def.method = (lw_method)method;
            def.step = 0.25;
            def.nevent = 1;
            def.event = &event;
            lw_sim *sim = lw_sim_create(m, &def);
            CHECK(lw_sim_advance(sim, 2.0) == LW_OK);
            CHECK_INT(r.count, direction == 0 ? 2 : 1);
            // The roots of a product are as good as its rounding, over their distance.
            const double good = 1e-15 + 1e-16 / width[k % 4];
            CHECK_NEAR(r.seen[0], direction > 0 ? r.second : r.first, good);
            CHECK_NEAR(r.seen[1], direction == 0 ? r.second : 0.0, good);
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
}

// A ball that bounces as high as it fell, with an event at its wall that only turns its speed: it
// stays within, although its way from the wall and back is shorter than a step.
static lw_status turn(void *context, const lw_model *m, lw_data *d, double t, double *q, double *v)
{
    (void)context, (void)m, (void)d, (void)t, (void)q;
    v[0] = fabs(v[0]);
    return LW_OK;
}

TEST(short_hops_do_not_end_behind_the_wall)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    double ground = 0.0;
    const lw_event event = {height_above, -1, false, turn, &ground};
    lw_sim_def def = lw_default_sim_def();
    def.method = LW_METHOD_RK4;
    def.step = 0.5; // a hop takes 0.2 s
    def.nevent = 1;
    def.event = &event;
    lw_sim *sim = lw_sim_create(m, &def);
    const double q0[1] = {0.0}, v0[1] = {9.81 * 0.1};
    CHECK(lw_sim_reset(sim, 0.0, q0, v0) == LW_OK);
    CHECK(lw_sim_advance(sim, 10.1) == LW_OK);
    CHECK_INT(lw_sim_get_info(sim).events, 50);
    CHECK_NEAR(lw_sim_position(sim)[0], 0.5 * 9.81 * 0.01, 1e-10);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

static double above(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                    const double *v)
{
    (void)m, (void)d, (void)t, (void)v;
    return q[0] - *(const double *)context;
}

static lw_status throw_back(void *context, const lw_model *m, lw_data *d, double t, double *q,
                            double *v)
{
    (void)context, (void)m, (void)d, (void)t, (void)q;
    v[0] *= -0.5;
    return LW_OK;
}

// What an event throws back has not passed it, whichever way it looks.
TEST(events_that_throw_back_happen_once)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double g = 9.81, ceiling = 2.0, up[1] = {6.0};
    static const lw_method methods[] = {LW_METHOD_EULER, LW_METHOD_RK4, LW_METHOD_DOPRI5,
                                        LW_METHOD_DOPRI853};
    for (int i = 0; i < 4; ++i) {
        const lw_event event = {above, 0, false, throw_back, (void *)&ceiling};
        lw_sim_def def = lw_default_sim_def();
        def.method = methods[i];
        def.nevent = 1;
        def.event = &event;
        lw_sim *sim = lw_sim_create(m, &def);
        CHECK_INT(lw_sim_reset(sim, 0.0, NULL, up), LW_OK);
        const double speed = sqrt(36.0 - 2.0 * g), meets = (6.0 - speed) / g, rest = 0.2;
        CHECK_INT(lw_sim_advance(sim, meets + rest), LW_OK);
        CHECK_INT((int)lw_sim_get_info(sim).events, 1);
        CHECK_NEAR(lw_sim_velocity(sim)[0], -0.5 * speed - g * rest, i == 0 ? 2e-2 : 1e-8);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Hops that become ever shorter: their times are a geometric series with an end. Behind it there is
// no motion that events could describe, and the simulation says so instead of standing still.
TEST(events_without_end_are_told)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double floor_at = 0.0, g = 9.81, fall = sqrt(2.0 / g);
    const lw_event event = {above, -1, true, throw_back, (void *)&floor_at};
    lw_sim_def def = lw_default_sim_def();
    def.nevent = 1;
    def.event = &event;
    lw_sim *sim = lw_sim_create(m, &def);
    double t = fall, speed = g * fall;
    for (int bounce = 0; bounce < 12; ++bounce) {
        CHECK_INT(lw_sim_advance(sim, 5.0), LW_OK);
        CHECK_NEAR(lw_sim_time(sim), t, 1e-12);
        speed *= 0.5;
        t += 2.0 * speed / g;
    }
    lw_status status = LW_OK;
    for (int i = 0; i < 20000 && status == LW_OK && lw_sim_time(sim) < 5.0; ++i) {
        status = lw_sim_advance(sim, 5.0);
    }
    CHECK_INT(status, LW_ERR_NO_CONVERGENCE);
    CHECK_NEAR(lw_sim_time(sim), 3.0 * fall, 1e-6);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

static double value_of_nothing(void *context, const lw_model *m, lw_data *d, double t,
                               const double *q, const double *v)
{
    (void)context, (void)m, (void)d, (void)q, (void)v;
    return t > 0.1 ? (double)NAN : 1.0;
}

static lw_status lose_state(void *context, const lw_model *m, lw_data *d, double t, double *q,
                            double *v)
{
    (void)context, (void)m, (void)d, (void)t, (void)v;
    q[0] = (double)NAN;
    return LW_OK;
}

TEST(events_that_are_no_numbers_are_told)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double floor_at = 0.0;
    const lw_event events[2] = {{value_of_nothing, 0, false, NULL, NULL},
                                {above, 0, false, lose_state, (void *)&floor_at}};
    for (int i = 0; i < 2; ++i) {
        lw_sim_def def = lw_default_sim_def();
        def.nevent = 1;
        def.event = &events[i];
        lw_sim *sim = lw_sim_create(m, &def);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_ERR_NUMBER);
        CHECK(isfinite(lw_sim_position(sim)[0]) && lw_sim_time(sim) > 0.1);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

TEST(stops_bounce_and_hold)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.has_stops = true;
    def.restitution = 0.5;
    lw_sim *sim = lw_sim_create(m, &def);
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

// Two joints at once against their stops, each pushing the other through the masses.
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
        lw_sim *sim = lw_sim_create(m, &def);
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
    lw_sim *sim = lw_sim_create(m, &def);
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

// --- Samples and controllers ------------------------------------------------------------------

static lw_status one_more_each_time(void *context, const lw_model *m, lw_data *d, long step,
                                    double t, const double *q, const double *v, double *tau)
{
    (void)context;
    (void)d;
    (void)q;
    (void)v;
    CHECK_NEAR(t, 0.1 * (double)step, 1e-12);
    tau[0] = m->mass * (9.81 + (double)step);
    return LW_OK;
}

TEST(samples_are_held_and_delayed)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        for (int late = 0; late < 3; ++late) {
            check_case("method %d, delay %d", method, late);
            const double delay = 0.06 * late;
            const lw_sampler sampler = {0.1, delay, one_more_each_time, NULL};
            lw_sim_def def = lw_default_sim_def();
            def.method = (lw_method)method;
            def.step = method < LW_METHOD_DOPRI5 ? 1e-3 : 0.0;
            def.sampler = &sampler;
            lw_sim *sim = lw_sim_create(m, &def);
            CHECK(lw_sim_reset(sim, 0.0, NULL, NULL) == LW_OK);
            CHECK(lw_sim_advance(sim, 0.45 + delay) == LW_OK);
            // Free fall until the first look acts; then 0, 1, 2, 3 m/s^2 for 0.1 s each, and 4 for
            // the rest.
            CHECK_NEAR(lw_sim_velocity(sim)[0], -9.81 * delay + 0.6 + 0.2, 1e-12);
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
}

static lw_trajectory *to_point(const lw_model *m, const double *from, const double *to)
{
    lw_axis_limits limits[16];
    for (int k = 0; k < m->nv; ++k) {
        limits[k] = lw_default_axis_limits();
        limits[k].velocity = 1.0;
        limits[k].acceleration = 2.0;
    }
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = to;
    const lw_trajectory_def def = {m->nv, from, limits, NULL, 1, &move};
    lw_trajectory *t = NULL;
    CHECK(lw_trajectory_create(&def, &t, NULL) == LW_OK);
    return t;
}

TEST(K31_computed_torque_follows_a_motion)
{
    const closed_machine *machine = closed_zoo_find("palletiser");
    lw_mech *mech = machine->build(false);
    lw_model *m = zoo_compile(mech);
    lw_data *d = lw_data_create(m);
    double to[16], kp[16], kd[16], q[16], off[16], limit[16];
    for (int k = 0; k < m->nv; ++k) {
        to[k] = m->q_reference[k] + 0.1;
        off[k] = m->q_reference[k] + 0.02;
        limit[k] = (double)INFINITY;
    }
    lw_trajectory *t = to_point(m, m->q_reference, to);
    lw_controller_gains(m, d, m->q_reference, LW_CONTROL_COMPUTED_TORQUE, 20.0, 1.0, kp, kd);
    const lw_controller_def control = {
        LW_CONTROL_COMPUTED_TORQUE, t, kp, kd, limit, 0.0, 0.0, NULL};
    lw_controller *c = NULL;
    CHECK(lw_controller_create(m, &control, &c) == LW_OK);
    const lw_force_source source = lw_controller_source(c);
    lw_sim_def def = lw_default_sim_def();
    def.nsource = 1;
    def.source = &source;
    lw_sim *sim = lw_sim_create(m, &def);
    const double half = 0.5 * lw_trajectory_duration(t);
    CHECK(lw_sim_advance(sim, half) == LW_OK);
    lw_trajectory_at(t, half, q, NULL, NULL, NULL);
    for (int k = 0; k < m->nv; ++k) { // on the way from the begin, it stays there
        CHECK_NEAR(lw_sim_position(sim)[k], q[k], 1e-10);
    }
    CHECK(lw_sim_reset(sim, 0.0, off, NULL) == LW_OK);
    CHECK(lw_sim_advance(sim, 0.1) == LW_OK);
    lw_trajectory_at(t, 0.1, q, NULL, NULL, NULL);
    for (int k = 0; k < m->nv; ++k) { // each error decays by itself: (1 + w t) exp(-w t)
        CHECK_NEAR(lw_sim_position(sim)[k] - q[k], 0.02 * 3.0 * exp(-2.0), 1e-9);
    }
    lw_sim_destroy(sim);
    lw_controller_destroy(c);
    lw_trajectory_destroy(t);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(K31_pd_with_gravity_comes_to_rest_where_it_should)
{
    lw_model *m = compile_path(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", NULL);
    lw_data *d = lw_data_create(m);
    double to[16] = {0.3, -1.0, 0.8, -0.2, 0.4, 0.1}, kp[16], kd[16], limit[16], tau[16];
    double zero[16] = {0.0};
    for (int law = LW_CONTROL_PD; law <= LW_CONTROL_PD_GRAVITY; ++law) {
        lw_trajectory *t = to_point(m, zero, to);
        CHECK(lw_controller_gains(m, d, to, (lw_control_law)law, 15.0, 1.0, kp, kd) == LW_OK);
        for (int k = 0; k < m->nv; ++k) {
            limit[k] = 200.0;
        }
        const lw_controller_def control = {(lw_control_law)law, t, kp, kd, limit, 1e-3, 1e-3, NULL};
        lw_controller *c = NULL;
        CHECK(lw_controller_create(m, &control, &c) == LW_OK);
        const lw_sampler sampler = lw_controller_sampler(c);
        lw_sim_def def = lw_default_sim_def();
        def.method = LW_METHOD_RK4;
        def.sampler = &sampler;
        lw_sim *sim = lw_sim_create(m, &def);
        CHECK(lw_sim_reset(sim, 0.0, zero, NULL) == LW_OK);
        CHECK(lw_sim_advance(sim, lw_trajectory_duration(t) + 4.0) == LW_OK);
        double worst = 0.0;
        for (int k = 0; k < m->nv; ++k) {
            worst = fmax(worst, fabs(lw_sim_position(sim)[k] - to[k]));
        }
        // The weight holds PD alone off its aim.
        CHECK(law == LW_CONTROL_PD ? worst > 1e-2 : worst < 1e-3);
        CHECK(lw_sim_forces(sim, NULL, tau) == LW_OK);
        for (int k = 0; k < m->nv; ++k) {
            CHECK(fabs(tau[k]) <= 200.0);
        }
        // Far off, it gives what the drive has and no more.
        const double far[16] = {9.0, 9.0, 9.0, 9.0, 9.0, 9.0};
        CHECK(lw_controller_forces(c, d, 0.0, far, zero, tau) == LW_OK);
        CHECK(fabs(tau[1]) == 200.0);
        CHECK_INT(lw_controller_forces(c, d, 0.0, NULL, zero, tau), LW_ERR_ARGUMENT);
        CHECK_INT(lw_controller_forces(c, d, 0.0, far, NULL, tau), LW_ERR_ARGUMENT);
        lw_sim_destroy(sim);
        lw_controller_destroy(c);
        lw_trajectory_destroy(t);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A mass that is lifted: peak, mean and energy are known.
TEST(R41_loads_of_a_drive)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    lw_data *d = lw_data_create(m);
    const double from[1] = {0.5}, to[1] = {2.5};
    const lw_axis_limits limits = {0.0, 3.0, 1.0, 4.0, (double)INFINITY};
    lw_move move = lw_default_move();
    move.profile = LW_PROFILE_TRAPEZOID;
    move.npoint = 1;
    move.point = to;
    const lw_trajectory_def def = {1, from, &limits, NULL, 1, &move};
    lw_trajectory *t = NULL;
    CHECK(lw_trajectory_create(&def, &t, NULL) == LW_OK);
    lw_drive_load load;
    CHECK(lw_drive_loads(m, d, t, 100000, &load) == LW_OK);
    const double g = 9.81, T = 2.0 + 0.25;
    CHECK_NEAR(load.peak_force, 2.0 * (g + 4.0), 1e-9);
    CHECK_NEAR(load.peak_speed, 1.0, 1e-9);
    CHECK_NEAR(load.peak_power, 2.0 * (g + 4.0), 1e-3); // just before it stops to accelerate
    CHECK_NEAR(load.peak_braking, 0.0, 1e-9);
    CHECK_NEAR(load.energy, 2.0 * g * 2.0, 1e-3);
    const double square = 4.0 * (g * g + 16.0 * 0.5 / T); // both ramps of a quarter second
    CHECK_NEAR(load.rms_force, sqrt(square), 1e-3);
    lw_trajectory_destroy(t);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

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
        lw_sim *sim = lw_sim_create(m, &def);
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
        lw_sim *sim = lw_sim_create(m, &def);
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
    CHECK(lw_sim_create(m, &def) == NULL);
    def.breaks = NULL;
    CHECK(lw_sim_create(m, &def) == NULL);
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
        lw_sim *sim = lw_sim_create(m, &def);
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
    lw_sim *sim = lw_sim_create(m, &def);
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
        lw_sim *sim = lw_sim_create(m, &def);
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
    CHECK(lw_sim_create(NULL, &def) == NULL);
    CHECK(lw_sim_create(m, NULL) == NULL);
    bad.absolute = 0.0;
    CHECK(lw_sim_create(m, &bad) == NULL);
    bad = def;
    bad.step = -1.0;
    CHECK(lw_sim_create(m, &bad) == NULL);
    bad = def;
    bad.method = (lw_method)(LW_METHOD_DOPRI853 + 1);
    CHECK(lw_sim_create(m, &bad) == NULL);
    bad = def;
    bad.min_step = (double)INFINITY;
    CHECK(lw_sim_create(m, &bad) == NULL);
    bad = def;
    bad.restitution = 1.5;
    CHECK(lw_sim_create(m, &bad) == NULL);
    bad = def;
    bad.nevent = 1;
    CHECK(lw_sim_create(m, &bad) == NULL);
    const lw_sampler never = {0.0, 0.0, one_more_each_time, NULL};
    bad = def;
    bad.sampler = &never;
    CHECK(lw_sim_create(m, &bad) == NULL);
    lw_sim *sim = lw_sim_create(m, &def);
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
    sim = lw_sim_create(m, &def);
    CHECK_INT(lw_sim_advance(sim, 1.0), LW_ERR_NUMBER);
    CHECK(lw_sim_time(sim) <= 0.5 && isfinite(lw_sim_position(sim)[0]));
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// A five-bar that falls beyond its reach: a status, and a state that is still good.
TEST(machines_that_cannot_close_stop_with_a_status)
{
    lw_model *m = compile_path(LINKWORK_SOURCE_DIR "/models/closed/five_bar.xml", NULL);
    lw_sim_def def = lw_default_sim_def();
    def.method = LW_METHOD_RK4;
    lw_sim *sim = lw_sim_create(m, &def);
    const double v0[2] = {3.0, -3.0};
    CHECK(lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
    const lw_status status = lw_sim_advance(sim, 10.0);
    CHECK(status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR);
    CHECK(lw_sim_time(sim) > 0.0 && lw_sim_time(sim) < 10.0);
    lw_data *d = lw_data_create(m);
    CHECK(lw_forward_position(m, d, lw_sim_position(sim)) == LW_OK);
    lw_data_destroy(d);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

// The same five-bar comes to where its elbows may bend either way: steps that are too long to feel
// it do not go on with the wrong ones.
TEST(no_step_leaps_over_a_dead_centre)
{
    lw_model *m = compile_path(LINKWORK_SOURCE_DIR "/models/closed/five_bar.xml", NULL);
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        for (int k = 1; k <= 8; ++k) {
            check_case("method %d, step %d", method, k);
            lw_sim_def def = lw_default_sim_def();
            def.method = (lw_method)method;
            def.step = 1e-3 * k;
            def.relative = def.absolute = 1e-6;
            lw_sim *sim = lw_sim_create(m, &def);
            const double v0[2] = {-1.0, 1.0};
            CHECK(lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
            const lw_status status = lw_sim_advance(sim, 2.0);
            CHECK(status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
            CHECK_NEAR(lw_sim_time(sim), 0.80, 0.03); // Euler is off by some steps
            CHECK(lw_data_open_loop(lw_sim_data(sim), NULL) >= 0);
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
}

// A crank that turns by a third of a radian a step is no leap.
TEST(coarse_steps_are_no_leaps)
{
    static const char *const name[] = {"four_bar", "slider_crank", "stephenson", "andrews"};
    for (int k = 0; k < 4; ++k) {
        check_case("%s", name[k]);
        char path[200];
        snprintf(path, sizeof path, LINKWORK_SOURCE_DIR "/models/closed/%s.xml", name[k]);
        lw_model *m = compile_path(path, NULL);
        lw_sim_def def = lw_default_sim_def();
        def.method = LW_METHOD_RK4;
        def.step = 0.01;
        lw_sim *sim = lw_sim_create(m, &def);
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
    RUN(events_are_found_where_they_happen);
    RUN(two_roots_within_one_step_are_both_found);
    RUN(short_hops_do_not_end_behind_the_wall);
    RUN(events_that_throw_back_happen_once);
    RUN(events_without_end_are_told);
    RUN(events_that_are_no_numbers_are_told);
    RUN(stops_bounce_and_hold);
    RUN(stops_hold_joints_that_begin_there);
    RUN(stops_of_several_joints_hold_together);
    RUN(samples_are_held_and_delayed);
    RUN(K31_computed_torque_follows_a_motion);
    RUN(K31_pd_with_gravity_comes_to_rest_where_it_should);
    RUN(R41_loads_of_a_drive);
    RUN(steps_go_over_jumps_of_forces);
    RUN(steps_end_at_breaks);
    RUN(steps_end_where_springs_bend);
    RUN(simulations_wait_for_a_state_that_can_be);
    RUN(steps_that_do_not_move_time_are_told);
    RUN(bad_definitions_and_states_are_refused);
    RUN(machines_that_cannot_close_stop_with_a_status);
    RUN(no_step_leaps_over_a_dead_centre);
    RUN(coarse_steps_are_no_leaps);
    return REPORT();
}
