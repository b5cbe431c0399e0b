// Parts as elements of linkwork XML. What has its default value is left out; a value is its default
// only if it is so to the last bit.
#include "native_kinds.h"

#include "../parts/edit.h"

#include <string.h>

static bool same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static void attr_vector(lwi_native_writer *writer, const char *attr, lw_vec3 value,
                        lw_vec3 default_value, lw_location location)
{
    if (!same(&value, &default_value, sizeof value)) {
        const double v[3] = {value.x, value.y, value.z};
        lwi_native_attr_numbers(writer, attr, v, 3, location);
    }
}

static void attr_name(lwi_native_writer *writer, const char *what, const char *name,
                      lw_location location)
{
    if (!*name && writer->status == LW_OK) {
        writer->status = lwi_report_error(writer->report, location, LW_ERR_NAME,
                                          "a %s without a name cannot be written", what);
    }
    lwi_text_add_attr(writer->out, "name", name);
}

static void write_placement(lwi_native_writer *writer, const char *tag,
                            const lw_placement *placement, lw_location location)
{
    if (placement->form != LW_PLACEMENT_IDENTITY) {
        lwi_native_open(writer, tag);
        lwi_native_attr_placement(writer, placement, location);
        lwi_text_add(writer->out, "/>\n");
    }
}

// Where a part is connected, unless a joint names it.
static void attr_feeder(const lwi_native_out *out, const char *attr, int index)
{
    const lw_port feeder = out->mech->part.at[index].feeder;
    if (feeder.part.index >= 0 && !out->is_named[index]) {
        lwi_native_attr_port(out, attr, feeder, "b");
    }
}

// The other end of a rod or a closing joint.
static void attr_second_feeder(const lwi_native_out *out, const lwi_part *part)
{
    if (part->feeder2.part.index >= 0) {
        lwi_native_attr_port(out, "to", part->feeder2, "b");
    }
}

// --- Shapes -----------------------------------------------------------------------------------

