// Engines that take each other's place, and controllers as code.
#include "check.h"
#include "load_text.h"

#include <linkwork/control.h>
#include <linkwork/generated.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

typedef struct broken {
    double factor;    ///< what its forces are multiplied by
    lw_status status; ///< what it returns
    lw_engine *by;
} broken;

static lw_status run_broken(void *self, lw_function which, const lw_engine_state *state,
                            double *out)
{
    const broken *b = self;
    const lw_status status = lw_engine_run(b->by, which, state, out);
    for (int k = 0; k < N && status == LW_OK; ++k) {
        out[k] *= b->factor;
    }
    return status == LW_OK ? b->status : status;
}

static double first_force(lw_engine *engine)
{
    const double q[N] = {0.1, 0.2, 0.05, 0.3}, v[N] = {1, -1, 0.1, 2}, a[N] = {1, 2, 3, 4};
    double tau[N] = {0};
    CHECK_INT(lw_engine_inverse_dynamics(engine, q, v, a, tau), LW_OK);
    return tau[0];
}

// The caller is the same, whatever answers.
TEST(K32_a_wrong_or_lost_engine_is_replaced_by_the_next_verified_one)
{
    lw_model *m = shipped_model("scara.xml");
    lw_report *report = NULL;
    lw_engine *numeric = NULL, *symbolic = NULL, *own = NULL, *chosen = NULL;
    broken b = {.factor = 1.001};
    lw_report_create(&report);
    lw_engine_numeric(m, NULL, &numeric);
    CHECK_INT(lw_engine_symbolic(m, NULL, &symbolic, report), LW_OK);
    const lw_engine_def def = {.name = "broken",
                               .functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS,
                               .run = run_broken,
                               .self = &b};
    b.by = numeric;
    CHECK_INT(lw_engine_create(m, NULL, &def, &own), LW_OK);
    lw_engine *const order[3] = {own, symbolic, numeric};
    const double want = first_force(numeric);

    // Wrong by a thousandth: it is left out, and named.
    CHECK_INT(lw_engine_fallback(3, order, NULL, &chosen, report), LW_OK);
    CHECK_TEXT(lw_engine_name(chosen), "symbolic");
    CHECK(*diagnostic_with(report, "engine broken differs from numeric in inverse_dynamics"));
    CHECK_NEAR(first_force(chosen), want, 1e-12);
    lw_engine_destroy(chosen);

    // Good: it answers. Lost afterwards: the next one does.
    b.factor = 1.0;
    CHECK_INT(lw_engine_fallback(3, order, NULL, &chosen, report), LW_OK);
    CHECK_TEXT(lw_engine_name(chosen), "broken");
    b.factor = 3.0;
    CHECK_NEAR(first_force(chosen), 3.0 * want, 1e-11);
    b.status = LW_ERR_UNSUPPORTED;
    CHECK_NEAR(first_force(chosen), want, 1e-12);
    CHECK(lw_engine_has(chosen, LW_FUNCTION_MASS_MATRIX)); // of the others
    lw_engine_destroy(chosen);

    CHECK_INT(lw_engine_fallback(0, order, NULL, &chosen, report), LW_ERR_ARGUMENT);
    lw_engine_destroy(own);
    lw_engine_destroy(symbolic);
    lw_engine_destroy(numeric);
    lw_report_destroy(report);
    lw_model_destroy(m);
}

