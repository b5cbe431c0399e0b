// Values that make no sense in the structs of the public headers have a status, and end no process.

#include "check.h"
#include "objects.h"

#include <linkwork/compile.h>
#include <linkwork/control.h>
#include <linkwork/generate.h>
#include <linkwork/io.h>
#include <linkwork/machine.h>

#include <limits.h>
#include <stdlib.h>

static const int wrong[] = {-1, 1000, INT_MAX, INT_MIN};
enum { WRONG = sizeof wrong / sizeof *wrong };

/// A definition with one field that has a wrong value. False where there is no such field.
typedef bool add_wrong(lw_mech *mech, lw_part ground, int field, int value);

static bool add_joint(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = "j";
    def.type = field == 0 ? (lw_joint_type)value : LW_JOINT_REVOLUTE;
    def.role = field == 1 ? (lw_role)value : LW_ROLE_BY_KIND;
    def.branch = field == 2 ? value : 0;
    if (field == 3) {
        def.before.form = (lw_placement_form)value;
    } else if (field == 4) {
        def.after.form = (lw_placement_form)value;
    } else if (field == 5) {
        def.type = LW_JOINT_USER;
        def.user.nv = value;
    }
    (void)ground;
    lw_add_joint(mech, &def);
    return field < 6;
}

static bool add_link(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_link_def def = lw_default_link_def();
    def.name = "l";
    def.role = field == 0 ? (lw_role)value : LW_ROLE_BY_KIND;
    if (field == 1) {
        def.inertial.form = (lw_placement_form)value;
    } else if (field == 2) {
        def.b.form = (lw_placement_form)value;
    }
    (void)ground;
    lw_add_link(mech, &def);
    return field < 3;
}

static bool add_rod(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_rod_def def = lw_default_rod_def();
    def.name = "r";
    def.role = field == 0 ? (lw_role)value : LW_ROLE_BY_KIND;
    def.branch = field == 1 ? value : 0;
    (void)ground;
    lw_add_rod(mech, &def);
    return field < 2;
}

static bool add_gear(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_gear_def def = lw_default_gear_def();
    def.name = "g";
    def.wheel[0] = def.wheel[1] = "w";
    def.type = field == 0 ? (lw_gear_type)value : LW_GEAR_SPUR;
    def.role = field == 1 ? (lw_role)value : LW_ROLE_BY_KIND;
    def.hand = field == 2 ? value : 1;
    (void)ground;
    lw_add_gear(mech, &def);
    return field < 3;
}

static bool add_drive(lw_mech *mech, lw_part ground, int field, int value)
{
    static const double curve[2000] = {0.0, 1.0, 1.0, 1.0}; // 1000 is a count that may be
    lw_drive_def def = lw_default_drive_def();
    def.name = "d";
    def.ncurve = value;
    def.curve = field == 0 ? curve : NULL;
    (void)ground;
    lw_add_drive(mech, &def);
    return field < 2;
}

static bool add_gearbox(lw_mech *mech, lw_part ground, int field, int value)
{
    static const double one = 1;
    lw_gearbox_def def = lw_default_gearbox_def();
    def.name = "b";
    def.form = field == 0 ? (lw_gearbox_form)value : LW_GEARBOX_RATIO;
    def.nin = field == 1 || field == 3 ? value : 1;
    def.nout = field == 2 ? value : 1;
    def.coefficient = field == 3 ? NULL : &one;
    (void)ground;
    lw_add_gearbox(mech, &def);
    return field < 4;
}

static bool add_spring(lw_mech *mech, lw_part ground, int field, int value)
{
    static const double law[2000] = {0.0, 1.0, 1.0, 1.0};
    lw_spring_def def = lw_default_spring_def();
    def.name = "s";
    def.side = field == 0 ? (lw_spring_side)value : LW_SPRING_BOTH;
    def.law = field == 1 ? (lw_law)value : LW_LAW_POLYNOMIAL;
    def.role = field == 2 ? (lw_role)value : LW_ROLE_BY_KIND;
    def.ncoefficient = field == 3 || field == 4 ? value : 2;
    def.coefficient = field == 4 ? NULL : law;
    (void)ground;
    lw_add_spring(mech, &def);
    def.name = "t";
    lw_add_torsion(mech, &def);
    return field < 5;
}

