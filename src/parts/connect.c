// Ports and connections.
//
// The A port of a part hangs on one B port, so a part's feeder is its parent in a forest. Whether a
// connection would close a cycle is then a question of sets: the part whose A port is free is the
// root of its tree, and hanging it on a part of the same tree closes a cycle. Sets merge with each
// connection (union-find with path halving) and are made anew after a disconnection.
#include "edit.h"

#include <stdlib.h>
#include <string.h>

LWI_NEXT(lwi_axis_link, axis_link)
LWI_NEXT(lwi_connection, connection)

static const lwi_part *part_at(const lw_mech *mech, lw_part part)
{
    return mech && part.index >= 0 && part.index < mech->part.count ? &mech->part.at[part.index]
                                                                    : NULL;
}

const lwi_gateway *lwi_gateway_of(const lw_mech *inside, int port)
{
    const int i = port - LWI_PORT_FIRST_FRAME;
    return i >= 0 && i < inside->gateway.count ? &inside->gateway.at[i] : NULL;
}

bool lwi_is_closer(const lw_mech *mech, const lwi_part *part)
{
    return part->kind == LWI_ROD || part->kind == LWI_SPRING ||
           (part->kind == LWI_JOINT && mech->joint.at[part->item].is_closing);
}

// Of a gearbox or a torsion.
static int count_axes(const lw_mech *mech, const lwi_part *part)
{
    if (part->kind == LWI_TORSION) {
        return 2;
    }
    const lw_gearbox_def *box = &mech->gearbox.at[part->item];
    return box->nin + box->nout;
}

lwi_port_side lwi_port_side_of(const lw_mech *mech, lw_port port)
{
    const lwi_part *part = part_at(mech, port.part);
    if (!part) {
        return LWI_SIDE_NONE;
    }
    const int i = port.index - LWI_PORT_FIRST_FRAME;
    if (part->kind == LWI_DRIVE) {
        return port.index == LWI_PORT_AXIS ? LWI_SIDE_AXIS : LWI_SIDE_NONE;
    }
    if (part->kind == LWI_GEARBOX || part->kind == LWI_TORSION) {
        return i >= 0 && i < count_axes(mech, part) ? LWI_SIDE_AXIS : LWI_SIDE_NONE;
    }
    if (port.index == LWI_PORT_A) {
        return part->kind == LWI_GROUND ? LWI_SIDE_NONE : LWI_SIDE_A;
    }
    if (part->kind == LWI_ASSEMBLY) {
        const lwi_gateway *gateway =
            lwi_gateway_of(mech->assembly.at[part->item].inside, port.index);
        return gateway ? gateway->side : LWI_SIDE_NONE;
    }
    if (part->kind == LWI_LOAD) {
        return LWI_SIDE_NONE;
    }
    if (port.index == LWI_PORT_B) {
        return lwi_is_closer(mech, part) ? LWI_SIDE_A : LWI_SIDE_B;
    }
    if (part->kind == LWI_ROD || part->kind == LWI_SPRING) {
        return LWI_SIDE_NONE;
    }
    if (port.index == LWI_PORT_AXIS) {
        return part->kind == LWI_JOINT ? LWI_SIDE_AXIS : LWI_SIDE_NONE;
    }
    if (part->kind == LWI_JOINT) {
        const bool is_axis = lwi_axis_dof(&mech->joint.at[part->item], port.index) >= 0;
        return is_axis ? LWI_SIDE_AXIS : LWI_SIDE_NONE;
    }
    return i >= 0 && i < part->nframe ? LWI_SIDE_B : LWI_SIDE_NONE;
}

// "in" and "out", with numbers where a side has several.
static const char *gearbox_port_name(const lw_gearbox_def *box, int axis)
{
    static const char *const several[2][LW_MAX_AXES] = {
        {"in1", "in2", "in3", "in4", "in5", "in6", "in7", "in8", "in9", "in10", "in11", "in12",
         "in13", "in14", "in15", "in16"},
        {"out1", "out2", "out3", "out4", "out5", "out6", "out7", "out8", "out9", "out10", "out11",
         "out12", "out13", "out14", "out15", "out16"}};
    const int side = axis >= box->nin, count = side ? box->nout : box->nin;
    if (axis < 0 || axis >= box->nin + box->nout) {
        return "?";
    }
    return count > 1 ? several[side][side ? axis - box->nin : axis] : side ? "out" : "in";
}

// The name of the i-th axis of a joint of several degrees of freedom.
static const char *joint_port_name(const lwi_joint *joint, int i)
{
    static const char *const number[LW_MAX_DOF] = {"1", "2", "3", "4", "5", "6"};
    char text[16];
    if (joint->nv < 2 || !lwi_has_scalar_dofs(joint->type) || i < 0 || i >= joint->nv) {
        return "?";
    }
    return joint->type == LW_JOINT_USER ? number[i]
                                        : lwi_dof_suffix(joint->type, joint->nv, i, false, text);
}

