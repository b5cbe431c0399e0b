// Links, shapes and joints as URDF.
#include "urdf_write.h"

#include "xml.h"

#include <float.h>
#include <string.h>

// --- Placements -------------------------------------------------------------------------------

static bool is_identity(const lw_placement *placement)
{
    static const double zero[6] = {0};
    return placement->form == LW_PLACEMENT_IDENTITY ||
           (placement->form == LW_PLACEMENT_RPY &&
            memcmp(placement->value, zero, sizeof zero) == 0);
}

// One after the other. As it was written where one of them is nothing; else a matrix.
static lw_placement joined(const lw_placement *first, const lw_placement *second)
{
    if (is_identity(first)) {
        return *second;
    }
    if (is_identity(second)) {
        return *first;
    }
    const lw_pose X1 = lw_placement_pose(first), X2 = lw_placement_pose(second);
    const lw_pose X = lw_pose_mul(&X1, &X2);
    return lw_placement_of_pose(&X);
}

static bool is_unturned(const lw_mat3 *R)
{
    const lw_mat3 I = lw_mat3_identity();
    return memcmp(R, &I, sizeof I) == 0;
}

// An <origin>, or nothing for the identity. Returns whether the numbers are not those that were
// given, but others that mean the same but for rounding.
static bool write_origin(lwi_text *out, const char *indent, const lw_placement *placement)
{
    double value[6] = {0};
    bool is_rounded = false;
    if (placement->form == LW_PLACEMENT_IDENTITY) {
        return false;
    }
    if (placement->form == LW_PLACEMENT_RPY) {
        memcpy(value, placement->value, sizeof value);
    } else {
        const lw_pose X = lw_placement_pose(placement);
        const lw_vec3 rpy = lw_rpy_of(&X.R);
        const double converted[6] = {X.p.x, X.p.y, X.p.z, rpy.x, rpy.y, rpy.z};
        is_rounded = !is_unturned(&X.R);
        memcpy(value, converted, 3 * sizeof *value);
        if (is_rounded) {
            memcpy(value, converted, sizeof value);
        }
    }
    lwi_text_add(out, indent);
    lwi_text_add(out, "<origin");
    lwi_text_add_attr_numbers(out, "xyz", value, 3);
    lwi_text_add_attr_numbers(out, "rpy", value + 3, 3);
    lwi_text_add(out, "/>\n");
    return is_rounded;
}

static void note_rounded(lwi_urdf_writer *w, bool is_rounded, const lwi_part *part,
                         const char *what)
{
    char clip[LWI_CLIP_SIZE];
    if (is_rounded) {
        lwi_report_warning(w->report, part->location, LW_DIAG_ROUNDED,
                           "rounded: %s \"%s\", %s in roll, pitch and yaw",
                           lw_part_kind_name(part->kind), lwi_clip(part->name, clip), what);
    }
}

// Port a of a link in the URDF link: elsewhere than its origin only where the joint says so.
static lw_placement offset_of(const lwi_urdf_writer *w, int part)
{
    const int joint = w->part[part].carried_by;
    return joint < 0 ? lw_placement_identity() : as_joint(&w->mech->part.at[joint])->after;
}

// Where a B port lies in the URDF link of its part.
static lw_placement port_placement(const lwi_urdf_writer *w, lw_port port)
{
    const lw_mech *mech = w->mech;
    const lwi_part *part = &mech->part.at[port.part.index];
    const lw_placement offset = offset_of(w, port.part.index);
    if (part->kind == LW_PART_JOINT) {
        return as_joint(part)->after;
    }
    if (port.index == LWI_PORT_B) {
        return part->kind == LW_PART_LINK ? joined(&offset, &as_link(part)->b) : offset;
    }
    for (int i = part->first_frame; i >= 0; i = mech->frame.at[i].next) {
        if (mech->frame.at[i].port == port.index) {
            return joined(&offset, &mech->frame.at[i].placement);
        }
    }
    return offset;
}

// --- Links ------------------------------------------------------------------------------------

