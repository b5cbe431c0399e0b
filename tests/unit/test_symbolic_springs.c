// Springs, torsions and joints with quaternions in derived equations, against the numeric engine.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "spring_tree.h"

#include <linkwork/engine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Joints of every kind, and every law: polynomials, a table, one side, play, loss, damping beyond
// the elastic force.
static const char *const tree =
    SPRING_TREE("friction=\"0.4\" damping=\"0.2\" stiffness=\"3\" "
                "spring_rest=\"0.1\"") "<spring name=\"s1\" from=\"post\" "
                                       "to=\"hook\" stiffness=\"500\" damping=\"30\" "
                                       "free=\"0.1\" "
                                       "preload=\"20\"/>\n"
                                       "<spring name=\"s2\" from=\"hand.thumb\" "
                                       "to=\"ball.eye\" polynomial=\"3 40 -5 7\" "
                                       "damping=\"2\" free=\"0.4\"/>\n"
                                       "<spring name=\"s3\" from=\"tip\" to=\"post\" "
                                       "table=\"0.1 -40 0.3 -35 0.5 -33 0.9 -28\" "
                                       "free=\"0\" damping=\"1\"/>\n"
                                       "<spring name=\"s4\" from=\"arm\" to=\"ball\" "
                                       "stiffness=\"30\" free=\"0.7\" "
                                       "side=\"tension\" "
                                       "damping=\"9\"/>\n"
                                       "<spring name=\"s5\" from=\"fore\" "
                                       "to=\"ball\" stiffness=\"30\" free=\"1.2\" "
                                       "side=\"compression\" damping=\"9\"/>\n"
                                       "<spring name=\"c1\" along=\"normal\" "
                                       "from=\"hand.thumb\" to=\"ball.eye\" "
                                       "polynomial=\"0 60 -5 7\" damping=\"2\"/>\n"
                                       "<spring name=\"c2\" along=\"normal\" "
                                       "from=\"post\" to=\"tip\" stiffness=\"90\" "
                                       "side=\"compression\" free=\"0.3\"/>\n"
                                       "<torsion name=\"t1\" in=\"j1\" "
                                       "out=\"j3.angle\" stiffness=\"4\" "
                                       "damping=\"0.7\" "
                                       "loss=\"0.1\"/>\n"
                                       "<torsion name=\"t2\" in=\"j3.travel\" "
                                       "stiffness=\"40\" free=\"0.05\" damping=\"9\" "
                                       "backlash=\"0.5\"/>\n"
                                       "</linkwork>\n";

static void verify(const char *text)
{
    lw_model *m = compile_text("springs.xml", text, NULL);
    lw_engine *engine[2] = {NULL};
    lw_verification *v = NULL;
    // Both sides round, some hundred operations each.
    const lw_verify_options how = {.nstate = 200, .seed = 3, .tolerance = 1e-12};
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = (1u << LW_FUNCTION_INVERSE_KINEMATICS) - 1u;
    CHECK_INT(lw_engine_numeric(m, &options, &engine[0]), LW_OK);
    CHECK_INT(lw_engine_symbolic(m, &options, &engine[1], NULL), LW_OK);
    CHECK_INT(lw_verify(2, engine, &how, &v), LW_OK);
    CHECK(lw_verification_count(v) >= 11);
    for (int i = 0; i < lw_verification_count(v); ++i) {
        const lw_verify_pair pair = lw_verification_pair(v, i);
        check_case("%s", lw_function_name(pair.function));
        CHECK(pair.worst <= pair.tolerance);
    }
    lw_verification_destroy(v);
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(m);
}

TEST(R48_springs_of_every_law_agree_with_the_numeric_engine)
{
    verify(tree);
}

TEST(D25_springs_on_loops_agree_with_the_numeric_engine)
{
    verify(spring_loop);
}

static lw_derivation *derive(const lw_model *m, unsigned functions, bool is_symbolic)
{
    lw_derivation *s = NULL;
    lw_derive_options o = lw_default_derive_options();
    o.functions = functions;
    o.effort = 0;
    o.is_symbolic = is_symbolic;
    o.is_apart = false;
    CHECK_INT(lw_derive(m, &o, &s, NULL), LW_OK);
    return s;
}

