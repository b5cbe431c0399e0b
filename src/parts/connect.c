// Ports and connections.
//
// The A port of a part is connected to one B port, so a part's feeder is its parent in a forest.
// Whether a connection would close a cycle is then a question of sets: the part whose A port is
// free is the root of its tree, and hanging it on a part of the same tree closes a cycle. Sets
// merge with each connection (union-find with path halving) and are made anew after a
// disconnection.
#include "edit.h"

#include <stdlib.h>
#include <string.h>

LWI_NEXT(lwi_axis_link, axis_link)
LWI_NEXT(lwi_connection, connection)

const lwi_gateway *lwi_gateway_of(const lw_mech *inside, int port)
{
    const int i = port - LWI_PORT_FIRST_FRAME;
    return i >= 0 && i < inside->gateway.count ? &inside->gateway.at[i] : NULL;
}

lwi_port_side lwi_port_side_of(const lw_mech *mech, lw_port port)
{
    const lwi_part *part = lwi_part_at(mech, port.part);
    if (!part || port.index < 0) {
        return LWI_SIDE_NONE;
    }
    const lwi_kind_row *row = lwi_kind_row_of(part->kind);
    const int i = port.index - LWI_PORT_FIRST_FRAME;
    if (i < 0) {
        const bool is_end = port.index == LWI_PORT_B && lwi_is_closer(part);
        return !row->port[port.index].name ? LWI_SIDE_NONE
               : is_end                    ? LWI_SIDE_A
                                           : row->port[port.index].side;
    }
    if (part->kind == LW_PART_ASSEMBLY) {
        const lwi_gateway *gateway = lwi_gateway_of(as_assembly(part)->inside, port.index);
        return gateway ? gateway->side : LWI_SIDE_NONE;
    }
    if (row->axis) {
        return row->axis(part->def, i) ? LWI_SIDE_AXIS : LWI_SIDE_NONE;
    }
    return i < part->nframe ? LWI_SIDE_B : LWI_SIDE_NONE;
}

const char *lwi_port_name(const lw_mech *mech, lw_port port)
{
    const lwi_part *part = lwi_part_at(mech, port.part);
    if (!part || port.index < 0) {
        return "?";
    }
    const lwi_kind_row *row = lwi_kind_row_of(part->kind);
    const int i = port.index - LWI_PORT_FIRST_FRAME;
    const char *name = NULL;
    if (i < 0) {
        static const char *const usual[] = {"a", "b", "axis"}; // for ports that are none
        name = row->port[port.index].name ? row->port[port.index].name : usual[port.index];
    } else if (part->kind == LW_PART_ASSEMBLY) {
        const lwi_gateway *gateway = lwi_gateway_of(as_assembly(part)->inside, port.index);
        name = gateway ? gateway->name : NULL;
    } else if (row->axis) {
        name = row->axis(part->def, i);
    } else if (i < part->nframe) {
        name = mech->frame.at[part->frames[i]].name;
    }
    return name ? name : "?";
}

lw_port lw_port_of(const lw_mech *mech, lw_part part, const char *name)
{
    const lwi_part *p = lwi_part_at(mech, part);
    if (!p || !name) {
        return no_port;
    }
    const lwi_kind_row *row = lwi_kind_row_of(p->kind);
    int found = -1;
    for (int i = 0; i < LWI_PORT_FIRST_FRAME; ++i) {
        found = row->port[i].name && strcmp(row->port[i].name, name) == 0 ? i : found;
    }
    const char *axis = "";
    for (int i = 0; found < 0 && row->axis && axis; ++i) {
        axis = row->axis(p->def, i);
        found = axis && strcmp(axis, name) == 0 ? LWI_PORT_FIRST_FRAME + i : -1;
    }
    if (found < 0 && p->kind == LW_PART_ASSEMBLY) {
        const int i = lwi_names_find(&as_assembly(p)->inside->gateway_names, name);
        found = i < 0 ? -1 : LWI_PORT_FIRST_FRAME + i;
    } else if (found < 0 && row->carries_frames) {
        const int frame = lwi_find_frame_of(mech, part.index, name);
        found = frame < 0 ? -1 : mech->frame.at[frame].port;
    }
    const lw_port port = {part, found};
    return lwi_port_side_of(mech, port) == LWI_SIDE_NONE ? no_port : port;
}