static void write_inertial(lwi_urdf_writer *w, int index, const lw_link_def *def)
{
    static const double zero[6] = {0};
    const double value[6] = {def->inertia.xx, def->inertia.xy, def->inertia.xz,
                             def->inertia.yy, def->inertia.yz, def->inertia.zz};
    static const char *const name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    if (def->mass == 0 && def->inertial.form == LW_PLACEMENT_IDENTITY &&
        memcmp(value, zero, sizeof zero) == 0) {
        return;
    }
    const lw_placement offset = offset_of(w, index);
    const lw_placement inertial = joined(&offset, &def->inertial);
    lwi_text_add(w->out, "    <inertial>\n");
    note_rounded(w, write_origin(w->out, "      ", &inertial), &w->mech->part.at[index],
                 "the inertial frame");
    lwi_text_add(w->out, "      <mass");
    lwi_text_add_attr_number(w->out, "value", def->mass);
    lwi_text_add(w->out, "/>\n      <inertia");
    for (int i = 0; i < 6; ++i) {
        lwi_text_add_attr_number(w->out, name[i], value[i]);
    }
    lwi_text_add(w->out, "/>\n    </inertial>\n");
}

static void write_geometry(lwi_text *out, const lw_shape_def *def)
{
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    switch (def->type) {
    case LW_SHAPE_BOX:
        lwi_text_add(out, "<box");
        lwi_text_add_attr_numbers(out, "size", size, 3);
        break;
    case LW_SHAPE_SPHERE:
        lwi_text_add(out, "<sphere");
        lwi_text_add_attr_number(out, "radius", size[0]);
        break;
    case LW_SHAPE_CYLINDER:
    case LW_SHAPE_CAPSULE:
        lwi_text_add(out, def->type == LW_SHAPE_CYLINDER ? "<cylinder" : "<capsule");
        lwi_text_add_attr_number(out, "radius", size[0]);
        lwi_text_add_attr_number(out, "length", size[2]);
        break;
    case LW_SHAPE_MESH:
        lwi_text_add(out, "<mesh");
        lwi_text_add_attr(out, "filename", def->mesh ? def->mesh : "");
        if (size[0] != 1 || size[1] != 1 || size[2] != 1) {
            lwi_text_add_attr_numbers(out, "scale", size, 3);
        }
        break;
    }
    lwi_text_add(out, "/>");
}

// A material for each shape. Its name is its color: one name never has two.
static void write_material(lwi_text *out, const lw_color *color)
{
    const double rgba[] = {color->r, color->g, color->b, color->a};
    lwi_text_add(out, "      <material");
    lwi_text_add_attr_numbers(out, "name", rgba, 4);
    lwi_text_add(out, "><color");
    lwi_text_add_attr_numbers(out, "rgba", rgba, 4);
    lwi_text_add(out, "/></material>\n");
}

static void write_shape(lwi_urdf_writer *w, int index, const lw_shape_def *def)
{
    const lwi_part *part = &w->mech->part.at[index];
    const char *tag = def->role == LW_SHAPE_VISUAL ? "visual" : "collision";
    char clip[LWI_CLIP_SIZE];
    if (def->role == LW_SHAPE_BOUND || def->bound >= 0) {
        lwi_report_warning(w->report, def->location, LW_DIAG_LOST,
                           "lost: a bounding shape of %s \"%s\"", lw_part_kind_name(part->kind),
                           lwi_clip(part->name, clip));
    }
    if (def->role == LW_SHAPE_BOUND) {
        return;
    }
    if (def->is_convex) {
        lwi_report_warning(w->report, def->location, LW_DIAG_LOST,
                           "lost: a mesh of %s \"%s\" is meant to be convex",
                           lw_part_kind_name(part->kind), lwi_clip(part->name, clip));
    }
    if (def->has_color && def->role != LW_SHAPE_VISUAL) {
        lwi_report_warning(w->report, def->location, LW_DIAG_LOST,
                           "lost: the color of a collision shape of %s \"%s\"",
                           lw_part_kind_name(part->kind), lwi_clip(part->name, clip));
    }
    const lw_placement offset = offset_of(w, index);
    const lw_placement placement = joined(&offset, &def->placement);
    lwi_text_add(w->out, "    <");
    lwi_text_add(w->out, tag);
    if (def->name) {
        lwi_text_add_attr(w->out, "name", def->name);
    }
    lwi_text_add(w->out, ">\n");
    note_rounded(w, write_origin(w->out, "      ", &placement), part, "a shape");
    lwi_text_add(w->out, "      <geometry>");
    write_geometry(w->out, def);
    lwi_text_add(w->out, "</geometry>\n");
    if (def->has_color && def->role == LW_SHAPE_VISUAL) {
        write_material(w->out, &def->color);
    }
    lwi_text_add(w->out, "    </");
    lwi_text_add(w->out, tag);
    lwi_text_add(w->out, ">\n");
}

