// Copies parts by the same calls that made them, so that names, checks and places come out the
// same.
#include "include.h"

#include "edit.h"
static lw_part copy_assembly(lw_mech *mech, const lwi_part *part)
{
    const lw_part copy =
        lw_add_assembly(mech, part->name, as_assembly(part)->inside, part->location);
    if (copy.index >= 0) {
        mech->part.at[copy.index].role = part->role;
        mech->part.at[copy.index].level = part->level;
    }
    return copy;
}

// A removed part is copied as such, so that the others keep their order.
static lw_part copy_part(lw_mech *mech, const lwi_part *part)
{
    if (part->kind == LW_PART_ASSEMBLY) {
        return copy_assembly(mech, part);
    }
    const bool is_removed = part->kind == LW_PART_REMOVED;
    const lw_part copy = is_removed
                             ? lwi_add_part(mech, part->kind, mech, part->name, part->location)
                             : lwi_add_def(mech, part->kind, part->def);
    const bool is_kept =
        copy.index < 0 || !part->zero || lwi_set_zero_form(mech, copy.index, part->zero);
    return is_kept ? copy : no_part;
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
        const lw_part copy = copy_part(mech, &other->part.at[i]);
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
