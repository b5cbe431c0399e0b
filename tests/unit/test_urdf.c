// URDF that is read.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "whole_urdf.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static lw_report *report;

static lw_mech *read_text(const char *text)
{
    lw_mech *mech = NULL;
    lw_report_clear(report);
    lw_load_text("t.urdf", text, strlen(text), NULL, &mech, report);
    return mech;
}

static lw_model *compile(const lw_mech *mech)
{
    lw_model *model = NULL;
    if (mech) {
        lw_compile(mech, NULL, &model, report);
    }
    if (!model) {
        printf("%s\n", diagnostic_with(report, "error:"));
    }
    CHECK(model != NULL);
    return model;
}

static lw_model *model_of(const char *text)
{
    lw_mech *mech = read_text(text);
    lw_model *model = compile(mech);
    lw_mech_destroy(mech);
    return model;
}

static int count_severity(lw_severity severity)
{
    int count = 0;
    for (int i = 0; i < lw_report_count(report); ++i) {
        count += lw_report_diagnostic(report, i).severity == severity;
    }
    return count;
}

static const lw_dof *dof_of(const lw_model *m, const char *joint)
{
    for (int i = 0; i < m->njoint; ++i) {
        if (strcmp(m->joints[i].name, joint) == 0) {
            return &m->dof[m->joints[i].v];
        }
    }
    return NULL;
}

TEST(joints_are_read_whole)
{
    lw_model *m = model_of(whole_urdf);
    if (!m) {
        return;
    }
    CHECK_INT(m->nbody, 4);
    CHECK_INT(m->nq, 3); // finger follows slide, eye is fixed
    const lw_dof *arm = dof_of(m, "arm");
    CHECK(arm->lower == -1 && arm->upper == 2 && arm->max_force == 30 && arm->max_velocity == 4);
    CHECK(arm->max_acceleration == 5 && arm->damping == 0.7 && arm->friction == 0.8);
    CHECK(arm->rotor_inertia == 100.0 * 100.0 * 1e-4);
    const lw_dof *slide = dof_of(m, "slide");
    CHECK(slide->lower == 0 && slide->upper == 0);
    const lw_dof *wheel = dof_of(m, "wheel");
    CHECK(isinf(wheel->lower) && isinf(wheel->upper) && wheel->max_force == 6);
    CHECK_INT(m->nstep, 1);
    CHECK(m->step[0].coefficient[0] == 3 && m->step[0].coefficient[1] == -2);
    CHECK_HAS(diagnostic_with(report, "eye"),
              "note: joint \"eye\" is fixed; its <mimic> is ignored");
    lw_model_destroy(m);
}

