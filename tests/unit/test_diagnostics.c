// Broken descriptions: what the compile says, and that it says all of it at once.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "plain_arm.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdio.h>
#include <string.h>

static const lw_location nowhere = {0};
static const double not_a_number = (double)NAN, endless = (double)INFINITY;

// Each breaks the arm in its own way: before it is built (in its definitions) or after.
static void negative_mass(arm *a)
{
    a->upper.mass = -1;
}
static void mass_nan(arm *a)
{
    a->upper.mass = not_a_number;
}
static void inertia_inf(arm *a)
{
    a->upper.inertia.xy = endless;
}
static void center_nan(arm *a)
{
    a->upper.inertial = lw_placement_xyz(0, not_a_number, 0);
}
static void zero_quaternion(arm *a)
{
    a->upper.b = lw_placement_quat(lw_vec3_of(0, 0, 1), (lw_quat){0, 0, 0, 0});
}
static void scaled_matrix(arm *a)
{
    lw_pose X = lw_pose_identity();
    X.R.row[1].y = 1.001;
    a->elbow.before = lw_placement_of_pose(&X);
}
static void mirror(arm *a)
{
    lw_pose X = lw_pose_identity();
    X.R.row[2].z = -1;
    a->elbow.after = lw_placement_of_pose(&X);
}
static void odd_placement(arm *a)
{
    a->elbow.before.form = (lw_placement_form)9;
}
static void zero_axis(arm *a)
{
    a->elbow.axis = lw_vec3_of(0, 0, 0);
}
static void nan_axis(arm *a)
{
    a->elbow.axis.y = not_a_number;
}
static void parallel_axes(arm *a)
{
    a->elbow.type = LW_JOINT_UNIVERSAL;
    a->elbow.axis = lw_vec3_of(1, 1, 0);
    a->elbow.axis2 = lw_vec3_of(-3, -3, 0);
}
static void endless_pitch(arm *a)
{
    a->elbow.type = LW_JOINT_SCREW;
    a->elbow.pitch = endless;
}
static void odd_type(arm *a)
{
    a->elbow.type = (lw_joint_type)55;
}
static void user_without_callbacks(arm *a)
{
    a->elbow.type = LW_JOINT_USER;
    a->elbow.user.nv = 1;
}
static void user_with_seven(arm *a)
{
    a->elbow.type = LW_JOINT_USER;
    a->elbow.user = random_mech_user_joint();
    a->elbow.user.nv = 7;
}
static void damping_nan(arm *a)
{
    a->elbow.dof[0].damping = not_a_number;
}
static void reference_inf(arm *a)
{
    a->elbow.dof[0].reference = endless;
}
static void limit_nan(arm *a)
{
    a->elbow.dof[0].upper = not_a_number;
}
static void nameless(arm *a)
{
    a->lower.name = "";
}
static void twins(arm *a)
{
    a->lower.name = "upper";
}
static void lonely_dependent(arm *a)
{
    a->elbow.dependent = true;
}
static void far_away(arm *a)
{
    a->upper.b = lw_placement_xyz(1e308, 0, 0);
    a->elbow.before = lw_placement_xyz(1.7e308, 0, 0);
}
static void too_heavy(arm *a)
{
    a->upper.mass = 1e308;
    a->upper.inertial = lw_placement_xyz(1e10, 0, 0);
}

