// <include>: robots of other files, closed here. The two parallel robots of the shared folder keep
// their loops in a file of their own; their zero configurations are not assembled.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"
#include "same_model.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 16384, MOST_MARKS = 16, NAME_ROOM = 32 };

// --- Parallel robots --------------------------------------------------------------------------

typedef struct robot {
    const char *name;
    const char *loops; ///< closing joints between the links that the joints of a pair carry
    char dependent[MOST_MARKS][NAME_ROOM];
} robot;

// The pairs name joints, whose child links must coincide.
static robot five_bar = {
    "parallel_5bar",
    "<joint name=\"loop1\" type=\"fixed\" closing=\"true\" from=\"joint:closedloop1_A\" "
    "to=\"joint:closedloop1_B\"/>\n",
    {"free1", "free2", "closedloop1_A"}};
static robot delta = {
    "parallel_delta",
    "<joint name=\"loop1\" type=\"fixed\" closing=\"true\" from=\"joint:closedloop1_A\" "
    "to=\"joint:closedloop1_B\"/>\n"
    "<joint name=\"loop2\" type=\"fixed\" closing=\"true\" from=\"joint:closedloop2_B\" "
    "to=\"joint:closedloop2_A\"/>\n"
    "<joint name=\"loop3\" type=\"fixed\" closing=\"true\" from=\"joint:closedloop3_A\" "
    "to=\"joint:closedloop3_B\"/>\n",
    {""}};

static bool is_dependent(const robot *r, const char *joint)
{
    bool is_listed = false;
    for (int i = 0; i < MOST_MARKS && *r->dependent[i]; ++i) {
        is_listed |= strcmp(r->dependent[i], joint) == 0;
    }
    return is_listed;
}

// A file that closes the robot, with a reference near a solution: each joint is off by up to `off`
// where it is dependent.
static void write_file(const robot *r, json_t *solution, double off, char *text)
{
    int used = snprintf(text, TEXT_ROOM, "<linkwork version=\"1\" name=\"%s\">\n", r->name);
    used += snprintf(text + used, (size_t)(TEXT_ROOM - used), "<include file=\"%s.urdf\"/>\n%s",
                     r->name, r->loops);
    const char *joint;
    json_t *value;
    json_object_foreach(json_object_get(solution, "q"), joint, value)
    {
        const bool is_off = is_dependent(r, joint);
        used += snprintf(text + used, (size_t)(TEXT_ROOM - used),
                         "<adjust joint=\"%s\" reference=\"%.17g\"%s/>\n", joint,
                         json_number_value(value) + (is_off ? check_random(-off, off) : 0.0),
                         is_dependent(r, joint) ? " dependent=\"true\"" : "");
    }
    snprintf(text + used, (size_t)(TEXT_ROOM - used), "</linkwork>\n");
}

static double turn_between(double a, double b)
{
    return fabs(remainder(a - b, 6.283185307179586476925286766559));
}

// A file that stands beside the robots, and so names them without a folder.
static lw_model *compile_beside_urdf(const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/models/urdf/closed.xml", shared_dir());
    return compile_text(path, text, NULL);
}

static void check_closed(const lw_model *m)
{
    lw_data *d = new_data(m);
    CHECK(lw_forward_position(m, d, m->q_reference) == LW_OK);
    for (int k = 0; k < m->nloop; ++k) {
        lw_pose X, Y;
        lw_frame_pose(m, d, m->loop[k].frame[0], &X);
        lw_frame_pose(m, d, m->loop[k].frame[1], &Y);
        const lw_pose back = lw_pose_inverse(&X), Z = lw_pose_mul(&back, &Y);
        CHECK_NEAR(lw_norm3(Z.p) + lw_norm3(lw_log3(&Z.R)), 0.0, 1e-10);
    }
    lw_data_destroy(d);
}

