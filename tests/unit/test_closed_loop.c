// Small motions of machines that a controller holds (R48): against differences, against the
// frequencies and dampings that controllers are made for, and against a closed form.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>
#include <linkwork/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

static const char *const law_name[] = {"pd", "pd+gravity", "computed-torque"};

static lw_run *held_by(const char *law, const char *more, const lw_model *m)
{
    char text[1000];
    snprintf(text, sizeof text,
             "<run version=\"1\" duration=\"1\"><controller law=\"%s\" frequency=\"3\" "
             "damping=\"0.8\"/>%s</run>",
             law, more);
    lw_run *run = NULL;
    CHECK_INT(lw_run_load_text("run.xml", text, strlen(text), m, &run, NULL), LW_OK);
    return run;
}

static void check_against_differences(const lw_model *m, lw_controller *c, const double *q)
{
    lw_data *d = new_data(m);
    static double A[4 * MOST * MOST];
    double v[MOST], tau[MOST], low[MOST], high[MOST], moved[MOST], unit[MOST] = {0.0};
    const int nv = m->nv;
    double residual = (double)NAN;
    CHECK_INT(lw_linearize_controlled(c, d, 0.0, q, &residual, A), LW_OK);
    const double h = 1e-6;
    for (int column = 0; column < 2 * nv; ++column) {
        const int k = column % nv;
        for (int side = 0; side < 2; ++side) {
            const double step = side == 0 ? -h : h;
            memset(v, 0, sizeof v);
            unit[k] = column < nv ? 1.0 : 0.0;
            CHECK(lw_integrate(m, q, unit, step, moved) == LW_OK);
            unit[k] = 0.0;
            v[k] = column < nv ? 0.0 : step;
            CHECK(lw_controller_forces(c, d, 0.0, moved, v, tau) == LW_OK);
            CHECK(lw_forward_dynamics(m, d, moved, v, tau, NULL, side == 0 ? low : high) == LW_OK);
        }
        for (int i = 0; i < nv; ++i) {
            const double want = (high[i] - low[i]) / (2.0 * h), got = A[(nv + i) * 2 * nv + column];
            // Roundings of forces of 4000 N m, over the step and the inertia of a light rotor.
            CHECK_NEAR(got, want, 1e-3 + 1e-6 * fabs(want));
            CHECK(A[i * 2 * nv + column] == (column == nv + i ? 1.0 : 0.0));
        }
    }
    lw_data_destroy(d);
}

TEST(R48_closed_loops_are_the_derivative_of_machine_and_controller)
{
    static const char *const file[] = {"ur5_class.xml", "closed/palletiser.xml", "hr120/hr120.xml"};
    for (int i = 0; i < 3; ++i) {
        lw_model *m = shipped_model(file[i]);
        for (int law = 0; law < 3; ++law) {
            check_case("%s, %s", file[i], law_name[law]);
            lw_run *run = held_by(law_name[law], "", m);
            if (CHECK(run && m->nv <= MOST)) {
                check_against_differences(m, run->controller, run->q);
            }
            lw_run_destroy(run);
        }
        lw_model_destroy(m);
    }
}

