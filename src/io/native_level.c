// What a file has about levels of detail: roles of parts, and levels of assemblies.
#include "native_kinds.h"

lw_role lwi_native_role(lwi_native_reader *reader, lwi_xml_node *node)
{
    const int word = lwi_native_word(reader, node, "role", lwi_native_role_words);
    return word < 0 ? LW_ROLE_BY_KIND : (lw_role)lwi_native_role_values[word];
}

lw_level lwi_native_level(lwi_native_reader *reader, lwi_xml_node *node)
{
    static const char *const words[] = {"high", "middle", "low", NULL};
    static const lw_level levels[] = {LW_LEVEL_HIGH, LW_LEVEL_MIDDLE, LW_LEVEL_LOW};
    const int word = lwi_native_word(reader, node, "level", words);
    return word < 0 ? LW_LEVEL_UNSET : levels[word];
}

// Whether there is such an assembly is known once all files are read; the compile looks.
static void add_choice(lwi_native_scope *scope, lwi_xml_node *node)
{
    lwi_native_reader *reader = scope->reader;
    const char *text;
    lw_level_choice choice = {.level = lwi_native_level(reader, node)};
    lw_location at = node->at;
    const lw_status has_name =
        lwi_xml_read_name(node, "assembly", &choice.assembly, reader->report);
    const lw_status has_level = lwi_xml_read_name(node, "level", &text, reader->report);
    if (!lwi_native_good(reader, has_name) || !lwi_native_good(reader, has_level) ||
        choice.level == LW_LEVEL_UNSET) {
        return;
    }
    lwi_xml_value(node, "assembly", &at);
    const lw_status status = lw_choose_level(scope->mech, &choice, at);
    if (status == LW_ERR_MEMORY) {
        lwi_native_has_memory(reader, false, at);
    } else if (!lwi_native_good(reader, status)) {
        lwi_report_error(reader->report, at, status, "%s", lw_mech_message(scope->mech));
    }
}

void lwi_native_add_levels(lwi_native_scope *scope)
{
    const lw_level level = lwi_native_level(scope->reader, scope->node);
    if (level != LW_LEVEL_UNSET) {
        lw_set_level(scope->mech, (lw_part){-1}, level);
    }
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "level"); node;
         node = lwi_xml_next(node, "level")) {
        add_choice(scope, node);
    }
}
