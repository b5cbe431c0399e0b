// What the functions that add to a description share.
#ifndef LWI_EDIT_H
#define LWI_EDIT_H

#include "../base/array.h"
#include "parts.h"

static const lw_part no_part = {-1};
static const lw_port no_port = {{-1}, -1};

/// Defines next_NAME(): a new zeroed element at the end of an array of the description, or null. It
/// counts only once the caller has raised `count`, so that what fails before that leaves no trace.
#define LWI_NEXT(type, name)                                                                       \
    static type *next_##name(lw_mech *mech)                                                        \
    {                                                                                              \
        type *at =                                                                                 \
            lwi_array_reserve(mech->name.at, mech->name.count, &mech->name.room, sizeof *at);      \
        if (!at) {                                                                                 \
            return NULL;                                                                           \
        }                                                                                          \
        mech->name.at = at;                                                                        \
        return &at[mech->name.count];                                                              \
    }

/// Opens an edit: clears the message of the last one, refuses null and a frozen description.
bool lwi_may_edit(lw_mech *mech);

/// Records why a call is refused, and returns the status.
lw_status lwi_refuse(lw_mech *mech, lw_status status, const char *format, ...) LW_PRINTF(3, 4);

void lwi_edit_no_memory(lw_mech *mech);

/// A copy that lives as long as the description; null for null, and when memory is short.
const char *lwi_keep_text(lw_mech *mech, const char *text);

/// The place with its file name kept as long as the description lives.
lw_location lwi_keep_location(lw_mech *mech, lw_location location);

/// Adds the part itself once its item is in place. `item_count` counts only now, so that a failure
/// leaves the description as it was. Part -1 when memory is short.
lw_part lwi_add_part(lw_mech *mech, lwi_kind kind, int *item_count, const char *name,
                     lw_location location);

/// Copies a definition into a joint. False, and the joint is as it was, when memory is short.
bool lwi_set_joint(lw_mech *mech, lwi_joint *joint, const lw_joint_def *def);

#endif
