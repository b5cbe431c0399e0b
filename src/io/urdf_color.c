// Materials of URDF: a color, given in a <visual> or by the name of a material elsewhere. Textures
// are not read. Files in use name materials that they forgot to define, so nothing here is an
// error.
#include "urdf.h"

#include "../parts/parts.h"

static const lw_color no_color = {-1.0, -1.0, -1.0, -1.0};

// The color of a <material>; no_color where it has none, or none that can be used, which is
// reported once, when shapes are read.
static lw_color color_of(lwi_xml_node *material, lw_report *report)
{
    double v[4];
    lwi_xml_node *node = lwi_xml_only(material, "color", report);
    if (!node) {
        return no_color;
    }
    const lw_status status = lwi_xml_read_numbers(node, "rgba", true, 4, v, NULL);
    const lw_color color = status == LW_OK ? (lw_color){v[0], v[1], v[2], v[3]} : no_color;
    if (lwi_is_color(&color)) {
        return color;
    }
    lwi_report_warning(report, lwi_xml_location_in(node, "rgba", 0), LW_DIAG_MATERIAL,
                       "rgba must be red, green, blue and opacity, each from 0 to 1; it is not "
                       "used");
    return no_color;
}

static const char *name_of(lwi_xml_node *material)
{
    const char *name = lwi_xml_value(material, "name", NULL);
    return name && *name ? name : NULL;
}

static void keep_material(lwi_urdf_reader *reader, const char *name, lw_color color)
{
    reader->material[reader->nmaterial] = color;
    lwi_urdf_good(reader, lwi_names_add(&reader->material_names, name, reader->nmaterial++)
                              ? LW_OK
                              : LW_ERR_MEMORY);
}

static void list_material(lwi_urdf_reader *reader, lwi_xml_node *node, lw_report *report)
{
    const char *name = name_of(node);
    const lw_color color = color_of(node, report);
    if (name && lwi_is_color(&color) && lwi_names_find(&reader->material_names, name) < 0) {
        keep_material(reader, name, color);
    }
}

void lwi_urdf_list_materials(lwi_urdf_reader *reader, lwi_xml_node *root)
{
    size_t most = 0;
    for (lwi_xml_node *m = lwi_xml_child(root, "material"); m; m = lwi_xml_next(m, "material")) {
        ++most;
    }
    for (int i = 0; i < reader->nlink; ++i) {
        lwi_xml_node *visual = lwi_xml_child(reader->link[i].node, "visual");
        for (; visual; visual = lwi_xml_next(visual, "visual")) {
            most += lwi_xml_child(visual, "material") != NULL;
        }
    }
    reader->material = lwi_arena_take(&reader->arena, most, sizeof *reader->material);
    if (!reader->material || !lwi_names_reserve(&reader->material_names, most)) {
        lwi_urdf_good(reader, LW_ERR_MEMORY);
        return;
    }
    // Those of the robot come first: they are meant where a shape has another one of that name.
    for (lwi_xml_node *m = lwi_xml_child(root, "material"); m; m = lwi_xml_next(m, "material")) {
        list_material(reader, m, reader->report);
    }
    for (int i = 0; i < reader->nlink; ++i) {
        lwi_xml_node *visual = lwi_xml_child(reader->link[i].node, "visual");
        for (; visual; visual = lwi_xml_next(visual, "visual")) {
            lwi_xml_node *m = lwi_xml_child(visual, "material");
            if (m) {
                list_material(reader, m, NULL);
            }
        }
    }
}

void lwi_urdf_read_color(lwi_urdf_reader *reader, lwi_xml_node *visual, lw_shape_def *def)
{
    char clip[LWI_CLIP_SIZE];
    lwi_xml_node *material = lwi_xml_only(visual, "material", reader->report);
    if (!material || !reader->material) {
        return;
    }
    const char *name = name_of(material);
    def->color = color_of(material, reader->report);
    if (name && !lwi_xml_child(material, "color")) {
        const int found = lwi_names_find(&reader->material_names, name);
        if (found >= 0) {
            def->color = reader->material[found];
        } else {
            lw_location at;
            lwi_xml_value(material, "name", &at);
            lwi_report_warning(reader->report, at, LW_DIAG_MATERIAL,
                               "material \"%s\" is not defined, or without a color",
                               lwi_clip(name, clip));
            keep_material(reader, name, no_color); // one warning for all that name it
        }
    }
    def->has_color = lwi_is_color(&def->color);
}
