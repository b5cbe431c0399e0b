// Frames and shapes on links and on the ground.
#include "edit.h"

#include "validate.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_ROOM = 12 }; ///< digits of an int, and the dot behind it

LWI_NEXT(lwi_part_frame, frame)
LWI_NEXT(lwi_shape, shape)

static lwi_part *part_at(lw_mech *mech, lw_part part)
{
    return part.index >= 0 && part.index < mech->part.count ? &mech->part.at[part.index] : NULL;
}

static bool carries_frames(const lwi_part *part)
{
    return part && (part->kind == LWI_LINK || part->kind == LWI_GROUND);
}

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
                     lw_location location)
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
                              .placement = placement ? *placement : lw_placement_identity(),
                              .location = lwi_keep_location(mech, location),
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
    shape->def.name = lwi_keep_text(mech, def->name);
    shape->def.mesh = lwi_keep_text(mech, def->mesh);
    shape->def.mesh_file = lwi_keep_text(mech, def->mesh_file);
    shape->def.location = lwi_keep_location(mech, def->location);
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
