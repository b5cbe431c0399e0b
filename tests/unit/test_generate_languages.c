// Generated modules of other languages than C, and plants, run by their own compilers.

#include "check.h"
#include "compiled.h"
#include "generated_code.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/dynamics.h>
#include <linkwork/generate.h>
#include <linkwork/simulate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

// The module arm.f90 at one state, against the algorithms of the library.
static void fortran_is_numeric(const lw_model *m)
{
    char text[4000];
    double q[16], v[16], a[16], tau[16], M[256], got;
    lw_data *data = NULL;
    const int nv = m->nv;
    if (!CHECK(nv <= 16 && m->nq == nv) || !CHECK_INT(lw_data_create(m, &data), LW_OK)) {
        return;
    }
    int used = snprintf(text, sizeof text,
                        "program state\nuse arm\nreal(kind(1d0)) :: q(%d), v(%d), a(%d), tau(%d), "
                        "M(%d)\n",
                        nv, nv, nv, nv, nv * nv);
    for (int i = 0; i < nv; ++i) {
        q[i] = m->q_reference[i] + 0.03125 * (i % 3);
        v[i] = 0.5 - 0.25 * i;
        a[i] = 1.0 + 0.125 * i;
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "q(%d) = %.17gd0\nv(%d) = %.17gd0\na(%d) = %.17gd0\n", i + 1, q[i], i + 1,
                         v[i], i + 1, a[i]);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "call inverse_dynamics(q, v, a, tau)\ncall mass_matrix(q, M)\n"
             "open(10, file='numbers', form='formatted')\n"
             "write(10, '(es26.17)') tau, M\nend program\n");
    CHECK_INT(lw_inverse_dynamics(m, data, q, v, a, NULL, tau), LW_OK);
    CHECK_INT(lw_mass_matrix(m, data, q, M), LW_OK);
    CHECK(compiled_write(folder, "state.f90", text));
    if (!CHECK_INT(compiled_run(folder, "gfortran -O2 -o state arm.f90 state.f90 && ./state"), 0)) {
        compiled_show_log(folder);
    }
    char path[100];
    snprintf(path, sizeof path, "%s/numbers", folder);
    FILE *file = fopen(path, "r");
    double tau_size = 1.0, M_size = 1.0;
    for (int i = 0; i < nv * nv; ++i) {
        tau_size = i < nv ? fmax(tau_size, fabs(tau[i])) : tau_size;
        M_size = fmax(M_size, fabs(M[i]));
    }
    for (int i = 0; CHECK(file) && i < nv + nv * nv; ++i) {
        if (CHECK_INT(fscanf(file, "%lf", &got), 1)) {
            CHECK_NEAR(got, i < nv ? tau[i] : M[i - nv], 1e-12 * (i < nv ? tau_size : M_size));
        }
    }
    if (file) {
        fclose(file);
    }
    lw_data_destroy(data);
}

