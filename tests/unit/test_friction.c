// Coulomb friction near rest: one smoothing speed in all functions, engines and simulations.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/batch.h>
#include <linkwork/derivatives.h>
#include <linkwork/engine.h>
#include <linkwork/float.h>
#include <linkwork/linearize.h>
#include <linkwork/simulate.h>

#include <math.h>

// A rod of 2 kg at 0.5 m, 0.6 kg m^2 about its joint, which has 8 N m of friction; and a second one
// that a gear turns, with friction of its own, in the closed variant.
#define ROD(name, from)                                                                            \
    "<joint name=\"" name "\" type=\"revolute\" axis=\"0 1 0\" from=\"" from "\" to=\"" name       \
    "_rod\" friction=\"8\" damping=\"0.5\"/>"                                                      \
    "<link name=\"" name "_rod\" mass=\"2\" center=\"0.5 0 0\" inertia=\"0.1 0.1 0.1\"/>"

static const char open_text[] =
    "<linkwork version=\"1\" name=\"rough\"><ground/>" ROD("a", "ground") "</linkwork>";
static const char closed_text[] =
    "<linkwork version=\"1\" name=\"rough\"><ground/>" ROD("a", "ground")
        ROD("b", "ground") "<coupling joint=\"b\" of=\"a\" polynomial=\"0 2\"/></linkwork>";

static const double smoothing = 1e-3; // the documented default

// friction * s(v / speed), of both joints at the first.
static double expected(double v, double speed, bool is_closed)
{
    double sum = 0.0;
    for (int i = 0; i < (is_closed ? 2 : 1); ++i) {
        const double ratio = i + 1.0, x = ratio * v / speed;
        sum += 8.0 * ratio * (fabs(x) < 1.0 ? x * (1.5 - 0.5 * x * x) : x > 0.0 ? 1.0 : -1.0);
    }
    return sum;
}

static const double velocities[] = {0.0,  1e-300, -1e-300, 1e-12, -1e-9, 2e-4, -4.9e-4,
                                    5e-4, 7e-4,   -1e-3,   1e-3,  0.2,   -3.0, 1e6};
enum { NVELOCITY = sizeof velocities / sizeof *velocities };

// What friction adds to the forces that a motion with velocity v needs.
static double added(const lw_model *m, lw_data *d, double v)
{
    const double q[1] = {0.3}, a[1] = {0.7};
    lw_dynamics_options options = lw_get_dynamics_options(d), smooth = options;
    double with = 0.0, without = 0.0;
    CHECK_INT(lw_inverse_dynamics(m, d, q, &v, a, NULL, &with), LW_OK);
    options.is_frictionless = true;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, q, &v, a, NULL, &without), LW_OK);
    CHECK_INT(lw_set_dynamics_options(d, &smooth), LW_OK);
    return with - without;
}

