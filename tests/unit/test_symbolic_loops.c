// Loops of code for mechanisms without a closed form: they close where the numeric engine does, on
// its branch.
#include "check.h"
#include "load_text.h"
#include "objects.h"
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
    CHECK_INT(lw_derive(m, &o, &s, NULL), LW_OK);
    return s;
}

// The largest distance of a frame from where the numeric functions, which begin at the reference
// configuration too, put it; less than nothing where they cannot.
static double distance(const lw_model *m, const double *q, const double *X)
{
    lw_data *d = new_data(m);
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

// Both close their loops to 1e-11 of their size and find rates from it; near a singular
// configuration the poses are some hundred times less sure. Refused are only states that the
// numeric engine refuses.
static void visit(const char *name, int states)
{
    static const double tolerance = 1e-10;
    lw_model *m = shipped_model(name);
    lw_data *d = m ? new_data(m) : NULL;
    lw_derivation *s = m ? derive(m, LW_FUNCTION_POSES) : NULL;
    double *X = m ? calloc((size_t)lw_function_size(m, LW_FUNCTION_POSES), sizeof *X) : NULL;
    int refused = 0, differ = 0;
    unsigned long long seed = 5;
    check_case("%s", name);
    for (int k = 0; k < states && d && s && X; ++k) {
        double q[16], v[16];
        lw_random_state(m, d, &seed, 1.0, q, v, NULL, NULL);
        const lw_status status = lw_derivation_run(s, LW_FUNCTION_POSES, q, v, NULL, 0.0, NULL, X);
        const double apart = distance(m, q, X);
        CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN);
        if (status == LW_OK) {
            CHECK(apart >= 0.0 && apart <= tolerance);
        } else {
            ++refused;
            differ += apart >= 0.0;
        }
    }
    CHECK(X && differ == 0);
    printf("%s: %d of %d states refused, %d of them not by the numeric engine\n", name, refused,
           states, differ);
    free(X);
    lw_derivation_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D22_loops_of_code_close_wherever_the_numeric_engine_does)
{
    visit("closed/bennett.xml", 1000);
    visit("closed/bricard.xml", 1000);
    visit("closed/stewart.xml", 1000);
    visit("closed/delta.xml", 1000);
    visit("closed/rssr.xml", 1000);
    visit("closed/spherical_four_bar.xml", 1000);
}

// A loop of seven revolute joints in general position, which can be assembled in up to sixteen
// ways.
typedef struct chain {
    double row[8][7];   ///< of six joints: xyz, rpy, reference; of the last joint's two frames
    double first, step; ///< of the thirty positions where it goes astray unless it is watched
} chain;

// The first would jump to another branch of the same determinant, and contract there, by a first
// change of several radians; the second to one of the other determinant.
static const chain astray[] = {{{{0.0973, 0.336, -0.237, -1.84, -1.29, -1.86, -0.303},
                                 {-0.302, -0.324, -0.153, -0.397, 1.53, -1.95, 0.75},
                                 {0.326, 0.187, -0.272, -1.39, -0.516, -1.97, 2.34},
                                 {0.211, 0.247, 0.121, 1.95, -0.445, -1.84, -0.71},
                                 {-0.0519, 0.247, -0.398, 1.42, -0.602, -1.90, 0.526},
                                 {0.298, 0.0863, 0.188, -0.243, -0.416, -1.90, 1.86},
                                 {-0.455, 0.837, 0.184, 0.0884, 0.751, -2.76},
                                 {-0.0678, 0.356, -0.0564, -1.70, 1.06, 1.89}},
                                1.559,
                                1e-4},
                               {{{-0.1335, -0.1021, 0.2519, -1.267, 1.639, -0.03532, -2.143},
                                 {0.3342, 0.0584, -0.337, 1.354, 1.099, 0.9607, 0.7876},
                                 {0.3942, -0.3903, 0.3795, 0.571, -0.9882, 0.4498, -0.8108},
                                 {0.1203, 0.1634, 0.01939, -1.605, -0.4322, -0.7919, 1.247},
                                 {0.345, 0.2205, 0.02439, -1.319, 0.8302, -0.9398, 2.486},
                                 {-0.2617, 0.3746, -0.388, 1.119, -0.6146, 0.2963, -0.4209},
                                 {0.2384, -1.464, 0.7523, -2.596, 0.04668, -0.6707},
                                 {-0.2429, -0.3477, 0.2594, 0.594, 0.8055, 1.828}},
                                -1.5,
                                5e-3}};

