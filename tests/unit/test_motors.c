// Motors with limits over speed (R41): what they can give, through gears, and what a simulation
// makes of it.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                       \
    "<linkwork version=\"1\" name=\"arm\">\n<ground gravity=\"0 0 0\"/>\n"                         \
    "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"l1\"/>\n"                           \
    "<link name=\"l1\" mass=\"2\" inertia=\"0.5 0.5 0.5\"/>\n"
#define SECOND                                                                                     \
    "<joint name=\"j2\" type=\"revolute\" from=\"ground\" to=\"l2\" axis=\"0 1 0\"/>\n"            \
    "<link name=\"l2\" mass=\"1\" inertia=\"0.3 0.3 0.3\"/>\n"
#define TAIL "</linkwork>\n"

static double most_at(const lw_model *m, int drive, double speed)
{
    double least = 1.0, most = -1.0;
    CHECK_INT(lw_drive_range(m, drive, speed, &least, &most), LW_OK);
    CHECK(least <= 0.0 && most >= 0.0);
    return most;
}

TEST(R41_a_motor_gives_the_least_of_peak_line_and_curve)
{
    lw_model *m = compile_text(
        "arm.xml",
        HEAD SECOND "<drive name=\"line\" out=\"j1\" max_force=\"1.5\" stall_force=\"2\" "
                    "no_load_velocity=\"100\" continuous_force=\"0.7\"/>\n"
                    "<drive name=\"table\" out=\"j2\" curve=\"0 3 50 3 80 0.6\"/>\n" TAIL,
        NULL);
    double least, most;
    CHECK_INT(m->ndrive, 2);
    CHECK_INT(m->nbody, 2); // a drive with limits alone is no body
    CHECK_NEAR(most_at(m, 0, 0.0), 1.5, 0.0);
    CHECK_NEAR(most_at(m, 0, 25.0), 1.5, 1e-15); // where line and peak meet
    CHECK_NEAR(most_at(m, 0, 75.0), 0.5, 1e-15);
    CHECK_NEAR(most_at(m, 0, 120.0), 0.0, 0.0);
    CHECK_NEAR(most_at(m, 1, 50.0), 3.0, 1e-15);
    CHECK_NEAR(most_at(m, 1, 65.0), 1.8, 1e-14);
    CHECK_NEAR(most_at(m, 1, 80.0), 0.6, 1e-15);
    CHECK_NEAR(most_at(m, 1, 80.1), 0.0, 0.0);
    // Against its motion it gives as much as at rest, to either side.
    CHECK_INT(lw_drive_range(m, 0, 75.0, &least, &most), LW_OK);
    CHECK_NEAR(least, -1.5, 0.0);
    CHECK_INT(lw_drive_range(m, 0, -75.0, &least, &most), LW_OK);
    CHECK_NEAR(least, -0.5, 1e-15);
    CHECK_NEAR(most, 1.5, 0.0);
    CHECK_NEAR(m->drive[0].continuous_force, 0.7, 0.0);
    CHECK_INT(lw_drive_range(m, 2, 0.0, &least, &most), LW_ERR_ARGUMENT);
    CHECK_INT(lw_drive_range(m, 0, (double)NAN, &least, &most), LW_ERR_NUMBER);
    lw_model_destroy(m);
}

