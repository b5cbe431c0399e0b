// Visual and collision shapes.
#include "urdf.h"

#include <string.h>

typedef struct kind_row {
    const char *tag;
    lw_shape_type type;
} kind_row;

// Capsules are not in URDF, but in many files that call themselves so.
static const kind_row kind_table[] = {
    {"box", LW_SHAPE_BOX},
    {"sphere", LW_SHAPE_SPHERE},
    {"cylinder", LW_SHAPE_CYLINDER},
    {"capsule", LW_SHAPE_CAPSULE},
    {"drake:capsule", LW_SHAPE_CAPSULE},
    {"mesh", LW_SHAPE_MESH},
};

// The first child that is a shape, or null.
static lwi_xml_node *find_shape(lwi_xml_node *geometry, lw_shape_type *type)
{
    for (lwi_xml_node *node = geometry->first_child; node; node = node->next) {
        for (size_t i = 0; i < sizeof kind_table / sizeof *kind_table; ++i) {
            if (strcmp(node->tag, kind_table[i].tag) == 0) {
                node->is_used = true;
                *type = kind_table[i].type;
                return node;
            }
        }
    }
    return NULL;
}

// False where there is no file to speak of; the link is good without it.
static bool read_mesh(lwi_urdf_reader *reader, lwi_xml_node *node, lw_shape_def *def, lw_mesh *data)
{
    lw_location at;
    double scale[3] = {1, 1, 1};
    def->mesh = lwi_xml_value(node, "filename", &at);
    if (!def->mesh || !*def->mesh) {
        lwi_report_warning(reader->report, def->mesh ? at : node->at, LW_DIAG_MESH_UNNAMED,
                           "<mesh> names no file");
        return false;
    }
    lwi_urdf_good(reader, lwi_xml_read_numbers(node, "scale", false, 3, scale, reader->report));
    def->size = lw_vec3_of(scale[0], scale[1], scale[2]);
    lwi_urdf_good(reader, lwi_find_mesh(reader->context, def, at, data, reader->report));
    return true;
}

static bool read_size(lwi_urdf_reader *reader, lwi_xml_node *node, lw_shape_def *def, lw_mesh *data)
{
    lw_report *report = reader->report;
    double size[3] = {0};
    bool is_good = true;
    switch (def->type) {
    case LW_SHAPE_MESH:
        return read_mesh(reader, node, def, data);
    case LW_SHAPE_BOX:
        is_good = lwi_urdf_good(reader, lwi_xml_read_numbers(node, "size", true, 3, size, report));
        break;
    case LW_SHAPE_CYLINDER:
    case LW_SHAPE_CAPSULE:
        is_good =
            lwi_urdf_good(reader, lwi_xml_read_number(node, "length", true, &size[2], report));
        // fall through
    case LW_SHAPE_SPHERE:
        is_good &=
            lwi_urdf_good(reader, lwi_xml_read_number(node, "radius", true, &size[0], report));
        break;
    }
    def->size = lw_vec3_of(size[0], size[1], size[2]);
    return is_good;
}

static void add_shape(lwi_urdf_reader *reader, const lwi_urdf_link *link, lwi_xml_node *node,
                      lw_shape_role role)
{
    char clip[LWI_CLIP_SIZE];
    lw_shape_def def = lw_default_shape_def();
    lw_mesh data;
    def.role = role;
    def.location = node->at;
    def.name = lwi_xml_value(node, "name", NULL);
    def.name = def.name && *def.name ? def.name : NULL;
    def.placement = lwi_urdf_origin(reader, node);
    lwi_xml_node *geometry = lwi_xml_only(node, "geometry", reader->report);
    lwi_xml_node *shape = geometry ? find_shape(geometry, &def.type) : NULL;
    if (!shape) {
        lwi_report_warning(reader->report, node->at, LW_DIAG_SHAPE_MISSING,
                           "link \"%s\": <%s> has no shape", lwi_clip(link->name, clip), node->tag);
        return;
    }
    if (role == LW_SHAPE_VISUAL) {
        lwi_urdf_read_color(reader, node, &def);
    }
    if (read_size(reader, shape, &def, &data) && reader->status == LW_OK &&
        lw_add_shape(reader->mech, link->part, &def) < 0) {
        lwi_urdf_good(reader, LW_ERR_MEMORY);
    }
}

void lwi_urdf_add_shapes(lwi_urdf_reader *reader, lwi_urdf_link *link, const char *tag)
{
    const bool is_visual = strcmp(tag, "visual") == 0;
    lwi_xml_node *node = lwi_xml_child(link->node, tag);
    for (; node && reader->status != LW_ERR_MEMORY; node = lwi_xml_next(node, tag)) {
        add_shape(reader, link, node, is_visual ? LW_SHAPE_VISUAL : LW_SHAPE_COLLISION);
    }
}