static lw_model *model_of_chain(const chain *c)
{
    char text[2500];
    const double *g = c->row[6], *e = c->row[7];
    int n = snprintf(text, sizeof text,
                     "<linkwork version='1' name='seven'><ground><frame name='g' "
                     "xyz='%g %g %g' rpy='%g %g %g'/></ground>",
                     g[0], g[1], g[2], g[3], g[4], g[5]);
    for (int i = 0; i < 6; ++i) {
        const double *x = c->row[i];
        char from[16];
        snprintf(from, sizeof from, i ? "l%d" : "ground", i - 1);
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "<joint name='j%d' type='revolute' from='%s' to='l%d' xyz='%g %g %g' "
                      "rpy='%g %g %g' reference='%g' %s/><link name='l%d' mass='1'%s",
                      i, from, i, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                      i ? "dependent='true'" : "", i, i < 5 ? "/>" : ">");
    }
    snprintf(text + n, sizeof text - (size_t)n,
             "<frame name='e' xyz='%g %g %g' rpy='%g %g %g'/></link><joint name='close' "
             "type='revolute' closing='true' from='ground.g' to='l5.e'/></linkwork>",
             e[0], e[1], e[2], e[3], e[4], e[5]);
    return compile_text("seven.xml", text, NULL);
}

TEST(D22_steps_to_another_branch_are_refused)
{
    for (size_t i = 0; i < sizeof astray / sizeof *astray; ++i) {
        const chain *c = &astray[i];
        lw_model *m = model_of_chain(c);
        lw_derivation *s = m ? derive(m, LW_FUNCTION_POSES) : NULL;
        double *X = m ? calloc((size_t)lw_function_size(m, LW_FUNCTION_POSES), sizeof *X) : NULL;
        int near = 0;
        check_case("chain %d", (int)i);
        for (int k = 0; k < 60 && s && X; ++k) {
            // Half of the states lie near the reference configuration, and are answered.
            const double v = 0.0, q = k < 30 ? m->q_reference[0] + 0.002 * (k - 15)
                                             : c->first + c->step * (k - 30);
            const lw_status status =
                lw_derivation_run(s, LW_FUNCTION_POSES, &q, &v, NULL, 0.0, NULL, X);
            near += k < 30 && status == LW_OK;
            CHECK(status == LW_ERR_LOOP_OPEN || fabs(distance(m, &q, X)) <= 1e-10);
        }
        CHECK_INT(near, 30);
        free(X);
        lw_derivation_destroy(s);
        lw_model_destroy(m);
    }
}

// A slider on a free carrier, held by more conditions than it has unknowns, on a rod to the ground:
// the rod allows two places along the carrier's x axis. Its end is beyond the foot of the
// perpendicular to that axis in the reference configuration, a little, and so everywhere on that
// branch.
static const char slide[] =
    "<linkwork version='1' name='slide'><ground/>"
    "<joint name='base' type='free' from='ground' to='carrier'/><link name='carrier' mass='1'/>"
    "<joint name='plane' type='planar' from='carrier' to='slider'/>"
    "<link name='slider' mass='1'><frame name='f' xyz='0.05 0.5 0.1'/></link>"
    "<joint name='close' type='cylindrical' closing='true' from='carrier' to='slider' "
    "axis='1 0 0'/><rod name='rod' from='ground' to='slider.f'/></linkwork>";

