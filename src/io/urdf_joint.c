// Joints, and what mimics what.
#include "urdf.h"

#include "../math/joint_types.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The type that a word of URDF means; LWI_JOINT_TYPES where it is none.
static int find_type(const char *word, lw_nearest *nearest)
{
    int type = 0;
    for (; type < LWI_JOINT_TYPES; ++type) {
        const char *urdf = lwi_joint_row_of((lw_joint_type)type)->urdf;
        if (urdf && strcmp(urdf, word) == 0) {
            return type;
        }
        lw_nearest_offer(nearest, urdf ? urdf : "");
    }
    lw_nearest_offer(nearest, "continuous"); // a revolute joint without limits of position
    return strcmp(word, "continuous") == 0 ? LW_JOINT_REVOLUTE : type;
}

// "joint NAME", for messages.
static const char *who(const lwi_urdf_joint *joint, char text[LWI_CLIP_SIZE + 16])
{
    char clip[LWI_CLIP_SIZE];
    snprintf(text, LWI_CLIP_SIZE + 16, "joint \"%s\"", lwi_clip(joint->name, clip));
    return text;
}

static void read_type(lwi_urdf_reader *reader, lwi_urdf_joint *joint)
{
    lw_location at;
    const char *word = NULL;
    char clip[LWI_CLIP_SIZE];
    lw_status status = lwi_xml_read_name(joint->node, "type", &word, reader->report);
    if (!lwi_urdf_good(reader, status)) {
        return;
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, word);
    const int type = find_type(word, &nearest);
    if (type < LWI_JOINT_TYPES) {
        joint->type = (lw_joint_type)type;
        return;
    }
    lwi_xml_value(joint->node, "type", &at);
    lwi_urdf_good(reader,
                  lwi_report_error(reader->report, at, LW_ERR_MODEL,
                                   "there is no joint type \"%s\"%s%s%s", lwi_clip(word, clip),
                                   nearest.best ? "; did you mean \"" : "",
                                   nearest.best ? nearest.best : "", nearest.best ? "\"?" : ""));
}

// The link that <parent> or <child> names, or -1. A second one would make two parents of it, or two
// children, and is refused.
static int read_end(lwi_urdf_reader *reader, const lwi_urdf_joint *joint, const char *tag,
                    lw_location *at)
{
    char text[LWI_CLIP_SIZE + 16];
    const char *name = NULL;
    lwi_xml_node *end = lwi_xml_child(joint->node, tag);
    if (!end) {
        lwi_urdf_good(reader, lwi_report_error(reader->report, joint->node->at, LW_ERR_MODEL,
                                               "%s has no <%s>", who(joint, text), tag));
        return -1;
    }
    lwi_xml_node *second = lwi_xml_next(end, tag);
    if (second) {
        lwi_urdf_good(reader,
                      lwi_report_error(reader->report, second->at, LW_ERR_MODEL,
                                       "%s has a second <%s>; the first is at %d:%d",
                                       who(joint, text), tag, end->at.line, end->at.column));
        lwi_xml_skip(second);
    }
    if (!lwi_urdf_good(reader, lwi_xml_read_name(end, "link", &name, reader->report))) {
        return -1;
    }
    lwi_xml_value(end, "link", at);
    return lwi_urdf_find(reader, true, name, *at, who(joint, text));
}

static void read_ends(lwi_urdf_reader *reader, int index)
{
    lwi_urdf_joint *joint = &reader->joint[index];
    char text[LWI_CLIP_SIZE + 16], clip[LWI_CLIP_SIZE], clip2[LWI_CLIP_SIZE];
    lw_location parent_at;
    joint->parent = read_end(reader, joint, "parent", &parent_at);
    joint->child = read_end(reader, joint, "child", &joint->child_at);
    if (joint->parent < 0 || joint->child < 0) {
        return;
    }
    lwi_urdf_link *child = &reader->link[joint->child];
    if (joint->parent == joint->child) {
        lwi_urdf_good(reader,
                      lwi_report_error(reader->report, joint->child_at, LW_ERR_MODEL,
                                       "%s joins link \"%s\" with itself; its parent is at %d:%d",
                                       who(joint, text), lwi_clip(child->name, clip),
                                       parent_at.line, parent_at.column));
        joint->child = -1;
        return;
    }
    if (child->parent_joint >= 0) {
        const lwi_urdf_joint *other = &reader->joint[child->parent_joint];
        lwi_urdf_good(reader,
                      lwi_report_error(reader->report, joint->child_at, LW_ERR_MODEL,
                                       "link \"%s\" has two parents: by %s here, and by joint "
                                       "\"%s\" at %d:%d",
                                       lwi_clip(child->name, clip), who(joint, text),
                                       lwi_clip(other->name, clip2), other->child_at.line,
                                       other->child_at.column));
        joint->child = -1;
        return;
    }
    child->parent_joint = index;
}

