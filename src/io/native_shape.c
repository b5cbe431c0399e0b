// Shapes. A shape that others stand in encloses them: nesting is the bounding tree.
#include "native.h"

#include <string.h>

static const char *const role_words[] = {"collision", "visual", "bound", NULL};

static bool has_shape_inside(const lwi_xml_node *node)
{
    for (const lwi_xml_node *child = node->first_child; child; child = child->next) {
        if (lwi_native_is_shape(child->tag)) {
            return true;
        }
    }
    return false;
}

static void read_role(lwi_native_reader *reader, lwi_xml_node *node, lw_shape_def *def)
{
    const int role = lwi_native_word(reader, node, "role", role_words);
    if (role >= 0) {
        def->role = (lw_shape_role)role;
    } else {
        def->role = has_shape_inside(node) ? LW_SHAPE_BOUND : LW_SHAPE_COLLISION;
    }
}

static void read_mesh(lwi_native_reader *reader, lwi_xml_node *node, lw_shape_def *def,
                      lw_mesh *data)
{
    def->type = LW_SHAPE_MESH;
    def->size = lw_vec3_of(1.0, 1.0, 1.0);
    lwi_native_vector(reader, node, "scale", false, &def->size);
    lwi_native_good(reader, lwi_xml_read_bool(node, "convex", &def->is_convex, reader->report));
    if (!lwi_native_good(reader, lwi_xml_read_name(node, "file", &def->mesh, reader->report))) {
        def->mesh = "?";
        return;
    }
    lw_location at;
    lwi_xml_value(node, "file", &at);
    lwi_native_good(reader, lwi_find_mesh(reader->context, def, at, data, reader->report));
}

static void read_size(lwi_native_reader *reader, lwi_xml_node *node, lw_shape_def *def,
                      lw_mesh *data)
{
    static const char *const tag[] = {[LW_SHAPE_BOX] = "box",
                                      [LW_SHAPE_SPHERE] = "sphere",
                                      [LW_SHAPE_CYLINDER] = "cylinder",
                                      [LW_SHAPE_CAPSULE] = "capsule",
                                      [LW_SHAPE_MESH] = "mesh"};
    int type = 0;
    while (type < LW_SHAPE_MESH && strcmp(tag[type], node->tag) != 0) {
        ++type;
    }
    def->type = (lw_shape_type)type;
    def->size = lw_vec3_of(0.0, 0.0, 0.0);
    if (def->type == LW_SHAPE_MESH) {
        read_mesh(reader, node, def, data);
    } else if (def->type == LW_SHAPE_BOX) {
        lwi_native_vector(reader, node, "size", true, &def->size);
    } else {
        lwi_native_good(reader,
                        lwi_xml_read_number(node, "radius", true, &def->size.x, reader->report));
    }
    if (def->type == LW_SHAPE_CYLINDER || def->type == LW_SHAPE_CAPSULE) {
        lwi_native_good(reader,
                        lwi_xml_read_number(node, "length", true, &def->size.z, reader->report));
    }
}

static void read_color(lwi_native_reader *reader, lwi_xml_node *node, lw_shape_def *def)
{
    double v[4] = {0.0, 0.0, 0.0, 1.0};
    int count = 0;
    lw_location at;
    if (!lwi_xml_value(node, "color", &at) ||
        !lwi_native_good(reader,
                         lwi_xml_read_list(node, "color", false, 4, v, &count, reader->report))) {
        return;
    }
    def->has_color = true;
    def->color = (lw_color){v[0], v[1], v[2], v[3]};
    if (count < 3 || !lwi_is_color(&def->color)) {
        lwi_native_good(reader, lwi_report_error(reader->report, at, LW_ERR_MODEL,
                                                 "<%s>: a color has red, green and blue, and "
                                                 "opacity where it is not 1, each from 0 to 1",
                                                 node->tag));
    }
}

static int add_shape(lwi_native_scope *scope, lwi_native_part *part, lwi_xml_node *node, int bound)
{
    lwi_native_reader *reader = scope->reader;
    lw_shape_def def = lw_default_shape_def();
    lw_mesh data;
    def.name = lwi_xml_value(node, "name", NULL);
    def.location = node->at;
    def.bound = bound;
    read_role(reader, node, &def);
    read_size(reader, node, &def, &data);
    read_color(reader, node, &def);
    lwi_native_placement(reader, node, &def.placement);
    const int number = lw_add_shape(scope->mech, part->part, &def);
    lwi_native_has_memory(reader, number >= 0, node->at);
    return number;
}

void lwi_native_add_shapes(lwi_native_scope *scope, lwi_native_part *part)
{
    // The shape that encloses those of a depth; the document is not deeper than that.
    int bound[LWI_XML_MAX_DEPTH + 1];
    const int top = part->node->depth;
    bound[top] = -1;
    for (lwi_xml_node *node = part->node->first_child; node;) {
        const bool is_shape = lwi_native_is_shape(node->tag);
        if (is_shape) {
            bound[node->depth] = add_shape(scope, part, node, bound[node->depth - 1]);
        }
        if (is_shape && node->first_child) {
            node = node->first_child;
            continue;
        }
        while (node && node->depth > top && !node->next) {
            node = node->parent;
        }
        node = node && node->depth > top ? node->next : NULL;
    }
}