static int root_of_set(lw_mech *mech, int part)
{
    lwi_part *p = mech->part.at;
    while (p[part].set != part) {
        p[part].set = p[p[part].set].set;
        part = p[part].set;
    }
    return part;
}

static void renew_sets(lw_mech *mech)
{
    for (int i = 0; i < mech->part.count; ++i) {
        mech->part.at[i].set = i;
    }
    for (int i = 0; i < mech->part.count; ++i) {
        const int feeder = mech->part.at[i].feeder.part.index;
        if (feeder >= 0 && !lwi_is_closer(&mech->part.at[i])) {
            mech->part.at[root_of_set(mech, i)].set = root_of_set(mech, feeder);
        }
    }
    mech->sets_are_stale = false;
}

int lwi_find_root(const lw_mech *mech, int begin)
{
    for (int i = begin; i < mech->part.count; ++i) {
        const lwi_part *part = &mech->part.at[i];
        if (part->feeder.part.index < 0 && lwi_kind_row_of(part->kind)->can_be_root &&
            !part->is_exposed && !lwi_is_closer(part)) {
            return i;
        }
    }
    return -1;
}

int lwi_mech_base(const lw_mech *mech)
{
    if (mech->ground >= 0) {
        return mech->ground;
    }
    const int base = lwi_find_root(mech, 0);
    return base >= 0 && lwi_find_root(mech, base + 1) < 0 ? base : -1;
}

// Where the connection of an A gateway of an assembly is kept.
static int *connection_of(lw_mech *mech, lw_port a)
{
    const lwi_assembly *assembly = as_assembly(&mech->part.at[a.part.index]);
    return &assembly->connection[a.index - LWI_PORT_FIRST_FRAME];
}

static lw_port *feeder_of(lw_mech *mech, lw_port a)
{
    if (a.index == LWI_PORT_A) {
        return &mech->part.at[a.part.index].feeder;
    }
    if (lwi_is_closer(&mech->part.at[a.part.index])) {
        return &mech->part.at[a.part.index].feeder2;
    }
    const int c = *connection_of(mech, a);
    return c ? &mech->connection.at[c - 1].b : NULL;
}

static lw_status refuse_ends(lw_mech *mech, lw_status status, lw_port one, lw_port other)
{
    static const lwi_part foreign = {.kind = LW_PART_ANY, .name = "?"};
    const lw_port port[2] = {one, other};
    const lwi_part *p[2];
    for (int i = 0; i < 2; ++i) { // removed parts still have a name
        const int k = port[i].part.index;
        p[i] = k >= 0 && k < mech->part.count ? &mech->part.at[k] : &foreign;
    }
    return lwi_refuse(mech, status, "%s \"%s\" port %s and %s \"%s\" port %s: %s",
                      lw_part_kind_name(p[0]->kind), p[0]->name, lwi_port_name(mech, one),
                      lw_part_kind_name(p[1]->kind), p[1]->name, lwi_port_name(mech, other),
                      lw_status_text(status));
}

// The A port among the two comes second.
static lw_status check_ends(lw_mech *mech, lw_port *one, lw_port *other)
{
    if (!lwi_part_at(mech, one->part) || !lwi_part_at(mech, other->part)) {
        return refuse_ends(mech, LW_ERR_PORT_FOREIGN, *one, *other);
    }
    const lwi_port_side s1 = lwi_port_side_of(mech, *one), s2 = lwi_port_side_of(mech, *other);
    if (s1 == LWI_SIDE_NONE || s2 == LWI_SIDE_NONE) {
        return refuse_ends(mech, LW_ERR_PORT_UNKNOWN, *one, *other);
    }
    if (one->part.index == other->part.index) {
        return refuse_ends(mech, LW_ERR_PORT_SAME_PART, *one, *other);
    }
    if (s1 == LWI_SIDE_AXIS || s2 == LWI_SIDE_AXIS) {
        return s1 == s2 ? LW_OK : refuse_ends(mech, LW_ERR_PORT_KIND, *one, *other);
    }
    if (s1 == s2) {
        return refuse_ends(mech, s1 == LWI_SIDE_A ? LW_ERR_PORT_BOTH_A : LW_ERR_PORT_BOTH_B, *one,
                           *other);
    }
    if (s1 == LWI_SIDE_A) {
        const lw_port swap = *one;
        *one = *other;
        *other = swap;
    }
    return LW_OK;
}

