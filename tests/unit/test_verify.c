// What lw_verify() finds, whatever the machine weighs and whatever is zero.
#include "check.h"
#include "load_text.h"

#include <linkwork/engine.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The answers of another engine with an amount added to each number and a share of it; of
/// derivatives, which are three matrices, the share to the last one only.
typedef struct crooked {
    lw_engine *straight;
    double share;  ///< of the number
    double amount; ///< as it is
} crooked;

static lw_status answer(void *self, lw_function which, const lw_engine_state *state, double *result)
{
    const crooked *c = self;
    const lw_status status = lw_engine_run(c->straight, which, state, result);
    const int n = lw_function_size(lw_engine_model(c->straight), which);
    const bool has_parts = which == LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES ||
                           which == LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        const bool has_share = !has_parts || i >= 2 * n / 3;
        result[i] += (has_share ? c->share : 0) * result[i] + c->amount;
    }
    return status;
}

/// An arm of two links about parallel axes, which weigh `mass` kg each and are `length` m long.
static lw_model *arm(double mass, double length, const char *axis)
{
    char text[1200];
    const double I = mass * length * length / 12;
    snprintf(text, sizeof text,
             "<linkwork version='1' name='arm'><ground/>"
             "<joint name='one' type='revolute' axis='%s' from='ground' to='upper'/>"
             "<link name='upper' mass='%g' center='%g 0 0' inertia='%g %g %g'>"
             "<frame name='tip' xyz='%g 0 0'/></link>"
             "<joint name='two' type='revolute' axis='%s' from='upper.tip' to='lower'/>"
             "<link name='lower' mass='%g' center='%g 0 0' inertia='%g %g %g'/></linkwork>",
             axis, mass, length / 2, I / 9, I, I, length, axis, mass, length / 2, I / 9, I, I);
    return compile_text("arm.xml", text, NULL);
}

// Verifies a numeric engine against itself with an error; gives the first pair.
static lw_verify_pair verify(const lw_model *m, lw_function which, double share, double amount,
                             bool *agrees)
{
    lw_engine *engine[2] = {NULL}, *straight = NULL;
    lw_verification *v = NULL;
    crooked c = {NULL, share, amount};
    const lw_engine_def def = {
        .name = "crooked", .functions = 1u << which, .run = answer, .self = &c};
    CHECK_INT(lw_engine_numeric(m, NULL, &straight), LW_OK);
    CHECK_INT(lw_engine_numeric(m, NULL, &engine[0]), LW_OK);
    c.straight = straight;
    CHECK_INT(lw_engine_create(m, NULL, &def, &engine[1]), LW_OK);
    CHECK_INT(lw_verify(2, engine, NULL, &v), LW_OK);
    lw_verify_pair pair = lw_verification_pair(v, 0);
    *agrees = lw_verification_agrees(v);
    pair.state.q = pair.state.v = pair.state.a = pair.state.tau = NULL;
    lw_verification_destroy(v);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_engine_destroy(straight);
    return pair;
}

// A millionth too much in one number is found at 1e-12 kg as at 1e6 kg, and told as a millionth.
TEST(C08_errors_of_light_and_heavy_machines_are_found_alike)
{
    static const lw_function asked[] = {LW_FUNCTION_INVERSE_DYNAMICS,
                                        LW_FUNCTION_MASS_MATRIX,
                                        LW_FUNCTION_CORIOLIS_MATRIX,
                                        LW_FUNCTION_GRAVITY,
                                        LW_FUNCTION_FORWARD_DYNAMICS,
                                        LW_FUNCTION_ENERGY,
                                        LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES,
                                        LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES};
    static const double mass[] = {1e-12, 1, 1e6}, length[] = {1e-4, 1, 30};
    for (size_t k = 0; k < sizeof mass / sizeof *mass; ++k) {
        lw_model *m = arm(mass[k], length[k], "0 1 0");
        for (size_t f = 0; f < sizeof asked / sizeof *asked && m; ++f) {
            bool agrees;
            check_case("%s of %g kg", lw_function_name(asked[f]), mass[k]);
            lw_verify_pair pair = verify(m, asked[f], 1e-6, 0, &agrees);
            CHECK(!agrees);
            CHECK(pair.worst > 1e-7 && pair.worst < 2e-6 && pair.size > 0);
            pair = verify(m, asked[f], 0, 0, &agrees);
            CHECK(agrees && pair.worst == 0);
        }
        lw_model_destroy(m);
    }
}

