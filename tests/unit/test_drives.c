// Drives, gearboxes and the joint axes that they turn (D05, D11): what reaches the joints, what the
// drives must give, and what is refused.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "same_model.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                       \
    "<linkwork version=\"1\" name=\"arm\">\n"                                                      \
    "<ground/>\n"
#define BODY                                                                                       \
    "<link name=\"l1\" mass=\"2\" center=\"0.2 0 0\" inertia=\"0.01 0.02 0.02\">"                  \
    "<b xyz=\"0.4 0 0\"/></link>\n"                                                                \
    "<link name=\"l2\" mass=\"1\" center=\"0.1 0 0\" inertia=\"0.01 0.01 0.01\"/>\n"
#define JOINTS                                                                                     \
    "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"l1\"/>\n"                           \
    "<joint name=\"j2\" type=\"revolute\" from=\"l1\" to=\"l2\" axis=\"0 1 0\"/>\n"
#define FREE_ARM HEAD BODY JOINTS
#define TAIL "</linkwork>\n"

// Diagnostics of loading and compiling; the caller frees them.
static char *diagnostics_of(const char *text, lw_model **model)
{
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_report *report = new_report();
    if (lw_load_text("arm.xml", text, strlen(text), NULL, &mech, report) == LW_OK) {
        lw_compile(mech, NULL, &m, report);
    }
    char *diagnostics = diagnostics_text(report);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
    if (model) {
        *model = m;
    } else {
        lw_model_destroy(m);
    }
    return diagnostics;
}

static lw_model *compile(const char *text)
{
    lw_model *m = NULL;
    char *diagnostics = diagnostics_of(text, &m);
    if (!CHECK(m)) {
        CHECK_TEXT(diagnostics, "");
    }
    free(diagnostics);
    return m;
}

typedef struct numbers {
    double M[4], tau[2], a[2], energy;
} numbers;

static const double q[2] = {0.3, -0.7}, v[2] = {1.1, 0.4}, a[2] = {-0.5, 2.0}, u[2] = {3.0, -1.0};

static numbers compute(const lw_model *m)
{
    numbers n = {{0}, {0}, {0}, 0};
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->nv, 2)) {
        CHECK_INT(lw_mass_matrix(m, d, q, n.M), LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, n.tau), LW_OK);
        CHECK_INT(lw_forward_dynamics(m, d, q, v, u, NULL, n.a), LW_OK);
        CHECK_INT(lw_kinetic_energy(m, d, q, v, &n.energy), LW_OK);
    }
    lw_data_destroy(d);
    return n;
}

// The same sums in another order: a few roundings of numbers up to 10.
static const double close = 1e-13;

static void check_same(const numbers *one, const numbers *two)
{
    for (int k = 0; k < 4; ++k) {
        CHECK_NEAR(one->M[k], two->M[k], close);
    }
    for (int k = 0; k < 2; ++k) {
        CHECK_NEAR(one->tau[k], two->tau[k], 10 * close);
        CHECK_NEAR(one->a[k], two->a[k], 100 * close); // divided by the mass matrix
    }
    CHECK_NEAR(one->energy, two->energy, close);
}

// A chain of drive, gears and axis is a direct drive with N^2 J: by one gear, by two in series, by
// a matrix of one number, in either order of description, and where the joint follows the drive.
TEST(D11_a_chain_of_gears_is_a_direct_drive_with_reflected_inertia)
{
    static const char *const direct = HEAD BODY
        "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"l1\" "
        "rotor_inertia=\"0.05\"/>\n"
        "<joint name=\"j2\" type=\"revolute\" from=\"l1\" to=\"l2\" axis=\"0 1 0\"/>\n" TAIL;
    static const char *const chains[] = {
        FREE_ARM "<drive name=\"m\" inertia=\"0.05\" out=\"j1\"/>\n" TAIL,
        FREE_ARM "<drive name=\"m\" inertia=\"0.0125\"/>\n"
                 "<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"-2\"/>\n" TAIL,
        FREE_ARM "<drive name=\"m\" inertia=\"2e-5\"/>\n"
                 "<gearbox name=\"g\" in=\"m\" out=\"h.in\" ratio=\"10\"/>\n"
                 "<gearbox name=\"h\" out=\"j1\" ratio=\"5\"/>\n" TAIL,
        HEAD "<gearbox name=\"h\" out=\"j1\" in=\"g.out\" matrix=\"0.2\"/>\n"
             "<gearbox name=\"g\" in=\"m\" ratio=\"10\"/>\n"
             "<drive name=\"m\" inertia=\"2e-5\"/>\n" BODY JOINTS TAIL,
        FREE_ARM "<drive name=\"m\" inertia=\"0.03\" out=\"j1\"/>\n"
                 "<drive name=\"n\" inertia=\"0.02\" out=\"j1.axis\"/>\n" TAIL,
    };
    lw_model *m = compile(direct);
    const numbers expected = compute(m);
    lw_model_destroy(m);
    for (size_t k = 0; k < sizeof chains / sizeof *chains; ++k) {
        check_case("chain %d", (int)k);
        m = compile(chains[k]);
        if (m) {
            CHECK_TEXT(m->velocity_name[0], "j1");
            CHECK_INT(m->nq, 2);
        }
        const numbers own = compute(m);
        check_same(&own, &expected);
        lw_model_destroy(m);
    }
}

