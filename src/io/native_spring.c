// Springs and torsions.
#include "native.h"

#include <string.h>

enum { HIGHEST = 16, LONGEST_TABLE = 2000 }; // as many as a description takes

// How many numbers the law of a spring may have: a number and what parts it from the next are two
// characters.
static size_t room_for(lwi_xml_node *node)
{
    const char *table = lwi_xml_value(node, "table", NULL);
    const size_t n = table ? strlen(table) / 2 + 1 : 0;
    return n < HIGHEST ? HIGHEST : n < LONGEST_TABLE ? n : LONGEST_TABLE;
}

// At most one of stiffness, polynomial and table; a damper needs none.
static bool read_law(lwi_native_reader *reader, lwi_xml_node *node, lw_spring_def *def, double *c,
                     int most)
{
    static const char *const forms[] = {"stiffness", "polynomial", "table"};
    int form = -1, given = 0;
    for (int i = 0; i < 3; ++i) {
        form = lwi_native_has(node, forms[i]) ? i : form;
        given += lwi_native_has(node, forms[i]);
    }
    if (given > 1) {
        return lwi_native_good(
            reader,
            lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                             "<%s>: one law, please: stiffness, polynomial or table", node->tag));
    }
    def->coefficient = c;
    if (given == 0) {
        return true;
    }
    c[0] = 0.0;
    if (form == 0) {
        def->ncoefficient = 2;
        return lwi_native_good(reader,
                               lwi_xml_read_number(node, "stiffness", true, &c[1], reader->report));
    }
    def->law = form == 2 ? LW_LAW_TABLE : LW_LAW_POLYNOMIAL;
    if (!lwi_native_good(reader,
                         lwi_xml_read_list(node, forms[form], true, form == 2 ? most : HIGHEST, c,
                                           &def->ncoefficient, reader->report))) {
        return false;
    }
    if (form == 2 && (def->ncoefficient < 4 || def->ncoefficient % 2 != 0)) {
        lw_location at = node->at;
        lwi_xml_value(node, "table", &at);
        return lwi_native_good(reader,
                               lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                                "%s \"%s\": a table has 4 to %d numbers, in pairs",
                                                node->tag, def->name, LONGEST_TABLE));
    }
    return true;
}

// What is an angle of a torsion is one of the file's; its table and its factors are per radian.
static void read_numbers(lwi_native_scope *scope, const lwi_native_part *part, lw_spring_def *def)
{
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    const struct {
        const char *attr;
        double *value;
        bool is_angle;
    } field[] = {{"preload", &def->preload, false}, {"free", &def->free, true},
                 {"damping", &def->damping, false}, {"backlash", &def->backlash, true},
                 {"loss", &def->loss, false},       {"loss_speed", &def->loss_speed, true}};
    for (size_t i = 0; i < sizeof field / sizeof *field; ++i) {
        const lw_status status =
            lwi_xml_read_number(node, field[i].attr, false, field[i].value, reader->report);
        if (lwi_native_good(reader, status) && field[i].is_angle && part->kind == LWI_TORSION &&
            lwi_native_has(node, field[i].attr)) {
            *field[i].value = lwi_native_angle(reader, *field[i].value);
        }
    }
}

void lwi_native_add_spring(lwi_native_scope *scope, lwi_native_part *part)
{
    static const char *const sides[] = {"both", "tension", "compression", NULL};
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_spring_def def = lw_default_spring_def();
    def.name = part->name;
    def.location = node->at;
    const size_t most = room_for(node);
    double *c = lwi_arena_take(&reader->arena, most, sizeof *c);
    if (!lwi_native_has_memory(reader, c != NULL, node->at)) {
        return;
    }
    read_numbers(scope, part, &def);
    const int side = lwi_native_word(reader, node, "side", sides);
    def.side = side < 0 ? LW_SPRING_BOTH : (lw_spring_side)side;
    def.role = lwi_native_role(reader, node);
    if (read_law(reader, node, &def, c, (int)most)) {
        part->part = part->kind == LWI_SPRING ? lw_add_spring(scope->mech, &def)
                                              : lw_add_torsion(scope->mech, &def);
        lwi_native_has_memory(reader, part->part.index >= 0, node->at);
    }
}
