// Opens the assemblies. Every use of a description becomes an instance with a prefix, every
// part of every instance a flat part, and every connection a link from a flat part to the port that
// it is connected to, with the gateways passed through.
#include "build.h"

#include "../base/report.h"

#include <stdio.h>
#include <string.h>

// Assemblies within assemblies multiply. What is opened is counted before any memory is taken.
enum {
    MOST_ITEMS = 1 << 22, ///< parts, frames, shapes, couplings and gears; about 1 GB
    MOST_BYTES = 1 << 28  ///< of their names
};

// The largest assembly of the innermost description that is too large by itself: there the parts
// multiply. Without assemblies, the last part.
static lw_location place_of_excess(const lw_mech *mech, long long (*size_of)(const lw_mech *mech),
                                   long long limit)
{
    lw_location location = {0};
    while (mech) {
        const lw_mech *inner = NULL;
        long long largest = -1;
        for (int p = 0; p < mech->part.count; ++p) {
            const lwi_part *part = &mech->part.at[p];
            const lw_mech *inside =
                part->kind == LW_PART_ASSEMBLY ? as_assembly(part)->inside : NULL;
            const long long size = inside ? size_of(inside) : -1;
            if (size >= largest) {
                inner = size > limit ? inside : NULL;
                location = part->location;
                largest = size;
            }
        }
        mech = inner;
    }
    return location;
}

static lw_status check_size(lwi_build *b)
{
    if (lwi_mech_items(b->mech) > MOST_ITEMS) {
        return lwi_report_error(b->report, place_of_excess(b->mech, lwi_mech_items, MOST_ITEMS),
                                LW_ERR_LIMIT,
                                "\"%s\" has more than %d parts, frames, shapes, couplings and "
                                "gears with its assemblies opened",
                                b->mech->name, MOST_ITEMS);
    }
    if (lwi_mech_name_bytes(b->mech) > MOST_BYTES) {
        return lwi_report_error(
            b->report, place_of_excess(b->mech, lwi_mech_name_bytes, MOST_BYTES), LW_ERR_LIMIT,
            "the full names of the parts of \"%s\" have more than %d bytes", b->mech->name,
            MOST_BYTES);
    }
    return LW_OK;
}

// The name of a part behind the prefix of its instance.
static lw_status join(lwi_build *b, const char *prefix, const lwi_part *part, const char *tail,
                      const char **joined)
{
    const size_t np = strlen(prefix), nn = strlen(part->name), nt = strlen(tail);
    if (np + nn + nt > LWI_NAME_LIMIT) {
        return lwi_report_error(
            b->report, part->location, LW_ERR_LIMIT,
            "the full name of %s \"%s\", with the assemblies that it is in, has "
            "more than %d bytes",
            lw_part_kind_name(part->kind), part->name, LWI_NAME_LIMIT);
    }
    char *text = lwi_arena_take(b->arena, np + nn + nt + 1, 1);
    if (!text) {
        return lwi_build_no_memory(b);
    }
    memcpy(text, prefix, np);
    memcpy(text + np, part->name, nn);
    memcpy(text + np + nn, tail, nt);
    *joined = text;
    return LW_OK;
}

// Counts instances and parts, so that the arrays are made once. A list of descriptions to visit
// stands in for recursion; a shared inside is visited once for every use.
static lw_status make_instances(lwi_build *b)
{
    int room = 16, parts = 0;
    b->instance = lwi_arena_take(b->arena, (size_t)room, sizeof *b->instance);
    if (!b->instance) {
        return lwi_build_no_memory(b);
    }
    b->instance[0] = (lwi_instance){.mech = b->mech, .prefix = "", .flat = -1, .parent = -1};
    b->ninstance = 1;
    for (int i = 0; i < b->ninstance; ++i) {
        const lw_mech *mech = b->instance[i].mech;
        b->instance[i].first_flat = parts;
        b->instance[i].base = lwi_mech_base(mech);
        parts += mech->part.count;
        for (int p = 0; p < mech->part.count && mech->nassembly; ++p) {
            const lwi_part *part = &mech->part.at[p];
            if (part->kind != LW_PART_ASSEMBLY) {
                continue;
            }
            if (b->ninstance == room) {
                lwi_instance *more = lwi_arena_take(b->arena, 2 * (size_t)room, sizeof *more);
                if (!more) {
                    return lwi_build_no_memory(b);
                }
                memcpy(more, b->instance, (size_t)room * sizeof *more);
                b->instance = more;
                room *= 2;
            }
            const char *prefix = NULL;
            const lw_status status = join(b, b->instance[i].prefix, part, "/", &prefix);
            if (status != LW_OK) {
                return status;
            }
            b->instance[b->ninstance++] = (lwi_instance){.mech = as_assembly(part)->inside,
                                                         .prefix = prefix,
                                                         .parent = i,
                                                         .depth = b->instance[i].depth + 1,
                                                         .flat = b->instance[i].first_flat + p};
        }
    }
    b->nflat = parts;
    return LW_OK;
}

static lw_status make_flats(lwi_build *b)
{
    b->flat = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *b->flat);
    if (!b->flat) {
        return lwi_build_no_memory(b);
    }
    int inside = 1; // instances were made in the order in which this loop meets the assemblies
    for (int i = 0; i < b->ninstance; ++i) {
        const lwi_instance *instance = &b->instance[i];
        const lw_mech *mech = instance->mech;
        for (int p = 0; p < mech->part.count; ++p) {
            const lwi_part *part = &mech->part.at[p];
            const char *name = part->name;
            const lw_status status =
                *instance->prefix ? join(b, instance->prefix, part, "", &name) : LW_OK;
            if (status != LW_OK) {
                return status;
            }
            b->flat[instance->first_flat + p] =
                (lwi_flat){.kind = part->kind,
                           .instance = i,
                           .part = p,
                           .inside = part->kind == LW_PART_ASSEMBLY ? inside++ : -1,
                           .name = name,
                           .location = part->location,
                           .is_left_out = part->kind == LW_PART_REMOVED,
                           .is_closer = lwi_is_closer(part),
                           .feeder = -1,
                           .feeder2 = -1,
                           .joint = -1};
        }
    }
    return LW_OK;
}

