// Writing linkwork XML: what is read back is the same machine to the last bit.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "same_model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *saved(const lw_mech *mech, lw_report *report)
{
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, report), LW_OK);
    if (text) {
        CHECK(size == strlen(text));
    }
    return text;
}

// Writes, reads, compares the models, writes again and compares the texts.
static void check_round_trip(const lw_mech *mech, const lw_model *m, const char *name)
{
    lw_mech *again = NULL;
    char *text = saved(mech, NULL);
    if (!text) {
        return;
    }
    lw_model *back = compile_text(name, text, &again);
    if (back) {
        check_same_model(m, back);
        char *second = saved(again, NULL);
        CHECK_TEXT(second, text);
        free(second);
    }
    lw_model_destroy(back);
    lw_mech_destroy(again);
    free(text);
}

static int check_folder(const char *folder)
{
    char path[512];
    int count = 0;
    snprintf(path, sizeof path, "%s/models%s", LINKWORK_SOURCE_DIR, folder);
    DIR *list = opendir(path);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".xml") != 0) {
            continue;
        }
        char file[1024];
        lw_mech *mech = NULL;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        check_case("%s", entry->d_name);
        lw_model *m = compile_path(file, &mech);
        if (m) {
            check_round_trip(mech, m, file);
            ++count;
        }
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
    if (list) {
        closedir(list);
    }
    return count;
}

TEST(C39_shipped_models_come_back_to_the_last_bit)
{
    const int count = check_folder("") + check_folder("/quadruped") + check_folder("/rover") +
                      check_folder("/closed");
    CHECK(count >= 30);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)) != NULL; ++text) {
        ++count;
    }
    return count;
}

