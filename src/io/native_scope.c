// The parts of one description as the file lists them, and what each is connected to. Names are
// resolved here, before anything is added, because a joint that is given by its zero position needs
// to know what it is connected to.
#include "native_kinds.h"

#include <stdio.h>
#include <string.h>

// --- Lookup -----------------------------------------------------------------------------------

static int find_part(const void *context, const char *name, lw_part_kind kind)
{
    const lwi_native_scope *scope = context;
    return lwi_names_find(&scope->names[kind], name);
}

// A frame's key in the table of all frames: the number of its part and its name.
static bool frame_key(int part, const char *name, char key[LWI_NAME_LIMIT + 16])
{
    if (strlen(name) > LWI_NAME_LIMIT) {
        return false;
    }
    snprintf(key, LWI_NAME_LIMIT + 16, "%d.%s", part, name);
    return true;
}

lwi_xml_node *lwi_native_frame(const lwi_native_scope *scope, int part, const char *name)
{
    char key[LWI_NAME_LIMIT + 16];
    const int i = frame_key(part, name, key) ? lwi_names_find(&scope->frame_keys, key) : -1;
    return i >= 0 ? scope->frame[i] : NULL;
}

// The gateways of an assembly are known only once its inside is; until then any name will do.
static bool has_port(const void *context, int part, const char *port)
{
    const lwi_native_scope *scope = context;
    const lwi_native_part *p = &scope->part[part];
    if (!p->node) {
        return lw_port_of(scope->mech, p->part, port).index >= 0;
    }
    const lwi_kind_row *row = lwi_kind_row_of(p->kind);
    for (int i = LWI_PORT_A; i <= LWI_PORT_B; ++i) {
        if (row->port[i].name && strcmp(row->port[i].name, port) == 0) {
            return true;
        }
    }
    const bool has_axes = row->axis || row->port[LWI_PORT_AXIS].name;
    return p->kind == LW_PART_ASSEMBLY || (has_axes && lwi_native_is_axis(p, port)) ||
           (row->carries_frames && lwi_native_frame(scope, part, port));
}

// All names are looked through for the first unknown ones only: a file with more is a wrong file.
bool lwi_native_may_suggest(lwi_native_reader *reader)
{
    enum { MOST = 50 };
    return reader->nsuggestion++ < MOST;
}

static void offer_frames(const lwi_native_scope *scope, lw_nearest *nearest,
                         const lwi_native_part *part)
{
    if (!part->node) {
        int i = scope->mech->part.at[part->part.index].first_frame;
        for (; i >= 0; i = scope->mech->frame.at[i].next) {
            lw_nearest_offer(nearest, scope->mech->frame.at[i].name);
        }
        return;
    }
    for (lwi_xml_node *f = lwi_xml_child(part->node, "frame"); f; f = lwi_xml_next(f, "frame")) {
        const char *frame = lwi_xml_value(f, "name", NULL);
        if (frame) {
            lw_nearest_offer(nearest, frame);
        }
    }
}

// "trunk.hip" where there is a trunk, but no hip on it.
static bool report_missing_port(lwi_native_scope *scope, const char *text, lw_location at)
{
    char name[LWI_NAME_LIMIT + 1];
    const char *dot = strrchr(text, '.');
    if (!dot || strlen(text) > LWI_NAME_LIMIT) {
        return false;
    }
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = '\0';
    for (int kind = LWI_FIRST_KIND; kind < LWI_KIND_COUNT; ++kind) {
        const int i = find_part(scope, name, (lw_part_kind)kind);
        if (i < 0) {
            continue;
        }
        lw_nearest nearest;
        lw_nearest_init(&nearest, dot + 1);
        if (lwi_native_may_suggest(scope->reader)) {
            offer_frames(scope, &nearest, &scope->part[i]);
        }
        char owner[LWI_CLIP_SIZE], port[LWI_CLIP_SIZE];
        const bool has_frames = lwi_kind_row_of((lw_part_kind)kind)->carries_frames;
        lwi_native_good(scope->reader,
                        lwi_report_error(scope->reader->report, at, LW_ERR_PORT_UNKNOWN,
                                         "%s \"%s\" has no %s \"%s\"%s%s%s",
                                         lw_part_kind_name((lw_part_kind)kind),
                                         lwi_clip(name, owner), has_frames ? "frame" : "port",
                                         lwi_clip(dot + 1, port), LWI_MEANT(nearest)));
        return true;
    }
    return false;
}

