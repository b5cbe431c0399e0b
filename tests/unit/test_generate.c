// Code of real machines: compiled by both compilers, recounted, and as accurate as it should be.

#include "check.h"
#include "compiled.h"
#include "generated_code.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "tape_accuracy.h"

#include <linkwork/compile.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/generate.h>
#include <linkwork/io.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

// --- Counts -----------------------------------------------------------------------------------

static void check_counts(const char *text, const char *head, lw_counts want)
{
    lw_counts counts;
    CHECK(compiled_recount(text, head, &counts));
    CHECK_INT(counts.mul, want.mul);
    CHECK_INT(counts.add, want.add);
    CHECK_INT(counts.div, want.div);
    CHECK_INT(counts.sqrt, want.sqrt);
    CHECK_INT(counts.sincos, want.sincos);
    CHECK_INT(counts.other, want.other);
}

TEST(counts_of_derivations_are_recounted_from_the_text)
{
    static const char *const model[] = {"scara.xml", "ur5_class.xml", "vibran6.xml",
                                        "closed/palletiser.xml", "closed/slider_crank.xml"};
    const unsigned functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX |
                               1u << LW_FUNCTION_JACOBIAN | 1u << LW_FUNCTION_GRAVITY;
    for (size_t i = 0; i < 2 * sizeof model / sizeof *model; ++i) {
        const bool is_symbolic = i % 2 == 1;
        lw_model *m = shipped_model(model[i / 2]);
        lw_derivation *d = m ? derive_quickly(m, functions, is_symbolic, false) : NULL;
        if (d) {
            char *c = generate_arm(d, (lw_generate_options){.lanes = 1});
            char *python =
                generate_arm(d, (lw_generate_options){.lanes = 1, .language = LW_LANGUAGE_PYTHON});
            for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
                const lw_function which = (lw_function)f;
                if ((functions & 1u << f) != 0) {
                    char head[80];
                    check_case("%s, %s, %s", model[i / 2], lw_function_name(which),
                               is_symbolic ? "symbolic" : "numbers");
                    snprintf(head, sizeof head, "void arm_%s(", lw_function_name(which));
                    check_counts(c, head, lw_derivation_counts(d, which));
                    snprintf(head, sizeof head, "def %s(", lw_function_name(which));
                    check_counts(python, head, lw_derivation_counts(d, which));
                }
            }
            lw_text_free(c);
            lw_text_free(python);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

// --- Compilers --------------------------------------------------------------------------------

static void check_all_kinds(const char *compiler)
{
    static const struct {
        const char *model;
        bool is_symbolic, is_sincos_input;
        lw_generate_options options;
        const char *flags, *tolerance;
    } kinds[] = {
        {"ur5_class.xml", false, false, {.lanes = 1}, "-O2 -Wpedantic", "1e-9"},
        {"ur5_class.xml", true, false, {.lanes = 1}, "-O1 -Wpedantic", "1e-9"},
        {"scara.xml", true, true, {.lanes = 1}, "-O1 -Wpedantic", "1e-9"},
        {"stanford.xml", false, false, {.lanes = 1, .sincos = LW_SINCOS_INLINE}, "-O2", "1e-9"},
        {"scara.xml",
         false,
         false,
         {.lanes = 1, .real = LW_REAL_FLOAT},
         "-O1 -Wpedantic -Wdouble-promotion",
         "1e-3f"},
        {"ur5_class.xml",
         false,
         false,
         {.lanes = 4, .sincos = LW_SINCOS_INLINE},
         "-O1 -Wno-psabi",
         "1e-9"},
        {"scara.xml", true, true, {.lanes = 8}, "-O1 -Wno-psabi", "1e-9"},
        {"closed/palletiser.xml", false, false, {.lanes = 1}, "-O1 -Wpedantic", "1e-9"},
        {"closed/palletiser.xml",
         false,
         false,
         {.lanes = 4, .sincos = LW_SINCOS_INLINE},
         "-O1 -Wno-psabi",
         "1e-9"},
    };
    if (!compiled_has(compiler)) {
        check_skip("%s is not installed", compiler);
        return;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        lw_model *m = shipped_model(kinds[k].model);
        lw_derivation *d =
            m ? derive_quickly(m,
                               1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX,
                               kinds[k].is_symbolic, kinds[k].is_sincos_input)
              : NULL;
        check_case("%s, kind %zu, %s", compiler, k, kinds[k].model);
        if (d) {
            char *text = generate_arm(d, kinds[k].options);
            char *again = generate_arm(d, kinds[k].options);
            CHECK_TEXT(again, text);
            compiled_self_check(folder, compiler, kinds[k].flags, text, kinds[k].tolerance);
            lw_text_free(text);
            lw_text_free(again);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(K20_code_of_machines_compiles_and_checks_itself_under_gcc)
{
    check_all_kinds("gcc");
}

TEST(K20_code_of_machines_compiles_and_checks_itself_under_clang)
{
    check_all_kinds("clang-14");
}

static bool has_fma(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

// Sines and cosines one by one, in vectors of two and of four, and products that a processor could
// fuse: not a bit is different where the code is told to keep them apart.
TEST(K20_unfused_code_gives_the_same_bits_by_every_compiler)
{
    static const char main_text[] =
        "#include \"arm.h\"\n#include <stdio.h>\nint main(void)\n{\n"
        "    unsigned x = 1;\n    for (int i = 0; i < 1000; ++i) {\n"
        "        double state[18], tau[6], M[36];\n"
        "        for (int k = 0; k < 18; ++k) {\n            x = x * 1664525u + 1013904223u;\n"
        "            state[k] = ((x >> 8) / 16777216.0 - 0.5) * (i % 2 ? 7 : 1e5);\n        }\n"
        "        arm_inverse_dynamics(state, state + 6, state + 12, tau);\n"
        "        arm_mass_matrix(state, M);\n"
        "        for (int k = 0; k < 6; ++k) {\n            printf(\"%a %a\\n\", tau[k], M[7 * "
        "k]);\n"
        "        }\n    }\n    return 0;\n}\n";
    static const struct {
        const char *compiler, *flags;
        bool needs_fma;
    } build[] = {{"gcc", "-O2", false},
                 {"gcc", "-O3 -mavx2 -mfma -ffp-contract=fast", true},
                 {"gcc", "-O1 -U__SSE2__ -U__AVX__", false},
                 {"clang-14", "-O2", false},
                 {"clang-14", "-O3 -mavx2 -mfma", true}};
    const unsigned functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX;
    lw_model *m = shipped_model("ur5_class.xml");
    lw_derivation *d = m ? derive_quickly(m, functions, false, false) : NULL;
    char *text = d ? generate_arm(d, lw_default_generate_options()) : calloc(1, 1);
    bool has_first = false;
    CHECK(compiled_write(folder, "arm.h", text) && compiled_write(folder, "bits.c", main_text));
    for (size_t k = 0; k < sizeof build / sizeof *build; ++k) {
        if (!compiled_has(build[k].compiler) || (build[k].needs_fma && !has_fma())) {
            continue;
        }
        check_case("%s %s", build[k].compiler, build[k].flags);
        if (!CHECK_INT(compiled_run(folder, "%s -std=c99 -DLINKWORK_UNFUSED %s -o bits bits.c -lm",
                                    build[k].compiler, build[k].flags),
                       0)) {
            compiled_show_log(folder);
        }
        CHECK_INT(compiled_run(folder, "./bits >%s && cmp first %s", has_first ? "other" : "first",
                               has_first ? "other" : "first"),
                  0);
        has_first = true;
    }
    if (!has_first) {
        check_skip("no compiler is installed");
    }
    lw_text_free(text);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// Paper 002's robot carries grams on centimetres: the last joint feels a weight of a micronewton
// metre, and its number must matter all the same.
TEST(self_check_of_a_small_machine_sees_small_numbers)
{
    lw_model *m = shipped_model("vibran6.xml");
    lw_derivation *d = derive_quickly(m, 1u << LW_FUNCTION_GRAVITY, false, false);
    char *text = generate_arm(d, (lw_generate_options){.lanes = 1});
    compiled_self_check(folder, "gcc", "-O1", text, "1e-9");
    bool is_changed = false;
    for (char *at = text; (at = strstr(at, "0.00000141210")) != NULL; ++at) {
        at[10] = '3'; // 1.432e-6
        is_changed = true;
    }
    if (CHECK(is_changed)) {
        CHECK(compiled_write(folder, "arm.h", text));
        CHECK_INT(compiled_run(folder, "gcc -std=c99 -o arm arm.c -lm"), 0);
        CHECK_INT(compiled_run(folder, "./arm"), 1);
    }
    lw_text_free(text);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

TEST(options_that_do_not_go_together_are_refused)
{
    lw_model *m = shipped_model("scara.xml");
    lw_derivation *d = derive_quickly(m, 1u << LW_FUNCTION_GRAVITY, false, false);
    static const lw_generate_options bad[] = {
        {.lanes = 0},
        {.lanes = 3, .sincos = LW_SINCOS_INLINE},
        {.lanes = 32, .sincos = LW_SINCOS_INLINE},
        {.lanes = 4},
        {.lanes = 1, .language = LW_LANGUAGE_PYTHON, .real = LW_REAL_FLOAT},
        {.lanes = 4, .language = LW_LANGUAGE_PYTHON, .sincos = LW_SINCOS_INLINE},
        {.lanes = 1, .language = LW_LANGUAGE_FORTRAN, .real = LW_REAL_FLOAT},
        {.lanes = 1, .language = (lw_language)7},
        {.lanes = 1, .real = (lw_real)-1},
        {.lanes = 1, .sincos = (lw_sincos)2},
    };
    char *text = (char *)1;
    size_t size;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        lw_report *report = new_report();
        CHECK_INT(lw_generate(d, &bad[i], &text, &size, report), LW_ERR_ARGUMENT);
        CHECK(!text);
        CHECK_INT(lw_report_errors(report), 1);
        lw_report_destroy(report);
    }
    text = (char *)1;
    CHECK_INT(lw_generate(NULL, NULL, &text, &size, NULL), LW_ERR_ARGUMENT);
    CHECK(!text);
    text = (char *)1;
    CHECK_INT(lw_derivation_document(d, (lw_document)9, &text), LW_ERR_ARGUMENT);
    CHECK(!text);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// --- Inputs -----------------------------------------------------------------------------------

// Two links, of which the second has a centre of mass and moments that are zero or equal, or not.
static lw_model *two_links(const char *center, const char *inertia, const char *damping)
{
    char text[1200];
    snprintf(text, sizeof text,
             "<linkwork version='1' name='two'><ground/>"
             "<joint name='one' type='revolute' from='ground' to='upper' damping='%s'/>"
             "<link name='upper' mass='2' center='0.2 0 0' inertia='0.1 0.2 0.3'/>"
             "<joint name='two' type='revolute' from='upper' to='lower'>"
             "<craig alpha='0.5' a='0.5' theta='0' d='0.1'/></joint>"
             "<link name='lower' mass='3' center='%s' inertia='%s'>"
             "<frame name='tool' xyz='0.5 0 0'/></link></linkwork>",
             damping, center, inertia);
    return compile_text("two.xml", text, NULL);
}

TEST(inputs_asked_for_stay_inputs_though_zero_or_equal)
{
    static const double q[2] = {0.3, -0.7}, v[2] = {0.5, 1.25}, a[2] = {-1, 2};
    lw_model *m = two_links("0.25 0 0", "0.2 0.2 0.2", "0");
    lw_model *other = two_links("0.25 0.125 0", "0.25 0.3 0.2", "0.5");
    lw_derive_options options = lw_default_derive_options();
    options.effort = 0;
    options.inputs = "ry_lower,Iyy_lower,Ixx_lower,b_one";
    for (int is_symbolic = 0; is_symbolic < 2 && m && other; ++is_symbolic) {
        lw_derivation *d = NULL;
        double value[40], want[2], got[2];
        int found = 0;
        options.is_symbolic = is_symbolic;
        check_case("symbolic: %d", is_symbolic);
        if (!CHECK_INT(lw_derive(m, &options, &d, NULL), LW_OK)) {
            break;
        }
        const int n = lw_derivation_nsymbol(d);
        for (int i = 0; CHECK(n <= 40) && i < n; ++i) {
            const lw_symbol_info s = lw_derivation_symbol(d, i);
            value[i] = s.value;
            if (strcmp(s.name, "ry_lower") == 0) {
                CHECK(s.value == 0);
                value[i] = 0.125;
            } else if (strcmp(s.name, "Ixx_lower") == 0) {
                value[i] = 0.25;
            } else if (strcmp(s.name, "Iyy_lower") == 0) {
                value[i] = 0.3;
            } else if (strcmp(s.name, "b_one") == 0) {
                CHECK(s.value == 0);
                value[i] = 0.5;
            } else {
                continue;
            }
            ++found;
        }
        CHECK_INT(found, 4);
        CHECK(is_symbolic ? n > 4 : n == 4);
        lw_data *data = new_data(other);
        CHECK_INT(lw_inverse_dynamics(other, data, q, v, a, NULL, want), LW_OK);
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0, value, got),
                  LW_OK);
        CHECK_CLOSE(got, want, 2, 1e-13);
        lw_data_destroy(data);
        data = new_data(m);
        CHECK_INT(lw_inverse_dynamics(m, data, q, v, a, NULL, want), LW_OK);
        CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0, NULL, got), LW_OK);
        CHECK_CLOSE(got, want, 2, 1e-13);
        lw_data_destroy(data);
        lw_derivation_destroy(d);
    }
    lw_model_destroy(m);
    lw_model_destroy(other);
}

// An arm of the SCARA type, whose numbers stand in the text one after another.
static lw_model *scara_with(const double x[11])
{
    char text[2000];
    snprintf(text, sizeof text,
             "<linkwork version='1' name='arm'><ground/>"
             "<joint name='one' type='revolute' axis='0 0 1' from='ground' to='upper'"
             " friction='%.17g' damping='%.17g'/>"
             "<link name='upper' mass='%.17g' center='%.17g 0 0' inertia='0.1 0.2 0.3'>"
             "<frame name='end' xyz='%.17g 0 0'/></link>"
             "<joint name='two' type='revolute' axis='0 0 1' from='upper.end' to='fore'/>"
             "<link name='fore' mass='2' center='0.1 0 0' inertia='0.1 0.1 0.1'>"
             "<frame name='end' xyz='%.17g 0 0'/></link>"
             "<joint name='three' type='prismatic' axis='0 0 1' from='fore.end' to='quill'/>"
             "<link name='quill' mass='1' inertia='0.01 0.01 0.01'/>"
             "<joint name='four' type='revolute' axis='0 0 1' from='quill' to='tool'/>"
             "<link name='tool' mass='%.17g' center='%.17g 0 %.17g' inertia='%.17g 0.01 %.17g'>"
             "<frame name='tip' xyz='0.05 0 0.1'/></link></linkwork>",
             x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10]);
    return compile_text("arm.xml", text, NULL);
}

// Every function of code that was derived once, for another robot of the same kind, whose numbers
// are given as inputs only.
static void check_other_robot(lw_derivation *d, const lw_derivation *of_other,
                              const lw_model *other, unsigned functions)
{
    lw_engine *engine = NULL;
    lw_engine_options options = lw_default_engine_options(other);
    lw_data *data = new_data(other);
    double value[256], got[200], want[200], q[4], v[4], a[4], tau[4], x[12];
    unsigned long long seed = 4;
    lw_pose X;
    const int n = lw_derivation_nsymbol(d);
    options.frame = other->nframe - 1;
    options.functions = functions;
    CHECK_INT(lw_engine_numeric(other, &options, &engine), LW_OK);
    CHECK_INT(lw_derivation_nsymbol(of_other), n);
    CHECK(n <= 256);
    for (int i = 0; i < n && i < 256; ++i) {
        value[i] = lw_derivation_symbol(of_other, i).value;
    }
    for (int k = 0; k < 20; ++k) {
        lw_random_state(other, data, &seed, 1.0, q, v, a, tau);
        const lw_engine_state state = {4, 4, q, v, a, tau};
        for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
            const bool is_inverse = i == LW_FUNCTION_INVERSE_KINEMATICS;
            const int size = lw_function_size(other, (lw_function)i);
            if ((functions & 1u << i) == 0 || !CHECK(size <= 200)) {
                continue;
            }
            CHECK_INT(lw_pose_of_frame(other, data, q, options.frame, &X), LW_OK);
            memcpy(x, X.R.row, 9 * sizeof *x);
            memcpy(x + 9, &X.p, 3 * sizeof *x);
            CHECK_INT(lw_derivation_run(d, (lw_function)i, is_inverse ? x : q, v,
                                        i == LW_FUNCTION_FORWARD_DYNAMICS ? tau : a, 0.0, value,
                                        got),
                      LW_OK);
            if (!is_inverse) {
                CHECK_INT(lw_engine_run(engine, (lw_function)i, &state, want), LW_OK);
                // Frames keep their places on their bodies: of poses, that of the tip.
                const int from = i == LW_FUNCTION_POSES ? size - 12 : 0;
                CHECK_CLOSE(got + from, want + from, size - from, 1e-11);
            } else {
                CHECK(got[4] == 1.0 && got[9] == 1.0 && got[14] == 0.0);
                const double *row = fabs(sin(0.5 * (got[1] - q[1]))) < 1e-6 ? got : got + 5;
                for (int j = 0; j < 4; ++j) {
                    CHECK(fabs(sin(0.5 * (row[j] - q[j]))) < 1e-9);
                }
            }
        }
    }
    lw_engine_destroy(engine);
    lw_data_destroy(data);
}

TEST(K36_inputs_make_code_of_one_robot_that_of_another)
{
    static const double own[11] = {0.3, 0.2, 5, 0.15, 0.4, 0.3, 1, 0, 0.05, 0.02, 0.02},
                        others[11] = {0.7, 0.4, 6, 0.25, 0.45, 0.2, 4, 0.03, 0.08, 0.04, 0.03},
                        alike[11] = {0.7, 0.2, 5, 0.15, 0.5, 0.5, 1, 0, 0.05, 0.02, 0.02};
    const unsigned functions = 1u << LW_FUNCTION_POSES | 1u << LW_FUNCTION_JACOBIAN |
                               1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX |
                               1u << LW_FUNCTION_CORIOLIS_MATRIX | 1u << LW_FUNCTION_GRAVITY |
                               1u << LW_FUNCTION_FORWARD_DYNAMICS |
                               1u << LW_FUNCTION_INVERSE_KINEMATICS;
    static const struct {
        const char *inputs;
        int count, is_alike;
    } kinds[] = {{"f_one,b_one,m_upper,rx_upper,a_fore,a_quill,m_tool,rx_tool,rz_tool,Ixx_tool,"
                  "Izz_tool",
                  11, 0},
                 {"*_one,*_upper,link1=a_fore,link2=a_quill,*_tool", 27, 0},
                 {"arm=a_fore,arm=a_quill,f_*", 5, 1},
                 {"*", 60, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        double first[11];
        memcpy(first, own, sizeof first);
        first[5] = kinds[i].is_alike ? first[4] : first[5];
        lw_model *m = scara_with(first), *other = scara_with(kinds[i].is_alike ? alike : others);
        lw_derivation *d = NULL, *of_other = NULL;
        lw_derive_options options = lw_default_derive_options();
        options.functions = functions;
        options.is_apart = true;
        options.effort = 0;
        options.frame = m->nframe - 1;
        options.inputs = kinds[i].inputs;
        check_case("%s", kinds[i].inputs);
        if (CHECK_INT(lw_derive(m, &options, &d, NULL), LW_OK) &&
            CHECK_INT(lw_derive(other, &options, &of_other, NULL), LW_OK)) {
            CHECK(kinds[i].count == 60 || lw_derivation_nsymbol(d) == kinds[i].count);
            check_other_robot(d, of_other, other, functions);
            char *text = generate_arm(d, (lw_generate_options){.lanes = 1});
            compiled_self_check(folder, "gcc", "-O1", text, "1e-9");
            lw_text_free(text);
        }
        lw_derivation_destroy(d);
        lw_derivation_destroy(of_other);
        lw_model_destroy(m);
        lw_model_destroy(other);
    }
}

TEST(inputs_with_two_meanings_are_refused)
{
    lw_model *m = two_links("0.25 0 0", "0.2 0.2 0.2", "0");
    lw_report *report = new_report();
    lw_derivation *d = NULL;
    lw_derive_options options = lw_default_derive_options();
    options.effort = 0;
    options.inputs = "x=m_lower,x=m_upper";
    CHECK_INT(lw_derive(m, &options, &d, report), LW_ERR_ARGUMENT);
    CHECK(*diagnostic_with(report, "input \"x\" stands for 2 and, as m_lower, for 3"));
    lw_report_destroy(report);
    lw_model_destroy(m);
    m = shipped_model("puma560.xml"); // whose inverse kinematics has its lengths folded in
    report = new_report();
    options.inputs = "a_*";
    options.functions = 1u << LW_FUNCTION_INVERSE_KINEMATICS;
    options.frame = m->nframe - 1;
    CHECK_INT(lw_derive(m, &options, &d, report), LW_ERR_UNSUPPORTED);
    CHECK(*diagnostic_with(report, "lengths are inputs of SCARA"));
    lw_report_destroy(report);
    lw_model_destroy(m);
}

// A link whose frame need not be that of its joint, and which carries another.
static lw_model *oblique(const char *form, const char *center, const char *inertia,
                         const char *location)
{
    char text[1200];
    snprintf(text, sizeof text,
             "<linkwork version='1' name='arm'><ground/>"
             "<joint name='one' type='revolute' from='ground' to='fore'%s"
             "<link name='fore' mass='2' center='%s' inertia='%s'>"
             "<frame name='end' xyz='%s'/></link>"
             "<joint name='two' type='revolute' axis='1 0 1' from='fore.end' to='tool'/>"
             "<link name='tool' mass='1' center='0.1 0.2 0.3' inertia='0.1 0.1 0.1'/></linkwork>",
             form, center, inertia, location);
    return compile_text("arm.xml", text, NULL);
}

// The three numbers behind a mark in the line of the code that tells what a parameter is.
static lw_vec3 told(const char *text, const char *name, const char *mark, lw_vec3 other)
{
    char wanted[64], line[400];
    snprintf(wanted, sizeof wanted, " %s, ", name);
    const char *at = strstr(text, wanted);
    if (!CHECK(at)) {
        return other;
    }
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    const char *numbers = strstr(line, mark);
    lw_vec3 v = other;
    if (numbers) {
        CHECK_INT(sscanf(numbers + strlen(mark), "(%lf, %lf, %lf)", &v.x, &v.y, &v.z), 3);
        CHECK(strstr(line, "in the frame of the link"));
    }
    return v;
}

static lw_vec3 told_axis(const char *text, const char *name, char axis)
{
    const char mark[] = {axis, ' ', 'i', 's', ' ', 0};
    return told(text, name, mark, lw_vec3_of(axis == 'x', axis == 'y', axis == 'z'));
}

// What a parameter is for a link with this centre and tensor, and this place of the next joint, by
// what the code says of its axes.
static double converted(const char *text, const char *name, lw_vec3 center, const lw_mat3 *tensor,
                        lw_vec3 location)
{
    const lw_vec3 along = told_axis(text, name, name[1]);
    if (*name == 'I') {
        return lw_dot3(along, lw_rotate(tensor, told_axis(text, name, name[2])));
    }
    const lw_vec3 origin = told(text, name, "from ", lw_vec3_of(0, 0, 0));
    return lw_dot3(along, lw_sub3(*name == 'r' ? center : location, origin));
}

TEST(inputs_of_links_say_how_their_axes_stand_in_the_frame_of_the_link)
{
    static const double q[2] = {0.3, -0.7}, v[2] = {0.5, 1.25}, a[2] = {-1, 2};
    static const char *const form[] = {" axis='0 1 0'/>", "/>", " axis='1 2 -3'/>",
                                       "><paul alpha='1.2' a='0.4' theta='0.3' d='0.25'/></joint>"};
    static const lw_mat3 tensor = {{{0.4, 0.01, -0.02}, {0.01, 0.3, 0.03}, {-0.02, 0.03, 0.25}}};
    const lw_vec3 center = lw_vec3_of(0.3, 0.05, -0.1), location = lw_vec3_of(0.6, 0.1, 0.2);
    lw_derive_options options = lw_default_derive_options();
    options.effort = 0;
    options.inputs = "rx_fore,ry_fore,rz_fore,Ixx_fore,Iyy_fore,Izz_fore,Ixy_fore,Ixz_fore,"
                     "Iyz_fore,px_tool,py_tool,pz_tool";
    for (int i = 0; i < 8; ++i) {
        const bool is_python = i % 2 == 1;
        lw_model *m = oblique(form[i / 2], "0.2 0 0", "0.01 0.03 0.03", "0.5 0 0.1");
        lw_model *other =
            oblique(form[i / 2], "0.3 0.05 -0.1", "0.4 0.3 0.25 0.01 -0.02 0.03", "0.6 0.1 0.2");
        lw_derivation *d = NULL;
        double value[12], want[2], got[2];
        check_case("joint%s in %s", form[i / 2], is_python ? "Python" : "C");
        if (m && other && CHECK_INT(lw_derive(m, &options, &d, NULL), LW_OK) &&
            CHECK_INT(lw_derivation_nsymbol(d), 12)) {
            char *text = generate_arm(
                d, (lw_generate_options){
                       .lanes = 1, .language = is_python ? LW_LANGUAGE_PYTHON : LW_LANGUAGE_C});
            for (int k = 0; k < 12; ++k) {
                value[k] =
                    converted(text, lw_derivation_symbol(d, k).name, center, &tensor, location);
            }
            lw_data *data = new_data(other);
            CHECK_INT(lw_inverse_dynamics(other, data, q, v, a, NULL, want), LW_OK);
            CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0, value, got),
                      LW_OK);
            CHECK_CLOSE(got, want, 2, 1e-13);
            lw_data_destroy(data);
            lw_text_free(text);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
        lw_model_destroy(other);
    }
}

TEST(inputs_that_are_no_parameters_are_refused)
{
    lw_model *m = two_links("0.25 0 0", "0.2 0.2 0.2", "0");
    static const char *const bad[] = {"",         "m_lowe", "m_lower,", "m_lower,b_",
                                      "m_lower_", "m",      "x=",       "=m_lower",
                                      "x=m_lowe", "*_lowe", "z_*",      "m_lower=x"};
    lw_derive_options options = lw_default_derive_options();
    options.effort = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad && m; ++i) {
        lw_report *report = new_report();
        lw_derivation *d = NULL;
        options.inputs = bad[i];
        check_case("\"%s\"", bad[i]);
        CHECK_INT(lw_derive(m, &options, &d, report), LW_ERR_ARGUMENT);
        CHECK(!d);
        CHECK(*diagnostic_with(report, "there is no parameter"));
        lw_report_destroy(report);
    }
    lw_model *closed = shipped_model("closed/slider_crank.xml");
    lw_derivation *d = NULL;
    options.inputs = "py_crank"; // zero, and the rod may stand aslant
    CHECK_INT(lw_derive(closed, &options, &d, NULL), LW_OK);
    lw_derivation_destroy(d);
    options.inputs = "ry_crank,rx_crank";
    CHECK_INT(lw_derive(closed, &options, &d, NULL), LW_OK);
    CHECK_INT(lw_derivation_nsymbol(d), 2);
    lw_derivation_destroy(d);
    lw_model_destroy(closed);
    lw_model_destroy(m);
}

TEST(V25_places_of_parameters_and_frames_have_names)
{
    lw_model *m = two_links("0.25 0 0", "0.2 0.3 0.2", "0.5");
    lw_derivation *d = derive_quickly(m, 1u << LW_FUNCTION_POSES, true, false);
    char *c = generate_arm(d, (lw_generate_options){.lanes = 1});
    char *python =
        generate_arm(d, (lw_generate_options){.lanes = 1, .language = LW_LANGUAGE_PYTHON});
    CHECK(compiled_write(folder, "arm.h", c));
    CHECK(compiled_write(folder, "arm.py", python));
    CHECK(compiled_write(
        folder, "arm.c",
        "#include \"arm.h\"\n"
        "int main(void) { double q[2] = {0, 0}, X[12 * (arm_frame_lower_tool + 1)];\n"
        "    double k[9];\n"
        "    arm_poses_once(arm_parameters, k);\n"
        "    arm_poses(arm_parameters, k, q, X);\n"
        "    return !(arm_parameters[arm_p_m_lower] == 3 && arm_parameters[arm_p_b_one] == 0.5 &&\n"
        "             X[12 * arm_frame_lower_tool + 9] == 1 && arm_q_two == 1); }\n"));
    if (!CHECK_INT(compiled_run(folder, "gcc " COMPILED_STRICT " -Wpedantic -o arm arm.c -lm && "
                                        "./arm"),
                   0)) {
        compiled_show_log(folder);
    }
    if (compiled_has("python3") &&
        !CHECK_INT(compiled_run(folder,
                                "python3 -B -c 'import arm, sys; p = arm.PARAMETERS; "
                                "X = arm.poses(p, arm.poses_once(p), [0, 0]); sys.exit(not ("
                                "p[arm.P_m_lower] == 3 and p[arm.P_b_one] == 0.5 and "
                                "X[12 * arm.FRAME_lower_tool + 9] == 1 and "
                                "arm.Q_two == arm.V_two == 1))'"),
                   0)) {
        compiled_show_log(folder);
    }
    lw_text_free(c);
    lw_text_free(python);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

// --- Float ------------------------------------------------------------------------------------

static bool counts_differ(lw_counts a, lw_counts b)
{
    return a.mul != b.mul || a.add != b.add;
}

TEST(V05_float_leaves_out_terms_below_the_rounding_of_their_sum)
{
    static const lw_generate_options plain = {.lanes = 1, .real = LW_REAL_FLOAT},
                                     whole = {.lanes = 1,
                                              .real = LW_REAL_FLOAT,
                                              .keeps_small = true},
                                     wide = {.lanes = 1};
    // The last link is off its axis by a nanometre, or by a millimetre.
    static const char *const center[] = {"0.25 0 0", "0.25 1e-9 0", "0.25 1e-3 0"};
    static const char head[] = "void arm_inverse_dynamics(";
    lw_counts none = {0};
    for (int i = 0; i < 3; ++i) {
        lw_model *m = two_links(center[i], "0.1 0.2 0.3", "0");
        lw_derivation *d = derive_quickly(m, 1u << LW_FUNCTION_INVERSE_DYNAMICS, false, false);
        char *text[3] = {generate_arm(d, plain), generate_arm(d, whole), generate_arm(d, wide)};
        lw_counts n[3];
        check_case("%s", center[i]);
        for (int k = 0; k < 3; ++k) {
            CHECK(compiled_recount(text[k], head, &n[k]));
        }
        CHECK(!counts_differ(n[1], n[2]));
        CHECK_INT(counts_differ(n[0], n[1]), i == 1);
        none = i == 0 ? n[0] : none;
        CHECK(i != 1 || !counts_differ(n[0], none));
        compiled_self_check(folder, "gcc", "-O1 -Wdouble-promotion", text[0], "1e-5f");
        for (int k = 0; k < 3; ++k) {
            lw_text_free(text[k]);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

// --- Accuracy ---------------------------------------------------------------------------------

// At most four times the error of plain Newton-Euler, against long double.
TEST(generated_code_is_as_accurate_as_the_recursion)
{
    accuracy_check(folder, "ur5_class.xml", LW_SINCOS_LIBRARY, 0);
    accuracy_check(folder, "ur5_class.xml", LW_SINCOS_INLINE, 0);
    accuracy_check(folder, "panda_class.xml", LW_SINCOS_INLINE, 0);
    accuracy_check(folder, "puma560.xml", LW_SINCOS_LIBRARY, 0);
    accuracy_check(folder, "scara.xml", LW_SINCOS_LIBRARY, 1); // with cheaper equations
    accuracy_check(folder, "stanford.xml", LW_SINCOS_INLINE, 0);
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    RUN(counts_of_derivations_are_recounted_from_the_text);
    RUN(K20_code_of_machines_compiles_and_checks_itself_under_gcc);
    RUN(K20_code_of_machines_compiles_and_checks_itself_under_clang);
    RUN(K20_unfused_code_gives_the_same_bits_by_every_compiler);
    RUN(self_check_of_a_small_machine_sees_small_numbers);
    RUN(options_that_do_not_go_together_are_refused);
    RUN(inputs_asked_for_stay_inputs_though_zero_or_equal);
    RUN(K36_inputs_make_code_of_one_robot_that_of_another);
    RUN(inputs_with_two_meanings_are_refused);
    RUN(inputs_of_links_say_how_their_axes_stand_in_the_frame_of_the_link);
    RUN(inputs_that_are_no_parameters_are_refused);
    RUN(V25_places_of_parameters_and_frames_have_names);
    RUN(V05_float_leaves_out_terms_below_the_rounding_of_their_sum);
    RUN(generated_code_is_as_accurate_as_the_recursion);
    compiled_remove(folder);
    return REPORT();
}
