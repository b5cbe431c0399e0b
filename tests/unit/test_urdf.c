// URDF in and out.
#include "check.h"
#include "reference.h"

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

// A finding that contains a text, as a line; "" where there is none.
static const char *finding_with(const char *part)
{
    static char line[1024];
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_finding finding = lw_report_finding(report, i);
        lw_finding_format(&finding, line, sizeof line);
        if (strstr(line, part)) {
            return line;
        }
    }
    return "";
}

static lw_model *compile(const lw_mech *mech)
{
    lw_model *model = NULL;
    if (mech) {
        lw_compile(mech, NULL, &model, report);
    }
    if (!model) {
        printf("%s\n", finding_with("error:"));
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
        count += lw_report_finding(report, i).severity == severity;
    }
    return count;
}

// --- What the reader understands --------------------------------------------------------------

static const char whole[] =
    "<?xml version='1.0'?>\n"
    "<robot name='whole' version='1.0'>\n"
    " <link name='base'/>\n"
    " <link name='arm'>\n"
    "  <inertial><origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/><mass value='2'/>\n"
    "   <inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial>\n"
    "  <visual name='v'><origin xyz='1 0 0'/><geometry><box size='1 2 3'/></geometry></visual>\n"
    "  <visual><geometry><sphere radius='0.5'/></geometry></visual>\n"
    "  <collision><geometry><cylinder radius='0.1' length='2'/></geometry></collision>\n"
    "  <collision><geometry><capsule radius='0.2' length='3'/></geometry></collision>\n"
    "  <collision><geometry><mesh filename='package://x/y.stl' scale='1 1 -1'/></geometry>"
    "</collision>\n"
    " </link>\n"
    " <link name='slide'/><link name='wheel'/><link name='finger'/><link name='eye'/>\n"
    " <joint name='finger' type='prismatic'>\n"
    "  <parent link='arm'/><child link='finger'/><mimic joint='slide' multiplier='-2' "
    "offset='3'/>\n"
    "  <limit lower='-1' upper='1' effort='10' velocity='2'/></joint>\n"
    " <joint name='arm' type='revolute'>\n"
    "  <origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><parent link='base'/><child link='arm'/>\n"
    "  <axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='30' velocity='4' "
    "acceleration='5'/>\n"
    "  <dynamics damping='0.7' friction='0.8'/></joint>\n"
    " <joint name='slide' type='prismatic'>\n"
    "  <parent link='arm'/><child link='slide'/><axis xyz='0 1 0'/>\n"
    "  <limit lower='0' upper='0' effort='1' velocity='1'/></joint>\n"
    " <joint name='wheel' type='continuous'>\n"
    "  <parent link='arm'/><child link='wheel'/><limit lower='1' upper='2' effort='6' "
    "velocity='7'/></joint>\n"
    " <joint name='eye' type='fixed'><parent link='arm'/><child link='eye'/>\n"
    "  <axis xyz='0 0 0'/><mimic joint='wheel'/></joint>\n"
    " <transmission name='t'><type>x</type><joint name='arm'><hardwareInterface>y"
    "</hardwareInterface></joint>\n"
    "  <actuator name='m'><mechanicalReduction>100</mechanicalReduction>\n"
    "   <motorInertia>1e-4</motorInertia></actuator></transmission>\n"
    "</robot>\n";

static const lw_freedom *freedom_of(const lw_model *m, const char *joint)
{
    for (int i = 0; i < m->njoint; ++i) {
        if (strcmp(m->joints[i].name, joint) == 0) {
            return &m->freedom[m->joints[i].v];
        }
    }
    return NULL;
}