TEST(coulomb_friction_is_smoothed_over_the_documented_speed)
{
    for (int closed = 0; closed < 2; ++closed) {
        lw_model *m = compile_text("rough.xml", closed ? closed_text : open_text, NULL);
        lw_data *d = new_data(m);
        CHECK_NEAR(lw_get_dynamics_options(d).friction_speed, smoothing, 0.0);
        for (int i = 0; i < NVELOCITY; ++i) {
            const double v = velocities[i], damping = fabs(v) * (closed ? 2.5 : 0.5);
            CHECK_NEAR(added(m, d, v), expected(v, smoothing, closed), 1e-13 + 1e-15 * damping);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The report of the trial: -0.98, 7.02 and -8.98 for v = 0, 1e-300 and -1e-300.
TEST(forces_do_not_jump_on_rounding_noise)
{
    lw_model *m = compile_text("rough.xml", open_text, NULL);
    lw_data *d = new_data(m);
    lw_batch *batch = new_batch(m, NULL);
    lw_model32 *m32 = new_model32(m);
    lw_data32 *d32 = new_data32(m32);
    const double q[9] = {0.0}, a[9] = {0.0};
    const double v[9] = {0.0, 1e-300, -1e-300, 1e-15, -1e-15, 1e-12, -1e-12, 1e-30, -1e-30};
    double tau[9], all[9], acc[9];
    CHECK_INT(lw_inverse_dynamics_batch(m, batch, 9, q, v, a, NULL, all), LW_OK);
    for (int i = 0; i < 9; ++i) {
        const float q32 = 0.0f, v32 = (float)v[i];
        float tau32 = 0.0f;
        CHECK_INT(lw_inverse_dynamics(m, d, q, v + i, a, NULL, tau + i), LW_OK);
        CHECK_NEAR(tau[i], tau[0], 1e-7);
        CHECK_NEAR(all[i], tau[i], 1e-15);
        CHECK_INT(lw_forward_dynamics(m, d, q, v + i, a, NULL, acc + i), LW_OK);
        CHECK_NEAR(acc[i], acc[0], 1e-7);
        CHECK_INT(lw_inverse_dynamics32(m32, d32, &q32, &v32, &q32, NULL, &tau32), LW_OK);
        CHECK_NEAR((double)tau32, tau[0], 1e-5);
    }
    lw_data32_destroy(d32);
    lw_model32_destroy(m32);
    lw_batch_destroy(batch);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(zero_keeps_the_jump_and_friction_can_be_left_out)
{
    lw_model *m = compile_text("rough.xml", open_text, NULL);
    lw_data *d = new_data(m);
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.friction_speed = 0.0;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    CHECK_NEAR(lw_get_dynamics_options(d).friction_speed, 0.0, 0.0);
    CHECK_NEAR(added(m, d, 1e-300), 8.0, 1e-14);
    CHECK_NEAR(added(m, d, -1e-300), -8.0, 1e-14);
    CHECK_NEAR(added(m, d, 0.0), 0.0, 0.0);
    const double q = 0.0, v = 0.0, a = 0.0;
    double by_v = -1.0;
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, &q, &v, &a, NULL, NULL, &by_v, NULL), LW_OK);
    CHECK_NEAR(by_v, 0.5, 0.0);
    for (int i = 0; i < 3; ++i) {
        options.friction_speed = i == 0 ? -1.0 : i == 1 ? (double)NAN : (double)INFINITY;
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_ERR_NUMBER);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(derivatives_have_the_slope_of_friction)
{
    for (int closed = 0; closed < 2; ++closed) {
        lw_model *m = compile_text("rough.xml", closed ? closed_text : open_text, NULL);
        lw_data *d = new_data(m);
        const double q = 0.3, a = 0.7, h = 1e-7;
        for (int i = 0; i < NVELOCITY - 1; ++i) { // beyond, a difference would be rounding
            const double v = velocities[i], low = v - h, high = v + h;
            double by_v = 0.0, below = 0.0, above = 0.0;
            CHECK_INT(lw_inverse_dynamics_derivatives(m, d, &q, &v, &a, NULL, NULL, &by_v, NULL),
                      LW_OK);
            CHECK_INT(lw_inverse_dynamics(m, d, &q, &low, &a, NULL, &below), LW_OK);
            CHECK_INT(lw_inverse_dynamics(m, d, &q, &high, &a, NULL, &above), LW_OK);
            // The slope at rest is 12000; the second derivative jumps at the edge of the band.
            CHECK_NEAR(by_v, (above - below) / (2 * h), closed ? 20.0 : 2.0);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(linearization_is_without_friction)
{
    lw_model *m = compile_text("rough.xml", open_text, NULL);
    lw_data *d = new_data(m);
    double A[4], B[2];
    CHECK_INT(lw_linearize(m, d, m->q_reference, NULL, NULL, A, B), LW_OK);
    CHECK_NEAR(A[3], -0.5 / 0.6, 1e-14);
    CHECK_NEAR(lw_get_dynamics_options(d).friction_speed, smoothing, 0.0);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(derived_equations_have_the_same_friction)
{
    for (int closed = 0; closed < 2; ++closed) {
        for (int speed = 0; speed < 3; ++speed) {
            lw_model *m = compile_text("rough.xml", closed ? closed_text : open_text, NULL);
            lw_engine_options options = lw_default_engine_options(m);
            CHECK_NEAR(options.friction_speed, smoothing, 0.0);
            options.friction_speed = speed == 1 ? 0.0 : smoothing;
            options.is_frictionless = speed == 2;
            lw_engine *engine[2] = {NULL, NULL};
            CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
            CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], NULL), LW_OK);
            for (int i = 0; i < NVELOCITY; ++i) {
                const double q = 0.3, a = 0.7, v = velocities[i];
                double tau[2] = {0.0, 1.0}, acc[2] = {0.0, 1.0};
                for (int k = 0; k < 2; ++k) {
                    CHECK_INT(lw_engine_inverse_dynamics(engine[k], &q, &v, &a, &tau[k]), LW_OK);
                    CHECK_INT(lw_engine_forward_dynamics(engine[k], &q, &v, &a, &acc[k]), LW_OK);
                }
                CHECK_NEAR(tau[1], tau[0], 1e-14 * (10.0 + fabs(tau[0])));
                CHECK_NEAR(acc[1], acc[0], 1e-13 * (10.0 + fabs(acc[0])));
            }
            lw_engine_destroy(engine[0]);
            lw_engine_destroy(engine[1]);
            lw_model_destroy(m);
        }
    }
}

// Whatever the options of its data say: the definition of the simulation counts.
TEST(simulations_have_the_friction_of_forward_dynamics)
{
    for (int closed = 0; closed < 2; ++closed) {
        lw_model *m = compile_text("rough.xml", closed ? closed_text : open_text, NULL);
        lw_data *d = new_data(m);
        lw_sim_def def = lw_default_sim_def();
        CHECK_NEAR(def.friction_speed, smoothing, 0.0);
        def.friction_speed = 0.05;
        def.counts_work = true;
        lw_sim *sim = new_sim(m, &def);
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.friction_speed = def.friction_speed;
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        for (int i = 0; i < NVELOCITY; ++i) {
            const double zero = 0.0;
            double y[4] = {0.3, velocities[i], 0.0, 0.0}, dy[4], a = 0.0;
            CHECK_INT(lw_forward_dynamics(m, d, y, y + 1, &zero, NULL, &a), LW_OK);
            CHECK_INT(lw_sim_derivative(sim, 0.0, y, dy), LW_OK);
            CHECK_NEAR(dy[1], a, 0.0);
            const double v = y[1],
                         lost = v * expected(v, 0.05, closed) + v * v * (closed ? 2.5 : 0.5);
            CHECK_NEAR(dy[3], lost, 1e-14 * fabs(lost));
        }
        lw_sim_destroy(sim);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(coulomb_friction_is_smoothed_over_the_documented_speed);
    RUN(forces_do_not_jump_on_rounding_noise);
    RUN(zero_keeps_the_jump_and_friction_can_be_left_out);
    RUN(derivatives_have_the_slope_of_friction);
    RUN(linearization_is_without_friction);
    RUN(derived_equations_have_the_same_friction);
    RUN(simulations_have_the_friction_of_forward_dynamics);
    return REPORT();
}