// Opens an edit of the connection between two ports, and puts the A port among them second.
static lw_status begin_edit(lw_mech *mech, lw_port *one, lw_port *other)
{
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    mech->message[0] = '\0';
    return mech->is_frozen ? refuse_ends(mech, LW_ERR_FROZEN, *one, *other)
                           : check_ends(mech, one, other);
}

static bool is_same_port(lw_port one, lw_port other)
{
    return one.part.index == other.part.index && one.index == other.index;
}

// The connection of two axis ports, or -1.
static int find_axis_link(const lw_mech *mech, lw_port one, lw_port other)
{
    for (int i = 0; i < mech->axis_link.count; ++i) {
        const lwi_axis_link *link = &mech->axis_link.at[i];
        if ((is_same_port(link->one, one) && is_same_port(link->other, other)) ||
            (is_same_port(link->one, other) && is_same_port(link->other, one))) {
            return i;
        }
    }
    return -1;
}

static lw_status connect_axes(lw_mech *mech, lw_port one, lw_port other)
{
    if (find_axis_link(mech, one, other) >= 0) {
        return refuse_ends(mech, LW_ERR_PORT_TAKEN, one, other);
    }
    lwi_axis_link *link = next_axis_link(mech);
    if (!link) {
        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
    }
    *link = (lwi_axis_link){one, other};
    ++mech->axis_link.count;
    return LW_OK;
}

static lw_status disconnect_axes(lw_mech *mech, lw_port one, lw_port other)
{
    const int found = find_axis_link(mech, one, other);
    if (found < 0) {
        return refuse_ends(mech, LW_ERR_PORT_FREE, one, other);
    }
    --mech->axis_link.count;
    for (int i = found; i < mech->axis_link.count; ++i) {
        mech->axis_link.at[i] = mech->axis_link.at[i + 1];
    }
    return LW_OK;
}

lw_status lw_connect(lw_mech *mech, lw_port one, lw_port other)
{
    lw_port b = one, a = other;
    const lw_status status = begin_edit(mech, &b, &a);
    if (status != LW_OK) {
        return status;
    }
    if (lwi_port_side_of(mech, a) == LWI_SIDE_AXIS) {
        return connect_axes(mech, b, a);
    }
    lw_port *feeder = feeder_of(mech, a);
    if (feeder && feeder->part.index >= 0) {
        return refuse_ends(mech, LW_ERR_PORT_TAKEN, b, a);
    }
    if (!feeder) {
        // Further A ports of an assembly: whether they close a cycle depends on its inside, which
        // the compile sees.
        lwi_connection *connection = next_connection(mech);
        if (!connection) {
            return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
        }
        *connection = (lwi_connection){.b = b, .a = a};
        *connection_of(mech, a) = ++mech->connection.count;
        return LW_OK;
    }
    // Rods and closing joints are there to close cycles; nothing is connected to them.
    if (lwi_is_closer(&mech->part.at[a.part.index])) {
        *feeder = b;
        return LW_OK;
    }
    if (mech->sets_are_stale) {
        renew_sets(mech);
    }
    const int above = root_of_set(mech, b.part.index), below = root_of_set(mech, a.part.index);
    if (above == below) {
        return refuse_ends(mech, LW_ERR_PORT_CYCLE, b, a);
    }
    mech->part.at[below].set = above;
    *feeder = b;
    return LW_OK;
}

lw_status lw_disconnect(lw_mech *mech, lw_port one, lw_port other)
{
    lw_port b = one, a = other;
    const lw_status status = begin_edit(mech, &b, &a);
    if (status != LW_OK) {
        return status;
    }
    if (lwi_port_side_of(mech, a) == LWI_SIDE_AXIS) {
        return disconnect_axes(mech, b, a);
    }
    lw_port *feeder = feeder_of(mech, a);
    if (!feeder || feeder->part.index != b.part.index || feeder->index != b.index) {
        return refuse_ends(mech, LW_ERR_PORT_FREE, b, a);
    }
    *feeder = no_port;
    if (a.index == LWI_PORT_A) {
        mech->sets_are_stale = true;
    }
    return LW_OK;
}