static bool add_coupling(lw_mech *mech, lw_part ground, int field, int value)
{
    static const double law[2000] = {0.0, 1.0, 1.0, 1.0};
    lw_coupling_def def = lw_default_coupling_def();
    def.dependent = "one";
    def.source = "two";
    def.law = field == 0 ? (lw_law)value : field == 3 ? LW_LAW_TABLE : LW_LAW_POLYNOMIAL;
    def.ncoefficient = field > 0 ? value : 2;
    def.coefficient = field == 2 ? NULL : law;
    (void)ground;
    lw_add_coupling(mech, &def);
    return field < 4;
}

static bool add_load(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_load_def def = lw_default_load_def();
    def.name = "o";
    def.axes = (lw_axes)value;
    (void)ground;
    lw_add_load(mech, &def);
    return field < 1;
}

static bool add_shape(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_shape_def def = lw_default_shape_def();
    def.type = field == 0 ? (lw_shape_type)value : LW_SHAPE_BOX;
    def.role = field == 1 ? (lw_shape_role)value : LW_SHAPE_VISUAL;
    def.bound = field == 2 ? value : -1;
    if (field == 3) {
        def.placement.form = (lw_placement_form)value;
    }
    lw_add_shape(mech, ground, &def);
    return field < 4;
}

static bool add_frame(lw_mech *mech, lw_part ground, int field, int value)
{
    lw_placement placement = lw_placement_identity();
    placement.form = (lw_placement_form)value;
    lw_add_frame(mech, ground, "f", &placement, (lw_location){0});
    lw_set_level(mech, (lw_part){field == 0 ? -1 : value}, (lw_level)value);
    lw_set_assembly_role(mech, (lw_part){field == 0 ? -1 : value}, (lw_role)value);
    const lw_level_choice choice = {"*", (lw_level)value};
    lw_choose_level(mech, &choice, (lw_location){0});
    return field < 2;
}

/// Written and compiled as it is and within an assembly: whatever the answer, it is one.
static void check_survives(lw_mech *mech)
{
    static const lw_format format[] = {LW_FORMAT_LINKWORK, LW_FORMAT_URDF, (lw_format)1000};
    lw_mech *outside = new_mech("outside");
    lw_add_assembly(outside, "inside", mech, (lw_location){0});
    const lw_mech *both[] = {mech, outside};
    for (int k = 0; k < 2; ++k) {
        lw_model *model = NULL;
        lw_levels *levels = NULL;
        for (int i = 0; i < 3; ++i) {
            char *text = NULL;
            size_t size = 0;
            const lw_status status = lw_save_text(both[k], format[i], &text, &size, NULL);
            CHECK((status == LW_OK) == (text != NULL));
            lw_text_free(text);
        }
        CHECK((lw_compile(both[k], NULL, &model, NULL) == LW_OK) == (model != NULL));
        CHECK((lw_levels_create(both[k], NULL, &levels) == LW_OK) == (levels != NULL));
        lw_levels_destroy(levels);
        lw_model_destroy(model);
    }
    lw_mech_destroy(outside);
}

TEST(wrong_values_in_every_definition_have_a_status)
{
    static const struct {
        const char *name;
        add_wrong *add;
    } definition[] = {{"joint", add_joint},       {"link", add_link},   {"rod", add_rod},
                      {"gear", add_gear},         {"drive", add_drive}, {"gearbox", add_gearbox},
                      {"spring", add_spring},     {"load", add_load},   {"shape", add_shape},
                      {"coupling", add_coupling}, {"frame", add_frame}};
    for (size_t d = 0; d < sizeof definition / sizeof *definition; ++d) {
        bool is_field = true;
        for (int field = 0; is_field; ++field) {
            for (int w = 0; w < WRONG; ++w) {
                lw_mech *mech = new_mech("m");
                const lw_ground_def ground = lw_default_ground_def();
                const lw_part part = lw_add_ground(mech, &ground);
                check_case("%s, field %d is %d", definition[d].name, field, wrong[w]);
                is_field = definition[d].add(mech, part, field, wrong[w]);
                check_survives(mech);
                lw_mech_destroy(mech);
            }
        }
    }
}

// A file cannot hold an enumerator that there is not: nothing is written, and the report tells.
TEST(descriptions_with_wrong_enumerators_are_not_written)
{
    lw_mech *mech = new_mech("m"), *outside = new_mech("outside");
    const lw_ground_def ground = lw_default_ground_def();
    add_shape(mech, lw_add_ground(mech, &ground), 0, 1000);
    lw_add_assembly(outside, "inside", mech, (lw_location){0});
    const lw_mech *both[] = {mech, outside};
    for (int k = 0; k < 2; ++k) {
        lw_report *report = new_report();
        char *text = NULL;
        size_t size = 0;
        CHECK_INT(lw_save_text(both[k], LW_FORMAT_LINKWORK, &text, &size, report), LW_ERR_ARGUMENT);
        CHECK(text == NULL && lw_report_errors(report) == 1);
        lw_report_destroy(report);
    }
    lw_mech_destroy(outside);
    lw_mech_destroy(mech);
}

