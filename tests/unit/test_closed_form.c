// Closed forms: against the printed equations of the papers and of textbooks, symbol by symbol, and
// against each other.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>
#include <linkwork/symbolic.h>

#include "document/denavit_table.h"
#include "sym/lagrange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- A machine with its closed form ------------------------------------------------------------

typedef struct bench {
    lw_model *m;
    lwi_graph *g;
    lwi_symbolic k;
    lwi_closed c;
    bool is_good;
} bench;

static void bench_close(bench *b)
{
    lwi_closed_free(&b->c);
    lwi_symbolic_free(&b->k);
    lwi_graph_destroy(b->g);
    lw_model_destroy(b->m);
    free(b);
}

static bench *bench_of(lw_model *m, bool is_symbolic, lw_form form)
{
    bench *b = calloc(1, sizeof *b);
    lw_derive_options o = lw_default_derive_options();
    o.is_symbolic = is_symbolic;
    b->m = m;
    b->g = lwi_graph_create(0);
    b->is_good = m && CHECK_INT(lwi_symbolic_init(&b->k, m, &o, b->g, NULL), LW_OK) &&
                 CHECK_INT(lwi_closed_init(&b->c, &b->k, form), LW_OK);
    return b;
}

static bench *bench_file(const char *name, bool is_symbolic, lw_form form)
{
    return bench_of(shipped_model(name), is_symbolic, form);
}

// The variable of this name as a polynomial.
static lwi_poly var(bench *b, const char *name)
{
    for (int i = 0; i < b->c.s.nvariable; ++i) {
        if (strcmp(b->c.s.variable[i].name, name) == 0) {
            return lwi_poly_of(&b->c.s, 1.0, i);
        }
    }
    check_case("no variable %s", name);
    CHECK(false);
    return lwi_poly_number(&b->c.s, 0.0);
}

// A sum of products as text: "2 a1 rx2 m2 c2 + m1 rx1 rx1 - g". Numbers may stand in front.
static lwi_poly read(bench *b, const char *text)
{
    lwi_polys *s = &b->c.s;
    lwi_poly sum = {NULL, 0}, term = lwi_poly_number(s, 1.0);
    char word[64];
    int n = 0, used = 0;
    double sign = 1.0;
    bool is_empty = true;
    while (sscanf(text + used, "%63s%n", word, &n) == 1) {
        used += n;
        char *end;
        const double number = strtod(word, &end);
        if (strcmp(word, "+") == 0 || strcmp(word, "-") == 0) {
            sum = is_empty ? sum : lwi_poly_add(s, sum, lwi_poly_scale(s, sign, term));
            is_empty = true;
            sign = word[0] == '-' ? -1.0 : 1.0;
            term = lwi_poly_number(s, 1.0);
            continue;
        }
        is_empty = false;
        if (*end == '\0') {
            term = lwi_poly_scale(s, number, term);
        } else {
            term = lwi_poly_mul(s, term, var(b, word));
        }
    }
    return lwi_poly_add(s, sum, lwi_poly_scale(s, sign, term));
}

#define CHECK_POLY(b, p, text) check_poly(b, p, text, __LINE__)
static void check_poly(bench *b, lwi_poly p, const char *text, int line)
{
    check_case("line %d: %s", line, text);
    CHECK(lwi_poly_equal(&b->c.s, p, read(b, text)));
}

static void check_zero(lwi_poly p)
{
    CHECK_INT(p.n, 0);
}

// --- Paper 001 -----------------------------------------------------------------------------------

