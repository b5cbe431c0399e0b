// Axes: degrees of freedom of joints, shafts of drives, ends of gearboxes and torsions, and what
// joins them.
//
// Axes that are joined rotate as one, and make a set. A drive, and a set that has neither a joint
// nor a drive in it (a shaft between two gearboxes), gets a degree of freedom of the tree of its
// own, on a body without mass that is connected to the world. Each further axis of a set then
// follows the first, and a gearbox gives one row for each of its equations; from there on these are
// rows as those of gears.
#include "axes.h"

#include "../base/report.h"

#include <string.h>

static const lwi_part *part_at(const lwi_build *b, int flat)
{
    return part_of(b, &b->flat[flat]);
}

static int set_of(lwi_build *b, int axis)
{
    while (b->axis[axis].set != axis) {
        b->axis[axis].set = b->axis[b->axis[axis].set].set;
        axis = b->axis[axis].set;
    }
    return axis;
}

// The axes of a part stand in a row; those of a joint are listed once something is joined to one.
static int axes_of(const lwi_build *b, int flat)
{
    return lwi_axis_count(part_at(b, flat));
}

static int first_axis(lwi_build *b, int flat)
{
    if (b->first_axis[flat] < 0) {
        b->first_axis[flat] = b->naxis;
        const int n = axes_of(b, flat);
        for (int i = 0; i < n; ++i, ++b->naxis) {
            b->axis[b->naxis] =
                (lwi_axis){.flat = flat, .end = i, .set = b->naxis, .v = -1, .shared = -1};
        }
    }
    return b->first_axis[flat];
}

// What is connected to an axis shows where the mistake is: the joint may be in another file.
static int report_joint(lwi_build *b, int flat, int other)
{
    const lwi_flat *joint = &b->flat[flat], *from = &b->flat[other];
    const lw_joint_def *def = as_joint(part_at(b, flat));
    char text[16];
    const char *type = lw_joint_type_name(def->type);
    if (joint->is_closer) {
        lwi_report_error(b->report, from->location, LW_ERR_MODEL,
                         "%s \"%s\": joint \"%s\" closes a loop and has no axis to drive",
                         lw_part_kind_name(from->kind), from->name, joint->name);
    } else if (lwi_joint_nv(def) == 0 || lwi_joint_row_of(def->type)->has_quaternion) {
        lwi_report_error(b->report, from->location, LW_ERR_MODEL,
                         "%s \"%s\": joint \"%s\" is %s and has no axis to drive",
                         lw_part_kind_name(from->kind), from->name, joint->name, type);
    } else {
        lwi_report_error(b->report, from->location, LW_ERR_MODEL,
                         "%s \"%s\": joint \"%s\" is %s; name one of its %d axes, such as "
                         "\"%s.%s\"",
                         lw_part_kind_name(from->kind), from->name, joint->name, type,
                         lwi_joint_nv(def), joint->name,
                         lwi_dof_suffix(def->type, lwi_joint_nv(def), 0, false, text));
    }
    return -1;
}

// The axis that a port of a flat part is; -1, reported, where there is none.
static int axis_of(lwi_build *b, int flat, int port, int other)
{
    int end = port - LWI_PORT_FIRST_FRAME;
    if (b->flat[flat].kind == LW_PART_DRIVE) {
        end = 0;
    } else if (b->flat[flat].kind == LW_PART_JOINT) {
        end = b->flat[flat].is_closer ? -1 : lwi_axis_dof(as_joint(part_at(b, flat)), port);
        if (end < 0) {
            return report_joint(b, flat, other);
        }
    }
    return first_axis(b, flat) + end;
}

static void join_axes(lwi_build *b, int instance, const lwi_axis_link *link)
{
    int port[2];
    const int flat[2] = {lwi_find_end(b, instance, link->one, &port[0]),
                         lwi_find_end(b, instance, link->other, &port[1])};
    // A drive or a gearbox is where a message belongs, if one of the two is that.
    const int one = axis_of(b, flat[0], port[0], flat[1]);
    const int two = axis_of(b, flat[1], port[1], flat[0]);
    if (one >= 0 && two >= 0) {
        b->axis[set_of(b, two)].set = set_of(b, one);
    }
}

// Whether the part of an axis takes part, and can turn.
static bool is_live(const lwi_flat *flat)
{
    return !flat->is_left_out && !flat->is_locked;
}

// --- What is joined with nothing --------------------------------------------------------------

typedef struct census {
    int *described; ///< [naxis] axes of a set
    int *all;       ///< [naxis] those that take part
    int *ended;     ///< [naxis] those among them that are not of drives
} census;

