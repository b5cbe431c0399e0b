// Gears.
#include "native.h"

#include <string.h>

// Exactly one of radii, teeth and ratio gives the sizes. Only a rack does without the second.
static bool read_sizes(lwi_native_reader *reader, lwi_xml_node *node, lw_gear_def *def)
{
    static const char *const forms[] = {"radii", "teeth", "ratio"};
    const char *form = NULL;
    int given = 0;
    for (int i = 0; i < 3; ++i) {
        form = lwi_native_has(node, forms[i]) ? forms[i] : form;
        given += lwi_native_has(node, forms[i]);
    }
    if (given != 1) {
        return lwi_native_good(
            reader, lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                     "gear \"%s\": one of radii, teeth and ratio gives its sizes",
                                     def->name));
    }
    int count = 0;
    const bool is_ratio = strcmp(form, "ratio") == 0, is_rack = def->type == LW_GEAR_RACK;
    if (is_rack && strcmp(form, "radii") != 0) {
        return lwi_native_good(
            reader,
            lwi_report_error(reader->report, node->at, LW_ERR_MODEL,
                             "gear \"%s\": radii gives the radius of a rack's pinion", def->name));
    }
    def->has_radii = strcmp(form, "radii") == 0;
    double *first = is_ratio ? &def->size[1] : &def->size[0];
    if (!lwi_native_good(reader, lwi_xml_read_list(node, form, true, is_ratio ? 1 : 2, first,
                                                   &count, reader->report))) {
        return false;
    }
    lw_location at = node->at;
    lwi_xml_value(node, form, &at);
    if (count != (is_ratio ? 1 : 2) && !(is_rack && count == 1)) {
        return lwi_native_good(reader, lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                                        "gear \"%s\": %s needs two numbers",
                                                        def->name, form));
    }
    return true;
}

static void add_gear(lwi_native_scope *scope, lwi_xml_node *node)
{
    static const char *const type_words[] = {"spur", "internal", "bevel",     "worm", "rack",
                                             "belt", "chain",    "planetary", NULL};
    static const char *const hand_words[] = {"right", "left", NULL};
    lwi_native_reader *reader = scope->reader;
    const char *type_text;
    lw_gear_def def = lw_default_gear_def();
    def.location = node->at;
    def.size[0] = def.size[1] = 1.0;
    const lw_status status[] = {lwi_xml_read_name(node, "name", &def.name, reader->report),
                                lwi_xml_read_name(node, "type", &type_text, reader->report),
                                lwi_xml_read_name(node, "first", &def.wheel[0], reader->report),
                                lwi_xml_read_name(node, "second", &def.wheel[1], reader->report)};
    bool is_good = true;
    for (int i = 0; i < 4; ++i) {
        is_good = lwi_native_good(reader, status[i]) && is_good;
    }
    const int type = status[1] == LW_OK ? lwi_native_word(reader, node, "type", type_words) : -1;
    if (!is_good || type < 0) {
        return;
    }
    def.type = (lw_gear_type)type;
    def.role = lwi_native_role(reader, node);
    def.carrier = lwi_xml_value(node, "carrier", NULL);
    def.hand = lwi_native_word(reader, node, "hand", hand_words) == 1 ? -1 : 1;
    if (lwi_native_has(node, "hand") && def.type != LW_GEAR_WORM) {
        lwi_native_good(reader, lwi_report_error(reader->report, node->at, LW_ERR_MODEL,
                                                 "gear \"%s\": only a worm has a hand", def.name));
    }
    if (read_sizes(reader, node, &def)) {
        const lw_status added = lw_add_gear(scope->mech, &def);
        lwi_native_has_memory(reader, added != LW_ERR_MEMORY, node->at);
    }
}

void lwi_native_add_gears(lwi_native_scope *scope)
{
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "gear"); node;
         node = lwi_xml_next(node, "gear")) {
        add_gear(scope, node);
    }
}
