// Reads a file of linkwork XML: first its assemblies, in the order in which they stand, then the
// mechanism itself. An assembly uses those above it only, so nothing is circular and nothing
// recurses.
#include "native_kinds.h"

#include <string.h>

// --- Parts ------------------------------------------------------------------------------------

void lwi_native_add_frames(lwi_native_scope *scope, lwi_native_part *part)
{
    lwi_native_reader *reader = scope->reader;
    for (lwi_xml_node *node = lwi_xml_child(part->node, "frame"); node;
         node = lwi_xml_next(node, "frame")) {
        const char *name = NULL;
        if (lwi_native_has(node, "at")) {
            lwi_native_good(reader,
                            lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                             "<frame> in <%s> is on it; at is for frames on parts "
                                             "of included files",
                                             part->node->tag));
        }
        lw_placement placement = lw_placement_identity();
        lwi_native_placement(reader, node, &placement);
        if (lwi_native_good(reader, lwi_xml_read_name(node, "name", &name, reader->report))) {
            const lw_port port = lw_add_frame(scope->mech, part->part, name, &placement, node->at);
            lwi_native_has_memory(reader, port.index >= 0, node->at);
        }
    }
}

// --- Assemblies -------------------------------------------------------------------------------

// The inside that <use> names: an assembly of this file that stands above.
static lw_mech *used_inside(lwi_native_reader *reader, lwi_xml_node *node)
{
    const char *name;
    lw_location at;
    char room[LWI_CLIP_SIZE];
    if (!lwi_native_good(reader, lwi_xml_read_name(node, "assembly", &name, reader->report))) {
        return NULL;
    }
    lwi_xml_value(node, "assembly", &at);
    const int i = lwi_names_find(&reader->assembly_names, name);
    if (i >= 0 && reader->assembly[i].inside) {
        reader->assembly[i].is_used = true;
        return reader->assembly[i].inside;
    }
    if (i >= 0) {
        const lw_location below = reader->assembly[i].node->at;
        lwi_native_good(
            reader,
            lwi_report_error(
                reader->report, at, LW_ERR_NAME,
                "assembly \"%s\" is defined at line %d, column %d, not above the one that uses it",
                lwi_clip(name, room), below.line, below.column));
        return NULL;
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    for (int k = 0; k < reader->nassembly; ++k) {
        const char *other = lwi_xml_value(reader->assembly[k].node, "name", NULL);
        lw_nearest_offer(&nearest, other ? other : "");
    }
    lwi_native_good(reader, lwi_report_error(reader->report, at, LW_ERR_NAME,
                                             "there is no assembly \"%s\"%s%s%s",
                                             lwi_clip(name, room), LWI_MEANT(nearest)));
    return NULL;
}

static lw_mech *mounted_inside(lwi_native_reader *reader, lwi_xml_node *node)
{
    const char *file;
    lw_location at;
    lw_mech *inside = NULL;
    if (!lwi_native_good(reader, lwi_xml_read_name(node, "file", &file, reader->report))) {
        return NULL;
    }
    lwi_xml_value(node, "file", &at);
    const lw_status status = lwi_load_nested(reader->context, file, at, &inside, reader->report);
    return lwi_native_good(reader, status) ? inside : NULL;
}

void lwi_native_add_assembly(lwi_native_scope *scope, lwi_native_part *part)
{
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = part->node;
    lw_mech *inside =
        strcmp(node->tag, "use") == 0 ? used_inside(reader, node) : mounted_inside(reader, node);
    const lw_role role = lwi_native_role(reader, node);
    const lw_level level = lwi_native_level(reader, node);
    if (inside) {
        part->part = lw_add_assembly(scope->mech, part->name, inside, node->at);
        if (lwi_native_has_memory(reader, part->part.index >= 0, node->at)) {
            lw_set_assembly_role(scope->mech, part->part, role);
            lw_set_level(scope->mech, part->part, level);
        }
    }
}

// --- Connections ------------------------------------------------------------------------------

static void connect_ports(lwi_native_scope *scope, lw_port b, lw_port a, lw_location at)
{
    if (b.index < 0 || a.index < 0) {
        return;
    }
    const lw_status status = lw_connect(scope->mech, b, a);
    if (!lwi_native_good(scope->reader, status)) {
        lwi_report_error(scope->reader->report, at, status, "%s", lw_mech_message(scope->mech));
    }
}

// A cycle has no one place that is wrong, so the message tells two of its places.
static void connect_part(lwi_native_scope *scope, int index)
{
    const lwi_native_part *part = &scope->part[index];
    const lwi_native_part *feeder = &scope->part[part->feeder.part];
    const lw_port b = lwi_native_port(scope, part->feeder, part->hung_at);
    const lw_port a = lwi_native_port(scope, (lwi_native_ref){index, "a"}, part->hung_at);
    if (b.index < 0 || a.index < 0) {
        return;
    }
    const lw_status status = lw_connect(scope->mech, b, a);
    if (status == LW_ERR_PORT_CYCLE && feeder->feeder.part >= 0) {
        const lwi_native_part *above = &scope->part[feeder->feeder.part];
        lwi_report_error(
            scope->reader->report, part->hung_at, status,
            "%s \"%s\" cannot be connected to %s \"%s\", which is connected to %s \"%s\" "
            "(%s:%d:%d) and so, in the end, to itself",
            lw_part_kind_name(part->kind), part->name, lw_part_kind_name(feeder->kind),
            feeder->name, lw_part_kind_name(above->kind), above->name, feeder->hung_at.file,
            feeder->hung_at.line, feeder->hung_at.column);
    } else if (status != LW_OK) {
        lwi_report_error(scope->reader->report, part->hung_at, status, "%s",
                         lw_mech_message(scope->mech));
    }
    lwi_native_good(scope->reader, status);
}

static void connect_parts(lwi_native_scope *scope)
{
    for (int i = 0; i < scope->npart; ++i) {
        if (scope->part[i].feeder.part >= 0) {
            connect_part(scope, i);
        }
    }
}

// The ports besides port a: gateways of assemblies, and axes. In the order of the file.
static void connect_gateways(lwi_native_scope *scope)
{
    lwi_native_link *first = NULL;
    for (lwi_native_link *link = scope->link, *next; link; link = next) {
        next = link->next;
        link->next = first;
        first = link;
    }
    scope->link = first;
    for (const lwi_native_link *link = scope->link; link; link = link->next) {
        const lw_port b = lwi_native_port(scope, link->b, link->at);
        connect_ports(scope, b, lwi_native_port(scope, link->a, link->at), link->at);
    }
}

static void add_gateways(lwi_native_scope *scope)
{
    lwi_native_reader *reader = scope->reader;
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "gateway"); node;
         node = lwi_xml_next(node, "gateway")) {
        const char *name, *text;
        lw_location at = node->at;
        const lw_status has_name = lwi_xml_read_name(node, "name", &name, reader->report);
        const lw_status has_port = lwi_xml_read_name(node, "port", &text, reader->report);
        if (!lwi_native_good(reader, has_name) || !lwi_native_good(reader, has_port)) {
            continue;
        }
        const lwi_native_ref ref = lwi_native_find(scope, node, "port", "b", &at);
        const lw_port port = lwi_native_port(scope, ref, at);
        if (port.index < 0) {
            continue;
        }
        const lw_status status = lw_expose(scope->mech, port, name);
        if (!lwi_native_good(reader, status)) {
            lwi_report_error(reader->report, node->at, status, "%s", lw_mech_message(scope->mech));
        }
    }
}

