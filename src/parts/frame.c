// Frames and shapes on links and on the ground.
#include "edit.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_ROOM = 12 }; ///< digits of an int, and the dot behind it

LWI_NEXT(lwi_part_frame, frame)
LWI_NEXT(lwi_shape, shape)

// The part to put a frame or a shape on; null, refused, where it is neither a link nor the ground.
static lwi_part *carrier_at(lw_mech *mech, lw_part part, const char *what)
{
    if (!lwi_kind_row_of(lw_get_part_kind(mech, part))->carries_frames) {
        lwi_refuse(mech, LW_ERR_ARGUMENT, "%s belong to a link or to the ground", what);
        return NULL;
    }
    return &mech->part.at[part.index];
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

// Capacity for one more frame in the list of a part, which doubles when its length is a power of
// two.
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
    lwi_part *owner = carrier_at(mech, part, "frames");
    if (!owner) {
        return no_port;
    }
    lwi_part_frame *frame = next_frame(mech);
    const int index = mech->frame.count;
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

static void *kept_array(lw_mech *mech, const void *array, int count, size_t size)
{
    void *copy = lwi_arena_take(&mech->arena, (size_t)count, size);
    if (copy && count > 0) {
        memcpy(copy, array, (size_t)count * size);
    }
    return copy;
}

static bool is_same_mesh(const lw_mesh *a, const lw_mesh *b)
{
    return a && a->nvertex == b->nvertex && a->ntriangle == b->ntriangle &&
           memcmp(a->vertex, b->vertex, (size_t)a->nvertex * sizeof *a->vertex) == 0 &&
           memcmp(a->triangle, b->triangle, 3 * (size_t)a->ntriangle * sizeof *a->triangle) == 0;
}

// A copy, which shapes of the same file share. Null if allocation fails.
static const lw_mesh *keep_mesh(lw_mech *mech, const lw_shape_def *def, const char *file)
{
    const int known = file ? lwi_names_find(&mech->mesh_names, file) : -1;
    const lw_mesh *data = def->data;
    if (known >= 0 && is_same_mesh(mech->shape.at[known].def.data, data)) {
        return mech->shape.at[known].def.data;
    }
    lw_mesh *kept = lwi_arena_take(&mech->arena, 1, sizeof *kept);
    if (!kept ||
        (file && known < 0 && !lwi_names_add(&mech->mesh_names, file, mech->shape.count))) {
        return NULL;
    }
    kept->nvertex = data->nvertex;
    kept->ntriangle = data->ntriangle;
    kept->is_terrain = data->is_terrain;
    kept->vertex = kept_array(mech, data->vertex, data->nvertex, sizeof *data->vertex);
    kept->triangle = kept_array(mech, data->triangle, 3 * data->ntriangle, sizeof *data->triangle);
    return kept->vertex && kept->triangle ? kept : NULL;
}

int lw_add_shape(lw_mech *mech, lw_part part, const lw_shape_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return -1;
    }
    enum { MOST = 1 << 28 }; // keeps every count an int
    const lw_mesh *data = def->data;
    if (data &&
        (data->nvertex < 1 || data->nvertex > MOST || !data->vertex || data->ntriangle < 0 ||
         data->ntriangle > MOST || (data->ntriangle > 0 && !data->triangle))) {
        lwi_refuse(mech, LW_ERR_ARGUMENT, "a mesh needs vertices, and counts up to %d", MOST);
        return -1;
    }
    lwi_part *owner = carrier_at(mech, part, "shapes");
    if (!owner) {
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
    shape->def.data = def->data ? keep_mesh(mech, def, shape->def.mesh_file) : NULL;
    shape->def.location = lwi_keep_location(mech, def->location);
    shape->next = -1;
    shape->part = part.index;
    if ((def->name && !shape->def.name) || (def->mesh && !shape->def.mesh) ||
        (def->mesh_file && !shape->def.mesh_file) || (def->data && !shape->def.data)) {
        lwi_edit_no_memory(mech);
        return -1;
    }
    const int index = mech->shape.count++;
    if (owner->last_shape >= 0) {
        mech->shape.at[owner->last_shape].next = index;
    } else {
        owner->first_shape = index;
    }
    owner->last_shape = index;
    return owner->nshape++;
}

lw_status lw_set_frame_placement(lw_mech *mech, lw_port frame, const lw_placement *placement)
{
    if (!mech || !placement) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    const lwi_part *part = lwi_part_at(mech, frame.part);
    const int i = frame.index - LWI_PORT_FIRST_FRAME;
    if (!part || i < 0 || i >= part->nframe) {
        return lwi_refuse(mech, LW_ERR_PORT_UNKNOWN, "there is no such frame");
    }
    mech->frame.at[part->frames[i]].placement = *placement;
    return LW_OK;
}
