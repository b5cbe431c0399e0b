// Colors of shapes: read, kept in the model, written (K27, R33).
#include "check.h"
#include "load_text.h"
#include "same_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A global material behind the link that names it, one that another shape defines, an own one of a
// name that is taken, one without a name, and none.
static const char painted_urdf[] =
    "<robot name='r'><link name='a'>\n"
    "<visual><geometry><sphere radius='1'/></geometry><material name='red'/></visual>\n"
    "<visual><geometry><sphere radius='2'/></geometry><material name='green'/></visual>\n"
    "<visual><geometry><sphere radius='3'/></geometry>"
    "<material name='green'><color rgba='0 0.5 0 1'/></material></visual>\n"
    "<visual><geometry><sphere radius='4'/></geometry>"
    "<material name='red'><color rgba='0.5 0 0 0.25'/></material></visual>\n"
    "<visual><geometry><sphere radius='5'/></geometry>"
    "<material name=''><color rgba='0 0 1 1'/></material></visual>\n"
    "<visual><geometry><sphere radius='6'/></geometry></visual>\n"
    "<collision><geometry><sphere radius='7'/></geometry></collision>\n"
    "</link><material name='red'><color rgba='1 0 0 1'/></material></robot>\n";

static void has_color(const lw_shape_info *shape, double r, double g, double b, double a)
{
    const lw_color *c = &shape->color;
    CHECK(shape->has_color && c->r == r && c->g == g && c->b == b && c->a == a);
}

TEST(K27_colors_of_urdf_materials)
{
    lw_model *m = compile_text("t.urdf", painted_urdf, NULL);
    if (m && CHECK_INT(m->nshape, 7)) {
        has_color(&m->shape[0], 1, 0, 0, 1);
        has_color(&m->shape[1], 0, 0.5, 0, 1);
        has_color(&m->shape[2], 0, 0.5, 0, 1);
        has_color(&m->shape[3], 0.5, 0, 0, 0.25);
        has_color(&m->shape[4], 0, 0, 1, 1);
        CHECK(!m->shape[5].has_color && !m->shape[6].has_color);
    }
    lw_model_destroy(m);
}

TEST(K27_colors_are_written_and_read_again)
{
    static const lw_format formats[] = {LW_FORMAT_URDF, LW_FORMAT_LINKWORK};
    lw_mech *mech = load_checked("t.urdf", painted_urdf);
    lw_model *m = mech ? compile_checked(mech, NULL) : NULL;
    for (int i = 0; m && i < 2; ++i) {
        char *text = NULL;
        size_t size = 0;
        lw_mech *again = NULL;
        CHECK_INT(lw_save_text(mech, formats[i], &text, &size, NULL), LW_OK);
        CHECK_INT(lw_load_text("again", text, size, NULL, &again, NULL), LW_OK);
        lw_model *n = again ? compile_checked(again, NULL) : NULL;
        if (n) {
            check_same_model(m, n);
        }
        lw_model_destroy(n);
        lw_mech_destroy(again);
        free(text);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(K27_bad_materials_are_named_and_the_robot_works)
{
    static const char *const row[][2] = {
        {"<material name='m'><color rgba='0 0 2 1'/></material>", "material"},
        {"<material name='m'><color rgba='0 0 1'/></material>", "material"},
        {"<material name='m'><color rgba='0 0 nan 1'/></material>", "material"},
        {"<material name='m'><color rgba='a b c d'/></material>", "material"},
        {"<material name='m'/>", "t.urdf:2:66: warning: material \"m\" is not defined"},
        {"<material name='m'><color/></material>", "t.urdf:2:69: warning: rgba must be"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        char text[600];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'>\n<visual><geometry><sphere radius='1'/>"
                 "</geometry>%s</visual><visual><geometry><sphere radius='1'/></geometry>%s"
                 "</visual></link></robot>",
                 row[i][0], i == 4 ? row[i][0] : "");
        check_case("%s", row[i][0]);
        char *lines = diagnostics_of_text("t.urdf", text);
        CHECK_HAS(lines, row[i][1]);
        CHECK(!strstr(lines, "error"));
        const char *first = strstr(lines, "[material]");
        CHECK(first && !strstr(first + 1, "[material]")); // once
        CHECK(i >= 4 || strstr(lines, "t.urdf:2:82: warning: rgba must be red, green, blue and"));
        free(lines);
        lw_model *m = compile_text("t.urdf", text, NULL);
        CHECK(m && !m->shape[0].has_color && !m->shape[1].has_color);
        lw_model_destroy(m);
    }
}

TEST(K27_colors_of_linkwork_files)
{
    lw_model *m = compile_text("t.xml",
                               "<linkwork version='1' name='r'><link name='a'>"
                               "<box size='1 1 1' color='0.1 0.2 0.3'/>"
                               "<sphere radius='1' color='0.1 0.2 0.3 0.4'/>"
                               "<mesh file='x.stl' color='1 1 1'/></link></linkwork>",
                               NULL);
    if (m) {
        has_color(&m->shape[0], 0.1, 0.2, 0.3, 1);
        has_color(&m->shape[1], 0.1, 0.2, 0.3, 0.4);
        has_color(&m->shape[2], 1, 1, 1, 1);
    }
    lw_model_destroy(m);
    static const char *const bad[] = {"0 0", "0 0 1.5", "0 0 0 -0.1", "", "red", "0 0 0 1 1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char text[200];
        snprintf(text, sizeof text,
                 "<linkwork version='1' name='r'><link name='a'>\n<sphere radius='1' color='%s'/>"
                 "</link></linkwork>",
                 bad[i]);
        check_case("%s", bad[i]);
        char *lines = diagnostics_of_text("t.xml", text);
        CHECK_HAS(lines, "t.xml:2:");
        CHECK_HAS(lines, "error");
        CHECK_HAS(lines, "color");
        free(lines);
    }
}

TEST(K27_colors_given_in_C_are_checked)
{
    lw_mech *mech = NULL;
    lw_report *report = NULL;
    lw_shape_def def = lw_default_shape_def();
    CHECK(!def.has_color);
    def.has_color = true;
    def.color.g = 1.5;
    if (CHECK_INT(lw_mech_create("r", &mech), LW_OK) &&
        CHECK_INT(lw_report_create(&report), LW_OK)) {
        lw_link_def link = lw_default_link_def();
        link.name = "a";
        lw_model *m = NULL;
        lw_add_shape(mech, lw_add_link(mech, &link), &def);
        CHECK_INT(lw_compile(mech, NULL, &m, report), LW_ERR_ARGUMENT);
        CHECK_HAS(diagnostic_with(report, "error"), "its color must be red, green, blue and");
    }
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(K27_colors_of_urdf_materials);
    RUN(K27_colors_are_written_and_read_again);
    RUN(K27_bad_materials_are_named_and_the_robot_works);
    RUN(K27_colors_of_linkwork_files);
    RUN(K27_colors_given_in_C_are_checked);
    return REPORT();
}