// --- Couplings --------------------------------------------------------------------------------

// Whether "joint" or "joint.dof" is an angle; what is not found here the compile
// reports.
static bool is_angle(const lwi_native_scope *scope, const char *text)
{
    char name[LWI_NAME_LIMIT + 1];
    int i = lwi_names_find(&scope->names[LW_PART_JOINT], text);
    if (i >= 0) {
        return lwi_joint_row_of(scope->part[i].type)->is_rotation[0];
    }
    const char *dot = strrchr(text, '.');
    if (!dot || strlen(text) > LWI_NAME_LIMIT) {
        return true;
    }
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = '\0';
    i = lwi_names_find(&scope->names[LW_PART_JOINT], name);
    const lwi_joint_row *row = lwi_joint_row_of(i >= 0 ? scope->part[i].type : LW_JOINT_FIXED);
    int dof = 0;
    while (row->velocity[dof] && strcmp(row->velocity[dof], dot + 1) != 0) {
        ++dof;
    }
    return dof >= row->nv || row->is_rotation[dof];
}

// In degrees, q_i / u_i = sum of c_k (q_k / u_k)^k with u = 1 degree for angles and 1 for travels.
// An exponent of zero leaves a coefficient as it is, to the last bit.
static void scale_law(const lwi_native_scope *scope, const lw_coupling_def *def, double *c)
{
    if (!scope->reader->in_degrees) {
        return;
    }
    const double degree = lwi_native_angle(scope->reader, 1.0);
    const int target = is_angle(scope, def->dependent), source = is_angle(scope, def->source);
    for (int k = 0; k < def->ncoefficient; ++k) {
        if (def->law == LW_LAW_TABLE) {
            c[k] = (k % 2 ? target : source) ? lwi_native_angle(scope->reader, c[k]) : c[k];
            continue;
        }
        const int exponent = target - k * source;
        c[k] = exponent ? c[k] * pow(degree, exponent) : c[k];
    }
}