// What it follows is looked for later: it may stand further down.
static void read_law(lwi_urdf_reader *reader, lwi_urdf_joint *joint)
{
    lwi_xml_node *mimic = lwi_xml_only(joint->node, "mimic", reader->report);
    char text[LWI_CLIP_SIZE + 16];
    joint->mimics = -1;
    if (!mimic) {
        return;
    }
    joint->law[0] = 0;
    joint->law[1] = 1;
    lwi_urdf_good(reader,
                  lwi_xml_read_number(mimic, "offset", false, &joint->law[0], reader->report));
    lwi_urdf_good(reader,
                  lwi_xml_read_number(mimic, "multiplier", false, &joint->law[1], reader->report));
    const char *name = NULL;
    if (!lwi_urdf_good(reader, lwi_xml_read_name(mimic, "joint", &name, reader->report))) {
        return;
    }
    lwi_xml_value(mimic, "joint", &joint->mimics_at);
    if (joint->type == LW_JOINT_FIXED) {
        lwi_report_note(reader->report, mimic->at, LW_DIAG_MIMIC_FIXED,
                        "%s is fixed; its <mimic> is ignored", who(joint, text));
        return;
    }
    joint->mimics = lwi_urdf_find(reader, false, name, joint->mimics_at, who(joint, text));
}

// Only joints of one degree of freedom can follow or be followed; a fixed one has nothing to
// follow.
static void check_law(lwi_urdf_reader *reader, lwi_urdf_joint *joint)
{
    char text[LWI_CLIP_SIZE + 16], clip[LWI_CLIP_SIZE];
    if (joint->mimics < 0) {
        return;
    }
    const lwi_urdf_joint *source = &reader->joint[joint->mimics];
    if (source->type == LW_JOINT_FIXED) {
        lwi_report_warning(reader->report, joint->mimics_at, LW_DIAG_MIMIC_FIXED,
                           "%s mimics joint \"%s\", which is fixed; its <mimic> is ignored",
                           who(joint, text), lwi_clip(source->name, clip));
        joint->mimics = -1;
        return;
    }
    const bool is_single = lw_joint_type_nv(joint->type) == 1;
    if (!is_single || lw_joint_type_nv(source->type) != 1) {
        lwi_urdf_good(reader,
                      lwi_report_error(reader->report, joint->mimics_at, LW_ERR_MODEL,
                                       "%s mimics joint \"%s\", but %s is %s", who(joint, text),
                                       lwi_clip(source->name, clip), is_single ? "that" : "it",
                                       lw_joint_type_name(is_single ? source->type : joint->type)));
        joint->mimics = -1;
    }
}

void lwi_urdf_read_joints(lwi_urdf_reader *reader)
{
    for (int i = 0; i < reader->njoint; ++i) {
        read_type(reader, &reader->joint[i]);
        read_ends(reader, i);
    }
    for (int i = 0; i < reader->njoint; ++i) {
        read_law(reader, &reader->joint[i]);
    }
    for (int i = 0; i < reader->njoint; ++i) {
        check_law(reader, &reader->joint[i]);
    }
}

// --- Into the description ---------------------------------------------------------------------

// The writer says "no limit" by the largest number, because URDF needs these attributes.
static double unlimited(double limit)
{
    return limit >= DBL_MAX ? (double)INFINITY : limit <= -DBL_MAX ? -(double)INFINITY : limit;
}

// As the format has it, lower and upper are zero where <limit> leaves them out.
static void read_limit(lwi_urdf_reader *reader, lwi_xml_node *limit, bool has_range, lw_dof *dof)
{
    lw_report *report = reader->report;
    const char *acceleration =
        lwi_xml_value(limit, "acceleration", NULL) ? "acceleration" : "drake:acceleration";
    double range[2] = {0, 0};
    lwi_urdf_good(reader, lwi_xml_read_number(limit, "lower", false, &range[0], report));
    lwi_urdf_good(reader, lwi_xml_read_number(limit, "upper", false, &range[1], report));
    lwi_urdf_good(reader,
                  lwi_xml_read_number(limit, "velocity", false, &dof->max_velocity, report));
    lwi_urdf_good(reader, lwi_xml_read_number(limit, "effort", false, &dof->max_force, report));
    lwi_urdf_good(reader,
                  lwi_xml_read_number(limit, acceleration, false, &dof->max_acceleration, report));
    dof->max_velocity = unlimited(dof->max_velocity);
    dof->max_force = unlimited(dof->max_force);
    if (has_range) {
        dof->lower = unlimited(range[0]);
        dof->upper = unlimited(range[1]);
    }
}