const char *lwi_port_name(const lw_mech *mech, lw_port port)
{
    const lwi_part *part = part_at(mech, port.part);
    if (!part) {
        return "?";
    }
    if (part->kind == LWI_ASSEMBLY && port.index != LWI_PORT_A) {
        const lwi_gateway *gateway =
            lwi_gateway_of(mech->assembly.at[part->item].inside, port.index);
        return gateway ? gateway->name : "?";
    }
    if ((part->kind == LWI_ROD || part->kind == LWI_SPRING) &&
        (port.index == LWI_PORT_A || port.index == LWI_PORT_B)) {
        return port.index == LWI_PORT_A ? "a1" : "a2";
    }
    static const char *const fixed[] = {"a", "b", "axis"};
    if (port.index >= 0 && port.index < LWI_PORT_FIRST_FRAME) {
        return fixed[port.index];
    }
    const int i = port.index - LWI_PORT_FIRST_FRAME;
    if (part->kind == LWI_GEARBOX) {
        return gearbox_port_name(&mech->gearbox.at[part->item], i);
    }
    if (part->kind == LWI_TORSION) {
        return i == 0 ? "in" : i == 1 ? "out" : "?";
    }
    if (part->kind == LWI_JOINT) {
        return joint_port_name(&mech->joint.at[part->item], i);
    }
    return i >= 0 && i < part->nframe ? mech->frame.at[part->frames[i]].name : "?";
}

static lw_port port_of_assembly(const lw_mech *mech, lw_part part, const char *name)
{
    const lw_mech *inside = mech->assembly.at[mech->part.at[part.index].item].inside;
    const int i = lwi_names_find(&inside->gateway_names, name);
    return i < 0 ? no_port : (lw_port){part, LWI_PORT_FIRST_FRAME + i};
}

// An axis port of a part by its name.
static lw_port axis_port_of(const lw_mech *mech, lw_part part, const char *name)
{
    const lwi_part *p = &mech->part.at[part.index];
    const bool has_ends = p->kind == LWI_GEARBOX || p->kind == LWI_TORSION;
    const int n = has_ends ? count_axes(mech, p) : LW_MAX_DOF;
    if (!has_ends && strcmp(name, "axis") == 0) {
        return (lw_port){part, LWI_PORT_AXIS};
    }
    for (int i = 0; i < n && p->kind != LWI_DRIVE; ++i) {
        const lw_port port = {part, LWI_PORT_FIRST_FRAME + i};
        if (strcmp(lwi_port_name(mech, port), name) == 0) {
            return port;
        }
    }
    return no_port;
}

lw_port lw_port_of(const lw_mech *mech, lw_part part, const char *name)
{
    const lwi_part *p = part_at(mech, part);
    if (!p || !name) {
        return no_port;
    }
    lw_port port = no_port;
    if (p->kind == LWI_ROD || p->kind == LWI_SPRING) {
        const bool is_first = strcmp(name, "a1") == 0;
        if (is_first || strcmp(name, "a2") == 0) {
            port = (lw_port){part, is_first ? LWI_PORT_A : LWI_PORT_B};
        }
    } else if (lwi_has_axes_only(p->kind)) {
        port = axis_port_of(mech, part, name);
    } else if (strcmp(name, "a") == 0) {
        port = (lw_port){part, LWI_PORT_A};
    } else if (p->kind == LWI_ASSEMBLY) {
        port = port_of_assembly(mech, part, name);
    } else if (strcmp(name, "b") == 0) {
        port = (lw_port){part, LWI_PORT_B};
    } else if (p->kind == LWI_JOINT) {
        port = axis_port_of(mech, part, name);
    } else {
        const int frame = lwi_find_frame_of(mech, part.index, name);
        port = frame < 0 ? no_port : (lw_port){part, mech->frame.at[frame].port};
    }
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
        if (feeder >= 0 && !lwi_is_closer(mech, &mech->part.at[i])) {
            mech->part.at[root_of_set(mech, i)].set = root_of_set(mech, feeder);
        }
    }
    mech->sets_are_stale = false;
}

int lwi_find_root(const lw_mech *mech, int begin)
{
    for (int i = begin; i < mech->part.count; ++i) {
        const lwi_part *part = &mech->part.at[i];
        if (part->feeder.part.index < 0 && part->kind != LWI_LOAD &&
            !lwi_has_axes_only(part->kind) && !part->is_exposed && !lwi_is_closer(mech, part)) {
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
    const lwi_assembly *assembly = &mech->assembly.at[mech->part.at[a.part.index].item];
    return &assembly->connection[a.index - LWI_PORT_FIRST_FRAME];
}

static lw_port *feeder_of(lw_mech *mech, lw_port a)
{
    if (a.index == LWI_PORT_A) {
        return &mech->part.at[a.part.index].feeder;
    }
    if (lwi_is_closer(mech, &mech->part.at[a.part.index])) {
        return &mech->part.at[a.part.index].feeder2;
    }
    const int c = *connection_of(mech, a);
    return c ? &mech->connection.at[c - 1].b : NULL;
}

static lw_status refuse_ends(lw_mech *mech, lw_status status, lw_port one, lw_port other)
{
    const lwi_part *p = part_at(mech, one.part), *r = part_at(mech, other.part);
    return lwi_refuse(mech, status, "%s \"%s\" port %s and %s \"%s\" port %s: %s",
                      p ? lwi_kind_name(p->kind) : "part", p ? p->name : "?",
                      lwi_port_name(mech, one), r ? lwi_kind_name(r->kind) : "part",
                      r ? r->name : "?", lwi_port_name(mech, other), lw_status_text(status));
}

// The A port among the two comes second.
static lw_status check_ends(lw_mech *mech, lw_port *one, lw_port *other)
{
    if (!part_at(mech, one->part) || !part_at(mech, other->part)) {
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
    // Rods and closing joints are there to close cycles; nothing hangs on them.
    if (lwi_is_closer(mech, &mech->part.at[a.part.index])) {
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
