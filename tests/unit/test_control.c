// Samples, controllers and the loads of drives, in simulations.
#include "check.h"
#include "closed_zoo.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "simulated.h"
#include "zoo.h"

#include <linkwork/engine.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            lw_sim *sim = new_sim(m, &def);
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
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = new_data(m);
    double to[16], kp[16], kd[16], q[16], off[16], limit[16];
    for (int k = 0; k < m->nv; ++k) {
        to[k] = m->q_reference[k] + 0.1;
        off[k] = m->q_reference[k] + 0.02;
        limit[k] = (double)INFINITY;
    }
    lw_trajectory *t = to_point(m, m->q_reference, to);
    lw_controller_gains(m, d, m->q_reference, LW_CONTROL_COMPUTED_TORQUE, 20.0, 1.0, kp, kd);
    const lw_controller_def control = {
        LW_CONTROL_COMPUTED_TORQUE, t, kp, kd, limit, 0.0, 0.0, NULL, NULL};
    lw_controller *c = NULL;
    CHECK(lw_controller_create(m, &control, &c) == LW_OK);
    const lw_force_source source = lw_controller_source(c);
    lw_sim_def def = lw_default_sim_def();
    def.nsource = 1;
    def.source = &source;
    lw_sim *sim = new_sim(m, &def);
    const double half = 0.5 * lw_trajectory_duration(t);
    CHECK(lw_sim_advance(sim, half) == LW_OK);
    lw_trajectory_evaluate(t, half, q, NULL, NULL, NULL);
    for (int k = 0; k < m->nv; ++k) { // on the way from the begin, it stays there
        CHECK_NEAR(lw_sim_position(sim)[k], q[k], 1e-10);
    }
    CHECK(lw_sim_reset(sim, 0.0, off, NULL) == LW_OK);
    CHECK(lw_sim_advance(sim, 0.1) == LW_OK);
    lw_trajectory_evaluate(t, 0.1, q, NULL, NULL, NULL);
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

