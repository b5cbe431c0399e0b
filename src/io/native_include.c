// <include>: the parts of another file as parts of this one, and what this file says of them.
#include "native.h"

#include "../parts/include.h"

#include <string.h>

static void include_file(lwi_native_scope *scope, lwi_xml_node *node)
{
    lwi_native_reader *reader = scope->reader;
    const char *file;
    lw_location at;
    lw_mech *other = NULL;
    if (!lwi_native_good(reader, lwi_xml_read_name(node, "file", &file, reader->report))) {
        return;
    }
    lwi_xml_value(node, "file", &at);
    if (!lwi_native_good(reader,
                         lwi_load_nested(reader->context, file, at, &other, reader->report))) {
        return;
    }
    const lw_status status = lwi_include(scope->mech, other);
    if (status == LW_ERR_MEMORY) {
        lwi_native_has_memory(reader, false, at);
    } else if (!lwi_native_good(reader, status)) {
        lwi_report_error(reader->report, at, status, "%s", lw_mech_message(scope->mech));
    }
}

// An included joint, or link or ground, by its name; -1, reported, where there is none.
static int find_included(lwi_native_scope *scope, lwi_xml_node *node, const char *attr,
                         bool is_joint)
{
    lwi_native_reader *reader = scope->reader;
    const char *name;
    lw_location at = node->at;
    if (!lwi_native_good(reader, lwi_xml_read_name(node, attr, &name, reader->report))) {
        return -1;
    }
    lwi_xml_value(node, attr, &at);
    lw_part part = lw_find_part(scope->mech, name, is_joint ? LW_PART_JOINT : LW_PART_LINK);
    if (part.index < 0 && !is_joint) {
        part = lw_find_part(scope->mech, name, LW_PART_GROUND);
    }
    if (part.index >= 0) {
        return part.index;
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    const int count = lwi_native_may_suggest(reader) ? scope->mech->part.count : 0;
    for (int i = 0; i < count; ++i) {
        if (is_joint == (scope->mech->part.at[i].kind == LW_PART_JOINT)) {
            lw_nearest_offer(&nearest, scope->mech->part.at[i].name);
        }
    }
    char room[LWI_CLIP_SIZE];
    lwi_native_good(reader, lwi_report_error(reader->report, at, LW_ERR_NAME,
                                             "no included file has a %s \"%s\"%s%s%s",
                                             is_joint ? "joint" : "link", lwi_clip(name, room),
                                             LWI_MEANT(nearest)));
    return -1;
}

static void add_frame(lwi_native_scope *scope, lwi_xml_node *node)
{
    lwi_native_reader *reader = scope->reader;
    const char *name;
    const int part = find_included(scope, node, "at", false);
    lw_placement placement = lw_placement_identity();
    lwi_native_placement(reader, node, &placement);
    if (lwi_native_good(reader, lwi_xml_read_name(node, "name", &name, reader->report)) &&
        part >= 0) {
        const lw_port port = lw_add_frame(scope->mech, (lw_part){part}, name, &placement, node->at);
        lwi_native_has_memory(reader, port.index >= 0, node->at);
    }
}

static void adjust_joint(lwi_native_scope *scope, lwi_xml_node *node)
{
    lwi_native_reader *reader = scope->reader;
    const int part = find_included(scope, node, "joint", true);
    if (part < 0) {
        return;
    }
    lw_joint_def def;
    lw_get_joint_def(scope->mech, (lw_part){part}, &def);
    const lw_joint_type old = def.type;
    lw_joint_type type = old;
    def.location = node->at;
    if (lwi_native_has(node, "type") && lwi_native_joint_type(reader, node, &type) && type != old) {
        const lw_joint_def fresh = lw_default_joint_def();
        memcpy(def.dof, fresh.dof, sizeof def.dof);
        def.type = type;
    }
    lwi_native_joint_axes(reader, node, !lwi_joint_row_of(old)->has_pitch, &def);
    lwi_native_good(reader, lwi_xml_read_bool(node, "dependent", &def.dependent, reader->report));
    lwi_native_read_dofs(reader, node, &def);
    const lw_status status = lw_set_joint_def(scope->mech, (lw_part){part}, &def);
    if (!lwi_native_good(reader, status)) {
        lwi_report_error(reader->report, node->at, status, "%s", lw_mech_message(scope->mech));
    }
}

void lwi_native_include(lwi_native_scope *scope)
{
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "include"); node;
         node = lwi_xml_next(node, "include")) {
        include_file(scope, node);
    }
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "frame"); node;
         node = lwi_xml_next(node, "frame")) {
        add_frame(scope, node);
    }
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "adjust"); node;
         node = lwi_xml_next(node, "adjust")) {
        adjust_joint(scope, node);
    }
}