static void two_grounds(arm *a)
{
    lw_ground_def def = lw_default_ground_def();
    def.name = "floor";
    def.location = line(50);
    lw_add_ground(a->mech, &def);
}
static void endless_gravity(arm *a)
{
    lw_mech_destroy(a->mech);
    a->mech = new_mech("arm");
    lw_ground_def def = lw_default_ground_def();
    def.gravity.x = endless;
    def.location = line(5);
    lw_add_ground(a->mech, &def);
}
static void stray_link(arm *a)
{
    lw_link_def def = lw_default_link_def();
    def.name = "stray";
    def.location = line(51);
    lw_add_link(a->mech, &def);
}
static void stray_load(arm *a)
{
    lw_load_def def = lw_default_load_def();
    def.name = "push";
    def.force.x = not_a_number;
    def.location = line(52);
    lw_add_load(a->mech, &def);
}
static void odd_load(arm *a)
{
    lw_load_def def = lw_default_load_def();
    def.name = "push";
    def.axes = (lw_axes)3;
    def.location = line(52);
    lw_add_load(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "push.a");
}
static void frame_twice(arm *a)
{
    lw_add_frame(a->mech, a->lower_part, "tool", NULL, line(41));
    lw_add_frame(a->mech, a->lower_part, "tool", NULL, line(42));
}
static void frame_b(arm *a)
{
    lw_add_frame(a->mech, a->lower_part, "b", NULL, line(41));
}
static void frame_nameless(arm *a)
{
    lw_add_frame(a->mech, a->lower_part, NULL, NULL, line(41));
}
static void frame_nan(arm *a)
{
    const lw_placement at = lw_placement_dh(0, not_a_number, 0, 0);
    lw_add_frame(a->mech, a->lower_part, "tool", &at, line(41));
}
static void frame_long(arm *a)
{
    char name[1200];
    memset(name, 'x', sizeof name);
    name[1199] = '\0';
    lw_add_frame(a->mech, a->lower_part, name, NULL, line(41));
}
static void negative_box(arm *a)
{
    lw_shape_def def = lw_default_shape_def();
    def.size.y = -1;
    def.location = line(43);
    lw_add_shape(a->mech, a->lower_part, &def);
}
static void mesh_without_file(arm *a)
{
    lw_shape_def def = lw_default_shape_def();
    def.type = LW_SHAPE_MESH;
    def.location = line(43);
    lw_add_shape(a->mech, a->lower_part, &def);
}
static void odd_shape(arm *a)
{
    lw_shape_def def = lw_default_shape_def();
    def.role = (lw_shape_role)8;
    def.location = line(43);
    lw_add_shape(a->mech, a->lower_part, &def);
}
static void bound_by_itself(arm *a)
{
    lw_shape_def def = lw_default_shape_def();
    def.bound = 0;
    def.location = line(43);
    lw_add_shape(a->mech, a->lower_part, &def);
}
static void unknown_dependent(arm *a)
{
    couple(a, "elbo", "shoulder", 2, 60);
}
static void unknown_source(arm *a)
{
    couple(a, "elbow", "wheel", 2, 60);
}
static void no_coefficients(arm *a)
{
    couple(a, "elbow", "shoulder", 0, 60);
}
static void follows_itself(arm *a)
{
    couple(a, "elbow", "elbow", 2, 60);
}
static void ring_of_two(arm *a)
{
    couple(a, "elbow", "shoulder", 2, 60);
    couple(a, "shoulder", "elbow", 2, 61);
}
static void two_masters(arm *a)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = "third";
    def.type = LW_JOINT_PRISMATIC;
    lw_add_joint(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "third.a");
    couple(a, "elbow", "shoulder", 2, 60);
    couple(a, "elbow", "third", 2, 61);
}
static void coupled_weld(arm *a)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = "weld";
    lw_add_joint(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "weld.a");
    couple(a, "weld", "shoulder", 2, 60);
}
static void coupled_ball(arm *a)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = "ball";
    def.type = LW_JOINT_SPHERICAL;
    lw_add_joint(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "ball.a");
    couple(a, "elbow", "ball.wx", 2, 60);
}
static void coupled_planar(arm *a)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = "slab";
    def.type = LW_JOINT_PLANAR;
    lw_add_joint(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "slab.a");
    couple(a, "slab", "elbow", 2, 60);
}
static void dof_of_hinge(arm *a)
{
    couple(a, "elbow.angle", "shoulder", 2, 60);
}
static void nameless_coupling(arm *a)
{
    couple(a, "", "shoulder", 2, 60);
}
static void overflowing_reference(arm *a)
{
    static const double law[] = {0, 0, 0, 1e308};
    const lw_coupling_def def = {.dependent = "elbow",
                                 .source = "shoulder",
                                 .ncoefficient = 4,
                                 .coefficient = law,
                                 .location = line(60)};
    lw_add_coupling(a->mech, &def);
}
static void reference_of_ten(arm *a)
{
    a->shoulder.dof[0].reference = 10;
}
static void into_assembly(arm *a)
{
    lw_mech *inside = new_mech("inside");
    lw_joint_def def = lw_default_joint_def();
    def.name = "finger";
    def.type = LW_JOINT_REVOLUTE;
    lw_add_joint(inside, &def);
    lw_add_assembly(a->mech, "hand", inside, nowhere);
    lw_connect_named(a->mech, "lower.b", "hand.a");
    couple(a, "hand/finger", "elbow", 2, 60);
    lw_mech_destroy(inside);
}
static void slash_twin(arm *a)
{
    lw_mech *inside = new_mech("inside");
    lw_link_def def = lw_default_link_def();
    def.name = "palm";
    def.location = (lw_location){"hand.xml", 2, 1};
    lw_add_link(inside, &def);
    lw_add_assembly(a->mech, "hand", inside, nowhere);
    lw_connect_named(a->mech, "lower.b", "hand.a");
    def.name = "hand/palm";
    def.location = line(70);
    lw_add_link(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "hand/palm.a");
    lw_mech_destroy(inside);
}
static void coordinate_twin(arm *a)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = "slab";
    def.type = LW_JOINT_PLANAR;
    lw_add_joint(a->mech, &def);
    def.name = "slab.x";
    def.type = LW_JOINT_REVOLUTE;
    lw_add_joint(a->mech, &def);
    lw_connect_named(a->mech, "lower.b", "slab.a");
    lw_connect(a->mech, lw_find_port(a->mech, "lower.b"),
               lw_port_of(a->mech, lw_find_part(a->mech, "slab.x", LW_PART_JOINT), "a"));
}