static const char *const driven = FREE_ARM
    "<drive name=\"m1\" inertia=\"2e-5\" max_force=\"1.5\" max_velocity=\"300\"/>\n"
    "<drive name=\"m2\" inertia=\"3e-5\"/>\n"
    "<gearbox name=\"d\" in=\"m1 m2\" out=\"j1 j2\" matrix=\"0.01 0.01 0.02 -0.02\"/>\n" TAIL;

// Two motors on a differential: q = A theta, so M grows by A^-T J A^-1, the torques of the motors
// are A' tau, and the power is the same on both sides.
TEST(D05_a_differential_carries_inertia_torque_speed_and_power)
{
    lw_model *bare = compile(FREE_ARM TAIL), *m = compile(driven);
    const numbers free_arm = compute(bare), own = compute(m);
    const double B[4] = {50, 25, 50, -25}, J[2] = {2e-5, 3e-5}; // theta = B q
    for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
            const double more = B[r] * J[0] * B[c] + B[2 + r] * J[1] * B[2 + c];
            CHECK_NEAR(own.M[2 * r + c], free_arm.M[2 * r + c] + more, close);
        }
    }
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->ndrive, 2)) {
        const int dof[2] = {m->drive[0].dof, m->drive[1].dof};
        double effort[2], residual[2];
        int rank = 0;
        CHECK_TEXT(m->drive[0].name, "m1");
        CHECK(m->dof[dof[0]].max_force == 1.5 && m->dof[dof[0]].max_velocity == 300);
        CHECK_INT(lw_actuator_forces(m, d, q, v, a, NULL, 2, dof, NULL, effort, &rank, residual),
                  LW_OK);
        CHECK_INT(rank, 2);
        CHECK_NEAR(effort[0], 0.01 * own.tau[0] + 0.02 * own.tau[1], close);
        CHECK_NEAR(effort[1], 0.01 * own.tau[0] - 0.02 * own.tau[1], close);
        const double speed[2] = {B[0] * v[0] + B[1] * v[1], B[2] * v[0] + B[3] * v[1]};
        CHECK_NEAR(effort[0] * speed[0] + effort[1] * speed[1],
                   own.tau[0] * v[0] + own.tau[1] * v[1], 100 * close);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_model_destroy(bare);
}

