// Making a description: its parts, frames, shapes, couplings and assemblies. What is wrong with a
// definition is recorded in mech->bad, and the part is added all the same, so that a reader or a
// program can go on and the compile reports everything at once.
#include "parts.h"

#include "../base/report.h"
#include "edit.h"
#include "validate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *lwi_array_reserve(void *at, int count, int *room, size_t element)
{
    enum { MOST = 1 << 28 }; // keeps every index and every count of ports an int
    if (count >= MOST) {
        return NULL;
    }
    char *array = at;
    if (count >= *room) {
        const int more = *room ? 2 * *room : 8;
        array = realloc(at, (size_t)more * element);
        if (!array) {
            return NULL;
        }
        *room = more;
    }
    memset(array + (size_t)count * element, 0, element);
    return array;
}

// A new zeroed element at the end of an array of the description, or null. It counts only once the
// caller has raised `count`.
#define NEXT(type, array)                                                                          \
    static type *next_##array(lw_mech *mech)                                                       \
    {                                                                                              \
        type *at =                                                                                 \
            lwi_array_reserve(mech->array.at, mech->array.count, &mech->array.room, sizeof *at);   \
        if (!at) {                                                                                 \
            return NULL;                                                                           \
        }                                                                                          \
        mech->array.at = at;                                                                       \
        return &at[mech->array.count];                                                             \
    }

NEXT(lwi_part, part)
NEXT(lw_ground_def, grounds)
NEXT(lw_link_def, link)
NEXT(lwi_joint, joint)
NEXT(lw_load_def, load)
NEXT(lw_rod_def, rod)
NEXT(lwi_assembly, assembly)
NEXT(lwi_part_frame, frame)
NEXT(lwi_shape, shape)
NEXT(lw_coupling_def, coupling)
NEXT(lw_gear_def, gear)
NEXT(lwi_gateway, gateway)

static const lw_part no_part = {-1};
static const lw_port no_port = {{-1}, -1};

lw_mech *lw_mech_create(const char *name)
{
    lw_mech *mech = calloc(1, sizeof *mech);
    if (!mech) {
        return NULL;
    }
    mech->users = 1;
    mech->ground = -1;
    for (int kind = 0; kind < LWI_KIND_COUNT; ++kind) {
        lwi_names_init(&mech->names[kind], &mech->arena);
    }
    lwi_names_init(&mech->frame_names, &mech->arena);
    lwi_names_init(&mech->part_frames, &mech->arena);
    lwi_names_init(&mech->gateway_names, &mech->arena);
    mech->bad = lw_report_create();
    mech->name = lwi_arena_text(&mech->arena, name ? name : "", name ? strlen(name) : 0);
    if (!mech->bad || !mech->name) {
        lw_mech_destroy(mech);
        return NULL;
    }
    return mech;
}

static void free_mech(lw_mech *mech)
{
    free(mech->part.at);
    free(mech->grounds.at);
    free(mech->link.at);
    free(mech->joint.at);
    free(mech->load.at);
    free(mech->rod.at);
    free(mech->assembly.at);
    free(mech->drive.at);
    free(mech->gearbox.at);
    free(mech->spring.at);
    free(mech->frame.at);
    free(mech->shape.at);
    free(mech->coupling.at);
    free(mech->gear.at);
    free(mech->gateway.at);
    free(mech->connection.at);
    free(mech->choice.at);
    free(mech->axis_link.at);
    lw_report_destroy(mech->bad);
    lwi_arena_free(&mech->arena);
    free(mech);
}

// Assemblies nest to any depth, so the insides that lose their last user wait in a list instead of
// being freed by recursion.
void lw_mech_destroy(lw_mech *mech)
{
    lw_mech *waiting = NULL;
    if (mech && --mech->users == 0) {
        mech->next_to_free = NULL;
        waiting = mech;
    }
    while (waiting) {
        lw_mech *dead = waiting;
        waiting = dead->next_to_free;
        for (int i = 0; i < dead->assembly.count; ++i) {
            lw_mech *inside = dead->assembly.at[i].inside;
            if (inside && --inside->users == 0) {
                inside->next_to_free = waiting;
                waiting = inside;
            }
        }
        free_mech(dead);
    }
}

