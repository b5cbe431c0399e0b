// The table of the elements of parts, and the attributes that need more than a member of the
// definition. A new kind of part is one row here and one in native_grammar.c.
#include "native_kinds.h"

#include "../parts/edit.h"

#include <string.h>

enum { HIGHEST_POLYNOMIAL = 16, LONGEST_TABLE = 2000 }; // as many as a description takes

const char *const lwi_native_role_words[] = {"structural", "transmission", NULL};
const int lwi_native_role_values[] = {LW_ROLE_STRUCTURAL, LW_ROLE_TRANSMISSION};
const char *const lwi_native_branch_words[] = {"reference", "1", "-1", "other", NULL};
const int lwi_native_branch_values[] = {0, 1, -1, LW_BRANCH_OTHER};

// --- Links ------------------------------------------------------------------------------------

// Three numbers are the moments about the axes, six have the products xy xz yz behind them.
static bool read_inertia(lwi_native_scope *scope, lwi_native_part *part, void *def)
{
    lwi_native_reader *reader = scope->reader;
    lw_sym3 *out = &((lw_link_def *)def)->inertia;
    double v[6] = {0.0};
    int count = 0;
    lw_location at = part->node->at;
    if (!lwi_xml_value(part->node, "inertia", &at) ||
        !lwi_native_good(
            reader, lwi_xml_read_list(part->node, "inertia", true, 6, v, &count, reader->report))) {
        return true;
    }
    if (count != 3 && count != 6) {
        lwi_native_good(
            reader,
            lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                             "inertia needs 3 numbers, xx yy zz, or 6, xx yy zz xy xz yz, not %d",
                             count));
        return true;
    }
    *out = (lw_sym3){v[0], v[1], v[2], v[3], v[4], v[5]};
    return true;
}

static void write_inertia(const lwi_native_out *out, const lwi_part *part, int index)
{
    const lw_sym3 *I = &as_link(part)->inertia;
    const double v[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz}, zero[6] = {0.0};
    (void)index;
    if (memcmp(v, zero, sizeof v) != 0) {
        const int count = memcmp(v + 3, zero, 3 * sizeof *v) == 0 ? 3 : 6;
        lwi_native_attr_numbers(out->writer, "inertia", v, count, part->location);
    }
}

// The centre of mass as an attribute or, where the tensor has axes of its own, as an element; and
// port b.
static bool read_center(lwi_native_scope *scope, lwi_native_part *part, void *definition)
{
    lwi_native_reader *reader = scope->reader;
    lw_link_def *def = definition;
    lwi_xml_node *node = part->node;
    lwi_xml_node *center = lwi_native_only(reader, node, "center");
    lwi_xml_node *b = lwi_native_only(reader, node, "b");
    lwi_native_only(reader, node, "zero");
    if (center && lwi_native_has(node, "center")) {
        lwi_native_good(
            reader,
            lwi_report_error(reader->report, center->at, LW_ERR_SYNTAX,
                             "link \"%s\": the centre of mass is given twice, as attribute and as "
                             "element",
                             part->name));
    } else if (center) {
        lwi_native_placement(reader, center, &def->inertial);
    } else if (lwi_native_has(node, "center")) {
        lw_vec3 c = {0.0, 0.0, 0.0};
        lwi_native_vector(reader, node, "center", true, &c);
        def->inertial = lw_placement_xyz(c.x, c.y, c.z);
    }
    if (b) {
        lwi_native_placement(reader, b, &def->b);
    }
    return true;
}

static void write_center(const lwi_native_out *out, const lwi_part *part, int index)
{
    const lw_placement *center = &as_link(part)->inertial;
    (void)index;
    if (lwi_native_is_plain_center(center)) {
        lwi_native_attr_numbers(out->writer, "center", center->value, 3, part->location);
    }
}

// --- Drives, gearboxes, springs ---------------------------------------------------------------