// Compiles and closes the robot at a solution of the reference, and compares. Where none of its
// joints is marked, those that the compiler takes are marked from then on.
static void check_solution(robot *r, json_t *file, int index)
{
    json_t *about = json_object_get(file, r->name);
    json_t *solution = json_array_get(json_object_get(about, "solutions"), (size_t)index);
    const int mobility = (int)json_integer_value(json_object_get(about, "mobility"));
    const int rank = (int)json_integer_value(json_object_get(about, "constraint_jacobian_rank"));
    char *text = malloc(TEXT_ROOM);
    for (int n = 0; n < 5; ++n) {
        check_case("%s, solution %d, start %d", r->name, index, n);
        write_file(r, solution, 0.02 * n, text);
        lw_model *m = compile_beside_urdf(text);
        if (!m) {
            continue;
        }
        CHECK_INT(m->nv, mobility);
        CHECK_INT(m->tree_nv - m->nv, rank);
        check_closed(m);
        for (int v = 0; v < m->tree_nv; ++v) {
            const json_t *want =
                json_object_get(json_object_get(solution, "q"), m->tree_velocity_name[v]);
            CHECK(want != NULL);
            CHECK_NEAR(turn_between(m->tree_q_reference[v], json_number_value(want)), 0.0, 1e-9);
        }
        for (int s = 0, k = 0; s < m->nstep && n == 0; ++s) {
            for (int t = 0; t < m->step[s].ntarget && k < MOST_MARKS; ++t, ++k) {
                snprintf(r->dependent[k], NAME_ROOM, "%s",
                         m->tree_velocity_name[m->step[s].target[t]]);
            }
        }
        lw_model_destroy(m);
    }
    free(text);
}

// With all joints at zero neither robot is assembled.
static void check_from_zero(const robot *r, int mobility)
{
    char text[2048];
    check_case("%s from zero", r->name);
    snprintf(text, sizeof text,
             "<linkwork version=\"1\" name=\"zero\"><include file=\"%s.urdf\"/>%s</linkwork>",
             r->name, r->loops);
    lw_model *m = compile_beside_urdf(text);
    if (m) {
        CHECK_INT(m->nv, mobility);
        check_closed(m);
    }
    lw_model_destroy(m);
}

static void check_robot(robot *r, int mobility)
{
    json_t *file = reference_read("parallel_assembly.json");
    if (!file) {
        return;
    }
    const json_t *about = json_object_get(file, r->name);
    const size_t count = json_array_size(json_object_get(about, "solutions"));
    CHECK(count >= 3);
    for (size_t i = 0; i < count; ++i) {
        check_solution(r, file, (int)i);
    }
    check_from_zero(r, mobility);
    json_decref(file);
}

TEST(R17_five_bar_of_a_urdf_is_closed_by_another_file)
{
    check_robot(&five_bar, 3);
}

TEST(R17_delta_of_a_urdf_is_closed_by_another_file)
{
    check_robot(&delta, 5);
}

// --- What included parts become ---------------------------------------------------------------

static const char *const folder_name = LINKWORK_SOURCE_DIR "/models/closed/included.xml";

TEST(C39_an_included_machine_is_the_machine_itself)
{
    static const char *const names[] = {"palletiser", "stewart", "bendix", "slider_crank"};
    for (int i = 0; i < 4; ++i) {
        char text[512], path[512];
        check_case("%s", names[i]);
        snprintf(text, sizeof text,
                 "<linkwork version=\"1\" name=\"%s\"><include file=\"%s.xml\"/></linkwork>",
                 names[i], names[i]);
        snprintf(path, sizeof path, "%s/models/closed/%s.xml", LINKWORK_SOURCE_DIR, names[i]);
        lw_model *m = compile_path(path, NULL), *n = compile_text(folder_name, text, NULL);
        if (m && n) {
            check_same_model(m, n);
        }
        lw_model_destroy(m);
        lw_model_destroy(n);
    }
}