TEST(joints_are_read_whole)
{
    lw_model *m = model_of(whole);
    if (!m) {
        return;
    }
    CHECK_INT(m->nbody, 4);
    CHECK_INT(m->nq, 3); // finger follows slide, eye is fixed
    const lw_freedom *arm = freedom_of(m, "arm");
    CHECK(arm->lower == -1 && arm->upper == 2 && arm->max_effort == 30 && arm->max_velocity == 4);
    CHECK(arm->max_acceleration == 5 && arm->damping == 0.7 && arm->friction == 0.8);
    CHECK(arm->rotor_inertia == 100.0 * 100.0 * 1e-4);
    const lw_freedom *slide = freedom_of(m, "slide");
    CHECK(slide->lower == 0 && slide->upper == 0);
    const lw_freedom *wheel = freedom_of(m, "wheel");
    CHECK(isinf(wheel->lower) && isinf(wheel->upper) && wheel->max_effort == 6);
    CHECK_INT(m->nstep, 1);
    CHECK(m->step[0].coefficient[0] == 3 && m->step[0].coefficient[1] == -2);
    CHECK_HAS(finding_with("eye"), "note: joint \"eye\" is fixed; its <mimic> is ignored");
    lw_model_destroy(m);
}

// The joint named "arm" turns about (0, 0, 2), which has the direction of z; finger about x.
TEST(axes_are_directions_and_x_by_default)
{
    lw_model *m = model_of(whole);
    if (!m) {
        return;
    }
    lw_data *d = lw_data_create(m);
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

TEST(C39_inertias_keep_their_frame)
{
    lw_model *m = model_of(whole);
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
    lw_model *m = model_of(whole);
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
    CHECK_TEXT(finding_with("y.stl"),
               "t.urdf:11:40: warning: mesh \"package://x/y.stl\" is not found");
    lw_model_destroy(m);
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
    lw_data *d = lw_data_create(m);
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
    CHECK_HAS(finding_with("declaration"), "2:1: warning: the XML declaration must come first");
    CHECK_HAS(finding_with("has no name"), "3:1: warning: <robot> has no name");
    CHECK_HAS(finding_with("drake:x"), "4:1: warning: <drake:x> is not used");
    CHECK_HAS(finding_with("gazebo"), "4:11: warning: <gazebo> is not used (2 times)");
    CHECK_HAS(finding_with("second"), "6:1: warning: a second <inertial> in this <link> is ignored;"
                                      " the first is at 5:16");
    CHECK_HAS(finding_with("no <inertia>"), "5:16: warning: link \"a\"");
    CHECK_HAS(finding_with("has no shape"), "7:16: warning: link \"b\": <visual> has no shape");
    CHECK_HAS(finding_with("names no file"), "warning: <mesh> names no file");
    CHECK_HAS(finding_with("no <limit>"), "8:1: note: joint \"j\" has no <limit> (1 in all)");
    CHECK_HAS(finding_with("\"foo\""), "attribute \"foo\" of <joint> is not used");
    lw_mech_destroy(mech);
}

TEST(limits_the_wrong_way_round_are_a_warning)
{
    lw_model *m = model_of("<robot name='r'><link name='a'/><link name='b'/>"
                           "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                           "<limit lower='1' upper='-1' effort='1' velocity='1'/></joint></robot>");
    CHECK(m && freedom_of(m, "j")->lower == 1 && freedom_of(m, "j")->upper == -1);
    CHECK_HAS(finding_with("limit"), "warning: joint \"j\": lower limit 1 is above the upper, -1");
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
    CHECK_HAS(finding_with("\"x\""), "t.urdf:2:39: error: value: \"x\" is not a number");
    CHECK_HAS(finding_with("\"y\""), "t.urdf:2:57: error: ixx: \"y\" is not a number");
    CHECK_HAS(finding_with("hinge"), "t.urdf:4:23: error: there is no joint type \"hinge\"");
    CHECK_HAS(finding_with("\"c\""), "t.urdf:4:44: error: joint \"j\": there is no link \"c\"");
    CHECK_HAS(finding_with("0 0"), "t.urdf:5:14: error: xyz=\"0 0\" has 2 numbers, needs 3");
    lw_mech_destroy(mech);
}

// --- The writer -------------------------------------------------------------------------------

static bool same_bits(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

// Every number that a file gives, bit by bit.
static void models_are_equal(const lw_model *a, const lw_model *b)
{
    CHECK_INT(a->nbody, b->nbody);
    CHECK_INT(a->nq, b->nq);
    CHECK_INT(a->nframe, b->nframe);
    CHECK_INT(a->nshape, b->nshape);
    if (a->nbody != b->nbody || a->tree_nv != b->tree_nv || a->nframe != b->nframe ||
        a->nshape != b->nshape || a->nstep != b->nstep) {
        return;
    }
    const size_t n = (size_t)a->nbody;
    CHECK(same_bits(a->X_PJ, b->X_PJ, n * sizeof *a->X_PJ));
    CHECK(same_bits(a->inertia, b->inertia, n * sizeof *a->inertia));
    CHECK(same_bits(a->freedom, b->freedom, (size_t)a->tree_nv * sizeof *a->freedom));
    for (int i = 0; i < a->nstep; ++i) { // mimic: offset and multiplier
        CHECK(same_bits(a->step[i].coefficient, b->step[i].coefficient, 2 * sizeof(double)));
    }
    for (int i = 0; i < a->nshape; ++i) {
        CHECK(same_bits(&a->shape[i].X_BS, &b->shape[i].X_BS, sizeof a->shape[i].X_BS));
        CHECK(same_bits(&a->shape[i].size, &b->shape[i].size, sizeof a->shape[i].size));
        CHECK_TEXT(a->shape[i].mesh, b->shape[i].mesh);
    }
    for (int i = 0; i < a->nlink; ++i) {
        CHECK(same_bits(&a->link[i].X_FI, &b->link[i].X_FI, sizeof a->link[i].X_FI));
    }
}

static lw_mech *written_and_read(const lw_mech *mech)
{
    char *text = NULL;
    size_t size = 0;
    lw_mech *again = NULL;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_URDF, &text, &size, report), LW_OK);
    if (text) {
        CHECK_INT(lw_load_text("again.urdf", text, size, NULL, &again, NULL), LW_OK);
    }
    free(text);
    return again;
}

static void round_trip(lw_mech *mech)
{
    lw_report_clear(report);
    lw_mech *again = written_and_read(mech);
    CHECK_INT(lw_report_count(report), 0); // nothing lost, nothing rounded
    if (again) {
        lw_model *a = compile(mech), *b = compile(again);
        if (a && b) {
            models_are_equal(a, b);
        }
        lw_model_destroy(a);
        lw_model_destroy(b);
    }
    lw_mech_destroy(again);
}

TEST(written_urdf_reads_back_to_the_last_bit)
{
    lw_mech *mech = read_text(whole);
    if (CHECK(mech != NULL)) {
        round_trip(mech);
    }
    lw_mech_destroy(mech);
}

TEST(published_robots_load_and_read_back_to_the_last_bit)
{
    char **names = shared_names("models/urdf", ".urdf");
    for (int i = 0; names && names[i]; ++i) {
        char relative[256];
        snprintf(relative, sizeof relative, "models/urdf/%s", names[i]);
        check_case("%s", names[i]);
        lw_mech *mech = NULL;
        CHECK_INT(lw_load_file(shared_file(relative), NULL, &mech, report), LW_OK);
        if (mech) {
            round_trip(mech);
        }
        lw_mech_destroy(mech);
    }
    names_free(names);
}

TEST(published_poses_agree_with_other_programs)
{
    char **names = shared_names("models/urdf", ".urdf");
    int count = 0;
    for (int i = 0; names && names[i]; ++i) {
        char relative[300];
        snprintf(relative, sizeof relative, "vectors/%s.json", names[i]);
        json_t *file = reference_read(relative);
        snprintf(relative, sizeof relative, "models/urdf/%s", names[i]);
        lw_model *m = file ? shared_model(relative, false) : NULL;
        for (int s = 0; m && s < reference_count(file); ++s) {
            reference_state state;
            if (!reference_state_read(file, s, m, &state)) {
                continue;
            }
            lw_data *d = lw_data_create(m);
            CHECK_INT(lw_forward_position(m, d, state.q), LW_OK);
            for (int k = 0; k < m->nlink; ++k) {
                lw_pose X, want;
                const int frame = m->link[k].frame;
                check_case("%s, %s", names[i], m->frame[frame].name);
                if (reference_link_pose(file, s, m->frame[frame].name, &want) &&
                    lw_frame_pose(m, d, frame, &X) == LW_OK) {
                    // Between two recursive algorithms, over chains of a metre or two.
                    CHECK_NEAR(lw_norm3(lw_sub3(X.p, want.p)), 0, 1e-12);
                    CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[0], want.R.row[0])), 0, 1e-12);
                    ++count;
                }
            }
            lw_data_destroy(d);
            reference_free(&state);
        }
        lw_model_destroy(m);
        json_decref(file);
    }
    CHECK(!names || count > 100);
    names_free(names);
}