TEST(K31_controllers_have_the_limits_and_gains_of_the_model)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_data *d = NULL;
    double gain[4][6];
    char *text = NULL;
    lw_data_create(m, &d);
    CHECK_INT(lw_controller_gains(m, d, m->q_reference, LW_CONTROL_PD, 30, 1, gain[0], gain[1]),
              LW_OK);
    CHECK_INT(lw_controller_gains(m, d, m->q_reference, LW_CONTROL_COMPUTED_TORQUE, 30, 1, gain[2],
                                  gain[3]),
              LW_OK);
    const lw_control_numbers c = {gain[0], gain[1], gain[2], gain[3], 5, 1};
    CHECK_INT(lw_generate_controllers(m, &c, "arm", "arm.h", &text), LW_OK);
    CHECK_HAS(text, "#include \"arm.h\"");
    CHECK_HAS(text, "{900, 900, 900, 900, 900, 900},\n    {60, 60, 60, 60, 60, 60},\n"
                    "    {150, 150, 150, 28, 28, 28}};");
    CHECK_HAS(text, "static arm_controller *const arm_controllers[3]");
    lw_text_free(text);
    CHECK_INT(lw_generate_controllers(m, NULL, "arm", "arm.h", &text), LW_ERR_ARGUMENT);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The set point of the generated code keeps range, velocity and acceleration (K02, K29).
TEST(K29_set_points_keep_the_limits_of_the_joints)
{
    static const char *const functions =
        "static void r_gravity(const double *q, double *G) { G[0] = G[1] = 0 * q[0]; }\n"
        "static void r_inverse_dynamics(const double *q, const double *v, const double *a, double "
        "*t) { t[0] = a[0] + 0 * q[0]; t[1] = a[1] + 0 * v[0]; }\n";
    static const char *const check =
        "double linkwork_self_check(void) {\n"
        "  double q[2] = {0, 0}, v[2] = {0, 0}, a[2], worst = 0, last = 0;\n"
        "  const double goal[2] = {1, -9};\n"
        "  for (int i = 0; i < 8000; ++i) {\n"
        "    r_set_point(goal, 0.001, q, v, a);\n"
        "    worst = fmax(worst, fabs(v[0]) - 0.5); worst = fmax(worst, fabs(a[0]) - 2.0000001);\n"
        "    worst = fmax(worst, fabs(v[1]) - 1.5); worst = fmax(worst, -q[1] - 2);\n"
        "    worst = fmax(worst, q[0] - 1.0000001);\n"
        "    last = fmax(fabs(q[0] - 1), fabs(q[1] + 2)); }\n"
        "  return fmax(worst, last); }\n";
    lw_model *m = compile_text(
        "r.xml",
        "<linkwork version='1' name='r'><ground/><joint name='a' type='revolute' from='ground' "
        "to='a' lower='-2' upper='2' max_velocity='0.5' max_acceleration='2'/><link name='a' "
        "mass='1'><b xyz='1 0 0'/></link><joint name='b' type='revolute' from='a' to='b' "
        "lower='-2' "
        "upper='2' max_velocity='1.5' max_acceleration='4'/><link name='b' mass='1' inertia='1 1 "
        "1'/></linkwork>",
        NULL);
    const double one[2] = {1, 1};
    const lw_control_numbers c = {one, one, one, one, 1, 1};
    char *text = NULL, source[16000];
    double worst = 1.0;
    lw_report *report = NULL;
    lw_report_create(&report);
    CHECK_INT(lw_generate_controllers(m, &c, "r", "math.h", &text), LW_OK);
    snprintf(source, sizeof source, "%s%s%s", functions, text ? text : "", check);
    const lw_compiler compiler = {.command = LINKWORK_COMPILER};
    if (!CHECK_INT(lw_run_self_check(&compiler, source, &worst, report), LW_OK)) {
        print_diagnostics(report);
    }
    CHECK_NEAR(worst, 0.0, 1e-5); // a period late to brake: a few a dt^2, 4e-6 each
    CHECK_INT(lw_run_self_check(&compiler, "int x;", &worst, report), LW_ERR_NAME);
    CHECK_INT(lw_run_self_check(&compiler, "no C", &worst, report), LW_ERR_FILE);
    lw_text_free(text);
    lw_report_destroy(report);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(K32_a_wrong_or_lost_engine_is_replaced_by_the_next_verified_one);
    RUN(K31_controllers_have_the_limits_and_gains_of_the_model);
    RUN(K29_set_points_keep_the_limits_of_the_joints);
    return REPORT();
}