static bool report_inside(lwi_native_scope *scope, const char *text, lw_location at)
{
    char name[LWI_NAME_LIMIT + 1], room[LWI_CLIP_SIZE], owner[LWI_CLIP_SIZE];
    const char *slash = strchr(text, '/');
    if (!slash || strlen(text) > LWI_NAME_LIMIT) {
        return false;
    }
    memcpy(name, text, (size_t)(slash - text));
    name[slash - text] = '\0';
    if (find_part(scope, name, LW_PART_ASSEMBLY) < 0) {
        return false;
    }
    lwi_native_good(
        scope->reader,
        lwi_report_error(scope->reader->report, at, LW_ERR_PORT_PROTECTED,
                         "\"%s\" is inside \"%s\", which is reached through its gateways only",
                         lwi_clip(text, room), lwi_clip(name, owner)));
    return true;
}

static void report_unknown(lwi_native_scope *scope, const char *text, lw_location at)
{
    lwi_native_reader *reader = scope->reader;
    if (report_missing_port(scope, text, at) || report_inside(scope, text, at)) {
        return;
    }
    // Of "uper.b" the part is wrong, else the port were missing.
    char name[LWI_NAME_LIMIT + 1];
    const char *dot = strrchr(text, '.');
    const bool has_port_name = dot && dot > text && strlen(text) <= LWI_NAME_LIMIT;
    if (has_port_name) {
        memcpy(name, text, (size_t)(dot - text));
        name[dot - text] = '\0';
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, has_port_name ? name : text);
    if (lwi_native_may_suggest(reader)) {
        for (int i = 0; i < scope->npart; ++i) {
            lw_nearest_offer(&nearest, scope->part[i].name);
            if (!has_port_name) {
                offer_frames(scope, &nearest, &scope->part[i]);
            }
        }
    }
    char room[LWI_CLIP_SIZE];
    lwi_native_good(reader, lwi_report_error(reader->report, at, LW_ERR_NAME,
                                             "there is no part or frame \"%s\"%s%s%s",
                                             lwi_clip(text, room), LWI_MEANT(nearest)));
}

lwi_native_ref lwi_native_find(lwi_native_scope *scope, lwi_xml_node *node, const char *attr,
                               const char *default_port, lw_location *at)
{
    const char *text = lwi_xml_value(node, attr, at);
    return text ? lwi_native_find_text(scope, text, default_port, *at)
                : (lwi_native_ref){-1, default_port};
}

lwi_native_ref lwi_native_find_text(lwi_native_scope *scope, const char *text,
                                    const char *default_port, lw_location at)
{
    const lwi_port_lookup lookup = {scope, find_part, has_port};
    const lwi_native_ref ref = lwi_resolve_port(&lookup, text, default_port);
    if (ref.part >= 0) {
        return ref;
    }
    // A frame that stands only once needs no part; it is a B port.
    const int owner = strcmp(default_port, "b") == 0 ? lwi_names_find(&scope->frames, text) : -1;
    if (owner >= 0) {
        return (lwi_native_ref){owner, text};
    }
    char room[LWI_CLIP_SIZE];
    if (owner == LWI_NATIVE_SEVERAL) {
        lwi_native_good(
            scope->reader,
            lwi_report_error(scope->reader->report, at, LW_ERR_NAME,
                             "frame \"%s\" is on several parts; write which, as \"part.frame\"",
                             lwi_clip(text, room)));
    } else {
        report_unknown(scope, text, at);
    }
    return ref;
}

