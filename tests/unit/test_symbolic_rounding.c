// Machines whose files write right angles with a few digits, and what derivations make of them.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/dynamics.h>
#include <linkwork/symbolic.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// An elbow arm; %s is a right angle.
static const char *const form =
    "<robot name=\"arm\"><link name=\"base\"/>"
    "<joint name=\"j1\" type=\"continuous\"><parent link=\"base\"/><child link=\"a\"/>"
    "<axis xyz=\"0 0 1\"/></joint>"
    "<link name=\"a\"><inertial><origin xyz=\"0.1 0 0.2\"/><mass value=\"3\"/>"
    "<inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    "<joint name=\"j2\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
    "<origin xyz=\"0.1 0 0.4\" rpy=\"%s 0 0\"/><axis xyz=\"0 0 1\"/></joint>"
    "<link name=\"b\"><inertial><origin xyz=\"0.2 0 0\"/><mass value=\"2\"/>"
    "<inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.25\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
    "</link>"
    "<joint name=\"j3\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>"
    "<origin xyz=\"0.5 0 0\" rpy=\"0 %s 0\"/><axis xyz=\"0 0 1\"/></joint>"
    "<link name=\"c\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"1\"/>"
    "<inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.05\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial></link>"
    "</robot>";

static lw_model *arm_with(const char *right_angle)
{
    char text[2500];
    snprintf(text, sizeof text, form, right_angle, right_angle);
    return compile_text("arm.urdf", text, NULL);
}

typedef struct outcome {
    lw_counts counts;
    int nskew;    ///< notes about right angles
    double error; ///< of the forces, against the numeric algorithm
} outcome;

static outcome derive(const lw_model *m, double rounding)
{
    outcome out = {.error = 0.0};
    const double q[3] = {0.3, -0.7, 1.1}, v[3] = {0.5, -1.2, 0.8}, a[3] = {2.0, 1.0, -1.5};
    double want[3], got[3];
    lw_derive_options options = lw_default_derive_options();
    options.form = LW_FORM_RECURSIVE;
    options.effort = 0;
    options.rounding = rounding;
    lw_report *report = new_report();
    lw_derivation *d = NULL;
    lw_data *data = new_data(m);
    CHECK_INT(lw_derive(m, &options, &d, report), LW_OK);
    CHECK_INT(lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0.0, NULL, got), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, data, q, v, a, NULL, want), LW_OK);
    for (int i = 0; i < 3; ++i) {
        out.error = fmax(out.error, fabs(got[i] - want[i]));
    }
    for (int i = 0; i < lw_report_count(report); ++i) {
        out.nskew += strstr(lw_report_diagnostic(report, i).message, "off a right angle") != NULL;
    }
    out.counts = lw_derivation_counts(d, LW_FUNCTION_INVERSE_DYNAMICS);
    lw_data_destroy(data);
    lw_derivation_destroy(d);
    lw_report_destroy(report);
    return out;
}

TEST(right_angles_of_few_digits_cost_nothing_where_they_are_rounded)
{
    static const struct {
        const char *text;
        double off;
    } angle[] = {{"1.57079632679", 5e-12}, {"1.570796", 3.3e-7}, {"1.5708", 3.7e-6}};
    lw_model *exact = arm_with("1.5707963267948966");
    const outcome best = derive(exact, 0.0);
    CHECK_INT(best.nskew, 0);
    for (int i = 0; i < 3; ++i) {
        lw_model *m = arm_with(angle[i].text);
        const outcome kept = derive(m, 0.0), rounded = derive(m, 10 * angle[i].off);
        CHECK_INT(kept.nskew, 1);
        CHECK_INT(rounded.nskew, 0);
        CHECK(kept.counts.mul > best.counts.mul);
        CHECK_INT(rounded.counts.mul, best.counts.mul);
        CHECK_INT(rounded.counts.add, best.counts.add);
        CHECK_NEAR(kept.error, 0.0, 2e-12); // the standard rounding of forces of some 20 N m
        // An angle turns a weight of 30 N at most half a metre away, and its torques.
        CHECK_NEAR(rounded.error, 0.0, 60 * angle[i].off);
        CHECK(rounded.error > 1e-3 * angle[i].off);
        lw_model_destroy(m);
    }
    lw_model_destroy(exact);
}

TEST(roundings_that_make_no_sense_are_refused)
{
    static const double bad[] = {-1e-9, 0.011, (double)NAN, (double)INFINITY};
    lw_model *m = arm_with("1.5708");
    for (int i = 0; i < 4; ++i) {
        lw_derive_options options = lw_default_derive_options();
        lw_derivation *d = NULL;
        options.rounding = bad[i];
        CHECK_INT(lw_derive(m, &options, &d, NULL), LW_ERR_ARGUMENT);
        CHECK(d == NULL);
    }
    lw_model_destroy(m);
}

int main(void)
{
    RUN(right_angles_of_few_digits_cost_nothing_where_they_are_rounded);
    RUN(roundings_that_make_no_sense_are_refused);
    return REPORT();
}
