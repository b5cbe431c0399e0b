// Removing parts. A removed part keeps its place among the parts, so that no handle ever means
// another part; its memory is freed with the description.
#include "edit.h"

#include <string.h>

static bool is_on(lw_port port, int part)
{
    return port.part.index == part;
}

// Whether a name of a gear or a coupling, "part" or "part.port", may mean this part.
static bool names_part(const char *text, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == '.');
}

// What refers to the part by its name would mean nothing once it is gone.
static lw_status check_references(lw_mech *mech, const lwi_part *part, int index)
{
    const char *kind = lw_part_kind_name(part->kind);
    for (int i = 0; i < mech->gateway.count; ++i) {
        if (is_on(mech->gateway.at[i].port, index)) {
            return lwi_refuse(mech, LW_ERR_PORT_TAKEN, "%s \"%s\" has gateway \"%s\"", kind,
                              part->name, mech->gateway.at[i].name);
        }
    }
    for (int i = 0; i < mech->gear.count && part->kind != LW_PART_JOINT; ++i) {
        const lw_gear_def *gear = &mech->gear.at[i];
        if (lwi_kind_row_of(part->kind)->carries_frames &&
            (names_part(gear->wheel[0], part->name) || names_part(gear->wheel[1], part->name) ||
             names_part(gear->carrier, part->name))) {
            return lwi_refuse(mech, LW_ERR_PORT_TAKEN,
                              "gear \"%s\" names %s \"%s\"; remove the gear first", gear->name,
                              kind, part->name);
        }
    }
    for (int i = 0; i < mech->coupling.count && part->kind == LW_PART_JOINT; ++i) {
        const lw_coupling_def *coupling = &mech->coupling.at[i];
        if (names_part(coupling->dependent, part->name) ||
            names_part(coupling->source, part->name)) {
            return lwi_refuse(mech, LW_ERR_PORT_TAKEN,
                              "a coupling of \"%s\" names joint \"%s\"; remove the coupling first",
                              coupling->dependent, part->name);
        }
    }
    return LW_OK;
}

static void disconnect_all(lw_mech *mech, int index)
{
    for (int i = 0; i < mech->part.count; ++i) {
        lwi_part *part = &mech->part.at[i];
        part->feeder = i == index || is_on(part->feeder, index) ? no_port : part->feeder;
        part->feeder2 = i == index || is_on(part->feeder2, index) ? no_port : part->feeder2;
    }
    for (int i = 0; i < mech->connection.count; ++i) {
        lwi_connection *connection = &mech->connection.at[i];
        if (is_on(connection->b, index) || is_on(connection->a, index)) {
            connection->b = no_port; // as a disconnection leaves it
        }
    }
    int kept = 0;
    for (int i = 0; i < mech->axis_link.count; ++i) {
        const lwi_axis_link link = mech->axis_link.at[i];
        if (!is_on(link.one, index) && !is_on(link.other, index)) {
            mech->axis_link.at[kept++] = link;
        }
    }
    mech->axis_link.count = kept;
    mech->sets_are_stale = true;
}

// Another part, or frame, may have had the same name in vain until now.
static void free_names(lw_mech *mech, lwi_part *part, int index, lw_part_kind kind)
{
    if (lwi_names_find(&mech->names[kind], part->name) == index) {
        lwi_names_remove(&mech->names[kind], part->name);
        for (int i = mech->part.count - 1; i >= 0; --i) {
            const lwi_part *other = &mech->part.at[i];
            if (other->kind == kind && strcmp(other->name, part->name) == 0) {
                lwi_names_add(&mech->names[kind], other->name, i);
            }
        }
    }
    for (int f = part->first_frame; f >= 0; f = mech->frame.at[f].next) {
        const char *name = mech->frame.at[f].name;
        int only = 0, count = 0; // index + 1 of the frame that the short name stands for
        for (int i = 0; i < mech->frame.count; ++i) {
            const lwi_part_frame *other = &mech->frame.at[i];
            if (mech->part.at[other->part].kind != LW_PART_REMOVED &&
                strcmp(other->name, name) == 0) {
                only = i + 1;
                ++count;
            }
        }
        lwi_names_remove(&mech->frame_names, name);
        if (count > 0) {
            lwi_names_add(&mech->frame_names, mech->frame.at[only - 1].name, count == 1 ? only : 0);
        }
    }
}

static int find_ground(const lw_mech *mech)
{
    int i = 0;
    while (i < mech->part.count && mech->part.at[i].kind != LW_PART_GROUND) {
        ++i;
    }
    return i < mech->part.count ? i : -1;
}

lw_status lw_remove_part(lw_mech *mech, lw_part handle)
{
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    const int index = handle.index;
    if (!lwi_part_at(mech, handle)) {
        return lwi_refuse(mech, LW_ERR_ARGUMENT, "there is no part %d: \"%s\" was removed", index,
                          lw_get_part_name(mech, handle));
    }
    lwi_part *part = &mech->part.at[index];
    const lw_part_kind kind = part->kind;
    const lw_status status = check_references(mech, part, index);
    if (status != LW_OK) {
        return status;
    }
    disconnect_all(mech, index);
    part->kind = LW_PART_REMOVED;
    part->role = LW_ROLE_BY_KIND;
    free_names(mech, part, index, kind);
    mech->ground = mech->ground == index ? find_ground(mech) : mech->ground;
    mech->root = mech->root == index ? -1 : mech->root;
    if (kind == LW_PART_ASSEMBLY) {
        lw_mech_destroy(as_assembly(part)->inside);
        --mech->nassembly;
        lwi_sum_insides(mech);
    }
    mech->name_bytes -= (long long)strlen(part->name) + 1;
    return LW_OK;
}

static lw_status no_such(lw_mech *mech, const char *what, const char *name)
{
    return lwi_refuse(mech, LW_ERR_NAME, "there is no %s \"%s\"", what, name);
}

lw_status lw_remove_gear(lw_mech *mech, const char *name)
{
    if (!mech || !name) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    int i = 0;
    while (i < mech->gear.count && strcmp(mech->gear.at[i].name, name) != 0) {
        ++i;
    }
    if (i == mech->gear.count) {
        return no_such(mech, "gear", name);
    }
    --mech->gear.count;
    memmove(&mech->gear.at[i], &mech->gear.at[i + 1],
            (size_t)(mech->gear.count - i) * sizeof *mech->gear.at);
    return LW_OK;
}

lw_status lw_remove_coupling(lw_mech *mech, const char *dependent)
{
    if (!mech || !dependent) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    int i = 0;
    while (i < mech->coupling.count && strcmp(mech->coupling.at[i].dependent, dependent) != 0) {
        ++i;
    }
    if (i == mech->coupling.count) {
        return no_such(mech, "coupling of", dependent);
    }
    --mech->coupling.count;
    memmove(&mech->coupling.at[i], &mech->coupling.at[i + 1],
            (size_t)(mech->coupling.count - i) * sizeof *mech->coupling.at);
    return LW_OK;
}