static void write_shape_head(lwi_native_writer *writer, const lw_shape_def *def, bool is_outer)
{
    static const char *const tag[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    static const char *const role[] = {"collision", "visual", "bound"};
    const lw_shape_role usual = is_outer ? LW_SHAPE_BOUND : LW_SHAPE_COLLISION;
    const bool has_length = def->type == LW_SHAPE_CYLINDER || def->type == LW_SHAPE_CAPSULE;
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    const lw_vec3 one = {1.0, 1.0, 1.0};
    lwi_native_open(writer, tag[def->type]);
    if (def->name && *def->name) {
        lwi_text_add_attr(writer->out, "name", def->name);
    }
    if (def->role != usual) {
        lwi_text_add_attr(writer->out, "role", role[def->role]);
    }
    if (def->type == LW_SHAPE_MESH) {
        lwi_text_add_attr(writer->out, "file", def->mesh ? def->mesh : "");
        attr_vector(writer, "scale", def->size, one, def->location);
        if (def->is_convex) {
            lwi_text_add_attr(writer->out, "convex", "true");
        }
    } else if (def->type == LW_SHAPE_BOX) {
        lwi_native_attr_numbers(writer, "size", size, 3, def->location);
    } else {
        lwi_native_attr_numbers(writer, "radius", size, 1, def->location);
    }
    if (has_length) {
        lwi_native_attr_numbers(writer, "length", size + 2, 1, def->location);
    }
    if (def->has_color) {
        const double color[] = {def->color.r, def->color.g, def->color.b, def->color.a};
        lwi_native_attr_numbers(writer, "color", color, color[3] == 1.0 ? 3 : 4, def->location);
    }
    lwi_native_attr_placement(writer, &def->placement, def->location);
}

typedef struct shape_tree {
    const lw_shape_def **def;         ///< [n]
    int *first, *last, *next, *outer; ///< [n] enclosed shapes as a list, and the encloser
    int root, last_root;              ///< those that nothing encloses
} shape_tree;

static bool build_shape_tree(const lwi_native_out *out, const lwi_part *part, shape_tree *tree)
{
    lwi_arena *arena = &out->writer->arena;
    const size_t n = (size_t)part->nshape;
    tree->def = lwi_arena_take(arena, n, sizeof *tree->def);
    tree->first = lwi_arena_take(arena, 4 * n, sizeof *tree->first);
    if (!tree->def || !tree->first) {
        out->writer->status = LW_ERR_MEMORY;
        return false;
    }
    tree->last = tree->first + n;
    tree->next = tree->last + n;
    tree->outer = tree->next + n;
    tree->root = tree->last_root = -1;
    int k = 0;
    for (int i = part->first_shape; i >= 0; i = out->mech->shape.at[i].next, ++k) {
        const lw_shape_def *def = &out->mech->shape.at[i].def;
        tree->def[k] = def;
        tree->first[k] = tree->last[k] = tree->next[k] = -1;
        tree->outer[k] = def->bound >= 0 && def->bound < k ? def->bound : -1;
        const int outer = tree->outer[k];
        int *first = outer < 0 ? &tree->root : &tree->first[outer];
        int *last = outer < 0 ? &tree->last_root : &tree->last[outer];
        *(*last < 0 ? first : &tree->next[*last]) = k;
        *last = k;
    }
    return true;
}

static void write_shapes(const lwi_native_out *out, const lwi_part *part)
{
    lwi_native_writer *writer = out->writer;
    static const char *const closing[] = {"/box>\n", "/sphere>\n", "/cylinder>\n", "/capsule>\n",
                                          "/mesh>\n"};
    shape_tree tree;
    if (part->nshape == 0 || !build_shape_tree(out, part, &tree)) {
        return;
    }
    for (int k = tree.root; k >= 0;) {
        write_shape_head(writer, tree.def[k], tree.first[k] >= 0);
        if (tree.first[k] >= 0) {
            lwi_text_add(writer->out, ">\n");
            ++writer->indent;
            k = tree.first[k];
            continue;
        }
        lwi_text_add(writer->out, "/>\n");
        while (tree.next[k] < 0 && tree.outer[k] >= 0) {
            k = tree.outer[k];
            --writer->indent;
            lwi_native_open(writer, closing[tree.def[k]->type]);
        }
        k = tree.next[k];
    }
}

static void write_frames(const lwi_native_out *out, const lwi_part *part)
{
    lwi_native_writer *writer = out->writer;
    for (int i = part->first_frame; i >= 0; i = out->mech->frame.at[i].next) {
        const lwi_part_frame *frame = &out->mech->frame.at[i];
        lwi_native_open(writer, "frame");
        attr_name(writer, "frame", frame->name, frame->location);
        lwi_native_attr_placement(writer, &frame->placement, frame->location);
        lwi_text_add(writer->out, "/>\n");
    }
}

// Closes an element that may have others inside; those are written by the caller in between.
static bool open_inside(lwi_native_writer *writer, bool has_inside)
{
    lwi_text_add(writer->out, has_inside ? ">\n" : "/>\n");
    writer->indent += has_inside;
    return has_inside;
}

static void close_inside(lwi_native_writer *writer, const char *closing)
{
    --writer->indent;
    lwi_native_open(writer, closing);
}

// --- Elements ---------------------------------------------------------------------------------

// The name, what it is connected to, and the attributes that the table of elements has.
static void write_head(const lwi_native_out *out, const lwi_part *part, int index)
{
    lwi_native_writer *writer = out->writer;
    const lwi_native_kind *kind = lwi_native_kind_of(part->kind);
    lwi_any_def usual;
    kind->set_default(&usual);
    lwi_native_open(writer, kind->element[0]);
    if (part->kind != LW_PART_GROUND || strcmp(part->name, usual.name) != 0) {
        attr_name(writer, kind->element[0], part->name, part->location);
    }
    if (kind->connected[0]) {
        attr_feeder(out, kind->connected[0], index);
        attr_second_feeder(out, part);
    }
    lwi_native_write_fields(out, kind->field, kind->nfield, part->def, &usual, index);
}

void lwi_native_write_ground(const lwi_native_out *out, const lwi_part *part, int index)
{
    write_head(out, part, index);
    if (open_inside(out->writer, part->nframe > 0 || part->nshape > 0)) {
        write_frames(out, part);
        write_shapes(out, part);
        close_inside(out->writer, "/ground>\n");
    }
}

// A joint by its zero position names the link whose pose the file then gives.
static bool is_by_point(const lwi_native_out *out, int joint)
{
    const lwi_part *part = joint >= 0 ? &out->mech->part.at[joint] : NULL;
    return part && part->kind == LW_PART_JOINT && lwi_has_zero_form(out->mech, &out->zero, joint) &&
           out->carries[joint] >= 0 && out->mech->part.at[out->carries[joint]].kind == LW_PART_LINK;
}

bool lwi_native_is_plain_center(const lw_placement *center)
{
    const double zero[3] = {0.0};
    return center->form == LW_PLACEMENT_RPY && same(center->value + 3, zero, sizeof zero);
}

void lwi_native_write_link(const lwi_native_out *out, const lwi_part *part, int index)
{
    lwi_native_writer *writer = out->writer;
    const lw_link_def *link = as_link(part);
    const bool has_center = link->inertial.form != LW_PLACEMENT_IDENTITY &&
                            !lwi_native_is_plain_center(&link->inertial);
    const bool has_zero =
        is_by_point(out, part->feeder.part.index) && out->carries[part->feeder.part.index] == index;
    write_head(out, part, index);
    if (open_inside(writer, has_center || has_zero || link->b.form != LW_PLACEMENT_IDENTITY ||
                                part->nframe > 0 || part->nshape > 0)) {
        if (has_center) {
            write_placement(writer, "center", &link->inertial, part->location);
        }
        write_placement(writer, "b", &link->b, part->location);
        if (has_zero) {
            const lwi_part *joint = &out->mech->part.at[part->feeder.part.index];
            lwi_native_open(writer, "zero"); // without it the link would be at the point
            lwi_native_attr_placement(writer, &joint->zero->link, part->location);
            lwi_text_add(writer->out, "/>\n");
        }
        write_frames(out, part);
        write_shapes(out, part);
        close_inside(writer, "/link>\n");
    }
}

void lwi_native_write_use(const lwi_native_out *out, const lwi_part *part, int index)
{
    lwi_native_writer *writer = out->writer;
    lwi_native_open(writer, "use");
    attr_name(writer, "assembly", part->name, part->location);
    lwi_text_add_attr(writer->out, "assembly",
                      lwi_native_inside_name(writer, as_assembly(part)->inside));
    attr_feeder(out, "at", index);
    lwi_native_attr_role(writer, part->role);
    lwi_native_attr_level(writer, part->level);
    lwi_text_add(writer->out, "/>\n");
}

// --- Joints -----------------------------------------------------------------------------------

static void attr_dof(const lwi_native_out *out, const lw_dof *f, int index)
{
    const lw_joint_def usual = lw_default_joint_def();
    lwi_native_write_fields(out, lwi_native_dof_field, LWI_NATIVE_DOF_FIELDS, f, &usual.dof[0],
                            index);
}

static bool has_dofs(const lw_joint_def *joint)
{
    const lw_joint_def usual = lw_default_joint_def();
    bool is_usual = true;
    for (int i = 0; i < lwi_joint_nv(joint); ++i) {
        is_usual = is_usual && same(&joint->dof[i], &usual.dof[0], sizeof(lw_dof));
    }
    return !is_usual;
}

static void write_dofs(const lwi_native_out *out, const lw_joint_def *joint, int index)
{
    const lw_joint_def usual = lw_default_joint_def();
    const char *const *name = lwi_joint_row_of(joint->type)->velocity;
    for (int i = 0; i < lwi_joint_nv(joint) && name[i]; ++i) {
        if (!same(&joint->dof[i], &usual.dof[0], sizeof(lw_dof))) {
            lwi_native_open(out->writer, "dof");
            lwi_text_add_attr(out->writer->out, "name", name[i]);
            attr_dof(out, &joint->dof[i], index);
            lwi_text_add(out->writer->out, "/>\n");
        }
    }
}

typedef enum joint_form { FORM_PLAIN, FORM_ZERO, FORM_CRAIG, FORM_PAUL } joint_form;

static joint_form form_of(const lw_joint_def *joint)
{
    const lw_vec3 z = {0.0, 0.0, 1.0};
    const double zero[2] = {0.0};
    const lw_placement *before = &joint->before, *after = &joint->after;
    if (before->form != LW_PLACEMENT_DH || !same(&joint->axis, &z, sizeof z)) {
        return FORM_PLAIN;
    }
    if (after->form == LW_PLACEMENT_IDENTITY) {
        return FORM_CRAIG;
    }
    return after->form == LW_PLACEMENT_DH && same(before->value, zero, sizeof zero) &&
                   same(after->value + 2, zero, sizeof zero)
               ? FORM_PAUL
               : FORM_PLAIN;
}

static void write_dh_row(lwi_native_writer *writer, const lw_joint_def *joint, joint_form form,
                         lw_location location)
{
    const double *v = joint->before.value;
    const double *w = form == FORM_PAUL ? joint->after.value : v;
    const struct {
        const char *attr;
        double value;
    } craig[] = {{"alpha", w[0]}, {"a", w[1]}, {"theta", v[2]}, {"d", v[3]}};
    static const int paul_order[] = {2, 3, 1, 0};
    lwi_native_open(writer, form == FORM_PAUL ? "paul" : "craig");
    for (int i = 0; i < 4; ++i) {
        const int k = form == FORM_PAUL ? paul_order[i] : i;
        lwi_native_attr_numbers(writer, craig[k].attr, &craig[k].value, 1, location);
    }
    lwi_text_add(writer->out, "/>\n");
}

static void attr_axes(lwi_native_writer *writer, const lw_joint_def *joint, joint_form form,
                      lw_location location)
{
    const lw_joint_def usual = lw_default_joint_def();
    const lwi_joint_row *row = lwi_joint_row_of(joint->type);
    const double axis[3] = {joint->axis.x, joint->axis.y, joint->axis.z};
    if ((form == FORM_PLAIN || form == FORM_ZERO) &&
        (row->has_axis || !same(&joint->axis, &usual.axis, sizeof axis))) {
        lwi_native_attr_numbers(writer, "axis", axis, 3, location);
    }
    if (row->has_axis2) {
        attr_vector(writer, "axis2", joint->axis2, usual.axis2, location);
    }
    if (row->has_pitch) {
        lwi_native_attr_numbers(writer, "pitch", &joint->pitch, 1, location);
    }
}

void lwi_native_write_joint(const lwi_native_out *out, const lwi_part *part, int index)
{
    lwi_native_writer *writer = out->writer;
    const lw_joint_def *joint = as_joint(part);
    const joint_form form = joint->closing            ? FORM_PLAIN
                            : is_by_point(out, index) ? FORM_ZERO
                                                      : form_of(joint);
    const bool is_user = joint->type == LW_JOINT_USER;
    if (is_user) {
        lwi_report_warning(writer->report, part->location, LW_DIAG_LOST,
                           "joint \"%s\": its callbacks cannot be written; a fixed joint takes "
                           "its place",
                           part->name);
    }
    if (part->zero && form != FORM_ZERO) {
        lwi_report_warning(
            writer->report, part->location, LW_DIAG_LOST,
            "joint \"%s\" is placed by a transform: what it is connected to is not where "
            "its zero position was given, or it carries no link",
            part->name);
    }
    lwi_native_open(writer, "joint");
    attr_name(writer, "joint", part->name, part->location);
    lwi_text_add_attr(writer->out, "type", is_user ? "fixed" : lw_joint_type_name(joint->type));
    if (joint->closing) {
        lwi_text_add_attr(writer->out, "closing", "true");
    }
    attr_feeder(out, "from", index);
    attr_second_feeder(out, part);
    if (out->carries[index] >= 0) {
        lwi_native_attr_port(out, "to", (lw_port){{out->carries[index]}, LWI_PORT_A}, "a");
    }
    attr_axes(writer, joint, form, part->location);
    const lw_joint_def usual = lw_default_joint_def();
    lwi_native_write_fields(out, lwi_native_joint_field, LWI_NATIVE_JOINT_FIELDS, joint, &usual,
                            index);
    if (form == FORM_PLAIN) {
        lwi_native_attr_placement(writer, &joint->before, part->location);
    } else if (form == FORM_ZERO) {
        const double point[3] = {part->zero->point.x, part->zero->point.y, part->zero->point.z};
        lwi_native_attr_numbers(writer, "point", point, 3, part->location);
    }
    const bool has_dof = !is_user && !joint->closing;
    if (lwi_joint_nv(joint) == 1 && has_dof) {
        attr_dof(out, &joint->dof[0], index);
    }
    const bool has_several = lwi_joint_nv(joint) > 1 && has_dof && has_dofs(joint);
    const bool has_after = form == FORM_PLAIN && joint->after.form != LW_PLACEMENT_IDENTITY;
    if (open_inside(writer, form >= FORM_CRAIG || has_after || has_several)) {
        if (form >= FORM_CRAIG) {
            write_dh_row(writer, joint, form, part->location);
        } else if (has_after) {
            write_placement(writer, "after", &joint->after, part->location);
        }
        if (has_several) {
            write_dofs(out, joint, index);
        }
        close_inside(writer, "/joint>\n");
    }
}

void lwi_native_write_part(const lwi_native_out *out, int index)
{
    const lwi_part *part = &out->mech->part.at[index];
    const lwi_native_kind *kind = lwi_native_kind_of(part->kind);
    if (kind->write) {
        kind->write(out, part, index);
    } else if (kind->element[0]) { // removed parts have none
        write_head(out, part, index);
        lwi_text_add(out->writer->out, "/>\n");
    }
}