// One motor on two joints by in = N out leaves both joints free (a car's differential); as out = A
// in it ties them. Two motors on one joint share its torque, the least sum of squares of them.
TEST(R28_fewer_and_more_drives_than_joints)
{
    lw_model *m =
        compile(FREE_ARM "<drive name=\"m\" inertia=\"1e-3\"/>\n"
                         "<gearbox name=\"g\" in=\"m\" out=\"j1 j2\" ratio=\"2 3\"/>\n" TAIL);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->nv, 2)) {
        double effort, residual[2];
        int rank = 0;
        const int dof = m->drive[0].dof;
        CHECK_INT(lw_actuator_forces(m, d, q, v, a, NULL, 1, &dof, NULL, &effort, &rank, residual),
                  LW_ERR_SINGULAR);
        CHECK_INT(rank, 1);
        CHECK_NEAR(2 * residual[0] + 3 * residual[1], 0, 100 * close); // nothing is left along it
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    m = compile(FREE_ARM "<drive name=\"m\"/>\n"
                         "<gearbox name=\"g\" in=\"m\" out=\"j1 j2\" matrix=\"0.5 0.25\"/>\n" TAIL);
    if (CHECK(m)) {
        CHECK_INT(m->nv, 1);
        CHECK_TEXT(m->velocity_name[0], "j1");
    }
    lw_model_destroy(m);
    m = compile(FREE_ARM
                "<drive name=\"m\"/>\n<drive name=\"n\"/>\n<drive name=\"k\" out=\"j2\"/>\n"
                "<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"3\"/>\n"
                "<gearbox name=\"h\" in=\"n\" out=\"j1\" ratio=\"-4\"/>\n" TAIL);
    d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->ndrive, 3)) {
        double effort[3], tau[2];
        const int dof[3] = {m->drive[0].dof, m->drive[1].dof, m->drive[2].dof};
        int rank = 0;
        CHECK_INT(lw_actuator_forces(m, d, q, v, a, NULL, 3, dof, NULL, effort, &rank, NULL),
                  LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        CHECK_INT(rank, 2);
        CHECK_NEAR(effort[0], 3 * tau[0] / 25, 10 * close);
        CHECK_NEAR(effort[1], -4 * tau[0] / 25, 10 * close);
        CHECK_NEAR(effort[2], tau[1], 10 * close);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Where the joint is marked, q is that of the drive, and the parameter "g.ratio" moves the arm: by
// differences of the compiled machine.
static void flange_at(double ratio, lw_vec3 *p, double J[6])
{
    char text[2000];
    snprintf(
        text, sizeof text,
        HEAD
        "<joint name=\"j1\" type=\"revolute\" from=\"ground\" to=\"l1\" dependent=\"true\"/>" BODY
        "<joint name=\"j2\" type=\"revolute\" from=\"l1\" to=\"l2\" axis=\"0 1 0\"/>\n"
        "<drive name=\"m\" inertia=\"1e-5\" reference=\"0.2\"/>\n"
        "<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"%.17g\"/>\n" TAIL,
        ratio);
    lw_mech *mech = load_checked("arm.xml", text);
    lw_model *m = NULL;
    lw_parameters *parameters = NULL;
    if (CHECK(mech) && CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK)) {
        const double at[2] = {0.4, 2.7}; // j2 and the drive
        lw_pose X;
        int index;
        lw_data *d = new_data(m);
        const int frame = lw_find_frame(m, "l2");
        CHECK_TEXT(m->velocity_name[1], "m");
        CHECK(m->q_reference[1] == 0.2);
        CHECK_INT(lw_forward_position(m, d, at), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, frame, &X), LW_OK);
        *p = X.p;
        if (J && CHECK_INT(lw_parameters_create(mech, NULL, m, &parameters), LW_OK) &&
            CHECK_INT(lw_parameters_find(parameters, "g.ratio", &index, 1), 1)) {
            CHECK_INT(
                lw_parameter_jacobian(m, d, parameters, at, frame, LW_IN_WORLD, 1, &index, J, NULL),
                LW_OK);
        }
        lw_data_destroy(d);
    }
    lw_parameters_destroy(parameters);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(D36_the_ratio_of_a_gearbox_is_a_parameter)
{
    const double step = 1e-4, ratio = 7.0;
    double J[6] = {0};
    lw_vec3 p, low, high;
    flange_at(ratio, &p, J);
    flange_at(ratio - step, &low, NULL);
    flange_at(ratio + step, &high, NULL);
    const lw_vec3 rate = lw_scale3(0.5 / step, lw_sub3(high, low));
    CHECK_NEAR(J[3], rate.x, 1e-8); // the error of a central difference
    CHECK_NEAR(J[4], rate.y, 1e-8);
    CHECK_NEAR(J[2], -2.5 / 49, 1e-12); // d/dN of (theta - 0.2) / N
}

// Written and read again: the same model to the last bit, with every attribute.
TEST(K02_drives_and_gearboxes_are_written_and_read)
{
    static const char *const every = FREE_ARM
        "<drive name=\"m1\" inertia=\"2e-5\" max_force=\"1.5\" max_velocity=\"300\" "
        "damping=\"0.01\" friction=\"0.02\" reference=\"0.3\"/>\n"
        "<drive name=\"m2\" out=\"g2.in\"/>\n"
        "<gearbox name=\"g2\"/>\n"
        "<gearbox name=\"d\" in=\"m1 g2.out\" out=\"j1 j2\" ratio=\"50 25 50 -25\"/>\n" TAIL;
    lw_mech *mech = load_checked("arm.xml", every), *again = NULL;
    char *text = NULL, *diagnostics;
    size_t size = 0;
    lw_report *report = new_report();
    if (CHECK(mech) &&
        CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, report), LW_OK)) {
        again = load_checked("arm.xml", text);
        lw_model *one = NULL, *two = NULL;
        CHECK_INT(lw_compile(mech, NULL, &one, report), LW_OK);
        CHECK_INT(lw_compile(again, NULL, &two, report), LW_OK);
        if (one && two) {
            check_same_model(one, two);
            for (int k = 0; k < one->tree_nv; ++k) {
                CHECK(memcmp(&one->dof[k], &two->dof[k], sizeof(lw_dof)) == 0);
            }
            CHECK(one->dof[one->drive[0].dof].damping == 0.01);
            CHECK(one->tree_q_reference[one->drive[0].dof] == 0.3);
        }
        lw_model_destroy(one);
        lw_model_destroy(two);
    }
    free(text);
    text = NULL;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_URDF, &text, &size, report), LW_OK);
    diagnostics = diagnostics_text(report);
    CHECK_HAS(diagnostics, "lost: drive \"m1\", URDF has none");
    CHECK_HAS(diagnostics, "lost: gearbox \"d\", URDF has none");
    free(diagnostics);
    free(text);
    lw_report_destroy(report);
    lw_mech_destroy(again);
    lw_mech_destroy(mech);
}