static bool read_law(lwi_native_reader *reader, lwi_xml_node *node, lw_coupling_def *def, double *c,
                     int most)
{
    const bool is_table = lwi_native_has(node, "table");
    if (is_table == lwi_native_has(node, "polynomial")) {
        return lwi_native_good(
            reader, lwi_report_error(reader->report, node->at, LW_ERR_SYNTAX,
                                     "<coupling>: one law, please: polynomial or table"));
    }
    def->law = is_table ? LW_LAW_TABLE : LW_LAW_POLYNOMIAL;
    return lwi_native_good(reader, lwi_xml_read_list(node, is_table ? "table" : "polynomial", true,
                                                     is_table ? most : 16, c, &def->ncoefficient,
                                                     reader->report));
}

static void add_couplings(lwi_native_scope *scope)
{
    enum { MOST = 2000 }; // as many as a description takes
    lwi_native_reader *reader = scope->reader;
    lwi_xml_node *node = lwi_xml_child(scope->node, "coupling");
    double *c = node ? lwi_arena_take(&reader->arena, MOST, sizeof *c) : NULL;
    if (!node || !lwi_native_has_memory(reader, c != NULL, node->at)) {
        return;
    }
    for (; node; node = lwi_xml_next(node, "coupling")) {
        lw_coupling_def def = lw_default_coupling_def();
        def.name = lwi_xml_value(node, "name", NULL);
        def.location = node->at;
        def.coefficient = c;
        const lw_status status[] = {
            lwi_xml_read_name(node, "joint", &def.dependent, reader->report),
            lwi_xml_read_name(node, "of", &def.source, reader->report)};
        const bool has_law = read_law(reader, node, &def, c, MOST);
        if (lwi_native_good(reader, status[0]) && lwi_native_good(reader, status[1]) && has_law) {
            scale_law(scope, &def, c);
            const lw_status added = lw_add_coupling(scope->mech, &def);
            lwi_native_has_memory(reader, added != LW_ERR_MEMORY, node->at);
        }
    }
}

// --- The file ---------------------------------------------------------------------------------

static void require(lwi_native_reader *reader, lwi_xml_node *node, const char *attr)
{
    const char *text;
    lwi_native_good(reader, lwi_xml_read_name(node, attr, &text, reader->report));
}

static void check_connects(lwi_native_scope *scope)
{
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "connect"); node;
         node = lwi_xml_next(node, "connect")) {
        require(scope->reader, node, "from");
        require(scope->reader, node, "to");
    }
}

// Makes the description of one scope. It is made even where the scope has errors, so that the rest
// of the file can be looked through.
static lw_mech *read_scope(lwi_native_reader *reader, lwi_xml_node *node)
{
    const char *name = "";
    lwi_native_good(reader, lwi_xml_read_name(node, "name", &name, reader->report));
    lwi_native_scope scope = {.reader = reader, .node = node};
    if (!lwi_native_has_memory(reader, lw_mech_create(name, &scope.mech) == LW_OK, node->at)) {
        return NULL;
    }
    check_connects(&scope);
    lwi_native_include(&scope);
    lwi_native_collect(&scope);
    if (scope.has_zero && reader->status != LW_ERR_MEMORY) {
        lwi_native_place_zero(&scope);
    }
    for (int i = 0; i < scope.npart && reader->status != LW_ERR_MEMORY; ++i) {
        if (scope.part[i].node) {
            lwi_native_add_part(&scope, &scope.part[i]);
        }
    }
    if (reader->status != LW_ERR_MEMORY) {
        connect_parts(&scope);
        lwi_native_connect_axes(&scope);
        connect_gateways(&scope);
        add_gateways(&scope);
        add_couplings(&scope);
        lwi_native_add_gears(&scope);
        lwi_native_add_levels(&scope);
    }
    return scope.mech;
}