// Machines in the library's own format, written as URDF: other frames and forms, the same poses.
TEST(native_machines_written_as_urdf_move_alike)
{
    static const char *const names[] = {"puma560", "puma560_zero", "puma560_craig", "stanford",
                                        "scara",   "gantry",       "ur5_class",     "panda_class"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[300];
        snprintf(path, sizeof path, "%s/models/%s.xml", LINKWORK_SOURCE_DIR, names[i]);
        check_case("%s", names[i]);
        lw_mech *mech = NULL;
        CHECK_INT(lw_load_file(path, NULL, &mech, NULL), LW_OK);
        lw_mech *again = mech ? written_and_read(mech) : NULL;
        lw_model *a = again ? compile(mech) : NULL, *b = again ? compile(again) : NULL;
        if (a && b && CHECK_INT(a->nq, b->nq) && CHECK(a->nq <= 16)) {
            lw_data *da = lw_data_create(a), *db = lw_data_create(b);
            double qa[16], qb[16];
            for (int k = 0; k < a->nq; ++k) {
                qa[k] = check_random(-1, 1);
                qb[lw_find_position(b, a->position_name[k])] = qa[k];
            }
            lw_forward_position(a, da, qa);
            lw_forward_position(b, db, qb);
            CHECK_NEAR(a->mass, b->mass, 1e-12);
            lw_vec3 ca, cb;
            lw_center_of_mass(a, da, qa, &ca, NULL);
            lw_center_of_mass(b, db, qb, &cb, NULL);
            // Roll, pitch and yaw round each placement; a dozen of them lie in a row.
            CHECK_NEAR(lw_norm3(lw_sub3(ca, cb)), 0, 1e-13);
            for (int k = 0; k < a->nframe; ++k) {
                const lw_frame_info *info = &a->frame[k];
                const char *dot = strrchr(info->name, '.');
                const int other = lw_find_frame(b, dot ? dot + 1 : info->name);
                lw_pose X, Y;
                // A frame that shares its name with a link was renamed.
                if (!dot || other < 0 || lw_find_frame(a, dot + 1) != k) {
                    continue;
                }
                lw_frame_pose(a, da, k, &X);
                lw_frame_pose(b, db, other, &Y);
                check_case("%s, %s", names[i], info->name);
                CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0, 1e-13);
                CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[1], Y.R.row[1])), 0, 1e-13);
            }
            lw_data_destroy(da);
            lw_data_destroy(db);
        }
        lw_model_destroy(a);
        lw_model_destroy(b);
        lw_mech_destroy(again);
        lw_mech_destroy(mech);
    }
}