const char *lw_mech_name(const lw_mech *mech)
{
    return mech ? mech->name : "";
}

const char *lw_mech_message(const lw_mech *mech)
{
    return mech ? mech->message : "";
}

lw_status lwi_refuse(lw_mech *mech, lw_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int wanted = vsnprintf(mech->message, sizeof mech->message, format, args);
    va_end(args);
    if (wanted >= (int)sizeof mech->message) {
        mech->message[lwi_cut_length(mech->message, sizeof mech->message - 1)] = '\0';
    }
    return status;
}

const char *lwi_kind_name(lwi_kind kind)
{
    static const char *const name[] = {"ground",   "link",  "joint",   "load",   "rod",
                                       "assembly", "drive", "gearbox", "spring", "torsion"};
    return (int)kind >= 0 && kind < LWI_KIND_COUNT ? name[kind] : "part";
}

// A copy that lives as long as the description; null for null, and when memory is short.
static const char *keep_text(lw_mech *mech, const char *text)
{
    return text ? lwi_arena_text(&mech->arena, text, strlen(text)) : NULL;
}

lw_place lwi_keep_place(lw_mech *mech, lw_place place)
{
    if (!place.file) {
        return place;
    }
    if (!mech->last_place.file || strcmp(mech->last_place.file, place.file) != 0) {
        mech->last_place.file = keep_text(mech, place.file);
    }
    place.file = mech->last_place.file;
    return place;
}

bool lwi_may_edit(lw_mech *mech)
{
    if (!mech) {
        return false;
    }
    mech->message[0] = '\0';
    if (mech->is_frozen) {
        lwi_refuse(mech, LW_ERR_FROZEN, "\"%s\" is in use as an assembly and cannot be edited",
                   mech->name);
        return false;
    }
    return true;
}

void lwi_edit_no_memory(lw_mech *mech)
{
    lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
}

// Very large sums stop growing: what matters is that they are above every limit.
static long long add_large(long long a, long long b)
{
    const long long most = 1ll << 60;
    return a > most - b ? most : a + b;
}

static long long multiply_large(long long a, long long b)
{
    const long long most = 1ll << 60;
    return b > 0 && a > most / b ? most : a * b;
}

long long lwi_mech_items(const lw_mech *mech)
{
    const long long own = (long long)mech->part.count + mech->frame.count + mech->shape.count +
                          mech->coupling.count + mech->gear.count + mech->axis_link.count;
    return add_large(mech->inside_items, own);
}

long long lwi_mech_name_bytes(const lw_mech *mech)
{
    return add_large(mech->inside_bytes, mech->name_bytes);
}

lw_part lwi_add_part(lw_mech *mech, lwi_kind kind, int *item_count, const char *name,
                     lw_place place)
{
    lwi_part *part = next_part(mech);
    const char *kept = keep_text(mech, name ? name : "");
    if (!part || !kept) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    const int index = mech->part.count;
    const int other = lwi_names_find(&mech->names[kind], kept);
    if (other >= 0) {
        lwi_report_duplicate(mech, kind, kept, place, mech->part.at[other].place);
    } else if (!lwi_names_add(&mech->names[kind], kept, index)) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    lwi_check_name(mech, kind, kept, place);
    *part = (lwi_part){.kind = kind,
                       .item = (*item_count)++,
                       .name = kept,
                       .place = lwi_keep_place(mech, place),
                       .feeder = no_port,
                       .feeder2 = no_port,
                       .set = index,
                       .first_frame = -1,
                       .last_frame = -1,
                       .first_shape = -1,
                       .last_shape = -1};
    ++mech->part.count;
    mech->name_bytes += (long long)strlen(kept) + 1;
    mech->has_slash |= strchr(kept, '/') != NULL;
    return (lw_part){index};
}

lw_part lw_add_ground(lw_mech *mech, const lw_ground_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    lw_ground_def *ground = next_grounds(mech);
    if (!ground) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *ground = *def;
    const lw_part part =
        lwi_add_part(mech, LWI_GROUND, &mech->grounds.count, def->name, def->place);
    if (part.index >= 0) {
        ground->name = mech->part.at[part.index].name;
        ground->place = mech->part.at[part.index].place;
        lwi_check_ground(mech, ground, part);
        if (mech->ground < 0) {
            mech->ground = part.index;
        }
    }
    return part;
}