TEST(adjust_frames_and_rods_on_an_included_machine)
{
    lw_model *m = compile_text(LINKWORK_SOURCE_DIR "/models/quadruped/closed.xml",
                               "<linkwork version=\"1\" name=\"braced\" angle=\"degree\">"
                               "<include file=\"leg.xml\"/>"
                               "<adjust joint=\"knee\" dependent=\"true\" damping=\"0.25\"/>"
                               "<frame name=\"rear\" at=\"shin\" xyz=\"-0.05 0 0\"/>"
                               "<frame name=\"crank\" at=\"hip\" xyz=\"-0.08 0 -0.08\"/>"
                               "<rod name=\"brace\" from=\"crank\" to=\"shin.rear\"/>"
                               "</linkwork>",
                               NULL);
    if (!m) {
        return;
    }
    CHECK_INT(m->nv, 2);
    CHECK_INT(m->nstep, 1);
    CHECK_INT((int)m->step[0].kind, (int)LW_STEP_ROD_REVOLUTE);
    const int knee = m->step[0].target[0];
    CHECK_TEXT(m->tree_velocity_name[knee], "knee");
    CHECK(m->dof[knee].damping == 0.25);
    const double degree = 3.14159265358979323846 / 180.0;
    CHECK_NEAR(m->dof[knee].lower, -140.0 * degree, 1e-15); // what is not said stays
    lw_model_destroy(m);
}

// Robot descriptions of other projects write passive ball joints as revolute or fixed ones.
TEST(adjust_changes_the_type_of_an_included_joint)
{
    static const char *const path = LINKWORK_SOURCE_DIR "/models/quadruped/closed.xml";
    lw_model *m =
        compile_text(path,
                     "<linkwork version=\"1\" name=\"leg\"><include file=\"leg.xml\"/>"
                     "<adjust joint=\"knee\" type=\"spherical\"><dof name=\"wy\" "
                     "damping=\"0.5\"/></adjust>"
                     "<adjust joint=\"swing\" type=\"prismatic\" axis=\"0 0 2\"/></linkwork>",
                     NULL);
    if (!m) {
        return;
    }
    // The leg has three hinges; a hinge became a ball, another one a slider without the limits of
    // the hinge.
    CHECK_INT(m->nv, 5);
    CHECK_INT(m->nq, 6);
    const int knee = lw_find_velocity(m, "knee.wy");
    const int slide = lw_find_velocity(m, "swing");
    if (CHECK(knee >= 0 && slide >= 0)) {
        CHECK(m->dof[knee].damping == 0.5);
        CHECK(isinf(m->dof[slide].upper));
        lw_data *d = new_data(m);
        lw_pose X, Y;
        const int thigh = lw_find_frame(m, "thigh");
        double q[8];
        CHECK(m->nq <= 8);
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, thigh, &X), LW_OK);
        q[lw_find_position(m, "swing")] += 0.25;
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, thigh, &Y), LW_OK);
        CHECK_NEAR(lw_norm3(lw_sub3(Y.p, X.p)), 0.25, 1e-15);
        lw_data_destroy(d);
    }
    lw_model_destroy(m);
    char *diagnostics =
        diagnostics_of_text(path, "<linkwork version=\"1\" name=\"leg\">"
                                  "<include file=\"leg.xml\"/>\n<adjust joint=\"knee\" "
                                  "type=\"hinge\"/>\n<drive name=\"motor\" out=\"knee\" "
                                  "inertia=\"1\"/></linkwork>");
    CHECK_HAS(diagnostics, "closed.xml:2:");
    CHECK_HAS(diagnostics, "\"hinge\"");
    free(diagnostics);
    // What was connected with the axis of a hinge cannot turn a ball.
    diagnostics = diagnostics_of_text(LINKWORK_SOURCE_DIR "/models/closed/ball.xml",
                                      "<linkwork version=\"1\" name=\"ball\">"
                                      "<include file=\"driven_wrist.xml\"/>\n"
                                      "<adjust joint=\"elbow\" type=\"spherical\"/></linkwork>");
    CHECK_HAS(diagnostics, "error: ");
    CHECK_HAS(diagnostics, "joint \"elbow\" is spherical");
    free(diagnostics);
}