// An arm in a level plane has no weight to hold, by any engine: what rounding leaves is no error,
// and no answer is not a number. A real weight is an error.
TEST(C08_functions_that_are_zero_are_compared)
{
    lw_model *m = arm(2, 0.5, "0 0 1");
    bool agrees = false;
    lw_verify_pair pair = verify(m, LW_FUNCTION_GRAVITY, 0, 0, &agrees);
    CHECK(agrees && pair.worst == 0);
    pair = verify(m, LW_FUNCTION_GRAVITY, 0, 1e-15, &agrees);
    CHECK(agrees && pair.worst < 1e-9);
    pair = verify(m, LW_FUNCTION_GRAVITY, 0, 1e-9, &agrees);
    CHECK(!agrees && isfinite(pair.worst));
    lw_model_destroy(m);
    // Nothing accelerates a slide but its force.
    m = compile_text("slide.xml",
                     "<linkwork version='1' name='slide'><ground/>"
                     "<joint name='one' type='prismatic' axis='1 0 0' from='ground' to='mass'/>"
                     "<link name='mass' mass='2'/></linkwork>",
                     NULL);
    pair = verify(m, LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES, 0, 1e-20, &agrees);
    CHECK(agrees && pair.worst < 1e-9);
    pair = verify(m, LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES, 0, 1e-6, &agrees);
    CHECK(!agrees);
    lw_model_destroy(m);
}

// Nothing at all weighs anything: sizes are zero.
TEST(C08_a_machine_without_mass_is_compared)
{
    lw_model *m = arm(0, 0.5, "0 1 0");
    bool agrees = false;
    lw_verify_pair pair = verify(m, LW_FUNCTION_GRAVITY, 0, 0, &agrees);
    CHECK(agrees && pair.worst == 0 && pair.size == 0);
    pair = verify(m, LW_FUNCTION_GRAVITY, 0, 1e-30, &agrees);
    CHECK(!agrees && pair.worst == 1);
    lw_model_destroy(m);
}

// Loops without a closed form are followed from where they were closed last, around singular
// configurations too; every state is compared as by engines that are new. (The plate of
// test_newton.c.)
TEST(K23_states_are_compared_apart_from_each_other)
{
    lw_model *m = compile_text(
        "guided.xml",
        "<linkwork version='1' name='guided'>"
        "<ground><frame name='eye' xyz='-0.3 0.1 0.2'/></ground>"
        "<joint name='float' type='free' from='ground' to='body'/>"
        "<link name='body' mass='3' inertia='1 1 1'/>"
        "<joint name='face' type='planar' from='body' to='plate' dependent='true'/>"
        "<link name='plate' mass='1' inertia='1 1 1'><frame name='lug' xyz='0 0.4 0'/></link>"
        "<joint name='guide' type='cylindrical' axis='0 1 0' closing='true' from='body' "
        "to='plate'/>"
        "<rod name='rod' from='ground.eye' to='plate.lug'/></linkwork>",
        NULL);
    lw_engine *engine[2] = {NULL};
    lw_verification *v = NULL;
    lw_engine_options options = lw_default_engine_options(m);
    lw_verify_options verify_options = lw_default_verify_options();
    options.functions = 1u << LW_FUNCTION_POSES;
    verify_options.nstate = 300;
    CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], NULL), LW_OK);
    CHECK_INT(lw_verify(2, engine, &verify_options, &v), LW_OK);
    CHECK(lw_verification_agrees(v));
    CHECK(lw_verification_pair(v, 0).nanswered > 250);
    lw_verification_destroy(v);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

// Gravity of the SCARA, whose third joint alone lifts: right at one half of the states, and no
// number at the others.
static lw_status half_gravity(void *self, lw_function which, const lw_engine_state *state,
                              double *result)
{
    memset(result, 0, 4 * sizeof *result);
    result[2] = state->q[0] > 0 ? (double)NAN : *(const double *)self;
    return which == LW_FUNCTION_GRAVITY ? LW_OK : LW_ERR_UNSUPPORTED;
}

// A result that is no number is a failure, and an engine that fails where another does not
// disagrees, however right it is elsewhere.
TEST(K33_an_engine_whose_result_is_no_number_fails_and_disagrees)
{
    lw_model *m = shipped_model("scara.xml");
    lw_engine *engine[2] = {NULL};
    double weight = 0, tau[4];
    const double q[4] = {0.5, 0, 0, 0};
    const lw_engine_def def = {.name = "mine",
                               .functions = 1u << LW_FUNCTION_GRAVITY,
                               .run = half_gravity,
                               .self = &weight};
    CHECK_INT(lw_engine_numeric(m, NULL, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_create(m, NULL, &def, &engine[1]), LW_OK);
    const lw_engine_state state = {m->nq, m->nv, q, NULL, NULL, NULL};
    CHECK_INT(lw_engine_run(engine[0], LW_FUNCTION_GRAVITY, &state, tau), LW_OK);
    weight = tau[2];
    tau[2] = 7;
    CHECK_INT(lw_engine_run(engine[1], LW_FUNCTION_GRAVITY, &state, tau), LW_ERR_NUMBER);
    CHECK_NEAR(tau[2], 7, 0);
    lw_verification *v = NULL;
    CHECK_INT(lw_verify(2, engine, NULL, &v), LW_OK);
    CHECK(v && !lw_verification_agrees(v));
    CHECK(lw_verification_pair(v, 0).nanswered > 0);
    lw_verification_destroy(v);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(K33_an_engine_whose_result_is_no_number_fails_and_disagrees);
    RUN(C08_errors_of_light_and_heavy_machines_are_found_alike);
    RUN(C08_functions_that_are_zero_are_compared);
    RUN(C08_a_machine_without_mass_is_compared);
    RUN(K23_states_are_compared_apart_from_each_other);
    return REPORT();
}
