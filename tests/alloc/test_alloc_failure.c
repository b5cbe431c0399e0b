// The n-th allocation made to fail, for every n, while a machine is made, read, compiled, written
// and given its data: a clean status, no leak, no crash. Both ways: that one allocation alone, and
// all from that one on.

#include "alloc.h"
#include "check.h"
#include "failing.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What matters of a model: its numbers and its names, wherever it lies in memory.
static unsigned long long digest(const lw_model *m)
{
    const size_t nbody = (size_t)m->nbody, tree_nv = (size_t)m->tree_nv;
    unsigned long long hash = (unsigned long long)(m->nframe_all + m->nstep + m->nshape);
    hash = digest_bytes(hash, m->parent, nbody * sizeof *m->parent);
    hash = digest_bytes(hash, m->X_PJ, nbody * sizeof *m->X_PJ);
    hash = digest_bytes(hash, m->inertia, nbody * sizeof *m->inertia);
    hash = digest_bytes(hash, m->dof, tree_nv * sizeof *m->dof);
    hash = digest_bytes(hash, m->q_reference, (size_t)m->nq * sizeof *m->q_reference);
    for (int i = 0; i < m->nv; ++i) {
        hash = digest_bytes(hash, m->velocity_name[i], strlen(m->velocity_name[i]));
    }
    for (int i = 0; i < m->nframe_all; ++i) {
        hash = digest_bytes(hash, m->frame[i].name, strlen(m->frame[i].name));
        hash = digest_bytes(hash, &m->frame[i].X_BF, sizeof m->frame[i].X_BF);
    }
    for (int i = 0; i < m->nshape; ++i) {
        hash = digest_bytes(hash, m->shape[i].mesh_file, strlen(m->shape[i].mesh_file));
    }
    return hash;
}

static lw_status compile_and_make_data(const lw_mech *mech, lw_report *report, bool free_base,
                                       unsigned long long *hash)
{
    lw_compile_options options = lw_default_compile_options();
    options.free_base = free_base;
    lw_model *model = NULL;
    lw_status status = lw_compile(mech, &options, &model, report);
    CHECK((model != NULL) == (status == LW_OK));
    if (status == LW_OK) {
        *hash = digest(model);
        lw_data *data = new_data(model);
        lw_scene *scene = NULL;
        if (!data) {
            status = LW_ERR_MEMORY;
        } else if (lw_forward_position(model, data, model->q_reference) == LW_OK) {
            status = lw_scene_create(model, data, LW_SCENE_SHOW_TIPS, &scene);
            CHECK((scene != NULL) == (status == LW_OK));
        }
        lw_scene_destroy(scene);
        lw_data_destroy(data);
    }
    if (status == LW_OK) {
        lw_parameters *parameters = NULL;
        status = lw_parameters_create(mech, &options, model, &parameters);
        CHECK((parameters != NULL) == (status == LW_OK));
        lw_parameters_destroy(parameters);
    }
    lw_model_destroy(model);
    return status;
}

static lw_status save(const lw_mech *mech, lw_format format, lw_report *report,
                      unsigned long long *hash)
{
    char *text = NULL;
    size_t size = 0;
    const lw_status status = lw_save_text(mech, format, &text, &size, report);
    CHECK((text != NULL) == (status == LW_OK));
    *hash = digest_bytes(*hash, text, size);
    free(text);
    return status;
}

static lw_status load_compile_save(const void *context, unsigned long long *hash)
{
    const char *path = context;
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    if (!report) {
        return LW_ERR_MEMORY;
    }
    lw_status status = lw_load_file(path, NULL, &mech, report);
    CHECK((mech != NULL) == (status == LW_OK));
    if (status == LW_OK) {
        status = compile_and_make_data(mech, report, true, hash);
    }
    if (status == LW_OK) {
        status = save(mech, LW_FORMAT_LINKWORK, report, hash);
    }
    if (status == LW_OK) {
        status = save(mech, LW_FORMAT_URDF, report, hash);
    }
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return status;
}

TEST(load_compile_and_save_of_shipped_models_bear_failing_allocations)
{
    glob_t found;
    shipped_paths(&found);
    CHECK(found.gl_pathc > 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        check_case("%s", strrchr(found.gl_pathv[i], '/') + 1);
        fail_every_allocation(load_compile_save, found.gl_pathv[i]);
    }
    globfree(&found);
}