lw_part lw_add_link(lw_mech *mech, const lw_link_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    lw_link_def *link = next_link(mech);
    if (!link) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *link = *def;
    const lw_part part = lwi_add_part(mech, LWI_LINK, &mech->link.count, def->name, def->place);
    if (part.index >= 0) {
        link->name = mech->part.at[part.index].name;
        link->place = mech->part.at[part.index].place;
        lwi_check_link(mech, link, part);
        mech->part.at[part.index].role = def->role;
    }
    return part;
}

lw_part lw_add_joint(lw_mech *mech, const lw_joint_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    lwi_joint *joint = next_joint(mech);
    const int nv = def->type == LW_JOINT_USER ? def->user.nv : lw_joint_type_nv(def->type);
    const int kept = nv < 0 || nv > LW_MAX_FREEDOM ? 0 : nv;
    lw_freedom *freedom = lwi_arena_take(&mech->arena, (size_t)kept, sizeof *freedom);
    if (!joint || !freedom) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    memcpy(freedom, def->freedom, (size_t)kept * sizeof *freedom);
    *joint = (lwi_joint){.type = def->type,
                         .axis = def->axis,
                         .axis2 = def->axis2,
                         .pitch = def->pitch,
                         .before = def->before,
                         .after = def->after,
                         .is_closing = def->closing,
                         .branch = def->branch,
                         .is_dependent = def->dependent,
                         .freedom = freedom,
                         .user = def->user,
                         .nq = def->type == LW_JOINT_USER ? kept : lw_joint_type_nq(def->type),
                         .nv = kept};
    const lw_part part = lwi_add_part(mech, LWI_JOINT, &mech->joint.count, def->name, def->place);
    if (part.index >= 0) {
        lwi_check_joint(mech, def, part);
        mech->part.at[part.index].role = def->role;
    }
    return part;
}

lw_part lw_add_load(lw_mech *mech, const lw_load_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    lw_load_def *load = next_load(mech);
    if (!load) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *load = *def;
    const lw_part part = lwi_add_part(mech, LWI_LOAD, &mech->load.count, def->name, def->place);
    if (part.index >= 0) {
        load->name = mech->part.at[part.index].name;
        load->place = mech->part.at[part.index].place;
        lwi_check_load(mech, load, part);
    }
    return part;
}

lw_part lw_add_rod(lw_mech *mech, const lw_rod_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    lw_rod_def *rod = next_rod(mech);
    if (!rod) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *rod = *def;
    const lw_part part = lwi_add_part(mech, LWI_ROD, &mech->rod.count, def->name, def->place);
    if (part.index >= 0) {
        lwi_check_rod(mech, rod, part);
        mech->part.at[part.index].role = def->role;
    }
    return part;
}

lw_part lw_add_assembly(lw_mech *mech, const char *name, lw_mech *inside, lw_place place)
{
    if (!lwi_may_edit(mech) || !inside) {
        return no_part;
    }
    if (inside == mech) {
        lwi_refuse(mech, LW_ERR_ARGUMENT, "\"%s\" cannot be an assembly within itself", mech->name);
        return no_part;
    }
    lwi_assembly *assembly = next_assembly(mech);
    int *connection =
        lwi_arena_take(&mech->arena, (size_t)inside->gateway.count, sizeof *connection);
    if (!assembly || !connection) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    *assembly = (lwi_assembly){inside, connection};
    const lw_part part = lwi_add_part(mech, LWI_ASSEMBLY, &mech->assembly.count, name, place);
    if (part.index >= 0) {
        const long long items = lwi_mech_items(inside);
        const long long prefix = (long long)strlen(mech->part.at[part.index].name) + 1;
        mech->inside_items = add_large(mech->inside_items, items);
        mech->inside_bytes = add_large(mech->inside_bytes, lwi_mech_name_bytes(inside));
        mech->inside_bytes = add_large(mech->inside_bytes, multiply_large(items, prefix));
        inside->is_frozen = true;
        ++inside->users;
    }
    return part;
}