static void write_shapes(lwi_urdf_writer *w, int index)
{
    for (int i = w->mech->part.at[index].first_shape; i >= 0; i = w->mech->shape.at[i].next) {
        write_shape(w, index, &w->mech->shape.at[i].def);
    }
}

// A fixed joint for what is connected without one.
static void write_fixed(lwi_urdf_writer *w, const char *stem, const char *parent, const char *child,
                        const lw_placement *placement, const lwi_part *part)
{
    lwi_text_add(w->out, "  <joint");
    lwi_text_add_attr(w->out, "name", lwi_urdf_new_name(w, &w->joint_names, stem, "_fixed"));
    lwi_text_add(w->out, " type=\"fixed\">\n");
    note_rounded(w, write_origin(w->out, "    ", placement), part, "where it hangs");
    lwi_text_add(w->out, "    <parent");
    lwi_text_add_attr(w->out, "link", parent);
    lwi_text_add(w->out, "/>\n    <child");
    lwi_text_add_attr(w->out, "link", child);
    lwi_text_add(w->out, "/>\n  </joint>\n");
}

// A frame is a link without mass on a fixed joint.
static void write_frames(lwi_urdf_writer *w, int index)
{
    const lw_mech *mech = w->mech;
    const lwi_part *part = &mech->part.at[index];
    const lw_placement offset = offset_of(w, index);
    for (int i = part->first_frame; i >= 0; i = mech->frame.at[i].next) {
        const lwi_part_frame *frame = &mech->frame.at[i];
        const lw_placement placement = joined(&offset, &frame->placement);
        const char *name = lwi_urdf_new_name(w, &w->link_names, frame->name, "");
        char clip[2][LWI_CLIP_SIZE];
        lwi_report_note(w->report, frame->location, LW_DIAG_FRAME_AS_LINK,
                        "frame \"%s\" becomes link \"%s\" on a fixed joint",
                        lwi_clip(frame->name, clip[0]), lwi_clip(name, clip[1]));
        lwi_text_add(w->out, "  <link");
        lwi_text_add_attr(w->out, "name", name);
        lwi_text_add(w->out, "/>\n");
        write_fixed(w, name, w->part[index].link, name, &placement, part);
    }
}

void lwi_urdf_write_link(lwi_urdf_writer *w, int index)
{
    const lwi_part *part = &w->mech->part.at[index];
    lwi_text_add(w->out, "  <link");
    lwi_text_add_attr(w->out, "name", part->name);
    lwi_text_add(w->out, ">\n");
    write_inertial(w, index, as_link(part));
    write_shapes(w, index);
    lwi_text_add(w->out, "  </link>\n");
    write_frames(w, index);
    if (part->feeder.part.index >= 0 && w->part[index].carried_by < 0) {
        const lw_placement placement = port_placement(w, part->feeder);
        write_fixed(w, part->name, w->part[part->feeder.part.index].link, part->name, &placement,
                    part);
    }
}

void lwi_urdf_write_ground(lwi_urdf_writer *w, int index)
{
    const lw_vec3 usual = lw_default_ground_def().gravity;
    const lwi_part *part = &w->mech->part.at[index];
    const lw_vec3 gravity = as_ground(part)->gravity;
    if (gravity.x != usual.x || gravity.y != usual.y || gravity.z != usual.z) {
        lwi_report_warning(w->report, part->location, LW_DIAG_LOST, "lost: gravity, URDF has none");
    }
    lwi_text_add(w->out, "  <link");
    lwi_text_add_attr(w->out, "name", w->part[index].link);
    lwi_text_add(w->out, ">\n");
    write_shapes(w, index);
    lwi_text_add(w->out, "  </link>\n");
    write_frames(w, index);
}