static void hang(lw_mech *mech, const char *b, const char *a)
{
    CHECK_INT(lw_connect_named(mech, b, a), LW_OK);
}

static void add_joint(lw_mech *mech, const char *name, lw_joint_type type)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = type;
    def.pitch = 0.01;
    def.freedom[0].stiffness = 5;
    def.freedom[0].reference = 0.5;
    lw_add_joint(mech, &def);
}

TEST(what_urdf_cannot_hold_is_listed)
{
    lw_mech *mech = lw_mech_create("m"), *inside = lw_mech_create("inside");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0, 0, -1.62);
    lw_add_ground(mech, &ground);
    lw_link_def link = lw_default_link_def();
    link.name = "inner";
    lw_add_link(inside, &link);
    lw_add_assembly(mech, "box", inside, (lw_place){0});
    add_joint(mech, "turn", LW_JOINT_REVOLUTE);
    add_joint(mech, "screw", LW_JOINT_SCREW);
    add_joint(mech, "follow", LW_JOINT_REVOLUTE);
    link.name = "arm";
    link.b = lw_place_dh(0.1, 0.2, 0.3, 0.4);
    const lw_part arm = lw_add_link(mech, &link);
    lw_add_frame(mech, arm, "tool", NULL, (lw_place){0});
    lw_shape_def shape = lw_default_shape_def();
    shape.role = LW_SHAPE_BOUND;
    lw_add_shape(mech, arm, &shape);
    lw_load_def load = lw_default_load_def();
    load.name = "push";
    lw_add_load(mech, &load);
    hang(mech, "ground.b", "turn.a");
    hang(mech, "turn.b", "arm.a");
    hang(mech, "arm.b", "screw.a");
    hang(mech, "screw.b", "follow.a");
    hang(mech, "arm.b", "push.a");
    hang(mech, "arm.b", "box.a");
    const double square[3] = {0, 1, 1};
    lw_coupling_def coupling = lw_default_coupling_def();
    coupling.dependent = "follow";
    coupling.source = "turn";
    coupling.ncoefficient = 3;
    coupling.coefficient = square;
    lw_add_coupling(mech, &coupling);
    lw_report_clear(report);
    lw_mech *again = written_and_read(mech);
    CHECK(again != NULL);
    CHECK_HAS(finding_with("gravity"), "warning: lost: gravity");
    CHECK_HAS(finding_with("box"), "warning: lost: assembly \"box\"");
    CHECK_HAS(finding_with("push"), "warning: lost: load \"push\"");
    CHECK_HAS(finding_with("is screw"), "warning: lost: joint \"screw\" is screw");
    CHECK_HAS(finding_with("coupling"), "warning: lost: coupling of \"follow\"");
    CHECK_HAS(finding_with("spring"), "warning: lost: joint \"turn\", its spring");
    CHECK_HAS(finding_with("reference"), "warning: lost: joint \"turn\", its reference position");
    CHECK_HAS(finding_with("bounding"), "warning: lost: a bounding shape of link \"arm\"");
    CHECK_HAS(finding_with("rounded"), "warning: rounded: joint \"screw\", its placement");
    CHECK_HAS(finding_with("tool"), "note: frame \"tool\" becomes link \"tool\"");
    // Joints with no link on them get one.
    CHECK(lw_find_part(again, "screw_link", 'l').index >= 0);
    CHECK(lw_find_part(again, "follow_link", 'l').index >= 0);
    CHECK(lw_find_part(again, "ground", 'l').index >= 0);
    lw_mech_destroy(again);
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
}