// A joint given by its zero position hangs on a part of the included file: with all joints at zero
// the hand's flange is at (0.95, 0, 0.3), and the probe where its joint's point says.
TEST(C07_a_joint_by_its_point_hangs_on_an_included_part)
{
    static const char *const text =
        "<linkwork version=\"1\" name=\"probe\">\n<include file=\"driven_wrist.xml\"/>\n"
        "<joint name=\"tip\" type=\"revolute\" axis=\"0 0 1\" point=\"1 0.02 0.35\" "
        "from=\"hand.flange\" to=\"probe\"/>\n"
        "<link name=\"probe\" mass=\"0.1\" inertia=\"1e-4 1e-4 1e-4\"/>\n</linkwork>\n";
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    lw_report *report = new_report();
    const lw_status status = lw_load_text(LINKWORK_SOURCE_DIR "/models/closed/probe.xml", text,
                                          strlen(text), NULL, &mech, report);
    if (CHECK_INT(status, LW_OK) && CHECK_INT(lw_compile(mech, NULL, &m, report), LW_OK) &&
        CHECK_INT(m->nq, 5)) {
        lw_data *d = new_data(m);
        const double zero[5] = {0};
        lw_pose X;
        CHECK_INT(lw_forward_position(m, d, zero), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "probe"), &X), LW_OK);
        CHECK_NEAR(X.p.x, 1.0, 1e-15);
        CHECK_NEAR(X.p.y, 0.02, 1e-15);
        CHECK_NEAR(X.p.z, 0.35, 1e-15);
        CHECK_NEAR(X.R.row[0].x + X.R.row[1].y + X.R.row[2].z, 3.0, 1e-15);
        CHECK_INT(m->ndrive, 5); // of the included file
        lw_data_destroy(d);
    }
    lw_report_destroy(report);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// A value that a type of joint has no use for is named; a screw that is one already keeps its own.
TEST(axis2_and_pitch_without_effect_get_a_warning)
{
    static const char text[] =
        "<linkwork version=\"1\" name=\"leg\"><include file=\"leg.xml\"/>\n"
        "<adjust joint=\"knee\" pitch=\"0.2\" axis2=\"0 1 0\"/>\n"
        "<adjust joint=\"swing\" type=\"screw\" pitch=\"0.2\"/>\n"
        "<adjust joint=\"swing\" type=\"screw\" axis=\"0 0 1\"/>\n"
        "<joint name=\"j\" type=\"revolute\" pitch=\"0.2\" axis2=\"0 1 0\" from=\"shin\"/>\n"
        "</linkwork>";
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    CHECK_INT(lw_load_text(LINKWORK_SOURCE_DIR "/models/quadruped/on.xml", text, sizeof text - 1,
                           NULL, &mech, report),
              LW_OK);
    CHECK_INT(lw_report_count(report), 4);
    static const char *const found[] = {
        "on.xml:2:41: warning: joint \"knee\": \"axis2\" is not used",
        "on.xml:2:29: warning: joint \"knee\": \"pitch\" is not used",
        "on.xml:5:52: warning: joint \"j\": \"axis2\" is not used",
        "on.xml:5:40: warning: joint \"j\": \"pitch\" is not used"};
    for (int i = 0; i < 4; ++i) {
        CHECK_HAS(diagnostic_with(report, found[i]),
                  "a revolute joint has none [unused-attribute]");
    }
    char *saved = NULL;
    size_t size = 0;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &saved, &size, NULL), LW_OK);
    CHECK_HAS(saved, "type=\"screw\" from=\"hip.thigh\" to=\"thigh\" axis=\"0 0 1\" pitch=\"0.2\"");
    lw_text_free(saved);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(R17_five_bar_of_a_urdf_is_closed_by_another_file);
    RUN(R17_delta_of_a_urdf_is_closed_by_another_file);
    RUN(C39_an_included_machine_is_the_machine_itself);
    RUN(adjust_frames_and_rods_on_an_included_machine);
    RUN(adjust_changes_the_type_of_an_included_joint);
    RUN(axis2_and_pitch_without_effect_get_a_warning);
    RUN(C07_a_joint_by_its_point_hangs_on_an_included_part);
    return REPORT();
}