static lwi_part *part_at(lw_mech *mech, lw_part part)
{
    return part.index >= 0 && part.index < mech->part.count ? &mech->part.at[part.index] : NULL;
}

static bool carries_frames(const lwi_part *part)
{
    return part && (part->kind == LWI_LINK || part->kind == LWI_GROUND);
}

enum { NUMBER_ROOM = 12 }; ///< digits of an int, and the dot behind it

int lwi_find_frame_of(const lw_mech *mech, int part, const char *name)
{
    char key[NUMBER_ROOM + LWI_NAME_LIMIT + 1];
    const int length = snprintf(key, sizeof key, "%d.%s", part, name);
    return length < (int)sizeof key ? lwi_names_find(&mech->part_frames, key) : -1;
}

// Puts the frame to come into the tables of names, and gives back its name. The short name serves
// as long as it stands for one frame only: index + 1, or 0 from then on.
static const char *name_frame(lw_mech *mech, int part, const char *name)
{
    const int index = mech->frame.count;
    const size_t length = strlen(name);
    char number[NUMBER_ROOM];
    const size_t digits = (size_t)snprintf(number, sizeof number, "%d.", part);
    char *key = lwi_arena_take(&mech->arena, digits + length + 1, 1);
    if (!key) {
        return NULL;
    }
    memcpy(key, number, digits);
    memcpy(key + digits, name, length);
    const char *kept = key + digits;
    const bool is_new = lwi_names_find(&mech->part_frames, key) < 0;
    if (is_new && !lwi_names_add(&mech->part_frames, key, index)) {
        return NULL;
    }
    const int known = lwi_names_find(&mech->frame_names, kept);
    if (!lwi_names_add(&mech->frame_names, kept, known < 0 ? index + 1 : 0)) {
        if (is_new) {
            lwi_names_remove(&mech->part_frames, key);
        }
        return NULL;
    }
    return kept;
}

// Room for one more frame in the list of a part, which doubles when its length is a power of two.
static bool reserve_port(lw_mech *mech, lwi_part *owner)
{
    const int n = owner->nframe;
    if (n != 0 && (n < 4 || (n & (n - 1)) != 0)) {
        return true;
    }
    int *frames = lwi_arena_take(&mech->arena, n ? 2 * (size_t)n : 4, sizeof *frames);
    if (frames && n) {
        memcpy(frames, owner->frames, (size_t)n * sizeof *frames);
    }
    owner->frames = frames ? frames : owner->frames;
    return frames != NULL;
}

lw_port lw_add_frame(lw_mech *mech, lw_part part, const char *name, const lw_placement *placement,
                     lw_place place)
{
    if (!lwi_may_edit(mech)) {
        return no_port;
    }
    lwi_part *owner = part_at(mech, part);
    if (!carries_frames(owner)) {
        lwi_refuse(mech, LW_ERR_ARGUMENT, "frames belong to a link or to the ground");
        return no_port;
    }
    lwi_part_frame *frame = next_frame(mech);
    const int index = mech->frame.count;
    const int twin = lwi_find_frame_of(mech, part.index, name ? name : "");
    // The name comes last: once it is in the tables the frame is there.
    const char *kept =
        frame && reserve_port(mech, owner) ? name_frame(mech, part.index, name ? name : "") : NULL;
    if (!kept) {
        lwi_edit_no_memory(mech);
        return no_port;
    }
    *frame = (lwi_part_frame){.name = kept,
                              .placement = placement ? *placement : lw_place_identity(),
                              .place = lwi_keep_place(mech, place),
                              .next = -1,
                              .port = LWI_PORT_FIRST_FRAME + owner->nframe,
                              .part = part.index};
    lwi_check_frame(mech, owner, frame, twin);
    if (owner->last_frame >= 0) {
        mech->frame.at[owner->last_frame].next = index;
    } else {
        owner->first_frame = index;
    }
    owner->last_frame = index;
    owner->frames[owner->nframe++] = index;
    ++mech->frame.count;
    return (lw_port){part, frame->port};
}

