// Control in contact: impedance and hybrid control against compliant surfaces. Steady forces are
// those that were set, and energy is accounted for.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>
#include <linkwork/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

// An arm above a table, which yields, 0.25 m above the ground.
static lw_model *arm_on_table(const char *law)
{
    char text[400];
    snprintf(text, sizeof text,
             "<spring name=\"table\" along=\"normal\" from=\"ground\" to=\"wrist_3.tool\" "
             "free=\"0.25\" side=\"compression\" %s/></linkwork>",
             law);
    return shipped_model_with("ur5_class.xml", "</linkwork>", text);
}

static lw_run *load(const lw_model *m, const char *motion, const char *controller)
{
    char text[2000];
    snprintf(text, sizeof text,
             "<run version=\"1\" duration=\"4\" accuracy=\"1e-8\">"
             "<start q=\"0.2 -1.6 1.9 -1.87 -1.5707963267948966 0\"/>"
             "<limits velocity=\"1\" acceleration=\"2\"/>%s%s</run>",
             motion, controller);
    lw_run *run = NULL;
    lw_report *report = new_report();
    if (lw_run_load_text("run.xml", text, strlen(text), m, &run, report) != LW_OK) {
        print_diagnostics(report);
        CHECK(run != NULL);
    }
    lw_report_destroy(report);
    return run;
}

/// How a run ended.
typedef struct ending {
    lw_spring_state contact;
    double q[MOST], v[MOST];
    lw_vec3 tool;
    double least, most; ///< contact force after the first half
    double drift;       ///< of energy less work
} ending;

static ending simulate(const lw_model *m, const lw_run *run, const char *frame)
{
    ending e = {.least = 0.0, .most = -1e9};
    lw_sim_def def = run->sim;
    def.counts_work = true;
    lw_sim *sim = new_sim(m, &def);
    lw_data *d = new_data(m);
    lw_spring_state state[4];
    double kinetic = 0.0, potential = 0.0, first = 0.0, energy = 0.0;
    CHECK_INT(lw_sim_reset(sim, 0.0, run->q, run->v), LW_OK);
    for (int i = 0; i <= 80 && CHECK(sim && m->nspring <= 4); ++i) {
        if (!CHECK_INT(lw_sim_advance(sim, run->duration * i / 80), LW_OK)) {
            break;
        }
        memcpy(e.q, lw_sim_position(sim), (size_t)m->nq * sizeof *e.q);
        memcpy(e.v, lw_sim_velocity(sim), (size_t)m->nv * sizeof *e.v);
        CHECK_INT(lw_spring_states(m, d, e.q, e.v, state), LW_OK);
        CHECK_INT(lw_kinetic_energy(m, d, e.q, e.v, &kinetic), LW_OK);
        CHECK_INT(lw_potential_energy(m, d, e.q, &potential), LW_OK);
        energy = kinetic + potential - lw_sim_get_info(sim).work;
        first = i == 0 ? energy : first;
        e.drift = fmax(e.drift, fabs(energy - first));
        if (2 * i >= 80) {
            e.least = fmin(e.least, state[0].force);
            e.most = fmax(e.most, state[0].force);
        }
    }
    e.contact = state[0];
    lw_pose X = lw_pose_identity();
    CHECK_INT(lw_pose_of_frame(m, d, e.q, lw_find_frame(m, frame), &X), LW_OK);
    e.tool = X.p;
    lw_data_destroy(d);
    lw_sim_destroy(sim);
    return e;
}

#define TASK                                                                                       \
    "<task frame=\"wrist_3.tool\" stiffness=\"4000 4000 2000\" damping=\"200 200 200\" "           \
    "rotation_stiffness=\"40 40 40\" rotation_damping=\"1 1 1\""

static const char *const surface[] = {"stiffness=\"2e4\" damping=\"100\"",
                                      "polynomial=\"0 1e4 0 1e9\" damping=\"50\"",
                                      "table=\"-0.1 -4000 -0.01 -200 0 0 0.1 1\" damping=\"50\""};

