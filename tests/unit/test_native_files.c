// Machines of several files: mounts, assemblies, and references into them.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "pose_reference.h"
#include "random_mech.h"
#include "written.h"

#include "parts/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// C01, C21: chassis, arm and mast of one rover from three files, one representation.
TEST(C03_C36_rover_is_assembled_from_three_files)
{
    lw_mech *mech;
    lw_model *m = compile_path(LINKWORK_SOURCE_DIR "/models/rover/rover.xml", &mech);
    CHECK_INT(m->nv,
              6 + 3 + 4 + 6 + 5 + 2); // free, rockers and bogies, steering, wheels, arm, mast
    CHECK(lw_find_position(m, "arm/turret") >= 0);
    CHECK(lw_find_position(m, "mast/tilt") >= 0);
    CHECK(lw_find_position(m, "rear_left/wheel/drive") >= 0);
    CHECK_INT(lw_find_position(m, "right_rocker"), -1); // the differential gives it
    static const char *const instrument[] = {"imager", "abrader", "alpha_spectrometer",
                                             "mossbauer_spectrometer"};
    for (int i = 0; i < 4; ++i) { // C15: each instrument is a frame
        CHECK(lw_find_frame(m, instrument[i]) >= 0);
    }
    // All wheels stand on the ground in the reference configuration.
    lw_data *d = new_data(m);
    lw_forward_position(m, d, m->q_reference);
    int nwheel = 0;
    for (int f = 0; f < m->nframe; ++f) {
        lw_pose X;
        if (strstr(m->frame[f].name, "ground_contact")) {
            lw_frame_pose(m, d, f, &X);
            CHECK_NEAR(X.p.z, 0.0, 1e-15);
            ++nwheel;
        }
    }
    CHECK_INT(nwheel, 6);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// The arm alone gives what it gives on the rover: poses, and Jacobians in the frame of its tool.
// (Of C02 the coordinated inverse kinematics of both is not here.)
TEST(C36_the_arm_file_alone_has_the_kinematics_of_the_arm_on_the_rover)
{
    lw_model *rover = shipped_model("rover/rover.xml");
    lw_model *arm = shipped_model("rover/arm.xml");
    lw_data *d = new_data(rover), *d_arm = new_data(arm);
    const int tool = lw_find_frame(rover, "imager"), own_tool = lw_find_frame(arm, "imager");
    double q[64], own[5], J[6 * 64], J_arm[6 * 5];
    int column[5];
    CHECK(rover->nq <= 64 && CHECK_INT(arm->nv, 5) && tool >= 0 && own_tool >= 0);
    for (int trial = 0; trial < 100; ++trial) {
        memcpy(q, rover->q_reference, (size_t)rover->nq * sizeof *q);
        for (int i = 0; i < 5; ++i) {
            char name[64];
            own[i] = check_random(-1, 1);
            snprintf(name, sizeof name, "arm/%s", arm->position_name[i]);
            q[lw_find_position(rover, name)] = own[i];
            column[i] = lw_find_velocity(rover, name);
        }
        lw_pose X, Y;
        CHECK_INT(lw_pose_of_frame(arm, d_arm, own, own_tool, &Y), LW_OK);
        CHECK_INT(lw_forward_position(rover, d, q), LW_OK);
        lw_relative_pose(rover, d, lw_find_frame(rover, "body.arm_mount"), tool, &X);
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-15);
        for (int r = 0; r < 3; ++r) {
            CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[r], Y.R.row[r])), 0.0, 4e-15);
        }
        CHECK_INT(lw_frame_jacobian(rover, d, q, tool, LW_IN_FRAME, NULL, J), LW_OK);
        CHECK_INT(lw_frame_jacobian(arm, d_arm, own, own_tool, LW_IN_FRAME, NULL, J_arm), LW_OK);
        for (int r = 0; r < 6; ++r) {
            for (int i = 0; i < 5; ++i) {
                CHECK_NEAR(J[r * rover->nv + column[i]], J_arm[r * 5 + i], 4e-15);
            }
        }
    }
    lw_data_destroy(d_arm);
    lw_data_destroy(d);
    lw_model_destroy(arm);
    lw_model_destroy(rover);
}