// An assembly exposes a joint's axis, or the shaft of a gearbox within it.
TEST(D11_axes_pass_through_gateways)
{
    lw_model *m =
        compile("<linkwork version=\"1\" name=\"legs\">\n"
                "<assembly name=\"leg\">\n"
                "<joint name=\"hip\" type=\"universal\" axis2=\"0 1 0\" to=\"thigh\"/>\n"
                "<link name=\"thigh\" mass=\"1\" center=\"0.1 0 0\" inertia=\"0.1 0.1 0.1\"/>\n"
                "<gearbox name=\"box\" out=\"hip.second\" ratio=\"20\"/>\n"
                "<gateway name=\"swing\" port=\"hip.first\"/>\n"
                "<gateway name=\"lift\" port=\"box.in\"/>\n"
                "</assembly>\n"
                "<ground/>\n"
                "<use name=\"left\" assembly=\"leg\" at=\"ground\"/>\n"
                "<use name=\"right\" assembly=\"leg\" at=\"ground\"/>\n"
                "<drive name=\"a\" inertia=\"1e-3\" out=\"left.swing\"/>\n"
                "<drive name=\"b\" inertia=\"1e-3\" out=\"left.lift\"/>\n"
                "<drive name=\"c\" inertia=\"1e-3\" out=\"right.swing\"/>\n"
                "<drive name=\"d\" inertia=\"1e-3\" out=\"right.lift\"/>\n"
                "</linkwork>\n");
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->nv, 4) && CHECK_INT(m->ndrive, 4)) {
        const double zero[4] = {0};
        double M[16];
        CHECK_INT(lw_mass_matrix(m, d, zero, M), LW_OK);
        CHECK_NEAR(M[0], 0.1 + 0.01 + 1e-3, close);
        CHECK_NEAR(M[5], 0.1 + 0.01 + 400e-3, close);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A level without transmission has no drives; one that locks a shaft, none that turn it.
TEST(D11_levels_leave_drives_out)
{
    static const char *const levels[] = {"low", "middle", "high"};
    for (int k = 0; k < 3; ++k) {
        char text[1500];
        check_case("%s", levels[k]);
        snprintf(text, sizeof text,
                 "<linkwork version=\"1\" name=\"arm\" level=\"%s\">\n<ground/>\n" BODY JOINTS
                 "<drive name=\"m\" inertia=\"0.1\"/>\n"
                 "<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"3\"/>\n" TAIL,
                 levels[k]);
        lw_model *m = compile(text);
        CHECK(m && m->nv == 2 && m->ndrive == (k == 0) && m->tree_nv == (k == 0 ? 3 : 2));
        lw_model_destroy(m);
    }
}

static const struct {
    const char *name, *text, *diagnostic;
} bad[] = {
    {"a drive that turns nothing", FREE_ARM "<drive name=\"m\"/>\n" TAIL,
     "arm.xml:7:1: error: drive \"m\" drives nothing: connect its axis with a joint or a gearbox"},
    {"two drives alone", FREE_ARM "<drive name=\"m\" out=\"n\"/>\n<drive name=\"n\"/>\n" TAIL,
     "arm.xml:7:1: error: drive \"m\" drives nothing"},
    {"an end that hangs in the air",
     FREE_ARM "<drive name=\"m\"/>\n<gearbox name=\"g\" in=\"m\"/>\n" TAIL,
     "arm.xml:8:1: error: gearbox \"g\": its axis \"out\" is connected with nothing"},
    {"contradicting ratios",
     FREE_ARM "<drive name=\"m\"/>\n<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"3\"/>\n"
              "<gearbox name=\"h\" in=\"m\" out=\"j1\" ratio=\"4\"/>\n" TAIL,
     "arm.xml:9:1: error: gearbox \"h\" contradicts the gears before it: together they lock"},
    {"the same ratio twice",
     FREE_ARM "<drive name=\"m\"/>\n<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"3\"/>\n"
              "<gearbox name=\"h\" in=\"m\" out=\"j1\" ratio=\"3\"/>\n" TAIL,
     "arm.xml:9:1: note: gearbox \"h\" is redundant: other gears imply it"},
    {"no such joint", FREE_ARM "<drive name=\"m\" out=\"j3\"/>\n" TAIL,
     "arm.xml:7:22: error: there is no part or frame \"j3\""},
    {"the second of a list",
     FREE_ARM
     "<drive name=\"m\"/>\n<gearbox name=\"g\" in=\"m\" out=\"j1  j9\" ratio=\"1 2\"/>\n" TAIL,
     "arm.xml:8:35: error: there is no part or frame \"j9\""},
    {"a frame for an axis", FREE_ARM "<drive name=\"m\" out=\"l1.b\"/>\n" TAIL,
     "arm.xml:7:22: error: drive \"m\" port axis and link \"l1\" port b: a frame port and an axis "
     "port"},
    {"an axis that a gearbox does not have",
     FREE_ARM "<drive name=\"m\" out=\"g.in2\"/>\n<gearbox name=\"g\" out=\"j1\"/>\n" TAIL,
     "arm.xml:7:22: error: gearbox \"g\" has no axis \"in2\""},
    {"a zero ratio",
     FREE_ARM "<drive name=\"m\"/>\n<gearbox name=\"g\" in=\"m\" out=\"j1\" ratio=\"0\"/>\n" TAIL,
     "arm.xml:8:1: error: gearbox \"g\": its ratio is zero"},
    {"a matrix that is too short",
     FREE_ARM
     "<drive name=\"m\"/>\n<gearbox name=\"g\" in=\"m\" out=\"j1 j2\" ratio=\"1\"/>\n" TAIL,
     "arm.xml:8:45: error: gearbox \"g\": ratio needs 2 numbers"},
    {"a negative inertia", FREE_ARM "<drive name=\"m\" inertia=\"-1\" out=\"j1\"/>\n" TAIL,
     "arm.xml:7:1: error: drive \"m\": inertia, damping and friction must be finite"},
    {"the whole of a joint of two",
     HEAD "<joint name=\"u\" type=\"universal\" from=\"ground\" to=\"l1\"/>\n"
          "<link name=\"l1\" mass=\"1\" inertia=\"1 1 1\"/>\n<drive name=\"m\" out=\"u\"/>\n" TAIL,
     "arm.xml:5:1: error: drive \"m\": joint \"u\" is universal; name one of its 2 axes, such as "
     "\"u.first\""},
    {"a joint without an axis",
     HEAD "<joint name=\"u\" type=\"spherical\" from=\"ground\" to=\"l1\"/>\n"
          "<link name=\"l1\" mass=\"1\" inertia=\"1 1 1\"/>\n<drive name=\"m\" out=\"u\"/>\n" TAIL,
     "arm.xml:5:1: error: drive \"m\": joint \"u\" is spherical and has no axis to drive"},
};

TEST(D05_bad_drives_are_refused_at_their_place)
{
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        check_case("%s", bad[k].name);
        char *diagnostics = diagnostics_of(bad[k].text, NULL);
        CHECK_HAS(diagnostics, bad[k].diagnostic);
        free(diagnostics);
    }
}

