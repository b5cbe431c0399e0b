// Conversion between the four forms in which joints are placed (C38): poses of named frames, mass
// properties and forces stay, through files and back.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const form_name[] = {"transform", "zero", "paul", "craig"};
static const char *const mark[] = {"matrix=", "point=", "<paul", "<craig"};

// A description in another form, by way of a file. The report gets what could not be converted.
static lw_mech *converted(lw_mech *mech, lw_joint_form form, lw_report *report, char **file)
{
    size_t size;
    CHECK_INT(lw_set_joint_form(mech, form, report), LW_OK);
    CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, file, &size, report), LW_OK);
    return load_checked("again.xml", *file);
}

// Frames that parts were given by name; link frames and ports move with the form.
static bool is_named_frame(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".a") != 0 && strcmp(dot, ".b") != 0 && strncmp(dot, ".dh", 3) != 0;
}

static double distance(const lw_pose *X, const lw_pose *Y)
{
    double off = lw_norm3(lw_sub3(X->p, Y->p));
    for (int r = 0; r < 3; ++r) {
        off = fmax(off, lw_norm3(lw_sub3(X->R.row[r], Y->R.row[r])));
    }
    return off;
}

// Frames by name in both and the centre of mass to 1e-13; forces of random states to 1e-13 for each
// of `steps` conversions, whose roundings add up.
static int compare(const lw_model *m, const lw_model *n, int steps)
{
    enum { MOST = 32 };
    double q[MOST], v[MOST], a[MOST], tau[MOST], other[MOST];
    lw_data *d = new_data(m), *e = new_data(n);
    int nframe = 0;
    if (!CHECK_INT(n->nq, m->nq) || !CHECK_INT(n->nv, m->nv) || !CHECK(m->nq <= MOST)) {
        goto done;
    }
    CHECK_NEAR(n->mass, m->mass, 1e-13 * m->mass);
    for (int trial = 0; trial < 20; ++trial) {
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        for (int i = 0; i < m->nv; ++i) {
            if (m->nq == m->nv) {
                q[i] += check_random(-1.5, 1.5);
            }
            v[i] = check_random(-1, 1);
            a[i] = check_random(-1, 1);
            CHECK_TEXT(n->velocity_name[i], m->velocity_name[i]);
        }
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        CHECK_INT(lw_forward_position(n, e, q), LW_OK);
        nframe = 0;
        for (int i = 0; i < m->nframe_all; ++i) {
            const int k = lw_find_frame(n, m->frame[i].name);
            lw_pose X, Y;
            if (k >= 0 && is_named_frame(m->frame[i].name)) {
                lw_frame_pose(m, d, i, &X);
                lw_frame_pose(n, e, k, &Y);
                CHECK_NEAR(distance(&X, &Y), 0.0, 1e-13);
                ++nframe;
            }
        }
        lw_vec3 c, f;
        lw_center_of_mass(m, d, q, &c, NULL);
        lw_center_of_mass(n, e, q, &f, NULL);
        CHECK(m->mass == 0.0 || lw_norm3(lw_sub3(c, f)) <= 1e-13);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        CHECK_INT(lw_inverse_dynamics(n, e, q, v, a, NULL, other), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            CHECK_NEAR(other[i], tau[i], 1e-13 * steps * (100.0 + fabs(tau[i])));
        }
    }
done:
    lw_data_destroy(d);
    lw_data_destroy(e);
    return nframe;
}