// The joint named "arm" turns about (0, 0, 2), which has the direction of z; finger about x.
TEST(axes_are_directions_and_x_by_default)
{
    lw_model *m = model_of(whole_urdf);
    if (!m) {
        return;
    }
    lw_data *d = new_data(m);
    double q[3] = {0};
    lw_pose X, Y;
    q[lw_find_position(m, "arm")] = 0.7;
    q[lw_find_position(m, "slide")] = 0.25;
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    lw_relative_pose(m, d, lw_find_frame(m, "base"), lw_find_frame(m, "arm"), &X);
    const lw_mat3 before = lw_rotation_rpy(0.1, 0.2, 0.3);
    const lw_mat3 turn = lw_rotation(lw_vec3_of(0, 0, 1), 0.7);
    const lw_mat3 want = lw_mul3(&before, &turn);
    CHECK_NEAR(X.R.row[0].x, want.row[0].x, 1e-15);
    CHECK_NEAR(X.R.row[2].y, want.row[2].y, 1e-15);
    CHECK(X.p.x == 1 && X.p.y == 2 && X.p.z == 3);
    lw_relative_pose(m, d, lw_find_frame(m, "arm"), lw_find_frame(m, "finger"), &Y);
    CHECK_NEAR(Y.p.x, 3 - 2 * 0.25, 1e-15);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(C14_C39_inertias_keep_their_frame)
{
    lw_model *m = model_of(whole_urdf);
    if (!m) {
        return;
    }
    const lw_link_info *link = NULL;
    for (int i = 0; i < m->nlink; ++i) {
        link = strcmp(m->frame[m->link[i].frame].name, "arm") == 0 ? &m->link[i] : link;
    }
    CHECK(link != NULL);
    if (link) {
        const lw_mat3 R = lw_rotation_rpy(0.4, 0.5, 0.6);
        CHECK(memcmp(&link->X_FI.R, &R, sizeof R) == 0);
        CHECK(link->X_FI.p.x == 0.1 && link->X_FI.p.y == 0.2 && link->X_FI.p.z == 0.3);
    }
    CHECK_NEAR(m->mass, 2, 0);
    lw_model_destroy(m);
}

TEST(shapes_are_read_whole)
{
    lw_model *m = model_of(whole_urdf);
    if (!m) {
        return;
    }
    CHECK_INT(m->nshape, 5);
    const lw_shape_info *s = m->shape;
    CHECK(s[0].type == LW_SHAPE_BOX && s[0].role == LW_SHAPE_VISUAL && s[0].size.y == 2);
    CHECK_TEXT(s[0].name, "v");
    CHECK(s[1].type == LW_SHAPE_SPHERE && s[1].size.x == 0.5);
    CHECK(s[2].type == LW_SHAPE_CYLINDER && s[2].role == LW_SHAPE_COLLISION);
    CHECK(s[3].type == LW_SHAPE_CAPSULE && s[3].size.x == 0.2 && s[3].size.z == 3);
    CHECK(s[4].type == LW_SHAPE_MESH && s[4].size.z == -1);
    CHECK_TEXT(s[4].mesh, "package://x/y.stl");
    CHECK_TEXT(s[4].mesh_file, "");
    CHECK_TEXT(diagnostic_with(report, "y.stl"),
               "t.urdf:11:40: warning: not found: mesh \"package://x/y.stl\"; --path DIR adds a "
               "folder that contains the package \"x\" [mesh-missing]");
    lw_model_destroy(m);
}

// Whatever is wrong with a mesh, the robot still moves.
TEST(meshes_never_prevent_kinematics)
{
    static const char *const row[][2] = {
        {"parts/lying.stl",
         "parts/lying.stl\": it announces 1000000000 triangles and has bytes for 1"},
        {"parts/lying.obj", "parts/lying.obj\", line 4: a face names vertex 7 of 3 [mesh-invalid]"},
        {"parts", "\"parts\" is a folder, a device or a pipe, not a file [mesh-unreadable]"},
        {"/dev/zero", "\"/dev/zero\" leads out of the model's folder"},
        {"file:///etc/passwd", "passwd\" leads out of the model's folder"},
        {"../../../../../../../../../../etc/passwd", "passwd\" leads out of the model's folder"},
        {"package://robot/../../secret.stl", "secret.stl\" leads out of the model's folder"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        for (int is_native = 0; is_native < 2; ++is_native) {
            char text[400];
            snprintf(text, sizeof text,
                     is_native ? "<linkwork version='1' name='r'><link name='a'><mesh file='%s'/>"
                                 "</link></linkwork>"
                               : "<robot name='r'><link name='a'><visual><geometry>"
                                 "<mesh filename='%s'/></geometry></visual></link></robot>",
                     row[i][0]);
            check_case("%s", text);
            lw_report *found = new_report();
            lw_mech *mech = NULL;
            CHECK_INT(lw_load_text(LINKWORK_SOURCE_DIR "/tests/bad/t.xml", text, strlen(text), NULL,
                                   &mech, found),
                      LW_OK);
            CHECK_INT(lw_report_errors(found), 0);
            CHECK_HAS(diagnostic_with(found, "[mesh-"), row[i][1]);
            lw_model *m = mech ? compile_checked(mech, NULL) : NULL;
            CHECK(m && m->nshape == 1 && m->shape[0].mesh_file[0] == '\0');
            lw_model_destroy(m);
            lw_mech_destroy(mech);
            lw_report_destroy(found);
        }
    }
}

TEST(floating_and_planar_joints_are_read)
{
    lw_model *m = model_of("<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
                           "<joint name='f' type='floating'><parent link='a'/><child link='b'/>"
                           "</joint><joint name='p' type='planar'><parent link='b'/>"
                           "<child link='c'/><axis xyz='0 1 0'/></joint></robot>");
    if (m) {
        CHECK_INT(m->nq, 7 + 3);
        CHECK_INT(m->nv, 6 + 3);
        CHECK(lw_find_position(m, "f.qw") >= 0 && lw_find_velocity(m, "p.angle") >= 0);
    }
    lw_model_destroy(m);
}

// Chains of mimic joints, defined in any order, with links and joints of the same names.
TEST(mimic_chains_are_reduced)
{
    lw_model *m =
        model_of("<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
                 "<joint name='b' type='continuous'><parent link='a'/><child link='b'/>"
                 "<mimic joint='c' multiplier='2' offset='1'/></joint>"
                 "<joint name='c' type='continuous'><parent link='b'/><child link='c'/>"
                 "<mimic joint='d' offset='0.5'/></joint>"
                 "<joint name='d' type='continuous'><parent link='c'/><child link='d'/></joint>"
                 "</robot>");
    if (!m) {
        return;
    }
    CHECK_INT(m->nq, 1);
    lw_data *d = new_data(m);
    const double q[1] = {0.3};
    lw_pose X;
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "d"), &X), LW_OK);
    const double angle = 2 * (0.3 + 0.5) + 1 + (0.3 + 0.5) + 0.3;
    CHECK_NEAR(X.R.row[2].y, sin(angle), 1e-15);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// What published files have, and most readers take.