static void read_dofs(lwi_urdf_reader *reader, const lwi_urdf_joint *joint, lw_joint_def *def,
                      int *nunlimited)
{
    const int nv = lw_joint_type_nv(joint->type);
    lw_dof *first = &def->dof[0];
    lw_report *report = reader->report;
    if (nv == 1) {
        const bool is_continuous =
            strcmp(lwi_xml_value(joint->node, "type", NULL), "continuous") == 0;
        lwi_xml_node *limit = lwi_xml_only(joint->node, "limit", report);
        if (limit) {
            read_limit(reader, limit, !is_continuous, first);
        } else if (!is_continuous) {
            ++*nunlimited;
        }
        first->rotor_inertia = joint->rotor_inertia;
    }
    lwi_xml_node *dynamics = nv > 0 ? lwi_xml_only(joint->node, "dynamics", report) : NULL;
    if (dynamics) {
        lwi_urdf_good(reader,
                      lwi_xml_read_number(dynamics, "damping", false, &first->damping, report));
        lwi_urdf_good(reader,
                      lwi_xml_read_number(dynamics, "friction", false, &first->friction, report));
    }
    for (int i = 1; i < nv; ++i) {
        def->dof[i].damping = first->damping;
        def->dof[i].friction = first->friction;
    }
}

static void read_axis(lwi_urdf_reader *reader, const lwi_urdf_joint *joint, lw_joint_def *def)
{
    double axis[3] = {1, 0, 0};
    lwi_xml_node *node = lwi_xml_only(joint->node, "axis", reader->report);
    if (!node) {
        def->axis = lw_vec3_of(1, 0, 0);
        return;
    }
    if (!lwi_joint_row_of(joint->type)->has_axis) {
        lwi_xml_skip(node); // files give all kinds of axes here, (0, 0, 0) too
        return;
    }
    lwi_urdf_good(reader, lwi_xml_read_numbers(node, "xyz", false, 3, axis, reader->report));
    def->axis = lw_vec3_of(axis[0], axis[1], axis[2]);
    const double length = lw_norm3(def->axis);
    if (fabs(length - 1.0) > 0.01 && length > 0.0) { // files round to a few digits
        char text[LWI_CLIP_SIZE + 16];
        lwi_report_warning(reader->report, node->at, LW_DIAG_AXIS_LENGTH,
                           "%s: its axis has length %.4g, not 1; only the direction is used",
                           who(joint, text), length);
    }
}

static void connect(lwi_urdf_reader *reader, const lwi_urdf_joint *joint)
{
    lw_mech *mech = reader->mech;
    const lw_part parent = reader->link[joint->parent].part;
    const lw_part child = reader->link[joint->child].part;
    lw_status status =
        lw_connect(mech, lw_port_of(mech, parent, "b"), lw_port_of(mech, joint->part, "a"));
    if (status == LW_OK) {
        status = lw_connect(mech, lw_port_of(mech, joint->part, "b"), lw_port_of(mech, child, "a"));
    }
    if (status != LW_OK) {
        lwi_urdf_good(reader, lwi_report_error(reader->report, joint->node->at, status, "%s",
                                               lw_mech_message(mech)));
    }
}

static void add_joint(lwi_urdf_reader *reader, lwi_urdf_joint *joint, int *nunlimited)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = joint->name;
    def.location = joint->node->at;
    def.type = joint->type;
    def.before = lwi_urdf_origin(reader, joint->node);
    def.dependent = joint->mimics >= 0;
    read_axis(reader, joint, &def);
    read_dofs(reader, joint, &def, nunlimited);
    if (reader->status != LW_OK) {
        return; // it was read for what else is wrong with it
    }
    joint->part = lw_add_joint(reader->mech, &def);
    if (joint->part.index < 0) {
        lwi_urdf_good(reader, LW_ERR_MEMORY);
        return;
    }
    connect(reader, joint);
}

static void add_coupling(lwi_urdf_reader *reader, const lwi_urdf_joint *joint)
{
    lw_coupling_def def = lw_default_coupling_def();
    def.dependent = joint->name;
    def.source = reader->joint[joint->mimics].name;
    def.ncoefficient = 2;
    def.coefficient = joint->law;
    def.location = joint->mimics_at;
    const lw_status status = lw_add_coupling(reader->mech, &def);
    if (status != LW_OK) {
        lwi_urdf_good(reader, lwi_report_error(reader->report, def.location, status, "%s",
                                               lw_mech_message(reader->mech)));
    }
}

void lwi_urdf_add_joints(lwi_urdf_reader *reader)
{
    int nunlimited = 0;
    const lwi_urdf_joint *unlimited = NULL;
    for (int i = 0; i < reader->njoint && reader->status != LW_ERR_MEMORY; ++i) {
        add_joint(reader, &reader->joint[i], &nunlimited);
        if (nunlimited > 0 && !unlimited) {
            unlimited = &reader->joint[i];
        }
    }
    for (int i = 0; i < reader->njoint && reader->status == LW_OK; ++i) {
        if (reader->joint[i].mimics >= 0) {
            add_coupling(reader, &reader->joint[i]);
        }
    }
    if (unlimited) {
        char text[LWI_CLIP_SIZE + 16];
        lwi_report_note(reader->report, unlimited->node->at, LW_DIAG_LIMIT_MISSING,
                        "%s has no <limit> (%d in all); it is taken as unlimited",
                        who(unlimited, text), nunlimited);
    }
}
