// Joints: their type, their four forms of placement, and their degrees of freedom.
#include "native_kinds.h"

#include <stddef.h>
#include <string.h>

static const char *const sides_words[] = {"frames", "points", "reference", NULL};

const lwi_native_field lwi_native_joint_field[LWI_NATIVE_JOINT_FIELDS] = {
    {"branch", offsetof(lw_joint_def, branch), LWI_FIELD_WORD, lwi_native_branch_words,
     lwi_native_branch_values, NULL, NULL},
    {"sides", offsetof(lw_joint_def, sides), LWI_FIELD_WORD, sides_words, NULL, NULL, NULL},
    {"dependent", offsetof(lw_joint_def, dependent), LWI_FIELD_FLAG, NULL, NULL, NULL, NULL},
    {"role", offsetof(lw_joint_def, role), LWI_FIELD_WORD, lwi_native_role_words,
     lwi_native_role_values, NULL, NULL}};

bool lwi_native_joint_type(lwi_native_reader *reader, lwi_xml_node *node, lw_joint_type *out)
{
    lw_location at;
    const char *value = lwi_xml_value(node, "type", &at);
    lw_status status = LW_OK;
    if (!value) {
        status = lwi_report_error(reader->report, node->at, LW_ERR_MODEL,
                                  "<joint> needs the attribute \"type\"");
    } else if (strcmp(value, "continuous") == 0) {
        status = lwi_report_error(reader->report, at, LW_ERR_NAME,
                                  "<%s type=\"continuous\">: here that is a revolute joint "
                                  "without lower and upper",
                                  node->tag);
    } else {
        const char *words[LWI_JOINT_TYPES] = {NULL}; // all but user joints
        lw_joint_type type[LWI_JOINT_TYPES];
        int n = 0;
        for (int i = 0; i < LWI_JOINT_TYPES; ++i) {
            if (i != LW_JOINT_USER) {
                type[n] = (lw_joint_type)i;
                words[n] = lw_joint_type_name(type[n]);
                ++n;
            }
        }
        const int word = lwi_native_word(reader, node, "type", words);
        *out = word < 0 ? LW_JOINT_FIXED : type[word];
        return word >= 0;
    }
    *out = LW_JOINT_FIXED;
    return lwi_native_good(reader, status);
}

// --- Degrees of freedom -----------------------------------------------------------------------

#define NUMBER(name)                                                                               \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_dof, name), .type = LWI_FIELD_NUMBER                  \
    }
#define ANGLE(name)                                                                                \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_dof, name), .type = LWI_FIELD_ANGLE                   \
    }

// What an angle's unit applies to is marked; damping and stiffness are per radian everywhere.
const lwi_native_field lwi_native_dof_field[LWI_NATIVE_DOF_FIELDS] = {
    ANGLE(lower),      ANGLE(upper),       ANGLE(max_velocity), ANGLE(max_acceleration),
    NUMBER(max_force), NUMBER(damping),    NUMBER(friction),    NUMBER(rotor_inertia),
    NUMBER(stiffness), ANGLE(spring_rest), ANGLE(reference)};

static void read_dof(lwi_native_reader *reader, lwi_xml_node *node, bool is_rotation, lw_dof *out)
{
    for (int i = 0; i < LWI_NATIVE_DOF_FIELDS; ++i) {
        lwi_native_field field = lwi_native_dof_field[i];
        field.type = is_rotation ? field.type : LWI_FIELD_NUMBER;
        lwi_native_read_field(reader, node, &field, (char *)out + field.offset);
    }
}

// The first attribute of a degree of freedom that an element has, or null.
static const char *any_dof_attr(lwi_xml_node *node)
{
    for (int i = 0; i < LWI_NATIVE_DOF_FIELDS; ++i) {
        if (lwi_native_has(node, lwi_native_dof_field[i].attr)) {
            return lwi_native_dof_field[i].attr;
        }
    }
    return NULL;
}

static void read_named_dof(lwi_native_reader *reader, lwi_xml_node *node, lw_joint_def *def,
                           bool is_taken[LW_MAX_DOF])
{
    const char *name;
    if (!lwi_native_good(reader, lwi_xml_read_name(node, "name", &name, reader->report))) {
        return;
    }
    const int i = lwi_native_word(reader, node, "name", lwi_joint_row_of(def->type)->velocity);
    if (i < 0) {
        return;
    }
    if (is_taken[i]) {
        lwi_native_good(reader,
                        lwi_report_error(reader->report, node->at, LW_ERR_NAME,
                                         "joint \"%s\": degree of freedom \"%s\" is given twice",
                                         def->name, name));
        return;
    }
    is_taken[i] = true;
    read_dof(reader, node, lwi_joint_row_of(def->type)->is_rotation[i], &def->dof[i]);
}

