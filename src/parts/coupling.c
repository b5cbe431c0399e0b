// Couplings and gears: what connects degrees of freedom without being a part.
#include "edit.h"

#include <string.h>

LWI_NEXT(lw_coupling_def, coupling)
LWI_NEXT(lw_gear_def, gear)

lw_status lw_add_coupling(lw_mech *mech, const lw_coupling_def *def)
{
    if (!mech || !def) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    enum { MOST = 2000 }; // more are an error that the compile reports, and are not read
    const bool is_read = def->coefficient && def->ncoefficient >= 0 && def->ncoefficient <= MOST;
    const int n = is_read ? def->ncoefficient : 0;
    lw_coupling_def *coupling = next_coupling(mech);
    double *coefficient = lwi_arena_take(&mech->arena, (size_t)n, sizeof *coefficient);
    if (!coupling || !coefficient) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *coupling = *def;
    coupling->name = lwi_keep_text(mech, def->name ? def->name : "");
    coupling->dependent = lwi_keep_text(mech, def->dependent ? def->dependent : "");
    coupling->source = lwi_keep_text(mech, def->source ? def->source : "");
    coupling->location = lwi_keep_location(mech, def->location);
    // A callback has none; a list that cannot be read is an error that the compile reports.
    coupling->ncoefficient = is_read || def->law == LW_LAW_FUNCTION ? n : -1;
    coupling->coefficient = coefficient;
    if (!coupling->name || !coupling->dependent || !coupling->source) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    if (n) {
        memcpy(coefficient, def->coefficient, (size_t)n * sizeof *coefficient);
    }
    ++mech->coupling.count;
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
    lw_gear_def *gear = next_gear(mech);
    if (!gear) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *gear = *def;
    gear->name = lwi_keep_text(mech, def->name ? def->name : "");
    gear->location = lwi_keep_location(mech, def->location);
    gear->carrier = lwi_keep_text(mech, def->carrier ? def->carrier : "");
    bool is_kept = gear->name != NULL && gear->carrier != NULL;
    for (int k = 0; k < 2; ++k) {
        gear->wheel[k] = lwi_keep_text(mech, def->wheel[k] ? def->wheel[k] : "");
        is_kept = is_kept && gear->wheel[k];
    }
    if (!is_kept) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    ++mech->gear.count;
    return LW_OK;
}
