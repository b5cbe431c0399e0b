// The axes that drives, gearboxes and torsions are joined with.
#include "native_kinds.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The next word of a list of names, copied to `word`; where it begins, or null at the end.
static const char *next_word(const char **text, char word[LWI_NAME_LIMIT + 1])
{
    while (is_space(**text)) {
        ++*text;
    }
    const char *start = *text;
    while (**text && !is_space(**text)) {
        ++*text;
    }
    const size_t length = (size_t)(*text - start);
    const size_t kept = length < LWI_NAME_LIMIT ? length : LWI_NAME_LIMIT;
    memcpy(word, start, kept);
    word[kept] = '\0';
    return length ? start : NULL;
}

// How many axes a side has: as many as `list` names, or as `count` says, or one.
int lwi_native_count_axes(lwi_native_reader *reader, lwi_xml_node *node, const char *list,
                          const char *count)
{
    char word[LWI_NAME_LIMIT + 1];
    const char *text = lwi_xml_value(node, list, NULL);
    int named = 0;
    while (text && next_word(&text, word)) {
        ++named;
    }
    double number = named ? named : 1.0;
    const bool is_read =
        lwi_native_good(reader, lwi_xml_read_number(node, count, false, &number, reader->report));
    if (is_read && (!(number >= 1.0 && number <= LW_MAX_AXES) || number != (double)(int)number ||
                    (named && named != (int)number))) {
        lwi_native_good(reader,
                        lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                         "<gearbox>: %s has 1 to %d axes%s", list, LW_MAX_AXES,
                                         named && lwi_native_has(node, count)
                                             ? ", and as many names as its count"
                                             : ""));
        return 0;
    }
    return (int)number;
}

// "in", or "in" with a number.
static bool is_numbered(const char *port, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(port, word, n) == 0 && port[n + strspn(port + n, "0123456789")] == '\0';
}

bool lwi_native_is_axis(const lwi_native_part *part, const char *port)
{
    const char *fixed = lwi_kind_row_of(part->kind)->port[LWI_PORT_AXIS].name;
    const char *const *list = lwi_native_kind_of(part->kind)->axes;
    if (part->kind == LW_PART_JOINT) {
        const lwi_joint_row *row = lwi_joint_row_of(part->type);
        for (int i = 0; !row->has_quaternion && row->nv > 1 && row->velocity[i]; ++i) {
            if (strcmp(row->velocity[i], port) == 0) {
                return true;
            }
        }
    } else if (!fixed) { // how many there are is known once it is made
        return (list[0] && is_numbered(port, list[0])) || (list[1] && is_numbered(port, list[1]));
    }
    return strcmp(port, fixed) == 0;
}

// Joins the axes that an attribute names with those of the part, in order.
static void connect_list(lwi_native_scope *scope, const lwi_native_part *part, const char *attr,
                         int first)
{
    char word[LWI_NAME_LIMIT + 1];
    const char *start = lwi_xml_value(part->node, attr, NULL), *text = start;
    const bool is_gearbox = part->kind == LW_PART_GEARBOX; // else one axis, however many it turns
    for (int i = first; text; i += is_gearbox) {
        const char *from = next_word(&text, word);
        if (!from) {
            break;
        }
        const lw_location here = lwi_xml_location_in(part->node, attr, (size_t)(from - start));
        const lwi_native_ref ref = lwi_native_find_text(scope, word, "axis", here);
        const lw_port port = lwi_native_port(scope, ref, here);
        if (port.index < 0) {
            continue;
        }
        const lw_status status = lw_connect(scope->mech, (lw_port){part->part, i}, port);
        if (!lwi_native_good(scope->reader, status)) {
            lwi_report_error(scope->reader->report, here, status, "%s",
                             lw_mech_message(scope->mech));
        }
    }
}

void lwi_native_connect_axes(lwi_native_scope *scope)
{
    for (int i = 0; i < scope->npart; ++i) {
        const lwi_native_part *part = &scope->part[i];
        const char *const *list = lwi_native_kind_of(part->kind)->axes;
        if (!part->node || part->part.index < 0 || !list[0]) {
            continue;
        }
        const lwi_part *own = &scope->mech->part.at[part->part.index];
        const bool is_gearbox = part->kind == LW_PART_GEARBOX;
        connect_list(scope, part, list[0], list[1] ? LWI_PORT_FIRST_FRAME : LWI_PORT_AXIS);
        if (list[1]) {
            connect_list(scope, part, list[1],
                         LWI_PORT_FIRST_FRAME + (is_gearbox ? as_gearbox(own)->nin : 1));
        }
    }
}