// A list of numbers in the reader's memory: as many as its text can have, up to a limit.
static double *read_table(lwi_native_reader *reader, lwi_xml_node *node, const char *attr, int most,
                          int *count)
{
    lw_location at = node->at;
    const char *text = lwi_xml_value(node, attr, &at);
    const size_t length = text ? strlen(text) / 2 + 1 : 0; // a number and a blank each
    const int capacity = length < (size_t)most ? (int)length : most;
    double *c = lwi_arena_take(&reader->arena, (size_t)capacity + 1, sizeof *c);
    return lwi_native_has_memory(reader, c != NULL, at) &&
                   lwi_native_good(reader, lwi_xml_read_list(node, attr, true, capacity, c, count,
                                                             reader->report))
               ? c
               : NULL;
}

// curve="v0 f0 v1 f1 ...": speeds are angles of the file by the second.
static bool read_curve(lwi_native_scope *scope, lwi_native_part *part, void *definition)
{
    lwi_native_reader *reader = scope->reader;
    lw_drive_def *def = definition;
    lw_location at = part->node->at;
    if (!lwi_xml_value(part->node, "curve", &at)) {
        return true;
    }
    double *curve = read_table(reader, part->node, "curve", LONGEST_TABLE, &def->ncurve);
    if (!curve) {
        return false;
    }
    if (def->ncurve < 4 || def->ncurve % 2 != 0) {
        return lwi_native_good(reader,
                               lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                                "drive \"%s\": a curve has 4 to %d numbers, in "
                                                "pairs of a speed and an effort",
                                                def->name, LONGEST_TABLE));
    }
    for (int k = 0; k < def->ncurve; k += 2) {
        curve[k] = lwi_native_angle(reader, curve[k]);
    }
    def->curve = curve;
    return true;
}

static void write_curve(const lwi_native_out *out, const lwi_part *part, int index)
{
    const lw_drive_def *drive = as_drive(part);
    (void)index;
    if (drive->ncurve > 0) {
        lwi_native_attr_numbers(out->writer, "curve", drive->curve, drive->ncurve, part->location);
    }
}

// Exactly one of ratio and matrix; without either, a ratio of 1.
static bool read_ratios(lwi_native_scope *scope, lwi_native_part *part, void *definition)
{
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_gearbox_def *def = definition;
    def->nin = lwi_native_count_axes(reader, node, "in", "inputs");
    def->nout = lwi_native_count_axes(reader, node, "out", "outputs");
    const int n = def->nin * def->nout;
    const bool has_ratio = lwi_native_has(node, "ratio");
    const bool has_matrix = lwi_native_has(node, "matrix");
    if (n == 0) {
        return false;
    }
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
    int count = 0;
    def->form = has_matrix ? LW_GEARBOX_MATRIX : LW_GEARBOX_RATIO;
    def->coefficient = read_table(reader, node, attr, LW_MAX_AXES * LW_MAX_AXES, &count);
    if (!def->coefficient) {
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

static void write_ratios(const lwi_native_out *out, const lwi_part *part, int index)
{
    const lw_gearbox_def *box = as_gearbox(part);
    const double count[2] = {box->nin, box->nout};
    (void)index;
    for (int side = 0; side < 2; ++side) {
        if (count[side] != 1.0) {
            lwi_native_attr_numbers(out->writer, side ? "outputs" : "inputs", &count[side], 1,
                                    part->location);
        }
    }
    lwi_native_attr_numbers(out->writer, box->form == LW_GEARBOX_RATIO ? "ratio" : "matrix",
                            box->coefficient, box->nin * box->nout, part->location);
}

// At most one of stiffness, polynomial and table; a damper needs none.
static bool read_law(lwi_native_scope *scope, lwi_native_part *part, void *definition)
{
    static const char *const forms[] = {"stiffness", "polynomial", "table"};
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_spring_def *def = definition;
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
    if (given == 0) {
        return true;
    }
    const bool is_table = form == 2;
    def->law = is_table ? LW_LAW_TABLE : LW_LAW_POLYNOMIAL;
    if (form == 0) {
        double *c = lwi_arena_take(&reader->arena, 2, sizeof *c);
        def->coefficient = c;
        def->ncoefficient = 2;
        return lwi_native_has_memory(reader, c != NULL, node->at) &&
               lwi_native_good(reader,
                               lwi_xml_read_number(node, "stiffness", true, &c[1], reader->report));
    }
    def->coefficient =
        read_table(reader, node, forms[form], is_table ? LONGEST_TABLE : HIGHEST_POLYNOMIAL,
                   &def->ncoefficient);
    if (def->coefficient && is_table && (def->ncoefficient < 4 || def->ncoefficient % 2 != 0)) {
        lw_location at = node->at;
        lwi_xml_value(node, "table", &at);
        return lwi_native_good(reader,
                               lwi_report_error(reader->report, at, LW_ERR_SYNTAX,
                                                "%s \"%s\": a table has 4 to %d numbers, in pairs",
                                                node->tag, def->name, LONGEST_TABLE));
    }
    return def->coefficient != NULL;
}

static void write_law(const lwi_native_out *out, const lwi_part *part, int index)
{
    const lw_spring_def *spring = as_spring(part);
    const double *c = spring->coefficient;
    (void)index;
    if (spring->law == LW_LAW_POLYNOMIAL && spring->ncoefficient == 2 && c[0] == 0.0) {
        lwi_native_attr_numbers(out->writer, "stiffness", &c[1], 1, part->location);
    } else if (spring->ncoefficient > 0) {
        lwi_native_attr_numbers(out->writer, spring->law == LW_LAW_TABLE ? "table" : "polynomial",
                                c, spring->ncoefficient, part->location);
    }
}

// --- The table --------------------------------------------------------------------------------

static const char *const axes_words[] = {"frame", "world", NULL};
static const char *const side_words[] = {"both", "tension", "compression", NULL};
static const char *const along_words[] = {"line", "normal", NULL};

#define NUMBER(kind, name)                                                                         \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_##kind##_def, name), .type = LWI_FIELD_NUMBER         \
    }
#define ANGLE(kind, name)                                                                          \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_##kind##_def, name), .type = LWI_FIELD_ANGLE          \
    }