typedef struct broken {
    void (*before)(arm *);
    void (*after)(arm *);
    lw_status status;
    const char *text; ///< how the diagnostic begins, with its place
} broken;

static const broken table[] = {
    {negative_mass, NULL, LW_ERR_MODEL,
     "arm.xml:20:3: error: link \"upper\": mass is -1, must not be negative"},
    {mass_nan, NULL, LW_ERR_NUMBER,
     "arm.xml:20:3: error: link \"upper\": mass and inertia must be finite"},
    {inertia_inf, NULL, LW_ERR_NUMBER,
     "arm.xml:20:3: error: link \"upper\": mass and inertia must be finite"},
    {center_nan, NULL, LW_ERR_NUMBER,
     "arm.xml:20:3: error: link \"upper\": placement is not finite"},
    {zero_quaternion, NULL, LW_ERR_MODEL,
     "arm.xml:20:3: error: link \"upper\": quaternion has no length"},
    {scaled_matrix, NULL, LW_ERR_MODEL,
     "arm.xml:30:3: error: joint \"elbow\": the matrix is not a rotation (R R' differs from 1 by "
     "0.002)"},
    {mirror, NULL, LW_ERR_MODEL,
     "arm.xml:30:3: error: joint \"elbow\": the matrix is not a rotation"},
    {odd_placement, NULL, LW_ERR_ARGUMENT,
     "arm.xml:30:3: error: joint \"elbow\": unknown form of placement"},
    {zero_axis, NULL, LW_ERR_MODEL,
     "arm.xml:30:3: error: joint \"elbow\": axis (0, 0, 0) has no direction"},
    {nan_axis, NULL, LW_ERR_MODEL, "arm.xml:30:3: error: joint \"elbow\": axis (0, nan, 1) has no"},
    {parallel_axes, NULL, LW_ERR_MODEL,
     "arm.xml:30:3: error: joint \"elbow\": the two axes of a universal joint must not be "
     "parallel"},
    {endless_pitch, NULL, LW_ERR_NUMBER,
     "arm.xml:30:3: error: joint \"elbow\": pitch is not finite"},
    {odd_type, NULL, LW_ERR_ARGUMENT, "arm.xml:30:3: error: joint \"elbow\": unknown type"},
    {user_without_callbacks, NULL, LW_ERR_ARGUMENT,
     "arm.xml:30:3: error: joint \"elbow\": a user joint needs 1 to 6 degrees of freedom and the "
     "callbacks "
     "pose and motion"},
    {user_with_seven, NULL, LW_ERR_ARGUMENT,
     "arm.xml:30:3: error: joint \"elbow\": a user joint needs 1 to 6 degrees of freedom"},
    {damping_nan, NULL, LW_ERR_NUMBER,
     "arm.xml:30:3: error: joint \"elbow\": damping is not finite"},
    {reference_inf, NULL, LW_ERR_NUMBER,
     "arm.xml:30:3: error: joint \"elbow\": reference and spring rest must be finite"},
    {limit_nan, NULL, LW_ERR_NUMBER,
     "arm.xml:30:3: error: joint \"elbow\": a limit is not a number"},
    {nameless, NULL, LW_ERR_NAME, "arm.xml:40:3: error: a link needs a name"},
    {twins, NULL, LW_ERR_NAME,
     "arm.xml:40:3: error: there is another link named \"upper\", at arm.xml:20:3"},
    {lonely_dependent, NULL, LW_ERR_MODEL,
     "arm.xml:30:3: error: joint \"elbow\" is marked dependent, but no coupling determines it"},
    {far_away, NULL, LW_ERR_NUMBER,
     "arm.xml:30:3: error: joint \"elbow\": its placement is too far away to compute with"},
    {too_heavy, NULL, LW_ERR_NUMBER,
     "arm.xml:20:3: error: link \"upper\": mass or inertia, with what is fixed to it, is too "
     "large"},
    {endless_gravity, NULL, LW_ERR_NUMBER, "arm.xml:5:3: error: gravity is not finite"},
    {NULL, two_grounds, LW_ERR_MODEL,
     "arm.xml:50:3: error: there is a ground already, at arm.xml:5:3"},
    {NULL, stray_link, LW_ERR_MODEL,
     "arm.xml:51:3: error: link \"stray\" is connected to nothing: connect its port a"},
    {NULL, stray_load, LW_ERR_NUMBER,
     "arm.xml:52:3: error: load \"push\": force and torque must be finite"},
    {NULL, stray_load, LW_ERR_NUMBER, "arm.xml:52:3: error: load \"push\" is connected to nothing"},
    {NULL, odd_load, LW_ERR_ARGUMENT,
     "arm.xml:52:3: error: load \"push\": its axes are neither the frame's nor the world's"},
    {NULL, frame_twice, LW_ERR_NAME,
     "arm.xml:42:3: error: link \"lower\" has another frame named \"tool\", at arm.xml:41:3"},
    {NULL, frame_b, LW_ERR_NAME,
     "arm.xml:41:3: error: link \"lower\": frame \"b\" needs another name"},
    {NULL, frame_nameless, LW_ERR_NAME,
     "arm.xml:41:3: error: link \"lower\": a frame needs a name"},
    {NULL, frame_nan, LW_ERR_NUMBER,
     "arm.xml:41:3: error: frame \"tool\": placement is not finite"},
    {NULL, frame_long, LW_ERR_LIMIT,
     "arm.xml:41:3: error: link \"lower\": a frame's name has more than 1000 bytes"},
    {NULL, negative_box, LW_ERR_MODEL,
     "arm.xml:43:3: error: shape on link \"lower\": sizes must be less than 1e50 m and not "
     "negative"},
    {NULL, mesh_without_file, LW_ERR_MODEL,
     "arm.xml:43:3: error: shape on link \"lower\": sizes must be less than 1e50 m and not "
     "negative, and a mesh needs a file"},
    {NULL, odd_shape, LW_ERR_ARGUMENT,
     "arm.xml:43:3: error: shape on link \"lower\": unknown type or role"},
    {NULL, bound_by_itself, LW_ERR_ARGUMENT,
     "arm.xml:43:3: error: shape on link \"lower\": its bound must be an earlier shape"},
    {NULL, unknown_dependent, LW_ERR_NAME,
     "arm.xml:60:3: error: there is no joint \"elbo\"; did you mean \"elbow\"?"},
    {NULL, unknown_source, LW_ERR_NAME, "arm.xml:60:3: error: there is no joint \"wheel\""},
    {NULL, no_coefficients, LW_ERR_ARGUMENT,
     "arm.xml:60:3: error: coupling of \"elbow\": needs 1 to 16 coefficients"},
    {NULL, follows_itself, LW_ERR_MODEL,
     "arm.xml:60:3: error: \"elbow\" (arm.xml:60:3) follows itself"},
    {NULL, ring_of_two, LW_ERR_MODEL,
     "arm.xml:61:3: error: \"shoulder\" (arm.xml:61:3) and \"elbow\" (arm.xml:60:3) follow each "
     "other in a ring"},
    {NULL, two_masters, LW_ERR_MODEL,
     "arm.xml:61:3: error: \"elbow\" follows both \"shoulder\" (arm.xml:60:3) and \"third\" "
     "(arm.xml:61:3)"},
    {NULL, coupled_weld, LW_ERR_MODEL,
     "arm.xml:60:3: error: joint \"weld\" is fixed: it has no degree of freedom that can follow or "
     "be "
     "followed"},
    {NULL, coupled_ball, LW_ERR_MODEL,
     "arm.xml:60:3: error: joint \"ball\" is spherical: it has no degree of freedom that can "
     "follow"},
    {NULL, coupled_planar, LW_ERR_NAME,
     "arm.xml:60:3: error: joint \"slab\" is planar; name one of its 3 degrees of freedom, such as "
     "\"slab.x\""},
    {NULL, dof_of_hinge, LW_ERR_NAME,
     "arm.xml:60:3: error: joint \"elbow\" is revolute, and its one degree of freedom has the name "
     "of the "
     "joint"},
    {NULL, nameless_coupling, LW_ERR_NAME,
     "arm.xml:60:3: error: a coupling names a dependent joint and its source"},
    {reference_of_ten, overflowing_reference, LW_ERR_NUMBER,
     "arm.xml:30:3: error: \"elbow\": its reference position is not finite"},
    {NULL, into_assembly, LW_ERR_PORT_PROTECTED,
     "arm.xml:60:3: error: \"hand/finger\" is inside assembly \"hand\": a coupling belongs where "
     "its joints are described"},
    {NULL, slash_twin, LW_ERR_NAME,
     "hand.xml:2:1: error: with the assemblies opened there is another link named \"hand/palm\", "
     "at arm.xml:70:3"},
    {NULL, coordinate_twin, LW_ERR_NAME, "error: there are two coordinates named \"slab.x\""},
};

