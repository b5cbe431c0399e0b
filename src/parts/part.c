// Ground, links, joints, loads and rods: the parts of a tree and of its loops.
#include "edit.h"

#include "validate.h"

#include <string.h>

LWI_NEXT(lw_ground_def, grounds)
LWI_NEXT(lw_link_def, link)
LWI_NEXT(lwi_joint, joint)
LWI_NEXT(lw_load_def, load)
LWI_NEXT(lw_rod_def, rod)

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
        lwi_add_part(mech, LWI_GROUND, &mech->grounds.count, def->name, def->location);
    if (part.index >= 0) {
        ground->name = mech->part.at[part.index].name;
        ground->location = mech->part.at[part.index].location;
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
    const lw_part part = lwi_add_part(mech, LWI_LINK, &mech->link.count, def->name, def->location);
    if (part.index >= 0) {
        link->name = mech->part.at[part.index].name;
        link->location = mech->part.at[part.index].location;
        lwi_check_link(mech, link, part);
        mech->part.at[part.index].role = def->role;
    }
    return part;
}

bool lwi_set_joint(lw_mech *mech, lwi_joint *joint, const lw_joint_def *def)
{
    const int nv = def->type == LW_JOINT_USER ? def->user.nv : lw_joint_type_nv(def->type);
    const int kept = nv < 0 || nv > LW_MAX_DOF ? 0 : nv;
    lw_dof *dof = lwi_arena_take(&mech->arena, (size_t)kept, sizeof *dof);
    if (!dof) {
        return false;
    }
    memcpy(dof, def->dof, (size_t)kept * sizeof *dof);
    *joint = (lwi_joint){.type = def->type,
                         .axis = def->axis,
                         .axis2 = def->axis2,
                         .pitch = def->pitch,
                         .before = def->before,
                         .after = def->after,
                         .is_closing = def->closing,
                         .sides = def->sides,
                         .branch = def->branch,
                         .is_dependent = def->dependent,
                         .dof = dof,
                         .user = def->user,
                         .nq = def->type == LW_JOINT_USER ? kept : lw_joint_type_nq(def->type),
                         .nv = kept};
    return true;
}

lw_part lw_add_joint(lw_mech *mech, const lw_joint_def *def)
{
    if (!lwi_may_edit(mech) || !def) {
        return no_part;
    }
    lwi_joint *joint = next_joint(mech);
    if (!joint || !lwi_set_joint(mech, joint, def)) {
        lwi_edit_no_memory(mech);
        return no_part;
    }
    const lw_part part =
        lwi_add_part(mech, LWI_JOINT, &mech->joint.count, def->name, def->location);
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
    const lw_part part = lwi_add_part(mech, LWI_LOAD, &mech->load.count, def->name, def->location);
    if (part.index >= 0) {
        load->name = mech->part.at[part.index].name;
        load->location = mech->part.at[part.index].location;
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
    const lw_part part = lwi_add_part(mech, LWI_ROD, &mech->rod.count, def->name, def->location);
    if (part.index >= 0) {
        lwi_check_rod(mech, rod, part);
        mech->part.at[part.index].role = def->role;
    }
    return part;
}