static void count_axes(lwi_build *b, census *c)
{
    memset(c->described, 0, (size_t)b->naxis * sizeof *c->described);
    memset(c->all, 0, (size_t)b->naxis * sizeof *c->all);
    memset(c->ended, 0, (size_t)b->naxis * sizeof *c->ended);
    for (int i = 0; i < b->naxis; ++i) {
        const lwi_flat *flat = &b->flat[b->axis[i].flat];
        ++c->described[set_of(b, i)];
        if (is_live(flat)) {
            ++c->all[set_of(b, i)];
            c->ended[set_of(b, i)] += flat->kind != LW_PART_DRIVE;
        }
    }
}

// An end of a gearbox needs any other axis, a drive one that is not a drive. One end of a torsion
// may rest: that which is joined with nothing, but not one that has lost what it was joined with.
static bool is_loose(lwi_build *b, const census *c, int axis)
{
    const int set = set_of(b, axis), flat = b->axis[axis].flat;
    switch (b->flat[flat].kind) {
    case LW_PART_DRIVE:
        return c->ended[set] == 0;
    case LW_PART_TORSION: {
        const int other = set_of(b, 2 * b->first_axis[flat] + 1 - axis);
        return c->all[set] < 2 && (c->described[set] > 1 || c->described[other] < 2);
    }
    default:
        return c->all[set] < 2;
    }
}

static void report_loose(lwi_build *b, int axis)
{
    const lwi_flat *flat = &b->flat[b->axis[axis].flat];
    if (flat->kind == LW_PART_DRIVE) {
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "drive \"%s\" drives nothing: connect its axis with a joint or a gearbox",
                         flat->name);
    } else {
        const lw_port port = {{flat->part}, LWI_PORT_FIRST_FRAME + b->axis[axis].end};
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "%s \"%s\": its axis \"%s\" is connected with nothing",
                         lw_part_kind_name(flat->kind), flat->name,
                         lwi_port_name(mech_of(b, &b->flat[b->axis[axis].flat]), port));
    }
}

// Where loose parts are to be left out, what is connected to those is loose in turn.
static lw_status find_loose(lwi_build *b, bool may_be_loose)
{
    census c = {lwi_arena_take(b->arena, (size_t)b->naxis, sizeof *c.described),
                lwi_arena_take(b->arena, (size_t)b->naxis, sizeof *c.all),
                lwi_arena_take(b->arena, (size_t)b->naxis, sizeof *c.ended)};
    if (!c.described || !c.all || !c.ended) {
        return lwi_build_no_memory(b);
    }
    for (bool is_settled = false; !is_settled;) {
        is_settled = true;
        count_axes(b, &c);
        for (int i = 0; i < b->naxis; ++i) {
            lwi_flat *flat = &b->flat[b->axis[i].flat];
            if (flat->kind == LW_PART_JOINT || flat->is_left_out || !is_loose(b, &c, i)) {
                continue;
            }
            if (may_be_loose) {
                flat->is_left_out = true;
                is_settled = false;
            } else {
                report_loose(b, i);
            }
        }
    }
    return LW_OK;
}

// --- Shafts -----------------------------------------------------------------------------------

static const char *shaft_name(lwi_build *b, int axis)
{
    const lwi_flat *flat = &b->flat[b->axis[axis].flat];
    if (flat->kind == LW_PART_DRIVE) {
        return flat->name;
    }
    const lw_port port = {{flat->part}, LWI_PORT_FIRST_FRAME + b->axis[axis].end};
    const char *end = lwi_port_name(mech_of(b, &b->flat[b->axis[axis].flat]), port);
    return lwi_build_dotted(b, flat->name, end);
}

static lw_status add_shaft(lwi_build *b, int axis)
{
    lw_dof *dof = lwi_arena_take(b->arena, 1, sizeof *dof);
    const char *name = shaft_name(b, axis);
    if (!dof || !name) {
        return lwi_build_no_memory(b);
    }
    *dof = lw_default_joint_def().dof[0];
    const int flat = b->axis[axis].flat;
    if (b->flat[flat].kind == LW_PART_DRIVE) {
        const lw_drive_def *def = as_drive(part_at(b, flat));
        dof->rotor_inertia = def->inertia;
        dof->max_force = def->max_force;
        dof->max_velocity = def->max_velocity;
        dof->damping = def->damping;
        dof->friction = def->friction;
        dof->reference = def->reference;
    }
    b->shaft[b->nshaft++] = (lwi_shaft){axis, name, dof};
    return LW_OK;
}

static bool is_end(const lwi_flat *flat)
{
    return flat->kind == LW_PART_GEARBOX || flat->kind == LW_PART_TORSION;
}