// C27: names are prefixed, and the four legs share one description.
TEST(C27_one_leg_file_serves_four_mounts)
{
    lw_mech *mech;
    lw_model *m = compile_path(LINKWORK_SOURCE_DIR "/models/quadruped/quadruped.xml", &mech);
    CHECK_INT(m->nv, 18);
    CHECK(lw_find_position(m, "hind_right/knee") >= 0);
    CHECK_INT(mech->nassembly, 4);
    const lw_mech *leg = NULL;
    for (int i = 0; i < mech->part.count; ++i) {
        if (mech->part.at[i].kind == LW_PART_ASSEMBLY) {
            leg = leg ? leg : as_assembly(&mech->part.at[i])->inside;
            CHECK(as_assembly(&mech->part.at[i])->inside == leg);
        }
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(C37_mounts_are_diagnosed_with_file_and_line)
{
    static const struct {
        const char *body, *diagnostic;
    } table[] = {
        {"<link name='t'><frame name='hip'/></link>\n<mount name='l' file='leg.xml' at='t.hop'/>",
         "/quadruped/t.xml:3:36: error: link \"t\" has no frame \"hop\"; did you mean \"hip\"?\n"},
        {"<link name='t'/>\n<mount name='l' file='leg.xml' at='hip'/>",
         "/quadruped/t.xml:3:36: error: there is no part or frame \"hip\"\n"},
        {"<link name='t'>\n<frame name='hip'/>\n<frame name='hip'/></link>",
         "/quadruped/t.xml:4:1: error: link \"t\" has another frame named \"hip\", at "},
        {"<link name='t'/>\n<mount name='l' file='leg.xml' at='t'/>\n"
         "<mount name='l' file='leg.xml' at='t'/>",
         "/quadruped/t.xml:4:1: error: there is another assembly named \"l\", at "},
        {"<link name='t'/>\n<mount name='l' file='lag.xml' at='t'/>",
         "/quadruped/t.xml:3:23: error: \"lag.xml\" is not found\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        char text[1024];
        check_case("case %d", (int)i);
        snprintf(text, sizeof text, "<linkwork version='1' name='t'>\n%s\n</linkwork>\n",
                 table[i].body);
        char *diagnostics =
            diagnostics_of_text(LINKWORK_SOURCE_DIR "/models/quadruped/t.xml", text);
        CHECK_HAS(diagnostics, table[i].diagnostic);
        free(diagnostics);
    }
}

TEST(C36_urdf_is_mounted_like_any_file)
{
    char path[] = "/tmp/linkwork_test_XXXXXX", file[64], text[512];
    CHECK(mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/arm.urdf", path);
    FILE *out = fopen(file, "w");
    fputs("<robot name='arm'><link name='base'/><link name='tip'><inertial><mass value='1'/>"
          "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
          "<joint name='j' type='continuous'><parent link='base'/><child link='tip'/>"
          "<axis xyz='0 0 1'/><origin xyz='0 0 0.5'/></joint></robot>",
          out);
    fclose(out);
    snprintf(text, sizeof text,
             "<linkwork version='1' name='two'>\n<ground>\n<frame name='left' xyz='0 1 0'/>\n"
             "<frame name='right' xyz='0 -1 0'/></ground>\n"
             "<mount name='l' file='arm.urdf' at='left'/>\n"
             "<mount name='r' file='arm.urdf' at='right'/>\n</linkwork>\n");
    snprintf(file, sizeof file, "%s/two.xml", path);
    lw_model *m = compile_text(file, text, NULL);
    CHECK_INT(m->nq, 2);
    const double q[2] = {0};
    const lw_pose X = pose_at(m, q, "r/tip");
    CHECK_NEAR(X.p.y, -1.0, 0.0);
    CHECK_NEAR(X.p.z, 0.5, 0.0);
    lw_model_destroy(m);
    snprintf(file, sizeof file, "%s/arm.urdf", path);
    remove(file);
    remove(path);
}

// D08: the same chain flat and three deep is the same machine.
TEST(D08_nested_assemblies_compute_what_the_flat_machine_does)
{
    static const char nested[] =
        "<linkwork version='1' name='m'>\n"
        "<assembly name='one'><joint name='j' type='revolute' axis='0 1 0' to='l'/>"
        "<link name='l' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<gateway name='b' port='l.end'/></assembly>\n"
        "<assembly name='two'><use name='x' assembly='one'/><use name='y' assembly='one' at='x'/>"
        "<gateway name='b' port='y'/></assembly>\n"
        "<assembly name='four'><use name='x' assembly='two'/><use name='y' assembly='two' at='x'/>"
        "<gateway name='b' port='y.b'/></assembly>\n"
        "<ground/><use name='arm' assembly='four' at='ground'/>"
        "<link name='tip' at='arm' mass='0.5'/></linkwork>\n";
    static const char flat[] =
        "<linkwork version='1' name='m'>\n<ground/>\n"
        "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='l1'/>"
        "<link name='l1' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<joint name='j2' type='revolute' axis='0 1 0' from='l1.end' to='l2'/>"
        "<link name='l2' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<joint name='j3' type='revolute' axis='0 1 0' from='l2.end' to='l3'/>"
        "<link name='l3' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<joint name='j4' type='revolute' axis='0 1 0' from='l3.end' to='l4'/>"
        "<link name='l4' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<link name='tip' at='l4.end' mass='0.5'/></linkwork>\n";
    lw_model *a = compile_text("nested.xml", nested, NULL);
    lw_model *b = compile_text("flat.xml", flat, NULL);
    CHECK_INT(a->nq, 4);
    CHECK_TEXT(a->position_name[3], "arm/y/y/j");
    const double q[4] = {0.3, -0.7, 1.1, 0.4};
    const lw_pose X = pose_at(a, q, "tip"), Y = pose_at(b, q, "tip");
    CHECK(memcmp(&X, &Y, sizeof X) == 0);
    CHECK(memcmp(a->inertia, b->inertia, 4 * sizeof *a->inertia) == 0);
    lw_model_destroy(a);
    lw_model_destroy(b);
}

// A second root of an assembly hangs by a gateway to its A port.
TEST(R03_gateways_of_both_sides_connect)
{
    static const char text[] =
        "<linkwork version='1' name='m'>\n"
        "<assembly name='pair'><link name='base' mass='1'/>"
        "<joint name='j' type='revolute' to='l'/><link name='l' mass='1'/>"
        "<gateway name='in' port='j.a'/></assembly>\n"
        "<ground><frame name='f' xyz='0 0 1'/></ground>\n"
        "<link name='post' at='ground' mass='1'><frame name='g' xyz='2 0 0'/></link>\n"
        "<use name='p' assembly='pair' at='f'/>\n<connect from='post.g' to='p.in'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("pair.xml", text, NULL);
    const double q[1] = {0.5};
    const lw_pose X = pose_at(m, q, "p/l"), Y = pose_at(m, q, "p/base");
    CHECK_NEAR(X.p.x, 2.0, 0.0);
    CHECK_NEAR(Y.p.z, 1.0, 0.0);
    lw_model_destroy(m);
}

// A link, a joint and a frame of one name; names with dots.
TEST(references_find_what_is_meant)
{
    static const char text[] =
        "<linkwork version='1' name='m'>\n<ground><frame name='elbow' xyz='9 0 0'/></ground>\n"
        "<joint name='elbow' type='revolute' from='ground' to='elbow' xyz='1 0 0'/>\n"
        "<link name='elbow' mass='1'><b xyz='0 1 0'/></link>\n"
        "<link name='on_link' at='elbow'/>\n"
        "<link name='on_joint' at='joint:elbow'/>\n"
        "<link name='on_frame' at='ground.elbow'/>\n"
        "<link name='arm' at='ground'><frame name='2.tip' xyz='0 0 2'/></link>\n"
        "<link name='arm.2' at='ground'><frame name='tip' xyz='0 0 3'/></link>\n"
        "<link name='longest_part' at='arm.2.tip'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("names.xml", text, NULL);
    const double q[1] = {0};
    CHECK_NEAR(pose_at(m, q, "on_link").p.y, 1.0, 0.0);
    CHECK_NEAR(pose_at(m, q, "on_joint").p.y, 0.0, 0.0);
    CHECK_NEAR(pose_at(m, q, "on_frame").p.x, 9.0, 0.0);
    CHECK_NEAR(pose_at(m, q, "longest_part").p.z, 3.0, 0.0);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C03_C36_rover_is_assembled_from_three_files);
    RUN(C36_the_arm_file_alone_has_the_kinematics_of_the_arm_on_the_rover);
    RUN(C27_one_leg_file_serves_four_mounts);
    RUN(C37_mounts_are_diagnosed_with_file_and_line);
    RUN(C36_urdf_is_mounted_like_any_file);
    RUN(D08_nested_assemblies_compute_what_the_flat_machine_does);
    RUN(R03_gateways_of_both_sides_connect);
    RUN(references_find_what_is_meant);
    return REPORT();
}