static void report_missing_gateway(lwi_native_scope *scope, const lwi_native_part *part,
                                   const char *port, lw_location at)
{
    const lw_mech *mech = scope->mech;
    lw_nearest nearest;
    lw_nearest_init(&nearest, port);
    const lw_mech *inside = as_assembly(&mech->part.at[part->part.index])->inside;
    for (int i = 0; i < inside->gateway.count; ++i) {
        lw_nearest_offer(&nearest, inside->gateway.at[i].name);
    }
    char owner[LWI_CLIP_SIZE], room[LWI_CLIP_SIZE];
    lwi_native_good(scope->reader, lwi_report_error(scope->reader->report, at, LW_ERR_PORT_UNKNOWN,
                                                    "assembly \"%s\" has no gateway \"%s\"%s%s%s",
                                                    lwi_clip(part->name, owner),
                                                    lwi_clip(port, room), LWI_MEANT(nearest)));
}

lw_port lwi_native_port(lwi_native_scope *scope, lwi_native_ref ref, lw_location at)
{
    const lw_port none = {{-1}, -1};
    const lwi_native_part *part = ref.part >= 0 ? &scope->part[ref.part] : NULL;
    if (!part || part->part.index < 0) {
        return none;
    }
    const lw_port port = lw_port_of(scope->mech, part->part, ref.port);
    if (port.index < 0 && part->kind == LW_PART_ASSEMBLY) {
        report_missing_gateway(scope, part, ref.port, at);
    } else if (port.index < 0) {
        char owner[LWI_CLIP_SIZE], room[LWI_CLIP_SIZE];
        lwi_native_good(scope->reader,
                        lwi_report_error(scope->reader->report, at, LW_ERR_PORT_UNKNOWN,
                                         "%s \"%s\" has no axis \"%s\"",
                                         lw_part_kind_name(part->kind), lwi_clip(part->name, owner),
                                         lwi_clip(ref.port, room)));
    }
    return port;
}

// --- Collecting -------------------------------------------------------------------------------

static void collect_frame(lwi_native_scope *scope, int part, lwi_xml_node *node)
{
    char key[LWI_NAME_LIMIT + 16];
    const char *name = lwi_xml_value(node, "name", NULL);
    if (!name || !frame_key(part, name, key) || lwi_names_find(&scope->frame_keys, key) >= 0) {
        return; // of several frames with one name references mean the first
    }
    const int other = lwi_names_find(&scope->frames, name);
    const char *kept = lwi_arena_text(&scope->reader->arena, key, strlen(key));
    const bool is_there =
        kept && lwi_names_add(&scope->frame_keys, kept, scope->nframe) &&
        lwi_names_add(&scope->frames, name, other == -1 ? part : LWI_NATIVE_SEVERAL);
    if (lwi_native_has_memory(scope->reader, is_there, node->at)) {
        scope->frame[scope->nframe++] = node;
    }
}

static void collect_frames(lwi_native_scope *scope, int part)
{
    for (lwi_xml_node *node = lwi_xml_child(scope->part[part].node, "frame"); node;
         node = lwi_xml_next(node, "frame")) {
        collect_frame(scope, part, node);
    }
}