void lwi_native_read_dofs(lwi_native_reader *reader, lwi_xml_node *node, lw_joint_def *def)
{
    const int nv = def->closing ? 0 : lw_joint_type_nv(def->type);
    const char *attr = any_dof_attr(node);
    lwi_xml_node *child = lwi_xml_child(node, "dof");
    const char *type = def->closing ? "closing" : lw_joint_type_name(def->type);
    if (nv == 1) {
        read_dof(reader, node, lwi_joint_row_of(def->type)->is_rotation[0], &def->dof[0]);
    } else if (attr) {
        lwi_native_good(
            reader,
            lwi_report_error(
                reader->report, node->at, LW_ERR_MODEL,
                nv ? "joint \"%s\": %s belongs to one degree of freedom; a %s joint has them as "
                     "<dof name=...>"
                   : "joint \"%s\": %s belongs to a degree of freedom; a %s joint has none",
                def->name, attr, type));
    }
    if (nv < 2 && child) {
        lwi_native_good(reader,
                        lwi_report_error(reader->report, child->at, LW_ERR_MODEL,
                                         nv ? "joint \"%s\": a %s joint has one degree of freedom; "
                                              "its attributes belong in <%s> itself"
                                            : "joint \"%s\": a %s joint has no degree of freedom",
                                         def->name, type, node->tag));
        return;
    }
    bool is_taken[LW_MAX_DOF] = {false};
    for (; child; child = lwi_xml_next(child, "dof")) {
        read_named_dof(reader, child, def, is_taken);
    }
}

// --- Placement --------------------------------------------------------------------------------

typedef struct dh_row {
    double alpha, a, theta, d;
} dh_row;

static lw_status read_dh_row(lwi_native_reader *reader, lwi_xml_node *node, dh_row *row)
{
    const struct {
        const char *attr;
        double *out;
        bool is_angle;
    } table[] = {{"alpha", &row->alpha, true},
                 {"a", &row->a, false},
                 {"theta", &row->theta, true},
                 {"d", &row->d, false}};
    lw_status status = LW_OK;
    for (int i = 0; i < 4; ++i) {
        const lw_status one =
            lwi_xml_read_number(node, table[i].attr, false, table[i].out, reader->report);
        status = one != LW_OK ? one : status;
        if (table[i].is_angle) {
            *table[i].out = lwi_native_angle(reader, *table[i].out);
        }
    }
    return status;
}

static bool has_placement(lwi_xml_node *node)
{
    return lwi_native_has(node, "xyz") || lwi_native_has(node, "rpy") ||
           lwi_native_has(node, "quat") || lwi_native_has(node, "matrix") ||
           lwi_native_has(node, "dh");
}

// The forms exclude each other, and each has its own idea of the axis and of port b.
static lw_status check_forms(lwi_native_reader *reader, lwi_xml_node *node)
{
    lwi_xml_node *craig = lwi_native_only(reader, node, "craig");
    lwi_xml_node *paul = lwi_native_only(reader, node, "paul");
    lwi_xml_node *after = lwi_native_only(reader, node, "after");
    const bool has_point = lwi_native_has(node, "point");
    const char *name = lwi_xml_value(node, "name", NULL);
    char room[LWI_CLIP_SIZE];
    name = lwi_clip(name ? name : "", room);
    if (has_placement(node) + has_point + (craig != NULL) + (paul != NULL) > 1) {
        return lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                "joint \"%s\": one form of placement, please: xyz and the like, or "
                                "point, or <craig>, or <paul>",
                                name);
    }
    if (after && (has_point || craig || paul)) {
        return lwi_report_error(reader->report, after->at, LW_ERR_SYNTAX,
                                "joint \"%s\": <after> goes with xyz and the like; point, <craig> "
                                "and <paul> place the next part themselves",
                                name);
    }
    if ((craig || paul) && lwi_native_has(node, "axis")) {
        return lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                "joint \"%s\": the axis of a Denavit-Hartenberg row is z; leave "
                                "out axis",
                                name);
    }
    return LW_OK;
}