TEST(hybrid_control_exerts_the_force_on_any_surface)
{
    for (int i = 0; i < 3; ++i) {
        check_case("%s", surface[i]);
        lw_model *m = arm_on_table(surface[i]);
        lw_run *run = load(m, "",
                           "<controller law=\"hybrid\">" TASK
                           " force_axes=\"z\" force=\"0 0 -30\"/></controller>");
        if (run) {
            const ending e = simulate(m, run, "wrist_3.tool");
            CHECK_NEAR(e.contact.force, -30.0, 1e-5);
            CHECK(e.drift < 1e-6);
        }
        lw_run_destroy(run);
        lw_model_destroy(m);
    }
}

// The arm wipes: it moves by half a radian about its base while it presses.
TEST(an_arm_that_wipes_a_plane_presses_evenly)
{
    lw_model *m = arm_on_table(surface[0]);
    lw_run *run = load(m,
                       "<motion><wait duration=\"1.5\"/><to q=\"0.7 -1.6 1.9 -1.87 "
                       "-1.5707963267948966 0\"/></motion>",
                       "<controller law=\"hybrid\">" TASK
                       " force_axes=\"z\" force=\"0 0 -30\"/></controller>");
    if (run) {
        const ending e = simulate(m, run, "wrist_3.tool");
        CHECK_NEAR(e.contact.force, -30.0, 1e-2);
        CHECK(e.least > -33.0 && e.most < -27.0); // inertia of the arm, as it starts and stops
        lw_pose goal;
        lw_data *d = new_data(m);
        const double q[] = {0.7, -1.6, 1.9, -1.87, -1.5707963267948966, 0.0};
        CHECK_INT(lw_pose_of_frame(m, d, q, lw_find_frame(m, "wrist_3.tool"), &goal), LW_OK);
        CHECK_NEAR(e.tool.x, goal.p.x, 1e-3); // forces along z do not move it along x and y
        CHECK_NEAR(e.tool.y, goal.p.y, 1e-3);
        lw_data_destroy(d);
    }
    lw_run_destroy(run);
    lw_model_destroy(m);
}

// Where springs of the controller and of the surface balance.
TEST(impedance_control_is_a_spring_at_rest)
{
    for (int i = 0; i < 3; ++i) {
        lw_model *m = arm_on_table(surface[i]);
        lw_run *run =
            load(m, "<motion><to q=\"0.2 -1.3 1.9 -2.17 -1.5707963267948966 0\"/></motion>",
                 "<controller law=\"impedance\">" TASK "/></controller>");
        if (run) {
            const ending e = simulate(m, run, "wrist_3.tool");
            lw_pose goal;
            lw_data *d = new_data(m);
            const double q[] = {0.2, -1.3, 1.9, -2.17, -1.5707963267948966, 0.0};
            CHECK_INT(lw_pose_of_frame(m, d, q, lw_find_frame(m, "wrist_3.tool"), &goal), LW_OK);
            CHECK(e.contact.force < -10.0); // it does press
            CHECK_NEAR(e.contact.force, 2000.0 * (goal.p.z - e.tool.z), 1e-3);
            CHECK(e.drift < 1e-6);
            lw_data_destroy(d);
        }
        lw_run_destroy(run);
        lw_model_destroy(m);
    }
}

// The instrument arm of the rover presses its abrader onto the rock (C15).
TEST(C15_a_rover_arm_presses_an_instrument_onto_rock)
{
    lw_model *m = shipped_model("rover/arm_on_rock.xml");
    static const char text[] =
        "<run version=\"1\" duration=\"3\"><start q=\"0 -0.603281 1.58426 -0.980984 -1.5708\"/>"
        "<controller law=\"hybrid\"><task frame=\"arm/turret.abrader\" stiffness=\"3000 3000 0\" "
        "damping=\"150 150 150\" rotation_stiffness=\"40 40 40\" rotation_damping=\"2 2 2\" "
        "force_axes=\"z\" force=\"0 0 -10\"/></controller></run>";
    lw_run *run = NULL;
    CHECK_INT(lw_run_load_text("run.xml", text, strlen(text), m, &run, NULL), LW_OK);
    if (run) {
        const ending e = simulate(m, run, "arm/turret.abrader");
        CHECK_NEAR(e.contact.force, -10.0, 1e-6);
        CHECK(e.drift < 1e-8);
        // Four instruments, each a frame.
        CHECK(lw_find_frame(m, "arm/turret.imager") >= 0 &&
              lw_find_frame(m, "arm/turret.alpha_spectrometer") >= 0 &&
              lw_find_frame(m, "arm/turret.mossbauer_spectrometer") >= 0);
    }
    lw_run_destroy(run);
    lw_model_destroy(m);
}