// What the sets are made of.
typedef struct shaft_census {
    int *members;     ///< [naxis] axes of a set that take part
    char *is_carried; ///< [naxis] a joint or a drive is among them
    char *has_joint;  ///< [naxis] a joint that no drive without a shaft turns yet
} shaft_census;

// A drive that only says what limits it acts on the degree of freedom of the joint itself.
static bool needs_shaft(lwi_build *b, int axis, const shaft_census *c)
{
    const lw_drive_def *def = as_drive(part_at(b, b->axis[axis].flat));
    char *has_joint = &c->has_joint[set_of(b, axis)];
    if (!*has_joint || def->inertia != 0.0 || def->damping != 0.0 || def->friction != 0.0 ||
        def->reference != 0.0) {
        return true;
    }
    *has_joint = 0;
    return false;
}

// One for each drive that has more than limits, and one for each set of ends of gearboxes and
// torsions alone; an end of a torsion that is joined with nothing rests.
static lw_status make_shafts(lwi_build *b)
{
    const size_t n = (size_t)b->naxis;
    shaft_census c = {lwi_arena_take(b->arena, n, sizeof *c.members),
                      lwi_arena_take(b->arena, n, 1), lwi_arena_take(b->arena, n, 1)};
    b->shaft = lwi_arena_take(b->arena, n, sizeof *b->shaft);
    b->drive = lwi_arena_take(b->arena, n, sizeof *b->drive);
    if (!c.members || !c.is_carried || !c.has_joint || !b->shaft || !b->drive) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < b->naxis; ++i) {
        const lwi_flat *flat = &b->flat[b->axis[i].flat];
        const int set = set_of(b, i);
        if (is_live(flat)) {
            ++c.members[set];
            c.is_carried[set] |= !is_end(flat);
            c.has_joint[set] |= flat->kind == LW_PART_JOINT;
        }
    }
    lw_status status = LW_OK;
    for (int i = 0; i < b->naxis && status == LW_OK; ++i) {
        const lwi_flat *flat = &b->flat[b->axis[i].flat];
        if (flat->kind == LW_PART_DRIVE && is_live(flat)) {
            b->drive[b->ndrive++] = i;
            status = needs_shaft(b, i, &c) ? add_shaft(b, i) : LW_OK;
        }
    }
    for (int i = 0; i < b->naxis && status == LW_OK; ++i) {
        const int set = set_of(b, i);
        const lwi_flat *flat = &b->flat[b->axis[i].flat];
        if (is_end(flat) && is_live(flat) && !c.is_carried[set] &&
            (flat->kind == LW_PART_GEARBOX || c.members[set] > 1)) {
            c.is_carried[set] = 1;
            status = add_shaft(b, i);
        }
    }
    return status;
}

lw_status lwi_pass_axes(lwi_build *b)
{
    int most = 0;
    for (int f = 0; f < b->nflat; ++f) {
        most += lwi_has_axes_only(b->flat[f].kind) ? axes_of(b, f) : 0;
    }
    for (int i = 0; i < b->ninstance; ++i) {
        most += 2 * LW_MAX_DOF * b->instance[i].mech->axis_link.count;
    }
    if (most == 0) {
        return LW_OK;
    }
    b->axis = lwi_arena_take(b->arena, (size_t)most, sizeof *b->axis);
    b->first_axis = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *b->first_axis);
    if (!b->axis || !b->first_axis) {
        return lwi_build_no_memory(b);
    }
    memset(b->first_axis, -1, (size_t)b->nflat * sizeof *b->first_axis);
    for (int f = 0; f < b->nflat; ++f) {
        if (lwi_has_axes_only(b->flat[f].kind)) {
            first_axis(b, f);
        }
    }
    for (int i = 0; i < b->ninstance; ++i) {
        const lw_mech *mech = b->instance[i].mech;
        for (int k = 0; k < mech->axis_link.count; ++k) {
            join_axes(b, i, &mech->axis_link.at[k]);
        }
    }
    const lw_status status = find_loose(b, b->is_simplified || b->options.leave_out_loose);
    return status == LW_OK ? make_shafts(b) : status;
}

// --- Rows -------------------------------------------------------------------------------------