// Frames after Craig with half a turn before the prismatic joint; the moments about the joint axes,
// which the paper writes as I_xx, are Izz. Link 2 has its centre at rx2, links 3 and 4 on the axis.
static void check_scara(bench *b)
{
    const lwi_poly *M = b->c.M;
    CHECK_POLY(b, M[0],
               "m1 rx1 rx1 + m2 rx2 rx2 + m2 a1 a1 + 2 a1 rx2 c2 m2 + m3 a1 a1 + 2 m3 a1 a2 c2 + "
               "m3 a2 a2 + m4 a1 a1 + 2 m4 a1 a2 c2 + m4 a2 a2 + Izz1 + Izz2 + Izz3 + Izz4");
    CHECK_POLY(b, M[1],
               "m2 rx2 rx2 + m2 a1 rx2 c2 + m3 a2 a2 + m3 a1 a2 c2 + m4 a2 a2 + m4 a1 a2 c2 + Izz2 "
               "+ Izz3 + Izz4");
    CHECK_POLY(b, M[5], "m2 rx2 rx2 + a2 a2 m3 + a2 a2 m4 + Izz2 + Izz3 + Izz4");
    CHECK_POLY(b, M[10], "m3 + m4");
    CHECK_POLY(b, M[15], "Izz4");
    CHECK_POLY(b, M[3], "- Izz4");
    CHECK_POLY(b, M[7], "- Izz4");
    check_zero(M[2]);
    check_zero(M[6]);
    check_zero(M[11]);
    // c1 = -h (2 dq1 dq2 + dq2^2), c2 = h dq1^2 with h = (m2 rx2 + a2 (m3 + m4)) a1 s2.
    const lwi_poly *B = b->c.B;
    const char *minus = "- m2 rx2 a1 s2 - a2 m3 a1 s2 - a2 m4 a1 s2";
    const char *plus = "m2 rx2 a1 s2 + a2 m3 a1 s2 + a2 m4 a1 s2";
    CHECK_POLY(b, B[0 * 16 + 0 * 4 + 1], minus);
    CHECK_POLY(b, B[0 * 16 + 1 * 4 + 1], minus);
    CHECK_POLY(b, B[1 * 16 + 0 * 4 + 0], plus);
    for (int i = 0; i < 64; ++i) {
        if (i != 1 && i != 4 && i != 5 && i != 16) {
            check_zero(B[i]);
        }
    }
    check_zero(b->c.G[0]);
    check_zero(b->c.G[1]);
    CHECK_POLY(b, b->c.G[2], "- m3 g - m4 g");
    check_zero(b->c.G[3]);
}

TEST(K24_the_scara_of_paper_001_symbol_by_symbol)
{
    bench *b = bench_file("scara.xml", true, LW_FORM_LAGRANGE);
    if (b->is_good) {
        check_scara(b);
    }
    bench_close(b);
}