// By calls: connections are undone, loose drives are left out, and bad definitions are refused.
TEST(D11_axes_are_connected_and_disconnected)
{
    lw_mech *mech = load_checked("arm.xml", FREE_ARM TAIL);
    lw_drive_def drive = lw_default_drive_def();
    drive.name = "m";
    drive.inertia = 1.0;
    lw_gearbox_def box = lw_default_gearbox_def();
    box.name = "g";
    const lw_part m = lw_add_drive(mech, &drive), g = lw_add_gearbox(mech, &box);
    const lw_port in = lw_port_of(mech, g, "in"), out = lw_port_of(mech, g, "out");
    const lw_port axis = lw_port_of(mech, m, "axis"), joint = lw_find_port(mech, "j1.axis");
    CHECK_INT(lw_port_of(mech, g, "in1").index, -1);
    CHECK_INT(lw_port_of(mech, m, "a").index, -1);
    CHECK_INT(lw_find_part(mech, "m", LW_PART_DRIVE).index, m.index);
    CHECK_INT(lw_find_part(mech, "g", LW_PART_GEARBOX).index, g.index);
    CHECK_INT(lw_connect(mech, axis, in), LW_OK);
    CHECK_INT(lw_connect(mech, in, axis), LW_ERR_PORT_TAKEN);
    CHECK_INT(lw_connect(mech, in, out), LW_ERR_PORT_SAME_PART);
    CHECK_INT(lw_connect(mech, lw_find_port(mech, "l1.b"), out), LW_ERR_PORT_KIND);
    CHECK_INT(lw_disconnect(mech, out, joint), LW_ERR_PORT_FREE);
    lw_model *model = NULL;
    lw_compile_options options = lw_default_compile_options();
    CHECK_INT(lw_compile(mech, &options, &model, NULL), LW_ERR_MODEL);
    options.leave_out_loose = true;
    CHECK_INT(lw_compile(mech, &options, &model, NULL), LW_OK);
    CHECK(model && model->ndrive == 0 && model->tree_nv == 2);
    lw_model_destroy(model);
    CHECK_INT(lw_connect(mech, out, joint), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &model, NULL), LW_OK);
    CHECK(model && model->ndrive == 1 && model->tree_nv == 3 && model->nv == 2);
    if (model) { // a copy is whole
        void *mem = malloc(lw_model_size(model));
        lw_model *copy = mem ? copy_of(model, mem) : NULL;
        CHECK(copy && copy->drive != model->drive && strcmp(copy->drive[0].name, "m") == 0);
        free(mem);
    }
    lw_model_destroy(model);
    CHECK_INT(lw_disconnect(mech, joint, out), LW_OK);
    CHECK_INT(lw_disconnect(mech, in, axis), LW_OK);
    box.nin = 0;
    CHECK_INT(lw_add_gearbox(mech, &box).index, -1);
    CHECK_HAS(lw_mech_message(mech), "has 1 to 16 axes on each side");
    box.nin = LW_MAX_AXES + 1;
    CHECK_INT(lw_add_gearbox(mech, &box).index, -1);
    box.nin = 2;
    CHECK_INT(lw_add_gearbox(mech, &box).index, -1); // no numbers
    CHECK_INT(lw_add_drive(mech, NULL).index, -1);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(D11_a_chain_of_gears_is_a_direct_drive_with_reflected_inertia);
    RUN(D05_a_differential_carries_inertia_torque_speed_and_power);
    RUN(R28_fewer_and_more_drives_than_joints);
    RUN(D36_the_ratio_of_a_gearbox_is_a_parameter);
    RUN(K02_drives_and_gearboxes_are_written_and_read);
    RUN(D11_axes_pass_through_gateways);
    RUN(D11_levels_leave_drives_out);
    RUN(D05_bad_drives_are_refused_at_their_place);
    RUN(D11_axes_are_connected_and_disconnected);
    return REPORT();
}