TEST(R41_limits_act_through_the_ratio_at_the_speed_of_the_motor)
{
    lw_model *m =
        compile_text("arm.xml",
                     HEAD SECOND "<drive name=\"m\" stall_force=\"2\" no_load_velocity=\"300\"/>\n"
                                 "<gearbox name=\"box\" in=\"m\" out=\"j1\" ratio=\"100\"/>\n" TAIL,
                     NULL);
    lw_data *d = new_data(m);
    const double q[2] = {0.3, 0.1}, v[2] = {1.5, 9.0};
    double tau[2] = {170.0, 42.0}, effort[1];
    int nheld = -1;
    CHECK_INT(m->nv, 2);
    CHECK_INT(lw_limit_drives(m, d, q, v, tau, effort, &nheld), LW_OK);
    CHECK_NEAR(tau[0], 100.0, 1e-12); // half of the stall torque is left at 150 rad/s
    CHECK_NEAR(tau[1], 42.0, 0.0);    // no motor there: as it was asked for
    CHECK_NEAR(effort[0], 1.0, 1e-14);
    CHECK_INT(nheld, 1);
    tau[0] = 99.0;
    CHECK_INT(lw_limit_drives(m, d, q, v, tau, effort, &nheld), LW_OK);
    CHECK_NEAR(tau[0], 99.0, 0.0);
    CHECK_INT(nheld, 0);
    tau[0] = -500.0; // braking
    CHECK_INT(lw_limit_drives(m, d, q, v, tau, effort, &nheld), LW_OK);
    CHECK_NEAR(tau[0], -200.0, 1e-11);
    tau[0] = (double)NAN;
    CHECK_INT(lw_limit_drives(m, d, q, v, tau, effort, &nheld), LW_ERR_NUMBER);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Of a differential one motor is too weak: its limit shows at both joints, by the matrix.
TEST(R41_one_weak_motor_of_a_differential_limits_both_joints)
{
    lw_model *m =
        compile_text("arm.xml",
                     HEAD SECOND "<drive name=\"a\" max_force=\"1\"/>\n<drive name=\"b\"/>\n"
                                 "<gearbox name=\"box\" in=\"a b\" out=\"j1 j2\" "
                                 "matrix=\"0.01 0.01 0.01 -0.01\"/>\n" TAIL,
                     NULL);
    lw_data *d = new_data(m);
    const double q[2] = {0, 0}, v[2] = {0, 0};
    double tau[2] = {150.0, 70.0}, effort[2]; // a: 0.01 (150 + 70) = 2.2, b: 0.01 (150 - 70) = 0.8
    int nheld;
    CHECK_INT(lw_limit_drives(m, d, q, v, tau, effort, &nheld), LW_OK);
    CHECK_INT(nheld, 1);
    CHECK_NEAR(effort[0], 1.0, 1e-13);
    CHECK_NEAR(effort[1], 0.8, 1e-13);
    CHECK_NEAR(tau[0], 90.0, 1e-10); // (a + b) / 0.02
    CHECK_NEAR(tau[1], 10.0, 1e-10);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A controller that asks for far more than there is drives a motor along its line: its speed goes
// to that without load as 1 - exp(-t / T).
static void runs_up(double period, double tolerance)
{
    const double ratio = 50.0, stall = 2.0, free_speed = 300.0, inertia = 0.5;
    lw_model *m =
        compile_text("arm.xml",
                     HEAD "<drive name=\"m\" stall_force=\"2\" no_load_velocity=\"300\"/>\n"
                          "<gearbox name=\"box\" in=\"m\" out=\"j1\" ratio=\"50\"/>\n" TAIL,
                     NULL);
    const double start = 0.0, far_away = 1e3, kp = 1e6, kd = 0.0;
    lw_axis_limits limits = lw_default_axis_limits();
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = &far_away;
    move.duration = 1e-3;
    const lw_trajectory_def way = {
        .n = 1, .start = &start, .limits = &limits, .nmove = 1, .move = &move};
    lw_trajectory *trajectory = NULL;
    lw_controller *controller = NULL;
    CHECK_INT(lw_trajectory_create(&way, &trajectory, NULL), LW_OK);
    const lw_controller_def law = {
        .law = LW_CONTROL_PD, .trajectory = trajectory, .kp = &kp, .kd = &kd, .period = period};
    CHECK_INT(lw_controller_create(m, &law, &controller), LW_OK);
    const lw_force_source source = lw_controller_source(controller);
    const lw_sampler sampler = lw_controller_sampler(controller);
    lw_sim_def def = lw_default_sim_def();
    def.source = &source;
    def.nsource = period > 0.0 ? 0 : 1;
    def.sampler = period > 0.0 ? &sampler : NULL;
    lw_sim *sim = new_sim(m, &def);
    // The motion that is asked for begins with an error of zero, so time begins a little later.
    CHECK_INT(lw_sim_reset(sim, 0.01, NULL, NULL), LW_OK);
    const double T = inertia * free_speed / (ratio * ratio * stall);
    for (int i = 1; i <= 3; ++i) {
        CHECK_INT(lw_sim_advance(sim, 0.01 + i * T), LW_OK);
        CHECK_NEAR(lw_sim_velocity(sim)[0], free_speed / ratio * (1.0 - exp(-i)), tolerance);
    }
    lw_sim_destroy(sim);
    lw_controller_destroy(controller);
    lw_trajectory_destroy(trajectory);
    lw_model_destroy(m);
}

TEST(R41_a_motor_runs_up_along_its_line)
{
    runs_up(0.0, 1e-11);  // the accuracy of the steps, 1e-13, over some hundred of them
    runs_up(5e-3, 1e-11); // a force that is held does not hold the speed
}

TEST(K02_curves_of_motors_are_written_and_read)
{
    static const char text[] =
        "<linkwork version=\"1\" name=\"arm\" angle=\"degree\">\n<ground/>\n"
        "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"l1\"/>\n"
        "<link name=\"l1\" mass=\"2\" inertia=\"0.5 0.5 0.5\"/>\n"
        "<drive name=\"m\" out=\"j1\" inertia=\"0.1\" max_force=\"9\" stall_force=\"8\" "
        "no_load_velocity=\"3600\" continuous_force=\"4\" curve=\"0 7 1800 6 3600 1\"/>\n" TAIL;
    lw_mech *mech = NULL, *again = NULL;
    lw_model *m = NULL, *copy = NULL;
    char *written = NULL;
    size_t size = 0;
    const double turn = 6.283185307179586;
    CHECK_INT(lw_load_text("arm.xml", text, sizeof text - 1, NULL, &mech, NULL), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    CHECK_NEAR(m->drive[0].no_load_velocity, 10 * turn, 1e-13);
    CHECK_INT(m->drive[0].ncurve, 6);
    CHECK_NEAR(m->drive[0].curve[2], 5 * turn, 1e-13);
    CHECK_NEAR(m->drive[0].curve[3], 6.0, 0.0);
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &written, &size, NULL), LW_OK);
    CHECK_INT(lw_load_text("written.xml", written, size, NULL, &again, NULL), LW_OK);
    CHECK_INT(lw_compile(again, NULL, &copy, NULL), LW_OK);
    CHECK(lw_model_hash(m) == lw_model_hash(copy));
    void *mem = malloc(lw_model_size(m));
    lw_model *moved = copy_of(m, mem);
    lw_model_destroy(m);
    CHECK_NEAR(most_at(moved, 0, 2.5 * turn), 6.0, 1e-13); // the line, which lies below the curve
    CHECK_NEAR(most_at(moved, 0, 0.0), 7.0, 0.0);
    free(mem);
    free(written);
    lw_model_destroy(copy);
    lw_mech_destroy(again);
    lw_mech_destroy(mech);
}

static void refuses(const char *drive, const char *why)
{
    char text[2000];
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_report *report = new_report();
    snprintf(text, sizeof text, HEAD "%s" TAIL, drive);
    if (lw_load_text("arm.xml", text, strlen(text), NULL, &mech, report) == LW_OK) {
        CHECK(lw_compile(mech, NULL, &m, report) != LW_OK);
    }
    char *diagnostics = diagnostics_text(report);
    CHECK_TEXT(diagnostics, why);
    free(diagnostics);
    lw_report_destroy(report);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(R41_bad_motors_are_refused_at_their_place)
{
    refuses("<drive name=\"m\" out=\"j1\" stall_force=\"1\"/>\n",
            "arm.xml:5:1: error: drive \"m\": stall_force and no_load_velocity make a line "
            "together; no_load_velocity is missing\n");
    refuses("<drive name=\"m\" out=\"j1\" stall_force=\"-1\" no_load_velocity=\"5\"/>\n",
            "arm.xml:5:1: error: drive \"m\": stall and continuous effort must not be negative, "
            "and the no-load velocity must be positive\n");
    refuses("<drive name=\"m\" out=\"j1\" curve=\"0 1 5\"/>\n",
            "arm.xml:5:33: error: drive \"m\": a curve has 4 to 2000 numbers, in pairs of a speed "
            "and an effort\n");
    refuses("<drive name=\"m\" out=\"j1\" curve=\"1 1 5 0\"/>\n",
            "arm.xml:5:1: error: drive \"m\": the speeds of its curve begin at 0 and rise\n");
    refuses("<drive name=\"m\" out=\"j1\" curve=\"0 1 5 -2\"/>\n",
            "arm.xml:5:1: error: drive \"m\": speeds and efforts of its curve must be finite and "
            "not negative\n");
    lw_mech *mech = new_mech("arm");
    lw_drive_def def = lw_default_drive_def();
    const double three[3] = {0, 1, 2};
    def.name = "m";
    def.ncurve = 3;
    def.curve = three;
    CHECK_INT(lw_add_drive(mech, &def).index, -1);
    CHECK_TEXT(lw_mech_message(mech),
               "drive \"m\" has a curve of 4 to 2000 numbers, in pairs, or none");
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(R41_a_motor_gives_the_least_of_peak_line_and_curve);
    RUN(R41_limits_act_through_the_ratio_at_the_speed_of_the_motor);
    RUN(R41_one_weak_motor_of_a_differential_limits_both_joints);
    RUN(R41_a_motor_runs_up_along_its_line);
    RUN(K02_curves_of_motors_are_written_and_read);
    RUN(R41_bad_motors_are_refused_at_their_place);
    return REPORT();
}