static void read_assemblies(lwi_native_reader *reader, lwi_xml_node *root)
{
    size_t count = 0;
    for (lwi_xml_node *node = lwi_xml_child(root, "assembly"); node;
         node = lwi_xml_next(node, "assembly")) {
        ++count;
    }
    lwi_names_init(&reader->assembly_names, &reader->arena);
    reader->assembly = lwi_arena_take(&reader->arena, count, sizeof *reader->assembly);
    if (!lwi_native_has_memory(reader, reader->assembly != NULL, root->at)) {
        return;
    }
    for (lwi_xml_node *node = lwi_xml_child(root, "assembly"); node;
         node = lwi_xml_next(node, "assembly")) {
        const char *name = lwi_xml_value(node, "name", NULL);
        const int other = name ? lwi_names_find(&reader->assembly_names, name) : -1;
        if (other >= 0) {
            const lw_location first = reader->assembly[other].node->at;
            lwi_native_good(
                reader,
                lwi_report_error(reader->report, node->at, LW_ERR_NAME,
                                 "there is another assembly named \"%s\", at line %d, column %d",
                                 name, first.line, first.column));
        } else if (name && *name) {
            const bool is_there = lwi_names_add(&reader->assembly_names, name, reader->nassembly);
            lwi_native_has_memory(reader, is_there, node->at);
        }
        reader->assembly[reader->nassembly++].node = node;
    }
    for (int i = 0; i < reader->nassembly && reader->status != LW_ERR_MEMORY; ++i) {
        lwi_native_assembly *assembly = &reader->assembly[i];
        assembly->inside = read_scope(reader, assembly->node);
    }
}

static void read_head(lwi_native_reader *reader, lwi_xml_node *root)
{
    static const char *const angle_words[] = {"radian", "degree", NULL};
    lw_location at;
    const char *version;
    char room[LWI_CLIP_SIZE];
    reader->in_degrees = lwi_native_word(reader, root, "angle", angle_words) == 1;
    if (lwi_native_good(reader, lwi_xml_read_name(root, "version", &version, reader->report)) &&
        strcmp(version, "1") != 0) {
        lwi_xml_value(root, "version", &at);
        lwi_native_good(
            reader,
            lwi_report_error(reader->report, at, LW_ERR_UNSUPPORTED,
                             "this is version \"%s\" of linkwork XML; this library reads version 1",
                             lwi_clip(version, room)));
    }
}

static void warn_of_unused(const lwi_native_reader *reader)
{
    for (int i = 0; i < reader->nassembly; ++i) {
        const char *name = lwi_xml_value(reader->assembly[i].node, "name", NULL);
        if (!reader->assembly[i].is_used && name) {
            lwi_report_warning(reader->report, reader->assembly[i].node->at,
                               LW_DIAG_UNUSED_ASSEMBLY, "assembly \"%s\" is not used", name);
        }
    }
}

lw_status lwi_native_read(lwi_xml_doc *doc, const lwi_load_context *context, lw_mech **mech,
                          lw_report *report)
{
    lwi_xml_node *root = lwi_xml_root(doc);
    lwi_native_reader reader = {.context = context, .report = report};
    *mech = NULL;
    lwi_native_good(&reader, lwi_native_check_grammar(root, report));
    read_head(&reader, root);
    read_assemblies(&reader, root);
    lw_mech *machine = reader.status == LW_ERR_MEMORY ? NULL : read_scope(&reader, root);
    if (reader.status == LW_OK) {
        warn_of_unused(&reader);
        *mech = machine;
        machine = NULL; // now the caller's
    }
    lw_mech_destroy(machine);
    for (int i = 0; i < reader.nassembly; ++i) {
        lw_mech_destroy(reader.assembly[i].inside);
    }
    lwi_arena_free(&reader.arena);
    return reader.status;
}
