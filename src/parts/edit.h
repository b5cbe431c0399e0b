// What the functions that add to a description share.
#ifndef LWI_EDIT_H
#define LWI_EDIT_H

#include "parts.h"

/// Opens an edit: clears the message of the last one, refuses a frozen description.
bool lwi_may_edit(lw_mech *mech);

void lwi_edit_no_memory(lw_mech *mech);

/// Adds the part itself once its item is in place. `item_count` counts only now, so that a failure
/// leaves the description as it was. Part -1 when memory is short.
lw_part lwi_add_part(lw_mech *mech, lwi_kind kind, int *item_count, const char *name,
                     lw_place place);

#endif