TEST(levels_without_a_list_are_refused)
{
    lw_mech *mech = new_mech("m");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    for (int w = -1; w < 2; w += 2) {
        lw_compile_options options = lw_default_compile_options();
        options.nlevel = 3 * w;
        lw_model *model = NULL;
        lw_levels *levels = NULL;
        lw_machine *machine = NULL;
        CHECK_INT(lw_compile(mech, &options, &model, NULL), LW_ERR_ARGUMENT);
        CHECK_INT(lw_levels_create(mech, &options, &levels), LW_ERR_ARGUMENT);
        lw_machine_def def = lw_default_machine_def();
        def.options = options;
        CHECK_INT(lw_machine_create(mech, &def, &machine, NULL), LW_ERR_ARGUMENT);
        CHECK(!model && !levels && !machine);
    }
    lw_mech_destroy(mech);
}

static lw_model *pendulum(void)
{
    lw_mech *mech = new_mech("pendulum");
    lw_model *m = NULL;
    const lw_ground_def ground = lw_default_ground_def();
    lw_joint_def joint = lw_default_joint_def();
    lw_link_def link = lw_default_link_def();
    joint.name = "j";
    joint.type = LW_JOINT_REVOLUTE;
    link.name = "l";
    link.mass = 1.0;
    link.inertia.xx = link.inertia.yy = link.inertia.zz = 1.0;
    lw_add_ground(mech, &ground);
    lw_add_joint(mech, &joint);
    lw_add_link(mech, &link);
    CHECK_INT(lw_connect_named(mech, "ground.b", "j.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "j.b", "l.a"), LW_OK);
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_mech_destroy(mech);
    return m;
}

TEST(wrong_enumerators_of_motions_controllers_and_code_are_refused)
{
    lw_model *m = pendulum();
    lw_data *d = new_data(m);
    lw_derivation *derivation = NULL;
    lw_derive_options derive = lw_default_derive_options();
    derive.effort = 0;
    CHECK_INT(lw_derive(m, &derive, &derivation, NULL), LW_OK);
    for (int i = 0; i < WRONG; ++i) {
        const double start = 0.0, point = 0.1, q = 0.0;
        lw_axis_limits limits = lw_default_axis_limits();
        limits.velocity = limits.acceleration = limits.jerk = 1.0;
        for (int field = 0; field < 3; ++field) {
            lw_move move = lw_default_move();
            move.npoint = 1;
            move.point = &point;
            move.type = field == 0 ? (lw_move_type)wrong[i] : move.type;
            move.profile = field == 1 ? (lw_profile)wrong[i] : move.profile;
            move.together = field == 2 ? (lw_synchronization)wrong[i] : move.together;
            const lw_trajectory_def def = {1, &start, &limits, NULL, 1, &move};
            lw_trajectory *trajectory = NULL;
            CHECK_INT(lw_trajectory_create(&def, &trajectory, NULL), LW_ERR_ARGUMENT);
        }
        double kp, kd;
        CHECK_INT(lw_controller_gains(m, d, &q, (lw_control_law)wrong[i], 1.0, 1.0, &kp, &kd),
                  LW_ERR_ARGUMENT);
        for (int field = 0; field < 5; ++field) {
            lw_generate_options o = lw_default_generate_options();
            char *text = NULL;
            size_t size;
            o.language = field == 0 ? (lw_language)wrong[i] : o.language;
            o.real = field == 1 ? (lw_real)wrong[i] : o.real;
            o.sincos = field == 2 ? (lw_sincos)wrong[i] : o.sincos;
            o.part = field == 3 ? (lw_c_part)wrong[i] : o.part;
            o.lanes = field == 4 ? wrong[i] : o.lanes;
            CHECK_INT(lw_generate(derivation, &o, &text, &size, NULL), LW_ERR_ARGUMENT);
        }
    }
    lw_derivation_destroy(derivation);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(wrong_values_in_every_definition_have_a_status);
    RUN(descriptions_with_wrong_enumerators_are_not_written);
    RUN(levels_without_a_list_are_refused);
    RUN(wrong_enumerators_of_motions_controllers_and_code_are_refused);
    return REPORT();
}