// As a specification, all of whose lengths, masses and centres are symbols without a value.
TEST(K24_the_scara_of_paper_001_from_its_specification)
{
    lw_spec *spec = NULL;
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    CHECK_INT(lw_spec_load(LINKWORK_SOURCE_DIR "/models/specs/scara_symbols.spec", &spec, NULL),
              LW_OK);
    CHECK_INT(lw_spec_build(spec, &mech, NULL), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    bench *b = bench_of(m, true, LW_FORM_LAGRANGE);
    if (b->is_good) {
        check_scara(b);
    }
    bench_close(b);
    lw_mech_destroy(mech);
    lw_spec_destroy(spec);
}

TEST(K24_the_same_by_traces)
{
    bench *b = bench_file("scara.xml", true, LW_FORM_UICKER);
    if (b->is_good) {
        check_scara(b);
    }
    bench_close(b);
}

// --- Paper 002 -----------------------------------------------------------------------------------

TEST(V17_G6_of_paper_002)
{
    bench *b = bench_file("vibran6.xml", false, LW_FORM_UICKER);
    if (b->is_good) {
        // .14121E-5 to the five digits that are printed.
        const char *text = "0.14121 s3 s4 c6 - 0.14121 c4 c3 c6 - 0.14121 s3 c4 c5 s6 - "
                           "0.14121 c3 s4 c5 s6";
        const lwi_poly want = lwi_poly_scale(&b->c.s, 1e-5, read(b, text));
        const lwi_poly rest = lwi_poly_sub(&b->c.s, b->c.G[5], want);
        CHECK_INT(b->c.G[5].n, 4);
        for (int i = 0; i < rest.n; ++i) {
            CHECK_NEAR(rest.term[i].number, 0.0, 0.5e-10);
        }
    }
    bench_close(b);
}

// The robot with generic inertias: structural zeros are then those of its geometry.
static const char generic_robot[] =
    "<linkwork version='1' name='generic' angle='degree'><ground gravity='0 0 -9.80621'/>"
    "<joint name='j1' type='revolute' from='ground' to='l1'><paul theta='0' d='0' a='0' "
    "alpha='0'/></joint><link name='l1' mass='1' center='0.1 0.2 0.3' inertia='1 1.1 1.2 0.01 0.02 "
    "0.03'/>"
    "<joint name='j2' type='revolute' from='l1' to='l2'><paul theta='0' d='0' a='0' "
    "alpha='90'/></joint><link name='l2' mass='1.1' center='0.11 0.21 0.31' inertia='1 1.1 1.2 "
    "0.011 0.021 0.031'/>"
    "<joint name='j3' type='revolute' from='l2' to='l3'><paul theta='0' d='0' a='0.04' "
    "alpha='0'/></joint><link name='l3' mass='1.2' center='0.12 0.22 0.32' inertia='1 1.1 1.2 "
    "0.012 0.022 0.032'/>"
    "<joint name='j4' type='revolute' from='l3' to='l4'><paul theta='0' d='0' a='0' "
    "alpha='-90'/></joint><link name='l4' mass='1.3' center='0.13 0.23 0.33' inertia='1 1.1 1.2 "
    "0.013 0.023 0.033'/>"
    "<joint name='j5' type='revolute' from='l4' to='l5'><paul theta='0' d='0' a='0' "
    "alpha='-90'/></joint><link name='l5' mass='1.4' center='0.14 0.24 0.34' inertia='1 1.1 1.2 "
    "0.014 0.024 0.034'/>"
    "<joint name='j6' type='revolute' from='l5' to='l6'><paul theta='0' d='0.04' a='0' "
    "alpha='0'/></joint><link name='l6' mass='1.5' center='0.15 0.25 0.35' inertia='1 1.1 1.2 "
    "0.015 0.025 0.035'/></linkwork>";

TEST(V10_zero_pattern_of_the_153_elements)
{
    for (int form = LW_FORM_LAGRANGE; form <= LW_FORM_UICKER; ++form) {
        bench *b = bench_of(compile_text("generic.xml", generic_robot, NULL), false, (lw_form)form);
        if (b->is_good) {
            int all = 0, in_C = 0, in_H = 0, in_g = 0;
            for (int i = 0; i < 6; ++i) {
                for (int j = i; j < 6; ++j, ++all) {
                    in_H += b->c.M[i * 6 + j].n == 0;
                }
                for (int j = 0; j < 6; ++j) {
                    for (int l = j; l < 6; ++l, ++all) {
                        in_C += b->c.B[(i * 6 + j) * 6 + l].n == 0;
                    }
                }
                in_g += b->c.G[i].n == 0;
                ++all;
            }
            CHECK_INT(all, 153);
            CHECK_INT(in_H, 0);
            CHECK_INT(in_C, 28);
            CHECK_INT(in_g, 2);
        }
        bench_close(b);
    }
}

// To 1e-12 of the largest number in any of them: moments about the origin and about the centre of
// mass differ by rounding.
static void check_same(bench *b, const lwi_poly *x, const lwi_poly *y, int n)
{
    double size = 0.0, worst = 0.0;
    for (int i = 0; i < n; ++i) {
        const lwi_poly rest = lwi_poly_sub(&b->c.s, x[i], y[i]);
        for (int t = 0; t < x[i].n; ++t) {
            size = fmax(size, fabs(x[i].term[t].number));
        }
        for (int t = 0; t < rest.n; ++t) {
            worst = fmax(worst, fabs(rest.term[t].number));
        }
    }
    CHECK(size > 0.0);
    CHECK_NEAR(worst, 0.0, 1e-12 * size);
}

TEST(V01_traces_and_energies_give_the_same_polynomials)
{
    static const char *const name[] = {"scara.xml", "vibran6.xml", "puma560.xml", "stanford.xml"};
    for (size_t f = 0; f < sizeof name / sizeof *name; ++f) {
        bench *a = bench_file(name[f], false, LW_FORM_LAGRANGE);
        bench *b = bench_file(name[f], false, LW_FORM_UICKER);
        const int n = a->c.n;
        check_case("%s", name[f]);
        if (a->is_good && b->is_good) {
            check_same(a, a->c.M, b->c.M, n * n);
            check_same(a, a->c.B, b->c.B, n * n * n);
            check_same(a, a->c.G, b->c.G, n);
        }
        bench_close(a);
        bench_close(b);
    }
}

// --- Joints that follow others -----------------------------------------------------------------

// An arm with a gripper of two fingers that slide together, and a wheel that follows the second
// joint, before it in the tree; with all that acts within joints, and a load. The law is that of
// the second finger.
#define GRIPPER(law)                                                                               \
    "<linkwork version='1' name='gripper'><ground/>"                                               \
    "<joint name='wheel' type='revolute' axis='0 1 0' from='ground' to='w' rotor_inertia='0.02'/>" \
    "<link name='w' mass='0.7' center='0.1 0 0.05' inertia='0.01 0.02 0.03'/>"                     \
    "<joint name='j1' type='revolute' axis='0 0 1' from='ground' to='l1' damping='0.3'/>"          \
    "<link name='l1' mass='2' center='0.2 0.1 0' inertia='0.1 0.2 0.3'/>"                          \
    "<joint name='j2' type='revolute' axis='0 1 0' from='l1' to='l2' xyz='0.5 0 0' friction='2'/>" \
    "<link name='l2' mass='1.5' center='0.2 0 0.1' inertia='0.1 0.2 0.15'/>"                       \
    "<joint name='f1' type='prismatic' axis='0 1 0' from='l2' to='left' xyz='0.4 0 0'/>"           \
    "<link name='left' mass='0.3' center='0 0.01 0.02' inertia='1e-3 1e-3 1e-3'/>"                 \
    "<joint name='f2' type='prismatic' axis='0 -1 0' from='l2' to='right' xyz='0.4 0 0' "          \
    "rotor_inertia='0.1'/>"                                                                        \
    "<link name='right' mass='0.2' center='0 0.01 0.02' inertia='1e-3 1e-3 2e-3'/>"                \
    "<load name='push' at='right' force='1 2 3'/>"                                                 \
    "<coupling joint='f2' of='f1' polynomial='" law "'/>"                                          \
    "<coupling joint='wheel' of='j2' polynomial='0.3 -2'/></linkwork>"

TEST(V01_closed_forms_of_joints_that_follow_linearly)
{
    static const lw_function function[] = {LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX,
                                           LW_FUNCTION_CORIOLIS_MATRIX, LW_FUNCTION_GRAVITY,
                                           LW_FUNCTION_CHRISTOFFEL};
    lw_model *m = compile_text("gripper.xml", GRIPPER("0.01 1"), NULL);
    CHECK_INT(m->nv, 3);
    for (int form = LW_FORM_LAGRANGE; form <= LW_FORM_UICKER; ++form) {
        for (size_t f = 0; f < sizeof function / sizeof *function; ++f) {
            lw_derivation *d[2] = {NULL, NULL};
            for (int i = 0; i < 2; ++i) {
                lw_derive_options o = lw_default_derive_options();
                o.functions = 1u << function[f];
                o.form = i == 0 ? LW_FORM_RECURSIVE : (lw_form)form;
                o.effort = 0;
                lw_report *report = new_report();
                CHECK_INT(lw_derive(m, &o, &d[i], report), LW_OK);
                char *diagnostics = diagnostics_text(report);
                CHECK(strstr(diagnostics, lw_form_name(o.form)) &&
                      strstr(diagnostics, "was requested"));
                free(diagnostics);
                lw_report_destroy(report);
            }
            const int n = lw_function_size(m, function[f]);
            for (int state = 0; state < 5 && d[0] && d[1]; ++state) {
                double q[3], v[3], a[3], x[2][27];
                for (int k = 0; k < 3; ++k) {
                    q[k] = check_random(-2, 2);
                    v[k] = check_random(-2, 2);
                    a[k] = check_random(-2, 2);
                }
                for (int i = 0; i < 2; ++i) {
                    CHECK_INT(lw_derivation_run(d[i], function[f], q, v, a, 0.0, NULL, x[i]),
                              LW_OK);
                }
                for (int k = 0; k < n; ++k) {
                    CHECK_NEAR(x[1][k], x[0][k], 1e-12);
                }
            }
            lw_derivation_destroy(d[0]);
            lw_derivation_destroy(d[1]);
        }
    }
    lw_model_destroy(m);
}

TEST(a_joint_that_prevents_closed_forms_is_named)
{
    lw_model *m = compile_text("gripper.xml", GRIPPER("0 1 0.5"), NULL);
    lw_report *report = new_report();
    lw_derive_options o = lw_default_derive_options();
    lw_derivation *d = NULL;
    o.form = LW_FORM_LAGRANGE;
    o.effort = 0;
    CHECK_INT(lw_derive(m, &o, &d, report), LW_OK);
    char *diagnostics = diagnostics_text(report);
    CHECK(strstr(diagnostics, "joint \"f2\" follows by a coupling that is not linear"));
    CHECK(!strstr(diagnostics, "was requested"));
    free(diagnostics);
    lw_derivation_destroy(d);
    lw_report_destroy(report);
    lw_model_destroy(m);
}

// --- Textbook arms ----------------------------------------------------------------------------

// Point masses at the ends of links that turn about one horizontal axis; gravity along -y, which
// the ground's own axes make the usual one.
static const char two_links[] =
    "<linkwork version='1' name='two' angle='radian'><ground gravity='0 -9.81 0'/>"
    "<joint name='j1' type='revolute' from='ground' to='l1'><craig alpha='0' a='0' theta='0' "
    "d='0'/></joint><link name='l1' mass='2' center='0.5 0 0'/>"
    "<joint name='j2' type='revolute' from='l1' to='l2'><craig alpha='0' a='0.5' theta='0' "
    "d='0'/></joint><link name='l2' mass='3' center='0.4 0 0'/></linkwork>";

// Craig, Introduction to Robotics, section 6.8, with the masses at rx1 = a1 and rx2.
TEST(K11_two_link_arm_of_the_textbook)
{
    bench *b = bench_of(compile_text("two.xml", two_links, NULL), true, LW_FORM_LAGRANGE);
    if (b->is_good) {
        const lwi_poly *M = b->c.M, *B = b->c.B;
        CHECK_POLY(b, M[0], "m2 rx2 rx2 + 2 m2 a1 rx2 c2 + m2 a1 a1 + m1 rx1 rx1");
        CHECK_POLY(b, M[1], "m2 rx2 rx2 + m2 a1 rx2 c2");
        CHECK_POLY(b, M[3], "m2 rx2 rx2");
        check_zero(B[0]);
        CHECK_POLY(b, B[1], "- m2 a1 rx2 s2");
        CHECK_POLY(b, B[3], "- m2 a1 rx2 s2");
        CHECK_POLY(b, B[4], "m2 a1 rx2 s2");
        CHECK_POLY(b, b->c.G[0], "m2 rx2 g c1 c2 - m2 rx2 g s1 s2 + m1 g rx1 c1 + m2 g a1 c1");
        CHECK_POLY(b, b->c.G[1], "m2 rx2 g c1 c2 - m2 rx2 g s1 s2");
        // Written with the sum of the angles it has one term.
        const lwi_poly written = lwi_poly_sum_angles(&b->c.s, b->c.G[1]);
        CHECK_INT(written.n, 1);
        CHECK_POLY(b, written, "m2 rx2 g c12");
    }
    bench_close(b);
}

// An arm with a turning waist: two links that move in a plane through it (Murray, Li and Sastry,
// example 4.3, with point masses).
static const char three_links[] =
    "<linkwork version='1' name='three' angle='degree'><ground/>"
    "<joint name='j1' type='revolute' from='ground' to='l1'><craig alpha='0' a='0' theta='0' "
    "d='0'/></joint><link name='l1' mass='1' inertia='0.1 0.1 0.2'/>"
    "<joint name='j2' type='revolute' from='l1' to='l2'><craig alpha='90' a='0' theta='0' "
    "d='0'/></joint><link name='l2' mass='2' center='0.5 0 0'/>"
    "<joint name='j3' type='revolute' from='l2' to='l3'><craig alpha='0' a='0.5' theta='0' "
    "d='0'/></joint><link name='l3' mass='3' center='0.4 0 0'/></linkwork>";

TEST(K11_three_link_arm_of_the_textbook)
{
    bench *b = bench_of(compile_text("three.xml", three_links, NULL), true, LW_FORM_UICKER);
    if (b->is_good) {
        lwi_polys *s = &b->c.s;
        // With r2 = rx2 c2 and r3 = a2 c2 + rx3 c23 from the waist's axis.
        const lwi_poly r2 = read(b, "rx2 c2"), r3 = read(b, "a2 c2 + rx3 c2 c3 - rx3 s2 s3");
        lwi_poly M11 = lwi_poly_mul(s, var(b, "m2"), lwi_poly_mul(s, r2, r2));
        M11 = lwi_poly_add(s, M11, lwi_poly_mul(s, var(b, "m3"), lwi_poly_mul(s, r3, r3)));
        M11 = lwi_poly_add(s, M11, var(b, "Izz1"));
        CHECK(lwi_poly_equal(s, b->c.M[0], M11));
        check_zero(b->c.M[1]);
        check_zero(b->c.M[2]);
        CHECK_POLY(b, b->c.M[4], "m2 rx2 rx2 + m3 a2 a2 + m3 rx3 rx3 + 2 m3 a2 rx3 c3");
        CHECK_POLY(b, b->c.M[5], "m3 rx3 rx3 + m3 a2 rx3 c3");
        CHECK_POLY(b, b->c.M[8], "m3 rx3 rx3");
        check_zero(b->c.G[0]);
        CHECK_POLY(b, b->c.G[2], "m3 g rx3 c2 c3 - m3 g rx3 s2 s3");
        // The waist feels the arm through its rate: B_112 = dM11/dq2 / 2.
        const lwi_poly half = lwi_poly_scale(s, 0.5, lwi_poly_derivative(s, M11, 1));
        CHECK(lwi_poly_equal(s, b->c.B[1], half));
    }
    bench_close(b);
}

// --- What cannot be ---------------------------------------------------------------------------

TEST(K21_a_mass_matrix_without_inertia_in_link_1_is_refused)
{
    lw_model *m = shipped_model("vibran6.xml");
    lw_report *report = new_report();
    lw_derivation *d = NULL;
    lw_derive_options o = lw_default_derive_options();
    o.functions = 1u << LW_FUNCTION_FORWARD_DYNAMICS;
    CHECK_INT(lw_derive(m, &o, &d, report), LW_ERR_SINGULAR);
    CHECK(d == NULL);
    CHECK_INT(lw_report_errors(report), 1);
    CHECK_HAS(lw_report_diagnostic(report, 0).message, "joint1");
    lw_report_destroy(report);
    lw_model_destroy(m);
}

TEST(V24_limits_are_told)
{
    lw_model *m = shipped_model("puma560.xml");
    lw_report *report = new_report();
    lw_derivation *d = NULL;
    lw_derive_options o = lw_default_derive_options();
    o.max_nodes = 100;
    CHECK_INT(lw_derive(m, &o, &d, report), LW_ERR_LIMIT);
    CHECK(d == NULL);
    CHECK_HAS(lw_report_diagnostic(report, 0).message, "limit");
    o.max_nodes = 0;
    o.functions = 0;
    CHECK_INT(lw_derive(m, &o, &d, report), LW_ERR_ARGUMENT);
    o.functions = 1u << LW_FUNCTION_COUNT;
    CHECK_INT(lw_derive(m, &o, &d, report), LW_ERR_ARGUMENT);
    o = lw_default_derive_options();
    o.effort = 4;
    CHECK_INT(lw_derive(m, &o, &d, report), LW_ERR_ARGUMENT);
    CHECK_INT(lw_derive(NULL, NULL, &d, report), LW_ERR_ARGUMENT);
    lw_report_destroy(report);
    lw_model_destroy(m);
}

// --- An unbalanced rotor ----------------------------------------------------------------------

TEST(V18_V19_unbalance_in_the_gripper_gives_the_transposed_jacobian_times_its_force)
{
    lw_model *m = shipped_model("vibran6.xml");
    const lw_unbalance rotor = {lw_find_frame(m, "tool"), 0.002, 0.003, 50.0};
    lw_derive_options o = lw_default_derive_options();
    o.functions = 1u << LW_FUNCTION_LOADS | 1u << LW_FUNCTION_INVERSE_DYNAMICS;
    o.frame = rotor.frame;
    o.unbalance = &rotor;
    lw_derivation *d = NULL;
    CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK);
    const double q[6] = {0.3, -0.4, 0.9, 1.1, -0.7, 0.2}, v[6] = {0.4, 0.1, -0.3, 0.2, 0.5, -0.6};
    // The Jacobian and the pose are the numeric engine's.
    double Q[6], J[36], mean[6] = {0}, tau[6], still[6];
    lw_data *data = new_data(m);
    lw_pose X;
    CHECK_INT(lw_frame_jacobian(m, data, q, rotor.frame, LW_IN_WORLD, NULL, J), LW_OK);
    CHECK_INT(lw_forward_position(m, data, q), LW_OK);
    CHECK_INT(lw_frame_pose(m, data, rotor.frame, &X), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, data, q, v, v, NULL, still), LW_OK);
    enum { STEPS = 16 };
    for (int t = 0; t < STEPS && d; ++t) {
        const double time = t * 2.0 * 3.14159265358979323846 / 50.0 / STEPS;
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_LOADS, q, NULL, NULL, time, NULL, Q), LW_OK);
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, v, time, NULL, tau),
                  LW_OK);
        const double size = 0.002 * 0.003 * 50.0 * 50.0;
        const double c = cos(50 * time), s = sin(50 * time);
        for (int i = 0; i < 6; ++i) {
            double want = 0.0;
            for (int r = 0; r < 3; ++r) {
                const double *row = &X.R.row[r].x;
                want += J[(3 + r) * 6 + i] * size * (row[0] * c + row[1] * s);
            }
            CHECK_NEAR(Q[i], want, 1e-15);
            CHECK_NEAR(tau[i], still[i] - want, 1e-13); // the drives need not bring what it brings
            mean[i] += Q[i] / STEPS;
        }
    }
    // Over a whole turn nothing is left.
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(mean[i], 0.0, 1e-16);
    }
    lw_data_destroy(data);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// --- Frames and base parameters ---------------------------------------------------------------