#define VECTOR(kind, name)                                                                         \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_##kind##_def, name), .type = LWI_FIELD_VECTOR         \
    }
#define FLAG(kind, name)                                                                           \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_##kind##_def, name), .type = LWI_FIELD_FLAG           \
    }
#define WORD(kind, name, list, meaning)                                                            \
    {                                                                                              \
        .attr = #name, .offset = offsetof(lw_##kind##_def, name), .type = LWI_FIELD_WORD,          \
        .words = list, .values = meaning                                                           \
    }
#define ROLE(kind) WORD(kind, role, lwi_native_role_words, lwi_native_role_values)
#define OTHER(reading, writing)                                                                    \
    {                                                                                              \
        .type = LWI_FIELD_OTHER, .read = reading, .write = writing                                 \
    }

static const lwi_native_field ground_field[] = {VECTOR(ground, gravity)};
static const lwi_native_field link_field[] = {NUMBER(link, mass), OTHER(read_center, write_center),
                                              OTHER(read_inertia, write_inertia), ROLE(link)};
static const lwi_native_field load_field[] = {VECTOR(load, force), VECTOR(load, torque),
                                              WORD(load, axes, axes_words, NULL)};
static const char *const steering_words[] = {"none", "driven", "castor", NULL};
static const lwi_native_field wheel_field[] = {VECTOR(wheel, axis),
                                               NUMBER(wheel, radius),
                                               NUMBER(wheel, width),
                                               NUMBER(wheel, section),
                                               ANGLE(wheel, roller),
                                               FLAG(wheel, driven),
                                               WORD(wheel, steering, steering_words, NULL)};
static const lwi_native_field rod_field[] = {
    NUMBER(rod, length), NUMBER(rod, mass),
    WORD(rod, branch, lwi_native_branch_words, lwi_native_branch_values), ROLE(rod)};
static const lwi_native_field drive_field[] = {
    NUMBER(drive, inertia),        NUMBER(drive, max_force),       ANGLE(drive, max_velocity),
    NUMBER(drive, damping),        NUMBER(drive, friction),        ANGLE(drive, reference),
    NUMBER(drive, stall_force),    ANGLE(drive, no_load_velocity), NUMBER(drive, continuous_force),
    OTHER(read_curve, write_curve)};