// The tree velocity of each axis that has one, and for each set the first of them, joints before
// drives: first [naxis].
static void number_axes(lwi_build *b, int *first)
{
    for (int i = 0; i < b->naxis; ++i) {
        const lwi_flat *flat = &b->flat[b->axis[i].flat];
        first[i] = -1;
        if (flat->kind == LW_PART_JOINT && is_live(flat)) {
            b->axis[i].v = b->joint[flat->joint].info.v + b->axis[i].end;
        }
    }
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < b->naxis; ++i) {
            const bool is_joint = b->flat[b->axis[i].flat].kind == LW_PART_JOINT;
            int *own = &first[set_of(b, i)];
            if (is_joint == (round == 0) && *own < 0 && b->axis[i].v >= 0) {
                *own = b->axis[i].v;
            }
        }
    }
}

static lwi_built_gear *add_row(lwi_build *b, int flat, lw_gear_type type, int n, int **dof,
                               double **share)
{
    *dof = lwi_arena_take(b->arena, (size_t)n, sizeof **dof);
    *share = lwi_arena_take(b->arena, (size_t)n, sizeof **share);
    if (!*dof || !*share) {
        lwi_build_no_memory(b);
        return NULL;
    }
    lwi_built_gear *gear = &b->gear[b->ngear++];
    *gear = (lwi_built_gear){.name = b->flat[flat].name,
                             .prefix = "",
                             .word = lw_part_kind_name(b->flat[flat].kind),
                             .location = b->flat[flat].location,
                             .type = type,
                             .size = {1.0, 1.0},
                             .body = {-1, -1},
                             .X_BW = {lw_pose_identity(), lw_pose_identity()},
                             .carrier = -1,
                             .ndof = n,
                             .nfirst = 1,
                             .dof = *dof,
                             .share = *share};
    return gear;
}

// v - first = 0.
static lw_status add_shaft_row(lwi_build *b, int axis, int first)
{
    int *dof;
    double *share;
    lwi_built_gear *gear = add_row(b, b->axis[axis].flat, LW_GEAR_SHAFT, 2, &dof, &share);
    if (!gear) {
        return LW_ERR_MEMORY;
    }
    gear->turn[0] = 1.0;
    gear->turn[1] = -1.0;
    dof[0] = b->axis[axis].v;
    dof[1] = first;
    share[0] = 1.0;
    share[1] = -1.0;
    return LW_OK;
}

// One side is what the other gives: in - N out = 0, or out - A in = 0.
static lw_status add_gearbox_rows(lwi_build *b, int flat, const int *first)
{
    const lw_gearbox_def *def = as_gearbox(part_at(b, flat));
    const bool is_ratio = def->form == LW_GEARBOX_RATIO;
    const int rows = is_ratio ? def->nin : def->nout, columns = is_ratio ? def->nout : def->nin;
    const int left = b->first_axis[flat] + (is_ratio ? 0 : def->nin);
    const int right = b->first_axis[flat] + (is_ratio ? def->nin : 0);
    for (int r = 0; r < rows; ++r) {
        int *dof;
        double *share;
        lwi_built_gear *gear = add_row(b, flat, LW_GEAR_BOX, 1 + columns, &dof, &share);
        if (!gear) {
            return LW_ERR_MEMORY;
        }
        gear->box = def;
        gear->row = r;
        gear->turn[0] = 1.0;
        gear->turn[1] = columns == 1 ? -def->coefficient[r] : 0.0;
        dof[0] = first[set_of(b, left + r)];
        share[0] = 1.0;
        for (int c = 0; c < columns; ++c) {
            dof[1 + c] = first[set_of(b, right + c)];
            share[1 + c] = -def->coefficient[r * columns + c];
        }
        if (rows == 1 && columns == 1) {
            gear->size[is_ratio] = fabs(def->coefficient[0]);
        }
    }
    return LW_OK;
}

int lwi_count_axis_rows(const lwi_build *b)
{
    return b->naxis; // a gearbox has more axes than rows, and every other axis at most one
}

lw_status lwi_add_axis_rows(lwi_build *b)
{
    if (b->naxis == 0) {
        return LW_OK;
    }
    int *first = lwi_arena_take(b->arena, (size_t)b->naxis, sizeof *first);
    if (!first) {
        return lwi_build_no_memory(b);
    }
    number_axes(b, first);
    lw_status status = LW_OK;
    for (int i = 0; i < b->naxis && status == LW_OK; ++i) {
        const int own = first[set_of(b, i)];
        b->axis[i].shared = own;
        if (b->axis[i].v >= 0 && b->axis[i].v != own && !is_end(&b->flat[b->axis[i].flat])) {
            status = add_shaft_row(b, i, own);
        }
    }
    for (int f = 0; f < b->nflat && status == LW_OK; ++f) {
        if (b->flat[f].kind == LW_PART_GEARBOX && !b->flat[f].is_left_out) {
            status = add_gearbox_rows(b, f, first);
        }
    }
    return status;
}
