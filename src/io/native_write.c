// Writes a description as linkwork XML: one file that holds all. Every inside of an assembly,
// mounted from another file or not, becomes one <assembly>, however often it is used; inner ones
// come first, as the reader wants them.
#include "native_write.h"

#include "../base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_memory(lwi_native_writer *writer, bool is_there)
{
    if (!is_there && writer->status != LW_ERR_MEMORY) {
        const lw_location nowhere = {0};
        lwi_report_error(writer->report, nowhere, LW_ERR_MEMORY, "not enough memory");
        writer->status = LW_ERR_MEMORY;
    }
    return is_there;
}

static void fail(lwi_native_writer *writer, lw_status status)
{
    writer->status = writer->status == LW_OK ? status : writer->status;
}

void lwi_native_open(lwi_native_writer *writer, const char *tag)
{
    for (int i = 0; i < writer->indent; ++i) {
        lwi_text_add(writer->out, "  ");
    }
    lwi_text_add(writer->out, "<");
    lwi_text_add(writer->out, tag);
}

void lwi_native_attr_numbers(lwi_native_writer *writer, const char *attr, const double *value,
                             int count, lw_location location)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(value[i])) {
            fail(writer, lwi_report_error(writer->report, location, LW_ERR_NUMBER,
                                          "%s is not finite and cannot be written", attr));
            return;
        }
    }
    lwi_text_add_attr_numbers(writer->out, attr, value, count);
}

static bool is_zero(const double *value, int count)
{
    static const double zero[3] = {0.0};
    return memcmp(value, zero, (size_t)count * sizeof *value) == 0;
}

void lwi_native_attr_placement(lwi_native_writer *writer, const lw_placement *placement,
                               lw_location location)
{
    const double *v = placement->value;
    switch (placement->form) {
    case LW_PLACEMENT_IDENTITY:
        break;
    case LW_PLACEMENT_RPY:
        lwi_native_attr_numbers(writer, "xyz", v, 3, location);
        if (!is_zero(v + 3, 3)) {
            lwi_native_attr_numbers(writer, "rpy", v + 3, 3, location);
        }
        break;
    case LW_PLACEMENT_QUAT:
        lwi_native_attr_numbers(writer, "xyz", v, 3, location);
        lwi_native_attr_numbers(writer, "quat", v + 3, 4, location);
        break;
    case LW_PLACEMENT_MATRIX: {
        const double rows[12] = {v[0], v[1],  v[2], v[9], v[3], v[4],
                                 v[5], v[10], v[6], v[7], v[8], v[11]};
        lwi_native_attr_numbers(writer, "matrix", rows, 12, location);
        break;
    }
    case LW_PLACEMENT_DH:
        lwi_native_attr_numbers(writer, "dh", v, 4, location);
        break;
    }
}

void lwi_native_attr_role(lwi_native_writer *writer, lw_role role)
{
    if (role != LW_ROLE_BY_KIND) {
        lwi_text_add_attr(writer->out, "role",
                          role == LW_ROLE_STRUCTURAL ? "structural" : "transmission");
    }
}

void lwi_native_attr_level(lwi_native_writer *writer, lw_level level)
{
    if (level != LW_LEVEL_UNSET) {
        lwi_text_add_attr(writer->out, "level", lw_level_name(level));
    }
}

// --- Names of ports ---------------------------------------------------------------------------

// The reader takes any port of an assembly for granted, so names must hold without that knowledge.
static bool has_port(const void *context, int part, const char *port)
{
    const lw_mech *mech = context;
    return mech->part.at[part].kind == LW_PART_ASSEMBLY ||
           lw_port_of(mech, (lw_part){part}, port).index >= 0;
}

static bool means(const lw_mech *mech, const char *text, const char *default_port, lw_port port)
{
    const lwi_port_lookup lookup = {mech, lwi_find_part_of_kind, has_port};
    const lwi_native_ref ref = lwi_resolve_port(&lookup, text, default_port);
    return ref.part == port.part.index && strcmp(ref.port, lwi_port_name(mech, port)) == 0;
}