// Every joint type, a mimic chain, shapes, a mesh that is not there, foreign elements.
static const char urdf[] =
    "<robot name='all'><link name='a'/><link name='b'><inertial><origin xyz='0 0 .1' rpy='1 2 3'/>"
    "<mass value='2'/><inertia ixx='1' ixy='.01' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
    "<visual><geometry><mesh filename='package://none/b.stl' scale='1 1 1'/></geometry></visual>"
    "<collision name='c'><geometry><cylinder radius='.1' length='1'/></geometry></collision></link>"
    "<link name='c'/><link name='d'/><link name='e'/><link name='f'/><link name='g'/>"
    "<joint name='ab' type='revolute'><parent link='a'/><child link='b'/><axis xyz='1 1 0'/>"
    "<limit lower='-1' upper='1' effort='5' velocity='2'/><dynamics damping='.1' friction='.2'/>"
    "</joint><joint name='bc' type='prismatic'><parent link='b'/><child link='c'/>"
    "<limit effort='1' velocity='1'/><mimic joint='ab' multiplier='2' offset='.1'/></joint>"
    "<joint name='cd' type='continuous'><parent link='c'/><child link='d'/>"
    "<mimic joint='bc'/></joint><joint name='de' type='fixed'><parent link='d'/><child link='e'/>"
    "<origin xyz='1 2 3'/></joint><joint name='ef' type='floating'><parent link='e'/>"
    "<child link='f'/></joint><joint name='eg' type='planar'><parent link='e'/><child link='g'/>"
    "</joint><gazebo reference='b'><strange/></gazebo><transmission name='t'/></robot>";

static lw_status load_urdf(const void *context, unsigned long long *hash)
{
    (void)context;
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    if (!report) {
        return LW_ERR_MEMORY;
    }
    lw_status status = lw_load_text("all.urdf", urdf, sizeof urdf - 1, NULL, &mech, report);
    if (status == LW_OK) {
        status = compile_and_make_data(mech, report, false, hash);
    }
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return status;
}

TEST(load_of_urdf_bears_failing_allocations)
{
    fail_every_allocation(load_urdf, NULL);
}

// A file with many errors: the diagnostics themselves need memory.
static lw_status load_bad(const void *context, unsigned long long *hash)
{
    (void)context;
    static const char text[] = "<robot name='r'><link name='a'><inertial><mass value='1kg'/>"
                               "</inertial></link><link name='a'/><joint name='j' type='hinge'>"
                               "<parent link='x'/><child link='a'/></joint></robot>";
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    if (!report) {
        return LW_ERR_MEMORY;
    }
    const lw_status status = lw_load_text("r.urdf", text, sizeof text - 1, NULL, &mech, report);
    CHECK(mech == NULL);
    *hash = (unsigned long long)lw_report_errors(report);
    lw_report_destroy(report);
    // The load itself must fail; which failure comes first is free.
    CHECK(status != LW_OK);
    return status == LW_ERR_MEMORY ? LW_ERR_MEMORY : LW_OK;
}

TEST(load_of_a_bad_file_bears_failing_allocations)
{
    unsigned long long errors = 0;
    alloc_begin(0, ALLOC_ONCE);
    load_bad(NULL, &errors);
    alloc_end();
    const long count = alloc_asked();
    CHECK(errors > 2);
    for (long n = 1; n <= count; ++n) {
        alloc_begin(n, ALLOC_ONCE);
        load_bad(NULL, &errors);
        alloc_end();
        CHECK_INT(alloc_leaked(), 0);
    }
}

// An assembly that is used twice, made by calls.
static lw_mech *make_leg(void)
{
    lw_mech *leg = new_mech("leg");
    lw_joint_def joint = lw_default_joint_def();
    lw_link_def shank = lw_default_link_def();
    joint.name = "knee";
    joint.type = LW_JOINT_REVOLUTE;
    shank.name = "shank";
    shank.mass = 1.0;
    shank.inertia = (lw_sym3){.xx = 0.1, .yy = 0.1, .zz = 0.1};
    shank.b = lw_placement_xyz(0.0, 0.0, -0.4);
    if (leg && (lw_add_joint(leg, &joint).index < 0 || lw_add_link(leg, &shank).index < 0 ||
                lw_connect_named(leg, "knee.b", "shank.a") != LW_OK)) {
        lw_mech_destroy(leg);
        leg = NULL;
    }
    return leg;
}

