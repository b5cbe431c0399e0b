// What a description says of levels of detail: of assemblies in it, of itself, and by name of
// assemblies further inside.
#include "edit.h"

#include <string.h>

LWI_NEXT(lwi_level_choice, choice)

static bool is_level(lw_level level)
{
    return (int)level >= 0 && level <= LW_LEVEL_LOW;
}

static lwi_part *assembly_at(lw_mech *mech, lw_part part)
{
    const bool is_assembly = lw_get_part_kind(mech, part) == LW_PART_ASSEMBLY;
    return is_assembly ? &mech->part.at[part.index] : NULL;
}

lw_status lw_set_assembly_role(lw_mech *mech, lw_part assembly, lw_role role)
{
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    lwi_part *part = assembly_at(mech, assembly);
    if (!part || (int)role < 0 || role > LW_ROLE_TRANSMISSION) {
        return lwi_refuse(mech, LW_ERR_ARGUMENT,
                          "a role belongs to an assembly, and is one of lw_role");
    }
    part->role = role;
    return LW_OK;
}

lw_status lw_set_level(lw_mech *mech, lw_part assembly, lw_level level)
{
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    lwi_part *part = assembly_at(mech, assembly);
    if (!is_level(level) || (!part && assembly.index != -1)) {
        return lwi_refuse(mech, LW_ERR_ARGUMENT,
                          "a level belongs to an assembly, and is one of lw_level");
    }
    if (part) {
        part->level = level;
    } else {
        mech->level = level;
    }
    return LW_OK;
}

lw_status lw_choose_level(lw_mech *mech, const lw_level_choice *choice, lw_location location)
{
    if (!mech || !choice) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    const char *name = choice->assembly;
    if (!name || !*name || strlen(name) > LWI_NAME_LIMIT || !is_level(choice->level)) {
        return lwi_refuse(mech, LW_ERR_ARGUMENT,
                          "a level is chosen for an assembly by its name, and is known");
    }
    lwi_level_choice *added = next_choice(mech);
    const char *kept = lwi_keep_text(mech, name);
    if (!added || !kept) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *added = (lwi_level_choice){kept, choice->level, lwi_keep_location(mech, location)};
    ++mech->choice.count;
    return LW_OK;
}