TEST(bad_tasks_are_refused_with_their_location)
{
    static const struct {
        const char *controller, *diagnostic;
    } one[] = {
        {"<controller law=\"hybrid\"/>", "needs a <task>"},
        {"<controller law=\"hybrid\"><task frame=\"nowhere\" force_axes=\"z\"/></controller>",
         "no frame \"nowhere\""},
        {"<controller law=\"hybrid\"><task frame=\"tool\"/></controller>", "needs the attribute"},
        {"<controller law=\"hybrid\"><task frame=\"tool\" force_axes=\"q\"/></controller>",
         "letters x, y, z"},
        {"<controller law=\"impedance\"><task frame=\"tool\" force_axes=\"z\"/></controller>",
         "are for law=\"hybrid\""},
        {"<controller law=\"impedance\"><task frame=\"tool\" stiffness=\"1 -2 3\"/></controller>",
         "stiffness is -2, must not be negative"},
    };
    lw_model *m = arm_on_table(surface[0]);
    for (size_t i = 0; i < sizeof one / sizeof *one; ++i) {
        char text[600];
        snprintf(text, sizeof text, "<run version=\"1\" duration=\"1\">\n%s</run>",
                 one[i].controller);
        lw_run *run = NULL;
        lw_report *report = new_report();
        CHECK(lw_run_load_text("run.xml", text, strlen(text), m, &run, report) != LW_OK);
        CHECK(run == NULL);
        CHECK_HAS(diagnostic_with(report, "run.xml:2:"), one[i].diagnostic);
        lw_report_destroy(report);
    }
    lw_model_destroy(m);
}

TEST(definitions_of_tasks_by_calls_are_checked)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_axis_limits limits[6];
    double zero[6] = {0.0};
    for (int k = 0; k < 6; ++k) {
        limits[k] = lw_default_axis_limits();
        limits[k].velocity = 1.0;
    }
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = zero;
    lw_trajectory *t = NULL;
    const lw_trajectory_def way = {6, zero, limits, NULL, 1, &move};
    CHECK_INT(lw_trajectory_create(&way, &t, NULL), LW_OK);
    const lw_contact_task good = {.axes = lw_mat3_identity(), .stiffness = {1, 1, 1, 1, 1, 1}};
    for (int i = 0; i < 7; ++i) {
        check_case("%d", i);
        lw_contact_task task = good;
        lw_controller_def def = {
            .law = LW_CONTROL_IMPEDANCE, .trajectory = t, .kp = zero, .kd = zero, .task = &task};
        def.law = i == 2 ? LW_CONTROL_PD : def.law;
        def.task = i == 1 ? NULL : def.task;
        task.frame = i == 3 ? m->nframe_all : 0;
        task.stiffness[2] = i == 4 ? -1.0 : 1.0;
        task.is_force[5] = i == 5; // which impedance has none of
        task.force[5] = i == 6 ? (double)NAN : 0.0;
        lw_controller *c = NULL;
        CHECK_INT(lw_controller_create(m, &def, &c), i == 0   ? LW_OK
                                                     : i == 6 ? LW_ERR_NUMBER
                                                              : LW_ERR_ARGUMENT);
        lw_controller_destroy(c);
    }
    lw_trajectory_destroy(t);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(definitions_of_tasks_by_calls_are_checked);
    RUN(hybrid_control_exerts_the_force_on_any_surface);
    RUN(an_arm_that_wipes_a_plane_presses_evenly);
    RUN(impedance_control_is_a_spring_at_rest);
    RUN(C15_a_rover_arm_presses_an_instrument_onto_rock);
    RUN(bad_tasks_are_refused_with_their_location);
    return REPORT();
}