static lw_status make_by_calls(const void *context, unsigned long long *hash)
{
    (void)context;
    lw_status status = LW_ERR_MEMORY;
    lw_mech *walker = new_mech("walker");
    lw_mech *leg = make_leg();
    lw_link_def trunk = lw_default_link_def();
    trunk.name = "trunk";
    trunk.mass = 10.0;
    trunk.inertia = (lw_sym3){.xx = 1.0, .yy = 1.0, .zz = 1.0};
    if (!walker || !leg) {
        goto done;
    }
    if (lw_add_link(walker, &trunk).index < 0 ||
        lw_add_assembly(walker, "left", leg, (lw_location){0}).index < 0 ||
        lw_add_assembly(walker, "right", leg, (lw_location){0}).index < 0) {
        goto done;
    }
    status = lw_connect_named(walker, "trunk.b", "left.a");
    if (status == LW_OK) {
        status = lw_connect_named(walker, "trunk.b", "right.a");
    }
    if (status == LW_OK) {
        status = compile_and_make_data(walker, NULL, true, hash);
    }

done:
    lw_mech_destroy(walker);
    lw_mech_destroy(leg);
    return status;
}

TEST(assembly_made_by_calls_bears_failing_allocations)
{
    fail_every_allocation(make_by_calls, NULL);
}

// A solver of inverse kinematics: an arm, a redundant one, a platform, and chains that are refused,
// whose diagnostics need memory too.
static lw_status make_solvers(const void *context, unsigned long long *hash)
{
    const lw_model *m = context;
    lw_status status = LW_OK;
    lw_report *report = new_report();
    if (!report) {
        return LW_ERR_MEMORY;
    }
    for (int tip = 0; tip < m->nframe && status == LW_OK; ++tip) {
        const lw_ik_def def = lw_default_ik_def(-1, tip);
        lw_ik *ik = NULL;
        const lw_status created = lw_ik_create(m, &def, &ik, report);
        CHECK((ik != NULL) == (created == LW_OK));
        *hash += (unsigned long long)created + (ik ? (unsigned)lw_ik_describe(ik)->dof : 0u);
        status = created == LW_ERR_MEMORY ? created : LW_OK;
        lw_ik_destroy(ik);
    }
    const lw_constraint_def def[2] = {lw_default_constraint_def("tip", LW_CONSTRAINT_POSE),
                                      lw_default_constraint_def("rest", LW_CONSTRAINT_POSTURE)};
    lw_constraints *set = NULL;
    const lw_status made = lw_constraints_create(m, 2, def, NULL, &set, report);
    CHECK((set != NULL) == (made == LW_OK));
    lw_constraints_destroy(set);
    status = status == LW_OK ? made : status;
    lw_view_def arm = lw_default_view_def(LW_VIEW_MECHANISM, "arm");
    lw_view *view = NULL;
    arm.ntask = 2;
    arm.task = def;
    const lw_status viewed = lw_view_create(m, &arm, &view, report);
    CHECK((view != NULL) == (viewed == LW_OK));
    lw_view_destroy(view);
    status = status == LW_OK ? viewed : status;
    lw_report_destroy(report);
    return status;
}

TEST(K10_creation_of_inverse_kinematics_bears_failing_allocations)
{
    static const char *const models[] = {"puma560.xml", "panda_class.xml", "closed/stewart.xml",
                                         "closed/palletiser.xml"};
    for (int i = 0; i < 4; ++i) {
        lw_model *m = shipped_model(models[i]);
        check_case("%s", models[i]);
        if (CHECK(m != NULL)) {
            fail_every_allocation(make_solvers, m);
        }
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(K10_creation_of_inverse_kinematics_bears_failing_allocations);
    RUN(assembly_made_by_calls_bears_failing_allocations);
    RUN(load_of_urdf_bears_failing_allocations);
    RUN(load_of_a_bad_file_bears_failing_allocations);
    RUN(load_compile_and_save_of_shipped_models_bear_failing_allocations);
    return REPORT();
}