TEST(loose_files_are_accepted)
{
    lw_mech *mech = read_text("<!-- by hand -->\n<?xml version='0.0'?>\n<robot>\n"
                              "<drake:x/><gazebo reference='a'/><gazebo/>\n"
                              "<link name='a'><inertial><mass value='0'/></inertial>\n"
                              "<inertial><mass value='7'/></inertial></link>\n"
                              "<link name='b'><visual/><visual><geometry><mesh filename=''/>"
                              "</geometry></visual></link>\n"
                              "<joint name='j' type='revolute' foo='1'><parent link='a'/>"
                              "<child link='b'/><axis/></joint></robot>");
    CHECK(mech != NULL);
    CHECK_INT(lw_report_errors(report), 0);
    CHECK_HAS(diagnostic_with(report, "declaration"),
              "2:1: warning: the XML declaration must come first");
    CHECK_HAS(diagnostic_with(report, "has no name"), "3:1: warning: <robot> has no name");
    CHECK_HAS(diagnostic_with(report, "drake:x"), "4:1: warning: <drake:x> is not used");
    CHECK_HAS(diagnostic_with(report, "gazebo"), "4:11: warning: <gazebo> is not used (2 times)");
    CHECK_HAS(diagnostic_with(report, "second"),
              "6:1: warning: a second <inertial> in this <link> is ignored;"
              " the first is at 5:16");
    CHECK_HAS(diagnostic_with(report, "no <inertia>"), "5:16: warning: link \"a\"");
    CHECK_HAS(diagnostic_with(report, "has no shape"),
              "7:16: warning: link \"b\": <visual> has no shape");
    CHECK_HAS(diagnostic_with(report, "names no file"), "warning: <mesh> names no file");
    CHECK_HAS(diagnostic_with(report, "no <limit>"),
              "8:1: note: joint \"j\" has no <limit> (1 in all)");
    CHECK_HAS(diagnostic_with(report, "\"foo\""), "attribute \"foo\" of <joint> is not used");
    lw_mech_destroy(mech);
}

