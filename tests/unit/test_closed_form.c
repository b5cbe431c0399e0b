// Closed forms: against the printed equations of the papers and of textbooks, symbol by symbol, and
// against each other.
#include "check.h"
#include "load_text.h"
#include "reference.h"

#include <linkwork/symbolic.h>

#include "sym/lagrange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- A machine with its closed form ------------------------------------------------------------

typedef struct bench {
    lw_model *m;
    lwi_graph *g;
    lwi_machine k;
    lwi_closed c;
    bool is_good;
} bench;

static void bench_close(bench *b)
{
    lwi_closed_free(&b->c);
    lwi_machine_free(&b->k);
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
    b->is_good = m && CHECK_INT(lwi_machine_init(&b->k, m, &o, b->g, NULL), LW_OK) &&
                 CHECK_INT(lwi_closed_init(&b->c, &b->k, form), LW_OK);
    return b;
}

static bench *bench_file(const char *name, bool is_symbolic, lw_form form)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name);
    return bench_of(compile_file(path, false), is_symbolic, form);
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

int main(void)
{
    RUN(K24_the_scara_of_paper_001_symbol_by_symbol);
    RUN(K24_the_same_by_traces);
    RUN(V17_G6_of_paper_002);
    RUN(V10_zero_pattern_of_the_153_elements);
    RUN(V01_traces_and_energies_give_the_same_polynomials);
    return REPORT();
}