void lwi_native_attr_port(const lwi_native_out *out, const char *attr, lw_port port,
                          const char *default_port)
{
    lwi_native_writer *writer = out->writer;
    const lwi_part *part = &out->mech->part.at[port.part.index];
    const char *name = lwi_port_name(out->mech, port);
    lwi_text text = {0};
    bool is_found = false;
    for (int attempt = 0; attempt < 4 && !is_found && !text.is_short; ++attempt) {
        const bool with_kind = attempt >= 2, with_port = attempt % 2 == 1;
        lwi_text_clear(&text);
        if (with_kind) {
            lwi_text_add(&text, lw_part_kind_name(part->kind));
            lwi_text_add(&text, ":");
        }
        lwi_text_add(&text, part->name);
        if (with_port) {
            lwi_text_add(&text, ".");
            lwi_text_add(&text, name);
        }
        is_found = !text.is_short && means(out->mech, text.at, default_port, port);
    }
    if (has_memory(writer, !text.is_short) && !is_found) {
        fail(writer,
             lwi_report_error(writer->report, part->location, LW_ERR_NAME,
                              "%s \"%s\": its port \"%s\" cannot be distinguished from another",
                              lw_part_kind_name(part->kind), part->name, name));
    } else if (is_found) {
        lwi_text_add_attr(writer->out, attr, text.at);
    }
    lwi_text_free(&text);
}

// --- Insides ----------------------------------------------------------------------------------

enum { ADDRESS_SIZE = 40 };

static int find_inside(const lwi_native_writer *writer, const lw_mech *mech)
{
    char address[ADDRESS_SIZE];
    snprintf(address, sizeof address, "%p", (const void *)mech);
    return lwi_names_find(&writer->known, address);
}

const char *lwi_native_inside_name(const lwi_native_writer *writer, const lw_mech *inside)
{
    const int i = find_inside(writer, inside);
    return i >= 0 ? writer->inside[i].name : "";
}

static bool know(lwi_native_writer *writer, const lw_mech *mech, int number)
{
    char address[ADDRESS_SIZE];
    const int length = snprintf(address, sizeof address, "%p", (const void *)mech);
    const char *kept = lwi_arena_text(&writer->arena, address, (size_t)length);
    return has_memory(writer, kept && lwi_names_add(&writer->known, kept, number));
}

// Its own name, with a number behind it where that is taken.
static const char *free_name(lwi_native_writer *writer, const lw_mech *mech)
{
    const char *own = *mech->name ? mech->name : "assembly";
    lwi_text text = {0};
    lwi_text_add(&text, own);
    for (int i = 2; !text.is_short && lwi_names_find(&writer->inside_names, text.at) >= 0; ++i) {
        lwi_text_clear(&text);
        lwi_text_add(&text, own);
        lwi_text_add(&text, "_");
        lwi_text_add_int(&text, i);
    }
    const char *name = text.is_short ? NULL : lwi_arena_text(&writer->arena, text.at, text.used);
    lwi_text_free(&text);
    return name && lwi_names_add(&writer->inside_names, name, 0) ? name : NULL;
}

static void list_inside(lwi_native_writer *writer, const lw_mech *mech)
{
    lwi_native_inside *at =
        lwi_array_reserve(writer->inside, writer->ninside, &writer->inside_room, sizeof *at);
    if (!has_memory(writer, at != NULL)) {
        return;
    }
    writer->inside = at;
    writer->status = lwi_refuse_unwritable(mech, writer->report);
    at[writer->ninside].mech = mech;
    at[writer->ninside].name = free_name(writer, mech);
    if (has_memory(writer, at[writer->ninside].name != NULL) &&
        know(writer, mech, writer->ninside)) {
        ++writer->ninside;
    }
}

typedef struct visit {
    const lw_mech *mech;
    int next; ///< assembly of it to look at
} visit;

// Lists all insides, each after those within it: a depth-first walk with its own stack.
static void list_insides(lwi_native_writer *writer, const lw_mech *machine)
{
    visit *stack = NULL;
    int depth = 0, room = 0;
    const lw_mech *entered = machine;
    while (writer->status == LW_OK && (entered || depth > 0)) {
        if (entered) {
            visit *larger = lwi_array_reserve(stack, depth, &room, sizeof *stack);
            if (!has_memory(writer, larger != NULL)) {
                break;
            }
            stack = larger;
            stack[depth++] = (visit){entered, 0};
            entered = NULL;
        }
        visit *top = &stack[depth - 1];
        if (top->next < top->mech->part.count && top->mech->nassembly > 0) {
            const lwi_part *part = &top->mech->part.at[top->next++];
            const bool is_assembly = part->kind == LW_PART_ASSEMBLY;
            const lw_mech *inside = is_assembly ? as_assembly(part)->inside : NULL;
            entered = inside && find_inside(writer, inside) < 0 ? inside : NULL;
            continue;
        }
        if (--depth > 0) {
            list_inside(writer, stack[depth].mech);
        }
    }
    free(stack);
}