TEST(D29_the_unbroken_arm_compiles)
{
    arm a = good_arm();
    build(&a);
    lw_report *report = new_report();
    lw_model *model = NULL;
    CHECK_INT(lw_compile(a.mech, NULL, &model, report), LW_OK);
    CHECK_INT(lw_report_count(report), 0);
    lw_model_destroy(model);
    lw_report_destroy(report);
    lw_mech_destroy(a.mech);
}

TEST(D29_broken_descriptions_are_refused_each_with_its_diagnostic)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        const broken *b = &table[k];
        arm a = good_arm();
        check_case("%s", b->text);
        if (b->before) {
            b->before(&a);
        }
        build(&a);
        if (b->after) {
            b->after(&a);
        }
        lw_model *model = NULL;
        lw_report *report = new_report();
        CHECK_INT(lw_compile(a.mech, NULL, &model, report), b->status);
        CHECK(model == NULL);
        CHECK(lw_report_errors(report) >= 1);
        if (!CHECK(has_diagnostic(report, b->text))) {
            print_diagnostics(report);
        }
        CHECK_INT(lw_compile(a.mech, NULL, &model, NULL), b->status); // without a report too
        lw_report_destroy(report);
        lw_mech_destroy(a.mech);
    }
}

// What is wrong with definitions, with names and with connections is told by one compile.
TEST(D29_all_that_is_wrong_is_reported_at_once)
{
    arm a = good_arm();
    negative_mass(&a);
    zero_axis(&a);
    lonely_dependent(&a);
    build(&a);
    void (*const breaks[])(arm *) = {two_grounds,       stray_link,     stray_load,
                                     frame_twice,       frame_b,        negative_box,
                                     unknown_dependent, unknown_source, dof_of_hinge};
    for (size_t k = 0; k < sizeof breaks / sizeof *breaks; ++k) {
        breaks[k](&a);
    }
    static const char *const wanted[] = {
        "arm.xml:20:3: error: link \"upper\": mass is -1",
        "arm.xml:30:3: error: joint \"elbow\": axis (0, 0, 0)",
        "arm.xml:30:3: error: joint \"elbow\" is marked dependent",
        "arm.xml:50:3: error: there is a ground already",
        "arm.xml:51:3: error: link \"stray\" is connected to nothing",
        "arm.xml:52:3: error: load \"push\": force and torque",
        "arm.xml:52:3: error: load \"push\" is connected to nothing",
        "arm.xml:42:3: error: link \"lower\" has another frame",
        "arm.xml:41:3: error: link \"lower\": frame \"b\"",
        "arm.xml:43:3: error: shape on link \"lower\"",
        "arm.xml:60:3: error: there is no joint \"elbo\"",
        "arm.xml:60:3: error: there is no joint \"wheel\"",
        "arm.xml:60:3: error: joint \"elbow\" is revolute, and",
    };
    lw_model *model = NULL;
    lw_report *report = new_report();
    CHECK(lw_compile(a.mech, NULL, &model, report) != LW_OK);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        check_case("%s", wanted[k]);
        CHECK(has_diagnostic(report, wanted[k]));
    }
    CHECK_INT(lw_report_errors(report), sizeof wanted / sizeof *wanted);
    if (lw_report_errors(report) != sizeof wanted / sizeof *wanted) {
        print_diagnostics(report);
    }
    lw_report_destroy(report);
    lw_mech_destroy(a.mech);
}

int main(void)
{
    RUN(D29_the_unbroken_arm_compiles);
    RUN(D29_broken_descriptions_are_refused_each_with_its_diagnostic);
    RUN(D29_all_that_is_wrong_is_reported_at_once);
    return REPORT();
}