// --- Joints -----------------------------------------------------------------------------------

static const char *type_word(const lw_joint_def *joint)
{
    const char *word = lwi_joint_row_of(joint->type)->urdf;
    const bool is_free = isinf(joint->dof[0].lower) && isinf(joint->dof[0].upper);
    return !word ? "fixed" : joint->type == LW_JOINT_REVOLUTE && is_free ? "continuous" : word;
}

// URDF needs the attribute; the reader takes the largest number for no limit.
static double finite(double limit)
{
    return limit > DBL_MAX ? DBL_MAX : limit < -DBL_MAX ? -DBL_MAX : limit;
}

static void write_limit(lwi_text *out, const char *type, const lw_dof *f)
{
    const bool is_continuous = strcmp(type, "continuous") == 0;
    if (is_continuous && isinf(f->max_force) && isinf(f->max_velocity) &&
        isinf(f->max_acceleration)) {
        return;
    }
    lwi_text_add(out, "    <limit");
    if (!is_continuous) {
        lwi_text_add_attr_number(out, "lower", finite(f->lower));
        lwi_text_add_attr_number(out, "upper", finite(f->upper));
    }
    lwi_text_add_attr_number(out, "effort", finite(f->max_force));
    lwi_text_add_attr_number(out, "velocity", finite(f->max_velocity));
    if (isfinite(f->max_acceleration)) {
        lwi_text_add_attr_number(out, "acceleration", f->max_acceleration);
    }
    lwi_text_add(out, "/>\n");
}

static void write_dynamics(lwi_text *out, const lw_dof *f)
{
    if (f->damping != 0 || f->friction != 0) {
        lwi_text_add(out, "    <dynamics");
        lwi_text_add_attr_number(out, "damping", f->damping);
        lwi_text_add_attr_number(out, "friction", f->friction);
        lwi_text_add(out, "/>\n");
    }
}

static void write_mimic(lwi_urdf_writer *w, int coupling)
{
    const lw_coupling_def *def = &w->mech->coupling.at[coupling];
    lwi_text_add(w->out, "    <mimic");
    lwi_text_add_attr(w->out, "joint", def->source);
    lwi_text_add_attr_number(w->out, "multiplier", def->ncoefficient > 1 ? def->coefficient[1] : 0);
    lwi_text_add_attr_number(w->out, "offset", def->ncoefficient > 0 ? def->coefficient[0] : 0);
    lwi_text_add(w->out, "/>\n");
}

// A rotor that is reflected to the joint already: behind a reduction of one.
static void write_rotor(lwi_text *out, const char *joint, double inertia)
{
    if (inertia == 0) {
        return;
    }
    lwi_text_add(out, "  <transmission");
    lwi_text_add_attr(out, "name", joint);
    lwi_text_add(out, ">\n    <type>transmission_interface/SimpleTransmission</type>\n    <joint");
    lwi_text_add_attr(out, "name", joint);
    lwi_text_add(out, "/>\n    <actuator");
    lwi_text_add_attr(out, "name", joint);
    lwi_text_add(out,
                 ">\n      <mechanicalReduction>1</mechanicalReduction>\n      <motorInertia>");
    lwi_text_add_number(out, inertia);
    lwi_text_add(out, "</motorInertia>\n    </actuator>\n  </transmission>\n");
}

static void report_lost(lwi_urdf_writer *w, const lwi_part *part, const char *what)
{
    char clip[LWI_CLIP_SIZE];
    lwi_report_warning(w->report, part->location, LW_DIAG_LOST, "lost: joint \"%s\", %s",
                       lwi_clip(part->name, clip), what);
}

static bool has_limits(const lw_dof *f)
{
    return isfinite(f->lower) || isfinite(f->upper) || isfinite(f->max_velocity) ||
           isfinite(f->max_acceleration) || isfinite(f->max_force);
}