// --- A scope ----------------------------------------------------------------------------------

// A joint names the first part that is connected to it; the others name the joint.
static bool assign_carried(lwi_native_out *out)
{
    const size_t n = (size_t)out->mech->part.count;
    out->carries = lwi_arena_take(&out->writer->arena, n, sizeof *out->carries);
    out->is_named = lwi_arena_take(&out->writer->arena, n, sizeof *out->is_named);
    const bool is_placed = lwi_find_zero_poses(out->mech, &out->writer->arena, &out->zero);
    if (!has_memory(out->writer, out->carries && out->is_named && is_placed)) {
        return false;
    }
    for (int i = 0; i < out->mech->part.count; ++i) {
        out->carries[i] = -1;
    }
    for (int i = 0; i < out->mech->part.count; ++i) {
        const lw_port feeder = out->mech->part.at[i].feeder;
        const int joint = feeder.part.index;
        if (joint >= 0 && feeder.index == LWI_PORT_B && out->carries[joint] < 0 &&
            out->mech->part.at[joint].kind == LW_PART_JOINT) {
            out->carries[joint] = i;
            out->is_named[i] = true;
        }
    }
    return true;
}

static void write_connections(const lwi_native_out *out)
{
    lwi_native_writer *writer = out->writer;
    for (int i = 0; i < out->mech->connection.count; ++i) {
        const lwi_connection *c = &out->mech->connection.at[i];
        if (c->b.part.index >= 0) {
            lwi_native_open(writer, "connect");
            lwi_native_attr_port(out, "from", c->b, "b");
            lwi_native_attr_port(out, "to", c->a, "a");
            lwi_text_add(writer->out, "/>\n");
        }
    }
}

static void write_axis_links(const lwi_native_out *out)
{
    lwi_native_writer *writer = out->writer;
    for (int i = 0; i < out->mech->axis_link.count; ++i) {
        const lwi_axis_link *link = &out->mech->axis_link.at[i];
        lwi_native_open(writer, "connect");
        lwi_native_attr_port(out, "from", link->one, "b");
        lwi_native_attr_port(out, "to", link->other, "a");
        lwi_text_add(writer->out, "/>\n");
    }
}

static void write_couplings(const lwi_native_out *out)
{
    lwi_native_writer *writer = out->writer;
    for (int i = 0; i < out->mech->coupling.count; ++i) {
        const lw_coupling_def *c = &out->mech->coupling.at[i];
        if (c->law == LW_LAW_FUNCTION) {
            lwi_report_warning(writer->report, c->location, LW_DIAG_LOST,
                               "coupling of \"%s\": its callback cannot be written", c->dependent);
            continue;
        }
        lwi_native_open(writer, "coupling");
        if (*c->name) {
            lwi_text_add_attr(writer->out, "name", c->name);
        }
        lwi_text_add_attr(writer->out, "joint", c->dependent);
        lwi_text_add_attr(writer->out, "of", c->source);
        lwi_native_attr_numbers(writer, c->law == LW_LAW_TABLE ? "table" : "polynomial",
                                c->coefficient, c->ncoefficient, c->location);
        lwi_text_add(writer->out, "/>\n");
    }
}

