// What a compile tells besides what is broken in one place: warnings, counts, texts that outlive
// their definitions, and dependent joints without a law.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "plain_arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(D29_what_is_unphysical_but_computable_is_a_warning)
{
    arm a = good_arm();
    a.upper.inertia = (lw_sym3){.xx = 1, .yy = 1, .zz = 3};
    a.lower.inertia = (lw_sym3){.xx = 1, .yy = 1, .zz = 1, .xy = 2};
    a.elbow.dof[0].lower = 2;
    a.elbow.dof[0].upper = -2;
    a.shoulder.dof[0].damping = -1;
    build(&a);
    lw_model *model = NULL;
    lw_report *report = new_report();
    CHECK_INT(lw_compile(a.mech, NULL, &model, report), LW_OK);
    CHECK(model != NULL);
    CHECK_INT(lw_report_errors(report), 0);
    CHECK(has_diagnostic(report, "arm.xml:20:3: warning: link \"upper\": no body has principal"));
    CHECK(has_diagnostic(report, "arm.xml:40:3: warning: link \"lower\": inertia is not positive"));
    CHECK(has_diagnostic(report, "arm.xml:30:3: warning: joint \"elbow\": lower limit 2 is above"));
    CHECK(has_diagnostic(report, "arm.xml:10:3: warning: joint \"shoulder\": damping is -1"));
    lw_report_destroy(report);
    lw_model_destroy(model);
    lw_mech_destroy(a.mech);
}

#define URDF_ARM(inertial, axis, limit)                                                            \
    "<robot name='r'><link name='a'/><link name='b'><inertial>" inertial                           \
    "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"       \
    "</link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"                   \
    "<origin xyz='0.5 0 0'/><axis xyz='" axis "'/><limit " limit                                   \
    " effort='1' velocity='1'/></joint></robot>"
#define BOUNDED(inner)                                                                             \
    "<linkwork version='1' name='r'><link name='a'><box size='1 1 1'>" inner "</box></link>"       \
    "</linkwork>"

