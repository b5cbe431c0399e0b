// The description of a chain, and the parts that all classes have.

#include "spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fail(lwi_builder *b, lw_status status)
{
    b->status = b->status == LW_OK ? status : b->status;
}

bool lwi_build_has(lwi_builder *b, bool is_there)
{
    if (!is_there && b->status != LW_ERR_MEMORY) {
        fail(b, lwi_report_error(b->report, b->at, LW_ERR_MEMORY, "%s",
                                 lw_status_text(LW_ERR_MEMORY)));
    }
    return is_there;
}

static void report_unknown(lwi_builder *b, const char *path)
{
    const lw_robot_class *own = lwi_spec_class(b->spec);
    fail(b, lwi_report_error(b->report, b->at, LW_ERR_MODEL,
                             "the specification is incomplete: %s is unknown, and class %s needs "
                             "it",
                             path, own ? own->name : ""));
}

double lwi_build_number(lwi_builder *b, const char *path)
{
    double number = 0.0;
    if (!lwi_spec_numbers(b->spec, path, 1, &number)) {
        report_unknown(b, path);
    }
    return number;
}

// A vector that is zero where it is unknown.
static lw_vec3 vector_of(const lwi_builder *b, const char *path)
{
    double v[3] = {0.0, 0.0, 0.0};
    lwi_spec_numbers(b->spec, path, 3, v);
    return lw_vec3_of(v[0], v[1], v[2]);
}

// --- Joints -----------------------------------------------------------------------------------

lw_joint_def lwi_build_joint_def(lwi_builder *b, int joint, const char *name)
{
    lw_joint_def def = lw_default_joint_def();
    const struct {
        const char *name;
        double *out;
    } table[] = {{"lower", &def.dof[0].lower},
                 {"upper", &def.dof[0].upper},
                 {"max_velocity", &def.dof[0].max_velocity},
                 {"max_acceleration", &def.dof[0].max_acceleration},
                 {"max_force", &def.dof[0].max_force},
                 {"damping", &def.dof[0].damping},
                 {"friction", &def.dof[0].friction},
                 {"rotor_inertia", &def.dof[0].rotor_inertia},
                 {"reference", &def.dof[0].reference}};
    char path[LWI_SPEC_PATH];
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        lwi_spec_numbers(b->spec, lwi_spec_path(path, "joint", joint, table[i].name), 1,
                         table[i].out);
    }
    const char *own = lw_spec_get(b->spec, lwi_spec_path(path, "joint", joint, "name"));
    if (!lw_spec_get(b->spec, lwi_spec_path(path, "joint", joint, "type"))) {
        report_unknown(b, path);
    }
    const lwi_field *type = lwi_spec_find(b->spec, path);
    def.name = own ? own : name;
    def.type = lwi_spec_slides(b->spec, joint) ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE;
    def.location = type ? type->at : b->at;
    return def;
}

void lwi_build_drive(lwi_builder *b, int joint, lw_part part)
{
    char path[LWI_SPEC_PATH], name[LWI_SPEC_PATH];
    lw_drive_def drive = lw_default_drive_def();
    lw_gearbox_def gear = lw_default_gearbox_def();
    double ratio = 1.0;
    const bool has_inertia = lwi_spec_numbers(
        b->spec, lwi_spec_path(path, "drive", joint, "inertia"), 1, &drive.inertia);
    if (!has_inertia) {
        return; // a motor without inertia only limits, and the joint has these limits already
    }
    lwi_spec_numbers(b->spec, lwi_spec_path(path, "drive", joint, "max_force"), 1,
                     &drive.max_force);
    lwi_spec_numbers(b->spec, lwi_spec_path(path, "drive", joint, "max_velocity"), 1,
                     &drive.max_velocity);
    lwi_spec_numbers(b->spec, lwi_spec_path(path, "drive", joint, "continuous_force"), 1,
                     &drive.continuous_force);
    lwi_spec_numbers(b->spec, lwi_spec_path(path, "drive", joint, "ratio"), 1, &ratio);
    snprintf(name, sizeof name, "%.60s_motor", lw_get_part_name(b->mech, part));
    drive.name = name;
    drive.location = b->at;
    const lw_part motor = lw_add_drive(b->mech, &drive);
    snprintf(name, sizeof name, "%.60s_gear", lw_get_part_name(b->mech, part));
    gear.name = name;
    gear.coefficient = &ratio;
    gear.location = b->at;
    const lw_part box = lw_add_gearbox(b->mech, &gear);
    if (lwi_build_has(b, motor.index >= 0 && box.index >= 0)) {
        lwi_build_connect(b, motor, "axis", box, "in");
        lwi_build_connect(b, box, "out", part, "axis");
    }
}

void lwi_build_connect(lwi_builder *b, lw_part from, const char *port, lw_part to, const char *a)
{
    const lw_status status =
        lw_connect(b->mech, lw_port_of(b->mech, from, port), lw_port_of(b->mech, to, a));
    if (status != LW_OK) {
        fail(b, lwi_report_error(b->report, b->at, status, "%s", lw_mech_message(b->mech)));
    }
}