TEST(C47_K31_pd_with_gravity_comes_to_rest_where_it_should)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_data *d = new_data(m);
    double to[16] = {0.3, -1.0, 0.8, -0.2, 0.4, 0.1}, kp[16], kd[16], limit[16], tau[16];
    double zero[16] = {0.0};
    for (int law = LW_CONTROL_PD; law <= LW_CONTROL_PD_GRAVITY; ++law) {
        lw_trajectory *t = to_point(m, zero, to);
        CHECK(lw_controller_gains(m, d, to, (lw_control_law)law, 15.0, 1.0, kp, kd) == LW_OK);
        for (int k = 0; k < m->nv; ++k) {
            limit[k] = 200.0;
        }
        const lw_controller_def control = {
            (lw_control_law)law, t, kp, kd, limit, 1e-3, 1e-3, NULL, NULL};
        lw_controller *c = NULL;
        CHECK(lw_controller_create(m, &control, &c) == LW_OK);
        CHECK(lw_controller_limits(c)[0] == limit[0] && lw_controller_limits(NULL) == NULL);
        const lw_sampler sampler = lw_controller_sampler(c);
        lw_sim_def def = lw_default_sim_def();
        def.method = LW_METHOD_RK4;
        def.sampler = &sampler;
        lw_sim *sim = new_sim(m, &def);
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

// A component of one's own: what another one gives, counted, and scaled.
typedef struct own_component {
    lw_dynamics_component by;
    double scale;
    int calls;
} own_component;

static lw_status own_inverse(void *self, const double *q, const double *v, const double *a,
                             double *tau)
{
    own_component *own = self;
    const lw_status status = own->by.inverse_dynamics(own->by.self, q, v, a, tau);
    tau[1] *= own->scale;
    ++own->calls;
    return status;
}

static lw_status own_gravity(void *self, const double *q, double *tau)
{
    own_component *own = self;
    const lw_status status = own->by.gravity_forces(own->by.self, q, tau);
    tau[1] *= own->scale;
    ++own->calls;
    return status;
}

// One caller: the same robot under the same law, whoever computes its dynamics.
static void run_controller(lw_controller *c, const lw_model *m, double *q)
{
    const lw_force_source source = lw_controller_source(c);
    lw_sim_def def = lw_default_sim_def();
    def.nsource = 1;
    def.source = &source;
    lw_sim *sim = new_sim(m, &def);
    CHECK_INT(lw_sim_advance(sim, 0.05), LW_OK);
    memcpy(q, lw_sim_position(sim), (size_t)m->nq * sizeof *q);
    lw_sim_destroy(sim);
}

TEST(K07_K23_K33_components_take_each_others_place_behind_a_controller)
{
    static const char *const files[] = {"ur5_class.xml", "closed/palletiser.xml"};
    for (int i = 0; i < 4; ++i) {
        const lw_control_law law = i % 2 ? LW_CONTROL_PD_GRAVITY : LW_CONTROL_COMPUTED_TORQUE;
        lw_model *m = shipped_model(files[i / 2]);
        lw_data *d = new_data(m);
        lw_engine *engine[2] = {NULL, NULL};
        double to[16], kp[16], kd[16], limit[16], want[16], got[16];
        for (int k = 0; k < m->nv; ++k) {
            to[k] = m->q_reference[k] + 0.1;
            limit[k] = (double)INFINITY;
        }
        check_case("%s, law %d", files[i / 2], law);
        CHECK_INT(lw_engine_numeric(m, NULL, &engine[0]), LW_OK);
        CHECK_INT(lw_engine_symbolic(m, NULL, &engine[1], NULL), LW_OK);
        lw_trajectory *t = to_point(m, m->q_reference, to);
        lw_controller_gains(m, d, m->q_reference, law, 20.0, 1.0, kp, kd);
        const lw_controller_def control = {law, t, kp, kd, limit, 0.0, 0.0, NULL, NULL};
        lw_controller *c = NULL;
        CHECK_INT(lw_controller_create(m, &control, &c), LW_OK);
        run_controller(c, m, want);
        own_component own = {lw_engine_dynamics(engine[1]), 1.0, 0};
        const lw_dynamics_component component[3] = {
            lw_engine_dynamics(engine[0]), own.by, {own_inverse, own_gravity, &own}};
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(lw_controller_use(c, &component[k]), LW_OK);
            run_controller(c, m, got);
            CHECK_CLOSE(got, want, m->nq, 1e-9);
        }
        CHECK(own.calls > 10);
        own.scale = 1.5; // it is really this one that answers
        run_controller(c, m, got);
        CHECK(fabs(got[1] - want[1]) > 1e-6);
        const lw_dynamics_component none = lw_engine_dynamics(NULL);
        CHECK_INT(lw_controller_use(c, &none), LW_ERR_ARGUMENT);
        CHECK_INT(lw_controller_use(NULL, NULL), LW_ERR_ARGUMENT);
        CHECK_INT(lw_controller_use(c, NULL), LW_OK);
        run_controller(c, m, got);
        CHECK_CLOSE(got, want, m->nq, 0.0);
        lw_controller_destroy(c);
        lw_trajectory_destroy(t);
        lw_engine_destroy(engine[0]);
        lw_engine_destroy(engine[1]);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(gains_and_limits_that_make_no_sense_are_refused)
{
    lw_model *m = compile_text("slide.xml",
                               "<linkwork version='1' name='slide'><ground/>"
                               "<joint name='j' type='prismatic' from='ground' to='l'/>"
                               "<link name='l' mass='1'/></linkwork>",
                               NULL);
    const double good = 1.0, to = 1.0;
    const double bad[] = {-1.0, (double)NAN};
    lw_trajectory *t = to_point(m, m->q_reference, &to);
    for (int k = 0; k < 2; ++k) {
        for (int which = 0; which < 4; ++which) {
            const lw_controller_def def = {LW_CONTROL_PD,
                                           t,
                                           which == 1 ? &bad[k] : &good,
                                           which == 2 ? &bad[k] : &good,
                                           which == 3 ? &bad[k] : &good,
                                           0.0,
                                           0.0,
                                           NULL,
                                           NULL};
            lw_controller *c = NULL;
            const bool is_good = lw_controller_create(m, &def, &c) == LW_OK;
            CHECK(is_good == (which == 0) && is_good == (c != NULL));
            lw_controller_destroy(c);
        }
    }
    lw_trajectory_destroy(t);
    lw_model_destroy(m);
}

// A mass that is lifted: peak, mean and energy are known.
TEST(R41_loads_of_a_drive)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    lw_data *d = new_data(m);
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

int main(void)
{
    RUN(samples_are_held_and_delayed);
    RUN(K31_computed_torque_follows_a_motion);
    RUN(C47_K31_pd_with_gravity_comes_to_rest_where_it_should);
    RUN(K07_K23_K33_components_take_each_others_place_behind_a_controller);
    RUN(gains_and_limits_that_make_no_sense_are_refused);
    RUN(R41_loads_of_a_drive);
    return REPORT();
}