// Input that computes, but was hardly meant.
TEST(D29_what_was_hardly_meant_is_a_warning)
{
    static const char good[] =
        URDF_ARM("<origin xyz='0.3 0 0'/>", "0 0.7071 0.7071", "lower='-3.1' upper='0'");
    static const char *const row[][2] = {
        {good, ""},
        {URDF_ARM("", "0 0 5", "lower='-1' upper='1'"),
         "joint \"j\": its axis has length 5, not 1; only the direction is used [axis-length]"},
        {URDF_ARM("", "0 0 1", "lower='-180' upper='180'"),
         "joint \"j\": limits -180 to 180 rad look like degrees [limit-degrees]"},
        {URDF_ARM("", "0 0 1", "lower='-1e16' upper='1e16'"), ""},
        {URDF_ARM("", "0 0 1", "lower='-3.07' upper='-0.07'"),
         "its reference position 0 is outside its limits, -3.07 to -0.07 [reference-limit]"},
        {URDF_ARM("<origin xyz='0 350 0'/>", "0 0 1", "lower='-1' upper='1'"),
         "link \"b\": its centre of mass is 350 m away; the file may mean mm [centre-far]"},
        {URDF_ARM("<origin xyz='0 1e200 0'/>", "0 0 1", "lower='-1' upper='1'"),
         "link \"b\": its centre of mass is 1e+200 m away"},
        {BOUNDED("<sphere radius='0.5'/>"), ""},
        {BOUNDED("<cylinder radius='0.5' length='1'/>"), ""},
        {BOUNDED("<box size='0.6 0.6 0.6' rpy='0 0.785398 0'/>"), ""},
        {BOUNDED("<box size='0.8 0.8 0.8' rpy='0 0.785398 0'/>"),
         "link \"a\": a shape reaches 0.06569 m out of its bounding shape [shape-outside]"},
        {BOUNDED("<sphere radius='0.6'/>"), "reaches 0.1 m out of its bounding shape"},
        {BOUNDED("<capsule radius='0.1' length='1'/>"), "reaches 0.1 m out of its bounding shape"},
        {BOUNDED("<sphere radius='0.5'><box size='0.9 0.1 0.1'/></sphere>"), ""},
        {BOUNDED("<sphere radius='0.5'><box size='0.9 0.9 0.1'/></sphere>"), "reaches 0.1384 m"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        check_case("%s", row[i][0]);
        char *found = diagnostics_of_text("t.xml", row[i][0]);
        if (*row[i][1]) {
            CHECK_HAS(found, row[i][1]);
        } else {
            CHECK_TEXT(found, "");
        }
        free(found);
    }
}

TEST(D17_dependent_joints_need_as_many_laws_as_they_have_dofs)
{
    arm a = good_arm(); // one law, one dependent joint: right
    a.elbow.dependent = true;
    build(&a);
    couple(&a, "elbow", "shoulder", 2, 60);
    lw_model *m = compile_checked(a.mech, NULL);
    CHECK_INT(m->nv, 1);
    CHECK_INT(m->nstep, 1);
    lw_model_destroy(m);
    lw_mech_destroy(a.mech);

    a = good_arm(); // the law gives the wrong joint
    a.shoulder.dependent = true;
    build(&a);
    couple(&a, "elbow", "shoulder", 2, 60);
    lw_report *report = new_report();
    CHECK_INT(lw_compile(a.mech, NULL, &m, report), LW_ERR_MODEL);
    CHECK(
        has_diagnostic(report, "arm.xml:10:3: error: joint \"shoulder\" is marked dependent, but"));
    lw_report_clear(report);
    lw_mech_destroy(a.mech);

    a = good_arm(); // too few
    a.elbow.type = LW_JOINT_PLANAR;
    a.elbow.dependent = true;
    build(&a);
    couple(&a, "elbow.x", "shoulder", 2, 60);
    couple(&a, "elbow.angle", "shoulder", 2, 60);
    CHECK_INT(lw_compile(a.mech, NULL, &m, report), LW_ERR_MODEL);
    CHECK(has_diagnostic(report, "arm.xml:30:3: error: joint \"elbow\" is marked dependent, but no "
                                 "coupling determines all its degrees of freedom"));
    couple(&a, "elbow.y", "elbow.x", 4, 60);
    m = compile_checked(a.mech, NULL);
    CHECK_INT(m->nv, 1);
    CHECK_INT(m->nstep, 3);
    lw_model_destroy(m);
    lw_report_destroy(report);
    lw_mech_destroy(a.mech);
}

// A description that lives on is not changed by a definition's memory going away.
TEST(D29_texts_and_places_are_copied)
{
    lw_mech *mech = new_mech("copies");
    char name[] = "link", file[] = "file.xml";
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.location = (lw_location){file, 7, 2};
    lw_add_link(mech, &def);
    memset(name, '#', sizeof name - 1);
    memset(file, '#', sizeof file - 1);
    def.name = "link";
    def.location = (lw_location){"other.xml", 8, 1};
    lw_add_link(mech, &def);
    lw_report *report = new_report();
    lw_model *model = NULL;
    CHECK_INT(lw_compile(mech, NULL, &model, report), LW_ERR_NAME);
    CHECK(has_diagnostic(report, "other.xml:8:1: error: there is another link named \"link\", at "
                                 "file.xml:7:2"));
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

// A thousand of one kind are kept, the rest is counted, and the compile fails all the same.
TEST(D29_more_errors_than_a_report_keeps_are_counted)
{
    enum { N = 2500 };
    lw_mech *mech = new_mech("many");
    for (int k = 0; k < N; ++k) {
        char name[16];
        snprintf(name, sizeof name, "l%d", k);
        lw_link_def def = lw_default_link_def();
        def.name = name;
        def.mass = -1;
        lw_add_link(mech, &def);
    }
    lw_report *report = new_report();
    lw_model *model = NULL;
    CHECK_INT(lw_compile(mech, NULL, &model, report), LW_ERR_MODEL);
    CHECK_INT(lw_report_count(report), 1000);
    CHECK_INT(lw_report_errors(report), N + 1); // and two roots
    CHECK_INT(lw_report_dropped(report), N + 1 - 1000);
    lw_report_destroy(report);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(D29_what_is_unphysical_but_computable_is_a_warning);
    RUN(D29_what_was_hardly_meant_is_a_warning);
    RUN(D17_dependent_joints_need_as_many_laws_as_they_have_dofs);
    RUN(D29_texts_and_places_are_copied);
    RUN(D29_more_errors_than_a_report_keeps_are_counted);
    return REPORT();
}