// --- Links ------------------------------------------------------------------------------------

// The tensor of three or six numbers.
static lw_sym3 tensor_of(const lwi_builder *b, const char *path)
{
    double t[6] = {0};
    const lwi_field *f = lwi_spec_find(b->spec, path);
    lwi_spec_numbers(b->spec, path, f ? f->nnumber : 0, t);
    const char *products = lw_spec_get(b->spec, "products");
    const double sign = products && strcmp(products, "integral") == 0 ? -1.0 : 1.0;
    return (lw_sym3){t[0], t[1], t[2], sign * t[3], sign * t[4], sign * t[5]};
}

static void add_shapes(lwi_builder *b, int link, lw_part part)
{
    static const char *const types[] = {"box", "sphere", "cylinder", "capsule"};
    for (int i = 1; i <= LWI_SPEC_JOINTS; ++i) {
        char at[LWI_SPEC_PATH], path[LWI_SPEC_PATH], name[24];
        const char *what = NULL;
        snprintf(name, sizeof name, "shape%d", i);
        lwi_spec_path(at, "link", link, name);
#define FIELD(part) (snprintf(path, sizeof path, "%.60s.%s", at, part), path)
        what = lw_spec_get(b->spec, FIELD("type"));
        if (!what) {
            continue;
        }
        lw_shape_def shape = lw_default_shape_def();
        for (int k = 0; k < 4; ++k) {
            shape.type = strcmp(types[k], what) == 0 ? (lw_shape_type)k : shape.type;
        }
        shape.size = vector_of(b, FIELD("size"));
        if (shape.type != LW_SHAPE_BOX) {
            shape.size.x = lwi_build_number(b, FIELD("radius"));
            shape.size.z =
                shape.type == LW_SHAPE_SPHERE ? 0.0 : lwi_build_number(b, FIELD("length"));
        }
        const lw_vec3 xyz = vector_of(b, FIELD("xyz")), rpy = vector_of(b, FIELD("rpy"));
#undef FIELD
        shape.placement = lw_placement_rpy(xyz, rpy);
        shape.location = b->at;
        lwi_build_has(b, lw_add_shape(b->mech, part, &shape) >= 0);
    }
}

lw_part lwi_build_link(lwi_builder *b, int link, const char *name, const lw_placement *end)
{
    char path[LWI_SPEC_PATH];
    lw_link_def def = lw_default_link_def();
    def.location = b->at;
    def.name = name;
    def.b = end ? *end : def.b;
    if (link > 0) {
        const lwi_field *mass = lwi_spec_find(b->spec, lwi_spec_path(path, "link", link, "mass"));
        const char *own = lw_spec_get(b->spec, lwi_spec_path(path, "link", link, "name"));
        def.name = own ? own : name;
        if (mass) {
            def.mass = lwi_build_number(b, mass->path);
            def.location = mass->at.line > 0 ? mass->at : b->at;
        }
        const lw_vec3 center = vector_of(b, lwi_spec_path(path, "link", link, "center"));
        def.inertial = lw_placement_xyz(center.x, center.y, center.z);
        def.inertia = tensor_of(b, lwi_spec_path(path, "link", link, "inertia"));
    }
    const lw_part part = lw_add_link(b->mech, &def);
    if (lwi_build_has(b, part.index >= 0) && link > 0) {
        add_shapes(b, link, part);
    }
    return part;
}

void lwi_build_tool(lwi_builder *b, lw_part last, const lw_placement *end)
{
    const char *name = lw_spec_get(b->spec, "tool.name");
    const lw_placement at = lw_placement_rpy(vector_of(b, "tool.xyz"), vector_of(b, "tool.rpy"));
    const bool has_mass = lw_spec_get(b->spec, "tool.mass") != NULL;
    lw_part carrier = last;
    lw_placement placement = at;
    if (has_mass) {
        lw_link_def def = lw_default_link_def();
        const lw_vec3 center = vector_of(b, "tool.center");
        def.name = name ? name : "tool_body";
        def.mass = lwi_build_number(b, "tool.mass");
        def.inertial = lw_placement_xyz(center.x, center.y, center.z);
        def.inertia = tensor_of(b, "tool.inertia");
        def.location = b->at;
        carrier = lw_add_link(b->mech, &def);
        if (!lwi_build_has(b, carrier.index >= 0)) {
            return;
        }
        lwi_build_connect(b, last, "b", carrier, "a");
    } else if (end) {
        const lw_pose X = lw_placement_pose(end), Y = lw_placement_pose(&at);
        const lw_pose Z = lw_pose_mul(&X, &Y);
        placement = lw_placement_of_pose(&Z);
    }
    const lw_port frame = lw_add_frame(b->mech, carrier, "tool", &placement, b->at);
    lwi_build_has(b, frame.index >= 0);
}

// --- Chains -----------------------------------------------------------------------------------

