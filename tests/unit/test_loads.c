// Loads as functions of time: sine, table, rotating unbalance (V18), and the energy that all forces
// store, feed and take.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>
#include <linkwork/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double turn = 6.283185307179586;

// A free body whose gripper looks along its own z, turned and shifted.
static const char gripper[] =
    "<linkwork version=\"1\" name=\"gripper\">\n<ground/>\n"
    "<joint name=\"f\" type=\"free\" from=\"ground\" to=\"body\"/>\n"
    "<link name=\"body\" mass=\"3\" inertia=\"0.1 0.2 0.3\">"
    "<frame name=\"grip\" xyz=\"0.1 0.2 0.3\" rpy=\"0.4 -0.5 0.6\"/></link>\n</linkwork>\n";

TEST(V18_an_unbalance_pulls_across_the_gripper_and_its_mean_is_zero)
{
    lw_model *m = compile_text("machine.xml", gripper, NULL);
    lw_data *d = new_data(m);
    const double omega = 40.0, q[7] = {0.5, 0.1, -0.3, 0.5, 0.5, -0.5, 0.5};
    lw_timed_load load = lw_default_timed_load();
    load.frame = lw_find_frame(m, "grip");
    load.axes = LW_IN_FRAME;
    load.unbalance = 0.1 * 0.02;
    load.speed = omega;
    const lw_timed_loads loads = {1, &load};
    CHECK_INT(lw_check_timed_load(m, &load), LW_OK);
    const lw_frame_info *clamp = &m->frame[load.frame];
    enum { N = 64 };
    lw_vec3 mean = {0, 0, 0};
    for (int i = 0; i < N; ++i) {
        const double t = i * turn / omega / N;
        double tau[6] = {0};
        lw_force f[1] = {{{0, 0, 0}, {0, 0, 0}}};
        CHECK_INT(lw_add_timed_loads(m, d, &loads, t, q, tau, f), LW_OK);
        const lw_vec3 own = lw_rotate_back(&clamp->X_BF.R, f[0].lin);
        CHECK_NEAR(own.x, 0.1 * 0.02 * omega * omega * cos(omega * t), 1e-14);
        CHECK_NEAR(own.y, 0.1 * 0.02 * omega * omega * sin(omega * t), 1e-14);
        CHECK_NEAR(own.z, 0.0, 1e-15);
        // It acts at the origin of the frame.
        const lw_vec3 moment = lw_cross3(clamp->X_BF.p, f[0].lin);
        CHECK_NEAR(lw_norm3(lw_sub3(moment, f[0].ang)), 0.0, 1e-14);
        mean = lw_add3(mean, lw_scale3(1.0 / N, f[0].lin));
    }
    CHECK_NEAR(lw_norm3(mean), 0.0, 1e-14);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The formula against a rotor with an eccentric mass that is kept at its speed: a body on rails in
// x and y that carries it feels the same, once its mass is that of both.
TEST(V18_the_formula_is_what_a_turning_mass_does)
{
    static const char rails[] =
        "<linkwork version=\"1\" name=\"rails\">\n<ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"a\" "
        "stiffness=\"500\"/>\n<link name=\"a\"/>\n"
        "<joint name=\"y\" type=\"prismatic\" axis=\"0 1 0\" from=\"a\" to=\"body\" "
        "stiffness=\"900\"/>\n<link name=\"body\" mass=\"%g\" inertia=\"1 1 1\"/>\n%s</linkwork>\n";
    static const char rotor[] =
        "<joint name=\"r\" type=\"revolute\" from=\"body\" to=\"rotor\"/>\n"
        "<link name=\"rotor\" mass=\"0.5\" center=\"0.04 0 0\" inertia=\"0 0 0\"/>\n";
    char text[2000];
    const double omega = 30.0;
    double end[2][2];
    snprintf(text, sizeof text, rails, 2.0, rotor);
    lw_model *whole = compile_text("machine.xml", text, NULL);
    snprintf(text, sizeof text, rails, 2.5, "");
    lw_model *formula = compile_text("machine.xml", text, NULL);
    // The rotor is kept at its speed by solving for its torque: v_r' = 0 needs tau = the moment of
    // the carried mass, which inverse dynamics gives. Here the state is stepped by hand.
    lw_data *d = new_data(whole);
    double y[4] = {0.0, 0.0, 0.0, 0.0}; // x, y and their rates
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    for (int i = 0; i < STEPS; ++i) {
        double k[4][4], at[4];
        for (int s = 0; s < 4; ++s) {
            const double c = s == 0 ? 0.0 : s == 3 ? 1.0 : 0.5;
            for (int j = 0; j < 4; ++j) {
                at[j] = y[j] + (s ? c * h * k[s - 1][j] : 0.0);
            }
            const double q[3] = {at[0], at[1], omega * (i + c) * h};
            const double v[3] = {at[2], at[3], omega}, none[3] = {0};
            double M[9], bias[3];
            CHECK_INT(lw_mass_matrix(whole, d, q, M), LW_OK);
            CHECK_INT(lw_inverse_dynamics(whole, d, q, v, none, NULL, bias), LW_OK);
            // M of x and y alone: the rotor does not speed up.
            const double det = M[0] * M[4] - M[1] * M[3];
            k[s][0] = at[2];
            k[s][1] = at[3];
            k[s][2] = (-M[4] * bias[0] + M[1] * bias[1]) / det;
            k[s][3] = (M[3] * bias[0] - M[0] * bias[1]) / det;
        }
        for (int j = 0; j < 4; ++j) {
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        }
    }
    end[0][0] = y[0], end[0][1] = y[1];
    lw_data_destroy(d);
    lw_timed_load load = lw_default_timed_load();
    load.frame = lw_find_frame(formula, "body");
    load.unbalance = 0.5 * 0.04;
    load.speed = omega;
    lw_timed_loads loads = {1, &load};
    const lw_force_source source = lw_timed_source(&loads);
    lw_sim_def def = lw_default_sim_def();
    def.nsource = 1;
    def.source = &source;
    lw_sim *sim = new_sim(formula, &def);
    CHECK_INT(lw_sim_advance(sim, 1.0), LW_OK);
    end[1][0] = lw_sim_position(sim)[0], end[1][1] = lw_sim_position(sim)[1];
    CHECK(fabs(end[0][0]) > 1e-3);
    CHECK_NEAR(end[0][0], end[1][0], 1e-10); // RK4 with 4000 steps of 1/130 of a turn
    CHECK_NEAR(end[0][1], end[1][1], 1e-10);
    lw_sim_destroy(sim);
    lw_model_destroy(formula);
    lw_model_destroy(whole);
}

TEST(D04_loads_over_time_by_tables_and_sines_act_at_a_point)
{
    lw_model *m = compile_text("machine.xml", gripper, NULL);
    lw_data *d = new_data(m);
    const double q[7] = {0, 0, 0, 1, 0, 0, 0}, time[3] = {1, 2, 4}, factor[3] = {0, 1, 0.5};
    lw_timed_load load = lw_default_timed_load();
    load.frame = lw_find_frame(m, "body");
    load.axes = LW_IN_WORLD;
    load.wrench.lin = lw_vec3_of(0, 0, 8);
    load.point = lw_vec3_of(0.5, 0, 0);
    load.npoint = 3;
    load.time = time;
    load.factor = factor;
    load.end = 5.0;
    const lw_timed_loads loads = {1, &load};
    const double at[] = {0.5, 1.25, 2.0, 3.0, 4.5, 5.0}, want[] = {0, 2, 8, 6, 4, 0};
    for (int i = 0; i < 6; ++i) {
        double tau[6] = {0};
        lw_force f[1] = {{{0, 0, 0}, {0, 0, 0}}};
        CHECK_INT(lw_add_timed_loads(m, d, &loads, at[i], q, tau, f), LW_OK);
        CHECK_NEAR(f[0].lin.z, want[i], 1e-15);
        CHECK_NEAR(f[0].ang.y, -0.5 * want[i], 1e-15);
    }
    load.npoint = 0;
    load.frequency = 2.0;
    load.phase = 0.3;
    double tau[6] = {0};
    lw_force f[1] = {{{0, 0, 0}, {0, 0, 0}}};
    CHECK_INT(lw_add_timed_loads(m, d, &loads, 0.7, q, tau, f), LW_OK);
    CHECK_NEAR(f[0].lin.z, 8.0 * sin(2.0 * turn * 0.7 + 0.3), 1e-14);
    load.frame = m->nframe_all;
    CHECK_INT(lw_check_timed_load(m, &load), LW_ERR_ARGUMENT);
    load.frame = 0;
    load.speed = (double)NAN;
    CHECK_INT(lw_check_timed_load(m, &load), LW_ERR_NUMBER);
    load.speed = 0.0;
    load.npoint = 3;
    const double wrong[3] = {1, 1, 2};
    load.time = wrong;
    CHECK_INT(lw_check_timed_load(m, &load), LW_ERR_ARGUMENT);
    CHECK_INT(lw_add_timed_loads(m, d, NULL, 0.0, q, tau, f), LW_ERR_ARGUMENT);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Energy -----------------------------------------------------------------------------------

// Every kind of force at once: springs and dampers along joints and between ports, straight, by
// polynomial and by table, a cord, a torsion with backlash and loss, friction, a constant load, a
// motor behind a gear.
static const char all_forces[] =
    "<linkwork version=\"1\" name=\"all\">\n<ground><frame name=\"top\" xyz=\"0.2 0.1 0.9\"/>"
    "<frame name=\"side\" xyz=\"-0.6 0 0.2\"/></ground>\n"
    "<joint name=\"a\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"l1\" damping=\"0.4\" "
    "stiffness=\"6\" friction=\"0.3\"/>\n"
    "<link name=\"l1\" mass=\"2\" center=\"0.2 0 0\" inertia=\"0.02 0.05 0.05\">"
    "<b xyz=\"0.4 0 0\"/><frame name=\"eye\" xyz=\"0.3 0 0.05\"/></link>\n"
    "<joint name=\"b\" type=\"revolute\" axis=\"0 1 0\" from=\"l1\" to=\"l2\"/>\n"
    "<link name=\"l2\" mass=\"1\" center=\"0.2 0.02 0\" inertia=\"0.01 0.02 0.02\">"
    "<frame name=\"tip\" xyz=\"0.4 0 0\"/></link>\n"
    "<drive name=\"motor\" inertia=\"2e-3\" damping=\"1e-3\" stall_force=\"1\" "
    "no_load_velocity=\"80\" out=\"box.in\"/>\n"
    "<gearbox name=\"box\" ratio=\"20\"/>\n"
    "<torsion name=\"shaft\" in=\"box.out\" out=\"b\" stiffness=\"200\" damping=\"1\" "
    "backlash=\"0.01\" loss=\"0.1\" loss_speed=\"0.05\"/>\n"
    "<spring name=\"coil\" from=\"top\" to=\"eye\" stiffness=\"40\" damping=\"2\" preload=\"3\"/>\n"
    "<spring name=\"cubic\" from=\"side\" to=\"tip\" polynomial=\"0 10 0 30\" free=\"0.8\"/>\n"
    "<spring name=\"gas\" from=\"top\" to=\"tip\" table=\"-2 -9 -1 -4 0 0 1 3 2 5\"/>\n"
    "<spring name=\"cord\" from=\"side\" to=\"eye\" stiffness=\"60\" damping=\"1\" free=\"0.9\" "
    "side=\"tension\"/>\n"
    "<load name=\"weight\" at=\"tip\" force=\"1 0 -2\" axes=\"world\"/>\n</linkwork>\n";

typedef struct balance {
    const lw_model *m;
    lw_data *d;
    lw_force_source source[2];
    double friction_speed;
} balance;

static double power_of_load(const balance *b)
{
    double sum = 0.0;
    for (int i = 0; i < b->m->nload; ++i) {
        const lw_load_info *load = &b->m->load[i];
        lw_motion v;
        const int frame = lw_find_frame(b->m, "l2.tip");
        CHECK_INT(lw_frame_velocity(b->m, b->d, frame, LW_IN_WORLD, &v), LW_OK);
        sum += lw_dot3(load->force, v.lin) + lw_dot3(load->torque, v.ang);
    }
    return sum;
}

// Power that is fed from outside and power that is lost, by nothing that the simulation uses.
static void find_powers(const balance *b, double t, const double *q, const double *v,
                        double power[2])
{
    const lw_model *m = b->m;
    double tau[4] = {0};
    lw_force f[8] = {{{0, 0, 0}, {0, 0, 0}}};
    power[0] = power[1] = 0.0;
    for (int s = 0; s < 2; ++s) {
        CHECK_INT(b->source[s].add(b->source[s].context, m, b->d, t, q, v, tau, f), LW_OK);
    }
    for (int k = 0; k < m->nv; ++k) {
        power[0] += tau[k] * v[k];
    }
    CHECK_INT(lw_forward_velocity(m, b->d, q, v), LW_OK);
    // Only the second link is pulled. Its velocity about the origin of its body, along the axes of
    // that, from the velocity of one of its frames.
    const lw_frame_info *tip = &m->frame[lw_find_frame(m, "l2.tip")];
    lw_motion u;
    CHECK_INT(lw_frame_velocity(m, b->d, (int)(tip - m->frame), LW_IN_FRAME, &u), LW_OK);
    const lw_vec3 w = lw_rotate(&tip->X_BF.R, u.ang);
    const lw_vec3 origin = lw_sub3(lw_rotate(&tip->X_BF.R, u.lin), lw_cross3(w, tip->X_BF.p));
    power[0] += lw_dot3(f[tip->body].ang, w) + lw_dot3(f[tip->body].lin, origin);
    power[0] += power_of_load(b);
    double tree_q[8], tree_v[8];
    CHECK_INT(lw_tree_state(m, b->d, q, v, NULL, tree_q, tree_v, NULL), LW_OK);
    for (int i = 0; i < m->tree_nv; ++i) {
        const lw_dof *own = &m->dof[i];
        const double x = fmax(-1.0, fmin(tree_v[i] / b->friction_speed, 1.0));
        power[1] += own->damping * tree_v[i] * tree_v[i] +
                    own->friction * x * (1.5 - 0.5 * x * x) * tree_v[i];
    }
    lw_spring_state spring[5];
    CHECK_INT(lw_spring_states(m, b->d, q, v, spring), LW_OK);
    for (int i = 0; i < m->nspring; ++i) {
        power[1] += spring[i].loss;
    }
}

static double energy_at(const lw_model *m, lw_data *d, const double *q, const double *v)
{
    double kinetic = 0.0, potential = 0.0;
    CHECK_INT(lw_kinetic_energy(m, d, q, v, &kinetic), LW_OK);
    CHECK_INT(lw_potential_energy(m, d, q, &potential), LW_OK);
    return kinetic + potential;
}

TEST(R29_what_is_stored_fed_and_lost_balances_over_all_kinds_of_forces)
{
    lw_model *m = compile_text("machine.xml", all_forces, NULL);
    CHECK_INT(m->nspring, 5);
    CHECK_INT(m->nv, 3); // two joints, and the motor before its shaft
    const double start[3] = {0}, kp[3] = {30, 20, 0.05}, kd[3] = {1, 1, 0.001};
    double way[3] = {0.8, -0.6, -12.0};
    lw_axis_limits limits[3];
    for (int k = 0; k < 3; ++k) {
        limits[k] = lw_default_axis_limits();
    }
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = way;
    move.duration = 0.4;
    const lw_trajectory_def path = {
        .n = 3, .start = start, .limits = limits, .nmove = 1, .move = &move};
    lw_trajectory *trajectory = NULL;
    lw_controller *controller = NULL;
    CHECK_INT(lw_trajectory_create(&path, &trajectory, NULL), LW_OK);
    const lw_controller_def law = {
        .law = LW_CONTROL_PD, .trajectory = trajectory, .kp = kp, .kd = kd};
    CHECK_INT(lw_controller_create(m, &law, &controller), LW_OK);
    lw_timed_load load[2] = {lw_default_timed_load(), lw_default_timed_load()};
    load[0].frame = load[1].frame = lw_find_frame(m, "l2.tip");
    load[0].unbalance = 2e-3;
    load[0].speed = 50.0;
    load[1].axes = LW_IN_WORLD;
    load[1].wrench.lin = lw_vec3_of(2, 0, 5);
    load[1].wrench.ang = lw_vec3_of(0, 0.3, 0);
    load[1].frequency = 3.0;
    lw_timed_loads loads = {2, load};
    balance b = {.m = m,
                 .d = new_data(m),
                 .source = {lw_controller_source(controller), lw_timed_source(&loads)},
                 .friction_speed = 0.05};
    lw_sim_def def = lw_default_sim_def();
    def.nsource = 2;
    def.source = b.source;
    def.counts_work = true;
    def.friction_speed = b.friction_speed;
    def.relative = def.absolute = 1e-11;
    lw_sim *sim = new_sim(m, &def);
    const double before = energy_at(m, b.d, lw_sim_position(sim), lw_sim_velocity(sim));
    double sum[2] = {0.0, 0.0};
    // Gauss with two points in each of many short pieces. Backlash, cord and motor have kinks, so
    // the error falls with the square of the piece at those, and quickly between.
    enum { PIECES = 6000 };
    const double h = 0.6 / PIECES, off = 0.5 / sqrt(3.0);
    for (int i = 0; i < PIECES; ++i) {
        for (int g = 0; g < 2; ++g) {
            double power[2];
            const double t = h * (i + (g ? 0.5 + off : 0.5 - off));
            CHECK_INT(lw_sim_advance(sim, t), LW_OK);
            find_powers(&b, t, lw_sim_position(sim), lw_sim_velocity(sim), power);
            sum[0] += 0.5 * h * power[0];
            sum[1] += 0.5 * h * power[1];
        }
        CHECK_INT(lw_sim_advance(sim, h * (i + 1)), LW_OK);
    }
    const double grown = energy_at(m, b.d, lw_sim_position(sim), lw_sim_velocity(sim)) - before;
    const lw_sim_info info = lw_sim_get_info(sim);
    CHECK(sum[0] > 0.5 && sum[1] > 0.5); // joules: there is something to balance
    CHECK_NEAR(info.work, grown, 1e-9);  // the accuracy of the steps, some thousand of 1e-11
    CHECK_NEAR(info.lost, sum[1], 1e-6); // that of the rule at the kinks
    CHECK_NEAR(info.work + info.lost, sum[0], 1e-6);
    lw_sim_destroy(sim);
    lw_data_destroy(b.d);
    lw_controller_destroy(controller);
    lw_trajectory_destroy(trajectory);
    lw_model_destroy(m);
}

// --- Run files --------------------------------------------------------------------------------

static void reads(const char *inside, const char *why, lw_run **run, const lw_model *m)
{
    char text[1000];
    lw_report *report = new_report();
    snprintf(text, sizeof text, "<run version=\"1\" duration=\"1\">\n%s\n</run>\n", inside);
    *run = NULL;
    lw_run_load_text("run.xml", text, strlen(text), m, run, report);
    char *diagnostics = diagnostics_text(report);
    CHECK_TEXT(diagnostics, why);
    free(diagnostics);
    lw_report_destroy(report);
}

TEST(V18_run_files_have_unbalances)
{
    lw_model *m = compile_text("machine.xml", gripper, NULL);
    lw_run *run;
    reads("<unbalance frame=\"grip\" mass=\"0.1\" radius=\"0.02\" speed=\"40\" phase=\"0.5\" "
          "until=\"2\"/>",
          "", &run, m);
    if (CHECK(run)) {
        lw_data *d = new_data(m);
        double tau[6] = {0};
        const double q[7] = {0, 0, 0, 1, 0, 0, 0};
        lw_force f[1] = {{{0, 0, 0}, {0, 0, 0}}};
        const lw_force_source *source = &run->sim.source[0];
        CHECK_INT(source->add(source->context, m, d, 0.3, q, tau, tau, f), LW_OK);
        const lw_vec3 own = lw_rotate_back(&m->frame[lw_find_frame(m, "grip")].X_BF.R, f[0].lin);
        CHECK_NEAR(own.x, 3.2 * cos(40 * 0.3 + 0.5), 1e-14);
        CHECK_NEAR(own.y, 3.2 * sin(40 * 0.3 + 0.5), 1e-14);
        lw_data_destroy(d);
    }
    lw_run_destroy(run);
    reads("<unbalance frame=\"grip\" mass=\"0.1\" speed=\"40\"/>",
          "run.xml:2:1: error: <unbalance> needs the attribute \"radius\"\n", &run, m);
    CHECK(!run);
    reads("<unbalance frame=\"grip\" mass=\"-1\" radius=\"1\" speed=\"40\"/>",
          "run.xml:2:31: error: mass is -1, must not be below 0\n", &run, m);
    CHECK(!run);
    reads("<unbalance frame=\"nowhere\" mass=\"1\" radius=\"1\" speed=\"40\"/>",
          "run.xml:2:19: error: the mechanism has no frame \"nowhere\", or several\n", &run, m);
    CHECK(!run);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(V18_an_unbalance_pulls_across_the_gripper_and_its_mean_is_zero);
    RUN(V18_the_formula_is_what_a_turning_mass_does);
    RUN(D04_loads_over_time_by_tables_and_sines_act_at_a_point);
    RUN(R29_what_is_stored_fed_and_lost_balances_over_all_kinds_of_forces);
    RUN(V18_run_files_have_unbalances);
    return REPORT();
}
