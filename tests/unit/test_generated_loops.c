// Generated code with loops of code: compiled, small, and on the branch of the numeric engine.
#include "check.h"
#include "compiled.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/engine.h>
#include <linkwork/generate.h>
#include <linkwork/generated.h>
#include <linkwork/symbolic.h>

#include <math.h>
#include <string.h>

enum { MOST = 16 };

// The numeric engine and the compiled one, of inverse dynamics.
static bool open_both(const lw_model *m, lw_engine *engine[2])
{
    const lw_compiler cc = {.command = compiled_has("cc") ? NULL : "gcc"};
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS;
    options.effort = 0;
    return CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK) &&
           CHECK_INT(lw_engine_generated(m, &options, &cc, &engine[1], NULL), LW_OK) &&
           CHECK(!lw_engine_interpreted(engine[1], LW_FUNCTION_INVERSE_DYNAMICS)) &&
           CHECK(strcmp(lw_engine_name(engine[1]), "generated") == 0);
}

// Forces of both at a state, which must agree to what their loops are closed to.
static void compare(lw_engine *engine[2], int nv, const double *q, const double *v)
{
    double tau[2][MOST], size = 1e-3;
    lw_status status[2];
    for (int e = 0; e < 2; ++e) {
        status[e] = lw_engine_inverse_dynamics(engine[e], q, v, v, tau[e]);
    }
    CHECK_INT(status[1], status[0]);
    for (int i = 0; i < nv && status[0] == LW_OK; ++i) {
        size = fmax(size, fabs(tau[0][i]));
    }
    for (int i = 0; i < nv && status[0] == LW_OK; ++i) {
        CHECK_NEAR(tau[1][i], tau[0][i], 1e-10 * size);
    }
}

// A second at 1 kHz, from call to call; then leaps, between which both begin anew.
static void follow(const char *name, double amplitude)
{
    lw_model *m = shipped_model(name);
    lw_data *d = m ? new_data(m) : NULL;
    lw_engine *engine[2] = {NULL};
    double q[MOST], v[MOST];
    unsigned long long seed = 2;
    check_case("%s", name);
    const bool is_open = d && open_both(m, engine);
    for (int k = 0; is_open && k < 1000; ++k) {
        for (int i = 0; i < m->nv; ++i) {
            const double w = 3.0 + i;
            q[i] = m->q_reference[i] + amplitude * (1.0 - cos(1e-3 * k * w)) / 2.0;
            v[i] = amplitude * w * sin(1e-3 * k * w) / 2.0;
        }
        compare(engine, m->nv, q, v);
    }
    for (int k = 0; is_open && k < 200; ++k) {
        lw_random_state(m, d, &seed, 1.0, q, v, NULL, NULL);
        lw_engine_restart(engine[0]);
        lw_engine_restart(engine[1]);
        compare(engine, m->nv, q, v);
    }
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D20_D22_compiled_loops_follow_motions_and_leaps)
{
    follow("closed/stewart.xml", 0.1);
    follow("closed/bricard.xml", 0.8);
    follow("closed/bennett.xml", 6.0);
    follow("closed/rssr.xml", 1.0);
    follow("closed/spherical_four_bar.xml", 1.0);
}

// Where a leg cannot reach, the state stays: what is answered after that is what was before.
TEST(D22_open_loops_leave_the_state_as_it_was)
{
    lw_model *m = shipped_model("closed/stewart.xml");
    lw_engine *engine[2] = {NULL};
    double q[MOST], v[MOST] = {0}, tau[MOST], again[MOST];
    if (m && open_both(m, engine)) {
        memcpy(q, m->q_reference, sizeof(double) * (size_t)m->nq);
        q[1] += 0.05;
        CHECK_INT(lw_engine_inverse_dynamics(engine[1], q, v, v, tau), LW_OK);
        q[1] += 3.0;
        CHECK_INT(lw_engine_inverse_dynamics(engine[1], q, v, v, again), LW_ERR_LOOP_OPEN);
        q[1] = m->q_reference[1] + 0.05;
        CHECK_INT(lw_engine_inverse_dynamics(engine[1], q, v, v, again), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            CHECK(again[i] == tau[i]);
        }
    }
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

TEST(D27_code_of_a_platform_is_small_and_says_what_it_cannot)
{
    lw_model *m = shipped_model("closed/stewart.xml");
    lw_derivation *d = NULL;
    lw_derive_options derive = lw_default_derive_options();
    lw_generate_options options = lw_default_generate_options();
    char *text = NULL;
    size_t size = 0;
    derive.effort = 0;
    CHECK_INT(lw_derive(m, &derive, &d, NULL), LW_OK);
    CHECK_INT(lw_generate(d, &options, &text, &size, NULL), LW_OK);
    CHECK(size > 0 && size <= 60000);
    CHECK_HAS(text, "enum { stewart_x_size = ");
    lw_text_free(text);
    options.lanes = 4;
    options.sincos = LW_SINCOS_INLINE;
    CHECK_INT(lw_generate(d, &options, &text, &size, NULL), LW_ERR_ARGUMENT);
    options = lw_default_generate_options();
    options.has_dictionary = true;
    CHECK_INT(lw_generate(d, &options, &text, &size, NULL), LW_ERR_ARGUMENT);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D20_D22_compiled_loops_follow_motions_and_leaps);
    RUN(D22_open_loops_leave_the_state_as_it_was);
    RUN(D27_code_of_a_platform_is_small_and_says_what_it_cannot);
    return REPORT();
}