static const lwi_native_field gearbox_field[] = {OTHER(read_ratios, write_ratios)};
static const lwi_native_field spring_field[] = {OTHER(read_law, write_law),
                                                NUMBER(spring, preload),
                                                NUMBER(spring, free),
                                                NUMBER(spring, damping),
                                                NUMBER(spring, backlash),
                                                WORD(spring, side, side_words, NULL),
                                                WORD(spring, along, along_words, NULL),
                                                ROLE(spring)};
static const lwi_native_field torsion_field[] = {OTHER(read_law, write_law),
                                                 NUMBER(spring, preload),
                                                 ANGLE(spring, free),
                                                 NUMBER(spring, damping),
                                                 ANGLE(spring, backlash),
                                                 NUMBER(spring, loss),
                                                 ANGLE(spring, loss_speed),
                                                 WORD(spring, side, side_words, NULL),
                                                 ROLE(spring)};

#define DEFAULT(kind)                                                                              \
    static void set_##kind(void *def)                                                              \
    {                                                                                              \
        *(lw_##kind##_def *)def = lw_default_##kind##_def();                                       \
    }
DEFAULT(ground)
DEFAULT(link)
DEFAULT(joint)
DEFAULT(load)
DEFAULT(wheel)
DEFAULT(rod)
DEFAULT(drive)
DEFAULT(gearbox)
DEFAULT(spring)

#define FIELDS(list) .field = list, .nfield = sizeof list / sizeof *list

static const lwi_native_kind table[LWI_KIND_COUNT] = {
    [LW_PART_GROUND] = {.element = {"ground"},
                        .set_default = set_ground,
                        FIELDS(ground_field),
                        .write = lwi_native_write_ground},
    [LW_PART_LINK] = {.element = {"link"},
                      .connected = {"at"},
                      .set_default = set_link,
                      FIELDS(link_field),
                      .write = lwi_native_write_link},
    [LW_PART_JOINT] = {.element = {"joint"},
                       .connected = {"from"},
                       .set_default = set_joint,
                       .add = lwi_native_add_joint,
                       .write = lwi_native_write_joint},
    [LW_PART_LOAD] = {.element = {"load"},
                      .connected = {"at"},
                      .set_default = set_load,
                      FIELDS(load_field)},
    [LW_PART_WHEEL] = {.element = {"wheel"},
                       .connected = {"at"},
                       .set_default = set_wheel,
                       FIELDS(wheel_field)},
    [LW_PART_ROD] = {.element = {"rod"},
                     .connected = {"from", "to"},
                     .set_default = set_rod,
                     FIELDS(rod_field)},
    [LW_PART_ASSEMBLY] = {.element = {"use", "mount"},
                          .connected = {"at"},
                          .add = lwi_native_add_assembly,
                          .write = lwi_native_write_use},
    [LW_PART_DRIVE] = {.element = {"drive"},
                       .axes = {"out"},
                       .set_default = set_drive,
                       FIELDS(drive_field)},
    [LW_PART_GEARBOX] = {.element = {"gearbox"},
                         .axes = {"in", "out"},
                         .set_default = set_gearbox,
                         FIELDS(gearbox_field)},
    [LW_PART_SPRING] = {.element = {"spring"},
                        .connected = {"from", "to"},
                        .set_default = set_spring,
                        FIELDS(spring_field)},
    [LW_PART_TORSION] = {.element = {"torsion"},
                         .axes = {"in", "out"},
                         .set_default = set_spring,
                         FIELDS(torsion_field)},
};

const lwi_native_kind *lwi_native_kind_of(lw_part_kind kind)
{
    return &table[kind];
}

lw_part_kind lwi_native_kind_of_element(const char *tag)
{
    for (int kind = LWI_FIRST_KIND; kind < LWI_KIND_COUNT; ++kind) {
        for (int i = 0; i < 2; ++i) {
            const char *element = table[kind].element[i];
            if (element && strcmp(element, tag) == 0) {
                return (lw_part_kind)kind;
            }
        }
    }
    return LW_PART_ANY;
}