static void collect_part(lwi_native_scope *scope, lwi_xml_node *node, lw_part_kind kind)
{
    lwi_native_reader *reader = scope->reader;
    const int index = scope->npart++;
    lwi_native_part *part = &scope->part[index];
    *part = (lwi_native_part){.node = node,
                              .kind = kind,
                              .name = kind == LW_PART_GROUND ? "ground" : "",
                              .part = {-1},
                              .feeder = {-1, "b"}};
    if (kind != LW_PART_GROUND || lwi_native_has(node, "name")) {
        lwi_native_good(reader, lwi_xml_read_name(node, "name", &part->name, reader->report));
    }
    // Of several parts with one name references mean the first; the compile reports the others.
    if (*part->name && lwi_names_find(&scope->names[kind], part->name) < 0) {
        const bool is_there = lwi_names_add(&scope->names[kind], part->name, index);
        lwi_native_has_memory(reader, is_there, node->at);
    }
    if (lwi_kind_row_of(kind)->carries_frames) {
        collect_frames(scope, index);
    }
    if (kind == LW_PART_JOINT) {
        part->has_type = lwi_native_joint_type(reader, node, &part->type);
        lwi_native_good(reader,
                        lwi_xml_read_bool(node, "closing", &part->is_closing, reader->report));
        scope->has_zero = scope->has_zero || lwi_native_has(node, "point");
    }
    scope->has_zero = scope->has_zero || (kind == LW_PART_LINK && lwi_xml_child(node, "zero"));
}

// The parts of included files come first; they hang as those files say.
static void collect_included(lwi_native_scope *scope)
{
    const lw_mech *mech = scope->mech;
    for (int i = 0; i < mech->part.count; ++i) {
        const lwi_part *from = &mech->part.at[i];
        const int index = scope->npart++;
        scope->part[index] = (lwi_native_part){
            .kind = from->kind, .name = from->name, .part = {i}, .feeder = {-1, "b"}};
        if (from->kind == LW_PART_JOINT) {
            scope->part[index].type = as_joint(from)->type;
        }
        bool is_there = lwi_names_find(&scope->names[from->kind], from->name) >= 0 ||
                        lwi_names_add(&scope->names[from->kind], from->name, index);
        for (int f = from->first_frame; f >= 0 && is_there; f = mech->frame.at[f].next) {
            const char *name = mech->frame.at[f].name;
            const int other = lwi_names_find(&scope->frames, name);
            is_there =
                lwi_names_add(&scope->frames, name, other == -1 ? index : LWI_NATIVE_SEVERAL);
        }
        if (!lwi_native_has_memory(scope->reader, is_there, from->location)) {
            return;
        }
    }
}

static void hang(lwi_native_scope *scope, lwi_native_ref target, lwi_native_ref feeder,
                 lw_location at)
{
    lwi_native_reader *reader = scope->reader;
    if (target.part < 0 || feeder.part < 0) {
        return;
    }
    if (strcmp(target.port, "a") != 0) {
        lwi_native_link *link = lwi_arena_take(&reader->arena, 1, sizeof *link);
        if (lwi_native_has_memory(reader, link != NULL, at)) {
            *link = (lwi_native_link){feeder, target, at, scope->link};
            scope->link = link;
        }
        return;
    }
    lwi_native_part *part = &scope->part[target.part];
    if (part->feeder.part >= 0) {
        char room[LWI_CLIP_SIZE], other[LWI_CLIP_SIZE];
        const lwi_native_part *first = &scope->part[part->feeder.part];
        lwi_native_good(
            reader, lwi_report_error(reader->report, at, LW_ERR_PORT_TAKEN,
                                     "%s \"%s\" is connected to %s \"%s\" already (%s:%d:%d)",
                                     lw_part_kind_name(part->kind), lwi_clip(part->name, room),
                                     lw_part_kind_name(first->kind), lwi_clip(first->name, other),
                                     part->hung_at.file, part->hung_at.line, part->hung_at.column));
        return;
    }
    part->feeder = feeder;
    part->hung_at = at;
}

// A rod, a spring and a closing joint hang by both ends.
static void collect_closer(lwi_native_scope *scope, int index)
{
    lwi_xml_node *node = scope->part[index].node;
    const lwi_kind_row *row = lwi_kind_row_of(scope->part[index].kind);
    static const char *const attr[2] = {"from", "to"};
    for (int side = 0; side < 2; ++side) {
        lw_location at = node->at;
        const lwi_native_ref feeder = lwi_native_find(scope, node, attr[side], "b", &at);
        hang(scope, (lwi_native_ref){index, row->port[side].name}, feeder, at);
    }
}