TEST(limits_the_wrong_way_round_are_a_warning)
{
    lw_model *m = model_of("<robot name='r'><link name='a'/><link name='b'/>"
                           "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                           "<limit lower='1' upper='-1' effort='1' velocity='1'/></joint></robot>");
    CHECK(m && dof_of(m, "j")->lower == 1 && dof_of(m, "j")->upper == -1);
    CHECK_HAS(diagnostic_with(report, "limit"),
              "warning: joint \"j\": lower limit 1 is above the upper, -1");
    lw_model_destroy(m);
}

// The message and the place of each error; readers go on after the first.
TEST(all_errors_are_told_at_once)
{
    lw_mech *mech = read_text("<robot name='r'>\n<link name='a'><inertial><mass value='x'/>"
                              "<inertia ixx='y' iyy='1' izz='1'/></inertial></link>\n"
                              "<link name='b'/>\n"
                              "<joint name='j' type='hinge'><parent link='c'/><child link='b'/>\n"
                              "<origin xyz='0 0'/></joint></robot>");
    CHECK(mech == NULL);
    CHECK_INT(count_severity(LW_ERROR), 5);
    CHECK_HAS(diagnostic_with(report, "\"x\""), "t.urdf:2:39: error: value: \"x\" is not a number");
    CHECK_HAS(diagnostic_with(report, "\"y\""), "t.urdf:2:57: error: ixx: \"y\" is not a number");
    CHECK_HAS(diagnostic_with(report, "hinge"),
              "t.urdf:4:23: error: there is no joint type \"hinge\"");
    CHECK_HAS(diagnostic_with(report, "\"c\""),
              "t.urdf:4:44: error: joint \"j\": there is no link \"c\"");
    CHECK_HAS(diagnostic_with(report, "0 0"),
              "t.urdf:5:14: error: xyz=\"0 0\" has 2 numbers, needs 3");
    lw_mech_destroy(mech);
}

// --- Size and malice --------------------------------------------------------------------------

typedef struct growing {
    char *at;
    size_t used, room;
} growing;

static void add(growing *text, const char *format, int i, int j)
{
    if (text->room - text->used < 300) {
        text->room = 2 * text->room + 1000;
        text->at = realloc(text->at, text->room);
    }
    text->used += (size_t)snprintf(text->at + text->used, 300, format, i, j);
}

// Reads a robot of n links, each with the same words, and returns its first error, or "".
static const char *read_large(int n, const char *link, const char *joint, double *seconds)
{
    growing text = {0};
    add(&text, "<robot name='r'><link name='l0'/>", 0, 0);
    for (int i = 1; i < n; ++i) {
        add(&text, link, i, i - 1);
        add(&text, joint, i, i - 1);
    }
    add(&text, "</robot>", 0, 0);
    lw_mech *mech = NULL;
    lw_report_clear(report);
    const clock_t start = clock();
    lw_load_text("large.urdf", text.at, text.used, NULL, &mech, report);
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    lw_mech_destroy(mech);
    free(text.at);
    return diagnostic_with(report, "error:");
}

// Bounds are several times what is measured, for slow machines and sanitizers.
TEST(large_files_take_time_in_proportion)
{
    static const char link[] = "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' "
                               "iyy='1' izz='1'/></inertial></link>";
    double seconds;
    const char *star = "<joint name='j%1$d' type='continuous'><parent link='l0'/>"
                       "<child link='l%1$d'/></joint>";
    CHECK_TEXT(read_large(50000, link, star, &seconds), "");
    CHECK(seconds < 5);
    const char *line = "<joint name='j%1$d' type='continuous'><parent link='l%2$d'/>"
                       "<child link='l%1$d'/></joint>";
    CHECK_TEXT(read_large(50000, link, line, &seconds), "");
    CHECK(seconds < 5);
}

TEST(malicious_files_end_soon)
{
    double seconds;
    const int n = 50000;
    const char *link = "<link name='l%1$d'/>";
    // Unknown parents, each of which could be searched for among all names.
    CHECK_HAS(read_large(n, link,
                         "<joint name='j%1$d' type='fixed'><parent link='m%2$d'/>"
                         "<child link='l%1$d'/></joint>",
                         &seconds),
              "there is no link \"m0\"");
    CHECK(seconds < 5);
    // All of one name.
    CHECK_HAS(read_large(n, "<link name='l0'/>", "", &seconds), "there is another link \"l0\"");
    CHECK(seconds < 5);
    // All children of one link's.
    CHECK_HAS(read_large(n, link,
                         "<joint name='j%1$d' type='fixed'><parent link='l%1$d'/>"
                         "<child link='l0'/></joint>",
                         &seconds),
              "link \"l0\" has two parents");
    CHECK(seconds < 5);
    // Each hangs on the next, and mimics it.
    CHECK_HAS(read_large(n, link,
                         "<joint name='j%1$d' type='continuous'><parent link='l%1$d'/>"
                         "<child link='l%2$d'/><mimic joint='j%2$d'/></joint>",
                         &seconds),
              "there is no joint \"j0\"");
    CHECK(seconds < 5);
    // No joints at all: as many roots as links.
    CHECK_HAS(read_large(n, link, "", &seconds), "a robot has one root");
    CHECK(seconds < 5);
}

int main(void)
{
    report = new_report();
    RUN(joints_are_read_whole);
    RUN(axes_are_directions_and_x_by_default);
    RUN(C14_C39_inertias_keep_their_frame);
    RUN(shapes_are_read_whole);
    RUN(meshes_never_prevent_kinematics);
    RUN(floating_and_planar_joints_are_read);
    RUN(mimic_chains_are_reduced);
    RUN(loose_files_are_accepted);
    RUN(limits_the_wrong_way_round_are_a_warning);
    RUN(all_errors_are_told_at_once);
    RUN(large_files_take_time_in_proportion);
    RUN(malicious_files_end_soon);
    lw_report_destroy(report);
    return REPORT();
}