lw_status lwi_native_joint_placements(lwi_native_reader *reader, lwi_xml_node *node,
                                      lw_placement *before, lw_placement *after)
{
    lwi_xml_node *craig = lwi_xml_child(node, "craig"), *paul = lwi_xml_child(node, "paul");
    lwi_xml_node *after_node = lwi_xml_child(node, "after");
    lw_status status = check_forms(reader, node);
    if (status == LW_OK && (craig || paul)) {
        dh_row row = {0.0, 0.0, 0.0, 0.0};
        status = read_dh_row(reader, craig ? craig : paul, &row);
        if (status == LW_OK && craig) {
            *before = lw_placement_dh(row.alpha, row.a, row.theta, row.d);
        } else if (status == LW_OK) {
            *before = lw_placement_dh(0.0, 0.0, row.theta, row.d);
            *after = lw_placement_dh(row.alpha, row.a, 0.0, 0.0);
        }
    } else if (status == LW_OK) {
        status = lwi_native_placement(reader, node, before);
        if (after_node) {
            const lw_status other = lwi_native_placement(reader, after_node, after);
            status = status != LW_OK ? status : other;
        }
    }
    lwi_native_good(reader, status);
    return status;
}

// Both sides of a closing joint have a placement of their own, and it has nothing to depend.
static void check_closing(lwi_native_reader *reader, lwi_xml_node *node, const lw_joint_def *def)
{
    if (!def->closing) {
        return;
    }
    const char *why = NULL;
    if (def->dependent) {
        why = "dependent is for joints with coordinates; a closing joint has none";
    } else if (lwi_native_has(node, "point") || lwi_xml_child(node, "craig") ||
               lwi_xml_child(node, "paul")) {
        why = "a closing joint is placed by xyz and the like, and its other side by <after>";
    }
    if (why) {
        lwi_native_good(reader, lwi_report_error(reader->report, node->at, LW_ERR_MODEL,
                                                 "joint \"%s\": %s", def->name, why));
    }
}

// Whether a joint of its type has such an attribute; a warning where it is given in vain.
static bool may_have(const lwi_native_reader *reader, lwi_xml_node *node, const char *attr,
                     bool has_attr, const lw_joint_def *def)
{
    lw_location at;
    if (!has_attr && lwi_xml_value(node, attr, &at)) {
        lwi_report_warning(reader->report, at, LW_DIAG_UNUSED_ATTRIBUTE,
                           "joint \"%s\": \"%s\" is not used: a %s joint has none", def->name, attr,
                           lw_joint_type_name(def->type));
    }
    return has_attr;
}

void lwi_native_joint_axes(lwi_native_reader *reader, lwi_xml_node *node, bool needs_pitch,
                           lw_joint_def *def)
{
    const lwi_joint_row *row = lwi_joint_row_of(def->type);
    lwi_native_vector(reader, node, "axis", false, &def->axis);
    if (may_have(reader, node, "axis2", row->has_axis2, def)) {
        lwi_native_vector(reader, node, "axis2", false, &def->axis2);
    }
    if (may_have(reader, node, "pitch", row->has_pitch, def)) {
        lwi_native_good(
            reader, lwi_xml_read_number(node, "pitch", needs_pitch, &def->pitch, reader->report));
    }
}

void lwi_native_add_joint(lwi_native_scope *scope, lwi_native_part *part)
{
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_joint_def def = lw_default_joint_def();
    if (!part->has_type) {
        return; // it was said, and what a joint of no type may have is anyone's guess
    }
    def.name = part->name;
    def.location = node->at;
    def.type = part->type;
    lwi_native_joint_axes(reader, node, true, &def);
    def.closing = part->is_closing;
    lwi_native_read_fields(scope, part, lwi_native_joint_field, LWI_NATIVE_JOINT_FIELDS, &def);
    check_closing(reader, node, &def);
    lwi_native_read_dofs(reader, node, &def);
    lwi_native_joint_placements(reader, node, &def.before, &def.after);
    if (part->zero[0] && part->zero[1]) {
        def.before = lw_placement_of_pose(part->zero[0]);
        def.after = lw_placement_of_pose(part->zero[1]);
    }
    part->part = lw_add_joint(scope->mech, &def);
    const bool is_kept =
        part->part.index >= 0 &&
        (!part->given || lwi_set_zero_form(scope->mech, part->part.index, part->given));
    lwi_native_has_memory(reader, is_kept, node->at);
}
