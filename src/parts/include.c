// Copies parts by the same calls that made them, so that names, checks and places come out the
// same.
#include "include.h"

#include "edit.h"
#include "validate.h"

lw_joint_def lwi_joint_def_of(const lw_mech *mech, int part)
{
    const lwi_joint *joint = &mech->joint.at[mech->part.at[part].item];
    lw_joint_def def = lw_default_joint_def();
    def.name = mech->part.at[part].name;
    def.location = mech->part.at[part].location;
    def.type = joint->type;
    def.axis = joint->axis;
    def.axis2 = joint->axis2;
    def.pitch = joint->pitch;
    def.before = joint->before;
    def.after = joint->after;
    for (int i = 0; i < joint->nv; ++i) {
        def.dof[i] = joint->dof[i];
    }
    def.closing = joint->is_closing;
    def.sides = joint->sides;
    def.branch = joint->branch;
    def.dependent = joint->is_dependent;
    def.user = joint->user;
    def.role = mech->part.at[part].role;
    return def;
}

bool lwi_adjust_joint(lw_mech *mech, int part, const lw_joint_def *def)
{
    mech->part.at[part].location = lwi_keep_location(mech, def->location);
    lwi_check_joint(mech, def, (lw_part){part});
    lwi_joint *joint = &mech->joint.at[mech->part.at[part].item];
    const lwi_zero_form *zero = joint->zero;
    const bool is_set = lwi_set_joint(mech, joint, def);
    joint->zero = zero;
    return is_set;
}

static lw_part copy_assembly(lw_mech *mech, const lw_mech *other, const lwi_part *part)
{
    const lw_part copy =
        lw_add_assembly(mech, part->name, other->assembly.at[part->item].inside, part->location);
    if (copy.index >= 0) {
        mech->part.at[copy.index].role = part->role;
        mech->part.at[copy.index].level = part->level;
    }
    return copy;
}

static lw_part copy_part(lw_mech *mech, const lw_mech *other, int index)
{
    const lwi_part *part = &other->part.at[index];
    switch (part->kind) {
    case LWI_GROUND: {
        lw_ground_def def = other->grounds.at[part->item];
        def.name = part->name;
        def.location = part->location;
        return lw_add_ground(mech, &def);
    }
    case LWI_LINK: {
        lw_link_def def = other->link.at[part->item];
        def.name = part->name;
        def.location = part->location;
        return lw_add_link(mech, &def);
    }
    case LWI_JOINT: {
        const lw_joint_def def = lwi_joint_def_of(other, index);
        const lwi_zero_form *zero = other->joint.at[part->item].zero;
        const lw_part copy = lw_add_joint(mech, &def);
        return copy.index < 0 || !zero || lwi_set_zero_form(mech, copy.index, zero) ? copy
                                                                                    : no_part;
    }
    case LWI_LOAD: {
        lw_load_def def = other->load.at[part->item];
        def.name = part->name;
        def.location = part->location;
        return lw_add_load(mech, &def);
    }
    case LWI_ROD: {
        lw_rod_def def = other->rod.at[part->item];
        def.name = part->name;
        def.location = part->location;
        return lw_add_rod(mech, &def);
    }
    case LWI_DRIVE:
        return lw_add_drive(mech, &other->drive.at[part->item]);
    case LWI_GEARBOX:
        return lw_add_gearbox(mech, &other->gearbox.at[part->item]);
    case LWI_SPRING:
        return lw_add_spring(mech, &other->spring.at[part->item]);
    case LWI_TORSION:
        return lw_add_torsion(mech, &other->spring.at[part->item]);
    default:
        return copy_assembly(mech, other, part);
    }
}

static bool copy_inside(lw_mech *mech, const lw_mech *other, const lwi_part *part, lw_part copy)
{
    for (int i = part->first_frame; i >= 0; i = other->frame.at[i].next) {
        const lwi_part_frame *frame = &other->frame.at[i];
        if (lw_add_frame(mech, copy, frame->name, &frame->placement, frame->location).index < 0) {
            return false;
        }
    }
    for (int i = part->first_shape; i >= 0; i = other->shape.at[i].next) {
        if (lw_add_shape(mech, copy, &other->shape.at[i].def) < 0) {
            return false;
        }
    }
    return true;
}

// Ports keep their numbers, because frames were added in the same order; parts are `first` further.
static lw_port moved(lw_port port, int first)
{
    return (lw_port){{port.part.index + first}, port.index};
}

static lw_status connect_copies(lw_mech *mech, const lw_mech *other, int first)
{
    lw_status status = LW_OK;
    for (int i = 0; i < other->part.count && status == LW_OK; ++i) {
        const lwi_part *part = &other->part.at[i];
        if (part->feeder.part.index >= 0) {
            status =
                lw_connect(mech, moved(part->feeder, first), (lw_port){{first + i}, LWI_PORT_A});
        }
        if (part->feeder2.part.index >= 0 && status == LW_OK) {
            status =
                lw_connect(mech, moved(part->feeder2, first), (lw_port){{first + i}, LWI_PORT_B});
        }
    }
    for (int i = 0; i < other->connection.count && status == LW_OK; ++i) {
        const lwi_connection *connection = &other->connection.at[i];
        if (connection->b.part.index >= 0) {
            status = lw_connect(mech, moved(connection->b, first), moved(connection->a, first));
        }
    }
    for (int i = 0; i < other->axis_link.count && status == LW_OK; ++i) {
        const lwi_axis_link *link = &other->axis_link.at[i];
        status = lw_connect(mech, moved(link->one, first), moved(link->other, first));
    }
    return status;
}

lw_status lwi_include(lw_mech *mech, const lw_mech *other)
{
    const int first = mech->part.count;
    for (int i = 0; i < other->part.count; ++i) {
        const lw_part copy = copy_part(mech, other, i);
        if (copy.index < 0 || !copy_inside(mech, other, &other->part.at[i], copy)) {
            return LW_ERR_MEMORY;
        }
    }
    lw_status status = connect_copies(mech, other, first);
    for (int i = 0; i < other->coupling.count && status == LW_OK; ++i) {
        status = lw_add_coupling(mech, &other->coupling.at[i]);
    }
    for (int i = 0; i < other->gear.count && status == LW_OK; ++i) {
        status = lw_add_gear(mech, &other->gear.at[i]);
    }
    for (int i = 0; i < other->choice.count && status == LW_OK; ++i) {
        const lwi_level_choice *from = &other->choice.at[i];
        const lw_level_choice choice = {from->assembly, from->level};
        status = lw_choose_level(mech, &choice, from->location);
    }
    mech->level = mech->level ? mech->level : other->level;
    for (int i = 0; i < other->gateway.count && status == LW_OK; ++i) {
        const lwi_gateway *gateway = &other->gateway.at[i];
        status = lw_expose(mech, moved(gateway->port, first), gateway->name);
    }
    return status;
}
