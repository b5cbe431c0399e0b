// Motors on elastic shafts: how they follow their joints, where joints rest, control through them,
// and what only they show (R40).
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

// A heavy arm that a motor turns over a shaft, an intermediate wheel on a shaft of its own, and a
// reducer: 3 times 20 to 1.
static const char two_shafts[] =
    "<linkwork version=\"1\" name=\"two\"><ground/>"
    "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"arm\"/>"
    "<link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
    "<drive name=\"motor\" inertia=\"1e-3\" out=\"first.in\"/>"
    "<torsion name=\"first\" stiffness=\"300\"/><gearbox name=\"slow\" in=\"first.out\" "
    "ratio=\"3\"/>"
    "<drive name=\"wheel\" inertia=\"2e-3\" out=\"slow.out\"/>"
    "<torsion name=\"second\" in=\"slow.out\" stiffness=\"900\"/>"
    "<gearbox name=\"last\" in=\"second.out\" out=\"arm\" ratio=\"20\"/></linkwork>";

TEST(R29_dofs_behind_elastic_shafts_follow_by_the_product_of_the_ratios)
{
    lw_model *m = compile_text("machine.xml", two_shafts, NULL);
    lw_data *d = new_data(m);
    double G[9];
    int nfollower = 0;
    CHECK_INT(m->nv, 3);
    CHECK_INT(lw_shaft_ratios(m, d, m->q_reference, &nfollower, G), LW_OK);
    CHECK_INT(nfollower, 2);
    const int arm = lw_find_velocity(m, "arm");
    for (int k = 0; k < m->nv && CHECK(arm >= 0); ++k) {
        if (k == arm) {
            CHECK_NEAR(G[k * 3 + k], 1.0, 0.0);
            continue;
        }
        const bool is_wheel = strcmp(m->velocity_name[k], "wheel") == 0;
        CHECK_NEAR(G[k * 3 + arm], is_wheel ? 20.0 : 60.0, 1e-12);
        for (int i = 0; i < 3; ++i) {
            CHECK(i == arm || G[k * 3 + i] == 0.0);
        }
    }
    CHECK_INT(lw_shaft_ratios(m, d, m->q_reference, NULL, G), LW_ERR_ARGUMENT);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// One motor, one shaft; the stiffness is filled in.
static const char one_shaft[] =
    "<linkwork version=\"1\" name=\"one\"><ground/>"
    "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"arm\"/>"
    "<link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
    "<drive name=\"motor\" inertia=\"1e-3\" %s/>"
    "<torsion name=\"shaft\" in=\"motor\" out=\"box.in\" stiffness=\"%g\" damping=\"0.01\"%s/>"
    "<gearbox name=\"box\" out=\"arm\" ratio=\"50\"/></linkwork>";

static lw_model *make(double stiffness, const char *drive, const char *torsion)
{
    char text[2000];
    snprintf(text, sizeof text, one_shaft, drive, stiffness, torsion);
    return compile_text("machine.xml", text, NULL);
}

TEST(R29_joints_rest_on_their_shafts)
{
    const double k = 40.0, ratio = 50.0;
    lw_model *m = make(k, "", "");
    lw_data *d = new_data(m);
    const int arm = lw_find_position(m, "arm"), motor = lw_find_position(m, "motor");
    double q[2], zero[2] = {0, 0}, tau[2];
    q[arm] = 0.3;
    q[motor] = 0.0;
    CHECK_INT(lw_shaft_equilibrium(m, d, q), LW_OK);
    CHECK_NEAR(q[motor], ratio * 0.3, 1e-12); // where the arm would be, were the shaft rigid
    CHECK_INT(lw_inverse_dynamics(m, d, q, zero, zero, NULL, tau), LW_OK);
    CHECK_NEAR(tau[arm], 0.0, 1e-9);
    // Positive turns about y lower the arm: its weight m g l cos q against the shaft.
    CHECK_NEAR(k * ratio * (ratio * q[arm] - q[motor]), 10 * 9.81 * 0.5 * cos(q[arm]), 1e-9);
    CHECK_NEAR(tau[motor], k * (q[motor] - ratio * q[arm]), 1e-9);
    lw_data_destroy(d);
    lw_model_destroy(m);
    // Within backlash there is no slope to go by; the weight uses it up, 0.1 rad of it at the
    // motor.
    m = make(k, "", " backlash=\"0.2\"");
    d = new_data(m);
    for (int side = -1; side <= 1; side += 2) { // hangs to this side, and then to that one
        q[arm] = 0.3 + (side < 0 ? 3.141592653589793 : 0.0);
        CHECK_INT(lw_shaft_equilibrium(m, d, q), LW_OK);
        CHECK_NEAR(q[motor], ratio * (0.3 + (side < 0 ? 3.141592653589793 : 0.0)), 1e-12);
        CHECK_INT(lw_inverse_dynamics(m, d, q, zero, zero, NULL, tau), LW_OK);
        CHECK_NEAR(tau[arm], 0.0, 1e-9);
        CHECK_NEAR(k * ratio * (ratio * q[arm] - q[motor] - 0.1 * side),
                   10 * 9.81 * 0.5 * cos(q[arm]), 1e-9);
    }
    CHECK_INT(lw_shaft_equilibrium(NULL, d, q), LW_ERR_ARGUMENT);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// What nothing pushes rests where it is, and the rest of the machine with play everywhere.
TEST(R29_joints_rest_within_backlash)
{
    lw_model *m = compile_text(
        "machine.xml",
        "<linkwork version=\"1\" name=\"two\"><ground/>"
        "<joint name=\"swing\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"post\"/>"
        "<link name=\"post\" mass=\"30\" inertia=\"1 1 1\"/>"
        "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"post\" to=\"arm\"/>"
        "<link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
        "<joint name=\"hand\" type=\"revolute\" axis=\"0 1 0\" from=\"arm\" to=\"hand\" xyz=\"1 0 "
        "0\"/>"
        "<link name=\"hand\" mass=\"4\" center=\"-0.1 0 0.2\" inertia=\"0.1 0.1 0.1\"/>"
        "<drive name=\"m1\" inertia=\"1e-3\"/><drive name=\"m2\" inertia=\"1e-3\"/>"
        "<drive name=\"m3\" inertia=\"1e-3\"/>"
        "<torsion name=\"s1\" in=\"m1\" out=\"b1.in\" stiffness=\"50\" backlash=\"0.1\"/>"
        "<torsion name=\"s2\" in=\"m2\" out=\"b2.in\" stiffness=\"50\" backlash=\"0.2\"/>"
        "<torsion name=\"s3\" in=\"m3\" out=\"b3.in\" stiffness=\"5\" backlash=\"0.3\"/>"
        "<gearbox name=\"b1\" out=\"swing\" ratio=\"50\"/>"
        "<gearbox name=\"b2\" out=\"arm\" ratio=\"80\"/>"
        "<gearbox name=\"b3\" out=\"hand\" ratio=\"30\"/></linkwork>",
        NULL);
    lw_data *d = new_data(m);
    const int swing = lw_find_position(m, "swing");
    double q[6] = {0.0}, zero[6] = {0.0}, tau[6];
    q[swing] = 0.7;
    if (CHECK_INT(m->nv, 6) && CHECK_INT(lw_shaft_equilibrium(m, d, q), LW_OK)) {
        CHECK_INT(lw_inverse_dynamics(m, d, q, zero, zero, NULL, tau), LW_OK);
        CHECK_NEAR(q[swing], 0.7, 1e-12);
        static const char *const joint[] = {"swing", "arm", "hand"};
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(tau[lw_find_velocity(m, joint[i])], 0.0, 1e-9);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static lw_run *load_run(const char *text, const lw_model *m)
{
    lw_run *run = NULL;
    lw_report *report = new_report();
    if (lw_run_load_text("run.xml", text, strlen(text), m, &run, report) != LW_OK) {
        char *diagnostics = diagnostics_text(report);
        CHECK_TEXT(diagnostics, "");
        free(diagnostics);
    }
    lw_report_destroy(report);
    return run;
}

// Position of a joint at the end of a run.
static double end_of(const char *text, const lw_model *m, const char *joint)
{
    lw_run *run = load_run(text, m);
    lw_sim *sim = run ? new_sim(m, &run->sim) : NULL;
    double q = (double)NAN;
    if (CHECK(sim) && CHECK_INT(lw_sim_reset(sim, 0.0, run->q, run->v), LW_OK) &&
        CHECK_INT(lw_sim_advance(sim, run->duration), LW_OK)) {
        q = lw_sim_position(sim)[lw_find_position(m, joint)];
    }
    lw_sim_destroy(sim);
    lw_run_destroy(run);
    return q;
}

// One run file, for the motor with a rigid gear and for stiffer and stiffer shafts: the stiffer,
// the nearer, in proportion.
TEST(R40_control_through_a_stiff_shaft_is_control_of_the_joint)
{
    static const char *const law[] = {"pd", "pd+gravity", "computed-torque"};
    lw_model *rigid =
        compile_text("machine.xml",
                     "<linkwork version=\"1\" name=\"one\"><ground/>"
                     "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" "
                     "to=\"arm\"/><link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" "
                     "inertia=\"0.1 0.4 0.4\"/><drive name=\"motor\" inertia=\"1e-3\"/>"
                     "<gearbox name=\"box\" in=\"motor\" out=\"arm\" ratio=\"50\"/>"
                     "</linkwork>",
                     NULL);
    CHECK_INT(rigid->nv, 1);
    for (int i = 0; i < 3; ++i) {
        char run[600];
        snprintf(
            run, sizeof run,
            "<run version=\"1\" accuracy=\"1e-9\"><start><joint name=\"arm\" q=\"0.2\"/></start>"
            "<motion><to duration=\"0.5\"><joint name=\"arm\" q=\"0.9\"/></to></motion>"
            "<controller law=\"%s\" frequency=\"3\" damping=\"0.8\"/></run>",
            law[i]);
        check_case("%s", law[i]);
        const double wanted = end_of(run, rigid, "arm");
        double off[2];
        for (int n = 0; n < 2; ++n) {
            lw_model *m = make(n ? 4000.0 : 400.0, "", "");
            CHECK_INT(m->nv, 2);
            off[n] = fabs(end_of(run, m, "arm") - wanted);
            lw_model_destroy(m);
        }
        CHECK(off[0] < 2e-3);
        CHECK(off[1] < 0.3 * off[0]); // a tenth, but for vibrations that end elsewhere
    }
    lw_model_destroy(rigid);
}

// An arm that two motors turn over elastic shafts, one of them with another ratio.
static const char two_motors[] =
    "<linkwork version=\"1\" name=\"two\"><ground/>"
    "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"arm\"/>"
    "<link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
    "<drive name=\"m1\" inertia=\"5e-4\"/><drive name=\"m2\" inertia=\"5e-4\"/>"
    "<torsion name=\"s1\" in=\"m1\" out=\"b1.in\" stiffness=\"4000\" damping=\"0.01\"/>"
    "<torsion name=\"s2\" in=\"m2\" out=\"b2.in\" stiffness=\"4000\" damping=\"0.01\"/>"
    "<gearbox name=\"b1\" out=\"arm\" ratio=\"50\"/><gearbox name=\"b2\" out=\"arm\" ratio=\"%d\"/>"
    "</linkwork>";

// They must not hold the places of their own coordinates against each other, as they did.
TEST(R40_motors_that_turn_one_joint_together_share_its_force)
{
    static const char run[] =
        "<run version=\"1\" accuracy=\"1e-9\"><start><joint name=\"arm\" q=\"0.2\"/></start>"
        "<motion><to duration=\"0.5\"><joint name=\"arm\" q=\"0.9\"/></to>"
        "<wait duration=\"2\"/></motion>"
        "<controller law=\"pd+gravity\" frequency=\"3\" damping=\"1\"/></run>";
    for (int ratio = -50; ratio <= 100; ratio += 50 + 50 * (ratio < 0)) {
        char text[1200];
        snprintf(text, sizeof text, two_motors, ratio);
        check_case("ratio %d", ratio);
        lw_model *m = compile_text("machine.xml", text, NULL);
        lw_shafts shafts;
        CHECK_INT(lw_shafts_create(m, &shafts), LW_OK);
        CHECK_INT(shafts.nfollower, 2);
        CHECK_INT(shafts.nmotor, 2);
        CHECK_INT(shafts.njoint, 1);
        lw_report *report = new_report();
        lw_shafts_report(m, (lw_location){0}, report);
        char *diagnostics = diagnostics_text(report);
        CHECK(strstr(diagnostics, "motors \"m1\" and \"m2\" turn \"arm\" together"));
        free(diagnostics);
        lw_report_destroy(report);
        lw_run *loaded = load_run(run, m);
        lw_sim *sim = loaded ? new_sim(m, &loaded->sim) : NULL;
        if (CHECK(sim) && CHECK_INT(lw_sim_reset(sim, 0.0, loaded->q, loaded->v), LW_OK) &&
            CHECK_INT(lw_sim_advance(sim, loaded->duration), LW_OK)) {
            const double *q = lw_sim_position(sim);
            const double arm = q[lw_find_position(m, "arm")];
            double tau[3];
            CHECK_INT(lw_sim_forces(sim, NULL, tau), LW_OK);
            const double one = tau[lw_find_velocity(m, "m1")], two = tau[lw_find_velocity(m, "m2")];
            // On its shafts the arm hangs 2e-5 rad lower than its motors say.
            CHECK_NEAR(arm, 0.9, 1e-4);
            CHECK_NEAR(50 * one + ratio * two, -10 * 9.81 * 0.5 * cos(arm), 1e-3);
            CHECK_NEAR(two, one * ratio / 50, 1e-6);
        }
        lw_sim_destroy(sim);
        lw_run_destroy(loaded);
        lw_shafts_free(&shafts);
        lw_model_destroy(m);
    }
}

// A chain of two shafts: the wheel between them has no motor, and rests on both.
TEST(R29_what_stands_between_two_shafts_rests_on_both)
{
    lw_model *m = compile_text("machine.xml", two_shafts, NULL);
    lw_data *d = new_data(m);
    double q[3] = {0.0}, zero[3] = {0.0};
    q[lw_find_position(m, "arm")] = 0.3;
    CHECK_INT(lw_shaft_equilibrium(m, d, q), LW_OK);
    double tau[3];
    CHECK_INT(lw_inverse_dynamics(m, d, q, zero, zero, NULL, tau), LW_OK);
    CHECK_NEAR(tau[lw_find_velocity(m, "arm")], 0.0, 1e-9);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Two wheels, and what turns them.
#define WHEELS(transmission)                                                                       \
    "<linkwork version=\"1\" name=\"car\"><ground/>"                                               \
    "<joint name=\"left\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"a\"/>"             \
    "<link name=\"a\" mass=\"1\" inertia=\"0.1 0.1 0.1\"/>"                                        \
    "<joint name=\"right\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"b\"/>"            \
    "<link name=\"b\" mass=\"1\" inertia=\"0.1 0.1 0.1\"/>"                                        \
    "<drive name=\"motor\" inertia=\"1e-3\"/>" transmission "</linkwork>"
#define BOX "<gearbox name=\"box\" out=\"left right\" ratio=\"3 3\""
#define SHAFT "<torsion name=\"shaft\" in=\"motor\" out=\"box.in\" stiffness=\"100\"/>"

TEST(R29_motors_that_do_not_determine_their_joints_are_reported)
{
    static const char both[] = "run.xml:2:1: warning: \"motor\" does not determine \"left\" and "
                               "\"right\"";
    static const struct {
        const char *name, *machine, *diagnostic; // null for none
    } one[] = {
        {"elastic", WHEELS(SHAFT BOX "/>"), both},
        {"rigid", WHEELS(BOX " in=\"motor\"/>"), both},
        {"two shafts of one motor",
         WHEELS("<torsion name=\"s\" in=\"motor\" out=\"left\" stiffness=\"100\"/>"
                "<torsion name=\"t\" in=\"motor\" out=\"right\" stiffness=\"100\"/>"),
         both},
        {"two motors whose rows depend",
         WHEELS(BOX " in=\"motor\"/><drive name=\"more\" inertia=\"1e-3\"/><gearbox name=\"c\" "
                    "in=\"more\" out=\"left right\" ratio=\"-7 -7\"/>"),
         "run.xml:2:1: warning: \"motor\" and \"more\" do not determine \"left\" and \"right\""},
        {"two motors",
         WHEELS(BOX " in=\"motor\"/><drive name=\"more\" inertia=\"1e-3\"/><gearbox name=\"c\" "
                    "in=\"more\" out=\"left right\" ratio=\"7 -7\"/>"),
         NULL},
        {"one joint that no motor reaches",
         WHEELS("<gearbox name=\"c\" in=\"motor\" out=\"left\" ratio=\"3\"/>"), NULL},
    };
    static const char run[] = "<run version=\"1\" duration=\"0.1\">\n"
                              "<controller law=\"pd\" frequency=\"3\"/></run>";
    for (size_t i = 0; i < sizeof one / sizeof one[0]; ++i) {
        check_case("%s", one[i].name);
        lw_model *m = compile_text("machine.xml", one[i].machine, NULL);
        lw_report *report = new_report();
        lw_run *loaded = NULL;
        CHECK_INT(lw_run_load_text("run.xml", run, strlen(run), m, &loaded, report), LW_OK);
        char *diagnostics = diagnostics_text(report);
        if (one[i].diagnostic) {
            CHECK(strstr(diagnostics, one[i].diagnostic));
        } else {
            CHECK_TEXT(diagnostics, "");
        }
        free(diagnostics);
        lw_report_destroy(report);
        lw_run_destroy(loaded);
        lw_model_destroy(m);
    }
}

// Where they are too few, and where the machine does not begin at rest, too.
TEST(R29_motors_that_a_start_does_not_name_follow_their_joints)
{
    static const struct {
        const char *start;
        double q, v; // of the motor
    } one[] = {
        {"<joint name=\"left\" q=\"0.1\"/>", 0.3, 0.0},
        {"<joint name=\"left\" q=\"0.1\" v=\"0.2\"/>", 0.3, 0.6},
        {"<joint name=\"left\" q=\"0.1\"/><joint name=\"motor\" q=\"0.2\"/>", 0.2, 0.0},
        {"<joint name=\"left\" q=\"0.1\" v=\"1\"/><joint name=\"motor\" v=\"2\"/>", 0.3, 2.0},
    };
    lw_model *m = compile_text("machine.xml", WHEELS(SHAFT BOX "/>"), NULL);
    for (size_t i = 0; i < sizeof one / sizeof one[0]; ++i) {
        char text[300];
        snprintf(text, sizeof text, "<run version=\"1\" duration=\"1\"><start>%s</start></run>",
                 one[i].start);
        check_case("%s", one[i].start);
        lw_run *run = load_run(text, m);
        if (CHECK(run)) {
            CHECK_NEAR(run->q[lw_find_position(m, "left")], 0.1, 0.0);
            CHECK_NEAR(run->q[lw_find_position(m, "motor")], one[i].q, 1e-12);
            CHECK_NEAR(run->v[lw_find_velocity(m, "motor")], one[i].v, 1e-12);
        }
        lw_run_destroy(run);
    }
    lw_model_destroy(m);
}

// How far S of the industrial arm still moves in the last 0.3 s, where it should rest.
static double rings(lw_level level)
{
    static const char swing[] =
        "<run version=\"1\" accuracy=\"1e-7\"><limits velocity=\"1.5\" acceleration=\"4\" "
        "jerk=\"200\"/><motion profile=\"s-curve\"><to><joint name=\"base/S\" q=\"0.3\"/></to>"
        "<wait duration=\"0.4\"/></motion>"
        "<controller law=\"pd+gravity\" frequency=\"20\" damping=\"1\"/></run>";
    lw_model *m = shipped_model_at("hr120/hr120.xml", level);
    lw_run *run = load_run(swing, m);
    lw_sim *sim = run ? new_sim(m, &run->sim) : NULL;
    double least = (double)INFINITY, most = -least;
    if (CHECK(sim) && CHECK_INT(lw_sim_reset(sim, 0.0, run->q, run->v), LW_OK)) {
        enum { ROWS = 60 };
        for (int i = 0; i <= ROWS; ++i) {
            const double t = run->duration - 0.3 * (ROWS - i) / ROWS;
            CHECK_INT(lw_sim_advance(sim, t), LW_OK);
            const double q = lw_sim_position(sim)[lw_find_position(m, "base/S")];
            least = fmin(least, q);
            most = fmax(most, q);
        }
    }
    lw_sim_destroy(sim);
    lw_run_destroy(run);
    lw_model_destroy(m);
    return most - least;
}

TEST(R40_vibration_is_visible_at_the_low_level_alone)
{
    CHECK(rings(LW_LEVEL_HIGH) < 1e-6); // the controller's own way back, which decays
    CHECK(rings(LW_LEVEL_MIDDLE) < 1e-6);
    const double low = rings(LW_LEVEL_LOW);
    CHECK(low > 3e-4 && low < 3e-3); // some tenths of a millimetre to some at the tool
}

// The frequencies of the six shafts are there at low, and no other level has any.
TEST(R48_shafts_have_eigenfrequencies_at_the_low_level_alone)
{
    static const lw_level level[] = {LW_LEVEL_HIGH, LW_LEVEL_MIDDLE, LW_LEVEL_LOW};
    for (int i = 0; i < 3; ++i) {
        lw_model *m = shipped_model_at("hr120/hr120.xml", level[i]);
        lw_data *d = new_data(m);
        const size_t n = 2 * (size_t)m->nv;
        double *A = calloc(n * n, sizeof *A), *B = calloc(n * n, sizeof *B);
        double *re = calloc(n, sizeof *re), *im = calloc(n, sizeof *im);
        int fast = 0;
        CHECK_INT(lw_linearize(m, d, m->q_reference, NULL, NULL, A, B), LW_OK);
        CHECK_INT(lw_eigenvalues((int)n, A, re, im), LW_OK);
        for (size_t k = 0; k < n; ++k) {
            fast += im[k] > 100.0;
            CHECK(im[k] < 500.0);
        }
        check_case("%s", lw_level_name(level[i]));
        CHECK_INT(fast, i == 2 ? 6 : 0);
        free(A);
        free(B);
        free(re);
        free(im);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// --- Sizing -----------------------------------------------------------------------------------

// A quintic of known peak speed and acceleration, without weight: torques by hand.
TEST(R41_sizing_tells_where_a_motion_leaves_the_curve)
{
    static const char text[] = "<linkwork version=\"1\" name=\"size\"><ground gravity=\"0 0 0\"/>"
                               "<joint name=\"j\" type=\"revolute\" from=\"ground\" to=\"l\"/>"
                               "<link name=\"l\" mass=\"1\" inertia=\"2 2 2\"/>"
                               "<drive name=\"m\" stall_force=\"1\" no_load_velocity=\"50\" "
                               "continuous_force=\"0.5\" out=\"box.in\"/>"
                               "<gearbox name=\"box\" out=\"j\" ratio=\"20\"/></linkwork>";
    lw_model *m = compile_text("machine.xml", text, NULL);
    lw_data *d = new_data(m);
    const double from = 0.0, to = 1.0, T = 1.0, inertia = 2.0, ratio = 20.0;
    lw_axis_limits limits = lw_default_axis_limits();
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = &to;
    move.duration = T;
    const lw_trajectory_def def = {
        .n = 1, .start = &from, .limits = &limits, .nmove = 1, .move = &move};
    lw_trajectory *way = NULL;
    lw_motor_load load;
    CHECK_INT(lw_trajectory_create(&def, &way, NULL), LW_OK);
    CHECK_INT(lw_motor_loads(m, d, way, 20000, &load), LW_OK);
    double use = 0.0, when = 0.0, first = -1.0, square = 0.0;
    enum { N = 20000 };
    for (int i = 0; i <= N; ++i) {
        const double s = (double)i / N;
        const double v = 30 * s * s * (1 - s) * (1 - s), a = 60 * s * (1 - s) * (1 - 2 * s);
        const double effort = inertia * a / ratio, speed = ratio * v;
        const double has = a > 0 ? fmax(0.0, 1.0 - speed / 50.0) : 1.0; // braking: as at rest
        const double own = fabs(effort) / has;
        first = first < 0.0 && own > 1.0 ? s : first;
        when = own > use ? s : when;
        use = fmax(use, own);
        square += (i == 0 || i == N ? 0.5 : 1.0) / N * effort * effort;
    }
    CHECK(first > 0.0);
    CHECK_NEAR(load.use, use, 1e-9);
    CHECK_NEAR(load.use_time, when, 1e-9);
    CHECK_NEAR(load.first_beyond, first, 1e-9);
    CHECK(load.beyond > 0.0 && load.beyond < 0.5);
    CHECK_NEAR(load.load.rms_force, sqrt(square), 1e-9);
    CHECK_NEAR(load.continuous_use, sqrt(square) / 0.5, 1e-9);
    CHECK_NEAR(load.load.peak_speed, ratio * 1.875, 1e-9);
    CHECK_INT(lw_motor_loads(m, d, way, 0, &load), LW_ERR_ARGUMENT);
    lw_trajectory_destroy(way);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(R29_dofs_behind_elastic_shafts_follow_by_the_product_of_the_ratios);
    RUN(R29_joints_rest_on_their_shafts);
    RUN(R29_joints_rest_within_backlash);
    RUN(R40_control_through_a_stiff_shaft_is_control_of_the_joint);
    RUN(R40_motors_that_turn_one_joint_together_share_its_force);
    RUN(R29_what_stands_between_two_shafts_rests_on_both);
    RUN(R29_motors_that_do_not_determine_their_joints_are_reported);
    RUN(R29_motors_that_a_start_does_not_name_follow_their_joints);
    RUN(R40_vibration_is_visible_at_the_low_level_alone);
    RUN(R48_shafts_have_eigenfrequencies_at_the_low_level_alone);
    RUN(R41_sizing_tells_where_a_motion_leaves_the_curve);
    return REPORT();
}