// Functions that share a tape share their symbols too: there is one for each number.
TEST(K19_numbers_of_springs_stay_symbols)
{
    lw_model *m = compile_text("springs.xml", spring_loop, NULL);
    const unsigned both = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_FORWARD_DYNAMICS;
    lw_derivation *plain = derive(m, both, false), *s = derive(m, both, true);
    const double q = 0.4, v = 0.7, a = -0.3;
    double value[64], want, got, stiffer;
    int stiffness = -1;
    CHECK(lw_derivation_nsymbol(s) < 64);
    for (int i = 0; i < lw_derivation_nsymbol(s); ++i) {
        const lw_symbol_info symbol = lw_derivation_symbol(s, i);
        value[i] = symbol.value;
        for (int j = 0; j < i; ++j) {
            CHECK(strcmp(symbol.name, lw_derivation_symbol(s, j).name) != 0);
        }
        stiffness = strcmp(symbol.name, "e1__s") == 0 ? i : stiffness;
    }
    const lw_function f = LW_FUNCTION_INVERSE_DYNAMICS;
    CHECK_INT(lw_derivation_run(plain, f, &q, &v, &a, 0.0, NULL, &want), LW_OK);
    CHECK_INT(lw_derivation_run(s, f, &q, &v, &a, 0.0, NULL, &got), LW_OK);
    CHECK_NEAR(got, want, 1e-12 * fabs(want));
    if (CHECK(stiffness >= 0)) {
        value[stiffness] += 50.0;
        CHECK_INT(lw_derivation_run(s, f, &q, &v, &a, 0.0, value, &stiffer), LW_OK);
        CHECK(fabs(stiffer - want) > 0.1);
    }
    lw_derivation_destroy(plain);
    lw_derivation_destroy(s);
    lw_model_destroy(m);
}

// A quaternion of any length is the turn that it points to.
TEST(quaternions_need_no_unit_length)
{
    enum { MOST = 24 };
    lw_model *m = compile_text("springs.xml", tree, NULL);
    lw_data *d = new_data(m);
    const lw_function f = LW_FUNCTION_INVERSE_DYNAMICS;
    lw_derivation *s = derive(m, 1u << f, false);
    double q[MOST], v[MOST], a[MOST], want[MOST], got[MOST];
    unsigned long long seed = 9;
    lw_random_state(m, d, &seed, 1.0, q, v, a, NULL);
    CHECK_INT(lw_derivation_run(s, f, q, v, a, 0.0, NULL, want), LW_OK);
    for (int i = 0; i < m->nbody; ++i) {
        const int n = m->q_start[i + 1] - m->q_start[i];
        for (int j = m->q_start[i + 1] - 4; n >= 4 && j < m->q_start[i + 1]; ++j) {
            q[j] *= 1.7;
        }
    }
    CHECK_INT(lw_derivation_run(s, f, q, v, a, 0.0, NULL, got), LW_OK);
    for (int i = 0; i < m->nv; ++i) {
        CHECK_NEAR(got[i], want[i], 1e-12 * (1.0 + fabs(want[i])));
    }
    lw_derivation_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(tables_that_are_too_long_are_refused_by_name)
{
    char text[1500] = "<linkwork version=\"1\" name=\"long\"><ground/>"
                      "<joint name=\"j\" type=\"revolute\" from=\"ground\" to=\"arm\"/>"
                      "<link name=\"arm\" mass=\"1\" inertia=\"1 1 1\"/>"
                      "<torsion name=\"winding\" in=\"j\" table=\"";
    for (int i = 0; i < 17; ++i) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d %d ", i, 2 * i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "\"/></linkwork>");
    lw_model *m = compile_text("springs.xml", text, NULL);
    lw_report *report = new_report();
    lw_derivation *s = NULL;
    CHECK_INT(lw_derive(m, NULL, &s, report), LW_ERR_UNSUPPORTED);
    CHECK(lw_report_errors(report) == 1);
    CHECK_HAS(lw_report_diagnostic(report, 0).message, "torsion \"winding\" follows a table of 17");
    lw_report_destroy(report);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(R48_springs_of_every_law_agree_with_the_numeric_engine);
    RUN(D25_springs_on_loops_agree_with_the_numeric_engine);
    RUN(K19_numbers_of_springs_stay_symbols);
    RUN(quaternions_need_no_unit_length);
    RUN(tables_that_are_too_long_are_refused_by_name);
    return REPORT();
}