int lwi_find_end(const lwi_build *b, int instance, lw_port port, int *port_index)
{
    for (;;) {
        const int flat = b->instance[instance].first_flat + port.part.index;
        if (b->flat[flat].kind != LW_PART_ASSEMBLY) {
            *port_index = port.index;
            return flat;
        }
        instance = b->flat[flat].inside;
        const lwi_instance *in = &b->instance[instance];
        if (port.index == LWI_PORT_A) {
            if (in->base < 0) {
                return -1;
            }
            port = (lw_port){{in->base}, LWI_PORT_A};
        } else {
            port = lwi_gateway_of(in->mech, port.index)->port;
        }
    }
}

static void hang(lwi_build *b, int instance, lw_port b_port, lw_port a_port)
{
    int port = 0, own_port = 0;
    const int feeder = lwi_find_end(b, instance, b_port, &port);
    const int flat = lwi_find_end(b, instance, a_port, &own_port);
    const lwi_flat *outer = &b->flat[b->instance[instance].first_flat + a_port.part.index];
    if (flat < 0 || feeder < 0) {
        lwi_report_error(b->report, outer->location, LW_ERR_MODEL,
                         "assembly \"%s\" has no ground and not one root, so it has no port a",
                         outer->name);
        return;
    }
    const bool is_second = b->flat[flat].is_closer && own_port == LWI_PORT_B;
    if ((is_second ? b->flat[flat].feeder2 : b->flat[flat].feeder) >= 0) {
        lwi_report_error(
            b->report, outer->location, LW_ERR_PORT_TAKEN,
            "%s \"%s\" is connected to two ports: inside its assembly and through a gateway",
            lw_part_kind_name(b->flat[flat].kind), b->flat[flat].name);
        return;
    }
    if (is_second) {
        b->flat[flat].feeder2 = feeder;
        b->flat[flat].feeder2_port = port;
    } else {
        b->flat[flat].feeder = feeder;
        b->flat[flat].feeder_port = port;
    }
}

// What was wrong when the parts were added, once for every description however often it is used.
static lw_status report_bad_definitions(lwi_build *b)
{
    lwi_names seen;
    lwi_names_init(&seen, b->arena);
    for (int i = 0; i < b->ninstance; ++i) {
        const lw_mech *mech = b->instance[i].mech;
        char key[32];
        const int length = snprintf(key, sizeof key, "%p", (const void *)mech);
        if (lwi_names_find(&seen, key) < 0) {
            const char *kept = lwi_arena_text(b->arena, key, (size_t)length);
            if (!kept || !lwi_names_add(&seen, kept, i)) {
                return lwi_build_no_memory(b);
            }
            lwi_validate(mech, b->report);
        }
    }
    return LW_OK;
}

// A part may be called "leg/foot" beside an assembly "leg" that has a foot. Descriptions by
// themselves have no two names alike, so without such names nothing can go wrong.
static lw_status check_full_names(lwi_build *b)
{
    bool may_clash = false;
    for (int i = 0; i < b->ninstance && b->ninstance > 1; ++i) {
        may_clash |= b->instance[i].mech->has_slash;
    }
    lwi_names names[LWI_KIND_COUNT];
    for (int kind = 0; kind < LWI_KIND_COUNT; ++kind) {
        lwi_names_init(&names[kind], b->arena);
    }
    for (int f = 0; f < b->nflat && may_clash; ++f) {
        const lwi_flat *flat = &b->flat[f];
        const int other = lwi_names_find(&names[flat->kind], flat->name);
        if (other < 0 && !lwi_names_add(&names[flat->kind], flat->name, f)) {
            return lwi_build_no_memory(b);
        }
        if (other >= 0 && b->flat[other].instance != flat->instance) {
            char text[LWI_LOCATION_SIZE];
            lwi_location_text(b->flat[other].location, text);
            lwi_report_error(b->report, flat->location, LW_ERR_NAME,
                             "with the assemblies opened there is another %s named \"%s\"%s%s",
                             lw_part_kind_name(flat->kind), flat->name, *text ? ", at " : "", text);
        }
    }
    return LW_OK;
}

lw_status lwi_pass_elaborate(lwi_build *b)
{
    lw_status status = check_size(b);
    if (status == LW_OK) {
        status = make_instances(b);
    }
    if (status == LW_OK) {
        status = report_bad_definitions(b);
    }
    if (status == LW_OK) {
        status = make_flats(b);
    }
    if (status == LW_OK) {
        status = check_full_names(b);
    }
    for (int i = 0; i < b->ninstance && status == LW_OK; ++i) {
        const lw_mech *mech = b->instance[i].mech;
        for (int p = 0; p < mech->part.count; ++p) {
            if (mech->part.at[p].feeder.part.index >= 0) {
                hang(b, i, mech->part.at[p].feeder, (lw_port){{p}, LWI_PORT_A});
            }
            if (mech->part.at[p].feeder2.part.index >= 0) {
                hang(b, i, mech->part.at[p].feeder2, (lw_port){{p}, LWI_PORT_B});
            }
        }
        for (int c = 0; c < mech->connection.count; ++c) {
            if (mech->connection.at[c].b.part.index >= 0) {
                hang(b, i, mech->connection.at[c].b, mech->connection.at[c].a);
            }
        }
    }
    return status;
}