static lw_pose craig(const lwi_denavit *row, double turn, double way)
{
    const lw_mat3 A = lw_rotation(lw_vec3_of(1, 0, 0), row->alpha);
    const lw_mat3 B = lw_rotation(lw_vec3_of(0, 0, 1), row->theta + turn);
    const lw_pose first = {A, {row->a, 0, 0}}, second = {B, {0, 0, row->d + way}};
    return lw_pose_mul(&first, &second);
}

// The table gives the same poses as the placements of the model.
TEST(V03_K08_denavit_table_gives_the_same_poses)
{
    static const char *const name[] = {"scara.xml",    "vibran6.xml",   "puma560.xml",
                                       "stanford.xml", "ur5_class.xml", "gantry.xml"};
    check_seed(5);
    for (size_t f = 0; f < sizeof name / sizeof *name; ++f) {
        lw_model *m = shipped_model(name[f]);
        lwi_denavit row[12];
        lw_pose X, Y = lw_pose_identity(), tip;
        check_case("%s", name[f]);
        if (m && CHECK(lwi_is_chain(m)) && CHECK(m->nbody <= 12)) {
            lwi_denavit_table(m, row, &X, &tip);
            for (int i = 0; i < m->nbody; ++i) {
                const double q = check_random(-2.0, 2.0);
                const bool slides = m->carrier[i] == LW_TREE_PRISMATIC;
                const lw_mat3 turn = lw_rotation(lw_vec3_of(0, 0, 1), slides ? 0.0 : q);
                const lw_pose J = {turn, {0, 0, slides ? q : 0.0}};
                const lw_pose A = craig(&row[i], slides ? 0.0 : q, slides ? q : 0.0);
                X = lw_pose_mul(&X, &A);
                Y = lw_pose_mul(&Y, &m->X_PJ[i]);
                Y = lw_pose_mul(&Y, &J);
            }
            X = lw_pose_mul(&X, &tip);
            CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-12);
            for (int r = 0; r < 3; ++r) {
                CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[r], Y.R.row[r])), 0.0, 1e-12);
            }
        }
        lw_model_destroy(m);
    }
}

