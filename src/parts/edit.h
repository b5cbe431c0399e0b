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

/// A copy that lives as long as the description; null for null, and if allocation fails.
const char *lwi_keep_text(lw_mech *mech, const char *text);

/// The place with its file name kept as long as the description lives.
lw_location lwi_keep_location(lw_mech *mech, lw_location location);

/// Any definition of a part; each begins with its name.
typedef union lwi_any_def {
    const char *name;
    lw_ground_def ground;
    lw_link_def link;
    lw_joint_def joint;
    lw_load_def load;
    lw_wheel_def wheel;
    lw_rod_def rod;
    lw_drive_def drive;
    lw_gearbox_def gearbox;
    lw_spring_def spring;
} lwi_any_def;

/// Adds a part with a definition that the description holds. Part -1 if allocation fails.
lw_part lwi_add_part(lw_mech *mech, lw_part_kind kind, void *def, const char *name,
                     lw_location location);

/// Adds a part by a definition of its kind, which is copied; part -1 as lw_add_link() and so on.
lw_part lwi_add_def(lw_mech *mech, lw_part_kind kind, const void *def);

/// Another definition for a part of that kind, as lw_set_link_def() and so on.
lw_status lwi_set_def(lw_mech *mech, lw_part part, lw_part_kind kind, const void *def);

/// The assembly that a name leads into, "arm" of "arm/fore.mass", and what is left of the name;
/// part -1 for none.
lw_part lwi_assembly_of(const lw_mech *mech, const char *name, const char **rest);

/// The inside of an assembly, for a change that no other assembly made of the same description
/// shares: a copy, unless it is one already. Null if allocation fails.
lw_mech *lwi_own_inside(lw_mech *mech, int part);

/// Sums what the assemblies of a description have with all of theirs opened.
void lwi_sum_insides(lw_mech *mech);

#endif