// A first size of 1 is how a ratio is kept, and whole numbers how teeth are, unless they are radii.
static void write_gears(const lwi_native_out *out)
{
    lwi_native_writer *writer = out->writer;
    for (int i = 0; i < out->mech->gear.count; ++i) {
        const lw_gear_def *gear = &out->mech->gear.at[i];
        const bool is_rack = gear->type == LW_GEAR_RACK;
        const bool is_ratio = gear->size[0] == 1.0 && !is_rack && !gear->has_radii;
        const bool is_teeth = !is_rack && !gear->has_radii && gear->size[0] >= 2.0 &&
                              gear->size[1] >= 2.0 && gear->size[0] == floor(gear->size[0]) &&
                              gear->size[1] == floor(gear->size[1]);
        lwi_native_open(writer, "gear");
        lwi_text_add_attr(writer->out, "name", gear->name);
        lwi_text_add_attr(writer->out, "type", lw_gear_type_name(gear->type));
        lwi_text_add_attr(writer->out, "first", gear->wheel[0]);
        lwi_text_add_attr(writer->out, "second", gear->wheel[1]);
        if (gear->type == LW_GEAR_PLANETARY) {
            lwi_text_add_attr(writer->out, "carrier", gear->carrier);
        }
        lwi_native_attr_numbers(writer,
                                is_ratio   ? "ratio"
                                : is_teeth ? "teeth"
                                           : "radii",
                                is_ratio ? &gear->size[1] : &gear->size[0], is_ratio ? 1 : 2,
                                gear->location);
        if (gear->hand < 0) {
            lwi_text_add_attr(writer->out, "hand", "left");
        }
        lwi_native_attr_role(writer, gear->role);
        lwi_text_add(writer->out, "/>\n");
    }
}

static void write_gateways(const lwi_native_out *out)
{
    lwi_native_writer *writer = out->writer;
    for (int i = 0; i < out->mech->gateway.count; ++i) {
        const lwi_gateway *gateway = &out->mech->gateway.at[i];
        lwi_native_open(writer, "gateway");
        lwi_text_add_attr(writer->out, "name", gateway->name);
        lwi_native_attr_port(out, "port", gateway->port, "b");
        lwi_text_add(writer->out, "/>\n");
    }
}

static void write_levels(const lwi_native_out *out)
{
    lwi_native_writer *writer = out->writer;
    for (int i = 0; i < out->mech->choice.count; ++i) {
        lwi_native_open(writer, "level");
        lwi_text_add_attr(writer->out, "assembly", out->mech->choice.at[i].assembly);
        lwi_native_attr_level(writer, out->mech->choice.at[i].level);
        lwi_text_add(writer->out, "/>\n");
    }
}

static void write_scope(lwi_native_writer *writer, const lw_mech *mech)
{
    lwi_native_out out = {.writer = writer, .mech = mech};
    if (!assign_carried(&out)) {
        return;
    }
    ++writer->indent;
    for (int i = 0; i < mech->part.count; ++i) {
        lwi_native_write_part(&out, i);
    }
    write_connections(&out);
    write_axis_links(&out);
    write_couplings(&out);
    write_gears(&out);
    write_gateways(&out);
    write_levels(&out);
    --writer->indent;
}

static void write_insides(lwi_native_writer *writer)
{
    ++writer->indent;
    for (int i = 0; i < writer->ninside && writer->status != LW_ERR_MEMORY; ++i) {
        lwi_native_open(writer, "assembly");
        lwi_text_add_attr(writer->out, "name", writer->inside[i].name);
        lwi_native_attr_level(writer, writer->inside[i].mech->level);
        lwi_text_add(writer->out, ">\n");
        write_scope(writer, writer->inside[i].mech);
        lwi_native_open(writer, "/assembly>\n");
    }
    --writer->indent;
}

lw_status lwi_native_write(const lw_mech *mech, lwi_text *out, lw_report *report)
{
    const lw_location nowhere = {0};
    lwi_native_writer writer = {.out = out, .report = report};
    lwi_names_init(&writer.inside_names, &writer.arena);
    lwi_names_init(&writer.known, &writer.arena);
    list_insides(&writer, mech);
    if (writer.status == LW_OK) {
        lwi_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<linkwork version=\"1\"");
        lwi_text_add_attr(out, "name", *mech->name ? mech->name : "machine");
        lwi_native_attr_level(&writer, mech->level);
        lwi_text_add(out, ">\n");
        write_insides(&writer);
        write_scope(&writer, mech);
        lwi_text_add(out, "</linkwork>\n");
    }
    if (out->is_lossy) {
        lwi_report_warning(report, nowhere, LW_DIAG_CHARACTER_REPLACED,
                           "names hold characters that XML cannot; each is written as '?'");
    }
    has_memory(&writer, !out->is_short);
    free(writer.inside);
    lwi_arena_free(&writer.arena);
    return writer.status;
}