// Numbers of base parameters as the literature has them (Khalil and Dombre for the PUMA 560: 36
// without rotors), and tau = Y p from the combinations alone.
TEST(base_parameters_give_the_forces)
{
    static const struct {
        const char *name;
        int rank;
    } robot[] = {{"puma560.xml", 36}, {"scara.xml", 8}};
    check_seed(6);
    for (size_t f = 0; f < sizeof robot / sizeof *robot; ++f) {
        lw_model *m = shipped_model(robot[f].name);
        const size_t n = m ? 10 * (size_t)m->nbody : 0, nv = m ? (size_t)m->nv : 0;
        int rank = 0, *column = calloc(n + 1, sizeof *column);
        double *K = calloc(n * n + 1, sizeof *K), *Y = calloc(nv * n + 1, sizeof *Y);
        double p[100], q[12], v[12], a[12], tau[12];
        lw_data *d = new_data(m);
        lw_dynamics_options ideal = lw_default_dynamics_options(m);
        ideal.is_ideal = true;
        lw_set_dynamics_options(d, &ideal);
        CHECK_INT(lw_base_parameters(m, &rank, column, K, NULL), LW_OK);
        CHECK_INT(rank, robot[f].rank);
        for (int i = 0; i < m->nv; ++i) {
            q[i] = check_random(-2.0, 2.0);
            v[i] = check_random(-2.0, 2.0);
            a[i] = check_random(-2.0, 2.0);
        }
        lw_inertial_parameters(m, p);
        lw_regressor(m, d, q, v, a, Y);
        lw_inverse_dynamics(m, d, q, v, a, NULL, tau);
        for (size_t i = 0; i < nv; ++i) {
            double sum = 0.0;
            for (int r = 0; r < rank; ++r) {
                double base = 0.0;
                for (size_t c = 0; c < n; ++c) {
                    base += K[(size_t)r * n + c] * p[c];
                }
                sum += Y[i * n + (size_t)column[r]] * base;
            }
            CHECK_NEAR(sum, tau[i], 1e-9 * fmax(1.0, fabs(tau[i])));
        }
        free(column);
        free(K);
        free(Y);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(K24_the_scara_of_paper_001_symbol_by_symbol);
    RUN(K24_the_scara_of_paper_001_from_its_specification);
    RUN(K24_the_same_by_traces);
    RUN(V17_G6_of_paper_002);
    RUN(V10_zero_pattern_of_the_153_elements);
    RUN(V01_traces_and_energies_give_the_same_polynomials);
    RUN(V01_closed_forms_of_joints_that_follow_linearly);
    RUN(a_joint_that_prevents_closed_forms_is_named);
    RUN(K11_two_link_arm_of_the_textbook);
    RUN(K11_three_link_arm_of_the_textbook);
    RUN(K21_a_mass_matrix_without_inertia_in_link_1_is_refused);
    RUN(V24_limits_are_told);
    RUN(V18_V19_unbalance_in_the_gripper_gives_the_transposed_jacobian_times_its_force);
    RUN(V03_K08_denavit_table_gives_the_same_poses);
    RUN(base_parameters_give_the_forces);
    return REPORT();
}
