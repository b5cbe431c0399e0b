// Straight-line code for loops without a closed form: right where it answers, and it tells where it
// does not.
#include "check.h"
#include "load_text.h"
#include "reference.h"
#include "sym/derivation.h"

#include <linkwork/engine.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lw_derivation *derive(const lw_model *m, lw_function function)
{
    lw_derivation *s = NULL;
    lw_derive_options o = lw_default_derive_options();
    o.functions = 1u << function;
    o.effort = 0;
    o.frame = m->nframe - 1;
    CHECK_INT(lw_derive(m, &o, NULL, &s), LW_OK);
    return s;
}

// The largest distance of a frame from where the numeric functions, which begin at the reference
// configuration too, put it; less than nothing where they cannot.
static double distance(const lw_model *m, const double *q, const double *X)
{
    lw_data *d = lw_data_create(m);
    double worst = 0.0;
    const lw_status status = d ? lw_forward_position(m, d, q) : LW_ERR_MEMORY;
    for (int i = 0; i < m->nframe && status == LW_OK; ++i) {
        lw_pose P;
        CHECK_INT(lw_frame_pose(m, d, i, &P), LW_OK);
        const lw_vec3 got = {X[12 * i + 9], X[12 * i + 10], X[12 * i + 11]};
        worst = fmax(worst, lw_norm3(lw_sub3(got, P.p)));
    }
    lw_data_destroy(d);
    return status == LW_OK ? worst : -1.0;
}

typedef struct far_machine {
    const char *name;
    double refused; ///< share of states over the whole range that may be refused
} far_machine;

// Both close their loops to 1e-13; near a dead centre the poses are some hundred times less sure.
static void visit(const far_machine *machine)
{
    enum { STATES = 300 };
    static const double tolerance = 1e-10;
    lw_model *m = shipped_model(machine->name);
    lw_data *d = m ? lw_data_create(m) : NULL;
    lw_derivation *s = m ? derive(m, LW_FUNCTION_POSES) : NULL;
    double *X = m ? calloc((size_t)lw_function_size(m, LW_FUNCTION_POSES), sizeof *X) : NULL;
    int refused = 0;
    unsigned long long seed = 5;
    check_case("%s", machine->name);
    for (int k = 0; k < STATES && d && s && X; ++k) {
        double q[16], v[16];
        lw_random_state(m, d, &seed, 1.0, q, v, NULL, NULL);
        const lw_status status = lw_derivation_run(s, LW_FUNCTION_POSES, q, v, NULL, 0.0, NULL, X);
        CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN);
        refused += status != LW_OK;
        if (status == LW_OK) {
            const double apart = distance(m, q, X);
            CHECK(apart >= 0.0 && apart <= tolerance);
        }
    }
    CHECK(X && refused <= machine->refused * STATES);
    printf("%s: %d of %d states refused\n", machine->name, refused, STATES);
    free(X);
    lw_derivation_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D22_written_out_newton_is_right_or_says_open)
{
    static const far_machine machine[] = {{"closed/bennett.xml", 0.2},
                                          {"closed/bricard.xml", 0.05},
                                          {"closed/stewart.xml", 0.05},
                                          {"closed/delta.xml", 0.0}};
    for (size_t i = 0; i < sizeof machine / sizeof *machine; ++i) {
        visit(&machine[i]);
    }
}

// No result of an open loop is a number, whatever asks for it.
static void check_open(const lw_model *m, lw_function function, const double *q)
{
    lw_derivation *s = derive(m, function);
    const lwi_tape *tape = s ? lwi_derivation_tape(s, function) : NULL;
    double *input = tape ? calloc((size_t)tape->ninput + 1, sizeof *input) : NULL;
    double *work = tape ? calloc((size_t)tape->nslot + 1, sizeof *work) : NULL;
    double *result = tape ? calloc((size_t)tape->noutput + 1, sizeof *result) : NULL;
    if (CHECK(input && work && result)) {
        for (int i = 0; i < tape->ninput; ++i) {
            input[i] = tape->input[i].kind == LWI_POSITION ? q[tape->input[i].index] : 0.5;
        }
        CHECK_INT(lwi_tape_run(tape, input, work, result), LW_ERR_NUMBER);
        for (int i = 0; i < tape->noutput; ++i) {
            const bool is_zero =
                tape->output[i].value >> 1 >= (uint32_t)tape->ninput &&
                tape->output[i].value >> 1 < (uint32_t)tape->ninput + (uint32_t)tape->nnumber;
            CHECK(is_zero || isnan(result[i]));
        }
    }
    free(result);
    free(work);
    free(input);
    lw_derivation_destroy(s);
}

TEST(D22_open_loops_give_no_number_anywhere)
{
    static const lw_function asked[] = {LW_FUNCTION_POSES, LW_FUNCTION_JACOBIAN,
                                        LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX};
    lw_model *m = shipped_model("closed/stewart.xml");
    lw_data *d = m ? lw_data_create(m) : NULL;
    double q[16];
    for (int i = 0; d && i < m->nq; ++i) {
        q[i] = m->q_reference[i] + (i == 0 ? 3.0 : 0.0); // one leg much too long
    }
    CHECK(d && lw_forward_position(m, d, q) == LW_ERR_LOOP_OPEN);
    for (size_t i = 0; d && i < sizeof asked / sizeof *asked; ++i) {
        check_case("%s", lw_function_name(asked[i]));
        check_open(m, asked[i], q);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D22_verify_counts_the_states_that_one_refuses)
{
    lw_model *m = shipped_model("closed/bennett.xml");
    lw_engine *engine[2] = {NULL};
    lw_verification *v = NULL;
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = 1u << LW_FUNCTION_GRAVITY;
    CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_symbolic(m, &options, NULL, &engine[1]), LW_OK);
    CHECK_INT(lw_verify(2, engine, NULL, &v), LW_OK);
    const lw_verify_pair pair = lw_verification_pair(v, 0);
    CHECK(lw_verification_agrees(v));
    CHECK(pair.nrefused > 0 && pair.nrefused < 50); // of 100
    CHECK_INT(pair.status[1], LW_ERR_LOOP_OPEN);
    lw_verification_destroy(v);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D22_written_out_newton_is_right_or_says_open);
    RUN(D22_open_loops_give_no_number_anywhere);
    RUN(D22_verify_counts_the_states_that_one_refuses);
    return REPORT();
}
