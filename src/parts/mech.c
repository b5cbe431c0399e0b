// The life of a description, and what all edits of it share.
#include "edit.h"

#include "../base/report.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lw_status lw_mech_create(const char *name, lw_mech **out)
{
    if (!out) {
        return LW_ERR_ARGUMENT;
    }
    *out = NULL;
    lw_mech *mech = calloc(1, sizeof *mech);
    if (!mech) {
        return LW_ERR_MEMORY;
    }
    mech->users = 1;
    mech->ground = -1;
    mech->root = -1;
    for (int kind = 0; kind < LWI_KIND_COUNT; ++kind) {
        lwi_names_init(&mech->names[kind], &mech->arena);
    }
    lwi_names_init(&mech->frame_names, &mech->arena);
    lwi_names_init(&mech->part_frames, &mech->arena);
    lwi_names_init(&mech->gateway_names, &mech->arena);
    lwi_names_init(&mech->mesh_names, &mech->arena);
    mech->name = lwi_arena_text(&mech->arena, name ? name : "", name ? strlen(name) : 0);
    if (!mech->name) {
        lw_mech_destroy(mech);
        return LW_ERR_MEMORY;
    }
    *out = mech;
    return LW_OK;
}

static void free_mech(lw_mech *mech)
{
    free(mech->part.at);
    free(mech->frame.at);
    free(mech->shape.at);
    free(mech->coupling.at);
    free(mech->gear.at);
    free(mech->gateway.at);
    free(mech->connection.at);
    free(mech->choice.at);
    free(mech->axis_link.at);
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
        for (int i = -1; i < (dead->nassembly > 0 ? dead->part.count : 0); ++i) {
            const lwi_part *part = i < 0 ? NULL : &dead->part.at[i];
            lw_mech *inside = !part                            ? dead->original
                              : part->kind == LW_PART_ASSEMBLY ? as_assembly(part)->inside
                                                               : NULL;
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

const char *lwi_keep_text(lw_mech *mech, const char *text)
{
    return text ? lwi_arena_text(&mech->arena, text, strlen(text)) : NULL;
}

lw_location lwi_keep_location(lw_mech *mech, lw_location location)
{
    if (!location.file) {
        return location;
    }
    if (!mech->last_location.file || strcmp(mech->last_location.file, location.file) != 0) {
        mech->last_location.file = lwi_keep_text(mech, location.file);
    }
    location.file = mech->last_location.file;
    return location;
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