static void collect_joint_end(lwi_native_scope *scope, int index, lwi_native_ref feeder)
{
    const lwi_native_part *part = &scope->part[index];
    lw_location at = part->node->at;
    const lwi_native_ref target = lwi_native_find(scope, part->node, "to", "a", &at);
    if (target.part >= 0 && target.part == feeder.part) {
        const lwi_native_part *end = &scope->part[target.part];
        char room[LWI_CLIP_SIZE], other[LWI_CLIP_SIZE];
        lwi_native_good(scope->reader,
                        lwi_report_error(scope->reader->report, at, LW_ERR_PORT_SAME_PART,
                                         "joint \"%s\" goes from %s \"%s\" to itself",
                                         lwi_clip(part->name, room), lw_part_kind_name(end->kind),
                                         lwi_clip(end->name, other)));
        return;
    }
    hang(scope, target, (lwi_native_ref){index, "b"}, at);
}

// A joint is connected by "from" and carries "to"; every other part names what it is connected to.
static void collect_feeders(lwi_native_scope *scope)
{
    for (int i = 0; i < scope->npart; ++i) {
        lwi_native_part *part = &scope->part[i];
        const char *attr = lwi_native_kind_of(part->kind)->connected[0];
        if (!attr || !part->node) {
            continue;
        }
        if (lwi_kind_row_of(part->kind)->is_closer || part->is_closing) {
            collect_closer(scope, i);
            continue;
        }
        lw_location at = part->node->at;
        const lwi_native_ref feeder = lwi_native_find(scope, part->node, attr, "b", &at);
        hang(scope, (lwi_native_ref){i, "a"}, feeder, at);
        if (part->kind == LW_PART_JOINT) {
            collect_joint_end(scope, i, feeder);
        }
    }
    for (lwi_xml_node *node = lwi_xml_child(scope->node, "connect"); node;
         node = lwi_xml_next(node, "connect")) {
        lw_location from = node->at, to = node->at;
        const lwi_native_ref feeder = lwi_native_find(scope, node, "from", "b", &from);
        hang(scope, lwi_native_find(scope, node, "to", "a", &to), feeder, to);
    }
}

// Capacity for all parts and frames of the scope.
static bool reserve(lwi_native_scope *scope)
{
    lwi_arena *arena = &scope->reader->arena;
    size_t npart = (size_t)scope->mech->part.count, nframe = 0;
    for (lwi_xml_node *node = scope->node->first_child; node; node = node->next) {
        npart += lwi_native_kind_of_element(node->tag) != LW_PART_ANY;
        for (const lwi_xml_node *child = node->first_child; child; child = child->next) {
            ++nframe; // of other children there are few
        }
    }
    scope->part = lwi_arena_take(arena, npart, sizeof *scope->part);
    scope->frame = lwi_arena_take(arena, nframe, sizeof *scope->frame);
    return lwi_native_has_memory(scope->reader, scope->part && scope->frame, scope->node->at);
}

void lwi_native_collect(lwi_native_scope *scope)
{
    lwi_native_reader *reader = scope->reader;
    for (int k = 0; k < LWI_KIND_COUNT; ++k) {
        lwi_names_init(&scope->names[k], &reader->arena);
    }
    lwi_names_init(&scope->frames, &reader->arena);
    lwi_names_init(&scope->frame_keys, &reader->arena);
    if (!reserve(scope)) {
        return;
    }
    collect_included(scope);
    for (lwi_xml_node *node = scope->node->first_child; node; node = node->next) {
        const lw_part_kind kind = lwi_native_kind_of_element(node->tag);
        if (kind != LW_PART_ANY) {
            collect_part(scope, node, kind);
        }
    }
    collect_feeders(scope);
}