// Joints by their zero position are written so: with the numbers of the file, from an include too.
TEST(C39_the_zero_position_is_written_as_it_was_given)
{
    static const char *const text[] = {
        "<linkwork version='1' name='all'><include file='puma560_zero.xml'/></linkwork>",
        "<linkwork version='1' name='all'><include file='puma560_zero.xml'/>"
        "<adjust joint='elbow' reference='1'/></linkwork>",
        "<linkwork version='1' name='all'><ground/><mount name='m' file='puma560_zero.xml' "
        "at='ground'/>"
        "</linkwork>",
        "<linkwork version='1' name='all'><ground/>"
        "<joint name='j' type='universal' axis='1 0 0' axis2='0 1 0' point='1 2 3' from='ground' "
        "to='a'>"
        "<dof name='first' damping='1'/></joint><link name='a' mass='1'><zero/></link>"
        "<joint name='k' type='revolute' axis='0 1 0' point='0.1 0.2 0.3' from='a' to='b'/>"
        "<link name='b' mass='1'/><joint name='l' type='prismatic' point='1 1 1' from='b' to='c'/>"
        "<link name='c' mass='1'><zero xyz='0.1 0.2 0.3' rpy='1 2 3'/></link></linkwork>"};
    static const int points[] = {6, 6, 6, 3};
    for (int i = 0; i < 4; ++i) {
        check_case("%s", text[i]);
        lw_mech *mech = NULL;
        lw_model *m = compile_text(LINKWORK_SOURCE_DIR "/models/all.xml", text[i], &mech);
        lw_report *report = new_report();
        char *file = mech ? saved(mech, report) : NULL;
        if (m && CHECK(file != NULL)) {
            CHECK_INT(lw_report_count(report), 0);
            CHECK_INT(count_of(file, " point=\""), points[i]);
            CHECK_INT(count_of(file, "matrix="), 0);
            CHECK_HAS(file, i < 3 ? "point=\"0.4115 0 1.1049\"" : "rpy=\"1 2 3\"");
            check_round_trip(mech, m, "again.xml");
        }
        free(file);
        lw_report_destroy(report);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// What was moved after it was read is where it is, not where its file had it.
TEST(C39_a_zero_position_that_holds_no_more_is_a_transform)
{
    static const char text[] =
        "<linkwork version='1' name='moved'><ground><frame name='wall' xyz='0 0 2' rpy='1 0 0'/>"
        "</ground><joint name='j' type='revolute' axis='1 0 0' point='0 0 1' from='ground' to='a'/>"
        "<link name='a' mass='1' center='1 0 0'><zero xyz='1 0 1'/></link></linkwork>";
    lw_mech *mech = load_checked("moved.xml", text);
    CHECK_INT(lw_disconnect_named(mech, "ground", "j.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "ground.wall", "j.a"), LW_OK);
    lw_model *m = compile_checked(mech, NULL);
    lw_report *report = new_report();
    char *file = saved(mech, report);
    if (CHECK(m && file)) {
        CHECK_INT(lw_report_count(report), 1);
        CHECK_HAS(diagnostic_with(report, "joint \"j\" is placed by a transform"), "[lost]");
        CHECK_INT(count_of(file, " point=\""), 0);
        check_round_trip(mech, m, "again.xml");
    }
    free(file);
    lw_report_destroy(report);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// Trees of every joint type but the user's, with placements of every form.
TEST(C39_random_machines_come_back_to_the_last_bit)
{
    random_mech_options options = random_mech_default();
    options.njoint = 30;
    options.types = RANDOM_ALL_TYPES & ~RANDOM_TYPE(LW_JOINT_USER);
    options.coupled = 0.3;
    options.has_joint_forces = true;
    options.nload = 4;
    for (unsigned long long seed = 1; seed <= 60; ++seed) {
        check_case("seed %llu", seed);
        lw_mech *mech = random_mech(seed, &options);
        lw_model *m = compile_checked(mech, NULL);
        if (m) {
            check_round_trip(mech, m, "random.xml");
        }
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

static lw_part add_link_at(lw_mech *mech, const char *name, lw_port port)
{
    lw_link_def link = lw_default_link_def();
    link.name = name;
    link.mass = 1.0 / 3.0;
    link.inertial = lw_placement_quat(lw_vec3_of(0.1, 0.2, 0.3), (lw_quat){0.5, 0.1, -0.2, 0.3});
    link.inertia = (lw_sym3){0.1, 0.1, 0.1, 1e-3, -2e-3, 3e-3};
    link.b = lw_placement_dh(0.1, 0.2, 0.3, 0.4);
    const lw_part part = lw_add_link(mech, &link);
    if (port.index >= 0) {
        CHECK_INT(lw_connect(mech, port, lw_port_of(mech, part, "a")), LW_OK);
    }
    return part;
}

// Every attribute of every degree of freedom of every type differs from every other.
TEST(K02_every_value_of_every_dof_is_kept)
{
    const lw_location nowhere = {0};
    lw_mech *mech = new_mech("all");
    const lw_part ground =
        lw_add_ground(mech, &(lw_ground_def){"world", {0.1, -0.2, -9.80665}, nowhere});
    lw_port last = lw_port_of(mech, ground, "b");
    double value = 0.0;
    for (int type = LW_JOINT_FIXED; type < LW_JOINT_USER; ++type) {
        char name[32];
        lw_joint_def joint = lw_default_joint_def();
        snprintf(name, sizeof name, "part %d", type);
        joint.name = name;
        joint.type = (lw_joint_type)type;
        joint.axis = lw_vec3_of(0.1 * type, -0.3, 0.7);
        joint.axis2 = lw_vec3_of(-0.9, 0.2, 0.1);
        joint.pitch = type == LW_JOINT_SCREW ? 0.01 : 0.0;
        joint.before = random_placement();
        joint.after = random_placement();
        for (int i = 0; i < lw_joint_type_nv(joint.type); ++i) {
            double *field = &joint.dof[i].lower;
            for (int k = 0; k < 11; ++k) {
                field[k] = (value += 0.37);
            }
            joint.dof[i].lower = -value;
        }
        const lw_part part = lw_add_joint(mech, &joint);
        CHECK_INT(lw_connect(mech, last, lw_port_of(mech, part, "a")), LW_OK);
        // Links have the joints' names, so that references need a kind.
        const lw_part link = add_link_at(mech, name, lw_port_of(mech, part, "b"));
        last = lw_port_of(mech, link, "b");
    }
    lw_model *m = compile_checked(mech, NULL);
    check_round_trip(mech, m, "all.xml");
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(odd_names_come_back)
{
    static const char *const name[] = {"a.b",     "a",          "a.b.b",     "link:a",
                                       "ground",  "x<y>&\"z'",  " spaced  ", "\tline\nend",
                                       "joint:j", "über/unter", "ground.b",  "b"};
    enum { N = sizeof name / sizeof *name };
    const lw_location nowhere = {0};
    lw_mech *mech = new_mech("odd <&>");
    const lw_ground_def def = lw_default_ground_def();
    lw_port last = lw_port_of(mech, lw_add_ground(mech, &def), "b");
    for (int i = 0; i < N; ++i) {
        lw_joint_def joint = lw_default_joint_def();
        joint.name = name[(i + 1) % N];
        joint.type = LW_JOINT_REVOLUTE;
        const lw_part part = lw_add_joint(mech, &joint);
        CHECK_INT(lw_connect(mech, last, lw_port_of(mech, part, "a")), LW_OK);
        const lw_part link = add_link_at(mech, name[i], lw_port_of(mech, part, "b"));
        const lw_placement at = lw_placement_xyz(0, 0, i);
        const lw_port frame = lw_add_frame(mech, link, "tip", &at, nowhere);
        last = i % 2 ? frame : lw_port_of(mech, link, "b");
    }
    lw_model *m = compile_checked(mech, NULL);
    check_round_trip(mech, m, "odd.xml");
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// Numbers at the ends of what a double is, and negative zeros.
TEST(extreme_numbers_come_back)
{
    const double number[] = {5e-324,
                             1.7976931348623157e308,
                             2.2250738585072014e-308,
                             -0.0,
                             0.1,
                             1e22,
                             9007199254740993.0,
                             -1e-17};
    const lw_location nowhere = {0};
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i) {
        const double v = number[i];
        check_case("%.17g", v);
        lw_mech *mech = new_mech("extreme");
        lw_link_def link = lw_default_link_def();
        link.name = "base";
        const lw_part base = lw_add_link(mech, &link);
        const lw_placement at = lw_placement_rpy(lw_vec3_of(v, -v, v), lw_vec3_of(-0.0, v, 0.0));
        lw_add_frame(mech, base, "tip", &at, nowhere);
        const lw_placement zero =
            lw_placement_rpy(lw_vec3_of(-0.0, 0.0, v), lw_vec3_of(0.0, 0.0, -0.0));
        lw_add_frame(mech, base, "zero", &zero, nowhere);
        char *text = saved(mech, NULL);
        lw_mech *back = NULL;
        CHECK_INT(lw_load_text("e.xml", text, strlen(text), NULL, &back, NULL), LW_OK);
        char *second = saved(back, NULL);
        CHECK_TEXT(second, text);
        CHECK_HAS(text, "-0");
        free(second);
        free(text);
        lw_mech_destroy(back);
        lw_mech_destroy(mech);
    }
}

TEST(C27_shared_insides_are_written_once)
{
    char path[512];
    lw_mech *mech = NULL;
    snprintf(path, sizeof path, "%s/models/quadruped/quadruped.xml", LINKWORK_SOURCE_DIR);
    lw_model *m = compile_path(path, &mech);
    char *text = saved(mech, NULL);
    CHECK_INT(count_of(text, "<assembly "), 1);
    CHECK_INT(count_of(text, "<use "), 4);
    CHECK_INT(count_of(text, "<mount "), 0);
    free(text);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// Two insides of one name keep apart, and inner ones come before those that use them.
TEST(R03_insides_of_one_name_keep_apart)
{
    const lw_location nowhere = {0};
    const lw_port none = {{-1}, -1};
    lw_mech *inner = new_mech("unit"), *outer = new_mech("unit");
    lw_mech *mech = new_mech("unit");
    const lw_part l = add_link_at(inner, "l", none);
    CHECK_INT(lw_expose(inner, lw_port_of(inner, l, "b"), "out"), LW_OK);
    const lw_part k = add_link_at(outer, "k", none);
    const lw_part u = lw_add_assembly(outer, "u", inner, nowhere);
    CHECK_INT(lw_connect(outer, lw_port_of(outer, k, "b"), lw_port_of(outer, u, "a")), LW_OK);
    CHECK_INT(lw_expose(outer, lw_port_of(outer, u, "out"), "out"), LW_OK);
    const lw_ground_def def = lw_default_ground_def();
    const lw_part g = lw_add_ground(mech, &def);
    const lw_part one = lw_add_assembly(mech, "one", outer, nowhere);
    const lw_part two = lw_add_assembly(mech, "two", inner, nowhere);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, g, "b"), lw_port_of(mech, one, "a")), LW_OK);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, one, "out"), lw_port_of(mech, two, "a")), LW_OK);
    lw_mech_destroy(inner);
    lw_mech_destroy(outer);
    lw_model *m = compile_checked(mech, NULL);
    char *text = saved(mech, NULL);
    CHECK_INT(count_of(text, "<assembly "), 2);
    CHECK_HAS(text, "<assembly name=\"unit_2\">");
    free(text);
    check_round_trip(mech, m, "unit.xml");
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// C29: the bounding tree of a link, whatever the depth.
TEST(C39_bounding_trees_come_back)
{
    lw_mech *mech = new_mech("bounds");
    const lw_port none = {{-1}, -1};
    const lw_part link = add_link_at(mech, "l", none);
    for (int i = 0; i < 40; ++i) {
        lw_shape_def shape = lw_default_shape_def();
        shape.type = (lw_shape_type)(i % 4);
        shape.role = i < 20 ? LW_SHAPE_BOUND : LW_SHAPE_VISUAL;
        shape.size = lw_vec3_of(1.0 + i, i % 4 == 0 ? 2.0 : 0.0, i % 4 == 1 ? 0.0 : 3.0);
        shape.bound = i - 1; // a chain: each within the one before
        shape.placement = random_placement();
        lw_add_shape(mech, link, &shape);
    }
    lw_model *m = compile_checked(mech, NULL);
    check_round_trip(mech, m, "bounds.xml");
    CHECK_INT(m->shape[39].bound, 38);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(D09_user_joints_are_listed_as_lost)
{
    lw_mech *mech = new_mech("user");
    lw_report *report = new_report();
    const lw_port none = {{-1}, -1};
    const lw_part base = add_link_at(mech, "base", none);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = "swing";
    joint.type = LW_JOINT_USER;
    joint.user = random_mech_user_joint();
    const lw_part part = lw_add_joint(mech, &joint);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, base, "b"), lw_port_of(mech, part, "a")), LW_OK);
    add_link_at(mech, "tip", lw_port_of(mech, part, "b"));
    char *text = saved(mech, report);
    char *diagnostics = diagnostics_text(report);
    CHECK_HAS(diagnostics, "warning: joint \"swing\": its callbacks cannot be written");
    CHECK_INT(lw_report_count(report), 1);
    lw_model *m = compile_text("user.xml", text, NULL);
    CHECK_INT(m->nq, 0);
    lw_model_destroy(m);
    free(diagnostics);
    free(text);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

TEST(what_is_not_finite_is_not_written)
{
    lw_mech *mech = new_mech("nan");
    lw_report *report = new_report();
    lw_link_def link = lw_default_link_def();
    link.name = "base";
    link.mass = (double)NAN;
    lw_add_link(mech, &link);
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, report), LW_ERR_NUMBER);
    CHECK(text == NULL);
    CHECK_INT(lw_report_errors(report), 1);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

TEST(what_has_no_name_is_not_written)
{
    lw_mech *mech = new_mech("nameless");
    lw_report *report = new_report();
    const lw_link_def link = lw_default_link_def();
    lw_add_link(mech, &link);
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, report), LW_ERR_NAME);
    CHECK(text == NULL);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

// --- Figures of the shipped machines ----------------------------------------------------------

// Twice the kinetic energy with joint 1 alone at unit speed, link by link.
static double inertia_about_axis_1(const lw_model *m, lw_data *d, const double *q)
{
    const double v[6] = {1.0};
    double twice = 0.0;
    CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
    for (int i = 0; i < m->nlink; ++i) {
        const lw_link_info *link = &m->link[i];
        const lw_sym3 tensor = lw_sym3_rotate(&link->X_FI.R, &link->tensor);
        lw_motion speed;
        CHECK_INT(lw_frame_velocity(m, d, link->frame, LW_IN_FRAME, &speed), LW_OK);
        const lw_vec3 u = lw_add3(speed.lin, lw_cross3(speed.ang, link->X_FI.p));
        twice += link->mass * lw_dot3(u, u);
        twice += lw_dot3(speed.ang, lw_sym3_mul(&tensor, speed.ang));
    }
    return twice;
}

// What the paper prints of the gravity term of joint 6, exactly; of that of joint 3 and of H11 the
// factors it prints, with the terms that follow from them. Its numbers have five digits or fewer.
TEST(V17_vibran6_has_the_printed_H11_G3_G6)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/vibran6.xml", LINKWORK_SOURCE_DIR);
    lw_model *m = compile_path(path, NULL);
    lw_data *d = new_data(m);
    const double g = 9.80621;
    CHECK_NEAR(m->gravity.z, -g, 0.0);
    for (int trial = 0; trial < 100; ++trial) {
        double q[6], J[18];
        lw_vec3 center;
        for (int i = 0; i < 6; ++i) {
            q[i] = check_random(-3, 3);
        }
        const double S3 = sin(q[2]), C3 = cos(q[2]), S4 = sin(q[3]), C4 = cos(q[3]);
        const double S5 = sin(q[4]), C5 = cos(q[4]), S6 = sin(q[5]), C6 = cos(q[5]);
        const double C34 = cos(q[2] + q[3]), S34 = sin(q[2] + q[3]);
        CHECK_INT(lw_center_of_mass(m, d, q, &center, J), LW_OK);
        const double *weight = J + 12; // times m g: the gravity forces

        const double G6 = S3 * S4 * C6 - C4 * C3 * C6 - S3 * C4 * C5 * S6 - C3 * S4 * C5 * S6;
        CHECK_NEAR(m->mass * g * weight[5], 0.14121e-5 * G6, 1e-11);

        // Besides: the weight of link 3, and that of link 6 as if it were at the wrist.
        const double arm = g * (0.0945 * 0.02 + 0.081 * 0.04) * C3;
        const double G3 = -0.113752e-6 * S5 * C34 + 0.14121e-5 * (C6 * C5 * C34 + S6 * S34);
        CHECK_NEAR(m->mass * g * weight[2] - arm, G3, 1e-11);

        const double D = -0.9964e-4 / 2.0;
        const double square = C4 * C4 + C3 * C3 - 2 * C3 * C3 * C4 * C4 + 2 * S3 * C3 * S4 * C4;
        const double H11 = 0.8326e-4 + (0.1296e-3 - D) * C3 * C3 + D * square * (1 - C5 * C5);
        // The first moments of link 6 add up to 2e-8, and the printed terms leave them out.
        CHECK_NEAR(inertia_about_axis_1(m, d, q), H11, 2e-8);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C39_shipped_models_come_back_to_the_last_bit);
    RUN(C39_the_zero_position_is_written_as_it_was_given);
    RUN(C39_a_zero_position_that_holds_no_more_is_a_transform);
    RUN(C39_random_machines_come_back_to_the_last_bit);
    RUN(K02_every_value_of_every_dof_is_kept);
    RUN(odd_names_come_back);
    RUN(extreme_numbers_come_back);
    RUN(C27_shared_insides_are_written_once);
    RUN(R03_insides_of_one_name_keep_apart);
    RUN(C39_bounding_trees_come_back);
    RUN(D09_user_joints_are_listed_as_lost);
    RUN(what_is_not_finite_is_not_written);
    RUN(what_has_no_name_is_not_written);
    RUN(V17_vibran6_has_the_printed_H11_G3_G6);
    return REPORT();
}