int lw_add_shape(lw_mech *mech, lw_part part, const lw_shape_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return -1;
    }
    lwi_part *owner = part_at(mech, part);
    if (!carries_frames(owner)) {
        lwi_refuse(mech, LW_ERR_ARGUMENT, "shapes belong to a link or to the ground");
        return -1;
    }
    lwi_shape *shape = next_shape(mech);
    if (!shape) {
        lwi_edit_no_memory(mech);
        return -1;
    }
    shape->def = *def;
    shape->def.name = keep_text(mech, def->name);
    shape->def.mesh = keep_text(mech, def->mesh);
    shape->def.mesh_file = keep_text(mech, def->mesh_file);
    shape->def.place = lwi_keep_place(mech, def->place);
    shape->next = -1;
    shape->part = part.index;
    if ((def->name && !shape->def.name) || (def->mesh && !shape->def.mesh) ||
        (def->mesh_file && !shape->def.mesh_file)) {
        lwi_edit_no_memory(mech);
        return -1;
    }
    lwi_check_shape(mech, owner, &shape->def);
    const int index = mech->shape.count++;
    if (owner->last_shape >= 0) {
        mech->shape.at[owner->last_shape].next = index;
    } else {
        owner->first_shape = index;
    }
    owner->last_shape = index;
    return owner->nshape++;
}

lw_status lw_add_coupling(lw_mech *mech, const lw_coupling_def *def)
{
    if (!mech || !def) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    const int n = def->ncoefficient < 0 || !def->coefficient ? 0 : def->ncoefficient;
    lw_coupling_def *coupling = next_coupling(mech);
    double *coefficient = lwi_arena_take(&mech->arena, (size_t)n, sizeof *coefficient);
    if (!coupling || !coefficient) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *coupling = *def;
    coupling->name = keep_text(mech, def->name ? def->name : "");
    coupling->dependent = keep_text(mech, def->dependent ? def->dependent : "");
    coupling->source = keep_text(mech, def->source ? def->source : "");
    coupling->place = lwi_keep_place(mech, def->place);
    coupling->ncoefficient = n;
    coupling->coefficient = coefficient;
    if (!coupling->name || !coupling->dependent || !coupling->source) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    if (n) {
        memcpy(coefficient, def->coefficient, (size_t)n * sizeof *coefficient);
    }
    ++mech->coupling.count;
    lwi_check_coupling(mech, def);
    return LW_OK;
}

lw_status lw_add_gear(lw_mech *mech, const lw_gear_def *def)
{
    if (!mech || !def) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    lwi_check_gear(mech, def);
    lw_gear_def *gear = next_gear(mech);
    if (!gear) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *gear = *def;
    gear->name = keep_text(mech, def->name ? def->name : "");
    gear->place = lwi_keep_place(mech, def->place);
    gear->carrier = keep_text(mech, def->carrier ? def->carrier : "");
    bool is_kept = gear->name != NULL && gear->carrier != NULL;
    for (int k = 0; k < 2; ++k) {
        gear->wheel[k] = keep_text(mech, def->wheel[k] ? def->wheel[k] : "");
        is_kept = is_kept && gear->wheel[k];
    }
    if (!is_kept) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    ++mech->gear.count;
    return LW_OK;
}

lw_status lw_expose(lw_mech *mech, lw_port port, const char *gateway)
{
    if (!mech || !gateway) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    if (lwi_port_side_of(mech, port) == LWI_SIDE_NONE) {
        return lwi_refuse(mech, LW_ERR_PORT_UNKNOWN, "gateway \"%s\": there is no such port",
                          gateway);
    }
    if (lwi_names_find(&mech->gateway_names, gateway) >= 0) {
        return lwi_refuse(mech, LW_ERR_NAME, "gateway \"%s\" stands twice", gateway);
    }
    if (!*gateway || strcmp(gateway, "a") == 0) {
        return lwi_refuse(
            mech, LW_ERR_NAME,
            "a gateway needs a name other than \"a\", which is where the assembly hangs");
    }
    lwi_gateway *added = next_gateway(mech);
    const char *kept = keep_text(mech, gateway);
    if (!added || !kept || !lwi_names_add(&mech->gateway_names, kept, mech->gateway.count)) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *added = (lwi_gateway){kept, port, lwi_port_side_of(mech, port)};
    mech->part.at[port.part.index].is_exposed |= port.index == LWI_PORT_A;
    ++mech->gateway.count;
    return LW_OK;
}