TEST(limits_that_are_not_there_survive)
{
    lw_mech *mech = lw_mech_create("m");
    lw_link_def link = lw_default_link_def();
    link.name = "a";
    lw_add_link(mech, &link);
    link.name = "b & <c> \"d\" ü";
    lw_add_link(mech, &link);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = "j";
    joint.type = LW_JOINT_PRISMATIC;
    joint.freedom[0].upper = 1;
    const lw_part part = lw_add_joint(mech, &joint);
    lw_connect(mech, lw_port_of(mech, lw_find_part(mech, "a", 'l'), "b"),
               lw_port_of(mech, part, "a"));
    lw_connect(mech, lw_port_of(mech, part, "b"),
               lw_port_of(mech, lw_find_part(mech, link.name, 'l'), "a"));
    round_trip(mech);
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
    return finding_with("error:");
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
    report = lw_report_create();
    RUN(joints_are_read_whole);
    RUN(axes_are_directions_and_x_by_default);
    RUN(C39_inertias_keep_their_frame);
    RUN(shapes_are_read_whole);
    RUN(floating_and_planar_joints_are_read);
    RUN(mimic_chains_are_reduced);
    RUN(loose_files_are_accepted);
    RUN(limits_the_wrong_way_round_are_a_warning);
    RUN(all_errors_are_told_at_once);
    RUN(written_urdf_reads_back_to_the_last_bit);
    RUN(published_robots_load_and_read_back_to_the_last_bit);
    RUN(published_poses_agree_with_other_programs);
    RUN(native_machines_written_as_urdf_move_alike);
    RUN(what_urdf_cannot_hold_is_listed);
    RUN(limits_that_are_not_there_survive);
    RUN(large_files_take_time_in_proportion);
    RUN(malicious_files_end_soon);
    lw_report_destroy(report);
    return REPORT();
}