// Computed torque makes every joint what it was asked to be, so all eigenvalues are two; and so
// many equal ones must be found.
TEST(R48_computed_torque_gives_the_frequency_and_damping_that_were_asked_for)
{
    static const char *const file[] = {"ur5_class.xml", "closed/palletiser.xml", "hr120/hr120.xml"};
    static double A[4 * MOST * MOST];
    double re[2 * MOST], im[2 * MOST], residual;
    for (int i = 0; i < 3; ++i) {
        lw_model *m = shipped_model_at(file[i], LW_LEVEL_HIGH);
        lw_data *d = new_data(m);
        for (int critical = 0; critical < 2; ++critical) {
            check_case("%s, %d", file[i], critical);
            const char *text =
                critical ? "<run version=\"1\" duration=\"1\"><controller frequency=\"5\"/></run>"
                         : "<run version=\"1\" duration=\"1\"><controller frequency=\"5\" "
                           "damping=\"0.6\"/></run>";
            lw_run *run = NULL;
            CHECK_INT(lw_run_load_text("run.xml", text, strlen(text), m, &run, NULL), LW_OK);
            CHECK_INT(lw_linearize_controlled(run->controller, d, 0.0, run->q, &residual, A),
                      LW_OK);
            CHECK_NEAR(residual, 0.0, 1e-9);
            CHECK_INT(lw_eigenvalues(2 * m->nv, A, re, im), LW_OK);
            const double w = 2.0 * 3.141592653589793 * 5.0, z = critical ? 1.0 : 0.6;
            for (int k = 0; k < 2 * m->nv; ++k) {
                // A double one is only good to the root of a rounding.
                const double tolerance = critical ? 1e-5 * w : 1e-9 * w;
                CHECK_NEAR(re[k], -z * w, tolerance);
                CHECK_NEAR(fabs(im[k]), w * sqrt(1.0 - z * z), tolerance);
            }
            lw_run_destroy(run);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(R48_without_gravity_in_its_law_a_controller_lets_the_machine_sag)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_data *d = new_data(m);
    double q[MOST], tau[MOST], g[MOST], zero[MOST] = {0.0};
    static double A[4 * MOST * MOST];
    for (int law = 0; law < 3; ++law) {
        check_case("%s", law_name[law]);
        lw_run *run = held_by(law_name[law], "<start q=\"0.2 -0.6 0.9 0 0.3 0\"/>", m);
        memcpy(q, run->q, (size_t)m->nq * sizeof *q);
        CHECK_INT(lw_controlled_equilibrium(run->controller, d, 0.0, q), LW_OK);
        CHECK(lw_controller_forces(run->controller, d, 0.0, q, zero, tau) == LW_OK);
        CHECK(lw_gravity_forces(m, d, q, g) == LW_OK);
        double sag = 0.0, residual;
        for (int k = 0; k < m->nv; ++k) {
            CHECK_NEAR(tau[k], g[k], 1e-8); // forces of 100 N m, to the share that counts as rest
            sag = fmax(sag, fabs(q[k] - run->q[k]));
        }
        CHECK(law == LW_CONTROL_PD ? sag > 0.01 : sag < 1e-9);
        CHECK_INT(lw_linearize_controlled(run->controller, d, 0.0, q, &residual, A), LW_OK);
        CHECK_NEAR(residual, 0.0, 1e-7);
        lw_run_destroy(run);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R48_drives_at_their_limits_have_no_small_motions)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_data *d = new_data(m);
    const char *text = "<run version=\"1\" duration=\"1\"><controller law=\"pd+gravity\"><gain "
                       "joint=\"shoulder_lift\" limit=\"1\"/></controller></run>";
    lw_run *run = NULL;
    double A[4 * MOST * MOST], q[MOST];
    if (CHECK_INT(lw_run_load_text("run.xml", text, strlen(text), m, &run, NULL), LW_OK)) {
        memcpy(q, run->q, (size_t)m->nq * sizeof *q);
        CHECK_INT(lw_linearize_controlled(run->controller, d, 0.0, q, NULL, A), LW_ERR_MOTION);
        CHECK_INT(lw_controlled_equilibrium(run->controller, d, 0.0, q), LW_ERR_MOTION);
        CHECK(memcmp(q, run->q, (size_t)m->nq * sizeof *q) == 0);
    }
    CHECK_INT(lw_linearize_controlled(NULL, d, 0.0, q, NULL, A), LW_ERR_ARGUMENT);
    CHECK_INT(lw_controlled_equilibrium(NULL, d, 0.0, q), LW_ERR_ARGUMENT);
    lw_run_destroy(run);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(R48_closed_loops_are_the_derivative_of_machine_and_controller);
    RUN(R48_computed_torque_gives_the_frequency_and_damping_that_were_asked_for);
    RUN(R48_without_gravity_in_its_law_a_controller_lets_the_machine_sag);
    RUN(R48_drives_at_their_limits_have_no_small_motions);
    return REPORT();
}