TEST(D22_blocks_with_more_conditions_than_unknowns_keep_their_branch)
{
    enum { STATES = 400 };
    lw_model *m = compile_text("slide.xml", slide, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    lw_derivation *s = m ? derive(m, LW_FUNCTION_POSES) : NULL;
    double *X = m ? calloc((size_t)lw_function_size(m, LW_FUNCTION_POSES), sizeof *X) : NULL;
    const int f = m ? lw_find_frame(m, "slider.f") : -1;
    int numeric = 0, symbolic = 0;
    unsigned long long seed = 1;
    for (int k = 0; k < STATES && d && s && X && f >= 0; ++k) {
        double q[7], v[6];
        lw_pose P;
        lw_random_state(m, d, &seed, 1.0, q, v, NULL, NULL);
        lw_data_restart(d);
        if (lw_forward_position(m, d, q) == LW_OK) {
            CHECK_INT(lw_frame_pose(m, d, f, &P), LW_OK);
            CHECK(lw_dot3(P.p, (lw_vec3){P.R.row[0].x, P.R.row[1].x, P.R.row[2].x}) > 0.0);
            ++numeric;
        }
        if (lw_derivation_run(s, LW_FUNCTION_POSES, q, v, NULL, 0.0, NULL, X) == LW_OK) {
            const double *x = X + 12 * f;
            CHECK(x[9] * x[0] + x[10] * x[3] + x[11] * x[6] > 0.0);
            ++symbolic;
        }
    }
    CHECK(symbolic > STATES / 2);
    CHECK_INT(symbolic, numeric);
    free(X);
    lw_derivation_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// An open loop is reported, whatever asks for it.
static void check_open(const lw_model *m, lw_function function, const double *q)
{
    static const double rest[16] = {0};
    lw_derivation *s = derive(m, function);
    double *result = calloc((size_t)lw_function_size(m, function), sizeof *result);
    CHECK(s && result &&
          lw_derivation_run(s, function, q, rest, rest, 0.0, NULL, result) == LW_ERR_LOOP_OPEN);
    free(result);
    lw_derivation_destroy(s);
}

TEST(D22_open_loops_are_reported_by_every_function)
{
    static const lw_function asked[] = {LW_FUNCTION_POSES, LW_FUNCTION_JACOBIAN,
                                        LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX};
    lw_model *m = shipped_model("closed/stewart.xml");
    lw_data *d = m ? new_data(m) : NULL;
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

// Refuses half of the states that another engine answers.
static lw_status refuse_half(void *self, lw_function which, const lw_engine_state *state, double *G)
{
    return state->q[0] > 0.0 ? LW_ERR_LOOP_OPEN : lw_engine_run(self, which, state, G);
}

TEST(D22_verify_counts_the_states_that_one_refuses)
{
    lw_model *m = model_of_chain(&astray[0]);
    lw_engine *engine[2] = {NULL};
    lw_verification *v = NULL;
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = 1u << LW_FUNCTION_GRAVITY;
    CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], NULL), LW_OK);
    CHECK_INT(lw_verify(2, engine, NULL, &v), LW_OK);
    CHECK(lw_verification_agrees(v));
    CHECK_INT(lw_verification_pair(v, 0).nrefused, 0);
    lw_verification_destroy(v);
    CHECK_INT(lw_engine_override(engine[1], LW_FUNCTION_GRAVITY, refuse_half, engine[0]), LW_OK);
    CHECK_INT(lw_verify(2, engine, NULL, &v), LW_OK);
    const lw_verify_pair pair = lw_verification_pair(v, 0);
    CHECK(lw_verification_agrees(v));
    CHECK(pair.nrefused > 10 && pair.nrefused < 90); // of 100
    CHECK_INT(pair.status[1], LW_ERR_LOOP_OPEN);
    lw_verification_destroy(v);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D22_loops_of_code_close_wherever_the_numeric_engine_does);
    RUN(D22_steps_to_another_branch_are_refused);
    RUN(D22_blocks_with_more_conditions_than_unknowns_keep_their_branch);
    RUN(D22_open_loops_are_reported_by_every_function);
    RUN(D22_verify_counts_the_states_that_one_refuses);
    return REPORT();
}