// What the degrees of freedom have and URDF has no word for.
static void report_dofs(lwi_urdf_writer *w, const lwi_part *part, const lw_joint_def *joint)
{
    bool is_spring = false, is_referred = false, is_limited = false, is_uneven = false;
    for (int i = 0; i < lwi_joint_nv(joint); ++i) {
        const lw_dof *f = &joint->dof[i];
        is_spring |= f->stiffness != 0 || f->spring_rest != 0;
        is_referred |= f->reference != 0;
        is_limited |= lwi_joint_nv(joint) > 1 && (has_limits(f) || f->rotor_inertia != 0);
        is_uneven |= f->damping != joint->dof[0].damping || f->friction != joint->dof[0].friction;
    }
    if (is_spring) {
        report_lost(w, part, "its spring");
    }
    if (is_referred) {
        report_lost(w, part, "its reference position");
    }
    if (is_limited) {
        report_lost(w, part, "limits and rotor inertia of its degrees of freedom");
    }
    if (is_uneven) {
        report_lost(w, part, "damping and friction that differ between its degrees of freedom");
    }
}

static void write_motion(lwi_urdf_writer *w, int index, const lw_joint_def *joint, const char *type)
{
    const lwi_part *part = &w->mech->part.at[index];
    const double axis[3] = {joint->axis.x, joint->axis.y, joint->axis.z};
    const lwi_joint_row *row = lwi_joint_row_of(joint->type);
    const bool is_single = row->urdf && row->nv == 1;
    if (row->urdf && row->has_axis) {
        lwi_text_add(w->out, "    <axis");
        lwi_text_add_attr_numbers(w->out, "xyz", axis, 3);
        lwi_text_add(w->out, "/>\n");
    }
    if (is_single) {
        write_limit(w->out, type, &joint->dof[0]);
    }
    write_dynamics(w->out, &joint->dof[0]);
    if (w->part[index].mimic >= 0) {
        write_mimic(w, w->part[index].mimic);
    } else if (joint->dependent) {
        report_lost(w, part, "that it is dependent");
    }
    report_dofs(w, part, joint);
}

static bool is_in_urdf(lw_joint_type type)
{
    return lwi_joint_row_of(type)->urdf != NULL;
}

void lwi_urdf_write_joint(lwi_urdf_writer *w, int index)
{
    const lw_mech *mech = w->mech;
    const lwi_part *part = &mech->part.at[index];
    const lw_joint_def *joint = as_joint(part);
    const char *type = type_word(joint);
    const int feeder = part->feeder.part.index;
    char clip[LWI_CLIP_SIZE];
    if (w->part[index].carrier < 0) {
        lwi_text_add(w->out, "  <link");
        lwi_text_add_attr(w->out, "name", w->part[index].link);
        lwi_text_add(w->out, "/>\n");
    }
    lwi_text_add(w->out, "  <joint");
    lwi_text_add_attr(w->out, "name", part->name);
    lwi_text_add_attr(w->out, "type", type);
    lwi_text_add(w->out, ">\n");
    const lw_placement port =
        feeder < 0 ? lw_placement_identity() : port_placement(w, part->feeder);
    const lw_placement origin = joined(&port, &joint->before);
    note_rounded(w, write_origin(w->out, "    ", &origin), part, "its placement");
    lwi_text_add(w->out, "    <parent");
    lwi_text_add_attr(w->out, "link", feeder < 0 ? w->root : w->part[feeder].link);
    lwi_text_add(w->out, "/>\n    <child");
    lwi_text_add_attr(w->out, "link", w->part[index].link);
    lwi_text_add(w->out, "/>\n");
    if (!is_in_urdf(joint->type)) {
        lwi_report_warning(w->report, part->location, LW_DIAG_LOST,
                           "lost: joint \"%s\" is %s, which URDF has not; it is written as fixed",
                           lwi_clip(part->name, clip), lw_joint_type_name(joint->type));
    } else if (lwi_joint_nv(joint) > 0) {
        write_motion(w, index, joint, type);
    }
    lwi_text_add(w->out, "  </joint>\n");
    if (lwi_joint_nv(joint) == 1 && is_in_urdf(joint->type)) {
        write_rotor(w->out, part->name, joint->dof[0].rotor_inertia);
    }
}