static void place_joint(lwi_builder *b, int joint, lw_joint_def *def)
{
    char path[LWI_SPEC_PATH];
    if (lw_spec_get(b->spec, "rows")) {
        if (!lwi_chain_row(b->spec, joint, &def->before, &def->after)) {
            report_unknown(b, lwi_spec_path(path, "joint", joint, "alpha"));
        }
        return;
    }
    double axis[3] = {0, 0, 1}, shift[3] = {0, 0, 0};
    if (!lwi_spec_numbers(b->spec, lwi_spec_path(path, "joint", joint, "axis"), 3, axis)) {
        report_unknown(b, path);
    }
    if (!lwi_spec_numbers(b->spec, lwi_spec_path(path, "joint", joint, "shift"), 3, shift)) {
        const lwi_field *f = lwi_spec_find(b->spec, path);
        report_unknown(b, f ? path : lwi_spec_path(path, "joint", joint, "length"));
    }
    def->axis = lw_vec3_of(axis[0], axis[1], axis[2]);
    def->before = lw_placement_xyz(shift[0], shift[1], shift[2]);
}

static void build_chain(lwi_builder *b, lw_part ground)
{
    lw_part last = ground;
    char name[LWI_SPEC_PATH];
    for (int i = 1; i <= b->spec->njoint && b->status != LW_ERR_MEMORY; ++i) {
        snprintf(name, sizeof name, "joint%d", i);
        lw_joint_def def = lwi_build_joint_def(b, i, name);
        place_joint(b, i, &def);
        const lw_part joint = lw_add_joint(b->mech, &def);
        snprintf(name, sizeof name, "link%d", i);
        const lw_part link = lwi_build_link(b, i, name, NULL);
        if (lwi_build_has(b, joint.index >= 0 && link.index >= 0)) {
            lwi_build_connect(b, last, "b", joint, "a");
            lwi_build_connect(b, joint, "b", link, "a");
            lwi_build_drive(b, i, joint);
        }
        last = link;
    }
    if (b->status != LW_ERR_MEMORY) {
        lwi_build_tool(b, last, NULL);
    }
}

// --- The whole --------------------------------------------------------------------------------

// Each symbol that has no value, once.
static void report_assumed(const lwi_builder *b)
{
    const lw_spec *spec = b->spec;
    for (int i = 0; i < spec->nfield; ++i) {
        const lwi_field *f = &spec->field[i];
        for (int k = 0; k < f->nnumber && f->is_known && !f->rule; ++k) {
            char path[LWI_SPEC_PATH];
            snprintf(path, sizeof path, "symbol.%.60s", f->symbol[k] ? f->symbol[k] : "");
            bool is_first = f->symbol[k] && !lwi_spec_find(spec, path);
            for (int n = 0; n < i && is_first; ++n) {
                const lwi_field *other = &spec->field[n];
                for (int j = 0; j < other->nnumber && is_first; ++j) {
                    is_first = !other->symbol[j] || strcmp(other->symbol[j], f->symbol[k]) != 0;
                }
            }
            double value;
            if (is_first && lwi_field_number(spec, f, k, &value)) {
                lwi_report_note(b->report, f->at, LW_DIAG_SYMBOL_ASSUMED,
                                "symbol \"%s\" has no value; %g is assumed in the model, and "
                                "<symbol name=\"%s\" value=\"...\"/> gives another",
                                f->symbol[k], fabs(value), f->symbol[k]);
            }
        }
    }
}

static lw_status build(lwi_builder *b)
{
    lw_spec *spec = b->spec;
    const lw_robot_class *own = lwi_spec_class(spec);
    const char *name = lw_spec_get(spec, "name");
    lw_ground_def ground = lw_default_ground_def();
    double g[3] = {0.0, 0.0, 0.0};
    if (lw_mech_create(name ? name : "robot", &b->mech) != LW_OK) {
        return LW_ERR_MEMORY;
    }
    if (!lwi_spec_numbers(spec, "gravity", 3, g)) {
        report_unknown(b, "gravity");
    }
    ground.gravity = lw_vec3_of(g[0], g[1], g[2]);
    ground.location = b->at;
    if (own->is_serial && spec->njoint == 0) {
        report_unknown(b, "letters");
        return b->status;
    }
    const lw_part base = lw_add_ground(b->mech, &ground);
    if (!lwi_build_has(b, base.index >= 0)) {
        return b->status;
    }
    if (own->is_serial) {
        build_chain(b, base);
    } else {
        lwi_build_loops(b, own->name);
    }
    return b->status;
}

lw_status lw_spec_build(lw_spec *spec, lw_mech **mech, lw_report *report)
{
    if (mech) {
        *mech = NULL;
    }
    if (!spec || !mech) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = lw_spec_check(spec, report);
    if (status != LW_OK) {
        return status;
    }
    const lwi_field *own = lwi_spec_find(spec, "class");
    lwi_builder b = {.spec = spec, .report = report, .at = own->at};
    spec->assumes = true;
    status = build(&b);
    if (status == LW_OK) {
        report_assumed(&b);
        *mech = b.mech;
    } else {
        lw_mech_destroy(b.mech);
    }
    spec->assumes = false;
    return status;
}