// V25: the emitter is separable: the same tapes in other languages, loops without a closed form
// too.
TEST(V25_modules_of_Python_and_JavaScript_check_themselves)
{
    static const char *const model[] = {"ur5_class.xml", "closed/palletiser.xml",
                                        "closed/stewart.xml"};
    static const struct {
        lw_language language;
        const char *runner, *file, *command;
    } script[] = {
        {LW_LANGUAGE_PYTHON, "python3", "arm.py",
         "python3 -B -c 'import arm, sys; sys.exit(not arm.self_check() < 1e-9)'"},
        {LW_LANGUAGE_JAVASCRIPT, "node", "arm.mjs",
         "node -e 'import(\"./arm.mjs\").then((arm) => process.exit(Number(!(arm.self_check() < "
         "1e-9))))'"}};
    for (int i = 0; i < 6; ++i) {
        const bool is_symbolic = i % 2 == 1 && i < 4;
        lw_model *m = shipped_model(model[i / 2]);
        lw_derivation *d = m ? derive_quickly(m,
                                              1u << LW_FUNCTION_INVERSE_DYNAMICS |
                                                  1u << LW_FUNCTION_FORWARD_DYNAMICS,
                                              is_symbolic, false)
                             : NULL;
        for (size_t k = 0; k < sizeof script / sizeof *script && d && (i < 4 || i % 2 == 0); ++k) {
            if (!compiled_has(script[k].runner)) {
                continue;
            }
            char *text =
                generate_arm(d, (lw_generate_options){.lanes = 1, .language = script[k].language});
            CHECK(compiled_write(folder, script[k].file, text));
            check_case("%s, %s", model[i / 2], script[k].runner);
            if (!CHECK_INT(compiled_run(folder, "%s", script[k].command), 0)) {
                compiled_show_log(folder);
            }
            lw_text_free(text);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

// The module arm.f90, which checks itself.
static void check_fortran(lw_derivation *d)
{
    char *text =
        generate_arm(d, (lw_generate_options){.lanes = 1, .language = LW_LANGUAGE_FORTRAN});
    CHECK(compiled_write(folder, "arm.f90", text));
    CHECK(compiled_write(
        folder, "check.f90",
        "program check\nuse arm\nif (.not. self_check() < 1d-9) stop 1\nend program\n"));
    if (!CHECK_INT(compiled_run(folder, "gfortran -std=f2008 -Wall -Wno-unused-dummy-argument "
                                        "-Wno-unused-function -Werror -O1 -o check arm.f90 "
                                        "check.f90 && ./check"),
                   0)) {
        compiled_show_log(folder);
    }
    lw_text_free(text);
}

// V25: paper 002's own language. A driver reads states and prints all digits; the numbers are those
// of the same equations run here.
TEST(V25_modules_of_Fortran_give_the_same_numbers)
{
    static const char *const model[] = {"ur5_class.xml", "scara.xml", "closed/palletiser.xml",
                                        "ur5_class.xml"};
    static const lw_function which[] = {LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX,
                                        LW_FUNCTION_FORWARD_DYNAMICS};
    if (!compiled_has("gfortran")) {
        check_skip("gfortran is not installed");
        return;
    }
    for (int i = 0; i < 4; ++i) {
        const bool is_symbolic = i == 3;
        lw_model *m = shipped_model(model[i]);
        unsigned functions = 0;
        for (int k = 0; k < 3; ++k) {
            functions |= 1u << which[k];
        }
        lw_derivation *d = m ? derive_quickly(m, functions, is_symbolic, false) : NULL;
        check_case("%s", model[i]);
        if (!CHECK(d)) {
            continue;
        }
        check_fortran(d);
        if (!is_symbolic) {
            fortran_is_numeric(m);
        }
        lw_derivation_destroy(d);
        lw_model_destroy(m);
    }
}

// The forces Q of loads beside positions q, which are one name in Fortran.
TEST(V25_a_module_of_Fortran_has_all_functions)
{
    if (!compiled_has("gfortran")) {
        check_skip("gfortran is not installed");
        return;
    }
    lw_model *m =
        compile_text("arm.xml",
                     "<linkwork version='1' name='arm'><ground/>"
                     "<joint name='lift' type='prismatic' from='ground' to='upper' axis='0 0 1'/>"
                     "<link name='upper' mass='2' center='0.2 0 0' inertia='0.1 0.2 0.3'/>"
                     "<joint name='elbow' type='revolute' from='upper' to='fore'>"
                     "<craig alpha='0.5' a='0.5' theta='0' d='0.1'/></joint>"
                     "<link name='fore' mass='3' center='0.2 0.1 0' inertia='0.1 0.1 0.1'/>"
                     "<load name='pull' at='fore' force='1 2 3'/></linkwork>",
                     NULL);
    const unsigned all = ((1u << LW_FUNCTION_COUNT) - 1) & ~(1u << LW_FUNCTION_INVERSE_KINEMATICS);
    for (int is_symbolic = 0; is_symbolic < 2 && CHECK(m); ++is_symbolic) {
        const unsigned none = is_symbolic ? 0 : 1u << LW_FUNCTION_PARAMETER_DERIVATIVES;
        lw_derivation *d = derive_quickly(m, all & ~none, is_symbolic == 1, false);
        if (CHECK(d)) {
            check_fortran(d);
        }
        lw_derivation_destroy(d);
    }
    CHECK(m && m->nload == 1);
    lw_model_destroy(m);
}

// A plant for simulators: rates of the states are velocities and accelerations, and a step has the
// order of its method: half the length, a sixteenth of the error.
TEST(R49_a_plant_has_derivatives_and_steps)
{
    static const char main_text[] =
        "#include \"arm.h\"\n#include <math.h>\n#include <stdio.h>\n"
        "static double run(int steps, double *x)\n{\n"
        "    const double u[6] = {5, -20, 8, 1, 0.5, 0.1};\n"
        "    for (int i = 0; i < 12; ++i) {\n        x[i] = 0.1 * i - 0.3;\n    }\n"
        "    for (int k = 0; k < steps; ++k) {\n        arm_step(x, u, 0.2 / steps);\n    }\n"
        "    return x[1];\n}\n"
        "int main(void)\n{\n"
        "    double x[12], dx[12], acc[6], good[12], coarse = 0, fine = 0;\n"
        "    const double u[6] = {1, 2, 3, 4, 5, 6};\n    run(1, x);\n"
        "    arm_derivative(x, u, dx);\n    arm_forward_dynamics(x, x + 6, u, acc);\n"
        "    for (int i = 0; i < 6; ++i) {\n"
        "        if (dx[i] != x[6 + i] || dx[6 + i] != acc[i]) {\n            return 1;\n        "
        "}\n"
        "    }\n    run(1000, good);\n    run(20, x);\n"
        "    for (int i = 0; i < 12; ++i) {\n        coarse += fabs(x[i] - good[i]);\n    }\n"
        "    run(40, x);\n"
        "    for (int i = 0; i < 12; ++i) {\n        fine += fabs(x[i] - good[i]);\n    }\n"
        "    printf(\"%g %g\\n\", coarse, fine);\n"
        "    return coarse / fine > 12 && coarse / fine < 20 && coarse < 1e-2 ? 0 : 2;\n}\n";
    lw_model *m = shipped_model("ur5_class.xml");
    lw_derivation *d = derive_quickly(m, 1u << LW_FUNCTION_FORWARD_DYNAMICS, false, false);
    lw_generate_options options = lw_default_generate_options();
    options.has_plant = true;
    char *text = generate_arm(d, options);
    CHECK(compiled_write(folder, "arm.h", text) && compiled_write(folder, "plant.c", main_text));
    for (int k = 0; k < 2; ++k) {
        const char *compiler = k == 0 ? "gcc" : "clang-14";
        if (compiled_has(compiler) &&
            !CHECK_INT(compiled_run(folder,
                                    "%s " COMPILED_STRICT " -O1 -Wno-unused-function -o plant "
                                    "plant.c -lm && ./plant",
                                    compiler),
                       0)) {
            compiled_show_log(folder);
        }
    }
    lw_text_free(text);
    lw_derivation_destroy(d);
    // Neither without forward dynamics, nor of parameters that are arguments.
    lw_derivation *none[2] = {derive_quickly(m, 1u << LW_FUNCTION_GRAVITY, false, false),
                              derive_quickly(m, 1u << LW_FUNCTION_FORWARD_DYNAMICS, true, false)};
    for (int k = 0; k < 2; ++k) {
        size_t size;
        CHECK_INT(lw_generate(none[k], &options, &text, &size, NULL), LW_ERR_ARGUMENT);
        lw_derivation_destroy(none[k]);
    }
    lw_model_destroy(m);
}

static lw_status push(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                      const double *v, double *tau, lw_force *f_ext)
{
    const double *u = context;
    (void)d;
    (void)t;
    (void)q;
    (void)v;
    (void)f_ext;
    for (int i = 0; i < m->nv; ++i) {
        tau[i] += u[i];
    }
    return LW_OK;
}

// Of a body that is free, with a ball joint and a hinge: steps lead to where the simulation of high
// order ends, with an error of order four.
TEST(R49_a_plant_has_free_and_ball_joints)
{
    enum { NQ = 12, NV = 10 };
    static const char xml[] =
        "<linkwork version='1' name='arm'><ground/>"
        "<joint name='root' type='free' from='ground' to='a'/>"
        "<link name='a' mass='2' inertia='0.02 0.03 0.04'><frame name='f' xyz='0.2 0 0.1'/></link>"
        "<joint name='ball' type='spherical' from='a.f' to='b'/>"
        "<link name='b' mass='1' center='0 0 0.1' inertia='0.01 0.01 0.015'>"
        "<frame name='f' xyz='0 0 0.3'/></link>"
        "<joint name='hinge' type='revolute' axis='0 1 0' from='b.f' to='c'/>"
        "<link name='c' mass='0.5' center='0.1 0 0' inertia='0.01 0.01 0.01'/></linkwork>";
    double u[NV], x[NQ + NV] = {0.1, 0.2, 0.3, 0.8, 0.0, 0.6, 0.0, 0.6, 0.0, 0.0, 0.8, 0.5};
    lw_model *m = compile_text("arm.xml", xml, NULL);
    if (!CHECK(m && m->nq == NQ && m->nv == NV)) {
        lw_model_destroy(m);
        return;
    }
    for (int i = 0; i < NV; ++i) {
        u[i] = 0.3 - 0.1 * i;
        x[NQ + i] = 0.2 * i - 0.7;
    }
    const lw_force_source source = {.add = push, .context = u};
    lw_sim_def def = lw_default_sim_def();
    def.source = &source;
    def.nsource = 1;
    lw_sim *sim = NULL;
    CHECK_INT(lw_sim_create(m, &def, &sim), LW_OK);
    CHECK_INT(lw_sim_reset(sim, 0.0, x, x + NQ), LW_OK);
    char text[4000];
    CHECK_INT(lw_sim_advance(sim, 0.2), LW_OK);
    const struct {
        const char *name;
        const double *number;
        int count;
    } array[] = {{"start", x, NQ + NV}, {"u", u, NV}, {"good", lw_sim_state(sim), NQ + NV}};
    int used = snprintf(text, sizeof text, "#include \"arm.h\"\n#include <string.h>\n");
    for (size_t k = 0; k < sizeof array / sizeof *array; ++k) {
        used += snprintf(text + used, sizeof text - (size_t)used, "static const double %s[] = {",
                         array[k].name);
        for (int i = 0; i < array[k].count; ++i) {
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "%.17g, ", array[k].number[i]);
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "};\n");
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "static double error_of(int steps)\n{\n    double x[%d], worst = 0;\n"
             "    memcpy(x, start, sizeof x);\n"
             "    for (int k = 0; k < steps; ++k) {\n        arm_step(x, u, 0.2 / steps);\n    }\n"
             "    for (int i = 0; i < %d; ++i) {\n"
             "        worst = fmax(worst, fabs(x[i] - good[i]));\n    }\n    return worst;\n}\n"
             "int main(void)\n{\n    const double coarse = error_of(40), fine = error_of(80);\n"
             "    return coarse < 1e-6 && coarse > 12 * fine && coarse < 20 * fine ? 0 : 2;\n}\n",
             NQ + NV, NQ + NV);
    lw_derivation *d = derive_quickly(m, 1u << LW_FUNCTION_FORWARD_DYNAMICS, false, false);
    lw_generate_options options = lw_default_generate_options();
    options.has_plant = true;
    char *header = generate_arm(d, options);
    CHECK(compiled_write(folder, "arm.h", header) && compiled_write(folder, "plant.c", text));
    if (!CHECK_INT(compiled_run(folder,
                                "gcc " COMPILED_STRICT " -O1 -Wno-unused-function -o plant plant.c "
                                "-lm && ./plant"),
                   0)) {
        compiled_show_log(folder);
    }
    lw_text_free(header);
    lw_derivation_destroy(d);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

int main(void)
{
    if (!compiled_folder(folder)) {
        return 1;
    }
    RUN(V25_modules_of_Python_and_JavaScript_check_themselves);
    RUN(V25_modules_of_Fortran_give_the_same_numbers);
    RUN(V25_a_module_of_Fortran_has_all_functions);
    RUN(R49_a_plant_has_derivatives_and_steps);
    RUN(R49_a_plant_has_free_and_ball_joints);
    compiled_remove(folder);
    return REPORT();
}