// Through all pairs of forms, and back to the first.
static void check_robot(const char *path, bool has_rows)
{
    static const lw_joint_form way[] = {
        LW_FORM_CRAIG, LW_FORM_PAUL,      LW_FORM_ZERO, LW_FORM_CRAIG, LW_FORM_TRANSFORM,
        LW_FORM_PAUL,  LW_FORM_CRAIG,     LW_FORM_ZERO, LW_FORM_PAUL,  LW_FORM_TRANSFORM,
        LW_FORM_ZERO,  LW_FORM_TRANSFORM, LW_FORM_CRAIG};
    lw_mech *mech = load_checked(path, NULL);
    lw_model *m = mech ? compile_checked(mech, NULL) : NULL;
    for (size_t k = 0; m && k < sizeof way / sizeof *way; ++k) {
        check_case("%s, step %d: %s", path, (int)k, form_name[way[k]]);
        char *file = NULL;
        lw_report *report = new_report();
        lw_mech *next = converted(mech, way[k], report, &file);
        if (!CHECK(next != NULL)) {
            break;
        }
        if (has_rows) {
            CHECK_INT(lw_report_count(report), 0);
            int count = 0;
            for (const char *at = file; (at = strstr(at, mark[way[k]])) != NULL; ++at) {
                ++count;
            }
            CHECK(count >= m->nv); // every joint
        }
        lw_model *n = compile_checked(next, NULL), *same = compile_checked(mech, NULL);
        if (CHECK(n && same)) {
            CHECK(compare(m, n, (int)k + 1) > 0 || !has_rows); // URDF has no named frames
            compare(m, same, (int)k + 1); // the description itself, before it is written
        }
        lw_model_destroy(n);
        lw_model_destroy(same);
        lw_report_destroy(report);
        lw_text_free(file);
        lw_mech_destroy(mech);
        mech = next;
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(C38_robots_go_through_all_four_forms_and_back)
{
    static const char *const name[] = {
        "puma560.xml", "puma560_craig.xml", "puma560_transform.xml", "puma560_zero.xml",
        "scara.xml",   "stanford.xml",      "ur5_class.xml",         "panda_class.xml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name[i]);
        check_robot(path, true);
    }
}

TEST(C38_urdf_robots_go_through_all_four_forms_and_back)
{
    static const char *const name[] = {"ur5", "panda", "kuka_kr16_2", "puma560", "baxter"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/urdf/%s.urdf", LINKWORK_SHARED_DIR, name[i]);
        FILE *file = fopen(path, "r");
        if (!file) {
            check_skip("%s is absent", path);
            return;
        }
        fclose(file);
        check_robot(path, false);
    }
}

// Closed loops, assemblies and joints with several degrees of freedom too: the file is read again,
// and the machine weighs and balances as before.
TEST(C38_every_shipped_model_goes_through_every_form)
{
    glob_t found;
    shipped_paths(&found);
    CHECK(found.gl_pathc >= 30);
    for (size_t i = 0; i < 4 * found.gl_pathc; ++i) {
        const char *path = found.gl_pathv[i / 4];
        check_case("%s, %s", path, form_name[i % 4]);
        lw_mech *mech = load_checked(path, NULL);
        lw_model *m = compile_checked(mech, NULL);
        char *file = NULL;
        lw_mech *next = converted(mech, (lw_joint_form)(i % 4), NULL, &file);
        lw_model *n = next ? compile_checked(next, NULL) : NULL;
        if (CHECK(m && n) && CHECK_INT(n->nv, m->nv)) {
            lw_data *d = new_data(m), *e = new_data(n);
            lw_vec3 c, f;
            CHECK_NEAR(n->mass, m->mass, 1e-13 * m->mass);
            lw_center_of_mass(m, d, m->q_reference, &c, NULL);
            lw_center_of_mass(n, e, n->q_reference, &f, NULL);
            CHECK(m->mass == 0.0 || lw_norm3(lw_sub3(c, f)) <= 1e-12);
            lw_data_destroy(d);
            lw_data_destroy(e);
        }
        lw_model_destroy(n);
        lw_mech_destroy(next);
        lw_text_free(file);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
    globfree(&found);
}

// The row of a joint that is connected to nothing, or on a joint, has no frame to begin at.
TEST(C38_joints_without_a_link_before_them_stay_transforms)
{
    static const char text[] =
        "<linkwork version='1' name='leg'>"
        "<joint name='a' type='revolute' axis='1 0 0'/>"
        "<joint name='b' type='revolute' axis='0 1 0' from='a.b' to='B' xyz='0 0 1'/>"
        "<link name='B' mass='1' center='1 2 3' inertia='1 1 1'><frame name='t' xyz='0 0 1'/>"
        "</link></linkwork>";
    for (int form = LW_FORM_PAUL; form <= LW_FORM_CRAIG; ++form) {
        check_case("%s", form_name[form]);
        lw_mech *mech = load_checked("leg.xml", text);
        lw_model *m = compile_checked(mech, NULL);
        lw_report *report = new_report();
        char *file = NULL;
        lw_mech *next = converted(mech, (lw_joint_form)form, report, &file);
        lw_model *n = next ? compile_checked(next, NULL) : NULL;
        CHECK_INT(lw_report_count(report), 2);
        if (CHECK(m && n)) {
            CHECK_INT(compare(m, n, 1), 1);
        }
        lw_model_destroy(n);
        lw_mech_destroy(next);
        lw_text_free(file);
        lw_report_destroy(report);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// Branches, oblique axes, a joint on a frame, a screw, a second joint on one link.
TEST(C38_trees_with_oblique_axes_go_through_all_four_forms)
{
    static const char text[] =
        "<linkwork version='1' name='tree'><ground><frame name='foot' xyz='1 2 3' rpy='1 2 3'/>"
        "</ground>\n"
        "<joint name='a' type='revolute' axis='1 2 3' from='ground.foot' to='A' xyz='0.1 0.2 0.3'/>"
        "<link name='A' mass='1' center='0.1 0 0.2' inertia='1 1.2 1.3 0.1 0.2 0.3'>"
        "<b xyz='0 0 0.3'/><frame name='t' xyz='1 1 1'/><box size='1 1 1' xyz='0 1 0'/></link>\n"
        "<joint name='b' type='prismatic' axis='0 1 1' from='A' to='B' rpy='0.1 0.2 0.3'/>"
        "<link name='B' mass='2' inertia='1 1 1'><frame name='t' rpy='1 1 1'/></link>\n"
        "<joint name='c' type='screw' pitch='0.1' axis='1 0 0' from='A.t' to='C'/>"
        "<link name='C' mass='1' inertia='1 1 1'><frame name='t' xyz='0 0 1'/></link>\n"
        "<joint name='d' type='revolute' from='C' to='D'><after xyz='0.3 0.4 0.5'/></joint>"
        "<link name='D' mass='1' inertia='1 1 1'><frame name='t' xyz='0 0 1'/></link>\n"
        "<joint name='f' type='fixed' from='C.t' to='F' xyz='1 0 0'/>"
        "<link name='F' mass='1' inertia='1 1 1'/>\n"
        "<joint name='e' type='revolute' axis='0 1 0' from='F' to='E'/>"
        "<link name='E' mass='1' inertia='1 1 1'><frame name='t' xyz='0 1 1'/></link>\n"
        "</linkwork>\n";
    lw_mech *mech = load_checked("tree.xml", text);
    lw_model *m = compile_checked(mech, NULL);
    for (int form = 0; form < 4; ++form) {
        char *file = NULL;
        check_case("%s", form_name[form]);
        lw_mech *next = converted(mech, (lw_joint_form)form, NULL, &file);
        lw_model *n = next ? compile_checked(next, NULL) : NULL;
        if (CHECK(n != NULL)) {
            CHECK_INT(compare(m, n, 1 + form), 6);
        }
        lw_model_destroy(n);
        lw_mech_destroy(next);
        lw_text_free(file);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// What cannot be converted is listed, joint by joint, and computes as before.
TEST(C38_joints_that_cannot_be_converted_are_named)
{
    static const char text[] =
        "<linkwork version='1' name='mixed'><ground/>\n"
        "<joint name='ball' type='spherical' from='ground' to='A'/>"
        "<link name='A' mass='1' inertia='1 1 1'><frame name='t' xyz='1 1 1'/></link>\n"
        "<joint name='h' type='revolute' axis='1 0 0' from='A.t' to='B'/>"
        "<link name='B' mass='1' inertia='1 1 1'><frame name='t' xyz='1 1 1'/></link>\n"
        "<joint name='empty' type='revolute' from='B'/>\n</linkwork>\n";
    for (int form = 1; form < 4; ++form) {
        lw_mech *mech = load_checked("mixed.xml", text);
        lw_model *m = compile_checked(mech, NULL);
        lw_report *report = new_report();
        char *file = NULL;
        check_case("%s", form_name[form]);
        lw_mech *next = converted(mech, (lw_joint_form)form, report, &file);
        CHECK_INT(lw_report_count(report), 2);
        CHECK_HAS(diagnostic_with(report, "ball"), "it has not one axis");
        CHECK_HAS(diagnostic_with(report, "empty"), "it carries no link");
        CHECK_HAS(file, mark[form]);
        lw_model *n = next ? compile_checked(next, NULL) : NULL;
        if (CHECK(n != NULL)) {
            compare(m, n, 1);
        }
        lw_model_destroy(n);
        lw_model_destroy(m);
        lw_mech_destroy(next);
        lw_mech_destroy(mech);
        lw_report_destroy(report);
        lw_text_free(file);
    }
    lw_mech *mech = new_mech("empty");
    CHECK_INT(lw_set_joint_form(NULL, LW_FORM_CRAIG, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_joint_form(mech, (lw_joint_form)4, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_joint_form(mech, LW_FORM_CRAIG, NULL), LW_OK);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(C38_robots_go_through_all_four_forms_and_back);
    RUN(C38_urdf_robots_go_through_all_four_forms_and_back);
    RUN(C38_every_shipped_model_goes_through_every_form);
    RUN(C38_joints_without_a_link_before_them_stay_transforms);
    RUN(C38_trees_with_oblique_axes_go_through_all_four_forms);
    RUN(C38_joints_that_cannot_be_converted_are_named);
    return REPORT();
}
