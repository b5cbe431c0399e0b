// Drives and gearboxes, and the axes that they turn.
#include "native.h"

#include <string.h>

enum { LONGEST_CURVE = 2000 }; // as many numbers as a description takes

// curve="v0 f0 v1 f1 ...": speeds are angles of the file by the second.
static bool read_curve(lwi_native_reader *reader, lwi_xml_node *node, lw_drive_def *def)
{
    lw_location at = node->at;
    const char *text = lwi_xml_value(node, "curve", &at);
    if (!text) {
        return true;
    }
    const size_t length = strlen(text) / 2 + 1; // a number and a blank each
    const size_t room = length < LONGEST_CURVE ? length : LONGEST_CURVE;
    double *curve = lwi_arena_take(&reader->arena, room, sizeof *curve);
    if (!lwi_native_has_memory(reader, curve != NULL, at) ||
        !lwi_native_good(reader, lwi_xml_read_list(node, "curve", true, (int)room, curve,
                                                   &def->ncurve, reader->report))) {
        return false;
    }
    if (def->ncurve < 4 || def->ncurve % 2 != 0) {
        return lwi_native_good(reader,
                               lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                                "drive \"%s\": a curve has 4 to %d numbers, in "
                                                "pairs of a speed and an effort",
                                                def->name, LONGEST_CURVE));
    }
    for (int k = 0; k < def->ncurve; k += 2) {
        curve[k] = lwi_native_angle(reader, curve[k]);
    }
    def->curve = curve;
    return true;
}

void lwi_native_add_drive(lwi_native_scope *scope, lwi_native_part *part)
{
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_drive_def def = lw_default_drive_def();
    def.name = part->name;
    def.location = node->at;
    const struct {
        const char *attr;
        double *value;
        bool is_angle;
    } field[] = {{"inertia", &def.inertia, false},
                 {"max_force", &def.max_force, false},
                 {"max_velocity", &def.max_velocity, true},
                 {"damping", &def.damping, false},
                 {"friction", &def.friction, false},
                 {"reference", &def.reference, true},
                 {"stall_force", &def.stall_force, false},
                 {"no_load_velocity", &def.no_load_velocity, true},
                 {"continuous_force", &def.continuous_force, false}};
    for (size_t i = 0; i < sizeof field / sizeof *field; ++i) {
        const lw_status status =
            lwi_xml_read_number(node, field[i].attr, false, field[i].value, reader->report);
        if (lwi_native_good(reader, status) && field[i].is_angle &&
            lwi_native_has(node, field[i].attr)) {
            *field[i].value = lwi_native_angle(reader, *field[i].value);
        }
    }
    if (!read_curve(reader, node, &def)) {
        return;
    }
    part->part = lw_add_drive(scope->mech, &def);
    lwi_native_has_memory(reader, part->part.index >= 0, node->at);
}

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
static int count_side(lwi_native_reader *reader, lwi_xml_node *node, const char *list,
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

// Exactly one of ratio and matrix; without either, a ratio of 1.
static bool read_ratios(lwi_native_reader *reader, lwi_xml_node *node, lw_gearbox_def *def,
                        double c[LW_MAX_AXES * LW_MAX_AXES])
{
    const bool has_ratio = lwi_native_has(node, "ratio"),
               has_matrix = lwi_native_has(node, "matrix");
    const int n = def->nin * def->nout;
    int count = 0;
    if (has_ratio == has_matrix && (has_ratio || n > 1)) {
        return lwi_native_good(
            reader, lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                     "gearbox \"%s\": one of ratio and matrix gives its numbers",
                                     def->name));
    }
    if (!has_ratio && !has_matrix) {
        return true;
    }
    const char *attr = has_matrix ? "matrix" : "ratio";
    def->form = has_matrix ? LW_GEARBOX_MATRIX : LW_GEARBOX_RATIO;
    def->coefficient = c;
    if (!lwi_native_good(reader, lwi_xml_read_list(node, attr, true, LW_MAX_AXES * LW_MAX_AXES, c,
                                                   &count, reader->report))) {
        return false;
    }
    if (count != n) {
        lw_location at = node->at;
        lwi_xml_value(node, attr, &at);
        return lwi_native_good(
            reader, lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                     "gearbox \"%s\": %s needs %d number%s, one for each pair of "
                                     "its %d and %d axes",
                                     def->name, attr, n, n == 1 ? "" : "s", def->nin, def->nout));
    }
    return true;
}

void lwi_native_add_gearbox(lwi_native_scope *scope, lwi_native_part *part)
{
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_gearbox_def def = lw_default_gearbox_def();
    double *c = lwi_arena_take(&reader->arena, LW_MAX_AXES * LW_MAX_AXES, sizeof *c);
    if (!lwi_native_has_memory(reader, c != NULL, node->at)) {
        return;
    }
    def.name = part->name;
    def.location = node->at;
    def.nin = count_side(reader, node, "in", "inputs");
    def.nout = count_side(reader, node, "out", "outputs");
    if (def.nin > 0 && def.nout > 0 && read_ratios(reader, node, &def, c)) {
        part->part = lw_add_gearbox(scope->mech, &def);
        lwi_native_has_memory(reader, part->part.index >= 0, node->at);
    }
}

// "in", or "in" with a number.
static bool is_numbered(const char *port, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(port, word, n) == 0 && port[n + strspn(port + n, "0123456789")] == '\0';
}

bool lwi_native_is_axis(const lwi_native_part *part, const char *port)
{
    if (part->kind == LWI_DRIVE) {
        return strcmp(port, "axis") == 0;
    }
    if (part->kind == LWI_TORSION) {
        return strcmp(port, "in") == 0 || strcmp(port, "out") == 0;
    }
    if (part->kind == LWI_GEARBOX) { // how many there are is known once it is made
        return is_numbered(port, "in") || is_numbered(port, "out");
    }
    if (strcmp(port, "axis") == 0) {
        return true;
    }
    const char *const *name = lwi_native_dof_names(part->type);
    const bool has_several = lw_joint_type_nv(part->type) > 1 && lwi_has_scalar_dofs(part->type);
    for (int i = 0; has_several && name[i]; ++i) {
        if (strcmp(name[i], port) == 0) {
            return true;
        }
    }
    return false;
}

// Joins the axes that an attribute names with those of the part, in order.
static void connect_list(lwi_native_scope *scope, const lwi_native_part *part, const char *attr,
                         int first)
{
    char word[LWI_NAME_LIMIT + 1];
    const char *start = lwi_xml_value(part->node, attr, NULL), *text = start;
    const bool is_gearbox = part->kind == LWI_GEARBOX; // else one axis, however many it turns
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
        if (!part->node || part->part.index < 0) {
            continue;
        }
        if (part->kind == LWI_DRIVE) {
            connect_list(scope, part, "out", LWI_PORT_AXIS);
        } else if (part->kind == LWI_GEARBOX) {
            const int item = scope->mech->part.at[part->part.index].item;
            connect_list(scope, part, "in", LWI_PORT_FIRST_FRAME);
            connect_list(scope, part, "out",
                         LWI_PORT_FIRST_FRAME + scope->mech->gearbox.at[item].nin);
        } else if (part->kind == LWI_TORSION) {
            connect_list(scope, part, "in", LWI_PORT_FIRST_FRAME);
            connect_list(scope, part, "out", LWI_PORT_FIRST_FRAME + 1);
        }
    }
}
